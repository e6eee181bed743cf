"""What the sizes of the classes say: the measures that every release carries.

Each takes the size of the class of every record; or the different sizes, and how many records are in classes of each.
"""

from __future__ import annotations

import numpy as np

from microagg.arrays import IntArray
from microagg.risk.risk import Risk


def _uniques(sizes: IntArray, records: IntArray | None = None) -> int:
    unique = sizes == 1
    return int(unique.sum() if records is None else records[unique].sum())


def _average(sizes: IntArray, records: IntArray | None = None) -> float:
    return 100.0 * float(np.average(1.0 / sizes, weights=records))


SMALLEST_CLASS = Risk(
    name="smallest_class",
    function=lambda sizes, records=None: int(sizes.min()),
    title="Smallest class",
    summary="every record shares its quasi-identifiers with at least this many records, itself included: the k",
    reference="Samarati and Sweeney 1998",
    lowest=1.0,
    lower_is_better=False,
)
UNIQUES = Risk(
    name="uniques",
    function=_uniques,
    title="Uniques",
    summary="records whose quasi-identifiers nobody shares",
    reference="Samarati and Sweeney 1998",
)
HIGHEST_RISK = Risk(
    name="highest_risk",
    function=lambda sizes, records=None: 100.0 / float(sizes.min()),
    title="Highest risk",
    summary="chance to re-identify the most exposed record, for somebody who knows that the person is in it",
    reference="El Emam and Dankar 2008 (prosecutor)",
    unit="percent",
    highest=100.0,
)
AVERAGE_RISK = Risk(
    name="average_risk",
    function=_average,
    title="Average risk",
    summary="share of records that such a person would re-identify on average by picking one of each class",
    reference="El Emam and Dankar 2008 (marketer)",
    unit="percent",
    highest=100.0,
)
