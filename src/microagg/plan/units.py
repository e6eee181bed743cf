"""What a plan says of units, of which a table may hold several records, and what that excludes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from microagg.errors import InvalidOption
from microagg.partition import METHODS

if TYPE_CHECKING:
    from microagg.plan.plan import Plan


def check_units(plan: Plan) -> None:
    """Refuse what looks at records one by one, where units are counted."""
    if plan.unit is None:
        return
    single = {
        f"method {plan.method!r}": plan.method in METHODS and METHODS[plan.method].per_column,
        "suppress": plan.suppress > 0,
        "outliers='join'": plan.outliers == "join",
        "bound": plan.bound is not None,
    }
    for what, asked in single.items():
        if asked:
            raise InvalidOption(
                f"{what} looks at records, and unit={plan.unit!r} counts those that belong together: leave one of the "
                "two out."
            )
