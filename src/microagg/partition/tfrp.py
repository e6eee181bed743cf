"""TFRP: groups of k at the two ends of the data, and then those dissolved that cost more than they are worth.

R1, R2 = the least and the greatest value of each column
while at least k records are left: the one farthest from R1 with its k-1 nearest; the same from R2
the others join the nearest centroid
for each group, the largest squared error first: its records join the nearest other centroids, if that lowers the SSE
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from microagg.base.checks import check_records
from microagg.base.progress import Progress, part_of
from microagg.base.types import FloatArray, IntArray
from microagg.errors import InvalidOption
from microagg.partition.method import Method
from microagg.partition.nearness import join_nearest, nearest_first, squared_distances
from microagg.refine.changing_groups import ChangingGroups


def partition(X: npt.ArrayLike, k: int, *, second_stage: bool = True, progress: Progress | None = None) -> IntArray:
    """Group records from two fixed reference points inwards, then dissolve groups where that pays [1]_.

    Stage 1: the reference points have the least, and the greatest, value of each column. In turns, the record that is
    farthest from the one and from the other point is grouped with its k-1 nearest, while at least k records are left;
    the others join the group with the nearest centroid. Stage 2: groups are taken once, the largest sum of squared
    errors first; each record of a group goes to the nearest other centroid, if that lowers the sum of all. Ties go to
    the lower row number, and to the group made earlier. The steps follow the descriptions in papers that compare with
    it; where these leave a detail open, it is ours.

    Parameters
    ----------
    X : array of shape (n, m)
        The records, prepared.
    k : int
        Least size of a group.
    second_stage : bool
        Whether groups are dissolved (TFRP-2) or not (TFRP-1).
    progress : callable, optional
        Told the fraction done.

    Returns
    -------
    array of n int
        The group of each record; groups are numbered in the order in which they are made. Stage 2 makes groups larger
        than 2k-1 here and there.

    References
    ----------
    .. [1] C.-C. Chang, Y.-C. Li, W.-H. Huang. TFRP: an efficient microaggregation algorithm for statistical disclosure
       control. Journal of Systems and Software 80 (2007) 1866-1878.

    Examples
    --------
    >>> partition([[1.0], [9.0], [2.0], [8.0], [1.5], [9.5]], k=3).tolist()
    [1, 0, 1, 0, 1, 0]
    """
    X = check_records(X, k)
    if not isinstance(second_stage, bool):
        raise InvalidOption(f"second_stage must be True or False; got {second_stage!r}.")
    labels = _from_two_points(X, k, part_of(progress, 0.0, 0.5))
    join_nearest(X, labels)
    if not second_stage:
        return labels
    groups = ChangingGroups(X, labels)
    largest_first = np.argsort(-groups.errors, kind="stable")
    dissolving = part_of(progress, 0.5, 1.0)
    for number, group in enumerate(largest_first.tolist()):
        groups.dissolve_where_it_pays(group)
        if dissolving is not None and number % 256 == 0:
            dissolving(number / len(largest_first))
    return groups.numbered()


def _from_two_points(X: FloatArray, k: int, progress: Progress | None) -> IntArray:
    """Make groups of k from both ends; -1 where fewer than k records are left."""
    labels = np.full(len(X), -1, dtype=np.int64)
    ends = [np.argsort(-squared_distances(X, point), kind="stable") for point in (X.min(axis=0), X.max(axis=0))]
    at = [0, 0]
    rows, points = np.arange(len(X)), np.asfortranarray(X)
    for group in range(len(X) // k):
        end = group % 2
        while labels[ends[end][at[end]]] >= 0:
            at[end] += 1
        start = int(ends[end][at[end]])
        away = squared_distances(points, X[start])
        away[labels[rows] >= 0] = np.inf
        away[np.searchsorted(rows, start)] = -1.0
        labels[rows[nearest_first(away, k)]] = group
        if 2 * (len(X) - (group + 1) * k) < len(rows):
            left = labels[rows] < 0
            rows, points = rows[left], np.asfortranarray(points[left])
        if progress is not None and group % 64 == 0:
            progress(group * k / len(X))
    return labels


METHOD = Method(
    name="tfrp",
    function=partition,
    title="Two fixed reference points",
    summary="groups of k from the two ends of the data inwards; those that cost much are dissolved",
    reference="Chang, Li and Huang 2007",
    steps="n^2 / k",
    deviations=(
        "The paper was not at hand: the steps follow what papers that compare with it say, and details that these "
        "leave open are ours.",
    ),
)
