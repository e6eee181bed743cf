"""The columns of a table, recoded step by step, and what each step did."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from microagg.base.schema import Kind, Storage, no_such_column
from microagg.base.table import Table
from microagg.base.types import FloatArray
from microagg.errors import InvalidData, InvalidOption
from microagg.io import DuckTable
from microagg.io.numbers import spooled_codes, spooled_numbers
from microagg.io.shared import SharedTable
from microagg.prepare.check import TableLook
from microagg.prepare.kinds import text_of
from microagg.recode.column import MOST_CATEGORIES, Holds, NumbersInMemory, SteppedColumn, What
from microagg.recode.step import Fitted
from microagg.recode.steps import read_step

Steps = Mapping[str, Sequence[str]]
"""The steps of each column, in their order."""


@dataclass(frozen=True)
class Outcome:
    """What a step did, exactly: what may be told of it is the gate's to say.

    Attributes
    ----------
    column, step : str
        The column, and the step as it is written.
    words : str
        What was done; "{share}" stands for the values that changed.
    words_of_few : str
        The same without what is known from the data, such as a limit by quantile; "" where that is the same.
    changed, present : int
        How many values changed, of how many.
    lost : float, optional
        Where numbers stayed numbers, the loss of the step alone: 100 * SSE / SST, in percent.
    """

    column: str
    step: str
    words: str
    words_of_few: str
    changed: int
    present: int
    lost: float | None


_RECODED: WeakKeyDictionary[SharedTable, dict[object, tuple[Table, tuple[Outcome, ...]]]] = WeakKeyDictionary()
_LOCK = threading.Lock()


def recode_table(
    table: Table, steps: Steps, k: int, kinds: Mapping[str, Any] | None = None
) -> tuple[Table, tuple[Outcome, ...]]:
    """Recode columns of a table in memory.

    Parameters
    ----------
    table : Table
        From `microagg.io`.
    steps : mapping of str to sequence of str
        The steps of each column.
    k : int
        Limits by quantile are such that at least k records share them.
    kinds : mapping, optional
        What the user says that columns are: numbers that are said to be categories are codes.

    Returns
    -------
    Table
        With the recoded columns in their old places.
    tuple of Outcome
        What each step did.
    """
    if not steps:
        return table, ()
    check_columns(steps, table.names)
    if not isinstance(table, SharedTable):
        return _recode(table, steps, k, kinds or {})
    # Many plans recode a table that is shared: it is done once for each choice of steps.
    asked = (k, tuple((name, tuple(each)) for name, each in steps.items()), tuple(_codes_said(steps, kinds or {})))
    with _LOCK:
        done = _RECODED.setdefault(table, {})
        if asked not in done:
            done[asked] = _recode(table, steps, k, kinds or {})
        return done[asked]


def _recode(table: Table, steps: Steps, k: int, kinds: Mapping[str, Any]) -> tuple[Table, tuple[Outcome, ...]]:
    columns, outcomes = step_columns(table, steps, k, kinds, partial(_in_memory, table))
    return table.recoded({name: column.meta(column.numbers.values) for name, column in columns.items()}), outcomes


def recode_spooled(
    table: DuckTable, steps: Steps, k: int, kinds: Mapping[str, Any], chunk: int
) -> tuple[DuckTable, tuple[Outcome, ...]]:
    """Recode columns of a table on disk; `chunk` records at a time are in memory. See `recode_table`."""
    if not steps:
        return table, ()
    check_columns(steps, table.names)
    columns, outcomes = step_columns(table, steps, k, kinds, partial(_on_disk, table, chunk=chunk))
    nothing = np.empty(0)
    relations = {name: column.numbers.relation for name, column in columns.items()}
    recoded = table.attached({name: column.meta(nothing) for name, column in columns.items()}, relations)
    for column in columns.values():
        column.numbers.drop()
    return recoded, outcomes


def step_columns(
    table: Table, steps: Steps, k: int, kinds: Mapping[str, Any], read: Callable[[str, bool], SteppedColumn]
) -> tuple[dict[str, SteppedColumn], tuple[Outcome, ...]]:
    """Do the steps of all columns; `read` gives a column, of its name and whether its numbers are codes."""
    columns, outcomes = {}, []
    codes = _codes(table, steps, kinds)
    for name, texts in steps.items():
        columns[name], done = _stepped(read(name, name in codes), texts, k)
        _check_kind(columns[name], kinds)
        outcomes += done
    return columns, tuple(outcomes)


def check_columns(steps: Steps, names: Sequence[str]) -> None:
    """Refuse to recode a column that there is not."""
    for name in steps:
        if name not in names:
            raise InvalidOption(f"recode: {no_such_column(name, names)}")


def _check_kind(column: SteppedColumn, kinds: Mapping[str, Any]) -> None:
    """Refuse to call numbers what the steps have made text."""
    if column.holds.what is What.TEXTS and kinds.get(column.name) == Kind.NUMERIC.value:
        raise InvalidOption(
            f"recode: the steps of column {column.name!r} give text, and its kind is said to be numeric. Leave the "
            "kind out, or the step that gives text (bands, prefix, rare, date:month)."
        )


def _codes_said(steps: Steps, kinds: Mapping[str, Any]) -> list[str]:
    """Give the columns that the user says are categories."""
    return [name for name in steps if kinds.get(name) is not None and kinds[name] != Kind.NUMERIC.value]


def _codes(table: Table, steps: Steps, kinds: Mapping[str, Any]) -> set[str]:
    """Give the columns of numbers that stand for something else: as the user says, or as the column check finds."""
    open_ones = [
        name for name in steps if kinds.get(name) is None and table.storage(name) is Storage.NUMERIC and table.n_records
    ]
    look = TableLook(table, open_ones)
    kinds_found = {name: look.finding(name).kind for name in open_ones}
    return {*_codes_said(steps, kinds), *(n for n, kind in kinds_found.items() if kind in (Kind.NOMINAL, Kind.ORDINAL))}


def _in_memory(table: Table, name: str, is_code: bool) -> SteppedColumn:
    storage = table.storage(name)
    if storage is Storage.NUMERIC:
        column = table.numeric(name)
        return SteppedColumn(
            name, Holds(What.NUMBERS, column.is_integer, is_code=is_code), NumbersInMemory(column.values)
        )
    if storage is Storage.DATE:
        return SteppedColumn(name, Holds(What.DATES), NumbersInMemory(table.dates(name)))
    check_storage(name, storage)
    categories = table.categories(name)
    values = np.where(categories.codes < 0, np.nan, categories.codes.astype(np.float64))
    return SteppedColumn(name, holds_texts(categories.values), NumbersInMemory(values))


def _on_disk(table: DuckTable, name: str, is_code: bool, *, chunk: int) -> SteppedColumn:
    storage = table.storage(name)
    if storage is Storage.NUMERIC:
        holds = Holds(What.NUMBERS, table.is_integer(name), is_code=is_code)
        return SteppedColumn(name, holds, spooled_numbers(table, name, chunk))
    if storage is Storage.DATE:
        return SteppedColumn(name, Holds(What.DATES), spooled_numbers(table, name, chunk))
    check_storage(name, storage)
    numbers, values = spooled_codes(table, name, chunk, MOST_CATEGORIES)
    return SteppedColumn(name, holds_texts(values), numbers)


def holds_texts(values: Sequence[Any]) -> Holds:
    """Say that a column holds these values, as texts."""
    return Holds(What.TEXTS, texts=tuple(text_of(value) for value in values))


def check_storage(name: str, storage: Storage) -> None:
    """Refuse a column that no step can take."""
    if storage is Storage.OTHER:
        raise InvalidData(
            f"recode: column {name!r} holds neither numbers, text, truth values nor dates, or several of them. Convert "
            "it first."
        )


def _stepped(column: SteppedColumn, steps: Sequence[str], k: int) -> tuple[SteppedColumn, list[Outcome]]:
    """Do the steps of a column, one after the other."""
    outcomes = []
    for step in steps:
        fitted = read_step(step)(column, k)
        tally = StepTally(column, fitted, step, k)
        numbers = column.numbers.map(tally)
        column.numbers.drop()
        column = SteppedColumn(column.name, fitted.holds, numbers)
        outcomes.append(
            Outcome(column.name, step, fitted.words, fitted.words_of_few, tally.changed, tally.present, tally.lost)
        )
    return column, outcomes


class StepTally:
    """Does a step with parts of a column, and sums up what changed."""

    def __init__(self, column: SteppedColumn, fitted: Fitted, step: str, k: int) -> None:
        self.column, self.fitted, self.step, self.k = column, fitted, step, k
        self._numbers = column.holds.what is fitted.holds.what is What.NUMBERS
        self._renamed: FloatArray | None = None
        if column.holds.what is fitted.holds.what is What.TEXTS:
            n_codes = len(column.holds.texts)
            after = fitted.apply(np.arange(n_codes, dtype=np.float64)) if n_codes else np.empty(0)
            self._renamed = np.array(
                [
                    np.isnan(code) or fitted.holds.texts[int(code)] != text
                    for code, text in zip(after, column.holds.texts, strict=True)
                ],
                dtype=np.float64,
            )
        limits = column.numbers.limits() if self._numbers else None
        self._unit = max(map(abs, limits), default=1.0) or 1.0 if limits is not None else 1.0
        """Squares of numbers in this unit do not overflow."""
        self.changed = self.present = 0
        self._errors = self._sum = self._squares = 0.0

    def __call__(self, before: FloatArray) -> FloatArray:
        """Do the step with some values."""
        after = self.fitted.apply(before)
        there = ~np.isnan(before)
        self.present += int(there.sum())
        if self._renamed is not None:
            self.changed += int(self._renamed[before[there].astype(np.int64)].sum())
        elif self._numbers:
            was, now = before[there] / self._unit, after[there] / self._unit
            self.changed += int((before[there] != after[there]).sum())
            self._errors += float(((was - now) ** 2).sum())
            self._sum += float(was.sum())
            self._squares += float((was**2).sum())
        else:
            self.changed += int(there.sum())
        return after

    @property
    def sums(self) -> tuple[float, ...]:
        """What was summed up, to be added elsewhere."""
        return self.changed, self.present, self._errors, self._sum, self._squares

    def add(self, sums: tuple[float, ...]) -> None:
        """Take the sums of another part."""
        self.changed, self.present = self.changed + int(sums[0]), self.present + int(sums[1])
        self._errors, self._sum, self._squares = self._errors + sums[2], self._sum + sums[3], self._squares + sums[4]

    @property
    def lost(self) -> float | None:
        """The loss of the step alone, in percent, where numbers stayed numbers that were not all equal."""
        if not self._numbers or not self.present:
            return None
        total = self._squares - self._sum**2 / self.present
        return 100 * self._errors / total if total > 1e-12 * self._squares else None
