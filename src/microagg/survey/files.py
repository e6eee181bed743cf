"""Answers of a survey from a file: a table of any format that we read, or JSON lines."""

from __future__ import annotations

import datetime
import json
import os
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from microagg import io
from microagg.base.schema import Storage
from microagg.base.table import Table
from microagg.errors import FileProblem, InvalidAnswers, InvalidData, InvalidOption, Problem
from microagg.io.columns import check_known
from microagg.prepare.kinds import text_of
from microagg.survey.definition import Definition, Field, Row

JSON_LINES = (".jsonl", ".ndjson")
"""How the names of files end that hold one JSON object in each line."""


_ONES = {"0": 0, "1": 1}
"""How files write no and yes as text."""


@dataclass(frozen=True)
class FileAnswers:
    """Answers of a file, checked, each with its key; and the columns that are no fields and were not read."""

    rows: list[Row]
    keys: list[str]
    ignored: tuple[str, ...] = ()


def read_answers(
    path: str | os.PathLike[str],
    definition: Definition,
    *,
    key_column: str | None = None,
    drop: Collection[str] = (),
    ignore_surplus: bool = False,
) -> FileAnswers:
    r"""Read and check all answers of a file, so that none is sent where one is wrong.

    Parameters
    ----------
    path : path
        CSV, Parquet, SPSS, Stata, SAS, Excel, or JSON lines (.jsonl, .ndjson).
    definition : Definition
        What the answers must look like.
    key_column : str, optional
        A column that holds a key for each answer. Without, keys are made of the file's checksum and the number of the
        row: the same file, sent again, counts once.
    drop : collection of str
        Columns that are no fields of the survey and are not read.
    ignore_surplus : bool
        Read no column that is no field of the survey; such columns are refused else, unless the definition says
        surplus = "ignore".

    Returns
    -------
    FileAnswers

    Examples
    --------
    >>> import tempfile
    >>> definition = Definition("small", 3, [Field("age", "integer"), Field("sex", "category")])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "people.csv")
    ...     _ = file.write_text("id,age,sex\na,31,1\nb,44,2\n")
    ...     read_answers(file, definition, key_column="id")
    FileAnswers(rows=[(31, '1'), (44, '2')], keys=['a', 'b'], ignored=())
    """
    path = Path(path)
    is_lines = path.name.lower().endswith(JSON_LINES)
    names, records = _lines(path) if is_lines else _table(path, definition, key_column)
    known = {*definition.names, *drop, *([] if key_column is None else [key_column])}
    surplus = [name for name in names if name not in known]
    if surplus and not (ignore_surplus or definition.surplus == "ignore"):
        many = f" (and {len(surplus) - 1:,} more)" if len(surplus) > 1 else ""
        raise InvalidOption(
            f"{path.name} has a column {surplus[0]!r}{many}, which is no field of the survey. Leave it out with "
            "--drop, or all such columns with --ignore-surplus."
        )
    drop = {*drop, *surplus}
    keys = _keys(path, records, key_column)
    gone = (set(drop) | ({key_column} if key_column is not None else set())) - set(definition.names)
    kept = ({name: value for name, value in record.items() if name not in gone} for record in records)
    return FileAnswers(definition.check(kept if gone else records), keys, tuple(surplus))


def _lines(path: Path) -> tuple[Iterable[str], list[dict[str, Any]]]:
    records, number = [], 0
    try:
        with path.open(encoding="utf-8-sig") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    record = json.loads(line)
                    if not isinstance(record, dict):
                        raise InvalidData(f"{path.name}, line {number}: there must be one JSON object in each line.")
                    records.append(record)
    except OSError as error:
        raise FileProblem(f"Cannot read {path}: {error.strerror or error}.") from error
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise InvalidData(f"{path.name}, line {number}: this is no JSON in UTF-8.") from error
    return dict.fromkeys(name for record in records for name in record), records


def _table(path: Path, definition: Definition, key_column: str | None) -> tuple[Iterable[str], list[dict[str, Any]]]:
    table = io.read(path)
    columns = {field.name: _values(table, field) for field in definition.fields if field.name in table.names}
    if key_column is not None and key_column not in columns:
        check_known(key_column, table.names)
        columns[key_column] = _texts(table, key_column)
    return table.names, [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def _values(table: Table, field: Field) -> list[Any]:
    """The values of a column, as the field wants them; None where there is none."""
    if field.type in {"number", "integer"}:
        column = table.numeric(field.name)
        whole = field.type == "integer" and column.is_integer
        numbers = column.values.tolist()
        return [None if value != value else int(value) if whole else value for value in numbers]
    if field.type == "date" and table.storage(field.name) is Storage.DATE:
        days = np.floor(table.dates(field.name) / 86_400)
        epoch = datetime.date(1970, 1, 1)
        return [None if day != day else epoch + datetime.timedelta(days=day) for day in days.tolist()]
    if field.type == "boolean":
        categories = table.categories(field.name)
        values = [_ONES.get(value, value) if isinstance(value, str) else value for value in categories.values]
        return [None if code < 0 else values[code] for code in categories.codes.tolist()]
    return _texts(table, field.name)


def _texts(table: Table, name: str) -> list[str | None]:
    categories = table.categories(name)
    texts = [text_of(value) for value in categories.values]
    return [None if code < 0 else texts[code] for code in categories.codes.tolist()]


def _keys(path: Path, records: list[dict[str, Any]], key_column: str | None) -> list[str]:
    if key_column is None:
        checksum = io.sha256(path)
        return [f"{checksum}:{number}" for number in range(len(records))]
    keys = [record.get(key_column) for record in records]
    lacking = [place for place, key in enumerate(keys) if key is None]
    if lacking:
        raise InvalidAnswers([Problem(place, key_column, "must hold a key") for place in lacking])
    return [text_of(key) for key in keys]
