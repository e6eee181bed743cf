"""How far records moved, as sums from which the losses of every release are computed.

A value that is missing (NaN) on both sides did not move. One that is blanked counts as if it were replaced by the mean
of its column: a number by its distance to that, a category by the spread of the column.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from microagg.base.ranges import columns_within_range
from microagg.base.schema import Kind
from microagg.base.types import FloatArray, IntArray
from microagg.measures.squared_errors import squared_errors
from microagg.measures.summary import Summary, summarise
from microagg.semantic.attribute import Attribute
from microagg.semantic.loss import changes, overall

Standardise = Callable[[FloatArray], FloatArray]
"""Brings the values of columns to units in which they can be compared."""


@dataclass(frozen=True, eq=False)
class ChangeSums:
    """What parts of a table tell of how far their records moved: merged, it is that of the whole.

    Attributes
    ----------
    n_records : int
        How many records there are.
    numbers : Summary, optional
        The sums of the columns of numbers, standardised by the original; None where there are none.
    squares : array of float
        The summed squared distances of each column of categories.
    blanked : array of int
        How many categories of each such column are released as missing, and were not.
    """

    n_records: int
    numbers: Summary | None
    squares: FloatArray
    blanked: IntArray

    @classmethod
    def of(
        cls, original: FloatArray, released: FloatArray, attributes: Sequence[Attribute], standardise: Standardise
    ) -> ChangeSums:
        """Take the sums of some records; `standardise` brings all columns to the units of the whole table.

        What is missing is 0 in these units, the mean.
        """
        numbers, others = _by_kind(attributes)
        summary = None
        if numbers:
            sides = standardise(original), standardise(released)
            summary = summarise(*(side[:, numbers] if others else side for side in sides))
        moved = [_moved(original[:, j], released[:, j], attributes[j]) for j in others]
        squares, blanked = np.array([each[0] for each in moved]), np.array([each[1] for each in moved], dtype=np.int64)
        return cls(len(original), summary, squares, blanked)

    def merge(self, other: ChangeSums) -> ChangeSums:
        """Give the sums of both."""
        numbers = None if self.numbers is None or other.numbers is None else self.numbers.merge(other.numbers)
        squares, blanked = self.squares + other.squares, self.blanked + other.blanked
        return ChangeSums(self.n_records + other.n_records, numbers, squares, blanked)


@dataclass(frozen=True, eq=False)
class Change:
    """What was changed, in units of the spread of each column.

    Attributes
    ----------
    names : tuple of str
        The columns, of any kind.
    squares, spread : array of one float for each column
        SSE and SST of each column, by the distance of its kind.
    numbers : Summary, optional
        The sums of the columns of numbers, standardised by the original; None where there are none.
    numeric : tuple of str
        The names of these.
    """

    names: tuple[str, ...]
    squares: FloatArray
    spread: FloatArray
    numbers: Summary | None
    numeric: tuple[str, ...]

    @classmethod
    def of_numbers(cls, summary: Summary, names: Sequence[str] | None = None) -> Change:
        """Give the change of columns of numbers from their sums, which are standardised already.

        >>> X = np.array([[-1.0], [1.0]])
        >>> Change.of_numbers(summarise(X, 0.5 * X), ["age"]).squares.tolist()
        [0.5]
        """
        named = tuple(names) if names is not None else tuple(str(j) for j in range(len(summary.squares)))
        return cls(named, summary.squares, summary.spread, summary, named)

    @classmethod
    def of_sums(
        cls, sums: ChangeSums, attributes: Sequence[Attribute], spreads: Sequence[float], names: Sequence[str]
    ) -> Change:
        """Give the change of a table from the sums of its parts; `spreads` are those of the columns of categories.

        >>> from microagg.semantic.attribute import numeric
        >>> X = np.array([[-1.0], [1.0]])
        >>> parts = [ChangeSums.of(part, 0.5 * part, [numeric()], lambda values: values) for part in (X[:1], X[1:])]
        >>> Change.of_sums(parts[0].merge(parts[1]), [numeric()], [np.nan], ["age"]).squares.tolist()
        [0.5]
        """
        numbers, others = _by_kind(attributes)
        squares, spread = np.zeros(len(attributes)), np.zeros(len(attributes))
        if sums.numbers is not None:
            squares[numbers], spread[numbers] = sums.numbers.squares, sums.numbers.spread
        for summed, blanked, j in zip(sums.squares, sums.blanked, others, strict=True):
            if spreads[j] > 0:
                spread[j] = max(1, sums.n_records - 1)
                # A blank is as far from a value as the common value of all records is on average.
                squares[j] = summed / spreads[j] + blanked * spread[j] / sums.n_records
        return cls(tuple(names), squares, spread, sums.numbers, tuple(names[j] for j in numbers))

    @classmethod
    def of_records(
        cls, original: FloatArray, released: FloatArray, attributes: Sequence[Attribute], names: Sequence[str]
    ) -> Change:
        """Give the change of records of any kinds; columns of numbers are standardised here.

        >>> from microagg.semantic.attribute import nominal, numeric
        >>> X, Y = np.array([[1.0, 0], [3.0, 1]]), np.array([[2.0, 0], [2.0, 0]])
        >>> change = Change.of_records(X, Y, [numeric(), nominal(["f", "m"])], ["age", "sex"])
        >>> change.squares.round(3).tolist(), change.spread.round(3).tolist(), change.numeric
        ([1.0, 1.0], [1.0, 1.0], ('age',))
        """
        original, released = columns_within_range(*at_centre(original, released, attributes))
        numbers, others = _by_kind(attributes)
        squares, spread = np.zeros(len(attributes)), np.zeros(len(attributes))
        squares[others], spread[others] = squared_errors(
            original[:, others], released[:, others], [attributes[j] for j in others]
        )
        summary = summarise(original[:, numbers], released[:, numbers]).standardised() if numbers else None
        if summary is not None:
            squares[numbers], spread[numbers] = summary.squares, summary.spread
        return cls(tuple(names), squares, spread, summary, tuple(names[j] for j in numbers))


def _moved(original: FloatArray, released: FloatArray, attribute: Attribute) -> tuple[float, int]:
    """Sum the squared distances of a column of categories, and count what was blanked."""
    known = ~(np.isnan(original) | np.isnan(released))
    if known.all():
        moved, blanked = changes(original, released, attribute), 0
    else:
        moved = changes(original[known], released[known], attribute)
        blanked = int((~np.isnan(original) & np.isnan(released)).sum())
    return float(moved @ moved), blanked


def at_centre(
    original: FloatArray, released: FloatArray, attributes: Sequence[Attribute]
) -> tuple[FloatArray, FloatArray]:
    """Give records in which the common value of its column stands for what is missing, on both sides.

    >>> from microagg.semantic.attribute import numeric
    >>> sides = at_centre(np.array([[1.0], [5.0], [np.nan]]), np.array([[2.0], [np.nan], [np.nan]]), [numeric()])
    >>> [side.ravel().tolist() for side in sides]
    [[1.0, 5.0, 3.0], [2.0, 3.0, 3.0]]
    """
    gaps = np.isnan(original), np.isnan(released)
    lacking = np.flatnonzero(gaps[0].any(axis=0) | gaps[1].any(axis=0)).tolist()
    if not lacking:
        return original, released
    sides = original.copy(), released.copy()
    for j in lacking:
        known = original[~gaps[0][:, j], j]
        centre = overall(known, attributes[j]) if len(known) else 0.0
        for side, gap in zip(sides, gaps, strict=True):
            side[gap[:, j], j] = centre
    return sides


def _by_kind(attributes: Sequence[Attribute]) -> tuple[list[int], list[int]]:
    """Give the places of the columns of numbers, and of the others."""
    is_number = [attribute.kind is Kind.NUMERIC for attribute in attributes]
    return [j for j, yes in enumerate(is_number) if yes], [j for j, yes in enumerate(is_number) if not yes]
