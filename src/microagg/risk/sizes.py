"""What the sizes of the classes say: the measures that every release carries."""

from __future__ import annotations

from microagg.risk.risk import Risk

SMALLEST_CLASS = Risk(
    name="smallest_class",
    function=lambda sizes: int(sizes.min()),
    title="Smallest class",
    summary="every record shares its quasi-identifiers with at least this many records, itself included: the k",
    reference="Samarati and Sweeney 1998",
    lowest=1.0,
    lower_is_better=False,
)
UNIQUES = Risk(
    name="uniques",
    function=lambda sizes: int((sizes == 1).sum()),
    title="Uniques",
    summary="records whose quasi-identifiers nobody shares",
    reference="Samarati and Sweeney 1998",
)
HIGHEST_RISK = Risk(
    name="highest_risk",
    function=lambda sizes: 100.0 / float(sizes.min()),
    title="Highest risk",
    summary="chance to re-identify the most exposed record, for somebody who knows that the person is in it",
    reference="El Emam and Dankar 2008 (prosecutor)",
    unit="percent",
    highest=100.0,
)
AVERAGE_RISK = Risk(
    name="average_risk",
    function=lambda sizes: 100.0 * float((1.0 / sizes).mean()),
    title="Average risk",
    summary="share of records that such a person would re-identify on average by picking one of each class",
    reference="El Emam and Dankar 2008 (marketer)",
    unit="percent",
    highest=100.0,
)
