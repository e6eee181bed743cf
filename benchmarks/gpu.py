"""MDAV and `fast` on a graphics card, NumPy in to labels out, after compilation.

    python benchmarks/gpu.py                 # all cases; 3 minutes on an H200
    python benchmarks/gpu.py --only 1000000  # those of so many records

Records are standard normal, of seed 1. The loss is 100 * SSE / SST. A case that misses its bar is marked.
"""

from __future__ import annotations

import sys
import time
from typing import Any, NamedTuple

import numpy as np

from microagg.base.groups import squared_error
from microagg.gpu import CUDA, open_device
from microagg.partition import partition


class Case(NamedTuple):
    method: str
    n: int
    m: int
    k: int
    options: dict[str, Any]
    most_seconds: float
    most_loss: float = np.inf


CASES = (
    Case("mdav", 10**6, 15, 10, {}, 1.3),
    Case("mdav", 10**6, 15, 3, {}, 3.6),
    Case("fast", 10**6, 13, 10, {"effort": "quick"}, 3.0, 16.35),
    Case("fast", 10**6, 13, 10, {}, 5.5, 15.85),
    Case("fast", 10**6, 13, 10, {"effort": "thorough"}, np.inf),
    Case("fast", 10**6, 13, 3, {}, np.inf),
    Case("fast", 10**6, 13, 3, {"effort": "thorough"}, 8.0, 7.75),
    Case("fast", 10**7, 13, 10, {}, 25.0, 12.8),
    Case("mdav", 10**7, 13, 10, {}, 90.0),
)
COMPILING = 1_200_000
"""So many records of a case are grouped beforehand: enough for the kernels that it needs."""


def main() -> None:
    only = int(sys.argv[2]) if sys.argv[1:2] == ["--only"] else None
    open_device(CUDA)
    print("| method | records | columns | k | options | seconds | loss | bar |")
    print("|---|---:|---:|---:|---|---:|---:|---|")
    for case in CASES:
        if only not in (None, case.n):
            continue
        X = np.random.default_rng(1).standard_normal((case.n, case.m))
        quick = {"effort": "quick"} if case.method == "fast" else {}
        partition(X[:COMPILING], case.k, method=case.method, device=CUDA, **quick)
        start = time.perf_counter()
        labels = partition(X, case.k, method=case.method, device=CUDA, **case.options)
        seconds = time.perf_counter() - start
        loss = 100 * squared_error(X, labels) / squared_error(X, np.zeros(case.n, dtype=np.int64))
        options = ", ".join(f"{name}={value}" for name, value in case.options.items())
        bar = f"{case.most_loss:g} in {case.most_seconds:g} s".replace("inf in inf s", "").replace("inf in", "in")
        if seconds > case.most_seconds or loss > case.most_loss:
            bar += " MISSED"
        print(
            f"| {case.method} | {case.n:,} | {case.m} | {case.k} | {options} | {seconds:.2f} | {loss:.2f} | {bar} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
