"""Measures of utility that every release has, computed from sums that can be merged from parts of a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from microagg.base.types import FloatArray
from microagg.measures import Change, Finding, Measure, Summary

NUMBERS = "numbers"
"""What measures of the sums of numbers need."""


def carried(*, of_change: Callable[[Change], Finding | None], **about: Any) -> Measure:
    """Give a measure that follows from a `Change`."""
    return Measure(function=lambda case: of_change(case.change), of_change=of_change, **about)


def of_numbers(
    overall: Callable[[Summary], float], by_column: Callable[[Summary], FloatArray] | None = None
) -> Callable[[Change], Finding | None]:
    """Give a measure of columns of numbers: what it is overall, and of each column where that exists.

    >>> import numpy as np
    >>> from microagg.measures import summarise
    >>> X = np.array([[1.0], [3.0]])
    >>> of_numbers(lambda summary: float(summary.squares.sum()))(Change.of_numbers(summarise(X, X + 1))).value
    2.0
    """

    def function(change: Change) -> Finding | None:
        if change.numbers is None:
            return None
        columns = None if by_column is None else by_name(change.numeric, by_column(change.numbers))
        return Finding(overall(change.numbers), columns=columns)

    return function


def by_name(names: Sequence[str], values: FloatArray) -> dict[str, float]:
    """Give the value of each column by its name."""
    return dict(zip(names, values.tolist(), strict=True))
