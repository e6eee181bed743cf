"""How far categories moved: squared errors of columns of any kinds, and the loss of the literature on categories."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from microagg.base.ranges import in_units, scaled
from microagg.base.schema import Kind
from microagg.base.types import FloatArray, IntArray
from microagg.semantic.attribute import Attribute
from microagg.semantic.centroid import common_value


def changes(original: FloatArray, released: FloatArray, attribute: Attribute) -> FloatArray:
    """Give the distance between each value and what was released for it.

    >>> from microagg.semantic.attribute import ordinal
    >>> changes(np.array([0.0, 2.0]), np.array([1.0, 2.0]), ordinal(["low", "middle", "high"])).tolist()
    [0.5, 0.0]
    """
    if attribute.kind is Kind.NUMERIC:
        return np.abs(original - released)
    if attribute.kind is Kind.ORDINAL:
        ranks: FloatArray = np.abs(original - released) / max(1, attribute.n_values - 1)
        return ranks
    if attribute.kind is Kind.HIERARCHY and attribute.distance is not None:
        apart: FloatArray = attribute.distance[original.astype(np.int64), released.astype(np.int64)]
        return apart
    return np.where(original != released, 1.0, 0.0)


def overall(column: FloatArray, attribute: Attribute) -> float:
    """Give the common value of all records: mean, median, mode or semantic centroid."""
    if attribute.kind is Kind.NUMERIC:
        return float(column.mean())
    return float(common_value(np.bincount(column.astype(np.int64)), attribute))


def total(column: FloatArray, attribute: Attribute) -> float:
    """Give the squared distances of all records to their one common value, summed: SST of a column."""
    if column.max() == column.min():
        return 0.0
    if attribute.kind is not Kind.NUMERIC:
        return total_of_counts(np.bincount(column.astype(np.int64)), attribute)
    column, exponent = scaled(column)
    middle = np.full(len(column), overall(column, attribute))
    return in_units(float((changes(column, middle, attribute) ** 2).sum()), 2 * exponent, "the spread of a column")


def total_of_counts(counts: IntArray, attribute: Attribute) -> float:
    """Give the SST of a column of categories, of which so many records have each value.

    >>> from microagg.semantic.attribute import nominal
    >>> total_of_counts(np.array([2, 1]), nominal(["f", "m"]))
    1.0
    """
    values = np.arange(len(counts), dtype=np.float64)
    middle = np.full(len(counts), float(common_value(counts, attribute)))
    return float(counts @ changes(values, middle, attribute) ** 2)


def spread(column: FloatArray, attribute: Attribute) -> float:
    """Give the SST of a column per record, less one: the variance of numbers.

    >>> from microagg.semantic.attribute import numeric
    >>> spread(np.array([1.0, 2.0, 3.0]), numeric())
    1.0
    """
    return total(column, attribute) / max(1, len(column) - 1)


def semantic_loss(original: FloatArray, released: FloatArray, attributes: Sequence[Attribute]) -> float:
    """Give the loss of categories in percent: 100 * SSE / SST, of the mean distance over columns [1]_.

    The distance of a record is the mean of its distances in all columns; SSE sums its square between the original and
    the released records, SST between the original ones and the centroid of all.

    References
    ----------
    .. [1] S. Martinez, D. Sanchez, A. Valls. Semantic adaptive microaggregation of categorical microdata. Computers &
       Security 31 (2012) 653-672.

    Examples
    --------
    >>> from microagg.semantic.attribute import nominal
    >>> colours = [nominal(["red", "green"])]
    >>> semantic_loss(np.array([[0.0], [0.0], [1.0]]), np.array([[0.0], [0.0], [1.0]]), colours)
    0.0
    """
    middle = np.array([overall(column, attribute) for column, attribute in zip(original.T, attributes, strict=True)])
    everybody = np.broadcast_to(middle, original.shape)
    sst = _mean_squares(original, everybody, attributes)
    return 100.0 * _mean_squares(original, released, attributes) / sst if sst > 0 else 0.0


def _mean_squares(original: FloatArray, released: FloatArray, attributes: Sequence[Attribute]) -> float:
    summed = np.zeros(len(original))
    for j, attribute in enumerate(attributes):
        summed += changes(original[:, j], released[:, j], attribute)
    return float(((summed / len(attributes)) ** 2).sum())
