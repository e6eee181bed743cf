"""What a plan says of single columns, once it is known which there are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from microagg.aggregate import Rounded
from microagg.base.limits import ColumnLimits
from microagg.base.schema import Kind, Role, Storage
from microagg.errors import InvalidOption
from microagg.plan.plan import Plan
from microagg.prepare.kinds import QuasiColumn
from microagg.prepare.missing import OTHERS, Missing
from microagg.prepare.precision import digits_of_step
from microagg.recode.rounding import rounding_base

MOST_QUASI = 2_000
"""How many columns can be grouped by at once: every pair of them has a covariance."""


def quasi_names(roles: Mapping[str, Role]) -> list[str]:
    """Give the quasi-identifiers, if they are not too many for what every pair of them is measured by."""
    names = [name for name, role in roles.items() if role is Role.QUASI]
    if len(names) > MOST_QUASI:
        raise InvalidOption(
            f"there can be at most {MOST_QUASI:,} quasi-identifiers; there are {len(names):,}. Name those by which "
            "somebody could be found: quasi=[...], --quasi NAMES."
        )
    return names


def columns_with_gaps(plan: Plan, names: Sequence[str]) -> list[str]:
    """Give the columns that may be quasi-identifiers, and of which the plan says what becomes of missing values."""
    others = {*plan.identifiers, *plan.confidential, *plan.keep, *plan.by, plan.weights, plan.unit}
    quasi = [name for name in (names if plan.quasi is None else plan.quasi) if name in names and name not in others]
    by_column = {OTHERS: plan.missing} if isinstance(plan.missing, str) else plan.missing
    others_policy = by_column.get(OTHERS, Missing.REFUSE.value)
    return [name for name in quasi if by_column.get(name, others_policy) != Missing.REFUSE.value]


def untouched_columns(roles: Mapping[str, Role], plan: Plan) -> list[str]:
    """Give the columns that are released as they are without anybody having said so; weights are among them."""
    return [name for name, role in roles.items() if role is Role.OTHER and name not in plan.by]


def rounding_of(plan: Plan, column: QuasiColumn, step: float) -> Rounded | None:
    """Give how a column is rounded: as the plan says, else no finer than the step of its values; None: not at all."""
    if column.kind is not Kind.NUMERIC:
        return None
    if column.storage is Storage.DATE:
        return None if plan.exact_means or not step else Rounded(unit=step)
    digits = _digits(plan, column)
    base = rounding_base(plan.recode.get(column.name, ()))
    if digits is None and not plan.exact_means and base is not None:
        return Rounded(unit=base)
    if digits is None and not plan.exact_means and step:
        digits = digits_of_step(step)
    return None if digits is None else Rounded(digits)


def _digits(plan: Plan, column: QuasiColumn) -> int | None:
    if isinstance(plan.round, bool):
        return 0 if plan.round and column.is_integer else None
    if isinstance(plan.round, Mapping):
        return plan.round.get(column.name)
    return 0 if column.name in plan.round else None


def stays_whole(plan: Plan, column: QuasiColumn, rounding: Rounded | None) -> bool:
    """Say whether a column of whole numbers holds whole numbers again; with noise, what its limits say."""
    if plan.epsilon is not None:
        return ColumnLimits.of(column.name, plan.limits[column.name]).whole
    return column.is_integer and rounding is not None and rounding.digits <= 0
