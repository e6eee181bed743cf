"""What becomes of records that lack a value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from microagg.base.options import did_you_mean
from microagg.base.schema import Kind
from microagg.base.types import BoolArray, FloatArray, IntArray
from microagg.errors import InvalidData, InvalidOption
from microagg.semantic.attribute import Attribute


class Missing(StrEnum):
    """What to do with records that lack a value of a quasi-identifier."""

    REFUSE = "refuse"
    DROP = "drop"
    VALUE = "value"
    IMPUTE = "impute"
    IMPUTE_ANY = "impute-any-share"


OTHERS = "*"
"""What stands for all columns that are not named."""
MOST_IMPUTED = 0.2
"""Up to which share of the values of a column are imputed, unless it is said that any share may be."""


def check_missing(missing: object) -> str | dict[str, str]:
    """Give what is to be done with missing values: one policy for all columns, or one for each that is named.

    >>> check_missing({"*": "value"}), check_missing({"income": "drop"})
    ('value', {'income': 'drop'})
    """
    if not isinstance(missing, Mapping):
        return _policy("missing", missing)
    if not all(isinstance(name, str) for name in missing):
        raise InvalidOption("missing must map names of columns to what becomes of their missing values.")
    policies = {name: _policy(f"missing of {name!r}", policy) for name, policy in missing.items()}
    if policies.get(OTHERS) == Missing.REFUSE:
        del policies[OTHERS]
    return policies.get(OTHERS, Missing.REFUSE.value) if not policies.keys() - {OTHERS} else policies


def _policy(name: str, policy: object) -> str:
    allowed = [choice.value for choice in Missing]
    if not isinstance(policy, str) or policy not in allowed:
        hint = did_you_mean(policy, allowed)
        raise InvalidOption(f"{name} must be one of {', '.join(allowed)}; got {policy!r}.{f' {hint}' if hint else ''}")
    return str(policy)


def policies_of(missing: str | Mapping[str, str], names: Sequence[str]) -> list[str]:
    """Give the policy of each column; columns that are not named have that of "*", else they must not lack a value.

    >>> policies_of({"income": "drop", "*": "value"}, ["age", "income"])
    ['value', 'drop']
    """
    if isinstance(missing, str):
        return [missing] * len(names)
    for name in missing:
        if name not in names and name != OTHERS:
            shown = ", ".join(map(repr, names[:8])) + (", ..." if len(names) > 8 else "")
            raise InvalidOption(f"missing must name quasi-identifiers ({shown}); got {name!r}.")
    others = missing.get(OTHERS, Missing.REFUSE.value)
    return [missing.get(name, others) for name in names]


@dataclass(frozen=True, eq=False)
class Filling:
    """What stands for missing values while records are grouped, and how many there are.

    Attributes
    ----------
    values : array of q float
        The median or the most frequent code of a column that is imputed; one code more than there are, where missing
        is a category of its own; NaN where a missing value stays one.
    imputed, missing : mapping of str to int
        How many values of each column were imputed, and how many are released as missing.
    opened : array of q bool, optional
        The columns in which missing values are released as missing; None where there are none.
    """

    values: FloatArray
    imputed: Mapping[str, int] = field(default_factory=dict)
    missing: Mapping[str, int] = field(default_factory=dict)
    opened: BoolArray | None = None

    def fill(self, values: FloatArray) -> FloatArray:
        """Give records with what stands for missing values; NaN where one stays missing."""
        if not self.imputed and not self.missing:
            return values
        return np.where(np.isnan(values), self.values, values)

    def attributes(self, attributes: Sequence[Attribute]) -> tuple[Attribute, ...]:
        """Give the attributes by which records are grouped: with a code for missing where that is a category."""
        fills = zip(attributes, self.values.tolist(), strict=True)
        return tuple(each.with_missing() if _is_own_code(each, fill) else each for each, fill in fills)


@dataclass(frozen=True)
class Gaps:
    """What became of missing values.

    Attributes
    ----------
    dropped : int
        How many records were left out because they lack a value.
    imputed : mapping of str to int
        How many values of each column were replaced by its median or most frequent value.
    missing : mapping of str to int
        How many values of each column were missing, and are released as missing.
    blanked : mapping of str to int
        How many further values of each column are released as missing, so that k records lack the same.
    """

    dropped: int = 0
    imputed: Mapping[str, int] = field(default_factory=dict)
    missing: Mapping[str, int] = field(default_factory=dict)
    blanked: Mapping[str, int] = field(default_factory=dict)


def check_closed(filling: Filling) -> None:
    """Refuse to look for records that resemble nobody where numbers stay missing: they have no distance then."""
    if filling.opened is not None and np.isnan(filling.values[filling.opened]).any():
        raise InvalidOption(
            "suppress and outliers='join' compare all records, which missing numbers do not allow: missing='value' "
            "cannot be combined with them for numbers, dates, ordered values and hierarchies. Choose missing='drop' or "
            "missing='impute' for these columns."
        )


def _is_own_code(attribute: Attribute, fill: float) -> bool:
    return attribute.kind is Kind.NOMINAL and fill == attribute.n_values


@dataclass(frozen=True, eq=False)
class Lack:
    """How many values a column lacks, of how many, and what would be imputed; None where it holds no value at all."""

    count: int
    n_records: int
    middle: float | None


def filling(
    names: Sequence[str], attributes: Sequence[Attribute], policies: Sequence[str], lacks: Mapping[int, Lack]
) -> Filling:
    """Decide what stands for missing values, of what each column lacks.

    Parameters
    ----------
    names, attributes, policies : sequence
        Of the quasi-identifiers.
    lacks : mapping of int to Lack
        What is missing, by the place of the column; columns that lack nothing are not named.
    """
    values = np.full(len(names), np.nan)
    opened = np.zeros(len(names), dtype=np.bool_)
    imputed, missing = {}, {}
    for j, lack in lacks.items():
        if policies[j] == Missing.VALUE:
            missing[names[j]] = lack.count
            opened[j] = True
            if attributes[j].kind is Kind.NOMINAL:
                values[j] = attributes[j].n_values
            continue
        if lack.middle is None:
            raise nothing_to_impute(names[j])
        if policies[j] == Missing.IMPUTE and lack.count > MOST_IMPUTED * lack.n_records:
            raise too_much_to_impute(names[j], lack.count, lack.n_records)
        values[j] = lack.middle
        imputed[names[j]] = lack.count
    return Filling(values, imputed, missing, opened if missing else None)


@dataclass(frozen=True, eq=False)
class Complete:
    """Records after the policies: which rows they are, their values (NaN where one is missing), and what stands for
    those.
    """

    rows: IntArray
    values: FloatArray
    filling: Filling


def complete(
    values: FloatArray, names: Sequence[str], attributes: Sequence[Attribute], policies: Sequence[str]
) -> Complete:
    """Refuse or drop records that lack a value (NaN), or say what stands for it; infinite values are always refused.

    >>> from microagg.semantic.attribute import numeric
    >>> gaps = np.array([[1.0], [np.nan], [3.0]])
    >>> complete(gaps, ["age"], [numeric()], ["drop"]).values.tolist()
    [[1.0], [3.0]]
    >>> complete(gaps, ["age"], [numeric()], ["impute-any-share"]).filling.values.tolist()
    [2.0]
    """
    infinite = np.isinf(values)
    if infinite.any():
        row, column = (int(i) for i in np.argwhere(infinite)[0])
        raise infinite_value(names[column], row)
    gaps: BoolArray = np.isnan(values)
    rows = np.arange(len(values))
    if not gaps.any():
        return Complete(rows, values, Filling(np.full(len(names), np.nan)))
    refused = np.array([policy == Missing.REFUSE for policy in policies])
    if (gaps & refused).any():
        row, column = (int(i) for i in np.argwhere(gaps & refused)[0])
        raise missing_values(int((gaps & refused).any(axis=1).sum()), len(values), names[column], row)
    dropped = (gaps & np.array([policy == Missing.DROP for policy in policies])).any(axis=1)
    if dropped.all():
        raise no_record_left()
    if dropped.any():
        rows = rows[~dropped]
        values, gaps = np.ascontiguousarray(values[rows]), gaps[rows]
    lacks = {
        j: Lack(int(gaps[:, j].sum()), len(values), middle_of(values[~gaps[:, j], j], attributes[j]))
        for j in np.flatnonzero(gaps.any(axis=0)).tolist()
    }
    return Complete(rows, values, filling(names, attributes, policies, lacks))


def middle_of(known: FloatArray, attribute: Attribute) -> float | None:
    """Give the median, or the most frequent code (the lowest of several); None of nothing."""
    if not len(known):
        return None
    if attribute.kind is not Kind.NUMERIC:
        return float(np.bincount(known.astype(np.int64)).argmax())
    with np.errstate(over="ignore"):
        middle = float(np.median(known))
    # The sum of two numbers may be beyond the largest number: that of halves is not.
    return middle if np.isfinite(middle) else 2 * float(np.median(known / 2))


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
        f"is record {row + 1} in column {name!r}. Choose missing='value' to release it as missing, with nothing "
        "invented, missing='drop' to leave such records out, or missing='impute' to use the column's median for them."
    )


def no_record_left() -> InvalidData:
    """Build the error for a table in which every record has a gap."""
    return InvalidData("every record lacks a value of a quasi-identifier, so none is left. Use fewer columns.")


def nothing_to_impute(name: str) -> InvalidData:
    """Build the error for a column without any value."""
    return InvalidData(f"column {name!r} holds no value at all, so there is no median to impute. Leave it out.")


def too_much_to_impute(name: str, count: int, n_records: int) -> InvalidData:
    """Build the error for a column that would be made up for the most part."""
    return InvalidData(
        f"column {name!r} lacks {100 * count / n_records:.0f}% of its values, and at most {100 * MOST_IMPUTED:.0f}% "
        "are imputed: one median in so many places is invented, not known. Choose missing='value' to release them as "
        "they are, missing='drop' to leave such records out, or missing='impute-any-share' to impute them all the same."
    )
