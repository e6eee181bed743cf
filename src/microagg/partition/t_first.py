"""t-closeness first: each group takes one record of each part of the confidential values in their order."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from microagg import _core
from microagg.base.checks import check_records
from microagg.base.progress import Progress
from microagg.base.types import IntArray
from microagg.constraints import Promises
from microagg.constraints.t import Closeness
from microagg.partition import mdav
from microagg.partition.method import Method
from microagg.partition.t_merge import METHOD as MERGE


def partition(
    X: npt.ArrayLike,
    k: int,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
    promises: Promises | None = None,
) -> IntArray:
    """Cut the records, ordered by the confidential values, into parts, and group one of each: algorithm 3 of [1]_.

    With n records and parts of equal size, a group of one record of each of s parts is at most
    (n - s) / (2 (n - 1) s) away from all records, so s is the least size of at least k for which that is at most t:
    max(k, ceil(n / (2 (n - 1) t + 1))). What does not divide evenly is in the middle part, of which some groups take
    two. A group takes, of each part, the record nearest to the one at the far end. Without a promise of t this is MDAV.

    Parameters
    ----------
    X, k, threads, progress, promises
        As in `t_merge`; the first promise of t counts.

    Returns
    -------
    array of n int
        The group of each record.

    References
    ----------
    .. [1] J. Soria-Comas, J. Domingo-Ferrer, D. Sanchez, S. Martinez. t-closeness through microaggregation: strict
       privacy with enhanced utility preservation. IEEE Transactions on Knowledge and Data Engineering 27 (2015)
       3098-3110.

    Examples
    --------
    >>> from microagg.constraints import promise
    >>> promises = promise({"t": {"pay": 0.3}}, {"pay": [1, 2, 3, 4, 5, 6, 7, 8]})
    >>> partition([[1.0], [2.0], [8.0], [9.0], [1.5], [2.5], [8.5], [9.5]], k=2, promises=promises).tolist()
    [0, 2, 3, 1, 0, 2, 3, 1]
    """
    asked = None if promises is None else first_closeness(promises)
    if asked is None:
        return mdav.partition(X, k, threads=threads, progress=progress)
    X = check_records(X, k)
    t, ranks = asked
    labels = np.empty(len(X), dtype=np.int64)
    _core.one_of_each(X, parts_of(ranks, size_for(len(X), k, t)), labels, progress)
    return labels


def first_closeness(promises: Promises) -> tuple[float, IntArray] | None:
    """Give the first t that is promised, and the codes of its column."""
    for promise in promises.terms.promises:
        if isinstance(promise.constraint, Closeness):
            return promise.constraint.value, promises.codes[:, promise.column]
    return None


def size_for(n_records: int, k: int, t: float) -> int:
    """Give the size of groups with which each is close enough, rounded up so that the rest is less than the groups.

    >>> size_for(1080, 2, 0.05), size_for(1080, 5, 0.25)
    (10, 5)
    """
    size = max(k, math.ceil(n_records / (2 * (n_records - 1) * t + 1)))
    n_groups = n_records // size
    return size + (n_records % size) // n_groups


def parts_of(ranks: IntArray, size: int) -> IntArray:
    """Number the parts of the records in the order of their values; the middle one has what is left over."""
    n_records = len(ranks)
    n_groups, left = divmod(n_records, size)
    sizes = np.full(size, n_groups)
    sizes[size // 2] += left
    parts = np.empty(n_records, dtype=np.int64)
    parts[np.argsort(ranks, kind="stable")] = np.repeat(np.arange(size), sizes)
    return parts


METHOD = Method(
    name="t_first",
    function=partition,
    title="t-closeness first",
    summary="one record of each part of the confidential values in their order: the size of groups follows from t",
    reference="Soria-Comas, Domingo-Ferrer, Sanchez and Martinez 2015, algorithm 3",
    steps="n^2 / k",
    deviations=(
        *MERGE.deviations,
        "The bound on t is for records that all differ in the confidential column. Where they do not, or where values "
        "have no order, groups that break the promise are repaired afterwards.",
    ),
)
