"""Tables larger than memory: the numbers of a few columns pass in chunks, and what replaces them comes back.

The rows of the file lie in DuckDB, on disk (see duck.py). Chunks are ranges of row numbers. What comes back is appended
in the order of the rows to a second table, `released`; a release is both, side by side.
"""

# ruff: noqa: S608 - identifiers in our SQL are our own (c0, x0, ...); every text of others goes through literal().

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from microagg.base.schema import Storage
from microagg.base.types import FloatArray, IntArray
from microagg.errors import InvalidData
from microagg.io.columns import fit, not_numeric
from microagg.io.dialect import Dialect
from microagg.io.duck import INTEGERS, NUMPY_TYPES, DuckTable, cannot_write, literal


@dataclass(frozen=True)
class Chunk:
    """Some records in the order of the file: row numbers, values, strata, weights, codes of confidential values."""

    rows: IntArray
    values: FloatArray
    strata: IntArray
    weights: FloatArray
    sensitive: IntArray


@dataclass(frozen=True)
class Lacking:
    """Records that lack a value: how many, and the first one with its first such column."""

    n_records: int
    row: int
    column: str


@dataclass(frozen=True, eq=False)
class SpooledColumn:
    """A column to be replaced: numbers or dates; or categories, each with a code.

    Attributes
    ----------
    name : str
        The name of the column.
    objects : tuple
        What stands for each code that may come back; empty for numbers and dates.
    first_rows, codes : arrays
        A row in which each distinct value stands, and its code.
    """

    name: str
    objects: tuple[Any, ...] = ()
    first_rows: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    codes: FloatArray = field(default_factory=lambda: np.empty(0))


class SpooledTable:
    """The columns of a table on disk that are to be replaced, as numbers or codes.

    Parameters
    ----------
    table : DuckTable
        Read with a spool.
    quasi : sequence of SpooledColumn
        The columns to be replaced.
    by : sequence of str
        The columns whose values, taken together, name the stratum of a record.
    weights : str, optional
        The column of weights; 1 for every record where there is none.
    chunk : int
        How many rows pass at a time.
    """

    def __init__(
        self, table: DuckTable, quasi: Sequence[SpooledColumn], *, by: Sequence[str], weights: str | None, chunk: int
    ) -> None:
        table = table.unify(by)
        self.table = table
        self.columns = tuple(quasi)
        self.quasi = tuple(column.name for column in quasi)
        self.chunk = chunk
        self._by = [table.spelling_sql(name) for name in by]
        self._weights = "1.0" if weights is None else number_sql(table, weights)
        self._values = [
            table.value_sql(column.name) if column.objects else number_sql(table, column.name) for column in quasi
        ]
        self._secrets: list[str] = []
        self._database = table.source.database
        self.n_rows = table.source.n_records
        self.n_records = self.n_rows
        for j, column in enumerate(quasi):
            if column.objects:
                self._write_codes(j, column)
        if weights is not None:
            self._check_weights()

    def _write_codes(self, j: int, column: SpooledColumn) -> None:
        """Keep the code of each value in a table of its own."""
        view = self._database.register({"r": column.first_rows, "code": column.codes})
        try:
            self._database.connection.execute(
                f"CREATE TABLE codes{j} AS SELECT {self._values[j]} AS value, {view}.code AS code "
                f"FROM base JOIN {view} ON base.rowid = {view}.r"
            )
        finally:
            self._database.connection.unregister(view)

    @property
    def _numbers(self) -> list[int]:
        """The places of the columns of numbers and dates."""
        return [j for j, column in enumerate(self.columns) if not column.objects]

    def limits(self) -> tuple[FloatArray, FloatArray]:
        """Give the least and the greatest number or code of each column."""
        ends = np.zeros((2, len(self.columns)))
        numbers = self._numbers
        if numbers:
            asked = ", ".join(f"min({self._values[j]}), max({self._values[j]})" for j in numbers)
            extremes = np.array(self._database.row(f"SELECT {asked} FROM base"), dtype=np.float64)
            ends[:, numbers] = np.nan_to_num(extremes, nan=0.0).reshape(-1, 2).T  # 0 of a column that is empty
        for j, column in enumerate(self.columns):
            if column.objects:
                ends[:, j] = self._database.row(
                    f"SELECT min(code), max(code) FROM codes{j} WHERE value IN (SELECT {self._values[j]} FROM base)"
                )
        return ends[0], ends[1]

    def infinite(self) -> Lacking | None:
        """Find records with an infinite value."""
        numbers = self._numbers
        return self._find({j: f"isinf({self._values[j]})" for j in numbers}) if numbers else None

    def gaps(self, places: Sequence[int]) -> Lacking | None:
        """Find records that lack a value of one of these columns."""
        return self._find({j: f"{self._values[j]} IS NULL" for j in places})

    def _find(self, conditions: Mapping[int, str]) -> Lacking | None:
        either = " OR ".join(conditions.values())
        count, row = self._database.row(f"SELECT count(*), min(rowid) FROM base WHERE {either}")
        if not count:
            return None
        hits = self._database.row(f"SELECT {', '.join(conditions.values())} FROM base WHERE rowid = {int(row)}")
        return Lacking(int(count), int(row), self.quasi[list(conditions)[hits.index(True)]])

    def drop_gaps(self, places: Sequence[int]) -> None:
        """Leave out the records that lack a value of one of these columns."""
        self._database.connection.execute(
            f"DELETE FROM base WHERE {' OR '.join(f'{self._values[j]} IS NULL' for j in places)}"
        )
        self.n_records = int(self._database.value("SELECT count(*) FROM base"))

    def missing(self) -> dict[int, int]:
        """Count the values that each column lacks, by its place, for columns that lack some."""
        asked = ", ".join(f"count(*) - count({value})" for value in self._values)
        counts = self._database.row(f"SELECT {asked} FROM base")
        return {j: int(count) for j, count in enumerate(counts) if count}

    def middle(self, j: int) -> float | None:
        """Give the median, or the code of the most frequent category (the lowest of several); None of no value."""
        value = self._values[j]
        if self.columns[j].objects:
            best = self._database.connection.execute(
                f"SELECT code FROM base JOIN codes{j} ON {value} = codes{j}.value "
                "GROUP BY code ORDER BY count(*) DESC, code LIMIT 1"
            ).fetchall()
            return float(best[0][0]) if best else None
        count = int(self._database.value(f"SELECT count({value}) FROM base"))
        # Sorted on disk where need be; the function median() would hold all values in memory.
        ends = self._database.connection.execute(
            f"SELECT {value} AS x FROM base WHERE {value} IS NOT NULL ORDER BY x "
            f"LIMIT {2 - count % 2} OFFSET {max(0, (count - 1) // 2)}"
        ).fetchall()
        return sum(float(x) / len(ends) for (x,) in ends) if ends else None

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

    def code_secrets(self, names: Sequence[str]) -> list[tuple[bool, IntArray]]:
        """Number the values of confidential columns in their order; a missing value is one too, the last.

        Returns
        -------
        list of (bool, array of int)
            Of each column whether it holds numbers or dates, and how many records have each value.
        """
        described = []
        for place, name in enumerate(names):
            ordered = self.table.storage(name) in {Storage.NUMERIC, Storage.DATE}
            value = number_sql(self.table, name) if ordered else self.table.value_sql(name)
            self._database.connection.execute(
                f"CREATE TABLE secret{place} AS SELECT row_number() OVER (ORDER BY value NULLS LAST) - 1 AS code, * "
                f"FROM (SELECT {value} AS value, count(*) AS size FROM base GROUP BY ALL)"
            )
            sizes = self._database.fetch(f"SELECT size FROM secret{place} ORDER BY code")["size"]
            described.append((ordered, sizes.astype(np.int64)))
            self._secrets.append(value)
        return described

    def _with_secrets(self, tables: str) -> str:
        """Join the codes of confidential values."""
        joins = [
            f"JOIN secret{place} ON {value} IS NOT DISTINCT FROM secret{place}.value"
            for place, value in enumerate(self._secrets)
        ]
        return " ".join([tables, *joins])

    def compositions(self, *, released: bool) -> Iterator[list[tuple[IntArray, IntArray, IntArray]]]:
        """Count the confidential values in classes of equal records: some whole classes at a time.

        Gives of each column the class, from 0 among those that come together, the code, and how many have both.
        """
        keys = [f"base.y{j}" if released else self._values[j] for j in range(len(self.quasi))]
        named = ", ".join(f"{key} AS key{place}" for place, key in enumerate([*keys, *self._by]))
        tables = "(SELECT * FROM base POSITIONAL JOIN released) AS base" if released else "base"
        codes = ", ".join(f"secret{place}.code AS code{place}" for place in range(len(self._secrets)))
        order = ", ".join(f"key{place}" for place in range(len(keys) + len(self._by)))
        source = self._with_secrets(tables)
        self._database.connection.execute(
            f"CREATE OR REPLACE TABLE composed AS SELECT dense_rank() OVER (ORDER BY {order}) - 1 AS class, "
            f"* EXCLUDE ({order}) FROM (SELECT {named}, {codes}, count(*) AS n FROM {source} GROUP BY ALL)"
        )
        n_classes = int(self._database.value("SELECT max(class) + 1 FROM composed"))
        step = max(1, n_classes * self.chunk // max(1, self.n_records))
        for start in range(0, n_classes, step):
            parts = []
            for place in range(len(self._secrets)):
                counted = self._database.fetch(
                    f"SELECT class - {start} AS class, code{place} AS code, sum(n)::BIGINT AS n FROM composed "
                    f"WHERE class >= {start} AND class < {start + step} GROUP BY ALL"
                )
                classes, values, counts = (counted[name].astype(np.int64) for name in ("class", "code", "n"))
                parts.append((classes, values, counts))
            yield parts
        self._database.connection.execute("DROP TABLE composed")

    def chunks(self) -> Iterator[Chunk]:
        """Give all records in the order of the file, a chunk at a time."""
        tables, numbers = ["base"], []
        for j, column in enumerate(self.columns):
            if column.objects:
                tables.append(f"LEFT JOIN codes{j} ON {self._values[j]} = codes{j}.value")
                numbers.append(f"codes{j}.code")
            else:
                numbers.append(self._values[j])
        stratum = "0"
        if self._by:
            same = " AND ".join(f"{value} IS NOT DISTINCT FROM strata.b{i}" for i, value in enumerate(self._by))
            tables.append(f"JOIN strata ON {same}")
            stratum = "strata.stratum"
        tables = [self._with_secrets(" ".join(tables))]
        numbers += [f"secret{place}.code" for place in range(len(self._secrets))]
        selected = ", ".join(f"{number} AS x{j}" for j, number in enumerate(numbers))
        for start in range(0, self.n_rows, self.chunk):
            found = self._database.fetch(
                f"SELECT base.rowid AS r, {selected}, {stratum} AS s, {self._weights} AS w FROM {' '.join(tables)} "
                f"WHERE base.rowid >= {start} AND base.rowid < {start + self.chunk}"
            )
            rows = found["r"].astype(np.int64)
            if not len(rows):
                continue
            order = np.argsort(rows)
            n_quasi = len(self.quasi)
            floats = [found[f"x{j}"].astype(np.float64, copy=False) for j in range(n_quasi)]
            values = np.column_stack([np.ma.filled(column, np.nan) for column in floats])
            secrets = [found[f"x{j}"].astype(np.int64) for j in range(n_quasi, len(numbers))]
            codes = np.column_stack(secrets) if secrets else np.empty((len(rows), 0), dtype=np.int64)
            yield Chunk(
                rows[order],
                values[order],
                found["s"].astype(np.int64)[order],
                np.asarray(found["w"], dtype=np.float64)[order],
                codes[order],
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

    def class_sizes(self, *, released: bool, column: int | None = None) -> tuple[IntArray, IntArray]:
        """Give the sizes of the classes of records that agree on all columns and the stratum, and how many each has.

        By one column, and the stratum, where it is named.

        Strata are told apart by what is written for them, not by their numbers.
        """
        places = range(len(self.quasi)) if column is None else [column]
        columns = [f"released.y{j}" if released else self._values[j] for j in places]
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
        return SpooledRelease(self.table.without(without), self.columns, frozenset(whole), shuffled, self.n_records)


@dataclass(frozen=True)
class SpooledRelease:
    """A released table on disk, to be written as text or Parquet."""

    table: DuckTable
    columns: tuple[SpooledColumn, ...]
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

        replaced = {column.name: self._value_sql(column, j, as_text=as_text) for j, column in enumerate(self.columns)}
        order = " ORDER BY released.k" if self.shuffled else ""
        selected = self.table.selected(replaced, as_text=as_text, escape_formulas=escape_formulas)
        sql = f"SELECT {selected} FROM base POSITIONAL JOIN released{order}"
        database = self.table.source.database
        try:
            with database.plainly(len(self.names)):
                database.connection.execute(f"COPY ({sql}) TO {literal(str(path))} ({options}, USE_TMP_FILE false)")
        except duckdb.IOException as error:
            raise cannot_write(path, error) from error

    def _value_sql(self, column: SpooledColumn, position: int, *, as_text: bool) -> str:
        """Give the SQL expression of what replaces a column, in the type of the column where that can hold it.

        What is blank is NaN in `released`, and NULL where it is written.
        """
        name, value = column.name, f"nullif(released.y{position}, 'NaN'::DOUBLE)"
        if column.objects:
            return self._category_sql(column, position, as_text=as_text)
        stored = self.table.stored_type(name)
        if self.table.storage(name) is Storage.DATE:
            moment = f"make_timestamp(CAST(round_even({value} * 1e6, 0) AS BIGINT))"
            return self.table.moment_sql(name, moment, as_text=as_text)
        if name in self.whole:
            lowest, highest = self.table.source.database.row(f"SELECT min({value}), max({value}) FROM released")
            for kind in (stored, "BIGINT"):
                if kind in INTEGERS & NUMPY_TYPES.keys():
                    limits = np.iinfo(np.dtype(NUMPY_TYPES[kind]).name)
                    if lowest is None or (limits.min <= lowest and highest < limits.max):
                        return f"CAST({value} AS {kind})"
        if stored == "FLOAT":
            value = f"CAST({value} AS FLOAT)"
        return self.table.with_mark(value) if as_text else value

    def _category_sql(self, column: SpooledColumn, position: int, *, as_text: bool) -> str:
        """Give the SQL expression of the category that a code stands for; numbers stay numbers."""
        numbers = self.table.storage(column.name) is Storage.NUMERIC and all(
            isinstance(value, int | float) for value in column.objects
        )
        objects = np.array(column.objects) if numbers else np.array(column.objects, dtype=object)
        if numbers:
            objects = fit(objects, NUMPY_TYPES.get(self.table.stored_type(column.name), np.float64))
        database = self.table.source.database
        view = database.register({"code": np.arange(len(objects)), "value": objects})
        try:
            database.connection.execute(
                f"CREATE OR REPLACE TABLE names{position} AS SELECT list(value ORDER BY code) AS named FROM {view}"
            )
        finally:
            database.connection.unregister(view)
        code = f"CAST(nullif(released.y{position}, 'NaN'::DOUBLE) AS BIGINT)"
        value = f"(SELECT named FROM names{position})[{code} + 1]"
        return self.table.with_mark(value) if as_text and numbers and objects.dtype.kind == "f" else value


def distinct_values(table: DuckTable, name: str, most: int) -> tuple[list[Any], IntArray]:
    """Give the distinct values of a column of a table on disk, and the first row of each, in that order.

    Missing values are none of them. More values than `most` are refused.
    """
    value = table.value_sql(name)
    first = table.source.database.fetch(
        f"SELECT min(rowid) AS r FROM base WHERE {value} IS NOT NULL GROUP BY {value} LIMIT {most + 1}"
    )["r"]
    if len(first) > most:
        raise InvalidData(
            f"column {name!r} holds more than {most:,} distinct categories, too many for a release cell by cell. It "
            "may be an identifier; else recode it, or work in memory: memory='unlimited', --memory unlimited."
        )
    first_rows = np.sort(first.astype(np.int64))
    return table.values_at(name, first_rows), first_rows


def number_sql(table: DuckTable, name: str) -> str:
    """Give the SQL expression of a column as numbers: dates are seconds since 1970."""
    storage = table.storage(name)
    if storage is Storage.DATE:
        return f"(epoch_us(CAST({table.value_sql(name)} AS TIMESTAMP)) / 1e6)"
    if storage is not Storage.NUMERIC:
        raise not_numeric(name, f"{storage} values")
    return f"CAST({table.value_sql(name)} AS DOUBLE)"
