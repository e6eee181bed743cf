"""What a plan says of differential privacy, and what it excludes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from microagg.base.limits import ColumnLimits
from microagg.base.schema import Role, no_such_column
from microagg.errors import InvalidOption

if TYPE_CHECKING:
    from microagg.plan.plan import Plan

INSENSITIVE = "insensitive"
PER_COLUMN = "individual"
NOISY_METHODS = (INSENSITIVE, PER_COLUMN)
"""The methods whose groups one record can hardly change."""
LEAST_EPSILON, MOST_EPSILON = 1e-6, 1e3


def check_epsilon(name: str, value: Any) -> float:
    """Give epsilon, if it promises anything and noise can be drawn for it.

    >>> check_epsilon("epsilon", 1.0)
    1.0
    """
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not math.isfinite(value) or not LEAST_EPSILON <= value <= MOST_EPSILON:
        raise InvalidOption(
            f"{name} must be a number from {LEAST_EPSILON:g} to {MOST_EPSILON:g}, most often 0.1 to 10: the smaller, "
            f"the more noise; got {value!r}."
        )
    return float(value)


def check_private(plan: Plan) -> None:
    """Refuse what cannot be promised beside epsilon, or what epsilon needs and does not have."""
    if plan.epsilon is None:
        if plan.limits:
            raise InvalidOption("limits are for differential privacy: say epsilon too, or leave limits out.")
        return
    if not plan.limits:
        raise InvalidOption(
            "epsilon needs limits, the lowest and highest value that each column could have, such as "
            "limits={'age': (0, 120)} (--limits age=0:120). Take them from what is known of such columns, never from "
            "the data: the extremes of the data are somebody's values, and noise that is measured by them tells."
        )
    for name, stated in plan.limits.items():
        ColumnLimits.of(name, stated)
    if plan.quasi is not None and set(plan.quasi) != set(plan.limits):
        raise InvalidOption(
            "with epsilon, the quasi-identifiers are the columns that have limits: leave quasi out, or name the same."
        )
    if plan.method not in ("auto", *NOISY_METHODS):
        raise InvalidOption(
            f"epsilon needs groups that one record can hardly change: method must be one of {', '.join(NOISY_METHODS)}"
            f" (or auto); got {plan.method!r}."
        )
    if any(plan.column_weights.get(name, 1.0) <= 0 for name in plan.limits):
        raise InvalidOption("epsilon is divided by column_weights: each column must have a weight greater than 0.")
    unfit = {
        "confidential": plan.confidential,
        "keep": plan.keep,
        "by": plan.by,
        "weights": plan.weights,
        "unit": plan.unit,
        "l, p or t": plan.promised_columns,
    }
    for what, named in unfit.items():
        if named:
            raise InvalidOption(
                f"with epsilon, every released column must be covered by noise, so {what} cannot be combined with it: "
                "give such columns limits, or leave them out."
            )
    from_data = {
        "missing": plan.missing != "refuse",
        "suppress": plan.suppress > 0,
        "outliers='join'": plan.outliers == "join",
        "aggregate='median'": plan.aggregate != "mean",
        "refine": plan.refine is not None,
        "round": bool(plan.round),
        "exact_means": plan.exact_means,
        "mask": bool(plan.mask),
        "recode": bool(plan.recode),
        "bound": plan.bound is not None,
        "kinds": any(kind != "numeric" for kind in plan.kinds.values()),
    }
    for what, asked in from_data.items():
        if asked:
            raise InvalidOption(
                f"{what} cannot be combined with epsilon: what it does depends on all records in a way that the noise "
                "does not cover. Leave it out; the step of limits says how values are rounded."
            )


def private_plan(plan: Plan) -> Plan:
    """Give the plan with what epsilon decides: the method, numbers, and an order of the rows that tells nothing."""
    return replace(
        plan,
        quasi=tuple(plan.limits),
        kinds=dict.fromkeys(plan.limits, "numeric"),
        method=INSENSITIVE if plan.method == "auto" else plan.method,
        shuffle=True,
    )


def private_roles(plan: Plan, names: Sequence[str]) -> dict[str, Role]:
    """Give every column its role: those with limits are grouped, all others are left out."""
    for name in plan.limits:
        if name not in names:
            raise InvalidOption(f"limits: {no_such_column(name, names)}")
    return {name: Role.QUASI if name in plan.limits else Role.IDENTIFIER for name in names}


def share_of(plan: Plan, name: str) -> Fraction:
    """Give the part of epsilon that a column has: all the same, or by column_weights.

    >>> from microagg.plan import Plan
    >>> share_of(Plan(k=3, epsilon=1.0, limits={"age": (0, 120), "pay": (0, 9000)}), "age")
    Fraction(1, 2)
    """
    weights = {column: Fraction(str(plan.column_weights.get(column, 1))) for column in plan.limits}
    return Fraction(str(plan.epsilon)) * weights[name] / sum(weights.values())
