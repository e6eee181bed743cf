"""Values as texts, and what becomes of each."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from microagg.base.types import FloatArray
from microagg.prepare.kinds import text_of
from microagg.recode.column import SteppedColumn, What


def texts_of(column: SteppedColumn, values: FloatArray) -> list[str]:
    """Give the texts of some codes, or of some numbers."""
    if column.holds.what is What.TEXTS:
        return [column.holds.texts[int(code)] for code in values.tolist()]
    return [text_of(value) for value in values.tolist()]


def code_map(values: FloatArray, codes: FloatArray) -> Callable[[FloatArray], FloatArray]:
    """Give the function that puts codes in the place of values; missing ones stay.

    >>> code_map(np.array([7.0, 3.0]), np.array([0.0, 1.0]))(np.array([3.0, np.nan, 7.0])).tolist()
    [1.0, nan, 0.0]
    """
    order = np.argsort(values)
    ordered, matching = values[order], codes[order]

    def mapped(given: FloatArray) -> FloatArray:
        out = np.full(len(given), np.nan)
        there = ~np.isnan(given)
        if there.any():
            out[there] = matching[np.searchsorted(ordered, given[there])]
        return out

    return mapped
