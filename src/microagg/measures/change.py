"""How far records moved, as sums from which the losses of every release are computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from microagg.base.ranges import columns_within_range
from microagg.base.schema import Kind
from microagg.base.types import FloatArray
from microagg.measures.squared_errors import squared_errors
from microagg.measures.summary import Summary, summarise
from microagg.semantic.attribute import Attribute


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
        numbers = [j for j, attribute in enumerate(attributes) if attribute.kind is Kind.NUMERIC]
        others = [j for j in range(len(attributes)) if j not in numbers]
        squares, spread = np.zeros(len(attributes)), np.zeros(len(attributes))
        squares[others], spread[others] = squared_errors(
            original[:, others], released[:, others], [attributes[j] for j in others]
        )
        summary = summarise(original[:, numbers], released[:, numbers]).standardised() if numbers else None
        if summary is not None:
            squares[numbers], spread[numbers] = summary.squares, summary.spread
        return cls(tuple(names), squares, spread, summary, tuple(names[j] for j in numbers))
