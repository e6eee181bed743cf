"""How many records hold each category of a column, before and after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from microagg.base.types import FloatArray
from microagg.gate import Gate
from microagg.report import svg
from microagg.report.words import compact, shown
from microagg.semantic.attribute import MISSING


@dataclass(frozen=True)
class CategoryCount:
    """How many records hold a category, before and after; before is None where it is not told."""

    label: str
    before: int | None
    after: int


def category_counts(
    original: FloatArray,
    released: FloatArray,
    labels: Sequence[str],
    gate: Gate,
    *,
    most: int = 10,
    in_order: bool = False,
) -> tuple[CategoryCount, ...]:
    """Count a column of categories, the most frequent first, or in the order of the labels.

    Those whose number the gate withholds are counted together, so that no name on the page points to a few persons,
    and so is what goes beyond `most` rows.

    >>> codes = np.repeat([0.0, 1.0, 2.0], [50, 9, 1])
    >>> counted = category_counts(codes, np.zeros(60), ["red", "blue", "pink"], Gate(60, 3))
    >>> [(c.label, c.before, c.after) for c in counted]
    [('red', 50, 60), ('others', 10, 0)]
    """
    sides, gaps = (original, released), (np.isnan(original), np.isnan(released))
    if gaps[0].any() or gaps[1].any():
        labels = [*labels, MISSING]
        sides = np.where(gaps[0], len(labels) - 1, original), np.where(gaps[1], len(labels) - 1, released)
    before, after = (np.bincount(side.astype(np.int64), minlength=len(labels)) for side in sides)
    order = np.argsort(-np.maximum(before, after), kind="stable")
    there = (before > 0) | (after > 0)
    shown = gate.cells(before) & there & gate.names(before, after)
    shown[order[shown[order]][most:]] = False
    rest = before[there & ~shown]
    # What is beyond the last row may itself be few: the next rows are counted with it.
    for code in order[::-1].tolist():
        if 0 < rest.sum() < gate.least and shown[code] and before[code]:
            shown[code] = False
            rest = before[there & ~shown]
    named = np.flatnonzero(shown) if in_order else order[shown[order]]
    rows = [(labels[i], int(before[i]), int(after[i])) for i in named.tolist()]
    others = ("others", int(rest.sum()), int(after[~shown].sum()))
    if others[1] or others[2]:
        rows.append(others)
    return tuple(CategoryCount(label, was if gate.tells_original else None, became) for label, was, became in rows)


def category_bars(key: str, name: str, counts: Sequence[CategoryCount]) -> str:
    """Draw how many records hold each category: before as a grey bar, after as a coloured one over it."""
    label, margin, row = 120.0, 52.0, 26.0
    width, height = 330.0, row * len(counts) + 4
    longest = [max(count.before or 0, count.after) for count in counts]
    room = (width - label - margin) / max(1, *longest)
    body = []
    for i, count in enumerate(counts):
        y = 2 + i * row
        tip = f"{shown(count.label, 60)}: {both_counts(count.before, count.after)}"
        if count.before is not None:
            body.append(svg.rect(label, y + 3, count.before * room, row - 8, "area-before", tip))
        body.append(svg.rect(label, y + 8, count.after * room, row - 18, "fill-after", tip))
        body.append(svg.text(label - 8, y + 17, svg.fit(count.label, label - 10), anchor="end"))
        body.append(svg.text(label + longest[i] * room + 6, y + 17, compact(count.after), kind="value"))
    body.append(svg.line(label, 0, label, height, "base"))
    described = f"How many records hold each category of {shown(name, 60)}, before and after."
    return svg.drawing(key, width, height, f"Categories of {shown(name, 60)}", described, body)


def both_counts(before: int | None, after: int) -> str:
    """Write how many records there are on either side, or on the side that is told."""
    return f"{after:,} after" if before is None else f"{before:,} before, {after:,} after"
