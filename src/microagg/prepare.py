"""From columns as they came to records that methods can group: complete, standardised, weighted."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from microagg.arrays import BoolArray, FloatArray, IntArray, check_number, within_range
from microagg.errors import InvalidData, InvalidOption


class Missing(StrEnum):
    """What to do with records that lack a value of a quasi-identifier."""

    REFUSE = "refuse"
    DROP = "drop"
    IMPUTE = "impute"


FARTHEST = 1e100
"""So many standard deviations away, a value is as far as can be: what lies beyond counts as this."""


@dataclass(frozen=True)
class Scale:
    """Where the columns lie: their means and standard deviations (ddof=1), 0 for a constant column.

    A deviation beyond the largest number (1.8e308) counts as that number.
    """

    mean: FloatArray
    deviation: FloatArray

    def apply(self, X: FloatArray) -> FloatArray:
        """Standardise; a constant column becomes 0, so that it has no weight in any distance."""
        varying = self.deviation > 0
        Z = np.zeros_like(X)
        with np.errstate(over="ignore"):
            np.subtract(X, self.mean, out=Z, where=varying)
            np.divide(Z, self.deviation, out=Z, where=varying)
            if not (Z.max(initial=0.0) < FARTHEST and Z.min(initial=0.0) > -FARTHEST):
                # The gap of two numbers may be beyond the largest number: that of their quarters is not.
                unit = np.where(varying, np.maximum(self.deviation / 4, np.finfo(np.float64).smallest_subnormal), 1.0)
                quarters = np.where(varying, (X / 4 - self.mean / 4) / unit, 0.0)
                Z = np.clip(np.where(np.isfinite(Z), Z, quarters), -FARTHEST, FARTHEST)
        return Z


def scale_of(X: FloatArray) -> Scale:
    """Give the means and standard deviations of the columns, also of very large and very small numbers.

    >>> scale_of(np.array([[1.0, 0.1], [3.0, 0.1]])).deviation.round(4).tolist()
    [1.4142, 0.0]
    """
    return scale_of_parts([X], X.min(axis=0), X.max(axis=0))


def scale_of_parts(parts: Iterable[FloatArray], lowest: FloatArray, highest: FloatArray) -> Scale:
    """Give the same of records that come in parts, once their least and greatest values are known.

    >>> parts = [np.array([[1.0]]), np.array([[2.0], [3.0]])]
    >>> scale_of_parts(parts, np.array([1.0]), np.array([3.0]))
    Scale(mean=array([2.]), deviation=array([1.]))
    """
    largest = np.maximum(np.abs(highest), np.abs(lowest))
    unit = np.where(largest > 0, largest, 1.0)
    n_records, mean, squares = 0, np.zeros_like(unit), np.zeros_like(unit)
    for part in parts:
        scaled = part / unit
        part_mean = scaled.mean(axis=0)
        scaled -= part_mean
        gap, share = part_mean - mean, len(part) / (n_records + len(part))
        mean = mean + share * gap
        squares = squares + np.einsum("ij,ij->j", scaled, scaled) + n_records * share * gap * gap
        n_records += len(part)
    deviation = np.sqrt(squares / max(n_records - 1, 1))
    constant = highest == lowest
    with np.errstate(over="ignore"):
        widths = np.minimum(deviation * unit, np.finfo(np.float64).max)
    return Scale(np.where(constant, lowest, mean * unit), np.where(constant, 0.0, widths))


def standardise(X: FloatArray) -> FloatArray:
    """Bring every column to mean 0 and standard deviation 1 (ddof=1); a constant column becomes 0.

    >>> standardise(np.array([[1.0, 7.0], [2.0, 7.0], [3.0, 7.0]])).tolist()
    [[-1.0, 0.0], [0.0, 0.0], [1.0, 0.0]]
    """
    return scale_of(X).apply(X)


def weights_of(names: Sequence[str], column_weights: Mapping[str, float]) -> FloatArray:
    """Give the weight of each column, 1 where none is given, or say what is wrong with one.

    >>> weights_of(["age", "income"], {"income": 4.0}).tolist()
    [1.0, 4.0]
    """
    for name, weight in column_weights.items():
        if name not in names:
            raise InvalidOption(f"column_weights must name quasi-identifiers ({', '.join(names)}); got {name!r}.")
        check_number(f"the weight of column {name!r}", weight, 0.0)
    weights = np.array([column_weights.get(name, 1.0) for name in names], dtype=np.float64)
    if not weights.any():
        raise InvalidOption("column_weights must leave at least one quasi-identifier a weight above 0; all are 0.")
    return weights


def weigh(Z: FloatArray, names: Sequence[str], column_weights: Mapping[str, float] | None) -> FloatArray:
    """Scale columns so that squared distances count each one as often as its weight says.

    Where a weight is so large that its squares would overflow, all weights are divided by one power of two.

    >>> weigh(np.ones((1, 2)), ["age", "income"], {"income": 4.0}).tolist()
    [[1.0, 2.0]]
    """
    if not column_weights:
        return Z
    factors = within_range(np.sqrt(weights_of(names, column_weights)))
    with np.errstate(over="ignore"):
        weighted: FloatArray = Z * factors
    beyond = ~np.isfinite(weighted).all(axis=0)
    if beyond.any():
        raise InvalidData(
            f"column {names[int(np.argmax(beyond))]!r}, multiplied by the root of its weight, is beyond the largest "
            "number that there is (1.8e308). Standardise the columns, or choose smaller weights."
        )
    return weighted


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
        name = names[int(np.argmax(empty))]
        raise InvalidData(f"column {name!r} holds no value at all, so there is no median to impute. Leave it out.")
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
