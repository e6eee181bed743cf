"""What refine="local" costs and gains after MDAV: time as a multiple of MDAV's in the same run, loss before and after.

    python benchmarks/local.py [--records 4000,10000,20000,50000] [--k 3,5,10] [--runs 7] [--files] [--record]

The least time of some runs, of one and the other in turn: processor time of one thread, and wall time of as many
threads as there are by default. Standardised data: 13 columns that are made up, or with --files the papers' data.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial

import results

from microagg.base.types import FloatArray, IntArray
from microagg.datasets import census_like, gaussian, load
from microagg.partition import METHODS
from microagg.refine import local
from microagg.utility import information_loss


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", default="4000,10000,20000,50000")
    parser.add_argument("--k", default="3,5,10")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--files", action="store_true")
    parser.add_argument(
        "--record", action="store_true", help="Put the figures into results.csv and write the tables of the docs anew."
    )
    arguments = parser.parse_args()
    titles = ("mdav ms", "local ms", "ratio")
    print(f"{'':>25} {'one thread':>26} {'all threads':>26}")
    print(f"{'data':>12} {'records':>8} {'k':>3}", *(f"{t:>8}" for t in 2 * titles), f"{'mdav %':>8} {'local %':>8}")
    figures: dict[tuple[str, str, int], str] = {}
    for name, X in files() if arguments.files else made_up(map(int, arguments.records.split(","))):
        for k in map(int, arguments.k.split(",")):
            Z = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
            data = name if arguments.files else results.shape(name, *X.shape)
            measured = report(name, Z, k, arguments.runs)
            if arguments.files:
                measured.pop("local: mdav, loss %")  # stands in the file as the loss of MDAV on these data
            figures |= {(what, data, k): shown for what, shown in measured.items()}
    if arguments.record:
        results.record_all("local.py", figures)


def made_up(sizes: Iterable[int]) -> Iterator[tuple[str, FloatArray]]:
    for n in sizes:
        yield "gaussian", gaussian(n, 13, seed=0)
        yield "census_like", census_like(n, seed=0)


def files() -> Iterator[tuple[str, FloatArray]]:
    for name in ("census", "tarragona", "eia"):
        yield name, load(name).X


def report(name: str, X: FloatArray, k: int, runs: int) -> dict[str, str]:
    """Print a line, and give what it says by name."""
    before = METHODS["mdav"](X, k)
    times, figures = "", {}
    for what, threads, clock in (("one thread", 1, time.process_time), ("two threads", None, time.perf_counter)):
        mdav = partial(METHODS["mdav"], X, k, threads=threads)
        refined = partial(local, X, before, k, threads=threads)
        pairs = [(timed(mdav, clock), timed(refined, clock)) for _ in range(runs)]
        mdav_ms, local_ms = (1000 * min(column) for column in zip(*pairs, strict=True))
        times += f" {mdav_ms:>8.1f} {local_ms:>8.1f} {local_ms / mdav_ms:>8.2f}"
        figures[f"local: {what} / mdav"] = f"{local_ms / mdav_ms:.2f}"
        if threads == 1:
            figures |= {"local: mdav, ms": f"{mdav_ms:.1f}", "local: local, ms": f"{local_ms:.1f}"}
    losses = [information_loss(X, before), information_loss(X, local(X, before, k))]
    print(f"{name:>12} {len(X):>8} {k:>3}{times} {losses[0]:>8.4f} {losses[1]:>8.4f}", flush=True)
    return figures | {"local: mdav, loss %": f"{losses[0]:.3f}", "local: with local, loss %": f"{losses[1]:.3f}"}


def timed(work: Callable[[], IntArray], clock: Callable[[], float]) -> float:
    start = clock()
    work()
    return clock() - start


if __name__ == "__main__":
    main()
