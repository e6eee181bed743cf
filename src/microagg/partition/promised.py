"""Groups that keep promises on confidential columns, for methods that know of none, and to start a search with."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from microagg import _core
from microagg.base.checks import check_groups, check_records, check_threads
from microagg.base.groups import squared_error
from microagg.base.types import FloatArray, IntArray
from microagg.constraints import Promises
from microagg.partition import t_first
from microagg.prepare.space import embed
from microagg.refine.repair import repair
from microagg.semantic.attribute import Attribute

MOST_COMPARED = 2_000_000_000
"""Up to so many numbers that are compared, groups that are close by design are tried as a start too: some seconds."""


def repaired(
    X: npt.ArrayLike,
    labels: IntArray,
    k: int,
    promises: Promises,
    attributes: Sequence[Attribute] | None = None,
    *,
    seed: int = 0,
    threads: int | None = None,
) -> IntArray:
    """Give groups that keep the promises: those that come in, where they do; categories are repaired as points."""
    if promises.kept(labels):
        return labels
    points = check_records(X, k) if attributes is None else embed(np.asarray(X, dtype=np.float64), attributes)
    return repair(points, labels, k, promises=promises, seed=seed, threads=threads)


def better_start(
    X: npt.ArrayLike, labels: IntArray, k: int, promises: Promises, *, seed: int = 0, threads: int | None = None
) -> IntArray:
    """Give the better of two partitions that keep the promises: this one, repaired, or one that is close by design.

    Where t is promised of a column that goes with the quasi-identifiers, groups of similar records are far from
    t-close, and repairing them costs more than to begin with one record of each part of the confidential values.
    """
    X = check_records(X, k)
    first = repair(X, check_groups(labels, len(X), k), k, promises=promises, seed=seed, threads=threads)
    asked = t_first.first_closeness(promises)
    if asked is None or len(X) * X.size // t_first.size_for(len(X), k, asked[0]) > MOST_COMPARED:
        return first
    second = t_first.partition(X, k, promises=promises, threads=threads)
    second = repair(X, second, k, promises=promises, seed=seed, threads=threads)
    return first if squared_error(X, first) <= squared_error(X, second) else second


def first_groups(
    X: FloatArray, k: int, promises: Promises | None, *, seed: int = 0, threads: int | None = None
) -> IntArray:
    """Give groups for a search to start with: MDAV in cells, of a size with which promises can be kept, repaired."""
    labels = np.empty(len(X), dtype=np.int64)
    size = k if promises is None else promises.start_size(k)
    _core.start_groups(X, size, check_threads(threads), labels)
    return labels if promises is None else better_start(X, labels, k, promises, seed=seed, threads=threads)
