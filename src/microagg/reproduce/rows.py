"""Rows in CSV files: those that are kept while an experiment runs, and tables of what came out."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from microagg.errors import FileProblem
from microagg.io import atomic_path

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Row = TypeVar("Row", bound="DataclassInstance")
CELLS: dict[str, Callable[[str], object]] = {"str": str, "int": int, "float": float}
"""What reads a cell of a row that is kept, by the type of its field."""


def read_rows(kept: Path, kind: type[Row]) -> list[Row]:
    """Read what `keep_rows` has written; nothing where there is no file. A line that was cut short is left out."""
    if not kept.exists():
        return []
    with kept.open(newline="", encoding="utf-8") as file:
        lines = [line for line in file if line.endswith("\n")]
    cells = [(field.name, CELLS[str(field.type)]) for field in fields(kind)]
    try:
        return [kind(*(read(row[name]) for name, read in cells)) for row in csv.DictReader(lines)]
    except (KeyError, TypeError, ValueError) as error:
        raise FileProblem(
            f"{kept} does not hold runs of this experiment. Move it away or name another folder."
        ) from error


def keep_rows(kept: Path, rows: Sequence[DataclassInstance]) -> None:
    """Add rows to a CSV file; a line that was cut short by an interruption is removed first."""
    if not rows:
        return
    if kept.exists():
        content = kept.read_bytes()
        complete = content[: content.rfind(b"\n") + 1]
        if len(complete) < len(content):
            kept.write_bytes(complete)
    is_new = not kept.exists() or kept.stat().st_size == 0
    with kept.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(rows[0])], lineterminator="\n")
        if is_new:
            writer.writeheader()
        writer.writerows(asdict(row) for row in rows)


def write_table(path: Path, headings: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> None:
    """Write a table as CSV; a number that is not there stays empty."""
    with atomic_path(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(headings)
        for row in rows:
            cells = [row[heading] for heading in headings]
            writer.writerow(["" if isinstance(cell, float) and math.isnan(cell) else cell for cell in cells])
