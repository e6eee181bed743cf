"""One column of numbers on disk: looked at in all its records, and made anew, a chunk at a time."""

# ruff: noqa: S608 - identifiers in our SQL are our own.

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count

import numpy as np

from microagg.base.types import FloatArray, IntArray
from microagg.io.duck import Database, DuckTable
from microagg.io.spooled import distinct_values, number_sql

_NUMBERS = count()


@dataclass(frozen=True, eq=False)
class SpooledNumbers:
    """Numbers in a table `relation` of a database, in their order, NaN or NULL where one is missing.

    Attributes
    ----------
    database : Database
        Where they lie.
    relation : str
        The table; its column is `x`.
    n_rows : int
        How many rows it has.
    chunk : int
        How many of them pass at a time.
    """

    database: Database
    relation: str
    n_rows: int
    chunk: int

    @property
    def n_present(self) -> int:
        """How many numbers are not missing."""
        return int(self.database.value(f"SELECT count(*) FROM {self._present}"))

    @property
    def _present(self) -> str:
        return f"{self.relation} WHERE NOT isnan(x)"

    def limits(self) -> tuple[float, float] | None:
        """Give the least and the greatest number; None where there is none."""
        least, greatest = self.database.row(f"SELECT min(x), max(x) FROM {self._present}")
        return None if least is None else (float(least), float(greatest))

    def at(self, place: int) -> float:
        """Give the number that has this place in ascending order, from 0: sorted on disk where need be."""
        return float(self.database.value(f"SELECT x FROM {self._present} ORDER BY x LIMIT 1 OFFSET {int(place)}"))

    def between(self, low: float, high: float) -> int:
        """Count the numbers between two ends, both of them included."""
        within = f"x >= {low!r}::DOUBLE AND x <= {high!r}::DOUBLE"
        return int(self.database.value(f"SELECT count(*) FROM {self._present} AND {within}"))

    def frequencies(self, most: int) -> tuple[FloatArray, IntArray] | None:
        """Give the different numbers, the first to appear first, and how often each is there; None beyond `most`."""
        counted = self.database.fetch(
            f"SELECT x, count(*) AS n, min(rowid) AS first FROM {self._present} GROUP BY x LIMIT {most + 1}"
        )
        if len(counted["x"]) > most:
            return None
        order = np.argsort(counted["first"])
        return np.asarray(counted["x"], dtype=np.float64)[order], np.asarray(counted["n"], dtype=np.int64)[order]

    def map(self, function: Callable[[FloatArray], FloatArray]) -> SpooledNumbers:
        """Give what a function makes of the numbers."""
        return _written(self.database, (function(part) for part in self._chunks()), self.n_rows, self.chunk)

    def _chunks(self) -> Iterator[FloatArray]:
        for start in range(0, self.n_rows, self.chunk):
            rows = f"rowid >= {start} AND rowid < {start + self.chunk}"
            found = self.database.fetch(f"SELECT rowid AS r, x FROM {self.relation} WHERE {rows}")
            values: FloatArray = np.ma.filled(found["x"].astype(np.float64), np.nan)
            yield values[np.argsort(found["r"])]

    def drop(self) -> None:
        """Remove the numbers from the disk."""
        self.database.connection.execute(f"DROP TABLE {self.relation}")


def spooled_numbers(table: DuckTable, name: str, chunk: int) -> SpooledNumbers:
    """Copy a column of numbers or dates; dates become seconds since 1970."""
    relation = f"numbers{next(_NUMBERS)}"
    table.source.database.connection.execute(
        f"CREATE TABLE {relation} AS SELECT coalesce({number_sql(table, name)}, 'NaN'::DOUBLE) AS x FROM base"
    )
    return SpooledNumbers(table.source.database, relation, table.source.n_records, chunk)


def spooled_codes(table: DuckTable, name: str, chunk: int, most: int) -> tuple[SpooledNumbers, list[object]]:
    """Copy a column of categories as codes, and give the value of each code, the first to appear first."""
    values, first_rows = distinct_values(table, name, most)
    database, relation = table.source.database, f"numbers{next(_NUMBERS)}"
    view = database.register({"r": first_rows, "code": np.arange(len(values), dtype=np.float64)})
    value = table.value_sql(name)
    coded = f"SELECT {value} AS value, new.code AS code FROM base JOIN {view} AS new ON base.rowid = new.r"
    try:
        database.connection.execute(
            f"CREATE TABLE {relation} AS SELECT coalesce(coded.code, 'NaN'::DOUBLE) AS x "
            f"FROM base LEFT JOIN ({coded}) AS coded ON {value} = coded.value ORDER BY base.rowid"
        )
    finally:
        database.connection.unregister(view)
    return SpooledNumbers(database, relation, table.source.n_records, chunk), values


def _written(database: Database, parts: Iterator[FloatArray], n_rows: int, chunk: int) -> SpooledNumbers:
    relation = f"numbers{next(_NUMBERS)}"
    database.connection.execute(f"CREATE TABLE {relation} (x DOUBLE)")
    for part in parts:
        view = database.register({"x": np.ascontiguousarray(part)})
        try:
            database.connection.execute(f"INSERT INTO {relation} SELECT x FROM {view}")
        finally:
            database.connection.unregister(view)
    return SpooledNumbers(database, relation, n_rows, chunk)
