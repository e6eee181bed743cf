"""`Finding`: the value that a measure returns, with values by column and by record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from microagg.base.types import FloatArray


@dataclass(frozen=True, eq=False)
class Finding:
    """What a measure finds in a case.

    Attributes
    ----------
    value : float
        Of the release.
    before : float, optional
        The same of the original, where the measure knows it.
    columns : mapping of str to float, optional
        The value of single columns: quasi-identifiers, confidential columns, or pairs ("age x income").
    records : array of n float, optional
        The value of each record.
    note : str
        What to know about the value, "" where there is nothing.
    """

    value: float
    before: float | None = None
    columns: Mapping[str, float] | None = None
    records: FloatArray | None = field(default=None, repr=False)
    note: str = ""
