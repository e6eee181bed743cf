"""The candidates of a project: plans that were tried, with what each loses and risks; kept over the end of the studio.

A candidate belongs to the data and to what is decided of the columns. After another decision the candidates of the one
before are not shown; undoing it brings them back.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from microagg import __version__
from microagg.compare.candidates import Candidate, Comparison, choose, in_order
from microagg.compare.grid import GRID, PROMISES, plans_of
from microagg.compare.limits import LOSSES, RISKS, Limit
from microagg.errors import InvalidOption, MicroaggError
from microagg.plan.command import command_of
from microagg.plan.plan import CHOICES, Plan
from microagg.studio.project import Project
from microagg.studio.steps import changes_of, followed

KIND = "candidate"
"""What such results, and the jobs that make them, are called."""
FORM = "candidates form"
EFFORTS: dict[str, tuple[str, str | None]] = {
    "quick": ("Quick: the groups as the method makes them", None),
    "thorough": ("Thorough: improved by local search", "local"),
    "longest": ("Longest: improved by annealing", "search"),
}
"""What may be done for a lower loss, with the refinement that does it."""
MOST = 200
"""How many candidates may be asked for at once."""


@dataclass(frozen=True)
class TriedPlan:
    """A plan that was tried.

    Attributes
    ----------
    key : str
        Names it in addresses: hexadecimal digits that say nothing.
    plan : Plan
        What was asked for; this is what is chosen and released.
    candidate : Candidate
        What came of it, with the method that "auto" stood for.
    """

    key: str
    plan: Plan
    candidate: Candidate


def key_of(project: Project, plan: Plan) -> str:
    """Give what tells a candidate from all others: its data, how they are read, and the plan."""
    source = project.source
    parts = (__version__, source.sha256, repr(sorted(source.reading.items())), repr(plan))
    return hashlib.sha256("\0".join(parts).encode("utf-8", "backslashreplace")).hexdigest()[:20]


def base_of(project: Project) -> str:
    """Give what all candidates that can be compared have in common: the data, and what is decided of the columns."""
    varied = {*GRID, *PROMISES, "seed"}
    said = [(item.name, getattr(project.plan, item.name)) for item in CHOICES if item.name not in varied]
    parts = (__version__, project.source.sha256, repr(sorted(project.source.reading.items())), repr(said))
    return hashlib.sha256("\0".join(parts).encode("utf-8", "backslashreplace")).hexdigest()[:20]


def plans_for(project: Project, ks: Sequence[int], methods: Sequence[str], effort: str) -> list[Plan]:
    """Give the plans to try: every method with every k."""
    if not project.is_decided or project.look is None:
        raise InvalidOption("Decide on every column first: each needs a role, and one at least is a quasi-identifier.")
    if effort not in EFFORTS:
        raise InvalidOption(f"the effort must be one of {', '.join(EFFORTS)}.")
    if not ks or not methods:
        raise InvalidOption("Choose at least one k and one method.")
    refinement = EFFORTS[effort][1]
    plans: list[Plan] = []
    for method in methods:
        try:
            grid = plans_of(list(ks), method, refine=refinement, plan=project.plan)
        except InvalidOption:
            if refinement is None:
                raise
            grid = plans_of(list(ks), method, plan=project.plan)
        plans += grid.for_records(project.look.n_records).plans
    if len(plans) > MOST:
        raise InvalidOption(f"these are {len(plans):,} candidates; at most {MOST} are made at once.")
    return plans


def keep(project: Project, key: str, base: str, plan: Plan, outcome: dict[str, Any]) -> None:
    """Keep what came of a plan."""
    project.keep_result(key, {"kind": KIND, "base": base, "changes": changes_of(None, plan), "outcome": outcome})


def tried_plans(project: Project) -> list[TriedPlan]:
    """Give the candidates of the data and decisions that stand, in the order in which they were made."""
    base, tried = base_of(project), []
    for key, result in list(project.results.items()):
        if result.get("kind") != KIND or result.get("base") != base:
            continue
        known = project.memo.get(id(result))
        if known is None:
            known = project.memo[id(result)] = _read(project, key, result)
        if isinstance(known, TriedPlan):
            tried.append(known)
    # What "auto" stood for may have been tried by its name, too: one of them is enough, that which stands if one does.
    single = {repr(row.candidate.plan): row for row in sorted(tried, key=lambda row: row.plan == project.plan)}
    return [row for row in tried if single[repr(row.candidate.plan)] is row]


def _read(project: Project, key: str, result: Mapping[str, Any]) -> TriedPlan | str:
    """Make a candidate of what was kept; words where that is damaged, and must be made again."""
    try:
        plan, outcome = followed(None, result["changes"]), dict(result["outcome"])
        made = replace(plan, method=outcome.pop("method"), refine=outcome.pop("refine"))
        return TriedPlan(key, plan, Candidate(plan=made, command=_command(project, plan), **outcome))
    except (KeyError, TypeError, ValueError, MicroaggError):
        return "damaged"


def tried_plan(project: Project, key: str) -> TriedPlan | None:
    """Give a candidate by its key."""
    return next((tried for tried in tried_plans(project) if tried.key == key), None)


def compared(project: Project, tried: Sequence[TriedPlan], form: dict[str, Any]) -> Comparison:
    """Sort candidates by risk and loss, and say which to choose within the limits."""
    risk, loss = form["risk"], form["loss"]
    limits = [Limit.parse(text) for text in form["limits"]]
    known = [row.candidate for row in tried if risk in row.candidate.values and loss in row.candidate.values]
    rows = in_order(known, risk, loss, limits)
    return Comparison(rows, choose(rows, risk, loss, limits), risk, loss, tuple(limits), title=project.title)


def form_of(project: Project) -> dict[str, Any]:
    """Give what was last asked for: k, methods, effort, axes and limits."""
    kept = project.results.get(FORM, {})
    numbers = all(kind in ("numeric", "date") for kind in project.plan.kinds.values())
    form: dict[str, Any] = {
        "ks": [3, 5, 10],
        "methods": ["auto", "mdav", "vmdav"] if numbers else ["auto", "mdav"],
        "effort": "quick",
        "risk": "average_risk",
        "loss": "information_loss",
        "limits": [],
    }
    form |= {name: kept[name] for name in form if name in kept}
    if form["risk"] not in RISKS or form["loss"] not in LOSSES:
        form |= {"risk": "average_risk", "loss": "information_loss", "limits": []}
    return form


def _command(project: Project, plan: Plan) -> str:
    return command_of(plan, project.source.name, "released.csv")
