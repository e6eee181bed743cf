"""MDAV beside the yardstick: a plain one-thread C++ MDAV, compiled here and run in turn with ours.

    python benchmarks/yardstick.py [--records 50000] [--columns 13] [--k 3] [--data gaussian census_like] [--repeat 3]
    python benchmarks/yardstick.py --record

The yardstick's source is MICROAGG_YARDSTICK, else ../shared/yardstick/mdav_plain.cpp beside the checkout. Its
arguments: X.bin n m k labels.bin; it prints the seconds of the grouping alone. For each kind of data the two run in
turn; printed are the least seconds of each, their ratio, whether both make the same groups, and whether ours makes
the same labels on one thread. Census-like data are normal with the mean and the covariance of Census (MICROAGG_DATA,
else ../shared/data), so they have 13 columns.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import results

from microagg.partition import mdav

BESIDE = Path(__file__).resolve().parents[2] / "shared"


def standardise(X: np.ndarray) -> np.ndarray:
    return (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)


def gaussian(n: int, m: int) -> np.ndarray:
    return standardise(np.random.default_rng(0).normal(size=(n, m)))


def census_like(n: int, m: int) -> np.ndarray:
    folder = Path(os.environ.get("MICROAGG_DATA", BESIDE / "data"))
    census = np.loadtxt(folder / "census.csv", delimiter=",", skiprows=1)[:, :m]
    rng = np.random.default_rng(0)
    return standardise(rng.multivariate_normal(census.mean(axis=0), np.cov(census, rowvar=False), n))


DATA = {"gaussian": gaussian, "census_like": census_like}


def compile_yardstick(source: Path, folder: Path) -> Path:
    program = folder / "yardstick"
    compiler = os.environ.get("CXX", "g++")
    subprocess.run([compiler, "-O3", "-std=c++17", str(source), "-o", str(program)], check=True)
    return program


def run_yardstick(program: Path, X: np.ndarray, k: int, folder: Path) -> tuple[float, np.ndarray]:
    X.tofile(folder / "X.bin")
    arguments = [program, folder / "X.bin", X.shape[0], X.shape[1], k, folder / "labels.bin"]
    done = subprocess.run([str(a) for a in arguments], check=True, capture_output=True, text=True)
    return float(done.stdout), np.fromfile(folder / "labels.bin", dtype=np.int64)


def run_ours(X: np.ndarray, k: int, threads: int | None) -> tuple[float, np.ndarray]:
    start = time.perf_counter()
    labels = mdav.partition(X, k, threads=threads)
    return time.perf_counter() - start, labels


def groups(labels: np.ndarray) -> set[frozenset[int]]:
    order = np.argsort(labels, kind="stable")
    cuts = np.flatnonzero(np.diff(labels[order])) + 1
    return {frozenset(part.tolist()) for part in np.split(order, cuts)}


def compare(
    program: Path, name: str, X: np.ndarray, k: int, repeat: int, threads: int | None, folder: Path
) -> dict[str, str]:
    """Print a line, and give what it says by name."""
    theirs, ours, alone = [], [], []
    for _ in range(repeat):
        seconds, reference = run_yardstick(program, X, k, folder)
        theirs.append(seconds)
        seconds, labels = run_ours(X, k, threads)
        ours.append(seconds)
        seconds, on_one = run_ours(X, k, 1)
        alone.append(seconds)
    expected, made = groups(reference), groups(labels)
    agree = "same groups" if expected == made else f"{len(expected - made)} of {len(expected)} groups differ (ties?)"
    same = "same labels" if np.array_equal(labels, on_one) else "LABELS DIFFER"
    print(
        f"{name:9s} {X.shape[0]:8d} x {X.shape[1]:<3d} k={k:<4d} yardstick {min(theirs):8.3f} s   "
        f"ours {min(ours):7.3f} s  {min(theirs) / min(ours):6.1f} times   "
        f"one thread {min(alone):7.3f} s  {min(theirs) / min(alone):6.1f} times   {agree}; one thread: {same}"
    )
    figures = {"plain C++, s": f"{min(theirs):.2f}"}
    for what, spent in (("two threads", min(ours)), ("one thread", min(alone))):
        figures |= {f"{what}, s": f"{spent:.2f}", f"{what}, times": f"{min(theirs) / spent:.1f}"}
    return {f"yardstick: {what}": shown for what, shown in figures.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", type=int, nargs="+", default=[50_000])
    parser.add_argument("--columns", type=int, default=13)
    parser.add_argument("--k", type=int, nargs="+", default=[3])
    parser.add_argument("--data", nargs="+", choices=DATA, default=list(DATA))
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--threads", type=int, default=None)
    parser.add_argument(
        "--record", action="store_true", help="Put the figures into results.csv and write the tables of the docs anew."
    )
    asked = parser.parse_args()
    figures: dict[tuple[str, str, int], str] = {}
    source = Path(os.environ.get("MICROAGG_YARDSTICK", BESIDE / "yardstick" / "mdav_plain.cpp"))
    if not source.is_file():
        sys.exit(f"no yardstick: set MICROAGG_YARDSTICK to its C++ source (looked for {source.name}).")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = compile_yardstick(source, folder)
        for data in asked.data:
            for n in asked.records:
                for k in asked.k:
                    X = DATA[data](n, asked.columns)
                    measured = compare(program, data, X, k, asked.repeat, asked.threads, folder)
                    figures |= {(what, results.shape(data, *X.shape), k): shown for what, shown in measured.items()}
    if asked.record:
        results.record_all("yardstick.py", figures)


if __name__ == "__main__":
    main()
