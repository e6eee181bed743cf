"""One value for a whole group: the mean or the median of each column."""

from __future__ import annotations

import numpy as np

from microagg.arrays import FloatArray, IntArray, check_labels, check_matrix
from microagg.errors import InvalidOption
from microagg.groups import group_means

AGGREGATES = ("mean", "median")


def group_medians(X: FloatArray, labels: IntArray) -> FloatArray:
    """Give the median of each column in each group.

    >>> group_medians(np.array([[1.0], [2.0], [9.0], [5.0], [6.0]]), np.array([0, 0, 0, 1, 1])).tolist()
    [[2.0], [5.5]]
    """
    X = check_matrix(X)
    labels = check_labels(labels, len(X))
    sizes = np.bincount(labels)
    starts = np.cumsum(sizes) - sizes
    medians = np.empty((len(sizes), X.shape[1]))
    for j in range(X.shape[1]):
        ordered = X[np.lexsort((X[:, j], labels)), j]
        low, high = ordered[starts + (sizes - 1) // 2], ordered[starts + sizes // 2]
        medians[:, j] = low + (high - low) / 2
    return medians


def release_values(
    X: FloatArray, labels: IntArray, *, aggregate: str = "mean", weights: FloatArray | None = None
) -> FloatArray:
    """Replace every record by the common value of its group.

    Labels of shape (n, m) group each column on its own.

    >>> release_values(np.array([[1.0], [3.0], [7.0], [9.0]]), np.array([0, 0, 1, 1])).ravel().tolist()
    [2.0, 2.0, 8.0, 8.0]
    """
    if aggregate not in AGGREGATES:
        raise InvalidOption(f"aggregate must be one of {', '.join(AGGREGATES)}; got {aggregate!r}.")
    if aggregate == "median" and weights is not None:
        raise InvalidOption("weights enter group means only: leave weights out, or choose aggregate='mean'.")
    if labels.ndim == 2:
        columns = [
            release_values(X[:, [j]], labels[:, j], aggregate=aggregate, weights=weights) for j in range(X.shape[1])
        ]
        return np.hstack(columns)
    centres = group_medians(X, labels) if aggregate == "median" else group_means(X, labels, weights)
    released: FloatArray = centres[labels] + 0.0  # never -0: it is equal to 0, and written otherwise
    return released
