"""The judge: reads what was written with other libraries than microagg writes with, and counts for itself.

Nothing of microagg is imported here. A cell is what a reader can tell apart: the text between two delimiters with its
quotes, the type and text of a cell in a workbook, the type and digits of a typed value.
"""

from __future__ import annotations

import datetime
import gzip
import math
import re
import zipfile
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

MISSING = {"", "na", "n/a", "nan", "null", "?", ".", "none", "nat", "<na>"}
Cells = dict[str, list[Any]]


def read(path: Path) -> Cells:
    """Give the columns of a file, cell by cell."""
    suffix = "".join(Path(path.name).suffixes)
    if suffix in (".csv", ".csv.gz", ".tsv", ".txt"):
        return read_text(path)
    if suffix == ".parquet":
        import pyarrow.parquet as pq

        return frame_cells(pq.read_table(path))
    if suffix == ".xlsx":
        return read_workbook(path)
    return read_statistics(path)


def read_text(path: Path) -> Cells:
    """Split delimited text by hand, and keep the quotes: `"1"` and `1` are not the same to everybody."""
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    text = content.decode("utf-8-sig")
    rows: list[list[str]] = [[]]
    cell, quoted = "", False
    delimiter = "\t" if ".tsv" in path.name else max(",;|\t", key=first_line(text).count)
    for sign in text:
        if sign == '"':
            quoted = not quoted
            cell += sign
        elif sign in (delimiter, "\n") and not quoted:
            rows[-1].append(cell.removesuffix("\r") if sign == "\n" else cell)
            cell = ""
            if sign == "\n":
                rows.append([])
        else:
            cell += sign
    if cell or rows[-1]:
        rows[-1].append(cell)
    header, *records = [row for row in rows if row]
    names = [unquoted(name) for name in header]
    if any(len(record) != len(names) for record in records):
        raise ValueError("a record has more or fewer cells than there are names")
    return {name: [record[i] for record in records] for i, name in enumerate(names)}


def first_line(text: str) -> str:
    """The header, without what is quoted."""
    return re.sub(r'"(?:[^"]|"")*"', "", text).split("\n", 1)[0]


def unquoted(text: str) -> str:
    return text[1:-1].replace('""', '"') if len(text) > 1 and text[0] == text[-1] == '"' else text


def read_workbook(path: Path) -> Cells:
    """Read the XML of the one sheet."""
    space = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
    with zipfile.ZipFile(path) as book:
        shared: list[str] = []
        if "xl/sharedStrings.xml" in book.namelist():
            root = ElementTree.fromstring(book.read("xl/sharedStrings.xml"))  # noqa: S314 - microagg wrote it
            shared = ["".join(t.text or "" for t in item.iter(f"{space}t")) for item in root.iter(f"{space}si")]
        sheets = [name for name in book.namelist() if name.startswith("xl/worksheets/")]
        root = ElementTree.fromstring(book.read(sheets[0]))  # noqa: S314
    rows = []
    for row in root.iter(f"{space}row"):
        cells: dict[int, Any] = {}
        for position, cell in enumerate(row.iter(f"{space}c")):
            kind, value = cell.get("t", "n"), cell.find(f"{space}v")
            text = "".join(t.text or "" for t in cell.iter(f"{space}t")) if kind == "inlineStr" else (
                None if value is None else value.text
            )  # fmt: skip
            if kind == "s" and text is not None:
                kind, text = "inlineStr", shared[int(text)]
            if cell.find(f"{space}f") is not None:
                kind = "formula"
            column = column_number(cell.get("r", "")) if cell.get("r") else position
            cells[column] = None if text is None else (kind, cell.get("s", ""), text)
        rows.append(cells)
    header, *records = rows
    names = {i: cell[2] for i, cell in header.items() if cell}
    return {name: [record.get(i) for record in records] for i, name in names.items()}


def column_number(reference: str) -> int:
    number = 0
    for letter in re.sub(r"\d", "", reference):
        number = number * 26 + ord(letter) - 64
    return number - 1


def read_statistics(path: Path) -> Cells:
    """SPSS through pyreadstat, with what is declared missing; Stata and SAS through pandas."""
    import pandas as pd

    if path.suffix == ".dta":
        return frame_cells(pd.read_stata(path, convert_categoricals=False, convert_missing=True, convert_dates=False))
    import pyreadstat

    if path.suffix == ".xpt":
        return frame_cells(pyreadstat.read_xport(path)[0])
    return frame_cells(pyreadstat.read_sav(path, user_missing=True)[0])


def frame_cells(frame: Any) -> Cells:
    """Give the cells of a frame: the type and the digits of each value; every sort of missing value apart."""
    if hasattr(frame, "to_pylist"):  # pyarrow
        columns = {name: frame.column(name).to_pylist() for name in frame.column_names}
    elif hasattr(frame, "get_columns"):  # polars
        # Python's own moments have no nanoseconds.
        exact = [column.cast(str) if column.dtype.is_temporal() else column for column in frame.get_columns()]
        columns = {column.name: column.to_list() for column in exact}
    else:
        columns = {name: list(frame[name]) for name in frame.columns}
    return {name: [cell(value) for value in values] for name, values in columns.items()}


def cell(value: Any) -> Any:
    if value is None:
        return None
    if isinstance(value, bool) or type(value).__name__ == "bool":
        return ("truth", str(bool(value)))
    if isinstance(value, int) or type(value).__name__.startswith(("int", "uint")):
        return ("number", repr(int(value)))
    if isinstance(value, float) or type(value).__name__.startswith("float"):
        return ("number", repr(float(value)))
    return (type(value).__name__, str(value))


def text_of(found: Any) -> str:
    """The text of a cell, without its type."""
    if found is None:
        return ""
    return unquoted(found) if isinstance(found, str) else str(found[-1])


def plain(found: Any) -> Any:
    """What a careless reader takes a cell for: a number, a truth value, a moment, or trimmed text; None for missing."""
    text = text_of(found).strip()
    if text.lower() in MISSING or (isinstance(found, tuple) and found[0] == "StataMissingValue"):
        return None
    if text.lower() in ("true", "false"):
        return text.lower()
    if re.fullmatch(r"[+-]?(\d+[.,]?\d*|[.,]\d+)([eE][+-]?\d+)?", text):
        return float(text.replace(",", ".")) + 0.0
    try:
        return datetime.datetime.fromisoformat(text)
    except ValueError:
        return text


def classes(cells: Cells, names: Sequence[str]) -> Counter[tuple[Any, ...]]:
    """Count the records that are alike in these columns."""
    return Counter(zip(*(cells[name] for name in names), strict=True))


def smallest(cells: Cells, names: Sequence[str]) -> int:
    return min(classes(cells, names).values(), default=0)


def problems_of_k(
    cells: Cells, quasi: Sequence[str], by: Sequence[str], k: int, declared: Iterable[float] = ()
) -> list[str]:
    """Say whether every class has k records as they are written; and if not, whether spellings alone are at fault."""
    names = [*quasi, *by]
    if smallest(cells, names) >= k:
        return []
    missing = set(declared)
    loose = {
        name: [None if isinstance(p := plain(c), float) and p in missing else p for c in cells[name]] if name in by
        else cells[name] for name in names
    }  # fmt: skip
    small = f"classes of {smallest(cells, names)}, k = {k}"
    return [f"strata_spelling: {small}"] if smallest(loose, names) >= k else [f"not_k_anonymous: {small}"]


def not_finite(cells: Cells, quasi: Sequence[str]) -> list[str]:
    """Name the quasi-identifiers that hold a missing or infinite value."""
    found = []
    for name in quasi:
        values = [plain(c) for c in cells[name]]
        texts = [text_of(c).strip().lower() for c in cells[name]]
        if any(v is None or (isinstance(v, float) and not math.isfinite(v)) for v in values) or any(
            t in ("inf", "-inf", "nan", "infinity") for t in texts
        ):
            found.append(f"not_finite: {name!r} holds missing or infinite values")
    return found


def content(path: Path) -> bytes:
    """All that somebody finds who looks into a file, unpacked."""
    raw = path.read_bytes()
    if path.suffix == ".gz":
        return gzip.decompress(raw)
    if path.suffix == ".xlsx":
        with zipfile.ZipFile(path) as book:
            return b"\n".join(book.read(name) for name in book.namelist())
    if path.suffix == ".parquet":
        import pyarrow.parquet as pq

        opened = pq.ParquetFile(path)
        groups = [opened.metadata.row_group(i).to_dict() for i in range(opened.metadata.num_row_groups)]
        return raw + repr((opened.metadata.metadata, groups, opened.schema_arrow)).encode()
    if path.suffix == ".zsav":
        import pyreadstat

        _, meta = pyreadstat.read_sav(path)
        return raw + repr(vars(meta)).encode()
    return raw


def secrets_in(content: bytes, secrets: Iterable[str], allowed: Iterable[str] = ()) -> list[str]:
    """Give the words that must not be there and are, but for those that the released values hold."""
    permitted = "\n".join(allowed)
    return [w for w in dict.fromkeys(secrets) if w.encode() in content and w not in permitted]
