"""Numbers of groups, and sums over them: what aggregating, measuring and several methods stand on."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from microagg import _core
from microagg.arrays import FloatArray, IntArray, check_labels, check_matrix
from microagg.errors import InvalidData


def equivalence_classes(keys: npt.NDArray[np.int64]) -> IntArray:
    """Number the classes of equal rows in order of first appearance; no records have no classes.

    >>> equivalence_classes(np.array([[1, 2], [1, 3], [1, 2]])).tolist()
    [0, 1, 0]
    """
    keys = np.ascontiguousarray(keys, dtype=np.int64)
    if keys.ndim != 2:
        raise InvalidData(f"keys must be a matrix, records x attributes; got shape {keys.shape}.")
    classes = np.empty(keys.shape[0], dtype=np.int64)
    _core.equal_rows(keys, classes)
    return classes


def in_order(labels: IntArray) -> IntArray:
    """Number groups 0..G-1 in order of first appearance, whatever whole numbers they had.

    >>> in_order(np.array([7, 7, 2, 9, 2])).tolist()
    [0, 0, 1, 2, 1]
    """
    return equivalence_classes(labels[:, None])


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


def squared_error(X: FloatArray, labels: IntArray) -> float:
    """Sum the squared distances of the records to the mean of their group.

    >>> squared_error(np.array([[1.0], [3.0], [7.0], [9.0]]), np.array([0, 0, 1, 1]))
    4.0
    """
    gaps = X - group_means(X, labels)[labels]
    return float(np.einsum("ij,ij->", gaps, gaps))


def check_weights(weights: FloatArray, n_records: int) -> FloatArray:
    """Check survey weights: one finite number of at least 0 for each record, not all 0."""
    weights = np.ascontiguousarray(weights, dtype=np.float64)
    if weights.shape != (n_records,):
        raise InvalidData(f"weights must hold one number for each of {n_records} records; got shape {weights.shape}.")
    bad = ~(np.isfinite(weights) & (weights >= 0))
    if bad.any():
        raise InvalidData(f"weights must be finite and at least 0; record {int(np.argmax(bad)) + 1} has another value.")
    return weights
