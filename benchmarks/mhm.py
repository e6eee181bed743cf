"""How long the optimal cut of an order takes: 10^6 records on one core, k up to 20.

python benchmarks/mhm.py [--records 1000000]
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from microagg import cut_order


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=1_000_000)
    n = parser.parse_args().records
    print(f"{'columns':>8} {'k':>4} {'seconds':>8} {'records/s':>12}   (MHM, {n:,} records, one thread, best of 3)")
    for m in (1, 2, 13):
        X = np.random.default_rng(0).standard_normal((n, m))
        order = np.argsort(X[:, 0], kind="stable")
        for k in (3, 10, 20):
            seconds = min(timed(X, order, k) for _ in range(3))
            print(f"{m:>8} {k:>4} {seconds:>8.3f} {n / seconds:>12,.0f}")


def timed(X: np.ndarray, order: np.ndarray, k: int) -> float:
    start = time.perf_counter()
    cut_order(X, order, k)
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
