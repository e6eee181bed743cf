"""One value for a whole group: the mean or the median of each column."""

from __future__ import annotations

import numpy as np

from microagg import _core
from microagg.arrays import FloatArray, IntArray, check_labels, check_matrix
from microagg.errors import InvalidData, InvalidOption

AGGREGATES = ("mean", "median")


def group_means(X: FloatArray, labels: IntArray, weights: FloatArray | None = None) -> FloatArray:
    """Give the mean of each group, weighted where weights are given.

    A column that is constant in a group keeps its exact value.

    Parameters
    ----------
    X : array of shape (n, m)
        The records.
    labels : array of n int
        The group of each record, 0 to G-1.
    weights : array of n float, optional
        How many respondents each record stands for.

    Returns
    -------
    array of shape (G, m)

    Examples
    --------
    >>> X = np.array([[1.0], [2.0], [10.0], [20.0]])
    >>> group_means(X, np.array([0, 0, 1, 1])).tolist()
    [[1.5], [15.0]]
    >>> group_means(X, np.array([0, 0, 1, 1]), weights=np.array([3.0, 1.0, 1.0, 1.0])).tolist()
    [[1.25], [15.0]]
    """
    X = check_matrix(X)
    labels = check_labels(labels, len(X))
    n_groups = int(labels.max()) + 1
    if weights is not None:
        weights = check_weights(weights, len(X))
        if not (np.bincount(labels, weights, n_groups) > 0).all():
            raise InvalidData("every group needs a record of positive weight; one group has only zeros.")
    means = np.empty((n_groups, X.shape[1]))
    _core.group_means(X, labels, weights, means)
    return means


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
    released: FloatArray = centres[labels]
    return released


def check_weights(weights: FloatArray, n_records: int) -> FloatArray:
    """Check survey weights: one finite number of at least 0 for each record, not all 0."""
    weights = np.ascontiguousarray(weights, dtype=np.float64)
    if weights.shape != (n_records,):
        raise InvalidData(f"weights must hold one number for each of {n_records} records; got shape {weights.shape}.")
    bad = ~(np.isfinite(weights) & (weights >= 0))
    if bad.any():
        raise InvalidData(f"weights must be finite and at least 0; record {int(np.argmax(bad)) + 1} has another value.")
    return weights
