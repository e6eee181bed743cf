"""A table that several threads read: one at a time, and each column once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

from microagg.base.schema import Storage
from microagg.base.table import CategoryColumn, Described, NumericColumn, RecodedColumn, Table
from microagg.base.types import FloatArray, IntArray

T = TypeVar("T")


class SharedTable:
    """A table behind a lock; implements `microagg.base.table.Table`. What is made of it shares the lock.

    A database connection serves one thread at a time. Nobody may write into the arrays that it gives.

    Parameters
    ----------
    table : Table
        What is shared.
    """

    def __init__(self, table: Table, lock: threading.RLock | None = None) -> None:
        self._table = table
        self._lock = threading.RLock() if lock is None else lock
        self._read: dict[tuple[str, str], Any] = {}

    def _once(self, what: str, name: str, read: Callable[[str], T]) -> T:
        with self._lock:
            if (what, name) not in self._read:
                self._read[what, name] = read(name)
            return cast(T, self._read[what, name])

    @property
    def names(self) -> tuple[str, ...]:
        """The column names, in order."""
        return self._table.names

    @property
    def n_records(self) -> int:
        """How many records there are."""
        with self._lock:
            return self._table.n_records

    def storage(self, name: str) -> Storage:
        """Say what the column holds."""
        return self._once("storage", name, self._table.storage)

    def numeric(self, name: str) -> NumericColumn:
        """Give the column as numbers; InvalidData where it is not numeric."""
        return self._once("numeric", name, self._table.numeric)

    def codes(self, name: str) -> IntArray:
        """Give whole numbers that are equal where the values are equal."""
        return self._once("codes", name, self._table.codes)

    def spellings(self, name: str) -> IntArray:
        """Give whole numbers that are equal only where the values are written alike."""
        return self._once("spellings", name, self._table.spellings)

    def n_alone(self, names: Collection[str]) -> dict[str, int]:
        """Say how many records have a value that no other record has."""
        with self._lock:
            return self._table.n_alone(names)

    def n_alone_together(self, names: Collection[str]) -> int:
        """Say how many records have a combination of values that no other record has."""
        with self._lock:
            return self._table.n_alone_together(names)

    def n_distinct(self, names: Collection[str]) -> dict[str, int]:
        """Say how many different values each of these columns has."""
        with self._lock:
            return self._table.n_distinct(names)

    def peek(self, names: Collection[str], rows: IntArray) -> dict[str, list[Any]]:
        """Give values of some records as Python objects."""
        with self._lock:
            return self._table.peek(names, rows)

    def described(self, name: str) -> Described:
        """Say what is said of the column beside its values."""
        return self._once("described", name, self._table.described)

    def categories(self, name: str) -> CategoryColumn:
        """Give the column as categories."""
        return self._once("categories", name, self._table.categories)

    def dates(self, name: str) -> FloatArray:
        """Give the column of dates as seconds since 1970."""
        return self._once("dates", name, self._table.dates)

    def read_dates(self, name: str, form: str) -> bool:
        """Read a column of text as dates; not as what it was before."""
        with self._lock:
            known = self._table.read_dates(name, form)
            if known:
                self._read = {key: value for key, value in self._read.items() if key[1] != name}
            return known

    def with_columns(self, columns: Mapping[str, npt.NDArray[np.generic]]) -> SharedTable:
        """Replace these columns."""
        with self._lock:
            return SharedTable(self._table.with_columns(columns), self._lock)

    def recoded(self, columns: Mapping[str, RecodedColumn]) -> SharedTable:
        """Put others in the place of these columns."""
        with self._lock:
            return SharedTable(self._table.recoded(columns), self._lock)

    def unify(self, names: Collection[str]) -> SharedTable:
        """Let equal values of these columns be written alike."""
        with self._lock:
            return SharedTable(self._table.unify(names), self._lock)

    def without(self, names: Collection[str]) -> SharedTable:
        """Leave these columns out."""
        with self._lock:
            return SharedTable(self._table.without(names), self._lock)

    def take(self, rows: IntArray) -> SharedTable:
        """Keep these rows, in this order."""
        with self._lock:
            return SharedTable(self._table.take(rows), self._lock)

    def native(self) -> Any:
        """Give the frame of the kind that came in."""
        with self._lock:
            return self._table.native()
