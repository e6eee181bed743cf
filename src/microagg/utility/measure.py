"""What the house knows of a measure of utility that needs more than numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from microagg.arrays import FloatArray
from microagg.case import Case


@dataclass(frozen=True)
class Finding:
    """What a measure found: its value, and where they exist that of the original, of columns and of records."""

    value: float
    before: float | None = None
    columns: Mapping[str, float] | None = None
    records: FloatArray | None = None
    note: str = ""


@dataclass(frozen=True)
class Measure:
    """A measure of what a release is still good for; call it as `measure(case)`.

    Attributes
    ----------
    name : str
        What users type and read in JSON.
    function : callable
        `function(case) -> Finding`, or None where the case has nothing that could be measured.
    title, summary, reference : str
        For people: the name, one line, and where it was published.
    unit : str
        "percent", "standard deviations", "bits", or "" for a plain number.
    lowest, highest : float
        The range of values; highest may be infinite.
    lower_is_better : bool
        Where False, more is better.
    needs : str
        What a case must have, in words.
    extra : str
        The extra that it needs: measured where the case asks for it; "" where none is needed.
    at_most : int, optional
        How many records `assess_all` measures at most; a sample of them beyond.
    """

    name: str
    function: Callable[[Case], Finding | None]
    title: str
    summary: str
    reference: str
    unit: str = ""
    lowest: float = 0.0
    highest: float = float("inf")
    lower_is_better: bool = True
    needs: str = "records"
    extra: str = ""
    at_most: int | None = None

    def __call__(self, case: Case) -> Finding | None:
        """Measure a case, all its records."""
        return self.function(case)
