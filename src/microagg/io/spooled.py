"""Tables larger than memory: the numbers of a few columns pass in chunks, and what replaces them comes back.

The rows of the file lie in DuckDB, on disk (see duck.py). Chunks are ranges of row numbers. What comes back is appended
in the order of the rows to a second table, `released`; a release is both, side by side.
"""

# ruff: noqa: S608 - identifiers in our SQL are our own (c0, x0, ...); every text of others goes through literal().

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from microagg.base.schema import Storage
from microagg.base.types import FloatArray, IntArray
from microagg.errors import InvalidData
from microagg.io.dialect import Dialect
from microagg.io.duck import INTEGERS, NUMPY_TYPES, DuckTable, cannot_write, literal


@dataclass(frozen=True)
class Chunk:
    """Some records in the order of the file: their row numbers, values, strata and weights."""

    rows: IntArray
    values: FloatArray
    strata: IntArray
    weights: FloatArray


@dataclass(frozen=True)
class Gaps:
    """Records that lack a value: how many, and the first one with its first such column."""

    n_records: int
    row: int
    column: str


class SpooledTable:
    """The columns of a table on disk that are to be replaced, as numbers.

    Parameters
    ----------
    table : DuckTable
        Read with a spool.
    quasi : sequence of str
        The columns to be replaced: numbers or dates.
    by : sequence of str
        The columns whose values, taken together, name the stratum of a record.
    weights : str, optional
        The column of weights; 1 for every record where there is none.
    chunk : int
        How many rows pass at a time.
    """

    def __init__(
        self, table: DuckTable, quasi: Sequence[str], *, by: Sequence[str], weights: str | None, chunk: int
    ) -> None:
        table = table.unify(by)
        self.table = table
        self.quasi = tuple(quasi)
        self.chunk = chunk
        self._by = [table.spelling_sql(name) for name in by]
        self._weights = "1.0" if weights is None else _number_sql(table, weights)
        self._numbers = [_number_sql(table, name) for name in quasi]
        self._database = table.source.database
        self.n_rows = table.source.n_records
        self.n_records = self.n_rows
        if weights is not None:
            self._check_weights()

    def is_integer(self, name: str) -> bool:
        """Say whether a column is stored as whole numbers."""
        stored = self.table.stored_type(name)
        return stored in INTEGERS or stored.endswith(",0)")

    def is_date(self, name: str) -> bool:
        """Say whether a column holds dates."""
        return self.table.storage(name) is Storage.DATE

    def limits(self) -> tuple[FloatArray, FloatArray]:
        """Give the least and the greatest value of each column."""
        asked = ", ".join(f"min({number}), max({number})" for number in self._numbers)
        found = np.array(self._database.row(f"SELECT {asked} FROM base"), dtype=np.float64)
        return found[::2], found[1::2]

    def infinite(self) -> Gaps | None:
        """Find records with an infinite value."""
        return self._find([f"isinf({number})" for number in self._numbers])

    def gaps(self) -> Gaps | None:
        """Find records that lack a value."""
        return self._find([f"{number} IS NULL" for number in self._numbers])

    def _find(self, conditions: list[str]) -> Gaps | None:
        count, row = self._database.row(f"SELECT count(*), min(rowid) FROM base WHERE {' OR '.join(conditions)}")
        if not count:
            return None
        hits = self._database.row(f"SELECT {', '.join(conditions)} FROM base WHERE rowid = {int(row)}")
        return Gaps(int(count), int(row), self.quasi[hits.index(True)])

    def drop_gaps(self) -> None:
        """Leave out the records that lack a value."""
        self._database.connection.execute(
            f"DELETE FROM base WHERE {' OR '.join(f'{number} IS NULL' for number in self._numbers)}"
        )
        self.n_records = int(self._database.value("SELECT count(*) FROM base"))

    def _check_weights(self) -> None:
        row = self._database.value(
            f"SELECT min(rowid) FROM base WHERE ({self._weights} >= 0 AND isfinite({self._weights})) IS NOT TRUE"
        )
        if row is not None:
            raise InvalidData(f"weights must be finite and at least 0; record {int(row) + 1} has another value.")

    def rare_weights(self, k: int) -> int:
        """Count the records whose weight fewer than k records have."""
        return int(
            self._database.value(
                f"SELECT coalesce(sum(n), 0) FROM (SELECT count(*) AS n FROM base GROUP BY {self._weights}) "
                f"WHERE n < {int(k)}"
            )
        )

    def number_strata(self) -> tuple[IntArray, IntArray]:
        """Number the strata in the order of their first records; give their sizes, and these records' rows."""
        if not self._by:
            return np.array([self.n_records]), np.array([0])
        names = ", ".join(f"{value} AS b{i}" for i, value in enumerate(self._by))
        self._database.connection.execute(
            f"CREATE TABLE strata AS SELECT row_number() OVER (ORDER BY first) - 1 AS stratum, * FROM "
            f"(SELECT {names}, count(*) AS size, min(rowid) AS first FROM base GROUP BY ALL) ORDER BY first"
        )
        found = self._database.fetch("SELECT size, first FROM strata ORDER BY stratum")
        return found["size"].astype(np.int64), found["first"].astype(np.int64)

    def chunks(self) -> Iterator[Chunk]:
        """Give all records in the order of the file, a chunk at a time."""
        numbers = ", ".join(f"{number} AS x{j}" for j, number in enumerate(self._numbers))
        tables, stratum = "base", "0"
        if self._by:
            same = " AND ".join(f"{value} IS NOT DISTINCT FROM strata.b{i}" for i, value in enumerate(self._by))
            tables, stratum = f"base JOIN strata ON {same}", "strata.stratum"
        for start in range(0, self.n_rows, self.chunk):
            found = self._database.fetch(
                f"SELECT base.rowid AS r, {numbers}, {stratum} AS s, {self._weights} AS w FROM {tables} "
                f"WHERE base.rowid >= {start} AND base.rowid < {start + self.chunk}"
            )
            rows = found["r"].astype(np.int64)
            if not len(rows):
                continue
            order = np.argsort(rows)
            values = np.column_stack([np.asarray(found[f"x{j}"]) for j in range(len(self.quasi))])
            yield Chunk(
                rows[order],
                values[order].astype(np.float64, copy=False),
                found["s"].astype(np.int64)[order],
                np.asarray(found["w"], dtype=np.float64)[order],
            )

    def put(self, strata: IntArray, values: FloatArray, keys: FloatArray) -> None:
        """Append what replaces the next records, in the order of the file; `keys` order the rows of a shuffled file."""
        arrays = {
            "s": strata,
            "k": keys,
            **{f"y{j}": np.ascontiguousarray(values[:, j]) for j in range(values.shape[1])},
        }
        view = self._database.register(arrays)
        try:
            self._database.connection.execute(
                f"CREATE TABLE IF NOT EXISTS released AS SELECT * FROM {view} LIMIT 0; "
                f"INSERT INTO released SELECT * FROM {view}"
            )
        finally:
            self._database.connection.unregister(view)

    def class_sizes(self, *, released: bool) -> tuple[IntArray, IntArray]:
        """Give the sizes of the classes of records that agree on all columns and the stratum, and how many each has.

        Strata are told apart by what is written for them, not by their numbers.
        """
        columns = [f"released.y{j}" for j in range(len(self.quasi))] if released else self._numbers
        tables = "base POSITIONAL JOIN released" if released and self._by else "released" if released else "base"
        found = self._database.fetch(
            f"SELECT size, count(*) AS n FROM (SELECT count(*) AS size FROM {tables} "
            f"GROUP BY {', '.join([*columns, *self._by])}) GROUP BY size ORDER BY size"
        )
        return found["size"].astype(np.int64), found["n"].astype(np.int64)

    def n_alone(self, names: Sequence[str]) -> dict[str, int]:
        """Say how many records have a value in each of these columns that no other record has."""
        return self.table.n_alone(names)

    def homogeneous(self, name: str) -> tuple[int, int]:
        """Count the groups, and their records, in which all records have the same value of a column."""
        columns = [*(f"released.y{j}" for j in range(len(self.quasi))), *self._by]
        value = self.table.value_sql(name)
        groups, records = self._database.row(
            f"SELECT count(*), coalesce(sum(size), 0) FROM (SELECT count(*) AS size, count(DISTINCT {value}) AS n, "
            f"count({value}) AS present FROM base POSITIONAL JOIN released GROUP BY {', '.join(columns)}) "
            "WHERE n = 1 AND present = size AND size > 1"
        )
        return int(groups), int(records)

    def release(self, *, without: Collection[str], whole: Collection[str], shuffled: bool) -> SpooledRelease:
        """Give what is to be written, once every record was put back.

        Parameters
        ----------
        without : collection of str
            The columns to leave out.
        whole : collection of str
            The replaced columns that hold whole numbers now.
        shuffled : bool
            Whether to order the rows by the keys that came with them.
        """
        return SpooledRelease(self.table.without(without), self.quasi, frozenset(whole), shuffled, self.n_records)


@dataclass(frozen=True)
class SpooledRelease:
    """A released table on disk, to be written as text or Parquet."""

    table: DuckTable
    quasi: tuple[str, ...]
    whole: frozenset[str]
    shuffled: bool
    n_records: int

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self.table.names

    @property
    def dialect(self) -> Dialect:
        """The marks with which the table is written as text."""
        return self.table.dialect

    def copy(self, path: Path, options: str, *, as_text: bool, escape_formulas: bool = False) -> None:
        """Write the table to a file, with these options of COPY; text that looks like a formula as text if asked."""
        import duckdb

        replaced = {name: self._value_sql(name, j, as_text=as_text) for j, name in enumerate(self.quasi)}
        order = " ORDER BY released.k" if self.shuffled else ""
        selected = self.table.selected(replaced, as_text=as_text, escape_formulas=escape_formulas)
        sql = f"SELECT {selected} FROM base POSITIONAL JOIN released{order}"
        database = self.table.source.database
        try:
            with database.plainly(len(self.names)):
                database.connection.execute(f"COPY ({sql}) TO {literal(str(path))} ({options}, USE_TMP_FILE false)")
        except duckdb.IOException as error:
            raise cannot_write(path, error) from error

    def _value_sql(self, name: str, position: int, *, as_text: bool) -> str:
        """Give the SQL expression of what replaces a column, in the type of the column where that can hold it."""
        value, stored = f"released.y{position}", self.table.stored_type(name)
        if self.table.storage(name) is Storage.DATE:
            moment = f"make_timestamp(CAST(round_even({value} * 1e6, 0) AS BIGINT))"
            return self.table.moment_sql(name, moment, as_text=as_text)
        if name in self.whole:
            lowest, highest = self.table.source.database.row(f"SELECT min({value}), max({value}) FROM released")
            for kind in (stored, "BIGINT"):
                if kind in INTEGERS & NUMPY_TYPES.keys():
                    limits = np.iinfo(np.dtype(NUMPY_TYPES[kind]).name)
                    if limits.min <= lowest and highest < limits.max:
                        return f"CAST({value} AS {kind})"
        if stored == "FLOAT":
            value = f"CAST({value} AS FLOAT)"
        return self.table.with_mark(value) if as_text else value


def _number_sql(table: DuckTable, name: str) -> str:
    """Give the SQL expression of a column as numbers: dates are seconds since 1970."""
    storage = table.storage(name)
    if storage is Storage.DATE:
        return f"(epoch_us(CAST({table.value_sql(name)} AS TIMESTAMP)) / 1e6)"
    if storage is not Storage.NUMERIC:
        raise InvalidData(
            f"column {name!r} holds {storage} values; a table that does not fit into memory is grouped by numbers and "
            "dates only. Leave the column out, or give more memory."
        )
    return f"CAST({table.value_sql(name)} AS DOUBLE)"
