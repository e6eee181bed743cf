"""Distances, nearest records, and records that join the nearest group: what several methods are made of."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from microagg.base.types import FloatArray, IntArray


def squared_distances(X: FloatArray, points: FloatArray) -> FloatArray:
    """Give the squared distance of each record to a point, or to a point of its own; columns are summed in order.

    >>> squared_distances(np.array([[0.0, 0.0], [3.0, 4.0]]), np.array([0.0, 0.0])).tolist()
    [0.0, 25.0]
    """
    total: FloatArray = np.zeros(len(X))
    for column in range(X.shape[1]):
        gap = X[:, column] - points[..., column]
        total += gap * gap
    return total


def nearest_first(distances: FloatArray, count: int) -> IntArray:
    """Give the places of the smallest distances, smallest first, equal ones by place.

    >>> nearest_first(np.array([3.0, 1.0, 2.0, 1.0]), 3).tolist()
    [1, 3, 2]
    """
    if count < 1:
        return np.empty(0, dtype=np.int64)
    largest = np.partition(distances, count - 1)[count - 1]
    candidates = np.flatnonzero(distances <= largest)
    return candidates[np.argsort(distances[candidates], kind="stable")[:count]]


def join_nearest(X: FloatArray, labels: IntArray) -> None:
    """Give each record left (-1) to the group whose centroid, before any of them joins, is nearest; changes labels.

    Ties go to the group with the lower number.

    >>> labels = np.array([0, 0, 1, 1, -1])
    >>> join_nearest(np.array([[0.0], [1.0], [8.0], [9.0], [6.0]]), labels)
    >>> labels.tolist()
    [0, 0, 1, 1, 1]
    """
    by_group = np.argsort(labels, kind="stable")
    left, grouped = np.split(by_group, [np.count_nonzero(labels < 0)])
    if not len(left):
        return
    sizes = np.bincount(labels[grouped])
    centroids = np.array([_centroid(X[rows]) for rows in np.split(grouped, np.cumsum(sizes)[:-1])])
    for record in left:
        labels[record] = int(np.argmin(squared_distances(centroids, X[record])))


def _centroid(records: FloatArray) -> list[float]:
    """Exact sums, rounded once, divided by the number of records."""
    return [math.fsum(column) / len(records) for column in records.T]


def split_large(X: FloatArray, labels: IntArray, k: int, split: Callable[..., IntArray]) -> IntArray:
    """Split groups of 2k or more records with a method; groups are numbered anew, in the order of their old numbers.

    >>> def halves(X, k):
    ...     return np.repeat([0, 1], len(X) // 2)
    >>> split_large(np.zeros((6, 1)), np.array([0, 1, 1, 0, 1, 1]), 2, halves).tolist()
    [0, 1, 1, 0, 2, 2]
    """
    numbered = np.empty(len(labels), dtype=np.int64)
    by_group = np.argsort(labels, kind="stable")
    n_groups = 0
    for rows in np.split(by_group, np.cumsum(np.bincount(labels))[:-1]):
        inside = split(X[rows], k) if len(rows) >= 2 * k else np.zeros(len(rows), dtype=np.int64)
        numbered[rows] = n_groups + inside
        n_groups += int(inside.max()) + 1
    return numbered
