"""Helpers of risk measures: shares of records, and the worst of several confidential columns."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from microagg.base.types import FloatArray, IntArray
from microagg.measures import Case, Composition, Confidential, Finding

CONFIDENTIAL = "a confidential column"
"""What measures of classes and a confidential attribute need."""


def percent(records: FloatArray) -> float:
    """Give the mean of chances or shares, in percent."""
    return 100.0 * float(records.mean())


def highest_percent(records: FloatArray) -> float:
    """Give the highest of chances or shares, in percent."""
    return 100.0 * float(records.max())


def lowest_of_classes(
    case: Case, by_class: Callable[[Composition], FloatArray], *, numbers: bool = True
) -> Finding | None:
    """Find the lowest value of any class and confidential column: more is safer.

    Parameters
    ----------
    case : Case
        What is measured.
    by_class : callable
        Gives the value of each class from the composition of a confidential column.
    numbers : bool
        Whether confidential columns of numbers can be measured, or categories only.
    """
    return worst_of_columns(case, lambda made, _: by_class(made), lowest, worst=min, numbers=numbers)


def worst_of_columns(
    case: Case,
    by_class: Callable[[Composition, Confidential], FloatArray],
    overall: Callable[[FloatArray, IntArray], float],
    *,
    worst: Callable[..., float] = max,
    numbers: bool = True,
) -> Finding | None:
    """Measure each confidential column; the worst counts, for all records and for each of them.

    Parameters
    ----------
    case : Case
        What is measured.
    by_class : callable
        Gives the value of each class from the composition of a confidential column, and the column.
    overall : callable
        Gives one number from the values of the classes and their sizes.
    worst : {max, min}
        Which of several values is the worst.
    numbers : bool
        Whether confidential columns of numbers can be measured, or categories only.
    """
    columns: dict[str, float] = {}
    records: list[FloatArray] = []
    for name, column in case.confidential.items():
        if numbers or not column.is_number:
            made = case.composition(name)
            values = by_class(made, column)
            columns[name] = overall(values, made.class_sizes)
            records.append(values[made.classes])
    if not columns:
        return None
    reduce = np.maximum.reduce if worst is max else np.minimum.reduce
    return Finding(worst(columns.values()), columns=columns, records=reduce(records))


def lowest(by_class: FloatArray, _: IntArray) -> float:
    """Give the lowest value of any class."""
    return float(by_class.min())


def highest(by_class: FloatArray, _: IntArray) -> float:
    """Give the highest value of any class."""
    return float(by_class.max())
