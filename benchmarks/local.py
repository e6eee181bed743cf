"""What refine="local" costs and gains after MDAV: time as a multiple of MDAV's in the same run, loss before and after.

    python benchmarks/local.py [--records 4000,20000,50000] [--k 3,10]

Processor time of one thread, the least of three runs, 13 standardised columns.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

from microagg.arrays import FloatArray, IntArray
from microagg.datasets import census_like, gaussian
from microagg.partition import METHODS
from microagg.refine import local
from microagg.utility import information_loss


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", default="4000,20000,50000")
    parser.add_argument("--k", default="3,10")
    arguments = parser.parse_args()
    print(
        f"{'data':>12} {'records':>8} {'k':>3} {'mdav s':>8} {'local s':>8} {'ratio':>6} {'mdav %':>8} {'local %':>8}"
    )
    makers = {"gaussian": lambda n: gaussian(n, 13, seed=0), "census_like": lambda n: census_like(n, seed=0)}
    for name, make in makers.items():
        for n in map(int, arguments.records.split(",")):
            X = make(n)
            X = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
            for k in map(int, arguments.k.split(",")):
                report(name, X, k)


def report(name: str, X: FloatArray, k: int) -> None:
    before, mdav_seconds = timed(lambda: METHODS["mdav"](X, k, threads=1))
    after, seconds = timed(lambda: local(X, before, k, threads=1))
    losses = f"{information_loss(X, before):>8.4f} {information_loss(X, after):>8.4f}"
    print(f"{name:>12} {len(X):>8} {k:>3} {mdav_seconds:>8.4f} {seconds:>8.4f} {seconds / mdav_seconds:>6.2f} {losses}")


def timed(work: Callable[[], IntArray]) -> tuple[IntArray, float]:
    least = float("inf")
    for _ in range(3):
        start = time.process_time()
        labels = work()
        least = min(least, time.process_time() - start)
    return labels, least


if __name__ == "__main__":
    main()
