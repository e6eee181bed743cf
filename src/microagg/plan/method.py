"""Which method a plan means, and what it can do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from microagg.base.schema import Kind
from microagg.errors import InvalidOption
from microagg.partition import METHODS, check_on_device, check_refinement, get_method
from microagg.plan.plan import AUTO, JOIN, Plan

MANY = 100_000
"""From how many records on `auto` means a method that takes millions, whatever is tied or asked for."""
WIDE, FEW = 100, 2_000
"""With more columns, of at most so many records, a search on categories themselves takes ten times as long as one on
points, for a loss that is a hundredth lower: `auto` means the latter."""
EXACT = "exact"
"""The best groups of cells are not the best groups of all."""
TIED = 0.2
"""Where at least this share of the records is in classes of k already, `auto` means a method that leaves them alone."""


def choose_method(plan: Plan, kinds: Iterable[Kind], n_records: int = 0, tied: float = 0.0) -> Plan:
    """Choose the method where that was left open, and check that it can do what is asked with these kinds.

    Parameters
    ----------
    plan : Plan
        Its method may be "auto": local search on columns of any kinds (`mixed`) where there are categories, or where
        many records share their values with k already, which it leaves alone; else `fast`, which gives the optimum of
        one column. More than 100 columns of up to 2,000 records are grouped by MDAV with local search, and so are
        numbers where a refinement is asked for.
    kinds : iterable of Kind
        Of the quasi-identifiers.
    n_records : int
        How many records there are.
    tied : float
        The share of records that share their values with at least k.

    Examples
    --------
    >>> number, category = Kind.NUMERIC, Kind.NOMINAL
    >>> [choose_method(Plan(k=3), kinds).method for kinds in ([number], [number, number], [number, category])]
    ['fast', 'fast', 'mixed']
    >>> choose_method(Plan(k=3), [number] * 2, tied=0.9).method
    'mixed'
    >>> choose_method(Plan(k=3, refine="local"), [number] * 2).method
    'mdav'
    """
    kinds = list(kinds)
    numbers = all(kind is Kind.NUMERIC for kind in kinds)
    wide = len(kinds) > WIDE and n_records <= FEW
    if plan.method == AUTO:
        alone = len(kinds) == 1 and not plan.promised_columns
        untied = tied < TIED or (numbers and not plan.standardize)
        if numbers and (n_records > MANY or ((alone or untied) and plan.refine is None)):
            plan = replace(plan, method="fast")
        elif (numbers or wide) and untied:
            plan = replace(plan, method="mdav", refine=plan.refine or "local")
        else:
            plan = replace(plan, method="mixed")
    method = get_method(plan.method, dict(plan.options))
    check_refinement(plan.refine, method, plan.refine_options)
    check_on_device(plan.device, method, plan.refine)
    if not numbers and method.per_column:
        raise InvalidOption(f"method {method.name!r} takes numeric columns only; choose another for categories.")
    if plan.bound is not None and (not numbers or method.per_column):
        raise InvalidOption("bound holds for groups of whole records of numbers only: leave it out for this release.")
    if not plan.standardize and not (numbers and method.takes == "numbers"):
        raise InvalidOption("categories have no raw distance to numbers: standardize must stay True for them.")
    return plan


def check_spreadable(plan: Plan, *, units: bool = False) -> None:
    """Refuse what needs all records at once, for engines that do not have them at once; some can count units."""
    needs = {
        f"method {plan.method!r}": plan.method == EXACT or (plan.method != AUTO and METHODS[plan.method].per_column),
        "suppress": plan.suppress > 0,
        f"outliers={plan.outliers!r}": plan.outliers == JOIN,
        "bound": plan.bound is not None,
        "epsilon": plan.epsilon is not None,
        "mask": bool(plan.mask),
        "unit": plan.unit is not None and not units,
        "unit_alias": plan.unit_alias,
    }
    for what, is_asked in needs.items():
        if is_asked:
            elsewhere = " Engines count units too: engine='processes', --engine processes." if what == "unit" else ""
            raise InvalidOption(
                f"{what} needs all records in memory at once, so it cannot be used cell by cell. Leave it out, or work "
                f"in memory: memory='unlimited', --memory unlimited.{elsewhere}"
            )
