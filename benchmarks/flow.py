"""Processor time of each step from a file to a release, of all threads together: python benchmarks/flow.py [records]"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import microagg as ma
from microagg import io
from microagg.datasets import gaussian

COLUMNS, K = 13, 3


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    X = gaussian(n, COLUMNS, seed=0)
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "in.csv"), Path(folder, "out.csv")
        io.write(io.from_arrays({f"x{j}": X[:, j] for j in range(COLUMNS)}), source)
        print(f"{n:,} x {COLUMNS}, {source.stat().st_size / 1e6:.0f} MB of CSV, univariate, k = {K}")
        # The flow notes what this clock says: let it be that of the processor, which other work does not disturb.
        time.perf_counter = time.process_time
        release = ma.anonymize_file(source, target, K, method="univariate", memory="unlimited")
    for name, seconds in release.seconds.items():
        print(f"{name:12}{seconds:9.2f}")


if __name__ == "__main__":
    main()
