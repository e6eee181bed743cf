"""Rare categories become one, "other", which is never rarer than was asked for itself."""

from __future__ import annotations

import math
from collections.abc import Collection

import numpy as np

from microagg.base.types import IntArray
from microagg.recode.column import Holds, SteppedColumn, What
from microagg.recode.step import Fit, Fitted, StepKind, finite_limits, read_share, unfit, wrong
from microagg.recode.texts import code_map, texts_of

OTHER = "other"


def _read(text: str) -> Fit:
    share = read_share(text)
    if share is None and not (text.isdecimal() and int(text) >= 2):
        raise wrong("rare", "a whole number of records of at least 2 (rare:20), or a share (rare:1%)", text)

    def fit(column: SteppedColumn, k: int) -> Fitted:
        if column.holds.what is What.DATES:
            raise unfit(column, "rare", "categories", "Take the month, quarter or year first (date:month).")
        if column.holds.what is What.NUMBERS and not column.holds.is_integer:
            raise unfit(column, "rare", "categories", "Put numbers into bands first (bands:10).")
        finite_limits(column)
        least = int(text) if share is None else math.ceil(column.numbers.n_present * share)
        values, counts = column.frequencies()
        texts = texts_of(column, values)
        merged = set(rare_ones(counts, least).tolist())
        if not merged:
            return Fitted(lambda given: given, column.holds, f"no category has fewer than {least:,} records")
        too_few = int(counts[counts < least].sum()) < least
        joined = " and of the next rarest, as together they were too few," if too_few else ","
        kept = [each for place, each in enumerate(texts) if place not in merged]
        other = free_name(kept)
        codes = np.full(len(values), float(len(kept)))
        codes[[place for place in range(len(texts)) if place not in merged]] = np.arange(len(kept))
        return Fitted(
            code_map(values, codes),
            Holds(What.TEXTS, texts=(*kept, other)),
            f"{{share}}, of categories that fewer than {least:,} records have{joined} became {other!r}",
        )

    return fit


def rare_ones(counts: IntArray, least: int) -> IntArray:
    """Give the places of the categories to merge: those below `least`, and the next rarest until there are enough.

    Ties go to the category that appears first.

    >>> rare_ones(np.array([50, 3, 21, 4]), 20).tolist(), rare_ones(np.array([50, 20]), 20).tolist()
    ([1, 3, 2], [])
    """
    order = np.argsort(counts, kind="stable")
    n_rare = int((counts < least).sum())
    if n_rare == 0:
        return order[:0]
    enough = int(np.searchsorted(np.cumsum(counts[order]), least)) + 1
    return order[: max(n_rare, min(enough, len(order)))]


def free_name(taken: Collection[str]) -> str:
    """Give a name for what is merged that no category has.

    >>> free_name(["baker"]), free_name(["Other"])
    ('other', 'other (rare)')
    """
    known, name = {each.casefold() for each in taken}, OTHER
    while name in known:
        name += " (rare)"
    return name


STEP = StepKind(
    "rare",
    ("rare:20", "rare:1%"),
    'categories that fewer records have become "other", and the next rarest with them while "other" has too few',
    _read,
)
