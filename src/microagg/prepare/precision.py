"""How finely the numbers and dates of a column are given: released values are no finer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from microagg.base.schema import Kind, Storage
from microagg.base.types import FloatArray
from microagg.prepare.kinds import QuasiColumn

MOST_DECIMALS = 9
"""Numbers with more decimals than this count as measured without any step."""
UNITS_OF_TIME = (86_400.0, 3_600.0, 60.0, 1.0)
"""Days, hours, minutes, seconds: the steps that dates and times have."""
FIRST = 1_000
"""So many values are looked at first: most columns without a step are known by then."""


def step_of(values: FloatArray, *, is_date: bool = False) -> float:
    """Give the coarsest step that all values are multiples of: 1, 0.1, 0.01, ... or days, hours, ...; 0 for none.

    >>> step_of(np.array([1.5, 2.25])), step_of(np.array([3.0, 40.0])), step_of(np.array([1 / 3]))
    (0.01, 1.0, 0.0)
    >>> step_of(np.array([86400.0, 0.0]), is_date=True)
    86400.0
    """
    values = values[~np.isnan(values)]
    steps = UNITS_OF_TIME if is_date else tuple(10.0**-d for d in range(MOST_DECIMALS + 1))
    place = 0
    for part in (values[:FIRST], values[FIRST:]):
        while place < len(steps) and not _fits(part, steps[place], is_date):
            place += 1
    return steps[place] if place < len(steps) else 0.0


def _fits(values: FloatArray, step: float, is_date: bool) -> bool:
    if is_date:
        return not np.any(values % step)
    with np.errstate(over="ignore", invalid="ignore"):
        rounded = np.round(values, digits_of_step(step))
    return bool(np.all((rounded == values) | ~np.isfinite(rounded)))


def digits_of_step(step: float) -> int:
    """Give the decimals of a step.

    >>> digits_of_step(0.01), digits_of_step(1.0)
    (2, 0)
    """
    return round(-float(np.log10(step)))


def steps_of(values: FloatArray, columns: Sequence[QuasiColumn]) -> FloatArray:
    """Give the step of each column; 0 for categories. The least of several parts is that of the whole."""
    return np.array(
        [
            0.0
            if column.kind is not Kind.NUMERIC
            else 1.0
            if column.is_integer
            else step_of(values[:, j], is_date=column.storage is Storage.DATE)
            for j, column in enumerate(columns)
        ]
    )
