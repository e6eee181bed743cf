"""Group numbers and sums over groups, for aggregation, measures and several methods."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from microagg import _core
from microagg.base.checks import check_labels, check_matrix
from microagg.base.ranges import in_units, scaled
from microagg.base.types import BoolArray, FloatArray, IntArray
from microagg.errors import InvalidData

LARGEST_SHARE = 0.5
"""How much of the weight of its group one record may have at the most: the (1, 50%) dominance rule."""
HEADROOM = 64
"""By which power of two numbers are lowered where their sums would be beyond the largest number."""
_MINUS_ZERO = np.iinfo(np.int64).min


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


def keys_of(values: FloatArray) -> IntArray:
    """Give whole numbers that are equal where the floats are equal: 0 equals -0, and missing equals missing.

    They are the bits of the floats; nothing is copied, and nothing can be written, where those need no tidying.

    >>> keys_of(np.array([0.0, -0.0, 1.5])).tolist() == keys_of(np.array([0.0, 0.0, 1.5])).tolist()
    True
    """
    tidy = np.ascontiguousarray(values, dtype=np.float64)
    with np.errstate(all="ignore"):
        some_missing = np.isnan(tidy.sum())  # infinities of either sign may add up to the same
    if some_missing or (tidy.view(np.int64) == _MINUS_ZERO).any():
        tidy = tidy + 0.0
        tidy[np.isnan(tidy)] = np.nan
    keys = tidy.view(np.int64)
    keys.flags.writeable = False
    return keys


def class_sizes(keys: npt.NDArray[np.int64]) -> IntArray:
    """Give for each record the number of records, itself included, whose row of keys is the same.

    >>> class_sizes(np.array([[1, 2], [1, 3], [1, 2]])).tolist()
    [2, 1, 2]
    """
    classes = equivalence_classes(keys)
    sizes: IntArray = np.bincount(classes)[classes]
    return sizes


def units_by_class(classes: IntArray, units: IntArray) -> IntArray:
    """Count the different units in each class.

    >>> units_by_class(np.array([0, 0, 1, 1]), np.array([5, 5, 5, 7])).tolist()
    [1, 2]
    """
    pairs = np.unique(np.column_stack([classes, units]), axis=0) if len(classes) else np.empty((0, 2), dtype=np.int64)
    counts: IntArray = np.bincount(pairs[:, 0], minlength=int(classes.max(initial=-1)) + 1)
    return counts


def in_order(labels: IntArray) -> IntArray:
    """Number groups 0..G-1 in order of first appearance, whatever whole numbers they had.

    >>> in_order(np.array([7, 7, 2, 9, 2])).tolist()
    [0, 0, 1, 2, 1]
    """
    return equivalence_classes(labels[:, None])


def in_order_by_column(labels: IntArray) -> IntArray:
    """Number groups in order of first appearance, as `in_order`; of each column where labels have several.

    >>> in_order_by_column(np.array([4, 2, 4])).tolist(), in_order_by_column(np.array([[1, 0], [0, 0]])).tolist()
    ([0, 1, 0], [[0, 0], [1, 0]])
    """
    if labels.ndim == 1:
        return in_order(labels)
    return np.column_stack([in_order(column) for column in labels.T])


def group_means(X: FloatArray, labels: IntArray, weights: FloatArray | None = None) -> FloatArray:
    """Give the mean of each group, weighted where weights are given.

    A column that is constant in a group keeps its exact value. Weights are bounded (`bounded_weights`): no record has
    more than half of the weight of its group.

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
    >>> group_means(X, np.array([0, 0, 0, 0]), weights=np.array([2.0, 2.0, 0.0, 1.0])).tolist()
    [[5.2]]
    >>> group_means(X, np.array([0, 0, 1, 1]), weights=np.array([3.0, 1.0, 1.0, 1.0])).tolist()
    [[1.5], [15.0]]
    """
    X = check_matrix(X)
    labels = check_labels(labels, len(X))
    n_groups = int(labels.max()) + 1
    if weights is not None:
        weights = bounded_weights(labels, weights)
    means = np.empty((n_groups, X.shape[1]))
    _core.group_means(X, labels, weights, means)
    beyond = ~np.isfinite(means)
    if beyond.any():
        # Sums of gaps were beyond the largest number; means never are.
        lowered = np.empty_like(means)
        _core.group_means(np.ldexp(X, -HEADROOM), labels, weights, lowered)
        largest = np.ldexp(np.finfo(np.float64).max, -HEADROOM)
        means[beyond] = np.ldexp(np.clip(lowered[beyond], -largest, largest), HEADROOM)
    return means


def squared_error(X: FloatArray, labels: IntArray) -> float:
    """Sum the squared distances of the records to the mean of their group.

    >>> squared_error(np.array([[1.0], [3.0], [7.0], [9.0]]), np.array([0, 0, 1, 1]))
    4.0
    """
    X, exponent = scaled(check_matrix(X))
    gaps = X - group_means(X, labels)[labels]
    return in_units(float(np.einsum("ij,ij->", gaps, gaps)), 2 * exponent, "the sum of squared errors")


def bounded_weights(labels: IntArray, weights: FloatArray) -> FloatArray:
    """Give weights of which no record has more than `LARGEST_SHARE` of its group: where one has, all count equally.

    A common value in which one record weighs most is that record's value, nearly or exactly, and k-anonymity would
    promise nothing. This is the dominance rule of tables [1]_, (n, k) = (1, 50%), for the cells that groups are. Equal
    weights also stand where all weights of a group are 0. All other weights are multiplied by one power of two in each
    group, so that no sum of them can overflow or vanish.

    References
    ----------
    .. [1] A. Hundepool, J. Domingo-Ferrer, L. Franconi, S. Giessing, E. Schulte Nordholt, K. Spicer, P.-P. de Wolf.
       Statistical Disclosure Control. Wiley (2012), section 4.2.

    Examples
    --------
    >>> bounded_weights(np.array([0, 0, 0, 1, 1, 1]), np.array([4.0, 1.0, 1.0, 0.5, 0.25, 0.25])).tolist()
    [1.0, 1.0, 1.0, 0.5, 0.25, 0.25]
    """
    dominated, normed = _shares(labels, weights)
    return np.where(dominated[labels], 1.0, normed)


def dominated_groups(labels: IntArray, weights: FloatArray) -> BoolArray:
    """Say of each group whether its records count equally, because one of them would have too large a share.

    >>> dominated_groups(np.array([0, 0, 1, 1]), np.array([2.0, 1.0, 1.0, 1.0])).tolist()
    [True, False]
    """
    return _shares(labels, weights)[0]


def _shares(labels: IntArray, weights: FloatArray) -> tuple[BoolArray, FloatArray]:
    """Which groups are dominated, and all weights, those of each group multiplied by one power of two."""
    weights = check_weights(weights, len(labels))
    n_groups = int(labels.max()) + 1
    largest = np.zeros(n_groups)
    np.maximum.at(largest, labels, weights)
    exponents = np.frexp(largest)[1]
    normed: FloatArray = np.ldexp(weights, -exponents[labels])
    total = np.bincount(labels, normed, n_groups)
    dominated: BoolArray = np.ldexp(largest, -exponents) > LARGEST_SHARE * total
    return dominated | (largest == 0.0), normed


def check_weights(weights: FloatArray, n_records: int) -> FloatArray:
    """Check survey weights: one finite number of at least 0 for each record."""
    weights = np.ascontiguousarray(weights, dtype=np.float64)
    if weights.shape != (n_records,):
        raise InvalidData(f"weights must hold one number for each of {n_records} records; got shape {weights.shape}.")
    bad = ~(np.isfinite(weights) & (weights >= 0))
    if bad.any():
        raise InvalidData(f"weights must be finite and at least 0; record {int(np.argmax(bad)) + 1} has another value.")
    return weights
