"""Drawings that stand alone: box plots, scatter plots and curves as SVG files, without a style sheet around them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from microagg.report import svg
from microagg.report.svg import round_step

COLOURS = ("#1f6fb4", "#d1662b", "#2b8a57", "#a3418f", "#8a6d1f", "#4a4f9c", "#b03a48", "#2c8c94")
STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#222}.title{font-size:15px;font-weight:600}.grid{stroke:#ddd}"
    ".base{stroke:#555}.printed{stroke:#b03a48;stroke-width:2}.box{fill:#1f6fb4;fill-opacity:.25;stroke:#1f6fb4}"
    ".median{stroke:#1f6fb4;stroke-width:2}.whisker{stroke:#1f6fb4}"
    "@media (prefers-color-scheme:dark){svg>rect:first-of-type{fill:#181f27}text{fill:#c9d1d9}.grid{stroke:#2b3540}"
    ".base{stroke:#9aa6b2}.printed{stroke:#ec8b4f}.box{fill:#5db5e8;stroke:#5db5e8}.median,.whisker{stroke:#5db5e8}}"
)


@dataclass(frozen=True)
class Box:
    """Values of one label, and the least, average and most that were printed for it, NaN where they were not."""

    label: str
    values: tuple[float, ...]
    printed: tuple[float, float, float] | None = None


@dataclass(frozen=True)
class Series:
    """Points (x, y) of one name; a curve of theory is dashed and has no marks.

    One that belongs to the series before it has its colour; one without marks is a line alone. A line is joined also
    in a drawing of points.
    """

    name: str
    points: tuple[tuple[float, float], ...]
    dashed: bool = False
    belongs: bool = False
    marks: bool = True
    line: bool = False


def file_of(*parts: object) -> str:
    """Give the name of the file of a drawing.

    >>> file_of("hm2", "streets (surrogate)", 3)
    'hm2-streets-surrogate-3.svg'
    """
    return "-".join(re.sub(r"[^a-z0-9]+", "-", str(part).lower()).strip("-") for part in parts) + ".svg"


def box_plot(title: str, axis: str, boxes: Sequence[Box]) -> str:
    """Draw one horizontal box for each label: quartiles, whiskers to the extremes; printed numbers beneath, in red."""
    left, right, top, bottom, row = 210.0, 24.0, 44.0, 52.0, 34.0
    width, height = 760.0, top + row * len(boxes) + bottom
    known = [v for box in boxes for v in (*box.values, *(box.printed or ())) if not math.isnan(v)]
    ticks, low, high = _scale(known)

    def place(value: float) -> float:
        return left + (value - low) / (high - low) * (width - left - right)

    body = [svg.text(12, 24, title, kind="title")]
    body += _grid(ticks, place, top, height - bottom)
    for i, box in enumerate(boxes):
        y = top + (i + 0.5) * row
        body.append(svg.text(left - 10, y + 4, box.label, anchor="end"))
        least, lower, median, upper, most = (float(q) for q in np.quantile(box.values, [0, 0.25, 0.5, 0.75, 1]))
        words = f"{box.label}: {least:.4g} to {most:.4g}, median {median:.4g}, {len(box.values)} values"
        body += [
            f"<g><title>{svg.escape(words)}</title>",
            svg.line(place(least), y - 4, place(most), y - 4, "whisker"),
            f'<rect class="box" x="{place(lower):.1f}" y="{y - 11:.1f}" '
            f'width="{max(place(upper) - place(lower), 1):.1f}" height="14"/>',
            svg.line(place(median), y - 11, place(median), y + 3, "median"),
            "</g>",
        ]
        if box.printed is not None:
            first, average, last = box.printed
            if not math.isnan(first):
                body.append(svg.line(place(first), y + 9, place(last), y + 9, "printed"))
            body.append(svg.line(place(average), y + 5, place(average), y + 13, "printed"))
    legend = " (box: ours, line beneath: printed)" if any(box.printed for box in boxes) else ""
    body.append(svg.text((left + width) / 2, height - 12, axis + legend, anchor="middle"))
    return svg.alone(width, height, title, STYLE, body)


def scatter(title: str, across: str, up: str, series: Sequence[Series]) -> str:
    """Draw points by two numbers, a colour for each name."""
    return _chart(title, across, up, series, joined=False)


def curves(title: str, across: str, up: str, series: Sequence[Series]) -> str:
    """Draw points by two numbers, joined in their order, a colour for each name."""
    return _chart(title, across, up, series, joined=True)


def _chart(title: str, across: str, up: str, series: Sequence[Series], *, joined: bool) -> str:
    left, top, bottom = 76.0, 44.0, 56.0
    right = max(220.0, 40.0 + 6.7 * max(len(one.name) for one in series))
    width, height = 640.0 + right, 480.0
    x_ticks, x_low, x_high = _scale([x for one in series for x, _ in one.points])
    y_ticks, y_low, y_high = _scale([y for one in series for _, y in one.points])

    def x_place(value: float) -> float:
        return left + (value - x_low) / (x_high - x_low) * (width - left - right)

    def y_place(value: float) -> float:
        return height - bottom - (value - y_low) / (y_high - y_low) * (height - top - bottom)

    body = [svg.text(12, 24, title, kind="title"), *_grid(x_ticks, x_place, top, height - bottom)]
    for tick in y_ticks:
        body.append(svg.line(left, y_place(tick), width - right, y_place(tick), "grid"))
        body.append(svg.text(left - 8, y_place(tick) + 4, f"{tick:g}", anchor="end"))
    hue = -1
    for i, one in enumerate(series):
        hue += 0 if one.belongs else 1
        colour = COLOURS[hue % len(COLOURS)]
        y = top + 6 + 20 * i
        body.append(svg.text(width - right + 30, y + 4, one.name))
        stroke = f'fill="none" stroke="{colour}" stroke-width="2"' + (' stroke-dasharray="5 4"' if one.dashed else "")
        if one.dashed:
            body.append(f'<path d="M{width - right + 8} {y}h20" {stroke}/>')
        else:
            body.append(f'<circle cx="{width - right + 18}" cy="{y}" r="5" fill="{colour}"/>')
        if joined or one.line:
            corners = " ".join(f"{x_place(x):.1f},{y_place(y):.1f}" for x, y in one.points)
            body.append(f'<polyline points="{corners}" {stroke}/>')
        for x, y in one.points if one.marks and not one.dashed else ():
            body.append(
                f'<circle cx="{x_place(x):.1f}" cy="{y_place(y):.1f}" r="4" fill="{colour}" fill-opacity="0.7">'
                f"<title>{svg.escape(one.name)}: {x:.4g}, {y:.4g}</title></circle>"
            )
    body.append(svg.text((left + width - right) / 2, height - 12, across, anchor="middle"))
    body.append(f'<g transform="translate(18 {height / 2:.0f}) rotate(-90)">{svg.text(0, 0, up, anchor="middle")}</g>')
    return svg.alone(width, height, title, STYLE, body)


def _scale(values: Sequence[float]) -> tuple[list[float], float, float]:
    """Give round ticks that cover the values, and the ends of the axis."""
    low, high = min(values), max(values)
    if high <= low:
        low, high = low - (abs(low) or 1.0) * 0.05, high + (abs(high) or 1.0) * 0.05
    step = round_step(high - low, 6)
    first, last = math.floor(low / step), math.ceil(high / step)
    ticks = [round(i * step, 12) for i in range(first, last + 1)]
    return ticks, ticks[0], ticks[-1]


def _grid(ticks: Sequence[float], place: Callable[[float], float], top: float, bottom: float) -> list[str]:
    drawn = []
    for tick in ticks:
        drawn.append(svg.line(place(tick), top, place(tick), bottom, "grid"))
        drawn.append(svg.text(place(tick), bottom + 18, f"{tick:g}", anchor="middle"))
    return drawn
