"""What the sizes of the classes say: the measures that every release carries."""

from __future__ import annotations

import numpy as np

from microagg.arrays import FloatArray, IntArray
from microagg.risk.risk import highest_percent, percent, risk_of_records


def _chances(sizes: IntArray) -> FloatArray:
    chances: FloatArray = 1.0 / sizes
    return chances


SMALLEST_CLASS = risk_of_records(
    name="smallest_class",
    per_record=lambda sizes: sizes,
    of_records=lambda sizes: int(sizes.min()),
    title="Smallest class",
    summary="every record shares its quasi-identifiers with at least this many records, itself included: the k",
    reference="Samarati and Sweeney 1998",
    lowest=1.0,
    lower_is_better=False,
)
UNIQUES = risk_of_records(
    name="uniques",
    per_record=lambda sizes: (sizes == 1).astype(np.float64),
    of_records=lambda alone: int(alone.sum()),
    title="Uniques",
    summary="records whose quasi-identifiers nobody shares",
    reference="Samarati and Sweeney 1998",
)
VIOLATIONS = risk_of_records(
    name="violations",
    per_record=lambda sizes, k: (sizes < k).astype(np.float64),
    of_records=lambda exposed: int(exposed.sum()),
    title="Records that violate k-anonymity",
    summary="records that share their quasi-identifiers with fewer than k records, themselves included",
    reference="Samarati and Sweeney 1998",
    needs=("sizes", "k"),
)
HIGHEST_RISK = risk_of_records(
    name="highest_risk",
    per_record=_chances,
    of_records=highest_percent,
    title="Highest risk",
    summary="chance to re-identify the most exposed record, for somebody who knows that the person is in it",
    reference="El Emam and Dankar 2008 (prosecutor)",
    unit="percent",
    highest=100.0,
)
AVERAGE_RISK = risk_of_records(
    name="average_risk",
    per_record=_chances,
    of_records=percent,
    title="Average risk",
    summary="share of records that such a person would re-identify on average by picking one of each class",
    reference="El Emam and Dankar 2008 (marketer)",
    unit="percent",
    highest=100.0,
)


def measure_counts(sizes: IntArray, counts: IntArray) -> dict[str, float]:
    """Give these risks where only the sizes that occur are at hand, and how many classes have each.

    >>> measure_counts(np.array([1, 3]), np.array([2, 1]))  # of classes with 1, 1 and 3 records
    {'smallest_class': 1, 'uniques': 2, 'highest_risk': 100.0, 'average_risk': 60.0}
    """
    return {
        SMALLEST_CLASS.name: SMALLEST_CLASS(sizes),
        UNIQUES.name: int(counts[sizes == 1].sum()),
        HIGHEST_RISK.name: HIGHEST_RISK(sizes),
        AVERAGE_RISK.name: 100.0 * float(counts.sum() / (sizes * counts).sum()),
    }
