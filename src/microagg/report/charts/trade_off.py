"""The map of candidate releases: each one by its risk and its loss, with the frontier and the limits."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from microagg.report import svg
from microagg.report.charts.kind import GROUP_COLOURS
from microagg.report.svg import round_step
from microagg.report.words import measure, percent, shown

WIDTH, HEIGHT, LEFT, TOP, BOTTOM, RIGHT = 720.0, 450.0, 74.0, 14.0, 60.0, 16.0
"""The drawing and its margins."""
FAR = 2.0
"""A limit so many times beyond the largest value is not drawn: everything is within it."""
_SMALL = 0.86
"""Labels on the map are drawn smaller than the usual text."""
_MARKERS = (
    "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0Z",
    "M-4.5 -4.5H4.5V4.5H-4.5Z",
    "M0 -6L5.6 4.4H-5.6Z",
    "M0 -6.5L6.5 0L0 6.5L-6.5 0Z",
    "M0 6L5.6 -4.4H-5.6Z",
    "M-2 -6H2V-2H6V2H2V6H-2V2H-6V-2H-2Z",
)

_CROSS = "M-5 -5L5 5M-5 5L5 -5"


@dataclass(frozen=True)
class Axis:
    """What is drawn along an axis: its name for people, its unit, and whether less of it is better."""

    title: str
    unit: str
    lower_is_better: bool = True


@dataclass(frozen=True)
class Line:
    """A limit on one of the axes: on the risk or on the loss, from above or from below, and how it is written."""

    on_risk: bool
    at_most: bool
    value: float
    label: str


@dataclass(frozen=True)
class Point:
    """A candidate: the number of its series, its name, and where it lies."""

    series: int
    label: str
    risk: float
    loss: float
    on_frontier: bool = False
    is_chosen: bool = False
    promises_k: bool = True


@dataclass(frozen=True)
class _Scale:
    """A round axis: where it starts and ends, and its steps."""

    start: float
    end: float
    step: float

    def place(self, value: float, begin: float, length: float) -> float:
        return begin + (value - self.start) / (self.end - self.start) * length

    def ticks(self) -> list[float]:
        return [self.start + i * self.step for i in range(round((self.end - self.start) / self.step) + 1)]


def trade_off(key: str, points: Sequence[Point], risk: Axis, loss: Axis, lines: Sequence[Line] = ()) -> str:
    """Draw each candidate by its risk (to the right) and its loss (upwards).

    Candidates that no other beats are filled and joined by a dashed line; the k of one series are joined faintly; what
    lies beyond a limit is shaded; the chosen one has a ring.

    >>> drawn = trade_off("map", [Point(0, "mdav, k = 3", 30.0, 5.0, True)], Axis("Risk", "percent"), Axis("Loss", ""))
    >>> drawn.count('class="mark')
    1
    """
    across, up = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    risks = _scale([p.risk for p in points], [line.value for line in lines if line.on_risk])
    losses = _scale([p.loss for p in points], [line.value for line in lines if not line.on_risk])

    def x_of(value: float) -> float:
        return risks.place(value, LEFT, across)

    def y_of(value: float) -> float:
        return losses.place(value, HEIGHT - BOTTOM, -up)

    body = []
    for value in losses.ticks():
        kind = "base" if value == losses.start else "grid"
        body.append(svg.line(LEFT, y_of(value), WIDTH - RIGHT, y_of(value), kind))
        body.append(svg.text(LEFT - 8, y_of(value) + 4, _tick(value, loss), anchor="end"))
    for value in risks.ticks():
        body.append(svg.text(x_of(value), HEIGHT - BOTTOM + 22, _tick(value, risk), anchor="middle"))
    for line in lines:
        body += _limit(line, risks if line.on_risk else losses, x_of, y_of)
    for series in sorted({point.series for point in points}):
        places = [(x_of(p.risk), y_of(p.loss)) for p in points if p.series == series and p.promises_k]
        body += _joined(places, f"tie g{_colour(series)}")
    body += _joined([(x_of(p.risk), y_of(p.loss)) for p in points if p.on_frontier], "frontier")
    for point in sorted(points, key=lambda p: (p.is_chosen, p.on_frontier)):
        tip = f"{point.label}: {risk.title} {measure(point.risk, risk.unit)}, {loss.title} "
        tip += measure(point.loss, loss.unit) + ("" if point.promises_k else "; promises no k")
        mark = marker(point.series, tip, strong=point.on_frontier, promises_k=point.promises_k)
        ring = '<circle class="ring" r="11"/>' if point.is_chosen else ""
        place = f"translate({svg.number(x_of(point.risk))} {svg.number(y_of(point.loss))})"
        body.append(f'<g transform="{place}">{ring}{mark}</g>')
    body += _labels(points, [(x_of(p.risk), y_of(p.loss)) for p in points])
    body += [
        svg.text((LEFT + WIDTH) / 2, HEIGHT - 6, _axis_title(risk), anchor="middle", kind="axis"),
        f'<g transform="translate(14 {svg.number((HEIGHT - BOTTOM) / 2)}) rotate(-90)">',
        svg.text(0, 0, _axis_title(loss), anchor="middle", kind="axis"),
        "</g>",
    ]
    chosen = next((f" Chosen: {point.label}." for point in points if point.is_chosen), "")
    words = f"{len(points)} candidates by {risk.title} and {loss.title}; the table below gives their numbers.{chosen}"
    return svg.drawing(key, WIDTH, HEIGHT, f"{risk.title} and {loss.title} of the candidates", words, body)


def marker(series: int, tip: str = "", strong: bool = True, promises_k: bool = True) -> str:
    """Draw the mark of a series: shape and colour change at different paces, so that 36 series differ.

    What promises no k is a cross, whatever its series.
    """
    shape = _MARKERS[(series + series // GROUP_COLOURS) % len(_MARKERS)]
    title = f"<title>{svg.escape(tip)}</title>" if tip else ""
    if not promises_k:
        return f'<path class="cross" d="{_CROSS}">{title}</path>'
    return f'<path class="mark m{_colour(series)}{"" if strong else " weak"}" d="{shape}">{title}</path>'


def _colour(series: int) -> int:
    return series % GROUP_COLOURS


def _scale(values: Sequence[float], limits: Sequence[float]) -> _Scale:
    """Give a round axis from zero, or from below it, that shows the values, and limits that are not far beyond."""
    most, least = max([*values, 1e-6]), min([*values, 0.0])
    most = max([most, *(limit for limit in limits if limit <= FAR * most)]) * 1.05
    step = round_step(most - least, 6)
    return _Scale(math.floor(least / step) * step, math.ceil(most / step) * step, step)


def _tick(value: float, axis: Axis) -> str:
    return percent(value) if axis.unit == "percent" else measure(value)


def _axis_title(axis: Axis) -> str:
    title = axis.title if axis.unit in ("", "percent") else f"{axis.title}, {axis.unit}"
    return f"← better · {title}" if axis.lower_is_better else f"{title} · better →"


def _limit(line: Line, scale: _Scale, x_of: Callable[[float], float], y_of: Callable[[float], float]) -> list[str]:
    """Draw a limit, and shade what lies beyond it."""
    if not scale.start <= line.value <= scale.end:
        return []
    far = scale.end if line.at_most else scale.start
    if line.on_risk:
        x, edge = x_of(line.value), x_of(far)
        drawn = [svg.rect(min(x, edge), TOP, abs(edge - x), HEIGHT - TOP - BOTTOM, "beyond", f"beyond {line.label}")]
        drawn.append(svg.line(x, TOP, x, HEIGHT - BOTTOM, "limit"))
        room = x + 6 + _SMALL * svg.text_width(line.label) < WIDTH - RIGHT
        return [*drawn, svg.text(x + (5 if room else -5), TOP + 10, line.label, anchor="start" if room else "end")]
    y, edge = y_of(line.value), y_of(far)
    across = WIDTH - LEFT - RIGHT
    drawn = [svg.rect(LEFT, min(y, edge), across, abs(edge - y), "beyond", f"beyond {line.label}")]
    drawn.append(svg.line(LEFT, y, WIDTH - RIGHT, y, "limit"))
    return [*drawn, svg.text(WIDTH - RIGHT - 4, y - 5, line.label, anchor="end")]


def _joined(places: Sequence[tuple[float, float]], kind: str) -> list[str]:
    """Join places from left to right."""
    ordered = sorted(set(places))
    corners = " ".join(f"{svg.number(x)},{svg.number(y)}" for x, y in ordered)
    return [f'<polyline class="{kind}" fill="none" points="{corners}"/>'] if len(ordered) > 1 else []


def _labels(points: Sequence[Point], places: Sequence[tuple[float, float]]) -> list[str]:
    """Name the chosen candidate, those on the frontier and baselines, wherever a name covers nothing else."""
    taken = [(x - 8, y - 8, x + 8, y + 8) for x, y in places]
    drawn = []
    named = [
        (p, place) for p, place in zip(points, places, strict=True) if p.on_frontier or p.is_chosen or not p.promises_k
    ]
    for point, (x, y) in sorted(named, key=lambda pair: not pair[0].is_chosen):
        text = shown(point.label, 40)
        width, away = _SMALL * svg.text_width(text), 15 if point.is_chosen else 12
        for left, base, anchor in (
            (x + away, y + 4, "start"),
            (x - away - width, y + 4, "end"),
            (x - width / 2, y - away - 2, "middle"),
            (x - width / 2, y + away + 10, "middle"),
        ):
            box = (left, base - 11, left + width, base + 3)
            inside = left >= LEFT and left + width <= WIDTH - RIGHT and box[1] >= TOP and box[3] <= HEIGHT - BOTTOM
            if inside and not any(_overlap(box, other) for other in taken):
                taken.append(box)
                at = {"start": left, "end": left + width, "middle": x}[anchor]
                drawn.append(svg.text(at, base, text, anchor=anchor, kind="name chosen" if point.is_chosen else "name"))
                break
    return drawn


def _overlap(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
