"""What the house knows of a measure of exposure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from microagg.arrays import FloatArray


@dataclass(frozen=True)
class Risk:
    """A measure of exposure; call it as `risk(sizes)`, or with whatever it `needs`.

    Attributes
    ----------
    name : str
        What users type and read in JSON.
    function : callable
        Gives one number for all records, from what the measure needs.
    title, summary, reference : str
        For people: the name, one line, and where it was published.
    unit : str
        "percent", or "" for a plain number.
    lowest, highest : float
        The range of values; highest may be infinite.
    lower_is_better : bool
        Where False, more is safer.
    needs : tuple of str
        The arguments in order, by name: `sizes` of the classes of all records, `classes`, `confidential` values,
        `weights`, the `original` and the `released` records, `keys`.
    per_record : callable, optional
        Takes the same and gives a value for each record.
    """

    name: str
    function: Callable[..., float]
    title: str
    summary: str
    reference: str
    unit: str = ""
    lowest: float = 0.0
    highest: float = float("inf")
    lower_is_better: bool = True
    needs: tuple[str, ...] = ("sizes",)
    per_record: Callable[..., FloatArray] | None = None

    def __call__(self, *arguments: Any, **options: Any) -> float:
        """Measure the risk."""
        return self.function(*arguments, **options)
