"""One measurement in a process of its own, so that its peak memory is its own: started by bench.py.

    python case.py '{"runner": "microagg", "method": "mdav", "k": 3, "threads": 2, "data": "X.npy", "labels": "L.npy"}'

Prints one JSON object. Needs NumPy and the package to be measured, nothing else, so that peers can live elsewhere.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

WARM_UP_RECORDS = 64
MOST_RUNS = 3
ENOUGH_SECONDS = 2.0


def microagg(k: int, method: str, threads: int | None) -> Callable[[np.ndarray], np.ndarray]:
    from microagg.partition import partition

    return lambda X: partition(X, k, method=method, threads=threads)


def anonypyx(k: int, method: str, threads: int | None) -> Callable[[np.ndarray], np.ndarray]:
    """MDAV-generic; its grouping alone, which gives the rows of each group."""
    import pandas as pd
    from anonypyx import Anonymiser

    def run(X: np.ndarray) -> np.ndarray:
        frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])
        groups = Anonymiser(frame, k=k, algorithm="MDAV-generic").algorithm.partition(k)
        labels = np.full(len(X), -1, dtype=np.int64)
        for g, rows in enumerate(groups):
            labels[np.asarray(rows)] = g
        return labels

    return run


def microagg1d(k: int, method: str, threads: int | None) -> Callable[[np.ndarray], np.ndarray]:
    """The optimal partition of one column; compiled by the warm-up, not while the clock runs.

    Its default ("auto", version 0.4.0) was seen to lose up to 0.6 percent more than the optimum, which "wilber" found.
    """
    from microagg1d import univariate_microaggregation

    return lambda X: univariate_microaggregation(X[:, 0], k, method=method)


RUNNERS = {"microagg": microagg, "anonypyx": anonypyx, "microagg1d": microagg1d}


def peak_bytes() -> int:
    """The most memory that this process ever held. Linux counts it afresh after exec, getrusage does not."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def main() -> None:
    case = json.loads(sys.argv[1])
    warnings.simplefilter("ignore")
    X = np.load(case["data"])
    run = RUNNERS[case["runner"]](case["k"], case["method"], case["threads"])
    run(X[: max(WARM_UP_RECORDS, 3 * case["k"])].copy())
    before = peak_bytes()
    seconds: list[float] = []
    while len(seconds) < MOST_RUNS and sum(seconds) < ENOUGH_SECONDS:
        start = time.perf_counter()
        labels = run(X)
        seconds.append(time.perf_counter() - start)
    peak = peak_bytes()
    np.save(case["labels"], labels)
    print(json.dumps({"seconds": min(seconds), "runs": len(seconds), "peak_bytes": peak, "before_bytes": before}))


if __name__ == "__main__":
    main()
