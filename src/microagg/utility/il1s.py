"""IL1s: the absolute change of a value, in units of its column's spread."""

from __future__ import annotations

import numpy as np

from microagg.arrays import FloatArray
from microagg.utility.metric import Metric
from microagg.utility.summary import Summary


def _by_column(summary: Summary) -> FloatArray:
    by_column: FloatArray = summary.gaps / summary.n / np.sqrt(2.0)
    return by_column


IL1S = Metric(
    name="il1s",
    function=lambda summary: float(_by_column(summary).mean()),
    title="IL1s",
    summary="mean absolute change of a value, in units of sqrt(2) standard deviations of its column",
    reference="Yancey, Winkler and Creecy 2002; Mateo-Sanz, Domingo-Ferrer and Sebe 2005",
    per_column=_by_column,
)
