"""A sample of single records and of what they became: only where details were asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from microagg.base.types import FloatArray, IntArray
from microagg.report import svg
from microagg.report.chart import Chart
from microagg.report.charts.kind import GROUP_COLOURS, ReleaseChart
from microagg.report.components import principal_view, spread
from microagg.report.document import Document
from microagg.report.gated import GatedFacts
from microagg.report.moments import Moments
from microagg.report.words import percent, tidy

MOST_DOTS = 1500
MANY_HUBS = 400
"""With more centres than these, the map draws them smaller."""


@dataclass(frozen=True)
class Map:
    """A sample of records on the first two principal components, before and after.

    `shares` are the fractions of the variance that the two components carry. The second is 0 where there is no second
    component: then each group has a height of its own, which means nothing.
    """

    before: FloatArray
    after: FloatArray
    groups: IntArray
    shares: tuple[float, float]
    n_records: int


def numbers(facts: GatedFacts) -> Map | None:
    """Project a sample of the records; None without details, or where no column of numbers varies."""
    if not facts.details or not facts.numbers:
        return None
    labels = facts.labels[:, facts.numbers] if facts.per_column else facts.labels
    return principal_map(facts.X, facts.Y, labels, facts.before)


def principal_map(original: FloatArray, released: FloatArray, labels: IntArray, before: Moments) -> Map | None:
    """Project a sample of whole groups on the principal components of the standardised originals.

    Gives None where no column varies, so that there is nothing to draw.

    >>> from microagg.report.moments import moments
    >>> X = np.array([[0.0, 0.0], [1.0, 1.0], [5.0, 5.0], [6.0, 6.0]])
    >>> drawn = principal_map(X, X, np.array([0, 0, 1, 1]), moments(X))
    >>> tuple(round(share, 2) for share in drawn.shares)
    (1.0, 0.0)
    """
    view = principal_view(before)
    if view is None:
        return None
    rows = sample_groups(labels) if labels.ndim == 1 else spread(len(labels), MOST_DOTS)
    points, centres = view.project(original[rows]), view.project(released[rows])
    if view.shares[1] == 0:
        heights = _own_heights(labels[rows] if labels.ndim == 1 else labels[rows, view.varying[0]])
        points = np.stack((points[:, 0], heights), axis=1)
        centres = np.stack((centres[:, 0], heights), axis=1)
    groups = labels[rows] if labels.ndim == 1 else np.zeros(len(rows), dtype=np.int64)
    return Map(points, centres, groups, view.shares, len(original))


def _own_heights(groups: IntArray) -> FloatArray:
    """Spread the groups evenly over 0..1, neighbours far apart (multiples of the golden ratio)."""
    return np.asarray(groups * 0.6180339887498949 % 1.0, dtype=np.float64)


def sample_groups(labels: IntArray, most: int = MOST_DOTS) -> IntArray:
    """Choose the records of evenly spread groups, at most so many.

    >>> sample_groups(np.array([0, 0, 1, 1, 2, 2]), most=4).tolist()
    [0, 1, 4, 5]
    """
    if len(labels) <= most:
        return np.arange(len(labels))
    sizes = np.bincount(labels)
    present = np.flatnonzero(sizes)
    n_chosen = max(1, int(most * len(present) / len(labels)))
    chosen = np.zeros(len(sizes), dtype=np.bool_)
    chosen[present[spread(len(present), n_chosen)]] = True
    rows = np.flatnonzero(chosen[labels])
    return rows[spread(len(rows), most)]


def _draw(document: Document, key: str) -> tuple[Chart, ...]:
    drawn: Map | None = document.numbers["records"]
    if drawn is None:
        return ()
    dots, outside = scatter(f"{key}records", drawn)
    rows = tuple(
        (str(group), *(tidy(float(value), 3) for value in (*before, *after)))
        for group, before, after in zip(drawn.groups.tolist(), drawn.before, drawn.after, strict=True)
    )
    remark = f"{len(drawn.before):,} of {drawn.n_records:,} records"
    if outside:
        remark += f"; {outside:,} of them lie far outside and are not drawn"
    heads = ("Group", "First component", "Second component", "First, released", "Second, released")
    return (Chart("Records and their groups", dots, heads, rows, remark),)


def scatter(key: str, drawn: Map) -> tuple[str, int]:
    """Draw the map: records as faint dots, joined to what they became. Also gives how many lie outside the frame."""
    width, height, left, bottom, edge = 720.0, 480.0, 30.0, 32.0, 10.0
    low, high = _frame(drawn)
    inside = ((drawn.before >= low) & (drawn.before <= high)).all(axis=1)
    room = np.array([width - left - 2 * edge, height - bottom - 2 * edge])

    def place(points: FloatArray) -> list[str]:
        scaled = ((points[inside] - low) / (high - low)).clip(-1, 2) * room
        x, y = left + edge + scaled[:, 0], height - bottom - edge - scaled[:, 1]
        return [f"{u:.0f} {v:.0f}" for u, v in zip(x.tolist(), y.tolist(), strict=True)]

    dots, centres = place(drawn.before), place(drawn.after)
    colours = _colours(drawn)[inside].tolist()
    hubs = dict.fromkeys(zip(centres, colours, strict=True))
    ties = [(f"M{dot}L{hub}", colour) for dot, hub, colour in zip(dots, centres, colours, strict=True) if dot != hub]
    specks = [(f"M{dot}h0", colour) for dot, colour in zip(dots, colours, strict=True)]
    first, second = drawn.shares
    across = f"first component: {percent(100 * first)} of the variance"
    up = f"second component: {percent(100 * second)} of the variance" if second else "height only separates the groups"
    body = [
        f'<clipPath id="{key}-clip">{svg.rect(left, 0, width - left, height - bottom, "frame")}</clipPath>',
        svg.rect(left, 0.5, width - left - 0.5, height - bottom, "frame"),
        f'<g clip-path="url(#{key}-clip)">',
        *_coloured("tie", ties),
        *_coloured("speck", specks),
        *_coloured(
            "hub many-hubs" if len(hubs) > MANY_HUBS else "hub", [(f"M{hub}h0", colour) for hub, colour in hubs]
        ),
        "</g>",
        svg.text((left + width) / 2, height - 8, across, anchor="middle", kind="axis"),
        f'<g transform="translate(16 {svg.number((height - bottom) / 2)}) rotate(-90)">',
        svg.text(0, 0, up, anchor="middle", kind="axis"),
        "</g>",
    ]
    words = f"{len(dots):,} of {drawn.n_records:,} records, each joined to the values that its group was given."
    outside = int((~inside).sum())
    title = "Records and groups on the first two principal components"
    return svg.drawing(key, width, height, title, words, body), outside


def _coloured(kind: str, strokes: Sequence[tuple[str, int]]) -> list[str]:
    """Gather strokes of the same colour in one path: a thousand dots stay a few kilobytes."""
    paths = ["".join(path for path, its in strokes if its == colour) for colour in range(GROUP_COLOURS)]
    return [f'<path class="{kind} g{colour}" d="{path}"/>' for colour, path in enumerate(paths) if path]


def _frame(drawn: Map) -> tuple[FloatArray, FloatArray]:
    """Show all records, or, where a few lie very far out, the central 96 percent on that axis."""
    low, high = drawn.before.min(axis=0), drawn.before.max(axis=0)
    near, far = np.quantile(drawn.before, [0.02, 0.98], axis=0)
    cut = (high - low > 1.8 * (far - near)) & (far > near)
    margin = 0.2 * (far - near)
    low, high = np.where(cut, np.maximum(near - margin, low), low), np.where(cut, np.minimum(far + margin, high), high)
    flat = high <= low
    return np.where(flat, low - 0.5, low), np.where(flat, low + 0.5, high)


def _colours(drawn: Map) -> IntArray:
    """Give the groups their colours in turn along the first component, so that neighbours differ."""
    groups, members = np.unique(drawn.groups, return_inverse=True)
    first = np.full(len(groups), np.inf)
    np.minimum.at(first, members, drawn.after[:, 0])
    turn = np.empty(len(groups), dtype=np.int64)
    turn[np.argsort(first, kind="stable")] = np.arange(len(groups)) % GROUP_COLOURS
    return turn[members]


def _note(document: Document) -> str:
    if document.per_column:
        return "Each faint dot is a record, joined to where the release puts it."
    return (
        "Each faint dot is a record, joined to the strong dot of its group. Colours only tell neighbouring groups "
        "apart."
    )


CHART = ReleaseChart("records", section="map", draw=_draw, numbers=numbers, note=_note, classes="wide apart")
