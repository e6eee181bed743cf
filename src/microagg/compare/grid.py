"""The plans of all candidates: every method with every k, every option and every refinement."""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from microagg.anonymize import choices, make_plan
from microagg.errors import InvalidOption
from microagg.partition import METHODS, check_refinement, get_method
from microagg.plan import Plan, load_plan
from microagg.refine import REFINEMENTS

GRID = ("k", "method", "refine", "options")
"""What differs between candidates; everything else that a plan says is the same for all."""


@dataclass(frozen=True)
class Grid:
    """The plans of all candidates, and what was left out or settled on the way."""

    plans: tuple[Plan, ...]
    notes: tuple[str, ...]


def plans_of(
    k: int | Sequence[int],
    methods: str | Sequence[str],
    *,
    refine: str | Sequence[str | None] | None = None,
    options: Mapping[str, Any] | None = None,
    plan: Plan | str | os.PathLike[str] | None = None,
    **asked: Any,
) -> Grid:
    """Give the plans of all candidates, checked as far as that goes without the data; see `compare`.

    >>> grid = plans_of([3, 5], ["mdav", "vmdav"], options={"gamma": [0.1, 0.2]}, quasi=["age"])
    >>> [(plan.method, plan.k, dict(plan.options)) for plan in grid.plans][2:4]
    [('vmdav', 3, {'gamma': 0.1}), ('vmdav', 5, {'gamma': 0.1})]
    """
    ks, names, refinements = several(k), several(methods), several(refine)
    values = {name: several(value) for name, value in (options or {}).items()}
    if not (ks and names and refinements and all(values.values())):
        raise InvalidOption("name at least one k, one method, and one value of every option.")
    allowed = [item.name for item in fields(Plan) if item.name not in GRID]
    for name in asked:
        if name not in allowed:
            raise InvalidOption(f"a comparison takes no {name!r}; candidates have in common {', '.join(allowed)}.")
    base = Plan(k=2) if plan is None else plan if isinstance(plan, Plan) else load_plan(plan)
    base = base.changed(**{name: value for name, value in asked.items() if value is not None or name == "quasi"})
    for name in values:
        takers = [method for method in METHODS.values() if name in method.options]
        if not any(method.name in names for method in takers):
            known = ", ".join(method.name for method in takers) or "none at all"
            raise InvalidOption(f"no method that is compared has the option {name!r}; those that have it: {known}.")
    plans, notes = [], []
    for name in names:
        own = METHODS[name].options if name in METHODS else {}
        tried: dict[str, list[Any]] = {option: values[option] for option in values if option in own}
        settled = _settled(name, {**(base.options if base.method == name else {}), **tried})
        if settled:
            shown = ", ".join(f"{option}={value}" for option, value in settled.items())
            notes.append(f"{name} watches the clock unless told otherwise; it ran with {shown}, to be repeatable.")
        for refinement in refinements:
            if refinement is not None and name in METHODS and not _can_be_refined(name, refinement):
                notes.append(f"{name} cannot be improved by {refinement}, so that was left out.")
                continue
            for chosen in itertools.product(*tried.values()):
                given = {**settled, **dict(zip(tried, chosen, strict=True))}
                for size in ks:
                    made = base.changed(k=size, method=name, refine=refinement, options=given)
                    plans.append(make_plan(**choices(made)))
    if any(made.refine == "search" for made in plans):
        notes.append("search watches the clock: what it improved may come out a little different next time.")
    if any("time_limit" in made.options for made in plans):
        notes.append("time_limit was asked for: such candidates depend on the machine, and on what else it does.")
    if not plans:
        raise InvalidOption(f"there is nothing to compare: {' '.join(notes)}")
    return Grid(tuple(plans), tuple(notes))


def several(value: Any) -> list[Any]:
    """Give one thing, or several, as a list without repetitions."""
    values = [value] if isinstance(value, str | bytes) or not isinstance(value, Sequence) else list(value)
    return [item for place, item in enumerate(values) if item not in values[:place]]


def _settled(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Give the options that keep a method from watching the clock, where nobody decided that."""
    repeatable = METHODS[name].repeatable if name in METHODS else {}
    return {} if "time_limit" in given or set(repeatable) & set(given) else dict(repeatable)


def _can_be_refined(name: str, refinement: str) -> bool:
    if refinement not in REFINEMENTS:
        raise InvalidOption(f"refine must be one of {', '.join(REFINEMENTS)}, or none; got {refinement!r}.")
    try:
        check_refinement(refinement, get_method(name, {}))
    except InvalidOption:
        return False
    return True
