"""What each column lost, one drawing for each measure that tells columns apart."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from microagg.report import svg
from microagg.report.chart import Chart
from microagg.report.charts.kind import ReleaseChart, drawn_columns
from microagg.report.document import Document
from microagg.report.words import measure, shown, tidy

WORTH_DRAWING = {"sse": math.inf, "sst": math.inf, "mean_change": 0.01}
"""How large the largest value of a measure must be: never for those that look like the information loss."""


def column_bars(key: str, title: str, values: Mapping[str, float], sign: str = "") -> str:
    """Draw one measure for each column, as horizontal bars from zero; a sign such as % follows the numbers."""
    label, margin, row = 140.0, 62.0, 22.0
    width, height = 480.0, row * len(values) + 4
    finite = [value for value in values.values() if math.isfinite(value)]
    low, high = min([0.0, *finite]), max([0.0, *finite])
    room = (width - label - margin) / ((high - low) or 1.0)
    zero = label - low * room
    body = []
    for i, (name, value) in enumerate(values.items()):
        y = 2 + i * row
        end = zero
        if math.isfinite(value):
            end = zero + value * room
            tip = f"{shown(name, 60)}: {tidy(value)}{sign}"
            body.append(svg.rect(min(zero, end), y + 3, abs(end - zero), row - 7, "fill-after", tip))
        written = svg.text(label - 10, y + 15, svg.fit(name, label - 12), anchor="end")
        body.append(f"<g><title>{svg.escape(shown(name))}</title>{written}</g>")
        number = tidy(value, 3) + (sign if math.isfinite(value) else "")
        body.append(svg.text(max(zero, end) + 7, y + 15, number, kind="value"))
    body.append(svg.line(zero, 0, zero, height, "base"))
    return svg.drawing(key, width, height, title, f"{title}, for {len(values)} columns.", body)


def _draw(document: Document, key: str) -> tuple[Chart, ...]:
    drawn = []
    metrics = dict.fromkeys(metric for column in document.columns for metric in column.losses)
    for i, metric in enumerate(metrics):
        every = {c.name: c.losses[metric] for c in document.columns if metric in c.losses}
        values = {name: every[name] for name in document.drawn(every)}
        if _differ(values.values()) and max(values.values()) >= WORTH_DRAWING.get(metric, 0.0):
            title, explanation = document.title_of(metric)
            sign = "%" if document.unit(metric) == "percent" else ""
            bars = column_bars(f"{key}loss{i}", title, values, sign)
            rows = tuple((name, measure(value, "percent" if sign else "")) for name, value in values.items())
            drawn.append(Chart(f"{title} by column", bars, ("Column", title), rows, explanation))
    return tuple(drawn)


def _differ(values: Iterable[float]) -> bool:
    """Tell whether a chart of these values would show any difference beyond rounding."""
    finite = [value for value in values if math.isfinite(value)]
    return len(finite) > 1 and max(finite) - min(finite) > 1e-9 * max(1.0, *map(abs, finite))


CHART = ReleaseChart(
    "losses",
    section="losses",
    draw=_draw,
    note=lambda document: drawn_columns(document, "the table under the distributions holds the rest"),
    classes="pair below",
    below_table=True,
)
