"""How the methods of the printed tables are run: what several k share is computed once."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from microagg.base.types import FloatArray
from microagg.partition import partition
from microagg.partition.mhm import cut_order
from microagg.paths import path, path_length
from microagg.reproduce.grid import Outcome, Solver


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
