"""The map of candidate releases: each one by its risk and its loss, with the frontier and the limits."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from microagg.report import svg
from microagg.report.charts.kind import GROUP_COLOURS
from microagg.report.svg import round_step
from microagg.report.words import measure, percent, shown

FAR = 2.0
"""A limit so many times beyond the largest value is not drawn: everything is within it."""
MARK, RING = 8.0, 12.0
"""How far a mark, and the ring of the chosen one, reach."""
LEAVES = 20.0
"""A name that stands farther from its mark than this is joined to it by a line."""
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
class Sheet:
    """The size of the drawing, its margins, and how large its text is beside the usual one."""

    width: float
    height: float
    left: float
    top: float
    bottom: float
    right: float
    text: float

    def text_width(self, text: str) -> float:
        """Guess how wide a text is drawn."""
        return self.text * svg.text_width(text)


WIDE = Sheet(720.0, 450.0, 74.0, 14.0, 60.0, 16.0, text=0.86)
NARROW = Sheet(340.0, 380.0, 50.0, 22.0, 54.0, 10.0, text=0.94)
"""For screens and for telephones: each is laid out for its own size, so that names have room in both."""


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
    """A candidate: the number of its series, its name, and where it lies; its key (hexadecimal) names its mark."""

    series: int
    label: str
    risk: float
    loss: float
    on_frontier: bool = False
    is_chosen: bool = False
    promises_k: bool = True
    key: str = ""


@dataclass(frozen=True)
class Frame:
    """Where the sheet of a map lies in its drawing, and what its ends stand for: risks to the right, losses upwards."""

    left: float
    right: float
    top: float
    bottom: float
    risk: tuple[float, float]
    loss: tuple[float, float]


def frame_of(points: Sequence[Point], lines: Sequence[Line] = (), sheet: Sheet = WIDE) -> Frame:
    """Say where the values of a map lie in its drawing.

    >>> frame_of([Point(0, "mdav", 30.0, 5.0)]).risk
    (0.0, 40.0)
    """
    risks, losses = _scales(points, lines)
    edges = sheet.left, sheet.width - sheet.right, sheet.top, sheet.height - sheet.bottom
    return Frame(*edges, (risks.start, risks.end), (losses.start, losses.end))


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


def trade_off(
    key: str, points: Sequence[Point], risk: Axis, loss: Axis, lines: Sequence[Line] = (), sheet: Sheet = WIDE
) -> str:
    """Draw each candidate by its risk (to the right) and its loss (upwards).

    Candidates that no other beats are filled and joined by a dashed line; the k of one series are joined faintly; what
    lies beyond a limit is shaded; the chosen one has a ring.

    >>> drawn = trade_off("map", [Point(0, "mdav, k = 3", 30.0, 5.0, True)], Axis("Risk", "percent"), Axis("Loss", ""))
    >>> drawn.count('class="mark')
    1
    """
    left, top, bottom, right = sheet.left, sheet.top, sheet.bottom, sheet.right
    width, height = sheet.width, sheet.height
    across, up = width - left - right, height - top - bottom
    risks, losses = _scales(points, lines)

    def x_of(value: float) -> float:
        return risks.place(value, left, across)

    def y_of(value: float) -> float:
        return losses.place(value, height - bottom, -up)

    body = []
    for value in losses.ticks():
        kind = "base" if value == losses.start else "grid"
        body.append(svg.line(left, y_of(value), width - right, y_of(value), kind))
        body.append(svg.text(left - 8, y_of(value) + 4, _tick(value, loss), anchor="end"))
    for value in risks.ticks()[:: 1 if sheet is WIDE else 2]:
        body.append(svg.text(x_of(value), height - bottom + 22, _tick(value, risk), anchor="middle"))
    taken: list[Box] = []
    for line in lines:
        drawn, box = _limit(line, risks if line.on_risk else losses, x_of, y_of, sheet)
        body += drawn
        taken += [] if box is None else [box]
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
        key_of_mark = f' data-key="{point.key}"' if point.key else ""
        body.append(f'<g transform="{place}"{key_of_mark}>{ring}{mark}</g>')
    body += _labels(points, [(x_of(p.risk), y_of(p.loss)) for p in points], taken, sheet)
    body += [
        svg.text((left + width) / 2, height - 6, _axis_title(risk), anchor="middle", kind="axis"),
        f'<g transform="translate(14 {svg.number((height - bottom) / 2)}) rotate(-90)">',
        svg.text(0, 0, _axis_title(loss), anchor="middle", kind="axis"),
        "</g>",
    ]
    chosen = next((f" Chosen: {point.label}." for point in points if point.is_chosen), "")
    words = f"{len(points)} candidates by {risk.title} and {loss.title}; the table below gives their numbers.{chosen}"
    return svg.drawing(key, width, height, f"{risk.title} and {loss.title} of the candidates", words, body)


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


def _scales(points: Sequence[Point], lines: Sequence[Line]) -> tuple[_Scale, _Scale]:
    """Give the axes of the risks and of the losses."""
    risks = _scale([p.risk for p in points], [line.value for line in lines if line.on_risk])
    return risks, _scale([p.loss for p in points], [line.value for line in lines if not line.on_risk])


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


Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""


def _limit(
    line: Line, scale: _Scale, x_of: Callable[[float], float], y_of: Callable[[float], float], sheet: Sheet
) -> tuple[list[str], Box | None]:
    """Draw a limit, and shade what lies beyond it; give the room that its name takes."""
    if not scale.start <= line.value <= scale.end:
        return [], None
    far = scale.end if line.at_most else scale.start
    end, width = sheet.width - sheet.right, sheet.text_width(line.label)
    if line.on_risk:
        x, edge, floor = x_of(line.value), x_of(far), sheet.height - sheet.bottom
        drawn = [svg.rect(min(x, edge), sheet.top, abs(edge - x), floor - sheet.top, "beyond", f"beyond {line.label}")]
        drawn.append(svg.line(x, sheet.top, x, floor, "limit"))
        starts = x + 6 + width < end
        ends = x - 5 - width >= sheet.left
        # Where neither side has room for the name, it stands above the sheet.
        at, base = (x + 5 if starts else x - 5 if ends else end), sheet.top + (10 if starts or ends else -5)
        left = at if starts else at - width
        drawn.append(svg.text(at, base, line.label, anchor="start" if starts else "end"))
        return drawn, (left, base - 11, left + width, base + 3)
    y, edge = y_of(line.value), y_of(far)
    drawn = [svg.rect(sheet.left, min(y, edge), end - sheet.left, abs(edge - y), "beyond", f"beyond {line.label}")]
    drawn.append(svg.line(sheet.left, y, end, y, "limit"))
    drawn.append(svg.text(end - 4, y - 5, line.label, anchor="end"))
    return drawn, (end - 4 - width, y - 16, end - 4, y - 2)


def _joined(places: Sequence[tuple[float, float]], kind: str) -> list[str]:
    """Join places from left to right."""
    ordered = sorted(set(places))
    corners = " ".join(f"{svg.number(x)},{svg.number(y)}" for x, y in ordered)
    return [f'<polyline class="{kind}" fill="none" points="{corners}"/>'] if len(ordered) > 1 else []


def _labels(
    points: Sequence[Point], places: Sequence[tuple[float, float]], taken: Sequence[Box], sheet: Sheet
) -> list[str]:
    """Name the chosen candidate, those on the frontier and baselines, wherever a name covers nothing else.

    The chosen one is named first, and if need be at a distance, joined to its mark by a line.
    """
    reach = [RING if point.is_chosen else MARK for point in points]
    boxes = [*taken, *((x - r, y - r, x + r, y + r) for (x, y), r in zip(places, reach, strict=True))]
    drawn = []
    named = [
        (p, place) for p, place in zip(points, places, strict=True) if p.on_frontier or p.is_chosen or not p.promises_k
    ]
    for point, (x, y) in sorted(named, key=lambda pair: not pair[0].is_chosen):
        text = shown(point.label, 40)
        width = sheet.text_width(text)
        for away in (15, 30, 48, 70, 96, 130, 170) if point.is_chosen else (12, 26):
            box = _room(x, y, away, width, boxes, sheet)
            if box is None:
                continue
            boxes.append(box)
            if away > LEAVES:
                edge = min(max(x, box[0]), box[2]), box[3] if box[3] < y else box[1] if box[1] > y else y
                drawn.append(svg.line(x, y, *edge, "leader"))
            # Widths are guesses: a text begins, or ends, where it is next to its mark.
            at, anchor = (box[0], "start") if box[0] > x else (box[2], "end") if box[2] < x else (x, "middle")
            at = (box[0] + box[2]) / 2 if anchor == "middle" else at
            kind = "name chosen" if point.is_chosen else "name"
            drawn.append(svg.text(at, box[3] - 3, text, anchor=anchor, kind=kind))
            break
    return drawn


def _room(x: float, y: float, away: float, width: float, taken: Sequence[Box], sheet: Sheet) -> Box | None:
    """Find a place for a text of some width at a distance from a mark: beside it, above, below, or aslant."""
    slant = away * 0.75
    for left, base in (
        (x + away, y + 4),
        (x - away - width, y + 4),
        (x - width / 2, y - away - 2),
        (x - width / 2, y + away + 10),
        (x + slant, y - slant),
        (x - slant - width, y - slant),
        (x + slant, y + slant + 10),
        (x - slant - width, y + slant + 10),
    ):
        box = (left, base - 11, left + width, base + 3)
        across = left >= sheet.left and box[2] <= sheet.width - sheet.right
        up = box[1] >= sheet.top and box[3] <= sheet.height - sheet.bottom
        if across and up and not any(_overlap(box, other) for other in taken):
            return box
    return None


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
