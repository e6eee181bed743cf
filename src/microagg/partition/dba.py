"""DBA: groups of k where the records lie densest, and then those dissolved that cost more than they are worth.

while at least k records are left: the record whose k-neighbourhood has the least squared error, with that neighbourhood
the others join the nearest centroid
for each group, the last one made first: its records join the nearest other centroids, if that lowers the SSE
groups of 2k records or more are split by MDAV
"""

from __future__ import annotations

from functools import partial

import numpy as np
import numpy.typing as npt

from microagg import _core
from microagg.base.checks import check_records, check_threads
from microagg.base.progress import Progress, part_of
from microagg.base.types import BoolArray, FloatArray, IntArray
from microagg.errors import InvalidOption
from microagg.partition import mdav
from microagg.partition.method import Method
from microagg.partition.nearness import join_nearest, nearest_first, split_large, squared_distances
from microagg.refine.changing_groups import ChangingGroups

LISTED = 6
"""How many times k neighbours of each record are looked up at the beginning; who needs more looks at all records."""


def partition(
    X: npt.ArrayLike,
    k: int,
    *,
    second_stage: bool = True,
    threads: int | None = None,
    progress: Progress | None = None,
) -> IntArray:
    """Group records where they lie densest, then dissolve groups where that pays [1]_.

    The k-neighbourhood of a record is itself and its k-1 nearest of those left; its density is one over the sum of
    squared errors of that neighbourhood. Stage 1: the densest record is grouped with its neighbourhood, while at least
    k records are left; the others join the group with the nearest centroid. Stage 2: groups are taken once, the last
    one made first; each record of a group goes to the nearest other centroid, if that lowers the sum of squared errors
    of all. Groups of 2k records or more are then split by MDAV. Ties go to the lower row number, and to the group made
    earlier. The steps follow the descriptions in papers that compare with it; where these leave a detail open, it is
    ours.

    Parameters
    ----------
    X : array of shape (n, m)
        The records, prepared.
    k : int
        Least size of a group.
    second_stage : bool
        Whether groups are dissolved and split (DBA-2) or not (DBA-1).
    threads : int, optional
        How many threads look for neighbours; all processors by default. The labels are the same on any number.
    progress : callable, optional
        Told the fraction done.

    Returns
    -------
    array of n int
        The group of each record; groups are numbered in the order in which they are made.

    References
    ----------
    .. [1] J.-L. Lin, T.-H. Wen, J.-C. Hsieh, P.-C. Chang. Density-based microaggregation for statistical disclosure
       control. Expert Systems with Applications 37 (2010) 3256-3263.

    Examples
    --------
    >>> partition([[1.0], [9.0], [2.0], [8.0], [1.5], [9.6]], k=3).tolist()
    [0, 1, 0, 1, 0, 1]
    """
    X = check_records(X, k)
    if not isinstance(second_stage, bool):
        raise InvalidOption(f"second_stage must be True or False; got {second_stage!r}.")
    threads = check_threads(threads)
    labels = _densest_first(X, k, threads, part_of(progress, 0.0, 0.8))
    join_nearest(X, labels)
    if not second_stage:
        return labels
    groups = ChangingGroups(X, labels)
    dissolving = part_of(progress, 0.8, 1.0)
    n_groups = len(groups.sizes)
    for group in range(n_groups - 1, -1, -1):
        groups.dissolve_where_it_pays(group)
        if dissolving is not None and group % 256 == 0:
            dissolving(1.0 - group / n_groups)
    return split_large(X, groups.numbered(), k, partial(mdav.partition, threads=threads))


def _densest_first(X: FloatArray, k: int, threads: int, progress: Progress | None) -> IntArray:
    """Make groups of k, the densest first; -1 where fewer than k records are left."""
    n = len(X)
    labels = np.full(n, -1, dtype=np.int64)
    left = np.ones(n, dtype=np.bool_)
    count = min(LISTED * k, n - 1)
    listed, distances = np.empty((n, count), dtype=np.int64), np.empty((n, count))
    _core.nearest_neighbours(X, count, threads, listed, distances, part_of(progress, 0.0, 0.3))
    near = np.column_stack([np.arange(n), listed[:, : k - 1]])
    errors = _squared_errors(X, near)
    making = part_of(progress, 0.3, 1.0)
    for group in range(n // k):
        members = near[int(np.argmin(errors))]
        labels[members] = group
        left[members] = False
        errors[members] = np.inf
        stale = np.flatnonzero(left & ~left[near].all(axis=1))
        if (group + 1) * k + k > n:
            break
        for record in stale:
            near[record] = _neighbourhood(X, int(record), listed[record], left, k)
        errors[stale] = _squared_errors(X, near[stale])
        if making is not None and group % 64 == 0:
            making(group * k / n)
    return labels


def _neighbourhood(X: FloatArray, record: int, listed: IntArray, left: BoolArray, k: int) -> IntArray:
    """Give the record and its k-1 nearest that are left; the list serves as far as it goes."""
    near = listed[left[listed]][: k - 1]
    if len(near) < k - 1:
        rows = np.flatnonzero(left)
        away = squared_distances(X[rows], X[record])
        away[np.searchsorted(rows, record)] = np.inf
        near = rows[nearest_first(away, k - 1)]
    return np.append(record, near)


def _squared_errors(X: FloatArray, near: IntArray) -> FloatArray:
    """Give the sum of squared errors of each neighbourhood; records and columns are summed in order."""
    sums = np.zeros((len(near), X.shape[1]))
    for place in range(near.shape[1]):
        sums += X[near[:, place]]
    means = sums / near.shape[1]
    errors: FloatArray = np.zeros(len(near))
    for place in range(near.shape[1]):
        errors += squared_distances(X[near[:, place]], means)
    return errors


METHOD = Method(
    name="dba",
    function=partition,
    title="Density-based microaggregation",
    summary="groups of k where the records lie densest; those that cost much are dissolved",
    reference="Lin, Wen, Hsieh and Chang 2010",
    steps="n^2",
    deviations=(
        "The paper was not at hand: the steps follow what papers that compare with it say, and details that these "
        "leave open are ours.",
    ),
)
