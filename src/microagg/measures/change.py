"""How far records moved, as sums from which the losses of every release are computed."""

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
from microagg.semantic.loss import changes

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
        The summed squared distances of each column of categories, without those of blanks.
    blanks : array of int
        How many values of each column are left blank.
    """

    n_records: int
    numbers: Summary | None
    squares: FloatArray
    blanks: IntArray

    @classmethod
    def of(
        cls, original: FloatArray, released: FloatArray, attributes: Sequence[Attribute], standardise: Standardise
    ) -> ChangeSums:
        """Take the sums of some records; `standardise` brings all columns to the units of the whole table.

        A blank, NaN, counts as if the mean of the column stood there.
        """
        numbers, others = _by_kind(attributes)
        blank = np.isnan(released)
        blanks = np.count_nonzero(blank, axis=0).astype(np.int64)
        summary = None
        if numbers:
            after = standardise(released)
            sides = standardise(original), np.where(blank, 0.0, after) if blanks.any() else after
            summary = summarise(*(side[:, numbers] if others else side for side in sides))
        moved = [
            changes(original[known, j], released[known, j], attributes[j])
            for j, known in ((j, ~blank[:, j] if blanks[j] else slice(None)) for j in others)
        ]
        return cls(len(original), summary, np.array([float(column @ column) for column in moved]), blanks)

    def merge(self, other: ChangeSums) -> ChangeSums:
        """Give the sums of both."""
        numbers = None if self.numbers is None or other.numbers is None else self.numbers.merge(other.numbers)
        return ChangeSums(
            self.n_records + other.n_records, numbers, self.squares + other.squares, self.blanks + other.blanks
        )


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
        for summed, j in zip(sums.squares, others, strict=True):
            if spreads[j] > 0:
                spread[j] = max(1, sums.n_records - 1)
                # A blank is as far from a value as the common value of all records is on average.
                squares[j] = summed / spreads[j] + sums.blanks[j] * spread[j] / sums.n_records
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
        original, released = columns_within_range(original, released)
        numbers, others = _by_kind(attributes)
        squares, spread = np.zeros(len(attributes)), np.zeros(len(attributes))
        squares[others], spread[others] = squared_errors(
            original[:, others], released[:, others], [attributes[j] for j in others]
        )
        summary = summarise(original[:, numbers], released[:, numbers]).standardised() if numbers else None
        if summary is not None:
            squares[numbers], spread[numbers] = summary.squares, summary.spread
        return cls(tuple(names), squares, spread, summary, tuple(names[j] for j in numbers))


def _by_kind(attributes: Sequence[Attribute]) -> tuple[list[int], list[int]]:
    """Give the places of the columns of numbers, and of the others."""
    is_number = [attribute.kind is Kind.NUMERIC for attribute in attributes]
    return [j for j, yes in enumerate(is_number) if yes], [j for j, yes in enumerate(is_number) if not yes]
