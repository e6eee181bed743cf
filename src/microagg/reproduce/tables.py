"""Comparisons as a table for the docs: a row for each dataset and method, a column for each k."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from microagg.reproduce.experiment import PrintedComparison


def to_markdown(comparisons: Sequence[PrintedComparison]) -> str:
    """Write ours / printed for each k, in Markdown; bold where ours lies outside."""
    ks = sorted({row.k for row in comparisons})
    lines = [
        "| dataset | method | seeds | " + " | ".join(f"k = {k}" for k in ks) + " |",
        "|---|---|---|" + "---|" * len(ks),
    ]
    for dataset, method in dict.fromkeys((row.dataset, row.method) for row in comparisons):
        rows = {row.k: row for row in comparisons if (row.dataset, row.method) == (dataset, method)}
        cells = [_cell(rows[k]) if k in rows else "" for k in ks]
        seeds = max(row.seeds for row in rows.values())
        lines.append(f"| {dataset} | {method} | {seeds} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _cell(row: PrintedComparison) -> str:
    digits = 4 if row.printed < 1 else 2
    text = f"{row.ours:.{digits}f} / {row.printed:.{digits}f}"
    return text if row.inside else f"**{text}**"
