"""A look at the values of columns: enough records to judge, however many there are."""

from __future__ import annotations

import datetime
import decimal
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from microagg.base.table import Described, Table
from microagg.base.types import FloatArray, IntArray
from microagg.prepare.check.names import NameWords

MOST_ROWS, LEAST_ROWS, MOST_CELLS = 10_000, 500, 2_000_000
"""How many records are looked at, fewer where there are many columns."""
OFTEN_ALONE = 0.4
"""From which share of different values in a sample on, those of all records are counted."""

_NUMBER = re.compile(r"\s*[+-]?(\d+[.,]?\d*|[.,]\d+)([eE][+-]?\d+)?\s*")
_PADDED = re.compile(r"\s*0\d+\s*")


@dataclass(frozen=True)
class Look:
    """What is seen of a column.

    Attributes
    ----------
    name : str
        The column.
    values : list
        The values of the records that were looked at, None where one is missing.
    n_records : int
        How many records the table has.
    described : Described
        What the file says of the column.
    n_different : int or None
        How many different values all records have; None where they were not counted.
    """

    name: str
    values: list[Any]
    n_records: int
    described: Described = field(default_factory=Described)
    n_different: int | None = None

    @cached_property
    def words(self) -> NameWords:
        """The words of its name."""
        return NameWords(self.name)

    @cached_property
    def present(self) -> list[Any]:
        """The values that are there."""
        return [value for value in self.values if value is not None]

    @cached_property
    def types(self) -> frozenset[type]:
        """Of which types they are."""
        return frozenset(map(type, self.present))

    def _holds(self, *types: type) -> bool:
        return bool(self.types) and all(issubclass(held, types) for held in self.types)

    @cached_property
    def is_truth(self) -> bool:
        """Whether it holds truth values."""
        return self._holds(bool, np.bool_)

    @cached_property
    def is_text(self) -> bool:
        """Whether it holds text, that of numbers included."""
        return self._holds(str)

    @cached_property
    def is_moment(self) -> bool:
        """Whether it is stored as dates."""
        return self._holds(datetime.date)

    @cached_property
    def texts(self) -> list[str]:
        """The values that are there as text, without spaces around them."""
        return [str(value).strip() for value in self.present]

    @cached_property
    def is_padded(self) -> bool:
        """Whether some whole numbers are written with zeros before them."""
        return self.is_text and any(_PADDED.fullmatch(text) for text in self.texts)

    @cached_property
    def numbers(self) -> FloatArray | None:
        """The values as numbers, NaN where one is missing; None where they are none. Padded numbers are text."""
        if not self.present or self.is_truth or self.is_moment or self.is_padded:
            return None
        if self.is_text:
            if not all(_NUMBER.fullmatch(text) for text in self.texts):
                return None
            read = [None if v is None else float(v.strip().replace(",", ".")) for v in self.values]
        elif self._holds(int, float, np.number, decimal.Decimal):
            read = self.values
        else:
            return None
        try:
            return np.array(read, dtype=np.float64)  # NaN where there is None
        except OverflowError:
            return None

    @cached_property
    def is_whole(self) -> bool:
        """Whether it holds whole numbers alone."""
        if self.numbers is None:
            return False
        there = self.numbers[~np.isnan(self.numbers)]
        return bool(np.isfinite(there).all() and (there == np.floor(there)).all())

    @cached_property
    def codes(self) -> IntArray:
        """For each record the number of its value, in order for numbers and moments; -1 where it is missing."""
        if self.numbers is not None:
            codes = np.full(len(self.numbers), -1, dtype=np.int64)
            there = ~np.isnan(self.numbers)
            codes[there] = np.unique(self.numbers[there], return_inverse=True)[1]
            return codes
        distinct: Collection[Any] = dict.fromkeys(map(_hashable, self.present))
        if self.is_moment:
            distinct = _in_order(distinct)
        place = {key: number for number, key in enumerate(distinct)}
        return np.array([-1 if key is None else place[_hashable(key)] for key in self.values], dtype=np.int64)

    @cached_property
    def n_distinct(self) -> int:
        """How many different values were seen."""
        return int(self.codes.max(initial=-1)) + 1

    @property
    def n_values(self) -> int:
        """How many different values there are, as far as that is known."""
        return self.n_distinct if self.n_different is None else self.n_different

    @property
    def share_distinct(self) -> float:
        """How many different values there are for each record that has one: 1 where all differ."""
        if not self.present:
            return 0.0
        if self.n_different is None:
            return self.n_distinct / len(self.present)
        return min(1.0, self.n_different / max(1.0, self.n_records * len(self.present) / len(self.values)))

    @cached_property
    def share_missing(self) -> float:
        """The share of the records that lack a value."""
        return 1.0 - len(self.present) / len(self.values) if self.values else 1.0


def look_at(table: Table, names: Collection[str] | None = None) -> list[Look]:
    """Look at some columns of a table, or at all of them.

    Up to 10,000 records are looked at, drawn once and for all; where most of those have a value of their own, the
    different values of all records are counted.
    """
    asked = list(table.names if names is None else names)
    rows = sample_rows(table.n_records, len(asked))
    values = table.peek(asked, rows)
    looks = [Look(name, values[name], table.n_records, table.described(name)) for name in asked]
    if len(rows) == table.n_records:
        return looks
    often = [look.name for look in looks if look.share_distinct >= OFTEN_ALONE and not _is_measured(look)]
    counted = table.n_distinct(often)
    return [
        Look(look.name, look.values, look.n_records, look.described, counted.get(look.name))
        if look.name in counted
        else look
        for look in looks
    ]


def sample_rows(n_records: int, n_columns: int, most: int = MOST_ROWS) -> IntArray:
    """Give the records to look at, in order: all, or the same sample every time.

    >>> sample_rows(3, 1).tolist()
    [0, 1, 2]
    """
    n_rows = min(n_records, most, max(LEAST_ROWS, MOST_CELLS // max(1, n_columns)))
    if n_rows == n_records:
        return np.arange(n_records)
    drawn = np.random.default_rng(0).choice(n_records, n_rows, replace=False, shuffle=False)
    rows: IntArray = np.sort(drawn).astype(np.int64)
    return rows


def _is_measured(look: Look) -> bool:
    """Say whether a column holds numbers with fractions, of which everybody may have another."""
    return look.numbers is not None and not look.is_whole


def _in_order(moments: Collection[Any]) -> Collection[Any]:
    """Sort moments, where they can be compared: those with and without a time zone cannot."""
    try:
        return sorted(moments)
    except TypeError:
        return moments


def _hashable(value: Any) -> Any:
    """Give something that is equal where values are; lists are compared as they are written, and True is not 1."""
    if isinstance(value, bool):
        return (bool, value)
    try:
        hash(value)
    except TypeError:
        return repr(value)
    return value
