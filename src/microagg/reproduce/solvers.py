"""How the methods of the printed tables are run: what several k share is computed once."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from microagg.arrays import FloatArray
from microagg.partition import partition
from microagg.partition.mhm import cut_order
from microagg.paths import path, path_length
from microagg.reproduce.experiment import Outcome, Solver


def by_method(method: str, **options: Any) -> Solver:
    """Run a method in METHODS for each k."""

    def solve(X: FloatArray, ks: Sequence[int], seed: int) -> Iterator[Outcome]:
        for k in ks:
            yield k, partition(X, k, method=method, seed=seed, threads=1, **options), math.nan

    return solve


def by_path(heuristic: str, **options: Any) -> Solver:
    """Find one path with a heuristic in PATHS and cut it for each k."""

    def solve(X: FloatArray, ks: Sequence[int], seed: int) -> Iterator[Outcome]:
        order = path(X, heuristic, seed=seed, threads=1, **options)
        length = path_length(X, order)
        for k in ks:
            yield k, cut_order(X, order, k), length

    return solve


def nearest_neighbour_with_dummy(X: FloatArray, ks: Sequence[int], seed: int) -> Iterator[Outcome]:
    """Run nearest neighbour as published: on the distances of the records and of the dummy city.

    From the first record, s, the nearest city is the dummy, at distance 0, and from there all records are equally
    near: a random one, r, is next. Cut at the dummy, the tour is a nearest neighbour path from r through all records
    but s, which comes last, however far away it is. `nearest_neighbour` itself leaves the dummy out and has no such
    jump.
    """
    first, last = np.random.default_rng(seed).choice(len(X), 2, replace=False)
    others = np.delete(np.arange(len(X)), last)
    order = path(X[others], "nearest_neighbour", start=int(np.flatnonzero(others == first)[0]), threads=1)
    whole = np.append(others[order], last)
    length = path_length(X, whole)
    for k in ks:
        yield k, cut_order(X, whole, k), length
