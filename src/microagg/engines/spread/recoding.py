"""Steps of recoding on spread columns: fitted by the driver, to all values, and done again wherever a part is.

A step asks a column for few things (its limits, a quantile, how often values are there). What the driver was told is
kept with the step, so that a worker fits it alike without seeing more than its part.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from microagg.base.types import FloatArray, IntArray
from microagg.engines.spread.arrow import Values, both_distinct, coded, distinct, floats
from microagg.engines.spread.order import at_place
from microagg.engines.spread.parts import ROW
from microagg.recode.column import Holds, SteppedColumn, What
from microagg.recode.run import StepTally
from microagg.recode.steps import read_step

Fold = Callable[[Callable[[pa.Table], Any], Callable[[Any, Any], Any]], Any]
"""Goes through the parts of one column."""


class Told:
    """What was told of the numbers of a column, to be told again."""

    def __init__(self, answers: Mapping[tuple[Any, ...], Any]) -> None:
        self.answers = answers

    @property
    def n_present(self) -> int:
        """How many numbers are not missing."""
        n_present: int = self.answers["n_present",]
        return n_present

    def limits(self) -> tuple[float, float] | None:
        """Give the least and the greatest number."""
        limits: tuple[float, float] | None = self.answers["limits",]
        return limits

    def at(self, place: int) -> float:
        """Give the number that has this place."""
        return float(self.answers["at", place])

    def between(self, low: float, high: float) -> int:
        """Count the numbers between two ends."""
        return int(self.answers["between", low, high])

    def frequencies(self, most: int) -> tuple[FloatArray, IntArray] | None:
        """Give the different numbers and how often each is there."""
        counted: tuple[FloatArray, IntArray] | None = self.answers["frequencies", most]
        return counted


@dataclass(frozen=True, eq=False)
class SpreadStep:
    """A step as it was fitted: its text, what the column held before, and what was told of it."""

    name: str
    text: str
    k: int
    holds: Holds
    answers: Mapping[tuple[Any, ...], Any]

    def column(self) -> SteppedColumn:
        """Give the column as it was before the step."""
        return SteppedColumn(self.name, self.holds, Told(self.answers))

    def apply(self, values: FloatArray) -> FloatArray:
        """Do the step with some values."""
        return read_step(self.text)(self.column(), self.k).apply(values)

    def tally(self, values: FloatArray) -> tuple[float, ...]:
        """Say what the step does with some values."""
        tally = StepTally(self.column(), read_step(self.text)(self.column(), self.k), self.text, self.k)
        tally(values)
        return tally.sums


@dataclass(frozen=True, eq=False)
class ColumnRecoding:
    """A column on its way through steps.

    Attributes
    ----------
    code_of : mapping, optional
        The codes of its values, where it holds neither numbers nor dates.
    steps : tuple of SpreadStep
        What is done.
    holds : Holds
        What it holds in the end.
    stored : pa.DataType, optional
        The type of what stands in its place; None before that is known.
    """

    code_of: Mapping[Any, float] | None
    steps: tuple[SpreadStep, ...]
    holds: Holds
    stored: pa.DataType | None = None

    def numbers(self, column: pa.ChunkedArray) -> FloatArray:
        """Give the numbers, or codes of texts, after the steps."""
        values = floats(column) if self.code_of is None else coded(column, self.code_of)
        for step in self.steps:
            values = step.apply(values)
        return values

    def column(self, column: pa.ChunkedArray) -> pa.Array:
        """Give what stands in the place of the column."""
        values = self.numbers(column)
        gaps = np.isnan(values)
        known = np.where(gaps, 0.0, values)
        if self.holds.what is What.TEXTS:
            named = pa.array(self.holds.texts or ("",), pa.string())
            return named.take(pa.array(known.astype(np.int64), mask=gaps))
        if self.holds.what is What.DATES:
            return column
        numbers = known.astype(np.int64) if pa.types.is_integer(self.stored) else known
        return pa.array(numbers, mask=gaps).cast(self.stored, safe=False)


class SpreadNumbers:
    """The numbers of a spread column; see `microagg.recode.column.Numbers`.

    Parameters
    ----------
    fold : callable
        Goes through the parts of the column.
    name : str
        The column.
    recoding : ColumnRecoding
        What was done with it so far.
    """

    def __init__(self, fold: Fold, name: str, recoding: ColumnRecoding) -> None:
        self._fold, self._name, self.recoding = fold, name, recoding
        self._answers: dict[tuple[Any, ...], Any] = {}

    def _told(self, question: tuple[Any, ...], answer: Callable[[], Any]) -> Any:
        if question not in self._answers:
            self._answers[question] = answer()
        return self._answers[question]

    def _sum(self, task: Callable[[FloatArray], Any], merge: Callable[[Any, Any], Any]) -> Any:
        return self._fold(partial(_of_numbers, recoding=self.recoding, task=task), merge)

    @property
    def n_present(self) -> int:
        """How many numbers are not missing."""
        count: int = self._told(("n_present",), lambda: self._sum(_count_present, _add))
        return count

    def limits(self) -> tuple[float, float] | None:
        """Give the least and the greatest number; None where there is none."""
        ends: tuple[float, float] | None = self._told(("limits",), lambda: self._sum(_limits, _wider))
        return ends

    def at(self, place: int) -> float:
        """Give the number that has this place in ascending order, from 0."""
        return float(self._told(("at", place), lambda: at_place(self._sum, place)))

    def between(self, low: float, high: float) -> int:
        """Count the numbers between two ends, both of them included."""
        return int(self._told(("between", low, high), lambda: self._sum(partial(_between, low=low, high=high), _add)))

    def frequencies(self, most: int) -> tuple[FloatArray, IntArray] | None:
        """Give the different numbers, the first to appear first, and how often each is there; None beyond `most`."""

        def count() -> tuple[FloatArray, IntArray] | None:
            task = partial(_frequencies, recoding=self.recoding, most=most)
            counted = self._fold(task, partial(both_distinct, most=most))
            if counted is None:
                return None
            ordered = sorted(counted.items(), key=lambda item: item[1][0])
            values = np.array([value for value, _ in ordered], dtype=np.float64)
            return values, np.array([counts for _, (_, counts) in ordered], dtype=np.int64)

        counted: tuple[FloatArray, IntArray] | None = self._told(("frequencies", most), count)
        return counted

    def map(self, tally: StepTally) -> SpreadNumbers:
        """Do a step, as it was fitted."""
        step = SpreadStep(self._name, tally.step, tally.k, tally.column.holds, self._answers)
        tally.add(self._sum(step.tally, _add_all))
        done = ColumnRecoding(self.recoding.code_of, (*self.recoding.steps, step), tally.fitted.holds)
        return SpreadNumbers(self._fold, self._name, done)

    def drop(self) -> None:
        """Nothing lies anywhere."""


def stored_type(holds: Holds, before: pa.DataType, limits: tuple[float, float] | None) -> pa.DataType:
    """Give the type of what stands in the place of a column: that of the column, where it can hold its numbers."""
    if holds.what is What.TEXTS:
        return pa.string()
    if holds.what is What.DATES:
        return before
    for kind in (before, pa.int64()) if holds.is_integer else ():
        if pa.types.is_integer(kind):
            ends = np.iinfo(np.dtype(kind.to_pandas_dtype()))
            if limits is None or (ends.min <= limits[0] and limits[1] < ends.max):
                return kind
    return pa.float32() if pa.types.is_float32(before) else pa.float64()


def _of_numbers(table: pa.Table, *, recoding: ColumnRecoding, task: Callable[[FloatArray], Any]) -> Any:
    return task(recoding.numbers(table.column(0)))


def _count_present(values: FloatArray) -> int:
    return int((~np.isnan(values)).sum())


def _add(one: Any, other: Any) -> Any:
    return one + other


def _add_all(one: tuple[float, ...], other: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(a + b for a, b in zip(one, other, strict=True))


def _limits(values: FloatArray) -> tuple[float, float] | None:
    there = values[~np.isnan(values)]
    return (float(there.min()), float(there.max())) if len(there) else None


def _wider(one: tuple[float, float] | None, other: tuple[float, float] | None) -> tuple[float, float] | None:
    if one is None or other is None:
        return other if one is None else one
    return min(one[0], other[0]), max(one[1], other[1])


def _between(values: FloatArray, *, low: float, high: float) -> int:
    return int(((values >= low) & (values <= high)).sum())


def _frequencies(table: pa.Table, *, recoding: ColumnRecoding, most: int) -> Values | None:
    numbers = pa.chunked_array([pa.array(recoding.numbers(table.column(0)))])
    return distinct(numbers, table.column(ROW).to_numpy(), most)
