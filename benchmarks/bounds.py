"""Print the lower bounds of the benchmark files, standardised: dataset, k, loss in percent, seconds.

python benchmarks/bounds.py [seconds for each]
"""

import sys

import numpy as np

from microagg import datasets
from microagg.bounds import lower_bound

CASES = [("census", 3), ("census", 4), ("census", 5), ("tarragona", 3), ("tarragona", 4), ("tarragona", 5), ("eia", 3)]

if __name__ == "__main__":
    time_limit = float(sys.argv[1]) if len(sys.argv) > 1 else 120.0
    for name, k in CASES:
        values = datasets.load(name).values
        X = np.column_stack(list(values.values()))
        X = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
        bound = lower_bound(X, k, time_limit=time_limit)
        print(f"{name:10} k={k}  {bound.loss:9.4f} %  {bound.seconds:6.1f} s", flush=True)
