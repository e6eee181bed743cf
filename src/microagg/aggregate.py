"""One value for a whole group: mean or median of numbers, mode, median or semantic centroid of categories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from microagg.base.checks import check_labels, check_matrix
from microagg.base.groups import dominated_groups, group_means
from microagg.base.schema import Kind
from microagg.base.types import FloatArray, IntArray
from microagg.errors import InvalidData, InvalidOption
from microagg.semantic.attribute import Attribute
from microagg.semantic.centroid import group_centroids

AGGREGATES = ("mean", "median")
MOST_DIGITS = 300
"""To so many digits, before or after the point, a column can be rounded."""


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
        with np.errstate(over="ignore"):
            middle = low + (high - low) / 2
        medians[:, j] = np.where(np.isfinite(middle), middle, low / 2 + high / 2)
    return medians


def round_values(values: FloatArray, digits: int | None) -> FloatArray:
    """Round to so many digits, to tens and hundreds where they are negative; None leaves the values as they are.

    A number so large that it has no such digits stays as it is.

    >>> round_values(np.array([1234.5678, 1e300]), 2).tolist(), round_values(np.array([1234.5678]), -2).tolist()
    ([1234.57, 1e+300], [1200.0])
    """
    if digits is None:
        return values
    with np.errstate(over="ignore", invalid="ignore"):
        rounded = np.round(values, digits) + 0.0
    return np.where(np.isfinite(rounded), rounded, values)


@dataclass(frozen=True)
class Rounded:
    """How the values of a column are rounded: to digits, or to multiples of a unit.

    >>> Rounded(1).apply(np.array([1.25, 7.0])).tolist(), Rounded(unit=60.0).apply(np.array([89.0])).tolist()
    ([1.2, 7.0], [60.0])
    """

    digits: int = 0
    unit: float | None = None

    def apply(self, values: FloatArray) -> FloatArray:
        """Round."""
        if self.unit is None:
            return round_values(values, self.digits)
        multiples: FloatArray = np.round(values / self.unit) * self.unit
        return multiples


def check_digits(name: str, digits: object) -> int:
    """Give the number of digits that a column is rounded to, if it can be.

    >>> check_digits("age", -1)
    -1
    """
    whole = isinstance(digits, int | np.integer) and not isinstance(digits, bool)
    if not whole or not -MOST_DIGITS <= digits <= MOST_DIGITS:  # type: ignore[operator]
        raise InvalidOption(
            f"round: the digits of column {name!r} must be a whole number from -{MOST_DIGITS} to {MOST_DIGITS}; "
            f"got {digits!r}."
        )
    return int(digits)  # type: ignore[call-overload,no-any-return]


def check_finite(Y: FloatArray, names: Sequence[str], *, blanks: bool = False) -> None:
    """Refuse common values that are not finite numbers: nothing that anybody could use, and nothing to count by.

    Where there may be blanks, NaN stands for them.

    >>> check_finite(np.array([[1.0]]), ["age"])
    """
    bad = ~np.isfinite(Y)
    if blanks:
        bad &= ~np.isnan(Y)
    if bad.any():
        name = names[int(np.argmax(bad.any(axis=0)))]
        raise InvalidData(
            f"the released value of column {name!r} is not a finite number, so nothing is released. Give the column "
            "in other units, or leave out the rounding or the weights."
        )


def count_dominated(labels: IntArray, weights: FloatArray) -> tuple[int, int]:
    """Count the groups, and their records, that count equally because one record had too large a share of the weight.

    Labels of shape (n, m) group each column on its own.

    >>> count_dominated(np.array([0, 0, 1, 1]), np.array([2.0, 1.0, 1.0, 1.0]))
    (1, 2)
    """
    columns = labels[:, None] if labels.ndim == 1 else labels
    n_groups, equal = 0, np.zeros(len(labels), dtype=np.bool_)
    for column in columns.T:
        dominated = dominated_groups(column, weights)
        n_groups += int(dominated.sum())
        equal |= dominated[column]
    return n_groups, int(equal.sum())


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


def agreed_values(X: FloatArray, labels: IntArray) -> FloatArray:
    """Give every record the values on which its whole group agrees, and a blank, NaN, where its records differ.

    >>> agreed_values(np.array([[1.0, 5.0], [1.0, 6.0], [2.0, 7.0]]), np.array([0, 0, 1])).tolist()
    [[1.0, nan], [1.0, nan], [2.0, 7.0]]
    """
    order = np.argsort(labels, kind="stable")
    starts = np.flatnonzero(np.diff(labels[order], prepend=-1))
    lowest, highest = (extreme.reduceat(X[order], starts, axis=0) for extreme in (np.minimum, np.maximum))
    values = np.where(lowest == highest, lowest, np.nan) + 0.0
    agreed: FloatArray = values[labels]
    return agreed


def common_values(
    X: FloatArray,
    labels: IntArray,
    attributes: Sequence[Attribute],
    *,
    aggregate: str = "mean",
    centroid: str = "semantic",
    weights: FloatArray | None = None,
) -> FloatArray:
    """Give every record the common values of its group: numbers as `release_values`, categories by their centroid.

    >>> from microagg.semantic.attribute import nominal, numeric
    >>> X, labels = np.array([[1.0, 0], [3.0, 1], [8.0, 1]]), np.array([0, 0, 0])
    >>> common_values(X, labels, [numeric(), nominal(["f", "m"])])[0].tolist()
    [4.0, 1.0]
    """
    if all(attribute.kind is Kind.NUMERIC for attribute in attributes):
        return release_values(X, labels, aggregate=aggregate, weights=weights)
    Y = np.empty_like(X)
    for j, attribute in enumerate(attributes):
        if attribute.kind is Kind.NUMERIC:
            Y[:, [j]] = release_values(X[:, [j]], labels, aggregate=aggregate, weights=weights)
        else:
            centres = group_centroids(X[:, j].astype(np.int64), labels, attribute, weights=weights, centroid=centroid)
            Y[:, j] = centres[labels]
    return Y
