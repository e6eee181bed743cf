"""How many groups there are of each size."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from microagg.base.types import IntArray
from microagg.report import svg
from microagg.report.chart import Chart
from microagg.report.charts.kind import ReleaseChart
from microagg.report.document import Document
from microagg.report.gated import GatedFacts
from microagg.report.words import compact, tidy

MOST_BARS = 16


@dataclass(frozen=True)
class Bar:
    """Groups of `low` to `high` records: how many groups, and how many records they hold."""

    low: int
    high: int
    groups: int
    records: int

    @property
    def label(self) -> str:
        """The sizes that this bar stands for."""
        return f"{self.low:,}" if self.low == self.high else f"{self.low:,}–{self.high:,}"


def group_sizes(labels: IntArray, *, uniques: bool = False) -> tuple[Bar, ...]:
    """Count the groups of each size; many different sizes are gathered in ranges of equal width.

    >>> [(bar.label, bar.groups) for bar in group_sizes(np.array([0, 0, 0, 1, 1, 1, 2, 2, 2, 2]))]
    [('3', 2), ('4', 1)]

    Records that are alone have a bar of their own where that is asked for, however many sizes there are.

    >>> [(bar.label, bar.groups) for bar in group_sizes(np.array([0, 1, 2, *[3] * 90]), uniques=True) if bar.groups]
    [('1', 3), ('86–90', 1)]
    """
    columns = labels[:, None] if labels.ndim == 1 else labels
    sizes = np.concatenate([counts[counts > 0] for counts in (np.bincount(column) for column in columns.T)])
    alone = sizes == 1
    if uniques and alone.any() and not alone.all():
        n_alone, others = int(alone.sum()), sizes[~alone]
        return (Bar(1, 1, n_alone, n_alone), *_from_two_on(others))
    return count_sizes(sizes, np.ones_like(sizes))


def _from_two_on(sizes: IntArray) -> tuple[Bar, ...]:
    """Count the groups of two and more; the first bar begins at two, so that none stands apart without a reason."""
    return count_sizes(np.append(sizes, 2), np.append(np.ones_like(sizes), 0), most=MOST_BARS - 1)


def count_sizes(sizes: IntArray, n_groups: IntArray, *, most: int = MOST_BARS) -> tuple[Bar, ...]:
    """Count the groups of each size, where so many have these sizes.

    >>> [(bar.label, bar.groups, bar.records) for bar in count_sizes(np.array([3, 4]), np.array([2, 1]))]
    [('3', 2, 6), ('4', 1, 4)]
    """
    smallest, largest = int(sizes.min()), int(sizes.max())
    width = -(-(largest - smallest + 1) // most)
    groups = np.bincount((sizes - smallest) // width, weights=n_groups)
    records = np.bincount((sizes - smallest) // width, weights=sizes * n_groups)
    return tuple(
        Bar(smallest + i * width, min(smallest + (i + 1) * width - 1, largest), int(groups[i]), int(records[i]))
        for i in range(len(groups))
    )


def numbers(facts: GatedFacts) -> tuple[Bar, ...]:
    """Count the groups of the release; of a sample of it, those of all its records."""
    if facts.whole is None:
        return group_sizes(facts.labels)
    return count_sizes(np.array(list(facts.whole.sizes)), np.array(list(facts.whole.sizes.values())))


def chart_sizes(bars: Sequence[Bar], key: str) -> Chart:
    """Give the drawing with its table."""
    rows = tuple((bar.label, tidy(bar.groups), tidy(bar.records)) for bar in bars if bar.groups)
    drawn = size_bars(key, bars, sum(bar.groups for bar in bars)) if bars else ""
    return Chart("Sizes of the groups", drawn, ("Records in a group", "Groups", "Records in them"), rows)


def size_bars(key: str, bars: Sequence[Bar], n_groups: int) -> str:
    """Draw how many groups there are of each size."""
    width, height, left, top, bottom = 480.0, 230.0, 48.0, 14.0, 44.0
    tallest = max(bar.groups for bar in bars)
    step = max(1.0, svg.round_step(tallest, 4))
    ceiling = math.ceil(tallest / step) * step
    room = height - top - bottom
    slot = (width - left) / len(bars)
    thickness = min(slot * 0.78, 64)
    body = []
    for i in range(round(ceiling / step) + 1):
        y = height - bottom - i * step / ceiling * room
        body += [
            svg.line(left, y, width, y, "grid" if i else "base"),
            svg.text(left - 8, y + 4, compact(i * step), anchor="end"),
        ]
    skip = math.ceil((max(svg.text_width(bar.label) for bar in bars) + 8) / slot)
    for i, bar in enumerate(bars):
        x = left + (i + 0.5) * slot
        tall = bar.groups / ceiling * room
        tip = f"{bar.groups:,} groups of {bar.label} records ({bar.records:,} records)"
        if bar.high == 1:
            tip = f"{bar.records:,} records that are alone"
        kind = "fill-lost" if bar.high == 1 else "fill-after"
        body.append(svg.rect(x - thickness / 2, height - bottom - tall, thickness, tall, kind, tip))
        if i % skip == 0:
            body.append(svg.text(x, height - bottom + 18, bar.label, anchor="middle"))
    body.append(svg.text(left + (width - left) / 2, height - 6, "records in a group", anchor="middle", kind="axis"))
    words = f"{n_groups:,} groups of {bars[0].low:,} to {bars[-1].high:,} records."
    return svg.drawing(key, width, height, "How many groups there are of each size", words, body)


def _draw(document: Document, key: str) -> tuple[Chart, ...]:
    return (chart_sizes(document.numbers["sizes"], f"{key}sizes"),)


def _intro(document: Document) -> str:
    if document.per_column:
        return "Each column was grouped on its own; the groups of all columns are counted together."
    return (
        "The larger its group, the better a record hides; the smaller, the closer the released values are to its own."
    )


CHART = ReleaseChart(
    "sizes", section="groups", draw=_draw, numbers=numbers, intro=_intro, classes="pair", table_beside=True
)
