"""What the sizes of the classes say: the measures that every release carries."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from microagg.base.types import FloatArray, IntArray
from microagg.measures import Case, Finding, Measure
from microagg.risk.findings import highest_percent, percent


def _chances(sizes: IntArray) -> FloatArray:
    chances: FloatArray = 1.0 / sizes
    return chances


def _alone(sizes: IntArray) -> FloatArray:
    alone: FloatArray = (sizes == 1).astype(np.float64)
    return alone


def _exposed(case: Case) -> Finding:
    records = (case.class_sizes < case.k).astype(np.float64)
    return Finding(int(records.sum()), records=records)


def _of_sizes(
    per_record: Callable[[IntArray], FloatArray], overall: Callable[[FloatArray], float]
) -> Callable[[Case], Finding]:
    def function(case: Case) -> Finding:
        records = per_record(case.class_sizes)
        return Finding(overall(records), records=records)

    return function


SMALLEST_CLASS = Measure(
    name="smallest_class",
    function=lambda case: Finding(int(case.class_sizes.min()), records=case.class_sizes.astype(np.float64)),
    title="Smallest class",
    summary="every record shares its quasi-identifiers with at least this many records, itself included: the k",
    reference="Samarati and Sweeney 1998",
    lowest=1.0,
    lower_is_better=False,
    of_release=True,
)
UNIQUES = Measure(
    name="uniques",
    function=_of_sizes(_alone, lambda alone: int(alone.sum())),
    title="Uniques",
    summary="records whose quasi-identifiers nobody shares",
    reference="Samarati and Sweeney 1998",
    of_release=True,
)
VIOLATIONS = Measure(
    name="violations",
    function=_exposed,
    title="Records that violate k-anonymity",
    summary="records that share their quasi-identifiers with fewer than k records, themselves included",
    reference="Samarati and Sweeney 1998",
    of_release=True,
)
HIGHEST_RISK = Measure(
    name="highest_risk",
    function=_of_sizes(_chances, highest_percent),
    title="Highest risk",
    summary="chance to re-identify the most exposed record, for somebody who knows that the person is in it",
    reference="El Emam and Dankar 2008 (prosecutor)",
    unit="percent",
    highest=100.0,
    of_release=True,
)
AVERAGE_RISK = Measure(
    name="average_risk",
    function=_of_sizes(_chances, percent),
    title="Average risk",
    summary="share of records that such a person would re-identify on average by picking one of each class",
    reference="El Emam and Dankar 2008 (marketer)",
    unit="percent",
    highest=100.0,
    of_release=True,
)

OF_SIZES = (SMALLEST_CLASS.name, UNIQUES.name, HIGHEST_RISK.name, AVERAGE_RISK.name)
"""What follows from the sizes of the classes alone, so that every release carries it, however large it is."""


def measure(sizes: IntArray) -> dict[str, float]:
    """Give the risks that every release carries, of records in classes of these sizes.

    >>> measure(np.array([2, 2, 3, 3, 3]))["smallest_class"]
    2
    """
    chances = _chances(sizes)
    return {
        SMALLEST_CLASS.name: int(sizes.min()),
        UNIQUES.name: int((sizes == 1).sum()),
        HIGHEST_RISK.name: highest_percent(chances),
        AVERAGE_RISK.name: percent(chances),
    }


def measure_counts(sizes: IntArray, counts: IntArray | FloatArray) -> dict[str, float]:
    """Give the same where only the sizes that occur are at hand, and how many classes have each.

    >>> measure_counts(np.array([1, 3]), np.array([2, 1]))  # of classes with 1, 1 and 3 records
    {'smallest_class': 1, 'uniques': 2, 'highest_risk': 100.0, 'average_risk': 60.0}
    """
    return {
        **measure(sizes),
        UNIQUES.name: round(float(counts[sizes == 1].sum())),
        AVERAGE_RISK.name: 100.0 * float(counts.sum() / (sizes * counts).sum()),
    }
