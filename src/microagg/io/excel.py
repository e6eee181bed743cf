"""Excel workbooks (.xlsx), through openpyxl: the values of one sheet, no styles and no formulas."""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import openpyxl
import pandas as pd
from openpyxl.cell import WriteOnlyCell
from openpyxl.utils import get_column_letter
from openpyxl.utils.exceptions import IllegalCharacterError

from microagg.base.checks import check_count
from microagg.base.folding import folded
from microagg.base.options import did_you_mean
from microagg.errors import InvalidData, InvalidOption
from microagg.io.columns import check_names
from microagg.io.duck import DuckTable
from microagg.io.foreign import foreign_reader
from microagg.io.frames import FrameTable, wrap

MOST_ROWS = 1_048_576
MOST_CELLS = 32_000_000
"""How many cells a sheet may span, empty ones included: one cell far away makes the sheet that large."""
MOST_EXPANSION = 200
"""How many times its packed size a part of a workbook may have, beyond the first 16 MiB; 5 to 30 times is usual."""
FREE_EXPANSION = 16 << 20
MOST_BYTES = 4 << 30
"""How many bytes a workbook may have, unpacked."""
CELLS = (bool, int, float, decimal.Decimal, datetime.date, datetime.time, datetime.timedelta)


def read(path: Path, *, sheet: str | None = None, header_row: int = 1) -> FrameTable:
    """Read a sheet of which a row names the columns. Cells with errors (#N/A) count as missing.

    Parameters
    ----------
    path : Path
        The workbook.
    sheet : str, optional
        Which sheet; the first one by default.
    header_row : int
        The row that names the columns, counted from 1 as Excel does; what stands above it is not read.
    """
    check_count("header_row", header_row, 1)
    with foreign_reader(path.name, "Excel workbook"):
        _check_sizes(path)
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
        try:
            names = [chosen.title for chosen in book.worksheets]
            if sheet is not None and sheet not in names:
                hint = did_you_mean(sheet, names)
                raise InvalidOption(
                    f"{path.name} has no sheet {sheet!r}. {f'{hint} ' if hint else ''}Its sheets are {folded(names)}."
                )
            chosen = book[sheet] if sheet is not None else book.worksheets[0]
            shown = f"{path.name}, sheet {chosen.title}"
            rows = _rows(chosen, shown)
        finally:
            book.close()
        return wrap(_frame(rows, shown, header_row))


def _check_sizes(path: Path) -> None:
    """Refuse a workbook that would fill the memory, by what it says of its parts; no part gives more than it says."""
    with ZipFile(path) as parts:
        total = 0
        for part in parts.infolist():
            total += part.file_size
            if part.file_size > FREE_EXPANSION and part.file_size > MOST_EXPANSION * part.compress_size:
                raise InvalidData(
                    f"{path.name}: a part of the workbook expands to more than {MOST_EXPANSION} times its size. Save "
                    "the sheet as CSV and read that."
                )
        if total > MOST_BYTES:
            raise InvalidData(
                f"{path.name}: the workbook has more than {MOST_BYTES >> 30} GiB, unpacked. Save the sheet as CSV and "
                "read that."
            )


def _rows(sheet: Any, shown: str) -> list[list[Any]]:
    """Give the values of the rows, each as far as it has any."""
    sheet.reset_dimensions()  # what the file says of its size may be wrong, or made to fill the memory
    rows: list[list[Any]] = []
    last = width = 0
    for number, row in enumerate(sheet.iter_rows(), start=1):
        if number > MOST_ROWS:
            raise InvalidData(f"{shown} has more rows than the {MOST_ROWS} that Excel holds. Save it as CSV.")
        values = [None if cell.data_type == "e" else cell.value for cell in row]
        while values and values[-1] is None:
            values.pop()
        rows.append(values)
        if values:
            last, width = number, max(width, len(values))
        if last * width > MOST_CELLS:
            raise InvalidData(
                f"{shown} spans {width} columns and {last} rows or more, and {MOST_CELLS} cells at most are read. "
                "Delete what stands far from the table, or save it as CSV."
            )
    return rows


def write(table: DuckTable | FrameTable, path: Path) -> None:
    """Write a workbook of one sheet. Text that looks like a formula is written as text."""
    if table.n_records + 1 > MOST_ROWS:
        raise InvalidData(
            f"Excel holds {MOST_ROWS - 1} records at most; there are {table.n_records}. Write CSV instead."
        )
    records = (table.to_duck() if isinstance(table, FrameTable) else table).records()
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("data")
    try:
        sheet.append([_cell(sheet, name) for name in table.names])
        for record in records:
            sheet.append([_cell(sheet, value) for value in record])
    except (IllegalCharacterError, TypeError) as error:
        sheet.close()
        raise InvalidData(f"A value cannot be written to Excel: {type(error).__name__}. Write CSV instead.") from error
    book.save(path)


def _cell(sheet: Any, value: Any) -> Any:
    if isinstance(value, datetime.datetime | datetime.time) and value.tzinfo is not None:
        value = (
            value.isoformat(" ") if isinstance(value, datetime.datetime) else value.isoformat()
        )  # Excel has no zones
    if value is None or isinstance(value, CELLS):
        return value
    cell = WriteOnlyCell(sheet, value=value if isinstance(value, str) else str(value))
    # openpyxl takes text that begins with = for a formula; a release never holds one.
    cell.data_type = "s"
    return cell


def _frame(rows: list[list[Any]], shown: str, header_row: int) -> pd.DataFrame:
    """Make a frame of the rows, without the empty rows and columns at the edges that Excel likes to keep."""
    while rows and _is_empty(rows[-1]):
        rows.pop()
    if rows and header_row > len(rows):
        raise InvalidOption(f"header_row must be between 1 and {len(rows)}, the last row of {shown}; got {header_row}.")
    rows = rows[header_row - 1 :]
    if not rows:
        raise InvalidData(f"{shown} is empty: there is no header and there are no records.")
    width = max(_width(row) for row in rows)
    header, *records = [(row + [None] * width)[:width] for row in rows]
    for position, name in enumerate(header, start=1):
        if name is None:
            raise InvalidData(
                f"{shown}: column {get_column_letter(position)} has no name in row {header_row}. Say which row names "
                "the columns (header_row, --header-row)."
            )
    names = check_names([str(name) for name in header], shown)
    columns = zip(*records, strict=True) if records else ((),) * width
    frame = pd.DataFrame({name: pd.Series(list(c), dtype=object) for name, c in zip(names, columns, strict=True)})
    return frame.infer_objects()


def _is_empty(row: Iterable[Any]) -> bool:
    return all(value is None for value in row)


def _width(row: list[Any]) -> int:
    return max((i + 1 for i, value in enumerate(row) if value is not None), default=0)
