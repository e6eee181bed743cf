"""Look at the columns of some data: the job behind the page of columns."""

from __future__ import annotations

import datetime
from collections import Counter
from typing import Any

import numpy as np

from microagg import io
from microagg.base.schema import Role
from microagg.base.table import Table
from microagg.errors import InvalidData
from microagg.io.csv import CsvTable
from microagg.plan.suggest import KEEP, UNIT, WEIGHTS, SuggestedColumn, suggest_table
from microagg.prepare.check import TableLook
from microagg.prepare.check.look import Look as Seen
from microagg.report.words import day, tidy
from microagg.studio.overview import LookedColumn, Overview
from microagg.studio.source import DataSource
from microagg.studio.worker import JobTask

BARS, CATEGORIES = 24, 8
"""How many bars a picture has: of numbers, and of categories."""
PREVIEW_RECORDS, PREVIEW_COLUMNS, PREVIEW_LETTERS = 8, 60, 80
ROLES = {
    Role.QUASI.value: "quasi",
    Role.IDENTIFIER.value: "identifiers",
    Role.CONFIDENTIAL.value: "confidential",
    Role.OTHER.value: "keep",
    KEEP: "keep",
    WEIGHTS: "weights",
    UNIT: "unit",
}


def look(task: JobTask, source: DataSource, most_columns: int) -> Overview:
    """Read the data and say what is known of their columns."""
    checksum = io.sha256(source.path)
    task(0.05)
    table = source.read()
    if len(table.names) > most_columns:
        raise InvalidData(f"the data have {len(table.names):,} columns; the studio takes at most {most_columns:,}.")
    task(0.3)
    suggestion = suggest_table(table)
    task(0.8)
    seen = TableLook(table, table.names).looks
    columns = tuple(_column(column, seen[column.name]) for column in suggestion.columns)
    missing = suggestion.plan().missing if suggestion.named(Role.QUASI.value) else "refuse"
    return Overview(
        columns=columns,
        n_records=table.n_records,
        missing=str(missing),
        sha256=checksum,
        preview=_preview(table),
        dialect=_dialect(table),
        sheets=_sheets(source),
    )


def _column(suggested: SuggestedColumn, seen: Seen) -> LookedColumn:
    finding = suggested.finding
    bars, labels, ordered = picture(seen)
    return LookedColumn(
        name=suggested.name,
        storage=_storage(seen, ordered),
        bars=bars,
        labels=labels,
        ordered=ordered,
        n_values=seen.n_values,
        share_missing=finding.share_missing,
        seems=str(finding.seems),
        why=finding.why,
        tells=tuple(tie.other for tie in finding.ties),
        is_identifying=finding.is_identifying,
        role=ROLES[suggested.role],
        kind=suggested.kind or "",
    )


def _storage(seen: Seen, ordered: bool) -> str:
    """Say what a column holds, by what was seen: to ask the table would read each column as a whole."""
    if seen.numbers is not None:
        return "numeric"
    return "date" if ordered else "text"


def picture(seen: Seen) -> tuple[tuple[int, ...], tuple[str, ...], bool]:
    """Count a column in bars: of numbers and dates between their ends, of others the most frequent values.

    Long tails are gathered in the last bar on their side, so that a single value does not press all others together.

    >>> from microagg.prepare.check.look import Look as Seen
    >>> picture(Seen("sex", ["f", "m", "f", None], 4))
    ((2, 1), ('f', 'm'), False)
    """
    numbers = seen.numbers if seen.numbers is not None else _moments(seen)
    if numbers is None or seen.n_distinct <= 1:
        counts = Counter(str(value).strip() for value in seen.present).most_common(CATEGORIES)
        if len(counts) == CATEGORIES and counts[0][1] == 1:
            return (), (), False  # a value for each record: there is nothing to draw
        return tuple(count for _, count in counts), tuple(text[:PREVIEW_LETTERS] for text, _ in counts), False
    there = numbers[np.isfinite(numbers)]
    low, high = np.quantile(there, (0.01, 0.99)) if seen.n_distinct > BARS else (there.min(), there.max())
    if not low < high:
        low, high = there.min(), there.max()
    counted, _ = np.histogram(there.clip(low, high), BARS if seen.n_distinct > BARS else seen.n_distinct)
    ends = [float(np.floor(low)), float(np.ceil(high))] if seen.is_whole else [float(low), float(high)]
    labels = [day(end / 86_400) for end in ends] if seen.numbers is None else [tidy(end) for end in ends]
    return tuple(counted.tolist()), tuple(labels), True


def _moments(seen: Seen) -> Any:
    """Give dates as seconds since 1970; None where there are none."""
    if seen.is_text:
        try:  # of texts, those of ISO 8601
            return np.array(seen.texts, dtype="datetime64[s]").astype(np.float64)
        except ValueError:
            return None
    if not seen.is_moment or not seen.present:
        return None
    begin = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)

    def seconds(value: Any) -> float:
        if not isinstance(value, datetime.datetime):
            value = datetime.datetime(value.year, value.month, value.day, tzinfo=datetime.UTC)
        return float((value.replace(tzinfo=value.tzinfo or datetime.UTC) - begin).total_seconds())

    return np.array([seconds(value) for value in seen.present], dtype=np.float64)


def _preview(table: Table) -> tuple[tuple[str, ...], ...]:
    names = table.names[:PREVIEW_COLUMNS]
    values = table.peek(names, np.arange(min(PREVIEW_RECORDS, table.n_records)))
    columns = [["" if v is None else str(v)[:PREVIEW_LETTERS] for v in values[name]] for name in names]
    return tuple(zip(*columns, strict=True))


def _dialect(table: Table) -> dict[str, Any]:
    if not isinstance(table, CsvTable):
        return {}
    marks = table.dialect
    return {
        "encoding": table.encoding,
        "delimiter": marks.delimiter,
        "decimal": marks.decimal,
        "header": marks.header,
    }


def _sheets(source: DataSource) -> tuple[str, ...]:
    if "sheet" not in source.format.options:
        return ()
    import openpyxl

    book = openpyxl.load_workbook(source.path, read_only=True)
    try:
        return tuple(sheet.title for sheet in book.worksheets)
    finally:
        book.close()
