"""Insensitive MDAV: groups that change by one record at most where one record changes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from microagg.base.checks import check_records
from microagg.base.progress import Progress
from microagg.base.types import FloatArray, IntArray
from microagg.partition.method import Method


def partition(X: npt.ArrayLike, k: int, *, progress: Progress | None = None) -> IntArray:
    """Order the records by their distance to the corner of lowest values, and group k after k of them.

    MDAV with a distance that agrees with a total order of all possible records takes its groups from the two ends of
    that order [1]_. Where one record changes, every group loses at most one record and gains at most one, which is
    what differential privacy needs. The price is a higher loss than that of MDAV. The corner is that of the data here;
    with `epsilon` it is that of the stated limits, which no record moves.

    Parameters
    ----------
    X : array of shape (n, m)
        The records, prepared.
    k : int
        Least size of a group.
    progress : callable, optional
        Told the fraction done.

    Returns
    -------
    array of n int
        The group of each record, numbered along the order; the one in the middle has k to 2k - 1 records, others k.

    References
    ----------
    .. [1] J. Soria-Comas, J. Domingo-Ferrer, D. Sanchez, S. Martinez. Enhancing data utility in differential privacy
       via microaggregation-based k-anonymity. The VLDB Journal 23 (2014) 771-794.

    Examples
    --------
    >>> partition([[1.0], [9.0], [2.0], [8.0], [1.5], [9.5]], k=3).tolist()
    [0, 1, 0, 1, 0, 1]
    """
    X = check_records(X, k)
    order = corner_order(X - X.min(axis=0))
    if progress is not None:
        progress(0.5)
    return blocks(order, k)


def corner_order(points: FloatArray) -> IntArray:
    """Order points by their distance to the origin; of equally distant ones, by their columns from first to last.

    Each point has its place by its own numbers: column by column, so that the same numbers always give the same sum.

    >>> corner_order(np.array([[0.0, 5.0], [3.0, 4.0], [0.0, 0.0]])).tolist()
    [2, 0, 1]
    """
    distance = np.zeros(len(points))
    for column in points.T:
        distance += column * column
    return np.lexsort((*points.T[::-1], distance))


def blocks(order: IntArray, k: int) -> IntArray:
    """Group records k after k along an order; what is left over goes to the group in the middle.

    >>> blocks(np.arange(7), 2).tolist()
    [0, 0, 1, 1, 1, 2, 2]
    """
    n_groups = len(order) // k
    sizes = np.full(n_groups, k)
    sizes[n_groups // 2] += len(order) - n_groups * k
    labels = np.empty(len(order), dtype=np.int64)
    labels[order] = np.repeat(np.arange(n_groups), sizes)
    return labels


METHOD = Method(
    name="insensitive",
    function=partition,
    title="Insensitive MDAV",
    summary="groups that one record changes by one record at most, for differential privacy",
    reference="Soria-Comas et al. 2014",
    steps="n log n",
)
