"""MST partitioning: the longest edges of a minimum spanning tree are cut.

tree = the minimum spanning tree of all records (Prim)
for each edge, the longest first: cut it if both parts have at least k records then
the parts are the groups; those of 2k or more records are split by another method
"""

from __future__ import annotations

from functools import partial
from typing import Literal

import numpy as np
import numpy.typing as npt

from microagg.base.checks import check_records, check_threads
from microagg.base.groups import in_order
from microagg.base.progress import Progress, part_of
from microagg.base.types import FloatArray, IntArray
from microagg.errors import InvalidOption
from microagg.partition import cbfs, md
from microagg.partition.method import Method
from microagg.partition.nearness import split_large, squared_distances

SPLIT = {"cbfs": cbfs.partition, "md": md.partition}
LARGE = ("keep", *SPLIT)


def partition(
    X: npt.ArrayLike,
    k: int,
    *,
    large: Literal["cbfs", "md", "keep"] = "cbfs",
    threads: int | None = None,
    progress: Progress | None = None,
) -> IntArray:
    """Cut the longest edges of a minimum spanning tree of the records, as long as every part keeps k [1]_.

    The tree grows from record 0, always by the record nearest to any that it has. Its edges are then tried once, the
    longest first: an edge is cut if both parts that it joins have at least k records. Parts are groups; those of 2k
    records or more are split by another method. Ties go to the lower row number. Good for data in clumps; elsewhere
    the parts are long chains, and large.

    Parameters
    ----------
    X : array of shape (n, m)
        The records, prepared.
    k : int
        Least size of a group.
    large : {"cbfs", "md", "keep"}
        What splits parts of 2k records or more: centroid-based ("cbfs") or diameter-based ("md") groups of k, or
        nothing ("keep": the tree alone).
    threads : int, optional
        How many threads split; all processors by default. The labels are the same on any number.
    progress : callable, optional
        Told the fraction done.

    Returns
    -------
    array of n int
        The group of each record; parts are numbered by their lowest row, with the groups of a large one in a row.

    References
    ----------
    .. [1] M. Laszlo, S. Mukherjee. Minimum spanning tree partitioning algorithm for microaggregation. IEEE
       Transactions on Knowledge and Data Engineering 17 (2005) 902-911.

    Examples
    --------
    >>> partition([[1.0], [9.0], [2.0], [8.0], [1.5], [9.5]], k=3).tolist()
    [0, 1, 0, 1, 0, 1]
    """
    X = check_records(X, k)
    if large not in LARGE:
        raise InvalidOption(f"large must be one of {', '.join(LARGE)}; got {large!r}.")
    threads = check_threads(threads)
    parts = _cut(*_spanning_tree(X, part_of(progress, 0.0, 0.9)), k)
    return parts if large == "keep" else split_large(X, parts, k, partial(SPLIT[large], threads=threads))


def _spanning_tree(X: FloatArray, progress: Progress | None) -> tuple[IntArray, IntArray, FloatArray]:
    """Give the records in the order in which Prim's tree takes them, the one each hangs on, and its squared distance.

    Record 0 comes first and hangs on itself.
    """
    n = len(X)
    order, hangs_on, lengths = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64), np.zeros(n)
    rows, points = np.arange(1, n), np.asfortranarray(X[1:])
    nearest, through = np.full(n - 1, np.inf), np.zeros(n - 1, dtype=np.int64)
    outside = np.ones(n - 1, dtype=np.bool_)
    newest = 0
    for taken in range(1, n):
        away = squared_distances(points, X[newest])
        nearer = outside & (away < nearest)
        nearest[nearer], through[nearer] = away[nearer], newest
        place = int(np.argmin(nearest))
        newest = int(rows[place])
        order[taken], hangs_on[newest], lengths[newest] = newest, through[place], nearest[place]
        outside[place], nearest[place] = False, np.inf
        if 2 * (n - 1 - taken) < len(rows):
            rows, points = rows[outside], np.asfortranarray(points[outside])
            nearest, through, outside = nearest[outside], through[outside], outside[outside]
        if progress is not None and taken % 256 == 1:
            progress(taken / n)
    return order, hangs_on, lengths


def _cut(order: IntArray, hangs_on: IntArray, lengths: FloatArray, k: int) -> IntArray:
    """Cut edges, the longest first, where both parts keep k records, and number the parts by their lowest row."""
    n = len(order)
    above: list[int] = hangs_on.tolist()
    below = [1] * n
    for record in order[:0:-1].tolist():
        below[above[record]] += below[record]
    longest_first = np.argsort(-lengths, kind="stable")
    is_top = [False] * n
    is_top[int(order[0])] = True
    for record in longest_first.tolist():
        if is_top[record] or below[record] < k:
            continue
        top = above[record]
        while not is_top[top]:
            top = above[top]
        if below[top] - below[record] < k:
            continue
        up = record
        while up != top:
            up = above[up]
            below[up] -= below[record]
        is_top[record] = True
    part = np.empty(n, dtype=np.int64)
    for record in order.tolist():
        part[record] = record if is_top[record] else part[above[record]]
    return in_order(part)


METHOD = Method(
    name="mst",
    function=partition,
    title="Minimum spanning tree partitioning",
    summary="the longest edges of a minimum spanning tree are cut, and what is too large is split",
    reference="Laszlo and Mukherjee 2005",
    steps="n^2",
    deviations=(
        "Edges are tried once, the longest first, and equally long ones by the lower row number; the paper's order of "
        "equal ones is not known to us.",
    ),
)
