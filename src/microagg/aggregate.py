"""One value for a whole group: the mean of each column."""

from __future__ import annotations

import numpy as np

from microagg.arrays import FloatArray, IntArray


def group_means(X: FloatArray, labels: IntArray, weights: FloatArray | None = None) -> FloatArray:
    """Give the mean of each group, weighted where weights are given.

    >>> group_means(np.array([[1.0], [2.0], [10.0], [20.0]]), np.array([0, 0, 1, 1])).tolist()
    [[1.5], [15.0]]
    """
    each = np.ones(len(X)) if weights is None else weights
    sums = np.column_stack([np.bincount(labels, each * column) for column in X.T])
    means: FloatArray = sums / np.bincount(labels, each)[:, None]
    return means
