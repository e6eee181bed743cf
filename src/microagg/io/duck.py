"""Tables that live in a private DuckDB database: what CSV and Parquet files become.

The rows of the file lie in one table `base`, in their order, its columns named c0, c1, ... so that no name of a
stranger's column is ever an identifier there. What replaces a column stays a NumPy array; a table that leaves is one
query, of the base joined with these arrays by position. Text of columns that nobody asks for stays in DuckDB.
"""

# ruff: noqa: S608 - identifiers in our SQL are our own (c0, c1, ...); every text of others goes through literal().

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from microagg.base.checks import check_threads
from microagg.base.groups import class_sizes, in_order
from microagg.base.schema import Storage
from microagg.base.table import CategoryColumn, Described, NumericColumn, RecodedColumn
from microagg.base.types import FloatArray, IntArray
from microagg.errors import FileProblem, InvalidData, InvalidOption
from microagg.files.scratch import Folder
from microagg.files.system import plain_name
from microagg.io.columns import (
    check_known,
    check_replacements,
    check_rows,
    descriptions,
    fit,
    not_dates,
    not_numeric,
    seconds,
)
from microagg.io.connection import DuckConnection
from microagg.io.dialect import Dialect
from microagg.io.formulas import escaped, escaped_sql, is_formula_sql, may_hold

NUMPY_TYPES = {
    "TINYINT": np.int8,
    "SMALLINT": np.int16,
    "INTEGER": np.int32,
    "BIGINT": np.int64,
    "UTINYINT": np.uint8,
    "USMALLINT": np.uint16,
    "UINTEGER": np.uint32,
    "UBIGINT": np.uint64,
    "FLOAT": np.float32,
    "DOUBLE": np.float64,
}
WIDE = 200
"""Tables with more columns are written by queries that are not optimized."""
INTEGERS = {name for name, dtype in NUMPY_TYPES.items() if np.dtype(dtype).kind in "iu"} | {"HUGEINT", "UHUGEINT"}


THREAD_MEMORY = 128 << 20
"""DuckDB gets one thread for so many bytes: more of them would need more than they have."""


MANY, COLUMNS_AT_ONCE = 20_000, 500
"""Up to how many records values are counted outside the database, and of how many columns at once."""


@dataclass(frozen=True)
class Spool:
    """Where a table that does not fit into memory lies: a private folder, and the bytes that DuckDB may use."""

    folder: Path
    memory: int


class Database:
    """A DuckDB of our own, in memory or spooled to disk, and a private folder that lives as long as it does."""

    def __init__(self, spool: Spool | None = None) -> None:
        import duckdb

        if spool is None:
            self._scratch = Folder()
            self.folder = self._scratch.path
        else:
            self.folder = Path(tempfile.mkdtemp(prefix="database-", dir=spool.folder))
            weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)
        limits = {}
        if spool is not None:
            threads = min(check_threads(None), max(1, spool.memory // THREAD_MEMORY))
            limits = {"memory_limit": f"{spool.memory >> 20}MiB", "threads": str(threads)}
        connection = duckdb.connect(
            ":memory:" if spool is None else str(self.folder / "spool.duckdb"),
            config={
                "temp_directory": str(self.folder / "spill"),
                "autoinstall_known_extensions": "false",
                "autoload_known_extensions": "false",
                **limits,
            },
        )
        self.connection = DuckConnection(connection, self.folder)
        self._registered = 0

    def link(self, path: Path, number: int = 0) -> str:
        """Give a name for a file in which DuckDB sees neither a pattern nor an address, as an SQL literal."""
        return literal(str(plain_name(path, self.folder / f"input{number or ''}")))

    def register(self, arrays: Mapping[str, npt.NDArray[Any]]) -> str:
        """Make these arrays a view, and give its name."""
        self._registered += 1
        name = f"arrays{self._registered}"
        self.connection.register(name, dict(arrays))
        return name

    def fetch(self, sql: str) -> dict[str, npt.NDArray[Any]]:
        """Run a query and give its columns; masked arrays where something is missing."""
        arrays: dict[str, npt.NDArray[Any]] = self.connection.execute(sql).fetchnumpy()
        return arrays

    @contextmanager
    def plainly(self, n_columns: int) -> Iterator[None]:
        """Run what selects many columns as it is written: DuckDB's optimizer takes time with the square of them."""
        if n_columns <= WIDE:
            yield
            return
        self.connection.execute("PRAGMA disable_optimizer")
        try:
            yield
        finally:
            self.connection.execute("PRAGMA enable_optimizer")

    def value(self, sql: str) -> Any:
        """Run a query and give the one value that comes out."""
        return self.row(sql)[0]

    def row(self, sql: str) -> tuple[Any, ...]:
        """Run a query and give its one row; all is fetched, so that the connection is free again."""
        rows: list[tuple[Any, ...]] = self.connection.execute(sql).fetchall()
        return rows[0]


@dataclass(frozen=True)
class DuckSource:
    """What was read: the database, and for each column of `base` its name in the file and its DuckDB type."""

    database: Database
    columns: dict[str, str]
    """Name in the file -> name in `base`."""
    types: dict[str, str]
    """Name in the file -> type in `base`."""
    known_types: dict[str, str] = field(default_factory=dict)
    """Name in the file -> narrowest type of its text, as far as anybody asked."""
    dates: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Name in the file -> the formats in which its dates are read and written, where they are not those of ISO 8601."""

    @cached_property
    def n_records(self) -> int:
        """How many rows `base` has."""
        return int(self.database.value("SELECT count(*) FROM base"))


@dataclass(frozen=True)
class DuckTable:
    """A table of a file, in DuckDB; implements `microagg.base.table.Table`."""

    source: DuckSource
    names: tuple[str, ...]
    rows: IntArray | None = None
    """Which rows of `base`, in which order; all of them where None."""
    replaced: Mapping[str, npt.NDArray[np.generic]] = field(default_factory=dict)
    dialect: Dialect = field(default_factory=Dialect)
    """The marks with which the table is written as text."""
    unified: frozenset[str] = frozenset()
    """Columns whose values are written in one way each, whatever the file has."""
    recodings: Mapping[str, Described] = field(default_factory=dict)
    """What is said of columns that were recoded to text."""

    @property
    def n_records(self) -> int:
        """How many records there are."""
        return self.source.n_records if self.rows is None else len(self.rows)

    def stored_type(self, name: str) -> str:
        """Give the DuckDB type of the column's values, as `value_sql` yields them."""
        return self.source.types[name]

    def value_sql(self, name: str) -> str:
        """Give the SQL expression over `base` of the column's values; NULL where missing."""
        column = self.source.columns[name]
        return f"nullif(base.{column}, 'NaN')" if self.stored_type(name) in ("FLOAT", "DOUBLE") else f"base.{column}"

    def text_sql(self, name: str) -> str:
        """Give the SQL expression over `base` of what stands in a text file for the column's values."""
        return self.with_mark(self.value_sql(name)) if _has_point(self.stored_type(name)) else self.value_sql(name)

    def written_sql(self, name: str, *, as_text: bool) -> str:
        """Give the SQL expression over `base` of what is written for the column: into a text file, or with its type."""
        if name not in self.unified:
            return self.text_sql(name) if as_text else self.value_sql(name)
        value, stored = self.value_sql(name), self.stored_type(name)
        if not _has_point(stored):
            return value
        value = f"CASE WHEN {value} = 0 THEN CAST(0 AS {stored}) ELSE {value} END"  # 0 and -0 are equal
        return self.with_mark(f"({value})") if as_text else value

    def spelling_sql(self, name: str) -> str:
        """Give the SQL expression over `base` of all that a reader may see of the column's values, in any file.

        Neither text nor values alone will do: 0 equals -0 and is written otherwise, and different lists may look alike.
        """
        text, value = (self.written_sql(name, as_text=as_text) for as_text in (True, False))
        if text == value and self.stored_type(name) == "VARCHAR":
            return text
        return f"ROW(CAST({text} AS VARCHAR), CAST({value} AS VARCHAR), {value})"

    def moment_sql(self, name: str, moment: str, *, as_text: bool) -> str:
        """Give the SQL expression of what is written for a moment that replaces one of the column: as they came."""
        if as_text and name in self.source.dates:
            return f"strftime({moment}, {literal(self.source.dates[name][1])})"
        return f"CAST({moment} AS DATE)" if self.stored_type(name) == "DATE" else moment

    def with_mark(self, number: str) -> str:
        """Give the SQL expression of a number as text, with the decimal mark of the file."""
        if self.dialect.decimal == ".":
            return number
        return f"replace(CAST({number} AS VARCHAR), '.', {literal(self.dialect.decimal)})"

    def storage(self, name: str) -> Storage:
        """Say what the column holds."""
        check_known(name, self.names)
        if name in self.replaced:
            kinds = {"M": Storage.DATE, "O": storage_of(self.stored_type(name))}
            return kinds.get(self.replaced[name].dtype.kind, Storage.NUMERIC)
        return storage_of(self.stored_type(name))

    def numeric(self, name: str) -> NumericColumn:
        """Give the column as numbers; InvalidData where it is not numeric."""
        check_known(name, self.names)
        if name in self.replaced:
            array = self.replaced[name]
            return NumericColumn(np.ma.filled(array.astype(np.float64), np.nan), array.dtype.kind in "iu")
        column = self._read_numbers(name)
        return column if self.rows is None else replace(column, values=column.values[self.rows])

    def _read_numbers(self, name: str) -> NumericColumn:
        stored = self.stored_type(name)
        if storage_of(stored) is not Storage.NUMERIC:
            raise not_numeric(name, f"{storage_of(stored)} values ({stored})")
        return NumericColumn(self.fetch_floats(f"CAST({self.value_sql(name)} AS DOUBLE)"), self.is_integer(name))

    def is_integer(self, name: str) -> bool:
        """Say whether the file stores the column as whole numbers."""
        stored = self.stored_type(name)
        return stored in INTEGERS or stored.endswith(",0)")

    def fetch_floats(self, expression: str) -> FloatArray:
        """Evaluate an expression over `base` to floats, NaN where NULL."""
        values = self.source.database.fetch(f"SELECT {expression} AS x FROM base")["x"]
        floats: FloatArray = np.ma.filled(values.astype(np.float64), np.nan)
        return floats

    def codes(self, name: str) -> IntArray:
        """Give whole numbers that are equal where the values are equal."""
        check_known(name, self.names)
        if name in self.replaced:
            if self.replaced[name].dtype.kind == "O":  # may hold text and numbers, which have no order
                numbers: dict[Any, int] = {}
                values = self.replaced[name].tolist()
                return np.array([numbers.setdefault((type(v), v), len(numbers)) for v in values], dtype=np.int64)
            array = self.replaced[name]
            codes: IntArray = np.unique(np.ma.getdata(array), return_inverse=True)[1].astype(np.int64)
            return np.where(np.ma.getmaskarray(array), -1, codes)
        return self._first_rows(self.value_sql(name))

    def spellings(self, name: str) -> IntArray:
        """Give whole numbers that are equal only where the values are written alike."""
        check_known(name, self.names)
        return self.codes(name) if name in self.replaced else self._first_rows(self.spelling_sql(name))

    def _first_rows(self, expression: str) -> IntArray:
        """Give for each record the first row of the file in which an expression has the same value."""
        first_rows = self.source.database.fetch(
            f"SELECT rowid AS r, min(rowid) OVER (PARTITION BY {expression}) AS first FROM base"
        )
        codes = np.empty(self.source.n_records, dtype=np.int64)
        codes[first_rows["r"]] = first_rows["first"]
        return codes if self.rows is None else codes[self.rows]

    def n_alone(self, names: Collection[str]) -> dict[str, int]:
        """Say how many records have a value, as it is written, that no other record has."""
        database = self.source.database
        written = {name: f"CAST({self.written_sql(name, as_text=True)} AS VARCHAR)" for name in names}
        alone = {}
        with self._kept() as kept:
            if self.n_records > MANY:
                for name, text in written.items():
                    single = f"SELECT 1 FROM base{kept} GROUP BY {text} HAVING count(*) = 1"
                    alone[name] = int(database.value(f"SELECT count(*) FROM ({single})"))
                return alone
            # Of few records, many columns in one query: each query takes time for every column that there is.
            for part in batched(names, COLUMNS_AT_ONCE):
                with database.plainly(len(part)):
                    asked = ", ".join(written[name] for name in part)
                    rows = database.connection.execute(f"SELECT {asked} FROM base{kept}").fetchall()
                for name, values in zip(part, zip(*rows, strict=True), strict=True):
                    alone[name] = sum(count == 1 for count in Counter(values).values())
            return alone

    def n_alone_together(self, names: Collection[str]) -> int:
        """Say how many records have a combination of values, as they are written, that no other record has."""
        if not names:
            return 0
        if any(name in self.replaced for name in names):
            return int((class_sizes(np.column_stack([self.codes(name) for name in names])) == 1).sum())
        written = ", ".join(self.written_sql(name, as_text=True) for name in names)
        with self._kept() as kept, self.source.database.plainly(len(names)):
            alone = f"SELECT 1 FROM base{kept} GROUP BY {written} HAVING count(*) = 1"
            return int(self.source.database.value(f"SELECT count(*) FROM ({alone})"))

    def n_distinct(self, names: Collection[str]) -> dict[str, int]:
        """Say how many different values, as they are written, each of these columns has."""
        counts = {name: len(np.unique(self.codes(name))) for name in names if name in self.replaced}
        asked = [name for name in names if name not in self.replaced]
        with self._kept() as kept:
            # Of many records one column at a time, so that what was seen of each need not be held together.
            for part in batched(asked, COLUMNS_AT_ONCE if self.n_records <= MANY else 1):
                counted = ", ".join(f"count(DISTINCT {self.peek_sql(name)})" for name in part)
                counts.update(zip(part, self.source.database.row(f"SELECT {counted} FROM base{kept}"), strict=True))
        return counts

    def peek(self, names: Collection[str], rows: IntArray) -> dict[str, list[Any]]:
        """Give values of some records as Python objects."""
        values = {name: self.values_at(name, rows) for name in names if name in self.replaced}
        base_rows = np.asarray(rows) if self.rows is None else self.rows[rows]
        database = self.source.database
        view = database.register({"r": base_rows, "p": np.arange(len(base_rows))})
        joined = f"{view} AS new JOIN base ON base.rowid = new.r ORDER BY new.p"
        try:
            for part in batched([name for name in names if name not in self.replaced], COLUMNS_AT_ONCE):
                asked = ", ".join(f"{self.peek_sql(name)} AS x{place}" for place, name in enumerate(part))
                with database.plainly(len(part)):
                    fetched = database.connection.execute(f"SELECT {asked} FROM {joined}").fetchall()
                columns = zip(*fetched, strict=True) if fetched else [()] * len(part)
                values.update({name: list(column) for name, column in zip(part, columns, strict=True)})
        finally:
            database.connection.unregister(view)
        return values

    def peek_sql(self, name: str) -> str:
        """Give the SQL expression over `base` of values to be looked at."""
        stored = self.stored_type(name)
        # Python would need a package of its own for time zones; lists and structures are looked at as text.
        plain = storage_of(stored) is not Storage.OTHER and "TIME ZONE" not in stored
        return self.value_sql(name) if plain else f"CAST({self.value_sql(name)} AS VARCHAR)"

    def described(self, name: str) -> Described:
        """Say what is said of the column beside its values: nothing, unless it was recoded."""
        check_known(name, self.names)
        return self.recodings.get(name, Described())

    @contextmanager
    def _kept(self) -> Iterator[str]:
        """Give the SQL condition that leaves out the rows that are not there any more."""
        if self.rows is None:
            yield ""
            return
        view = self.source.database.register({"r": self.rows})
        try:
            yield f" WHERE base.rowid IN (SELECT r FROM {view})"
        finally:
            self.source.database.connection.unregister(view)

    def categories(self, name: str) -> CategoryColumn:
        """Give the column as categories."""
        classes = in_order(self.codes(name))
        values = self.values_at(name, np.unique(classes, return_index=True)[1])
        there = np.array([value is not None for value in values])
        number = np.where(there, np.cumsum(there) - 1, -1)
        return CategoryColumn(number[classes], tuple(value for value in values if value is not None))

    def values_at(self, name: str, rows: IntArray) -> list[Any]:
        """Give the values of some records as Python objects, None where missing."""
        if name in self.replaced:
            values = self.replaced[name][rows].tolist()
            return [None if value is None or value != value else value for value in values]
        base_rows = rows if self.rows is None else self.rows[rows]
        view = self.source.database.register({"r": base_rows, "p": np.arange(len(rows))})
        try:
            values = self.source.database.connection.execute(
                f"SELECT {self.value_sql(name)} FROM {view} AS new JOIN base ON base.rowid = new.r ORDER BY new.p"
            ).fetchall()
        finally:
            self.source.database.connection.unregister(view)
        return [row[0] for row in values]

    def dates(self, name: str) -> FloatArray:
        """Give the column of dates as seconds since 1970."""
        if self.storage(name) is not Storage.DATE:
            raise not_dates(name, f"{self.storage(name)} values")
        if name in self.replaced:
            return seconds(self.replaced[name])
        moments = self.fetch_floats(f"epoch_us(CAST({self.value_sql(name)} AS TIMESTAMP))") / 1e6
        return moments if self.rows is None else moments[self.rows]

    def read_dates(self, name: str, form: str) -> bool:
        """Tables with types hold text as text."""
        return False

    def with_columns(self, columns: Mapping[str, npt.NDArray[np.generic]]) -> Self:
        """Replace these columns by arrays of numbers."""
        checked = check_replacements(columns, self.names, self.n_records)
        fitted = {name: fit(array, self._stored_dtype(name)) for name, array in checked.items()}
        return replace(self, replaced={**self.replaced, **fitted})

    def _stored_dtype(self, name: str) -> npt.DTypeLike:
        if name in self.replaced:
            return self.replaced[name].dtype
        return NUMPY_TYPES.get(self.source.types[name], np.float64)

    def recoded(self, columns: Mapping[str, RecodedColumn]) -> Self:
        """Put others in the place of these columns."""
        if not columns:
            return self
        database, views = self.source.database, {}
        try:
            for name, column in columns.items():
                check_known(name, self.names)
                values = column.values
                if self.rows is not None:
                    values = np.full(self.source.n_records, np.nan)
                    values[self.rows] = column.values
                views[name] = database.register({"x": np.ascontiguousarray(values)})
            return self.attached(columns, views)
        finally:
            for view in views.values():
                database.connection.unregister(view)

    def attached(self, columns: Mapping[str, RecodedColumn], relations: Mapping[str, str]) -> Self:
        """Put others in the place of columns: for each, the numbers or codes `x` of a relation, row by row of `base`.

        The rows of `base` keep their numbers, and its old columns stay beside the new ones: other tables may read them.
        """
        database, source = self.source.database, self.source
        n_columns = int(database.value("SELECT count(*) FROM (DESCRIBE base)"))
        selected, joined, stored_in, types = ["base.*"], ["base"], dict(source.columns), dict(source.types)
        for place, (name, column) in enumerate(columns.items()):
            stored_in[name] = f"c{n_columns + place}"
            expression, types[name] = self._attached_sql(name, column, f"work{place}", relations[name])
            selected.append(f"{expression} AS {stored_in[name]}")
            joined.append(f"{relations[name]} AS work{place}")
        with database.plainly(n_columns):
            database.connection.execute(
                f"CREATE TABLE wider AS SELECT {', '.join(selected)} FROM {' POSITIONAL JOIN '.join(joined)}; "
                "DROP TABLE base; ALTER TABLE wider RENAME TO base"
            )
        known = {name: kind for name, kind in source.known_types.items() if name not in columns}
        texts = [name for name, column in columns.items() if column.texts is not None]
        return replace(
            self,
            source=DuckSource(
                database,
                stored_in,
                types,
                {**known, **dict.fromkeys(texts, "VARCHAR")},
                {name: forms for name, forms in source.dates.items() if name not in columns},
            ),
            replaced={name: array for name, array in self.replaced.items() if name not in columns},
            unified=self.unified - set(columns),
            recodings=descriptions(self.recodings, columns),
        )

    def _attached_sql(self, name: str, column: RecodedColumn, work: str, relation: str) -> tuple[str, str]:
        """Give the SQL expression of what stands in the place of a column, and its type."""
        database, number = self.source.database, f"nullif({work}.x, 'NaN')"
        if column.texts is None:
            ends = database.row(f"SELECT min(x), max(x) FROM {relation} WHERE NOT isnan(x)")
            stored = self._recoded_type(name, whole=column.is_integer, ends=ends)
            return f"CAST({number} AS {stored})", stored
        if not column.texts:
            return "CAST(NULL AS VARCHAR)", "VARCHAR"
        texts = np.empty(len(column.texts), dtype=object)
        texts[:] = column.texts
        view = database.register({"code": np.arange(len(texts)), "text": texts})
        try:
            database.connection.execute(
                f"CREATE OR REPLACE TABLE texts_of_{work} AS SELECT list(text ORDER BY code) AS texts FROM {view}"
            )
        finally:
            database.connection.unregister(view)
        return f"(SELECT texts FROM texts_of_{work})[CAST({number} AS BIGINT) + 1]", "VARCHAR"

    def _recoded_type(self, name: str, *, whole: bool, ends: tuple[Any, ...]) -> str:
        """Give the type of numbers between two ends: that of the column that they replace, where it can hold them."""
        stored = self.source.types[name]
        for kind in (stored, "BIGINT") if whole else ():
            limits = np.iinfo(np.dtype(NUMPY_TYPES[kind]).name) if kind in INTEGERS & NUMPY_TYPES.keys() else None
            if limits is not None and (ends[0] is None or (limits.min <= ends[0] and ends[1] < limits.max)):
                return kind
        return "FLOAT" if stored == "FLOAT" else "DOUBLE"

    def unify(self, names: Collection[str]) -> Self:
        """Let equal values of these columns be written alike: as their type is, where the file has several ways."""
        several = {name for name in names if self._has_several_spellings(name)}
        return replace(self, unified=self.unified | several) if several else self

    def _has_several_spellings(self, name: str) -> bool:
        check_known(name, self.names)
        if name in self.replaced:
            return False
        most = f"SELECT count(DISTINCT {self.spelling_sql(name)}) + max(CAST({self.spelling_sql(name)} IS NULL AS INT))"
        return bool(
            self.source.database.value(
                f"SELECT max(n) > 1 FROM ({most} AS n FROM base GROUP BY {self.value_sql(name)})"
            )
        )

    def without(self, names: Collection[str]) -> Self:
        """Leave these columns out."""
        for name in names:
            check_known(name, self.names)
        kept = tuple(name for name in self.names if name not in names)
        return replace(self, names=kept, replaced={n: a for n, a in self.replaced.items() if n in kept})

    def take(self, rows: IntArray) -> Self:
        """Keep these rows, in this order."""
        rows = check_rows(rows, self.n_records)
        return replace(
            self,
            rows=rows if self.rows is None else self.rows[rows],
            replaced={name: array[rows] for name, array in self.replaced.items()},
        )

    def native(self) -> Any:
        """Give a DuckDB relation: `.df()`, `.pl()`, `.arrow()`, `.fetchnumpy()` make other things of it."""
        sql, _ = self._query(as_text=False)
        return self.source.database.connection.sql(sql)

    def records(self) -> list[tuple[Any, ...]]:
        """Give the records as Python values."""
        with self._select(as_text=False) as sql:
            connection = self.source.database.connection
            types = [row[1] for row in connection.execute(f"DESCRIBE {sql}").fetchall()]
            # Python would need a package of its own for time zones: they leave as text.
            shown = [f"CAST(c{i} AS VARCHAR)" if "TIME ZONE" in t else f"c{i}" for i, t in enumerate(types)]
            columns = ", ".join(f"c{i}" for i in range(len(types)))
            return connection.execute(f"SELECT {', '.join(shown)} FROM ({sql}) AS records({columns})").fetchall()

    def copy(self, path: Path, options: str, *, as_text: bool, escape_formulas: bool = False) -> None:
        """Write the table to a file, with these options of COPY; text that looks like a formula as text if asked."""
        import duckdb

        with self._select(as_text=as_text, escape_formulas=escape_formulas) as sql:
            try:
                self.source.database.connection.execute(
                    f"COPY ({sql}) TO {literal(str(path))} ({options}, USE_TMP_FILE false)"
                )
            except duckdb.IOException as error:
                raise cannot_write(path, error) from error

    @contextmanager
    def _select(self, *, as_text: bool, escape_formulas: bool = False) -> Iterator[str]:
        sql, view = self._query(as_text=as_text, escape_formulas=escape_formulas)
        try:
            with self.source.database.plainly(len(self.names)):
                yield sql
        finally:
            if view is not None:
                self.source.database.connection.unregister(view)

    def count_formulas(self) -> int:
        """Count the cells of text, names of columns among them, that programs take for formulas in a text file."""
        n_in_names = sum(escaped(name) != name for name in self.names) if self.dialect.header else 0
        columns = [f"x{position}" for position in range(len(self.names))]
        texts = [column for column, name in zip(columns, self.names, strict=True) if may_hold(self, name)]
        if not texts:
            return n_in_names
        cells = " + ".join(f"count(*) FILTER ({is_formula_sql(f'CAST({text} AS VARCHAR)')})" for text in texts)
        with self._select(as_text=True) as sql:
            return n_in_names + int(
                self.source.database.value(f"SELECT {cells} FROM ({sql}) AS cell({', '.join(columns)})")
            )

    def _query(self, *, as_text: bool, escape_formulas: bool = False) -> tuple[str, str | None]:
        """Give the query of the whole table, and the view over arrays that it needs, if any."""
        arrays: dict[str, npt.NDArray[Any]] = {}
        replaced: dict[str, str] = {}
        for position, name in enumerate(self.names):
            if name in self.replaced:
                arrays[f"v{position}"] = self.replaced[name].copy()
                expression = f"new.v{position}"
                if self.replaced[name].dtype.kind == "f":
                    expression = f"nullif({expression}, 'NaN')"
                if self.replaced[name].dtype.kind == "M":
                    expression = self.moment_sql(name, expression, as_text=as_text)
                if as_text and self.replaced[name].dtype.kind == "f":
                    expression = self.with_mark(expression)
                replaced[name] = expression
        selected = self.selected(replaced, as_text=as_text, escape_formulas=escape_formulas)
        from_base = len(self.replaced) < len(self.names)
        tables, order = "base", ""
        if from_base and self.rows is not None:
            arrays |= {"r": np.ascontiguousarray(self.rows), "p": np.arange(self.n_records)}
            tables, order = "{view} AS new JOIN base ON base.rowid = new.r", " ORDER BY new.p"
        elif from_base and arrays:
            tables = "base POSITIONAL JOIN {view} AS new"
        elif arrays:
            tables = "{view} AS new"
        view = self.source.database.register(arrays) if arrays else None
        return f"SELECT {selected} FROM {tables.format(view=view)}{order}", view

    def selected(self, replaced: Mapping[str, str], *, as_text: bool, escape_formulas: bool = False) -> str:
        """Give what to select: the SQL expressions of columns that were replaced, and the others as they are."""
        expressions = []
        for position, name in enumerate(self.names):
            expression = replaced[name] if name in replaced else self.written_sql(name, as_text=as_text)
            if escape_formulas and may_hold(self, name):
                expression = escaped_sql(expression)
            if as_text and len(self.names) == 1:
                # An empty line is no record for most readers; a quoted nothing is.
                expression = f"coalesce(CAST({expression} AS VARCHAR), '')"
            # A column without a name can have none in SQL either; text files get their header from elsewhere.
            expressions.append(f"{expression} AS {identifier(name or f'column_{position + 1}')}")
        return ", ".join(expressions)


def batched(names: Collection[str], size: int) -> Iterator[list[str]]:
    """Give names a few at a time.

    >>> list(batched(["a", "b", "c"], 2))
    [['a', 'b'], ['c']]
    """
    left = iter(names)
    while part := list(islice(left, size)):
        yield part


def from_arrays(columns: Mapping[str, npt.NDArray[Any]]) -> DuckTable:
    """Make a table of arrays of numbers or of Python objects, masked or None where missing.

    >>> from_arrays({"age": np.array([30, 40]), "city": np.array(["Oslo", None], dtype=object)}).storage("city")
    <Storage.TEXT: 'text'>
    """
    import duckdb

    database = Database()
    try:
        view = database.register({f"c{i}": array for i, array in enumerate(columns.values())})
        described = {row[0]: row[1] for row in database.connection.execute(f"DESCRIBE {view}").fetchall()}
    except duckdb.Error as error:
        raise _not_for_files(columns, error) from error
    # A column of nothing but missing values has no type of its own.
    select = ", ".join(f"CAST({c} AS VARCHAR) AS {c}" if t.strip('"') == "NULL" else c for c, t in described.items())
    try:
        database.connection.execute(f"CREATE TABLE base AS SELECT {select} FROM {view}")
    except duckdb.Error as error:
        raise _not_for_files(columns, error) from error
    database.connection.unregister(view)
    return DuckTable(describe(database, tuple(columns)), tuple(columns))


def _not_for_files(columns: Mapping[str, npt.NDArray[Any]], error: Exception) -> InvalidData:
    """Build the error for arrays that the database does not take, without the values that it quotes."""
    named = ", ".join(repr(name) for name, array in columns.items() if array.dtype.kind == "O")
    said = type(error).__name__
    return InvalidData(
        f"A column of {named} holds values that no file can hold ({said}): objects, or text that is no Unicode. "
        "Convert it to text or numbers, or leave it out."
    )


def describe(database: Database, names: tuple[str, ...]) -> DuckSource:
    """Give the source for a `base` whose columns are c0, c1, ... and have these names in the file."""
    types = [row[1] for row in database.connection.execute("DESCRIBE base").fetchall()]
    return DuckSource(
        database,
        columns={name: f"c{position}" for position, name in enumerate(names)},
        types=dict(zip(names, types, strict=True)),
    )


def storage_of(stored: str) -> Storage:
    """Say what a DuckDB type holds.

    >>> storage_of("DECIMAL(18,3)"), storage_of("VARCHAR")
    (<Storage.NUMERIC: 'numeric'>, <Storage.TEXT: 'text'>)
    """
    if stored.endswith("]"):
        return Storage.OTHER
    if stored in INTEGERS or _has_point(stored) or stored.startswith("DECIMAL"):
        return Storage.NUMERIC
    if stored == "VARCHAR" or stored.startswith("ENUM"):
        return Storage.TEXT
    if stored == "BOOLEAN":
        return Storage.BOOLEAN
    return Storage.DATE if stored.startswith(("DATE", "TIMESTAMP")) else Storage.OTHER


def identifier(name: str) -> str:
    """Quote a name for SQL."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Quote a text for SQL."""
    return "'" + text.replace("'", "''") + "'"


def _has_point(stored: str) -> bool:
    return stored in ("FLOAT", "DOUBLE") or (stored.startswith("DECIMAL") and not stored.endswith(("]", ",0)")))


def cannot_write(path: Path, error: Exception) -> FileProblem:
    """Build the error for a file that DuckDB cannot write."""
    return FileProblem(f"Cannot write {path.parent}: {_first_line(error)}.")


@contextmanager
def within_limits() -> Iterator[None]:
    """Say what to do where DuckDB, or a spool beside it, runs out of memory or of disk."""
    import duckdb

    try:
        yield
    except duckdb.OutOfMemoryException as error:
        raise InvalidOption(
            "the memory that was allowed is too little for this file: give more, such as memory='2GB'."
        ) from error
    except duckdb.IOException as error:
        raise FileProblem(f"Cannot spool the file to disk: {_first_line(error)}.") from error
    except FileProblem:
        raise
    except OSError as error:
        raise FileProblem(f"Cannot spool the file to disk: {error.strerror or error}.") from error


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0].removeprefix("IO Error: ")
