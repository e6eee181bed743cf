"""Comparisons as a table for the docs: a row for each dataset and method, a column for each k."""

from __future__ import annotations

import math
from collections.abc import Sequence

from microagg.reproduce.comparison import PrintedComparison


def to_markdown(comparisons: Sequence[PrintedComparison]) -> str:
    """Write ours ± standard deviation / printed for each k, in Markdown; bold where ours lies outside.

    There is a table for each measure.
    """
    measures = list(dict.fromkeys(row.measure for row in comparisons))
    tables = []
    for measure in measures:
        table = "\n".join(_lines([row for row in comparisons if row.measure == measure])) + "\n"
        tables.append(table if len(measures) == 1 else f"{measure[0].upper()}{measure[1:]}:\n\n{table}")
    return "\n".join(tables)


def _lines(comparisons: Sequence[PrintedComparison]) -> list[str]:
    ks = sorted({row.k for row in comparisons})
    lines = [
        "| dataset | method | seeds | " + " | ".join(f"k = {k}" if k else "ours / printed" for k in ks) + " |",
        "|---|---|---|" + "---|" * len(ks),
    ]
    for dataset, method in dict.fromkeys((row.dataset, row.method) for row in comparisons):
        rows = {row.k: row for row in comparisons if (row.dataset, row.method) == (dataset, method)}
        cells = [_cell(rows[k]) if k in rows else "" for k in ks]
        seeds = max(row.seeds for row in rows.values())
        lines.append(f"| {dataset} | {method} | {seeds} | {' | '.join(cells)} |")
    return lines


def _cell(row: PrintedComparison) -> str:
    digits = 4 if row.printed < 1 else 2
    spread = "" if math.isnan(row.ours_deviation) else f" ± {row.ours_deviation:.{digits}f}"
    text = f"{row.ours:.{digits}f}{spread} / {row.printed:.{digits}f}"
    return text if row.inside else f"**{text}**"
