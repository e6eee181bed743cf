"""Correlations before and after, and their change."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from microagg.base.types import FloatArray
from microagg.report import svg
from microagg.report.chart import Chart
from microagg.report.charts.kind import BEFORE_AFTER, ReleaseChart, drawn_columns
from microagg.report.document import WITHHELD, Document
from microagg.report.gated import GatedFacts
from microagg.report.words import shown, tidy

MOST_CHANGES = 10
LEAST_FULL_CHANGE = 0.05
"""Smaller changes of a correlation never have the full colour, so that nothing looks dramatic that is not."""


@dataclass(frozen=True)
class CorrelationChange:
    """The correlation of two columns, before and after."""

    one: str
    other: str
    before: float
    after: float
    change: float


@dataclass(frozen=True)
class Correlation:
    """Correlations of the columns that are drawn, and the pairs of all columns that changed most."""

    columns: tuple[str, ...]
    before: FloatArray
    after: FloatArray
    largest_changes: tuple[CorrelationChange, ...]


def numbers(facts: GatedFacts) -> Correlation | None:
    """Compare the correlations; None where there are not two columns of numbers, or nothing is told of the original."""
    gate = facts.gate
    if len(facts.numbers) < 2 or not gate.tells_original:
        return None
    names = [facts.names[j] for j in facts.numbers]
    chosen = facts.drawn(names)
    few = [place for place, name in enumerate(names) if name in chosen]
    rows, columns = np.triu_indices(len(names), 1)
    was, became = gate.figures(facts.before.correlation), gate.figures(facts.after.correlation)
    change = (became - was)[rows, columns]
    largest = np.argsort(-np.abs(np.nan_to_num(change, nan=0.0)), kind="stable")[:MOST_CHANGES]
    changes = tuple(
        CorrelationChange(
            names[rows[i]],
            names[columns[i]],
            float(was[rows[i], columns[i]]),
            float(became[rows[i], columns[i]]),
            float(gate.figures(change[i])),
        )
        for i in largest.tolist()
        if np.isfinite(change[i])
    )
    cells = np.ix_(few, few)
    return Correlation(tuple(chosen), was[cells], became[cells], changes)


def _draw(document: Document, key: str) -> tuple[Chart, ...]:
    correlation: Correlation | None = document.numbers["correlation"]
    if correlation is None:
        return ()
    full = max(LEAST_FULL_CHANGE, float(np.nanmax(np.abs(correlation.after - correlation.before), initial=0.0)))
    names = list(correlation.columns)
    pairs = [(i, j) for i in range(len(names)) for j in range(i + 1, len(names))]
    rows = tuple(
        (
            f"{shown(names[i])}, {shown(names[j])}",
            *(correlation_text(float(side[i, j])) for side in (correlation.before, correlation.after)),
        )
        for i, j in pairs
    )
    changes = tuple(
        (
            f"{shown(change.one)}, {shown(change.other)}",
            *(correlation_text(value) for value in (change.before, change.after, change.change)),
        )
        for change in correlation.largest_changes
    )
    both = split_heatmap(f"{key}corr", names, correlation.before, correlation.after)
    change = change_heatmap(f"{key}corrchange", names, correlation.before, correlation.after, full)
    return (
        Chart(
            "Correlations",
            both,
            ("Columns", *BEFORE_AFTER),
            rows,
            "Before: above the diagonal. After: below it. Full colour is 1.",
        ),
        Chart(
            "Change",
            change,
            ("Largest changes", *BEFORE_AFTER, "Change"),
            changes,
            f"After minus before. Full colour is {tidy(full, 2)}.",
        ),
    )


def correlation_text(value: float) -> str:
    """Write a correlation with two digits."""
    text = f"{value:.2f}".replace("-0.00", "0.00")
    return "undefined" if math.isnan(value) else text.replace("-", "−")


def split_heatmap(key: str, names: Sequence[str], before: FloatArray, after: FloatArray) -> str:
    """Draw correlations: before above the diagonal, after below it."""
    joined = np.triu(before, 1) + np.tril(after, -1)
    np.fill_diagonal(joined, np.nan)
    title = "Correlations before (above the diagonal) and after (below)"
    return _heatmap(key, title, names, joined, 1.0, before, after)


def change_heatmap(key: str, names: Sequence[str], before: FloatArray, after: FloatArray, full: float) -> str:
    """Draw by how much correlations changed; a change of `full` has the full colour."""
    change = after - before
    np.fill_diagonal(change, np.nan)
    return _heatmap(key, "Change of the correlations", names, change, full, before, after)


def _heatmap(
    key: str, title: str, names: Sequence[str], shades: FloatArray, full: float, before: FloatArray, after: FloatArray
) -> str:
    n = len(names)
    cell = min(44.0, 352.0 / n)
    labels = [svg.fit(name, 104) for name in names]
    longest = max(svg.text_width(label) for label in labels)
    left, top = 8 + longest, 18 + 0.79 * longest
    right = max(0.0, 0.62 * svg.text_width(labels[-1]) - cell / 2)
    body = []
    for j, label in enumerate(labels):
        x, y = left + (j + 0.5) * cell, top + (j + 0.5) * cell
        body.append(svg.text(left - 6, y + 4, label, anchor="end"))
        place = f"translate({svg.number(x + 3)} {svg.number(top - 6)})"
        body.append(f'<g transform="{place} rotate(-52)">{svg.text(0, 0, label)}</g>')
    for i in range(n):
        for j in range(n):
            x, y, value = left + j * cell, top + i * cell, float(shades[i, j])
            pair = f"{shown(names[i], 24)} and {shown(names[j], 24)}"
            if i == j:
                body.append(svg.rect(x, y, cell - 1, cell - 1, "diagonal"))
            elif math.isnan(value):
                body.append(svg.rect(x, y, cell - 1, cell - 1, "undefined", f"{pair}: undefined, a column is constant"))
            else:
                tip = f"{pair}: {correlation_text(before[i, j])} before, {correlation_text(after[i, j])} after"
                strength = min(abs(value) / full, 1.0)
                body.append(svg.rect(x, y, cell - 1, cell - 1, "positive" if value >= 0 else "negative", tip, strength))
                if cell >= 34:
                    kind = "strong" if strength > 0.6 else "cell"
                    middle = x + cell / 2 - 0.5
                    written = correlation_text(value)
                    body.append(svg.text(middle, y + cell / 2 + 4, written, anchor="middle", kind=kind))
    words = f"{title} of {n} columns."
    return svg.drawing(key, left + n * cell + right, top + n * cell, title, words, body)


def _absent(document: Document) -> str:
    if not document.tells_original:
        return WITHHELD
    return "There are not two columns of numbers, so there is no correlation to compare."


INTRO = (
    "How columns move together. Groups tend to strengthen correlations a little, because they average out what is "
    "particular to single records."
)
KEY = (
    (svg.mark(14, 14, '<rect class="positive" width="14" height="14" rx="2"/>'), "positive"),
    (svg.mark(14, 14, '<rect class="negative" width="14" height="14" rx="2"/>'), "negative"),
)
CHART = ReleaseChart(
    "correlation",
    section="correlation",
    draw=_draw,
    numbers=numbers,
    intro=lambda _: INTRO,
    absent=_absent,
    key=lambda _: KEY,
    note=lambda document: drawn_columns(document, "the largest changes look at all of them"),
    classes="pair maps",
    labels=("All pairs in numbers", "The largest changes"),
)
