"""Read and write files and frames: whatever comes in becomes a `Table`, whatever leaves is written whole.

A new format costs its file, one line in FORMATS, and its row in the tests.
"""

from __future__ import annotations

import hashlib
import importlib
import os
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from microagg.base.table import Table
from microagg.errors import FileProblem, InvalidData, InvalidOption, MissingExtra
from microagg.files.atomic import PRIVATE, PUBLIC, atomic_path, atomic_paths, check_different
from microagg.io.duck import DuckTable, Spool, from_arrays, within_limits
from microagg.io.frames import FrameTable, wrap
from microagg.io.spooled import Chunk, SpooledColumn, SpooledRelease, SpooledTable, distinct_values


@dataclass(frozen=True)
class Format:
    """A kind of file.

    Attributes
    ----------
    name : str
        For people.
    suffix : str
        How the file's name ends.
    module : str
        The module of this package that reads and writes it; imported when used.
    options : tuple of str
        What `read` can be told about such a file.
    hints : bool
        True where it helps to know beforehand which columns will be replaced.
    writes : dict
        What `write` tells the module about this suffix.
    database : bool
        True where the module writes tables that lie in DuckDB, and others must be brought there first.
    formulas : bool
        True where programs that open such a file may take text for formulas.
    extra : str, optional
        The optional part of microagg that it needs.
    """

    name: str
    suffix: str
    module: str
    options: tuple[str, ...] = ()
    hints: bool = False
    writes: dict[str, Any] = field(default_factory=dict)
    database: bool = False
    formulas: bool = False
    extra: str | None = None

    def load(self) -> ModuleType:
        """Import the module, or say which extra is missing."""
        try:
            return importlib.import_module(f"microagg.io.{self.module}")
        except ModuleNotFoundError as error:
            raise MissingExtra(
                f"{self.name} files (*{self.suffix}) need {error.name}, which is not installed. "
                f"Install it with: pip install 'microagg[{self.extra}]'"
            ) from error

    def read(self, path: Path, **options: Any) -> Table:
        """Read a file."""
        table: Table = self.load().read(path, **options)
        return table

    def write(self, table: Table | SpooledRelease, path: Path, *, escape_formulas: bool = False) -> None:
        """Write a file, not atomically: `microagg.io.write` does."""
        module = self.load()
        ready = table.to_duck() if self.database and isinstance(table, FrameTable) else table
        more = {"escape_formulas": escape_formulas} if self.formulas else {}
        module.write(ready, path, **self.writes, **more)


def _text(name: str, suffix: str, **writes: Any) -> Format:
    options = ("header", "delimiter", "decimal", "encoding", "missing_marks")
    return Format(name, suffix, "csv", options, hints=True, writes=writes, database=True, formulas=True)


def _statistics(name: str, suffix: str) -> Format:
    return Format(name, suffix, "statistics", writes={"suffix": suffix}, extra="io")


FORMATS: dict[str, Format] = {
    f.suffix: f
    for f in (
        _text("CSV", ".csv"),
        _text("CSV", ".csv.gz", compressed=True),
        _text("TSV", ".tsv", delimiter="\t"),
        _text("TSV", ".tsv.gz", delimiter="\t", compressed=True),
        _text("Text", ".txt"),
        _text("Text", ".txt.gz", compressed=True),
        Format("Parquet", ".parquet", "parquet", database=True),
        _statistics("SPSS", ".sav"),
        _statistics("SPSS", ".zsav"),
        _statistics("Stata", ".dta"),
        _statistics("SAS", ".sas7bdat"),
        _statistics("SAS transport", ".xpt"),
        Format("Excel", ".xlsx", "excel", options=("sheet", "header_row"), extra="io"),
    )
}


def format_of(path: str | os.PathLike[str]) -> Format:
    """Give the format of a file by how its name ends.

    >>> format_of("People.CSV.gz").name
    'CSV'
    """
    name = Path(path).name.lower()
    for suffix in sorted(FORMATS, key=len, reverse=True):
        if name.endswith(suffix):
            return FORMATS[suffix]
    raise InvalidOption(f"The name of a file must end in one of {', '.join(FORMATS)}; got {Path(path).name!r}.")


def check_streams(chosen: Format) -> None:
    """Refuse a format whose files are read and written as a whole only."""
    if not chosen.database:
        able = ", ".join(suffix for suffix, known in FORMATS.items() if known.database)
        raise InvalidOption(f"{chosen.name} files must fit into memory; larger ones may be {able}.")


def read(
    path: str | os.PathLike[str],
    *,
    numeric: Collection[str] = (),
    verbatim: Collection[str] = (),
    sheet: str | None = None,
    header_row: int | None = None,
    header: bool | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    missing_marks: Collection[str] | None = None,
) -> Table:
    r"""Read a file as a table.

    Parameters
    ----------
    path : path
        The file; how its name ends says what it is (see FORMATS).
    numeric : collection of str, or "*"
        Columns that will be replaced by numbers, so that how they are written need not be kept. Makes reading text
        files quicker, and changes nothing else.
    verbatim : collection of str
        Columns that "*" does not mean, because they leave as they are written.
    sheet : str, optional
        For workbooks: which sheet; the first by default.
    header_row : int, optional
        For workbooks: the row that names the columns, from 1; the first by default.
    header, delimiter, decimal, encoding, missing_marks
        For text files: what to know about them instead of finding it out; see `microagg.io.csv.read`.

    Returns
    -------
    Table

    Raises
    ------
    FileProblem
        The file is not there or may not be read.
    InvalidData
        Its contents are not a table.
    InvalidOption
        An unknown kind of file, or an option that this kind cannot honour.
    MissingExtra
        This kind needs an optional part of microagg.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "people.csv")
    ...     _ = path.write_text("age;income\n30;1200,50\n41;980,00\n")
    ...     table = read(path)
    >>> table.names, table.numeric("income").values.tolist()
    (('age', 'income'), [1200.5, 980.0])
    """
    chosen = format_of(path)
    given = {
        "sheet": sheet,
        "header_row": header_row,
        "header": header,
        "delimiter": delimiter,
        "decimal": decimal,
        "encoding": encoding,
        "missing_marks": missing_marks,
    }
    options: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    for name in options:
        if name not in chosen.options:
            allowed = ", ".join(chosen.options) or "no options"
            raise InvalidOption(f"{chosen.name} files cannot honour the option {name!r}; they take {allowed}.")
    source = Path(path)
    _check_readable(source)
    if chosen.hints:
        options |= {"numeric": numeric, "verbatim": verbatim}
    return chosen.read(source, **options)


def read_spooled(
    path: str | os.PathLike[str], spool: Spool, *, numeric: Collection[str] = (), verbatim: Collection[str] = ()
) -> DuckTable:
    """Read a text or Parquet file that need not fit into memory: its records go to the spool.

    Parameters
    ----------
    path, numeric, verbatim
        As in `read`.
    spool : Spool
        Where the records go.
    """
    chosen, source = format_of(path), Path(path)
    check_streams(chosen)
    _check_readable(source)
    hints = {"numeric": numeric, "verbatim": verbatim} if chosen.hints else {}
    table: DuckTable = chosen.load().read(source, spool=spool, **hints)
    return table


def write(table: Table | SpooledRelease, path: str | os.PathLike[str], *, escape_formulas: bool = False) -> None:
    r"""Write a table to a file, whole or not at all.

    Parameters
    ----------
    table : Table
        From `read`, `wrap` or `SpooledTable.release`.
    path : path
        The file; how its name ends says what it becomes. A file that is there already is replaced at the end, in
        one step. Text files keep the delimiter and the decimal mark of the file that the table came from.
    escape_formulas : bool
        Put an apostrophe before text, names of columns too, that spreadsheet programs take for formulas in text files:
        what begins with = + - @, in wide forms too, with a tab or the end of a line. Numbers stay what they are. Other
        formats tell text from formulas themselves.

    Raises
    ------
    FileProblem
        The folder is missing or read-only, the disk is full. What was there before is still there.

    Examples
    --------
    >>> import tempfile
    >>> import polars as pl
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write(wrap(pl.DataFrame({"age": [30, 41]})), Path(folder, "people.csv"))
    ...     Path(folder, "people.csv").read_text()
    'age\n30\n41\n'
    """
    check_writable(table, path)
    with atomic_path(path) as temporary:
        format_of(path).write(table, temporary, escape_formulas=escape_formulas)


def check_writable(table: Table | SpooledRelease, path: str | os.PathLike[str]) -> None:
    """Say what stands in the way of writing a table, before anything is begun."""
    format_of(path).load()
    if not table.names:
        raise InvalidData("There are no columns left to write.")


def sha256(path: str | os.PathLike[str]) -> str:
    """Give the SHA-256 checksum of a file, in hexadecimal.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     sha256(file.name)[:8]
    'e3b0c442'
    """
    source = Path(path)
    _check_readable(source)
    with source.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_apart(source: str | os.PathLike[str], *outputs: str | os.PathLike[str] | None) -> None:
    """Refuse to write over the input, or one output over another, by whatever names they are called."""
    named = [output for output in outputs if output is not None]
    for output in named:
        if Path(output).exists() and Path(source).exists() and Path(output).samefile(source):
            raise FileProblem(f"{output} is the input itself; choose another name for what is written.")
    check_different(named)


def _check_readable(path: Path) -> None:
    try:
        if path.is_dir():
            raise FileProblem(f"Cannot read {path}: it is a folder. Give the name of a file.")
        with path.open("rb"):
            pass
    except FileProblem:
        raise
    except OSError as error:
        raise FileProblem(f"Cannot read {path}: {error.strerror or error}.") from error


__all__ = [
    "FORMATS",
    "PRIVATE",
    "PUBLIC",
    "Chunk",
    "DuckTable",
    "Format",
    "FrameTable",
    "Spool",
    "SpooledColumn",
    "SpooledRelease",
    "SpooledTable",
    "atomic_path",
    "atomic_paths",
    "check_apart",
    "check_streams",
    "check_writable",
    "distinct_values",
    "format_of",
    "from_arrays",
    "read",
    "read_spooled",
    "sha256",
    "within_limits",
    "wrap",
    "write",
]
