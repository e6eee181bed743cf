"""From a partition to an order of the records: group after group, inside a group from one record to the nearest."""

from __future__ import annotations

import numpy as np

from microagg.base.types import FloatArray, IntArray


def order_of_groups(X: FloatArray, labels: IntArray) -> IntArray:
    """Order the records of a partition: its groups by their numbers, the records of a group by nearness.

    The path begins in group 0, at its record farthest from the centroid of all records. From there it always goes to
    the nearest record that is left in the group, and from the last one of a group to the nearest one of the next.
    Ties go to the lower row number. The groups are runs of this order, so that the optimal cut of it loses no more
    than the partition did, as long as no group has more than 2k-1 records.

    Parameters
    ----------
    X : array of shape (n, m)
        The records, prepared.
    labels : array of n int
        The group of each record, 0 to G-1.

    Returns
    -------
    array of n int
        A permutation of the row numbers.

    Examples
    --------
    >>> order_of_groups(np.array([[1.0], [9.0], [2.0], [8.0], [1.5], [9.5]]), np.array([0, 1, 0, 1, 0, 1])).tolist()
    [0, 4, 2, 3, 1, 5]
    """
    by_group = np.argsort(labels, kind="stable")
    cuts = np.flatnonzero(np.diff(labels[by_group])) + 1
    order = np.empty(len(X), dtype=np.int64)
    here, done = None, 0
    for rows in np.split(by_group, cuts):
        if here is None:
            away = ((X[rows] - X.mean(axis=0)) ** 2).sum(axis=1)
            here = int(np.argmax(away))
        else:
            here = int(np.argmin(((X[rows] - X[order[done - 1]]) ** 2).sum(axis=1)))
        left = np.ones(len(rows), dtype=np.bool_)
        for _ in range(len(rows)):
            order[done] = rows[here]
            done += 1
            left[here] = False
            distances = ((X[rows] - X[rows[here]]) ** 2).sum(axis=1)
            here = int(np.argmin(np.where(left, distances, np.inf)))
    return order
