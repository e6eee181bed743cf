"""What the house knows of a measure of exposure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy.typing as npt

from microagg.arrays import FloatArray, IntArray
from microagg.case import Confidential
from microagg.risk.composition import compose

NEEDS = {
    "sizes": "how many records share the quasi-identifiers (and strata) of each record",
    "classes": "the class of each record, 0 to C-1",
    "keys": "the quasi-identifiers as whole numbers that are equal where the values are",
    "k": "the least size of a class that was asked for",
    "confidential": "the confidential value of each record",
    "weights": "how many people each record stands for, or None",
    "original": "the numeric quasi-identifiers before",
    "released": "the numeric quasi-identifiers after",
    "original_points": "the quasi-identifiers of all kinds before, as points",
    "released_points": "the quasi-identifiers of all kinds after, as points",
    "original_values": "the quasi-identifiers before: numbers and codes",
    "released_values": "the quasi-identifiers after: numbers and codes",
    "attributes": "what each quasi-identifier means",
    "meaning": "what the confidential attribute means",
    "rows": "which records to measure, or None for all",
    "seed": "what random choices follow from",
}
"""What a measure may ask for, by name."""


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
        The arguments in order, by name; see `NEEDS`.
    per_record : callable, optional
        Takes the same and gives a value for each record.
    per_column : callable, optional
        Takes the same and gives a value for each column.
    of_records : callable, optional
        Gives one number for all records from what `per_record` gave.
    by_class : callable, optional
        Gives the value of each class from a `Composition`, for measures of classes and a confidential attribute: what
        several measures share is counted once.
    overall : callable, optional
        Gives one number for all records from what `by_class` gave and the sizes of the classes.
    for_numbers : bool
        Whether a confidential attribute of numbers can be measured, or categories only.
    at_most : int, optional
        How many records `assess_all` measures at most; a sample of them beyond.
    whole_if : callable, optional
        Says from the sizes of the classes where all records can be measured all the same: there is little to do.
    sample_note : str
        What to know where that is so.
    at_rest : callable, optional
        Gives the value of the original beside itself from the original records, where that is known without measuring.
    extra : str
        The extra that it needs: measured where the case asks for it; "" where none is needed.
    options : mapping of str to value
        What `assess_all` passes by keyword: where the default would take too long.
    options_for : callable, optional
        Further such options that follow from the confidential column.
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
    per_column: Callable[..., FloatArray] | None = None
    of_records: Callable[[FloatArray], float] | None = None
    by_class: Callable[..., FloatArray] | None = None
    overall: Callable[[FloatArray, IntArray], float] | None = None
    for_numbers: bool = True
    at_most: int | None = None
    whole_if: Callable[[IntArray], bool] | None = None
    sample_note: str = "measured on a sample of the records"
    at_rest: Callable[[FloatArray], float] | None = None
    extra: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    options_for: Callable[[Confidential], Mapping[str, Any]] | None = None

    def __call__(self, *arguments: Any, **options: Any) -> float:
        """Measure the risk."""
        return self.function(*arguments, **options)


def risk_of_records(
    *, per_record: Callable[..., FloatArray], of_records: Callable[[FloatArray], float], **about: Any
) -> Risk:
    """Give a measure that is known of each record, and follows from that for all of them."""

    def function(*arguments: Any, **options: Any) -> float:
        return of_records(per_record(*arguments, **options))

    return Risk(function=function, per_record=per_record, of_records=of_records, **about)


def risk_of_classes(
    *, by_class: Callable[..., FloatArray], overall: Callable[[FloatArray, IntArray], float], **about: Any
) -> Risk:
    """Give a measure of classes and a confidential attribute: `by_class` from a Composition, and what it is overall."""

    def function(classes: IntArray, confidential: npt.ArrayLike, **options: Any) -> float:
        made = compose(classes, confidential)
        return overall(by_class(made, **options), made.class_sizes)

    return Risk(function=function, needs=("classes", "confidential"), by_class=by_class, overall=overall, **about)


def percent(records: FloatArray) -> float:
    """Give the mean of chances or shares, in percent."""
    return 100.0 * float(records.mean())


def highest_percent(records: FloatArray) -> float:
    """Give the highest of chances or shares, in percent."""
    return 100.0 * float(records.max())


def lowest(by_class: FloatArray, _: IntArray) -> float:
    """Give the lowest value of any class."""
    return float(by_class.min())


def highest(by_class: FloatArray, _: IntArray) -> float:
    """Give the highest value of any class."""
    return float(by_class.max())
