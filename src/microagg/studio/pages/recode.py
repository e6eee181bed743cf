"""Recoding and hierarchies: limits on the histogram, steps one after the other, and a tree for categories."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from microagg.errors import InvalidOption, MicroaggError
from microagg.plan.plan import Plan
from microagg.recode.steps import STEPS, check_steps
from microagg.studio.house import Here, Opened, Studio
from microagg.studio.jobs import Job
from microagg.studio.keyed import job_for
from microagg.studio.overview import LookedColumn
from microagg.studio.pages.page import StudioPage
from microagg.studio.pictures import small_picture
from microagg.studio.project import Project, roles_of
from microagg.studio.render import render
from microagg.studio.trees import PREFIX, generate, hierarchy_of, import_tree, save_tree, standing_tree, tree_of
from microagg.studio.work.values import ValuesOfColumn

router = APIRouter(prefix="/projects/{project_id}/recode")
PAGE = StudioPage("recode", "Recoding", router)
TEXT_KINDS = {
    "bands": "ordinal",
    "prefix": "nominal",
    "rare": "nominal",
    "date:month": "ordinal",
    "date:quarter": "ordinal",
}
"""What a column is treated as that a step made text of."""


@dataclass
class StepsOfColumn:
    """The steps of recoding of a column, by its number, in their order."""

    revision: int
    column: int
    steps: list[str] = field(default_factory=list)


@dataclass
class TreeOfColumn:
    """A tree for a column: pairs of a value and what lies above it; or a rule in its place; or neither."""

    revision: int
    column: int
    edges: list[list[str]] = field(default_factory=list)
    rule: str = ""


@dataclass
class SentTree:
    """A hierarchy in a file that was sent: its name, and its text."""

    name: str
    text: str


@dataclass
class AskedRule:
    """A rule from which a tree of a column follows."""

    column: int
    rule: str


@router.get("")
def show(request: Request, project: Opened, studio: Here, column: int | None = None) -> Response:
    """Show the columns that can be recoded, or one of them with its values."""
    if project.look is None:
        job = studio.look_at(project) if project.source.is_there else None
        return render(request, "recode.html", project, job=job, rows=[], column=None, values=None, at=None)
    rows = _rows(project)
    if column is None:
        return render(request, "recode.html", project, job=None, rows=rows, column=None, values=None, at=None)
    looked = _column(project, column)
    job = _job(studio, project, looked.name)
    plan = project.plan
    return render(
        request,
        "recode.html",
        project,
        job=job if job is None or job.result is None else None,
        rows=rows,
        column=looked,
        at=column,
        values=None if job is None else job.result,
        steps=plan.recode.get(looked.name, ()),
        kinds=STEPS,
        is_quasi=roles_of(plan).get(looked.name) == "quasi",
        kind=_kind_words(plan.kinds.get(looked.name)),
    )


@router.get("/values")
def values(project: Opened, studio: Here, column: int) -> Response:
    """Give the values of a column and its tree, for the editor."""
    looked = _column(project, column)
    known = _values(studio, project, looked.name)
    kind = project.plan.kinds.get(looked.name)
    problem, tree = "", None
    try:
        hierarchy = standing_tree(kind, looked.name, known.values, numbers=known.numbers)
        tree = None if hierarchy is None else tree_of(hierarchy)
    except MicroaggError as error:  # the file is gone or damaged, or the rule does not fit any more
        problem = str(error)
    return JSONResponse(
        {
            "values": list(known.values),
            "counts": list(known.counts),
            "more": known.n_values - len(known.values),
            "spread": None if known.spread is None else vars(known.spread),
            "tree": tree,
            "problem": problem,
        }
    )


@router.post("")
def recode(asked: StepsOfColumn, project: Opened) -> Response:
    """Let other steps of recoding stand for a column."""
    looked = _column(project, asked.column)
    name, plan = looked.name, project.plan
    if roles_of(plan).get(name) in ("identifiers", "unit"):
        raise InvalidOption("This column is left out, and cannot be recoded.")
    steps = check_steps(name, asked.steps) if asked.steps else ()
    others = {other: said for other, said in plan.recode.items() if other != name}
    kinds = dict(plan.kinds)
    if name in kinds:
        kinds[name] = _kind_after(steps, looked, kinds[name])
    plan = replace(plan, recode={**others, **({name: steps} if steps else {})}, kinds=kinds)
    project.change(plan, f"{name[:60]}: {', '.join(steps) or 'not recoded'}"[:120], asked.revision)
    return JSONResponse({"revision": project.revision})


@router.post("/tree")
def save(asked: TreeOfColumn, project: Opened) -> Response:
    """Let a tree, or a rule, stand for a column."""
    looked = _column(project, asked.column)
    name, plan = looked.name, project.plan
    if roles_of(plan).get(name) != "quasi":
        raise InvalidOption("Only quasi-identifiers have hierarchies: make the column one first.")
    if asked.rule:
        kind, what = asked.rule, f"hierarchy by {asked.rule}"
    elif asked.edges:
        kind, what = save_tree(project, hierarchy_of(asked.edges)), "a hierarchy"
    else:
        kind, what = looked.kind or "nominal", "no hierarchy"
    project.change(plan.changed(kinds={name: kind}), f"{name[:60]}: {what}"[:120], asked.revision)
    return JSONResponse({"revision": project.revision})


@router.post("/import")
def take(sent: SentTree, project: Opened) -> Response:
    """Read a hierarchy that was sent; nothing is saved."""
    return JSONResponse({"tree": tree_of(import_tree(sent.name, sent.text))})


@router.post("/generate")
def make(asked: AskedRule, project: Opened, studio: Here) -> Response:
    """Make a tree by a rule; nothing is saved."""
    looked = _column(project, asked.column)
    known = _values(studio, project, looked.name)
    return JSONResponse({"tree": tree_of(generate(asked.rule, looked.name, known.values, numbers=known.numbers))})


def _kind_after(steps: tuple[str, ...], looked: LookedColumn, kind: Any) -> Any:
    """Give what a column is treated as after recoding: text has no numbers; without steps it is what it was."""
    for step in reversed(steps):
        word = step.partition(":")[0].strip().lower()
        text_kind = TEXT_KINDS.get(word) or TEXT_KINDS.get(step.replace(" ", "").lower())
        if text_kind is not None:
            return text_kind if kind in ("numeric", "date") else kind
    return looked.kind or kind if kind in TEXT_KINDS.values() else kind


def _kind_words(kind: Any) -> str:
    if isinstance(kind, str) and kind.startswith(PREFIX):
        return "hierarchy"
    return str(kind or "")


def _column(project: Project, place: int) -> LookedColumn:
    if project.look is None:
        raise InvalidOption("The columns are still being looked at. Wait a moment.")
    if not 0 <= place < len(project.look.columns):
        raise InvalidOption("There is no such column. Load the page anew.")
    return project.look.columns[place]


def _plan_of_values(plan: Plan, name: str) -> Plan:
    """Give what decides the values of a column, and nothing else: other decisions do not make it be read again."""
    steps = {name: plan.recode[name]} if name in plan.recode else {}
    return Plan(k=plan.k, quasi=(name,), recode=steps)


def _job(studio: Studio, project: Project, name: str) -> Job | None:
    if not project.source.is_there:
        return None
    plan = _plan_of_values(project.plan, name)
    work = "microagg.studio.work.values:look"
    return job_for(studio, project, "values", work, "Counting the values", plan, {"column": name})


def _values(studio: Studio, project: Project, name: str) -> ValuesOfColumn:
    job = _job(studio, project, name)
    if job is None or not isinstance(job.result, ValuesOfColumn):
        raise InvalidOption("The values are still being counted. Load the page anew.")
    return job.result


def _rows(project: Project) -> list[dict[str, Any]]:
    """Give the columns that can be recoded: those that leave the house."""
    if project.look is None:
        return []
    roles, plan = roles_of(project.plan), project.plan
    rows = [
        {
            "at": place,
            "column": column,
            "picture": small_picture(column),
            "role": roles.get(column.name, ""),
            "steps": plan.recode.get(column.name, ()),
            "kind": _kind_words(plan.kinds.get(column.name)),
        }
        for place, column in enumerate(project.look.columns)
        if roles.get(column.name) not in ("identifiers", "unit")
    ]
    return sorted(rows, key=lambda row: row["role"] != "quasi")
