"""`Result`: the value of a measure on a case with its title, unit and reference, as a row of a report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

from microagg.base.types import FloatArray
from microagg.measures.finding import Finding
from microagg.measures.measure import Measure


@dataclass(frozen=True, eq=False)
class Result:
    """What one measure says of a case.

    Attributes
    ----------
    name, title, summary, reference : str
        The measure: what users type, and for people.
    value : float or None
        Of the release; None where it could not be had, and `note` says why.
    before : float or None
        The same of the original, where that makes sense.
    unit : str
        "percent", "standard deviations", ... or "" for a plain number.
    lowest, highest : float
        The range of values; highest may be infinite.
    better : {"higher", "lower"}
        Which values are good news.
    note : str
        What to know about the value, "" where there is nothing.
    sampled : int or None
        How many records were used, where that were not all.
    columns : mapping of str to float, optional
        The value of single columns: quasi-identifiers, confidential columns, or pairs ("age x income").
    records : array of n float, optional
        The value of each record; NaN for those that are not in the sample.
    """

    name: str
    title: str
    summary: str
    reference: str
    value: float | None
    before: float | None = None
    unit: str = ""
    lowest: float = 0.0
    highest: float = float("inf")
    better: str = "lower"
    note: str = ""
    sampled: int | None = None
    columns: Mapping[str, float] | None = None
    records: FloatArray | None = field(default=None, repr=False)

    @classmethod
    def of(cls, measure: Measure, finding: Finding | None = None, *, sampled: int | None = None) -> Self:
        """Give what a measure says of itself, and what it found, if anything."""
        return cls(
            name=measure.name,
            title=measure.title,
            summary=measure.summary,
            reference=measure.reference,
            value=None if finding is None else finding.value,
            before=None if finding is None else finding.before,
            unit=measure.unit,
            lowest=measure.lowest,
            highest=measure.highest,
            better="lower" if measure.lower_is_better else "higher",
            note="" if finding is None else finding.note,
            sampled=sampled,
            columns=None if finding is None else finding.columns,
            records=None if finding is None else finding.records,
        )
