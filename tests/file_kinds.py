"""The same four people as every kind of frame and file, made without microagg."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pyreadstat

from microagg import io

PEOPLE: dict[str, list[Any]] = {
    "age": [30, 41, 30, 57],
    "income": [1200.5, None, 980.25, 1200.5],
    "city": ["Zürich", "東京", 'a, "b"', "Zürich"],
    "member": [7, 8, 9, 7],
}
CSV = 'age,income,city,member\n30,1200.50,Zürich,007\n41,,東京,008\n30,980.25,"a, ""b""",009\n57,1200.5,Zürich,007\n'


def _csv(path: Path) -> None:
    path.write_text(CSV, encoding="utf-8")


def _excel(path: Path) -> None:
    book = openpyxl.Workbook()
    for row in [list(PEOPLE), *zip(*PEOPLE.values(), strict=True)]:
        book.active.append(row)
    book.save(path)


FILES: dict[str, Callable[[Path], Any]] = {
    ".csv": _csv,
    ".csv.gz": lambda path: path.write_bytes(gzip.compress(CSV.encode())),
    ".tsv": lambda path: pl.DataFrame(PEOPLE).write_csv(path, separator="\t"),
    ".txt": lambda path: pl.DataFrame(PEOPLE).write_csv(path, separator=";"),
    ".parquet": lambda path: pl.DataFrame(PEOPLE).write_parquet(path),
    ".sav": lambda path: pyreadstat.write_sav(pd.DataFrame(PEOPLE), path, variable_format={"age": "F3.0"}),
    ".zsav": lambda path: pyreadstat.write_sav(
        pd.DataFrame(PEOPLE), path, compress=True, variable_format={"age": "F3.0"}
    ),
    ".dta": lambda path: pyreadstat.write_dta(pd.DataFrame(PEOPLE), path, variable_format={"age": "%8.0f"}),
    ".xpt": lambda path: pyreadstat.write_xport(pd.DataFrame(PEOPLE), path),
    ".xlsx": _excel,
}
FRAMES: dict[str, Callable[[], Any]] = {
    "pandas": lambda: pd.DataFrame(PEOPLE, index=pd.Index([5, 5, 2, 9], name="key")),
    "pandas nullable": lambda: pd.DataFrame(PEOPLE).convert_dtypes(),
    "pandas arrow": lambda: pd.DataFrame(PEOPLE).convert_dtypes(dtype_backend="pyarrow"),
    "pandas objects": lambda: pd.DataFrame(PEOPLE, dtype=object),
    "polars": lambda: pl.DataFrame(PEOPLE),
    "pyarrow": lambda: pa.table(PEOPLE),
}
KINDS = [*FRAMES, *FILES, ".csv numeric"]
WRITABLE = [suffix for suffix in io.FORMATS if suffix != ".sas7bdat"]
PAIRS = sorted(
    {(kind, kind) for kind in FILES}
    | {(kind, ".parquet") for kind in KINDS}
    | {(kind, suffix) for kind in ("polars", ".csv", ".sav") for suffix in WRITABLE}
)
"""Each file as itself, each kind as one format, and each format from a frame, from DuckDB and from a labelled file."""


def table(kind: str, folder: Path) -> Any:
    """Give the people as this kind of table."""
    if kind in FRAMES:
        return io.wrap(FRAMES[kind]())
    suffix, _, hint = kind.partition(" ")
    path = folder / f"people{suffix}"
    FILES[suffix](path)
    return io.read(path, numeric=["age", "income"] if hint else ())
