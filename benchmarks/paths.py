"""Lengths of the paths of every heuristic, their gaps to the bound, and seconds; fast-tsp beside them if installed.

python benchmarks/paths.py                    Census, Tarragona and EIA, from MICROAGG_DATA
python benchmarks/paths.py 100000x13 1000000x2    Gaussian (uniform in two columns) records of these sizes
"""

from __future__ import annotations

import csv
import functools
import os
import sys
import time
from pathlib import Path

import numpy as np

from microagg.errors import MicroaggError
from microagg.paths import PATHS, path, path_bound, path_length

BEST_KNOWN = {"census": 1169.61, "tarragona": 770.65, "eia": 713.14}
SMALL_ENOUGH_FOR_ALL = 20_000
LARGE = ("space_filling_curve", "nearest_neighbour", "greedy_edge", "two_opt", "three_opt", "lk")


def load(name):
    with (Path(os.environ["MICROAGG_DATA"]) / f"{name}.csv").open(newline="") as file:
        X = np.array(list(csv.reader(file))[1:], dtype=float)
    return (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)


def generate(size):
    n, m = map(int, size.split("x"))
    random = np.random.default_rng(0)
    return random.random((n, m)) if m == 2 else random.standard_normal((n, m))


def fast_tsp(X):
    """A tour with a dummy city, cut there; the package wants the full matrix in 16 bits."""
    import fast_tsp

    n = len(X)
    D = np.zeros((n + 1, n + 1))
    D[:n, :n] = np.linalg.norm(X[:, None] - X[None, :], axis=2)
    whole = np.rint(D * (65_535 / D.max())).astype(np.int64)
    tour = fast_tsp.find_tour(whole.tolist(), duration_seconds=2.0)
    at = tour.index(n)
    return np.array(tour[at + 1 :] + tour[:at])


def main():
    for name in sys.argv[1:] or BEST_KNOWN:
        X = load(name) if name in BEST_KNOWN else generate(name)
        n = len(X)
        threads = 1 if n < SMALL_ENOUGH_FOR_ALL else None
        runs = {h: functools.partial(path, heuristic=h, threads=threads) for h in PATHS}
        if n > SMALL_ENOUGH_FOR_ALL:
            runs = {h: runs[h] for h in LARGE}
        elif n < 2500:
            runs["fast-tsp, 2 s"] = fast_tsp
        rows = []
        for label, run in runs.items():
            began, cpu = time.perf_counter(), time.process_time()
            try:
                order = run(X)
            except (MicroaggError, ImportError) as error:
                print(f"{name:12} {label:30} left out: {error}")
                continue
            rows.append((label, path_length(X, order), time.perf_counter() - began, time.process_time() - cpu))
        shortest = min(length for _, length, _, _ in rows)
        bound = path_bound(X, upper=shortest, steps=200) if n <= 5000 else float("nan")
        best = BEST_KNOWN.get(name, float("nan"))
        print(f"\n{name}: {n} x {X.shape[1]}, bound {bound:.2f}, best known {best}")
        print(f"{'heuristic':30} {'length':>12} {'to bound':>9} {'to best':>8} {'seconds':>8} {'CPU':>7}")
        for label, length, seconds, cpu in rows:
            to_bound, to_best = 100 * (length / bound - 1), 100 * (length / best - 1)
            print(f"{label:30} {length:12.2f} {to_bound:8.2f}% {to_best:7.2f}% {seconds:8.3f} {cpu:7.3f}")


if __name__ == "__main__":
    main()
