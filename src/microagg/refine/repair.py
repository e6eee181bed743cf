"""Repair: a partition changed at little cost, so that its groups keep promises on confidential columns."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from microagg import _core
from microagg.base.checks import check_groups, check_records, check_seed, check_threads
from microagg.base.progress import Progress
from microagg.base.types import IntArray
from microagg.constraints import Promises, check_promises


def repair(
    X: npt.ArrayLike,
    labels: npt.ArrayLike,
    k: int,
    *,
    promises: Promises,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> IntArray:
    """Change groups that break a promise until none does.

    A group that lacks something takes a record of a group near it, changes places with one, or is merged with a group,
    whatever raises the squared errors least for what it mends. Where nothing mends enough, it is merged with the
    nearest group: merged groups never lack more than they did apart, so the promises are kept in the end where all
    records together keep them.

    Parameters
    ----------
    X : array of shape (n, m)
        The records, prepared.
    labels : array of n int
        Groups 0 to G-1, each of at least k records.
    k : int
        Least size of a group.
    promises : Promises
        What groups must keep.
    seed : int
        Decides where blocks are cut, where records are many.
    threads : int, optional
        How many threads to use; the labels do not depend on it.
    progress : callable, optional
        Told the fraction done.

    Returns
    -------
    array of n int
        The group of each record, numbered in the order of first appearance.

    Examples
    --------
    >>> from microagg.constraints import promise
    >>> promises = promise({"l": {"ill": 2}}, {"ill": ["flu", "flu", "cold", "cold"]})
    >>> repair([[1.0], [2.0], [8.0], [9.0]], [0, 0, 1, 1], 2, promises=promises).tolist()
    [0, 1, 0, 1]
    """
    X = check_records(X, k)
    kept = check_groups(labels, len(X), k).copy()
    promises = check_promises(promises, len(X))
    _core.repair_promises(X, k, promises.kernel, check_seed(seed), check_threads(threads), kept, progress)
    return kept


def least_of(k: int, labels: IntArray, promises: Promises) -> int:
    """Give the least size that a search may count on: k, or what promises need, where all groups have it."""
    return max(k, min(promises.least, int(np.bincount(labels).min())))
