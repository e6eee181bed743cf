"""What becomes of records that lack a value."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from microagg.base.types import BoolArray, FloatArray, IntArray
from microagg.errors import InvalidData, InvalidOption


class Missing(StrEnum):
    """What to do with records that lack a value of a quasi-identifier."""

    REFUSE = "refuse"
    DROP = "drop"
    IMPUTE = "impute"


@dataclass(frozen=True)
class Complete:
    """Records without gaps: which rows they are, their values, and how many values of each column were imputed."""

    rows: IntArray
    values: FloatArray
    imputed: Mapping[str, int]


def complete(values: FloatArray, names: Sequence[str], policy: str, *, categories: Collection[str] = ()) -> Complete:
    """Refuse, drop or impute missing values (NaN); infinite values are always refused.

    Imputed is the median of a column, or the most frequent code of one of the `categories`.

    >>> gaps = np.array([[1.0], [np.nan], [3.0]])
    >>> complete(gaps, ["age"], "drop").values.tolist()
    [[1.0], [3.0]]
    >>> complete(gaps, ["age"], "impute").values.tolist()
    [[1.0], [2.0], [3.0]]
    """
    if policy not in {choice.value for choice in Missing}:
        raise InvalidOption(f"missing must be one of {', '.join(Missing)}; got {policy!r}.")
    infinite = np.isinf(values)
    if infinite.any():
        row, column = (int(i) for i in np.argwhere(infinite)[0])
        raise infinite_value(names[column], row)
    gaps: BoolArray = np.isnan(values)
    rows = np.arange(len(values))
    if not gaps.any():
        return Complete(rows, values, {})
    if policy == Missing.REFUSE:
        row, column = (int(i) for i in np.argwhere(gaps)[0])
        raise missing_values(int(gaps.any(axis=1).sum()), len(values), names[column], row)
    if policy == Missing.DROP:
        whole = ~gaps.any(axis=1)
        if not whole.any():
            raise no_record_left()
        return Complete(rows[whole], np.ascontiguousarray(values[whole]), {})
    empty = gaps.all(axis=0)
    if empty.any():
        raise nothing_to_impute(names[int(np.argmax(empty))])
    with np.errstate(over="ignore"):
        middle = np.nanmedian(values, axis=0)
    if not np.isfinite(middle).all():  # the sum of two numbers may be beyond the largest number: that of halves is not
        middle = np.where(np.isfinite(middle), middle, 2 * np.nanmedian(values / 2, axis=0))
    for j, name in enumerate(names):
        if name in categories:
            middle[j] = np.bincount(values[~gaps[:, j], j].astype(np.int64)).argmax()
    filled = np.where(gaps, middle, values)
    counts = gaps.sum(axis=0)
    return Complete(rows, filled, {name: int(count) for name, count in zip(names, counts, strict=True) if count})


def infinite_value(name: str, row: int) -> InvalidData:
    """Build the error for a value that is not finite."""
    return InvalidData(
        f"column {name!r} holds an infinite value in record {row + 1}; "
        "quasi-identifiers must be finite numbers. Correct it or leave the record out."
    )


def missing_values(count: int, n_records: int, name: str, row: int) -> InvalidData:
    """Build the error for records with gaps that nobody said what to do with."""
    return InvalidData(
        f"{count} of {n_records} records lack a value of a quasi-identifier, the first "
        f"is record {row + 1} in column {name!r}. Choose missing='drop' to leave such records out, or "
        "missing='impute' to use the column's median for them."
    )


def no_record_left() -> InvalidData:
    """Build the error for a table in which every record has a gap."""
    return InvalidData("every record lacks a value of a quasi-identifier, so none is left. Use fewer columns.")


def nothing_to_impute(name: str) -> InvalidData:
    """Build the error for a column without any value."""
    return InvalidData(f"column {name!r} holds no value at all, so there is no median to impute. Leave it out.")
