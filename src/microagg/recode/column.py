"""A column on its way through the steps of recoding: numbers, or codes of texts, in memory or on disk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol, Self

import numpy as np

from microagg.base.table import RecodedColumn
from microagg.base.types import FloatArray, IntArray
from microagg.errors import InvalidData

MOST_CATEGORIES = 100_000
"""More categories than this in one column are refused: each is looked at."""


class What(StrEnum):
    """What a column holds."""

    NUMBERS = "numbers"
    DATES = "dates"
    TEXTS = "categories"


@dataclass(frozen=True)
class Holds:
    """What a column holds at a step.

    Attributes
    ----------
    what : What
        Numbers; dates, which are seconds since 1970; or texts, which are codes.
    is_integer : bool
        Whether all numbers are whole.
    texts : tuple of str
        What the codes stand for.
    ordered : bool
        Whether the texts stand in their order.
    is_code : bool
        Whether the numbers stand for something else, such as postcodes.
    """

    what: What
    is_integer: bool = False
    texts: tuple[str, ...] = ()
    ordered: bool = False
    is_code: bool = False


class Numbers(Protocol):
    """Numbers wherever they are, NaN where one is missing; `microagg.io.numbers.SpooledNumbers` are on disk."""

    @property
    def n_present(self) -> int:
        """How many numbers are not missing."""

    def limits(self) -> tuple[float, float] | None:
        """Give the least and the greatest number; None where there is none."""

    def at(self, place: int) -> float:
        """Give the number that has this place in ascending order, from 0."""

    def between(self, low: float, high: float) -> int:
        """Count the numbers between two ends, both of them included."""

    def frequencies(self, most: int) -> tuple[FloatArray, IntArray] | None:
        """Give the different numbers, the first to appear first, and how often each is there; None beyond `most`."""

    def map(self, function: Callable[[FloatArray], FloatArray]) -> Self:
        """Give what a function makes of the numbers."""

    def drop(self) -> None:
        """Forget the numbers."""


class NumbersInMemory:
    """An array of numbers; see `Numbers`."""

    def __init__(self, values: FloatArray) -> None:
        self.values = values

    @property
    def _present(self) -> FloatArray:
        return self.values[~np.isnan(self.values)]

    @property
    def n_present(self) -> int:
        """How many numbers are not missing."""
        return len(self._present)

    def limits(self) -> tuple[float, float] | None:
        """Give the least and the greatest number."""
        there = self._present
        return (float(there.min()), float(there.max())) if len(there) else None

    def at(self, place: int) -> float:
        """Give the number that has this place in ascending order."""
        return float(np.partition(self._present, place)[place])

    def between(self, low: float, high: float) -> int:
        """Count the numbers between two ends."""
        return int(((self.values >= low) & (self.values <= high)).sum())

    def frequencies(self, most: int) -> tuple[FloatArray, IntArray] | None:
        """Give the different numbers and how often each is there."""
        values, first, counts = np.unique(self._present, return_index=True, return_counts=True)
        order = np.argsort(first)
        return None if len(values) > most else (values[order], counts[order].astype(np.int64))

    def map(self, function: Callable[[FloatArray], FloatArray]) -> NumbersInMemory:
        """Give what a function makes of the numbers."""
        return NumbersInMemory(function(self.values))

    def drop(self) -> None:
        """Leave them to Python."""


@dataclass(frozen=True, eq=False)
class SteppedColumn:
    """A column and what it holds."""

    name: str
    holds: Holds
    numbers: Any
    """`Numbers`, in memory or on disk."""

    def frequencies(self) -> tuple[FloatArray, IntArray]:
        """Give the different numbers or codes, the first to appear first, and how many records have each."""
        counted: tuple[FloatArray, IntArray] | None = self.numbers.frequencies(MOST_CATEGORIES)
        if counted is None:
            raise InvalidData(
                f"column {self.name!r} holds more than {MOST_CATEGORIES:,} different values, too many to recode one by "
                "one. Put numbers into bands (bands:10), or leave the column out."
            )
        return counted

    def meta(self, values: FloatArray) -> RecodedColumn:
        """Give the column as a table takes it, with these values."""
        texts = self.holds.texts if self.holds.what is What.TEXTS else None
        return RecodedColumn(values, texts, self.holds.ordered, self.holds.is_integer)
