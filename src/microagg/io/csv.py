"""Delimited text: CSV, TSV and their gzipped forms.

Columns are kept as the text that stands in the file, so that what nobody touches leaves as it came ("007", "1.50",
dates as written). A column becomes numbers when it is asked for. Columns that are known to be replaced may be named
beforehand (`numeric`): they are read as numbers at once, which takes about two thirds of the time.
"""

# ruff: noqa: S608 - identifiers in our SQL are our own (c0, c1, ...); every text of others goes through literal().

from __future__ import annotations

import codecs
import gzip
import io
import re
from collections.abc import Collection, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any, Self, TypeVar

import numpy as np

from microagg.base.dates import DateForm, fitting_forms, says_date
from microagg.base.table import NumericColumn, RecodedColumn
from microagg.errors import FileProblem, InvalidData, InvalidOption
from microagg.io import feed
from microagg.io.columns import CONVERT, check_known, check_names
from microagg.io.dialect import SAMPLE_ROWS, Dialect, detect, is_number
from microagg.io.duck import Database, DuckTable, Spool, describe, literal
from microagg.io.formulas import escaped

Read = TypeVar("Read")
MISSING_MARKS = ("", "NA", "N/A", "NaN", "NULL", "?", ".")
"""What stands for a missing number, beside nothing at all. In columns of text these are text like any other; a column
of nothing else is one of missing numbers."""

SAMPLE_BYTES = 1 << 20
AT_ONCE = 1000
"""How many columns are looked at in one query."""
LOOKED_AT = 1000
"""In how many values the form of dates is looked for, before all are looked at."""
PADDED = 4
"""Whole numbers of one length are not read as numbers at once from so many digits on: postcodes may begin with 0."""
EXACT = 2**53
"""Beyond this, floats skip whole numbers."""

MIXED_LINES = "its lines end in different ways, or a quote is out of place. Save it anew from the program that made it."

UTF8 = ("utf-8", "utf-8-sig")
_BYTE_ORDER_MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}


@dataclass(frozen=True)
class CsvTable(DuckTable):
    """A table of a text file: columns of `base` are VARCHAR, or DOUBLE where numbers were read at once."""

    missing_marks: tuple[str, ...] = MISSING_MARKS
    whole: frozenset[str] = frozenset()
    """The columns read at once whose numbers are all whole."""
    gap_text: frozenset[str] = frozenset()
    """The columns in which marks of missing numbers stand for missing text too."""
    first_line: int = 2
    """The line of the file on which the records begin."""
    encoding: str = "utf-8"
    """How the file that it came from is encoded."""

    def stored_type(self, name: str) -> str:
        """Give the narrowest type that holds every value: found by looking at all of them, once.

        Whole numbers with leading zeros, or of more digits than 64 bits hold, are codes and so text. Dates are known in
        the form of ISO 8601, and in others (`microagg.base.dates`) where all values have the same one. A column that
        holds marks of missing numbers alone holds numbers.
        """
        if self._is_text(name):
            known = self.source.known_types
            if name not in known:
                known[name] = self._find_type(name)
            return known[name]
        return "BIGINT" if name in self.whole else "DOUBLE"

    def value_sql(self, name: str) -> str:
        """Give the SQL expression of the values."""
        stored = self.stored_type(name)
        if not self._is_text(name):
            return f"CAST(nullif({self._column(name)}, 'NaN') AS {stored})"
        if stored in ("BIGINT", "DOUBLE"):
            return f"CASE WHEN {self._is_missing(name)} THEN NULL ELSE {self._cast(name, stored)} END"
        if name in self.source.dates:
            return f"CASE WHEN NOT ({self._is_missing(name)}) THEN {self._date_sql(name, stored)} END"
        text = f"nullif({self._column(name)}, '')"
        if name in self.gap_text and stored == "VARCHAR":
            return f"CASE WHEN NOT ({self._is_missing(name)}) THEN {text} END"
        return text if stored == "VARCHAR" else f"CAST(nullif(trim({self._column(name)}), '') AS {stored})"

    def text_sql(self, name: str) -> str:
        """Give the SQL expression of the text as it stands in the file."""
        return f"nullif({self._column(name)}, '')" if self._is_text(name) else super().text_sql(name)

    def peek_sql(self, name: str) -> str:
        """Give the SQL expression of the text as it stands in the file, where it was kept."""
        if not self._is_text(name):
            return super().peek_sql(name)
        return f"CASE WHEN NOT ({self._is_missing(name)}) THEN {self._column(name)} END"

    def _read_numbers(self, name: str) -> NumericColumn:
        if not self._is_text(name):
            return NumericColumn(self.fetch_floats(f"base.{self.source.columns[name]}"), name in self.whole)
        number, present = self._cast(name, "DOUBLE"), f"NOT ({self._is_missing(name)})"
        # A mark such as -9 would pass for a number; the others come out as NULL by themselves.
        is_mark_a_number = any(is_number(mark, self.dialect.decimal) for mark in self.missing_marks)
        values = self.fetch_floats(f"CASE WHEN {present} THEN {number} END" if is_mark_a_number else number)
        database = self.source.database
        absent = np.isnan(values)
        if absent.any():
            bad = database.value(f"SELECT min(rowid) FROM base WHERE {present} AND {number} IS NULL")
            if bad is not None:
                marks = ", ".join(repr(mark) for mark in self.missing_marks)
                raise InvalidData(
                    f"Column {name!r} must hold numbers; record {bad + 1} (line {self._line(bad)}) holds something "
                    f"else. Missing numbers may be written as {marks}. {CONVERT}"
                )
        is_integer = bool((values[~absent] == np.floor(values[~absent])).all()) and database.value(
            f"SELECT bool_and(regexp_full_match(trim({self._column(name)}), '[+-]?[0-9]+')) FROM base WHERE {present}"
        )
        return NumericColumn(values, bool(is_integer))

    def attached(self, columns: Mapping[str, RecodedColumn], relations: Mapping[str, str]) -> Self:
        """Put others in the place of columns."""
        table = super().attached(columns, relations)
        whole = {name for name, column in columns.items() if column.texts is None and column.is_integer}
        # Floats of 2^53 and more are all whole, and need not fit into a type of whole numbers.
        largest = {
            name: self.source.database.value(f"SELECT max(abs({table._column(name)})) FROM base") for name in whole
        }
        whole = {name for name in whole if largest[name] is None or largest[name] < EXACT}
        return replace(table, whole=(self.whole - set(columns)) | whole)

    def _recoded_type(self, name: str, *, whole: bool, ends: tuple[Any, ...]) -> str:
        return "DOUBLE"

    def _is_text(self, name: str) -> bool:
        return self.source.types[name] == "VARCHAR"

    def _column(self, name: str) -> str:
        return f"base.{self.source.columns[name]}"

    def _is_missing(self, name: str) -> str:
        return f"trim({self._column(name)}) IN ({', '.join(literal(mark) for mark in self.missing_marks)})"

    def _cast(self, name: str, stored: str) -> str:
        text = self._column(name)
        if stored == "DOUBLE" and self.dialect.decimal == ",":
            # A point has no place in such a number: what has one must not become a number.
            text = f"replace(replace({text}, '.', '!'), ',', '.')"
        return f"TRY_CAST({text} AS {stored})"

    def _find_type(self, name: str) -> str:
        text = f"trim({self._column(name)})"
        number = f"NOT ({self._is_missing(name)})"
        word = f"{text} <> ''"
        date = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
        digits = "(0|[1-9][0-9]*)"
        # For each type, which values must be of it, and what those look like.
        looks = {
            "BIGINT": (number, f"[+-]?{digits}"),
            "DOUBLE": (number, f"[+-]?({digits}[.,][0-9]*|[.,][0-9]+|0|[1-9][0-9]{{0,17}})([eE][+-]?[0-9]+)?"),
            "BOOLEAN": (word, "(?i)true|false"),
            "DATE": (word, date),
            "TIMESTAMP": (word, f"{date}[ T][0-9]{{2}}:[0-9]{{2}}(:[0-9.]+)?"),
        }
        value = self.source.database.value
        for stored, (counted, like) in looks.items():
            fits = f"bool_and(regexp_full_match({text}, '{like}') AND {self._cast(name, stored)} IS NOT NULL)"
            # Most types are out of the question after a few rows.
            if value(
                f"SELECT {fits} FROM (SELECT {self._column(name)} FROM base LIMIT 1000) AS base WHERE {counted}"
            ) is not False and value(f"SELECT {fits} FROM base WHERE {counted}"):
                return (self._find_date(name) or stored) if stored == "BIGINT" and says_date(name) else stored
        # Marks and nothing else are numbers that are all missing; an empty column gives no sign of numbers.
        if value(f"SELECT bool_and({self._is_missing(name)}) AND bool_or({word}) FROM base"):
            return "DOUBLE"
        return self._find_date(name) or "VARCHAR"

    def _find_date(self, name: str) -> str | None:
        """Give the type of a column of dates that are written in another form than that of ISO 8601, and note the form.

        Of day and month that could stand in either order, nothing is known.
        """
        text, there = f"trim({self._column(name)})", f"NOT ({self._is_missing(name)})"
        execute = self.source.database.connection.execute
        first = [row[0] for row in execute(f"SELECT {text} FROM base WHERE {there} LIMIT {LOOKED_AT}").fetchall()]
        fitting = []
        for form in fitting_forms(first, name):
            stored = "TIMESTAMP" if form.has_time else "DATE"
            like = f"regexp_full_match({text}, {literal(form.pattern)})"
            read = f"try_strptime({text}, {literal(form.format)}) IS NOT NULL"
            if self.source.database.value(f"SELECT bool_and({like} AND {read}) FROM base WHERE {there}"):
                fitting.append((stored, form))
        if len(fitting) != 1:
            return None
        ((stored, form),) = fitting
        self.source.dates[name] = (form.format, form.as_written(first))
        return stored

    def read_dates(self, name: str, form: str) -> bool:
        """Read a column as dates in this format from now on; InvalidData where a value is none."""
        check_known(name, self.names)
        if not self._is_text(name) or name in self.replaced:
            return False
        text, there = f"trim({self._column(name)})", f"NOT ({self._is_missing(name)})"
        database = self.source.database
        bad = database.value(
            f"SELECT min(rowid) FROM base WHERE {there} AND try_strptime({text}, {literal(form)}) IS NULL"
        )
        if bad is not None:
            raise InvalidData(
                f"column {name!r} must hold dates in the format {form}; record {bad + 1} (line {self._line(bad)}) "
                "holds something else. Correct it, or give another format: kinds={...: 'date:%d.%m.%Y'}, --kind "
                "NAME=date:%d.%m.%Y."
            )
        first = [
            row[0]
            for row in database.connection.execute(
                f"SELECT {text} FROM base WHERE {there} LIMIT {LOOKED_AT}"
            ).fetchall()
        ]
        self.source.dates[name] = (form, DateForm("", "", form).as_written(first))
        self.source.known_types[name] = "TIMESTAMP" if any(part in form for part in ("%H", "%I", "%M")) else "DATE"
        return True

    def _date_sql(self, name: str, stored: str) -> str:
        return f"CAST(try_strptime(trim({self._column(name)}), {literal(self.source.dates[name][0])}) AS {stored})"

    def _line(self, row: int) -> int:
        """Count the lines up to a record; values may span several."""
        breaks = " + ".join(
            f"coalesce(length({self._column(name)}) - length(replace({self._column(name)}, chr(10), '')), 0)"
            for name in self.source.columns
            if self._is_text(name)
        )
        inside = self.source.database.value(f"SELECT coalesce(sum({breaks}), 0) FROM base WHERE rowid < {int(row)}")
        return self.first_line + int(row) + int(inside)


def read(
    path: Path,
    *,
    numeric: Collection[str] = (),
    verbatim: Collection[str] = (),
    header: bool = True,
    delimiter: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    missing_marks: Collection[str] = MISSING_MARKS,
    spool: Spool | None = None,
) -> CsvTable:
    """Read a delimited text file.

    Parameters
    ----------
    path : Path
        The file; gzipped where its name ends in `.gz`.
    numeric : collection of str, or "*"
        Columns that will be replaced by numbers. They are read as numbers at once, and lose the way in which these
        were written. "*" names all columns but those in `verbatim`.
    verbatim : collection of str
        Columns that "*" does not mean.
    header : bool
        Whether the first line names the columns; if not, they are named column_1, column_2, ..., and the file is
        written without names again.
    delimiter, decimal, encoding : str, optional
        Found from the file where not given: the delimiter is one of `, ; | tab`, the encoding UTF-8, UTF-16 with a
        byte order mark, or else Windows-1252.
    missing_marks : collection of str
        What stands for a missing number.
    spool : Spool, optional
        Where the records go if they need not fit into memory.
    """
    _check_marks(delimiter, decimal)
    given = _Given(numeric, verbatim, header, delimiter, decimal, tuple(dict.fromkeys(("", *missing_marks))))
    encodings = _encodings(path) if encoding is None else (_check_encoding(encoding),)
    database = Database(spool)
    for codec in encodings:
        try:
            return replace(_load(path, None if codec in UTF8 else codec, database, given), encoding=codec)
        except feed.NotText:
            continue
    raise InvalidData(f"{path.name} is not text in the encoding {encodings[-1]}.")


def with_gaps(table: Read, names: Collection[str]) -> Read:
    """Let marks of missing numbers (? or NA) stand for missing text too, in these columns of a text file.

    Other tables say by themselves what is missing.
    """
    if not isinstance(table, CsvTable):
        return table
    return replace(table, gap_text=frozenset(names))


def write(
    table: DuckTable,
    path: Path,
    *,
    delimiter: str | None = None,
    compressed: bool = False,
    escape_formulas: bool = False,
) -> None:
    """Write a delimited text file, with the marks of the file that the table came from; always UTF-8."""
    dialect = table.dialect if delimiter is None else replace(table.dialect, delimiter=delimiter)
    shown = [escaped(name) for name in table.names] if escape_formulas else table.names
    names = dialect.line(shown) + "\n" if dialect.header else ""
    if table.n_records == 0:
        path.write_bytes(gzip.compress(names.encode()) if compressed else names.encode())
        return
    options = ["FORMAT csv", "HEADER false", f"DELIMITER {literal(dialect.delimiter)}"]
    options += [f"QUOTE {literal(dialect.quote)}", f"ESCAPE {literal(dialect.quote)}"]
    options += [f"COMPRESSION {'gzip' if compressed else 'none'}"]
    if names:
        # DuckDB's own header would rename columns whose names differ in case alone. A suffix must go with a prefix.
        options += [f"PREFIX {literal(names)}", f"SUFFIX {literal(chr(10))}"]
    table.copy(path, ", ".join(options), as_text=True, escape_formulas=escape_formulas)


@dataclass(frozen=True)
class _Given:
    """What the caller said of the file."""

    numeric: Collection[str]
    verbatim: Collection[str]
    header: bool
    delimiter: str | None
    decimal: str | None
    missing_marks: tuple[str, ...]


@dataclass(frozen=True)
class _Layout:
    """What the beginning of the file says of the rest."""

    dialect: Dialect
    names: tuple[str, ...]
    blank_lines: int
    """Empty lines before the header."""
    header_lines: int
    newline: str
    """How lines end. DuckDB must be told: it takes the first break that it sees, even one inside a name, and then
    loses every record without a word."""
    n_seen: int
    """How many records the beginning holds at least."""
    samples: dict[str, list[str]]
    """The first values of each column."""


class _NotNumbers(Exception):
    """A column that was to be read as numbers at once holds something else."""


def _load(path: Path, encoding: str | None, database: Database, given: _Given) -> CsvTable:
    """Bring a file in this encoding into the database; None for UTF-8."""
    layout = _layout(_head(path, encoding), path.name, given)
    marks = given.missing_marks
    typed = [
        name
        for name in (layout.names if given.numeric == "*" else given.numeric)
        if not (given.numeric == "*" and name in given.verbatim)
        and all(not value or is_number(value, layout.dialect.decimal) for value in layout.samples[name])
        and not _may_be_padded(layout.samples[name])
    ]
    try:
        return _create(path, encoding, database, layout, typed, marks)
    except _NotNumbers:
        return _create(path, encoding, database, layout, [], marks)


def _layout(text: str, shown: str, given: _Given) -> _Layout:
    body = text.lstrip("\r\n")
    if not body.strip():
        raise InvalidData(f"{shown} is empty: there is no header and there are no records.")
    dialect = detect(body, delimiter=given.delimiter, decimal=given.decimal, header=given.header)
    rows = dialect.rows(body)
    try:
        header_lines, first = next(rows)
    except StopIteration:
        raise InvalidData(f"{shown}: the first line is longer than can be read. Is it delimited text?") from None
    if given.header and all(is_number(value, dialect.decimal) for value in first):
        raise InvalidData(
            f"{shown}: the first line must name the columns; it holds numbers alone. Add a line of names, or say that "
            "there is none (header=False)."
        )
    names = check_names(first if given.header else (f"column_{i}" for i, _ in enumerate(first, start=1)), shown)
    for name in given.numeric if given.numeric != "*" else ():
        check_known(name, names)
    samples: dict[str, list[str]] = {name: [] for name in names}
    n_seen = 0
    for _, row in chain(() if given.header else [(1, first)], islice(rows, SAMPLE_ROWS)):
        for name, value in zip(names, row, strict=False):
            samples[name].append(value)
        n_seen += 1
    *_, first_line = islice(io.StringIO(body, newline=""), header_lines)
    newline = "\\r\\n" if first_line.endswith("\r\n") else "\\r" if first_line.endswith("\r") else "\\n"
    blank_lines = len((text[: len(text) - len(body)] + "end").splitlines()) - 1
    return _Layout(dialect, names, blank_lines, header_lines if given.header else 0, newline, n_seen, samples)


def _create(
    path: Path,
    encoding: str | None,
    database: Database,
    layout: _Layout,
    typed: Collection[str],
    marks: tuple[str, ...],
) -> CsvTable:
    import duckdb

    dialect, names, shown = layout.dialect, layout.names, path.name
    is_fed = encoding is not None or feed.may_expand(path)
    way = database.folder / "text"
    packing = "gzip" if feed.is_gzip(path) and not is_fed else "none"
    types = {f"c{i}": "DOUBLE" if name in typed else "VARCHAR" for i, name in enumerate(names)}
    options = {
        "auto_detect": "false",
        "header": "true" if dialect.header else "false",
        "skip": str(layout.blank_lines),
        "new_line": literal(layout.newline),
        "delim": literal(dialect.delimiter),
        "quote": literal(dialect.quote),
        "escape": literal(dialect.quote),
        "decimal_separator": literal(dialect.decimal),
        "compression": literal(packing),
        "columns": "{" + ", ".join(f"{column}: '{stored}'" for column, stored in types.items()) + "}",
    }
    arguments = ", ".join(f"{option} = {value}" for option, value in options.items())
    source = literal(str(way)) if is_fed else database.link(path)
    try:
        with feed.pipe(path, encoding, way) if is_fed else nullcontext():
            database.connection.execute(
                f"CREATE OR REPLACE TABLE base AS SELECT * FROM read_csv({source}, {arguments})"
            )
    except duckdb.ConversionException as error:
        raise _NotNumbers from error
    except duckdb.IOException as error:
        if feed.is_gzip(path):
            raise InvalidData(f"{shown} is not a whole gzip file.") from error
        raise FileProblem(f"Cannot read {path}: the system refused it on the way. Is it being changed?") from error
    except duckdb.Error as error:
        raise _problem(str(error), shown) from error
    except OSError as error:
        if isinstance(error, FileProblem):
            raise
        raise FileProblem(f"Cannot read {path}: {error.strerror or error}.") from error
    table = CsvTable(
        describe(database, names),
        names,
        dialect=dialect,
        missing_marks=marks,
        first_line=layout.blank_lines + layout.header_lines + 1,
    )
    if table.n_records < layout.n_seen:
        raise InvalidData(f"{shown}: {MIXED_LINES}")
    return replace(table, whole=_whole_columns(table, layout, typed))


def _may_be_padded(samples: Collection[str]) -> bool:
    """Say whether whole numbers have zeros before them, or may have them further on: they all have one length.

    As numbers they would lose the zeros; as text they are looked at in full when they are asked for.
    """
    written = [value.strip() for value in samples if value.strip()]
    if not written or not all(value.isdigit() for value in written):
        return any(value.isdigit() and len(value) > 1 and value[0] == "0" for value in written)
    lengths = {len(value) for value in written}
    return any(len(value) > 1 and value[0] == "0" for value in written) or (
        len(lengths) == 1 and lengths.pop() >= PADDED
    )


def _whole_columns(table: CsvTable, layout: _Layout, typed: Collection[str]) -> frozenset[str]:
    """Give the columns read as numbers that are written without decimal marks, as far as we saw, and are whole."""
    database = table.source.database
    whole = set()
    likely = []
    for name in typed:
        written = [value.strip() for value in layout.samples[name] if value.strip() not in table.missing_marks]
        if written and all(value.lstrip("+-").isdigit() for value in written):
            likely.append(name)
    for start in range(0, len(likely), AT_ONCE):
        names = likely[start : start + AT_ONCE]
        columns = [f"nullif({table.source.columns[name]}, 'NaN')" for name in names]
        asked = ", ".join(f"max(abs({column})), bool_and({column} = floor({column}))" for column in columns)
        with database.plainly(len(names)):
            facts = database.row(f"SELECT {asked} FROM base")
        for name, largest, is_whole in zip(names, facts[::2], facts[1::2], strict=True):
            if largest is not None and largest >= EXACT and is_whole:
                # As floats, different numbers could become equal: keep them as text.
                database.connection.execute("DROP TABLE base")
                raise _NotNumbers
            if is_whole:
                whole.add(name)
    return frozenset(whole)


def _problem(message: str, shown: str) -> Exception:
    """Say what is wrong with a file that DuckDB refused, without the values that it quotes."""
    line = re.search(r"CSV Error on Line: (\d+)", message)
    where = f"{shown}, line {line[1]}" if line else shown
    counts = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", message)
    if "not utf-8" in message:
        return feed.NotText()
    if counts:
        return InvalidData(
            f"{where}: there must be {counts[1]} values, as in the first line; there are {counts[2]}. Values that hold "
            "the delimiter must be quoted."
        )
    if "quote" in message.partition("Possible")[0]:
        return InvalidData(f"{where}: a quoted value does not end, or goes on after its closing quote.")
    if "invalid state" in message:
        return InvalidData(f"{where}: {MIXED_LINES}")
    if "Maximum line size" in message:
        return InvalidData(f"{where}: the line is longer than 2 MB. Is a closing quote missing?")
    return InvalidData(f"{where}: this cannot be read as delimited text.")


def _check_marks(delimiter: str | None, decimal: str | None) -> None:
    if delimiter is not None and (len(delimiter) != 1 or delimiter in "\r\n\"'"):
        raise InvalidOption(f"delimiter must be one character, such as ';'; got {delimiter!r}.")
    if decimal not in (None, ".", ","):
        raise InvalidOption(f"decimal must be '.' or ','; got {decimal!r}.")
    if delimiter is not None and delimiter == decimal:
        raise InvalidOption(f"delimiter and decimal must differ; got {delimiter!r} for both.")


def _check_encoding(encoding: str) -> str:
    """Give the name that Python has for an encoding of text."""
    try:
        b"".decode(encoding)  # refuses codecs that do not make text of bytes
        codecs.getincrementaldecoder(encoding)
        return codecs.lookup(encoding).name
    except (LookupError, ValueError) as error:
        raise InvalidOption(f"encoding must be one that Python knows, such as cp1250; got {encoding!r}.") from error


def _head(path: Path, encoding: str | None) -> str:
    """Give the first lines of the file, whole ones if there are any."""
    head = feed.head(path, SAMPLE_BYTES)
    if encoding is None:
        text = head.decode("utf-8-sig", errors="replace")
    else:
        try:
            text = codecs.getincrementaldecoder(encoding)().decode(head).removeprefix("\ufeff")
        except UnicodeError as error:
            raise feed.NotText from error
    if len(head) < SAMPLE_BYTES:
        return text
    return text[: text.rfind("\n") + 1] or text


def _encodings(path: Path) -> tuple[str, ...]:
    """Give the encodings that the file may have, the likeliest first, by how it begins."""
    head = feed.head(path, SAMPLE_BYTES)
    for mark, encoding in _BYTE_ORDER_MARKS.items():
        if head.startswith(mark):
            return (encoding,)
    if b"\0" in head:
        raise InvalidData(f"{path.name} is no text: it holds zero bytes. Give its encoding if it is text after all.")
    # Five bytes mean nothing in Windows-1252; Latin-1 gives every byte a meaning.
    others = ("cp1252", "latin-1")
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return others
    return ("utf-8", *others)
