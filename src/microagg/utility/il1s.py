"""IL1s: the absolute change of a value, in units of its column's spread."""

from __future__ import annotations

import numpy as np

from microagg.base.types import FloatArray
from microagg.measures import Summary
from microagg.utility.carried import NUMBERS, carried, of_numbers


def _by_column(summary: Summary) -> FloatArray:
    by_column: FloatArray = summary.gaps / summary.n / np.sqrt(2.0)
    return by_column


IL1S = carried(
    name="il1s",
    of_change=of_numbers(lambda summary: float(_by_column(summary).mean()), _by_column),
    needs=NUMBERS,
    title="IL1s",
    summary="mean absolute change of a value, in units of sqrt(2) standard deviations of its column",
    reference="Yancey, Winkler and Creecy 2002; Mateo-Sanz, Domingo-Ferrer and Sebe 2005",
)
