"""Printed numbers, and ours beside them."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources

import numpy as np

LOSS = "information loss, percent"
"""What most tables print."""


@dataclass(frozen=True)
class Printed:
    """A printed number, with the least and the most of its repetitions where these are printed too."""

    dataset: str
    method: str
    k: int | None
    average: float
    least: float
    most: float
    source: str


@dataclass(frozen=True)
class PrintedComparison:
    """A printed number beside ours: the mean, least, most and standard deviation over our seeds.

    `measure` says what the numbers are, `source` where they are printed, `seeds` how many runs ours is the mean of.
    k is 0 where there is none. What was not printed, or has no spread, is NaN.
    """

    dataset: str
    method: str
    k: int
    printed: float
    printed_least: float
    printed_most: float
    ours: float
    ours_least: float
    ours_most: float
    seeds: int
    difference_percent: float
    inside: bool
    measure: str = LOSS
    source: str = ""
    ours_deviation: float = math.nan


@dataclass(frozen=True)
class ResultTable:
    """A table as it is shown: a title, headings, and cells that are written out."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def printed(name: str) -> list[Printed]:
    """Read a table of printed numbers.

    >>> [p.average for p in printed("hm2") if (p.dataset, p.method, p.k) == ("census", "MDAV", 3)]
    [5.6922]
    """
    text = (resources.files("microagg.reproduce") / "printed" / f"{name}.csv").read_text(encoding="utf-8")

    def number(cell: str) -> float:
        return float(cell) if cell else math.nan

    return [
        Printed(
            row["dataset"],
            row["method"],
            int(row["k"]) if row["k"] else None,
            float(row["average"]),
            number(row["min"]),
            number(row["max"]),
            row["source"],
        )
        for row in csv.DictReader(text.splitlines())
    ]


def compare_values(
    entry: Printed, values: Sequence[float], tolerance: float, *, measure: str = LOSS
) -> PrintedComparison:
    """Compare our values with a printed one.

    Parameters
    ----------
    entry : Printed
        What is printed.
    values : sequence of float
        Ours, one for each seed.
    tolerance : float
        How far outside the printed least..most, or from the printed number where there are none, our mean may lie, as
        a fraction of the printed number.
    measure : str
        What the numbers are.

    Returns
    -------
    PrintedComparison
    """
    mean = float(np.mean(values))
    least = entry.average if math.isnan(entry.least) else entry.least
    most = entry.average if math.isnan(entry.most) else entry.most
    return PrintedComparison(
        entry.dataset,
        entry.method,
        entry.k or 0,
        entry.average,
        entry.least,
        entry.most,
        mean,
        min(values),
        max(values),
        len(values),
        100 * (mean / entry.average - 1),
        least * (1 - tolerance) <= mean <= most * (1 + tolerance),
        measure,
        entry.source,
        float(np.std(values, ddof=1)) if len(values) > 1 else math.nan,
    )
