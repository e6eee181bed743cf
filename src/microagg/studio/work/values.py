"""Look at the values of one column: the job behind the page of recoding and hierarchies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from microagg.base.schema import Storage
from microagg.base.table import Table
from microagg.base.types import FloatArray
from microagg.gate import Gate
from microagg.plan.plan import Plan
from microagg.prepare.kinds import text_of
from microagg.recode import recode_table
from microagg.report.charts.histogram import count_bins
from microagg.studio.source import DataSource
from microagg.studio.worker import JobTask

MOST_VALUES = 3000
"""How many values a tree can be made of by hand."""
MOST_PLACES = 1200
"""At how many places it is told how many records lie below."""


@dataclass(frozen=True)
class Spread:
    """How the numbers of a column lie.

    Attributes
    ----------
    edges, counts : tuple
        Bins with round borders, and how many records are in each.
    places : tuple of float
        Some values, ascending.
    below : tuple of int
        How many records have a value of at most that.
    is_date : bool
        Whether the numbers are days since 1970.
    is_whole : bool
        Whether all are whole.
    """

    edges: tuple[float, ...]
    counts: tuple[int, ...]
    places: tuple[float, ...]
    below: tuple[int, ...]
    is_date: bool
    is_whole: bool


@dataclass(frozen=True)
class ValuesOfColumn:
    """The values of a column.

    Attributes
    ----------
    spread : Spread or None
        How its numbers lie, as they came; None where there are none.
    values, counts : tuple
        Its different values after recoding, as text, the most frequent first, and how many records have each.
    n_values : int
        How many there are in all.
    n_missing : int
        How many records have none.
    numbers : bool
        Whether the values are stored as numbers.
    """

    spread: Spread | None
    values: tuple[str, ...]
    counts: tuple[int, ...]
    n_values: int
    n_missing: int
    numbers: bool


def look(task: JobTask, source: DataSource, plan: Plan, column: str) -> ValuesOfColumn:
    """Count the values of a column: as they came, and as recoding leaves them."""
    table = source.read()
    task(0.6)
    spread = _spread(table, column)
    steps = {column: plan.recode[column]} if column in plan.recode else {}
    recoded, _ = recode_table(table, steps, plan.k)
    task(0.8)
    held = recoded.categories(column)
    there = held.codes[held.codes >= 0]
    counts = np.bincount(there, minlength=len(held.values))
    order = np.argsort(-counts, kind="stable")[:MOST_VALUES]
    return ValuesOfColumn(
        spread=spread,
        values=tuple(text_of(held.values[code]) for code in order.tolist()),
        counts=tuple(counts[order].tolist()),
        n_values=len(held.values),
        n_missing=len(held.codes) - len(there),
        numbers=recoded.storage(column) is Storage.NUMERIC,
    )


def _spread(table: Table, column: str) -> Spread | None:
    storage = table.storage(column)
    numbers: FloatArray
    if storage is Storage.NUMERIC:
        numbers = table.numeric(column).values
    elif storage is Storage.DATE:
        numbers = table.dates(column) / 86_400.0
    else:
        return None
    known = np.sort(numbers[np.isfinite(numbers)])
    if not len(known) or known[0] == known[-1]:
        return None
    drawn = count_bins(known, known, Gate(len(known), 2, details=True))
    places = np.unique(known)
    if len(places) > MOST_PLACES:
        places = np.unique(known[np.linspace(0, len(known) - 1, MOST_PLACES).astype(np.int64)])
    return Spread(
        edges=tuple(drawn.axis.edges.tolist()),
        counts=tuple(drawn.after.tolist()),
        places=tuple(places.tolist()),
        below=tuple(np.searchsorted(known, places, side="right").tolist()),
        is_date=storage is Storage.DATE,
        is_whole=bool((known % 1 == 0).all()),
    )
