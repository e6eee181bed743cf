"""The plans of all candidates: every method with every k, every option and every refinement."""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from microagg.anonymize import choices, make_plan
from microagg.base.options import hint
from microagg.errors import InvalidOption
from microagg.partition import METHODS, Method, check_refinement, get_method
from microagg.plan import Plan, load_plan
from microagg.plan.spelling import nested
from microagg.refine import REFINEMENTS, Refinement

PROMISES = ("l", "p", "t")
"""What may be promised of confidential columns: several values of one are tried in turn."""
GRID = ("k", "method", "refine", "refine_options", "options")
"""What differs between candidates; everything else that a plan says is the same for all."""


ROUNDS = "iterations"
"""The option that has a search do so many rounds, whatever the clock says."""
EFFORT = 100_000
"""Records that a search looks at in all its rounds together, where nobody says how many: some seconds of work."""
MOST_ROUNDS = 200


@dataclass(frozen=True)
class Grid:
    """The plans of all candidates, and what was left out or settled on the way.

    Attributes
    ----------
    plans : tuple of Plan
        Of all candidates.
    notes : tuple of str
        What was left out or settled.
    searching : frozenset of str
        The methods and refinements that search for as long as one likes, where nobody said how long.
    """

    plans: tuple[Plan, ...]
    notes: tuple[str, ...]
    searching: frozenset[str] = frozenset()

    def for_records(self, n_records: int) -> Grid:
        """Let searches do as many rounds as give so many records some seconds: many for few, and one at least.

        >>> plans_of(3, "best").for_records(1000).plans[0].options
        {'iterations': 100}
        """
        rounds = {ROUNDS: min(MOST_ROUNDS, max(1, EFFORT // max(1, n_records)))}
        plans = []
        for plan in self.plans:
            if plan.method in self.searching:
                plan = replace(plan, options={**plan.options, **rounds})
            if plan.refine in self.searching:
                plan = replace(plan, refine_options={**plan.refine_options, **rounds})
            plans.append(plan)
        return replace(self, plans=tuple(plans))


def plans_of(
    k: int | Sequence[int],
    methods: str | Sequence[str],
    *,
    refine: str | Sequence[str | None] | None = None,
    refine_options: Mapping[str, Any] | None = None,
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
    refine_values = {name: several(value) for name, value in (refine_options or {}).items()}
    if not (ks and names and refinements and all(values.values()) and all(refine_values.values())):
        raise InvalidOption("name at least one k, one method, and one value of every option.")
    allowed = [item.name for item in fields(Plan) if item.name not in GRID]
    for name in asked:
        if name not in allowed:
            raise InvalidOption(f"a comparison takes no {name!r}; candidates have in common {', '.join(allowed)}.")
    promised = _promised({name: asked.pop(name) for name in PROMISES if asked.get(name) is not None})
    base = Plan(k=2) if plan is None else plan if isinstance(plan, Plan) else load_plan(plan)
    base = base.changed(**{name: value for name, value in asked.items() if value is not None or name == "quasi"})
    _check_taken("method", METHODS, names, values)
    _check_taken("refinement", REFINEMENTS, refinements, refine_values)
    plans: list[Plan] = []
    notes: list[str] = []
    searching: set[str] = set()
    refining = {
        name: _tried(
            REFINEMENTS.get(name or ""),
            refine_values,
            base.refine_options if base.refine == name else {},
            notes,
            searching,
        )
        for name in refinements
    }
    for name in names:
        grouping = _tried(METHODS.get(name), values, base.options if base.method == name else {}, notes, searching)
        for refinement in refinements:
            if refinement is not None and name in METHODS and not _can_be_refined(name, refinement):
                notes.append(f"{name} cannot be improved by {refinement}, so that was left out.")
                continue
            for given, its_own, promise, size in itertools.product(grouping, refining[refinement], promised, ks):
                made = base.changed(
                    k=size, method=name, refine=refinement, refine_options=its_own, options=given, **promise
                )
                plans.append(make_plan(**choices(made)))
    if any("time_limit" in {**made.options, **made.refine_options} for made in plans):
        notes.append("time_limit was asked for: such candidates depend on the machine, and on what else it does.")
    if not plans:
        raise InvalidOption(f"there is nothing to compare: {' '.join(notes)}")
    return Grid(tuple(plans), tuple(notes), frozenset(searching))


def _promised(asked: Mapping[str, Mapping[str, Any]]) -> list[dict[str, dict[str, Any]]]:
    """Give every combination of promises to try: of each column one of the values that are asked for; None for none.

    >>> _promised({"t": {"pay": [None, 0.2, 0.1]}})
    [{'t': {}}, {'t': {'pay': 0.2}}, {'t': {'pay': 0.1}}]
    """
    places = [(field, column, several(said)) for field, of in asked.items() for column, said in of.items()]
    tried = []
    for chosen in itertools.product(*(values for _, _, values in places)):
        promise: dict[str, dict[str, Any]] = {field: {} for field in asked}
        for (field, column, _), value in zip(places, chosen, strict=True):
            if value is not None:
                promise[field][column] = value
        tried.append(promise)
    return tried


def several(value: Any) -> list[Any]:
    """Give one thing, or several, as a list without repetitions."""
    values = [value] if isinstance(value, str | bytes) or not isinstance(value, Sequence) else list(value)
    return [item for place, item in enumerate(values) if item not in values[:place]]


def _check_taken(
    what: str, known: Mapping[str, Method | Refinement], compared: Sequence[str | None], options: Mapping[str, Any]
) -> None:
    """Refuse an option that nothing that is compared has."""
    for option in options:
        takers = [name for name, entry in known.items() if _takes(entry, option)]
        if not set(takers) & set(compared):
            raise InvalidOption(
                f"no {what} that is compared has the option {option!r}; those that have it: "
                f"{', '.join(takers) or 'none at all'}.{hint(option, {x for e in known.values() for x in e.options})}"
            )


def _tried(
    entry: Method | Refinement | None,
    values: Mapping[str, list[Any]],
    stand: Mapping[str, Any],
    notes: list[str],
    searching: set[str],
) -> list[dict[str, Any]]:
    """Give every combination of options to try; what watches the clock is settled, where nobody decided that."""
    if entry is None:
        return [{}]
    tried = {option: values[option] for option in values if _takes(entry, option)}
    given = {*stand, *tried}
    settled = {} if "time_limit" in given or set(entry.repeatable) & given else dict(entry.repeatable)
    if settled:
        notes.append(
            f"{entry.name} watches the clock unless told otherwise; to be repeatable, it did as many rounds "
            f"({', '.join(settled)}) as take some seconds with so many records."
        )
        searching.add(entry.name)
    return [
        {**settled, **nested(dict(zip(tried, chosen, strict=True)))} for chosen in itertools.product(*tried.values())
    ]


def _takes(entry: Method | Refinement, option: str) -> bool:
    """Say whether something has an option; NAME.PART is a part of the option NAME."""
    return option.partition(".")[0] in entry.options


def _can_be_refined(name: str, refinement: str) -> bool:
    if refinement not in REFINEMENTS:
        raise InvalidOption(f"refine must be one of {', '.join(REFINEMENTS)}, or none; got {refinement!r}.")
    try:
        check_refinement(refinement, get_method(name, {}))
    except InvalidOption:
        return False
    return True
