"""The page of all experiments: every printed number beside ours, every drawing, what does not agree and why."""

from __future__ import annotations

import base64
import html
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from microagg.report.svg import drawn_size
from microagg.report.templates import fill
from microagg.reproduce.agreement import PrintedTable, agreement, by_reason, disagreements, printed_tables, reason_of
from microagg.reproduce.comparison import PrintedComparison
from microagg.reproduce.deviations import deviations
from microagg.reproduce.experiment import Experiment
from microagg.reproduce.results import ExperimentResult, Results


@dataclass(frozen=True)
class PageCell:
    """A number as the page shows it: ours, printed, how far apart, the class of its colour, and more on pointing."""

    ours: str
    printed: str
    difference: str
    kind: str
    tip: str


@dataclass(frozen=True)
class PageFigure:
    """A drawing as an image within the page."""

    title: str
    image: str
    width: int
    height: int


def render_results(
    results: Results, experiments: Mapping[str, Experiment[Any]], drawings: Mapping[str, str] | None = None
) -> str:
    """Make the page.

    Parameters
    ----------
    results : dict
        What came out, by the names of the experiments.
    experiments : mapping
        The experiments by name.
    drawings : mapping, optional
        Drawings (SVG) by file name; those that are missing are left out.

    Returns
    -------
    str
        A whole HTML document.
    """
    tables = printed_tables(results)
    sections = [
        {
            "experiment": experiments[name],
            "command": experiments[name].command(result.settings),
            "result": result,
            "tables": [
                {"table": table, "ks": _ks(table.comparisons), "rows": _rows(experiments[name], table)}
                for table in tables
                if table.experiment == name
            ],
            "notes": [_paragraph(note) for note in experiments[name].notes],
            "figures": _figures(result, drawings or {}),
        }
        for name, result in results.items()
    ]
    content = {
        "sections": sections,
        "tables": tables,
        "cells": sum(len(table.comparisons) for table in tables),
        "close": sum(table.close for table in tables),
        "near": sum(table.near for table in tables),
        "figures": sum(len(_figures(result, drawings or {})) for result in results.values()),
        "not_run": [(name, reason) for name, result in results.items() for reason in result.skipped],
        "missing": [one for name, one in experiments.items() if name not in results],
        "reasons": [
            (_paragraph(reason), listed) for reason, listed in by_reason(disagreements(results, experiments)).items()
        ],
        "deviations": [(who, _paragraph(text)) for who, text in deviations(experiments)],
    }
    return fill("reproduction.html", content)


def number(value: float, like: float) -> str:
    """Write a number with the decimals of the printed one; four where that is small.

    >>> number(5.69221, 5.69), number(0.48291, 0.4829), number(1171.47, 1173.23)
    ('5.69', '0.4829', '1171.5')
    """
    return f"{value:.{4 if abs(like) < 1 else 2 if abs(like) < 100 else 1}f}"


def _ks(comparisons: Sequence[PrintedComparison]) -> list[int]:
    return sorted({row.k for row in comparisons})


def _rows(experiment: Experiment[Any], table: PrintedTable) -> list[dict[str, Any]]:
    lines: dict[tuple[str, str], dict[int, PrintedComparison]] = {}
    for row in table.comparisons:
        lines.setdefault((row.dataset, row.method), {})[row.k] = row
    return [
        {
            "dataset": dataset,
            "method": method,
            "seeds": max(row.seeds for row in by_k.values()),
            "cells": [_cell(experiment, by_k[k]) if k in by_k else None for k in _ks(table.comparisons)],
        }
        for (dataset, method), by_k in lines.items()
    ]


def _cell(experiment: Experiment[Any], row: PrintedComparison) -> PageCell:
    words = []
    if row.seeds > 1:
        words.append(f"ours from {row.ours_least:.5g} to {row.ours_most:.5g}")
    spread = "" if math.isnan(row.ours_deviation) else f" ± {number(row.ours_deviation, row.printed)}"
    if not math.isnan(row.printed_least):
        words.append(f"printed from {row.printed_least:.5g} to {row.printed_most:.5g}")
    kind = agreement(row)
    if kind != "close":
        words.append(reason_of(experiment, row).replace("`", ""))
    return PageCell(
        number(row.ours, row.printed) + spread,
        number(row.printed, row.printed),
        _signed(row.difference_percent),
        kind,
        "; ".join(words),
    )


def _signed(percent: float) -> str:
    text = f"{percent:+.1f}%"
    return "0.0%" if text in ("+0.0%", "-0.0%") else text.replace("-", "−")


def _figures(result: ExperimentResult, drawings: Mapping[str, str]) -> list[PageFigure]:
    figures = []
    for name in result.figures:
        drawing = drawings.get(name)
        if drawing is not None:
            title = re.search(r"<title>(.*?)</title>", drawing)
            width, height = drawn_size(drawing)
            image = f"data:image/svg+xml;base64,{base64.b64encode(drawing.encode()).decode()}"
            figures.append(PageFigure(html.unescape(title[1]) if title else name, image, round(width), round(height)))
    return figures


def _paragraph(text: str) -> str:
    """Escape a text and mark what stands between backticks as code."""
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", html.escape(text, quote=False))
