"""The columns: what each seems to be and why, and what it shall be; many at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from microagg.errors import InvalidOption
from microagg.plan.plan import Plan
from microagg.studio.house import Here, Opened
from microagg.studio.overview import LookedColumn, Overview
from microagg.studio.pages.page import StudioPage
from microagg.studio.pictures import small_picture
from microagg.studio.project import ROLES, Project, roles_of
from microagg.studio.render import render
from microagg.studio.roles import KINDS, suggested, with_roles

router = APIRouter(prefix="/projects/{project_id}/columns")
SUGGESTED = "suggested"
UNDECIDED = ""


def _mark(project: Project) -> str:
    if project.look is None or not project.undecided:
        return ""
    return f"{len(project.undecided):,} to decide"


PAGE = StudioPage("columns", "Columns", router, _mark)


@dataclass
class Decision:
    """What some columns, by their numbers, shall be.

    Attributes
    ----------
    revision : int
        The revision of the project that was seen.
    columns : list of int
        Which columns, from 0.
    role : str, optional
        A name in ROLES, "suggested", or "" for undecided.
    kind : str, optional
        What they are treated as.
    """

    revision: int
    columns: list[int] = field(default_factory=list)
    role: str | None = None
    kind: str | None = None


@router.get("")
def show(request: Request, project: Opened, studio: Here) -> Response:
    """Show all columns."""
    look = project.look
    job = studio.look_at(project) if project.source.is_there and look is None else None
    rows = [] if look is None else _rows(look, project.plan)
    return render(
        request,
        "columns.html",
        project,
        job=job,
        rows=rows,
        roles=ROLES,
        kinds=KINDS,
        counts=_counts(rows),
    )


@router.post("")
def decide(decision: Decision, project: Opened) -> Response:
    """Give columns roles or kinds; answers with how all of these stand now."""
    look = project.look
    if look is None:
        raise InvalidOption("The columns are still being looked at. Wait a moment.")
    if not all(0 <= place < len(look.columns) for place in decision.columns):
        raise InvalidOption("There is no such column. Load the page anew.")
    chosen = [look.columns[place] for place in decision.columns]
    plan = _decided(project.plan, look, chosen, decision)
    project.change(plan, _title(chosen, decision), decision.revision)
    states = [
        {"at": row["at"], "role": row["role"], "kind": row["kind"], "alarm": row["alarm"]}
        for row in _rows(look, plan, False)
    ]
    return JSONResponse({"revision": project.revision, "columns": states, "counts": _counts(states)})


def _decided(plan: Plan, look: Overview, chosen: Sequence[LookedColumn], decision: Decision) -> Plan:
    names = [column.name for column in chosen]
    roles: dict[str, str | None] = {}
    kinds: dict[str, str] = {}
    if decision.role == SUGGESTED:
        roles = suggested(look, set(names))
        if plan.missing == "refuse" and look.missing != "refuse":
            plan = plan.changed(missing=look.missing)
    elif decision.role is not None:
        roles = dict.fromkeys(names, decision.role or None)
    if decision.kind is not None:
        standing = {**roles_of(plan), **roles}
        kinds = {name: decision.kind for name in names if standing.get(name) == "quasi"}
    return with_roles(plan, look, roles, kinds)


def _title(chosen: Sequence[LookedColumn], decision: Decision) -> str:
    what = chosen[0].name[:60] if len(chosen) == 1 else f"{len(chosen):,} columns"
    if decision.role == SUGGESTED:
        return f"{what}: as suggested"
    if decision.role is not None:
        return f"{what}: {ROLES[decision.role].lower() if decision.role in ROLES else 'undecided'}"
    return f"{what}: treated as {decision.kind}"


def _rows(look: Overview, plan: Plan, pictures: bool = True) -> list[dict[str, Any]]:
    roles = roles_of(plan)
    return [
        {
            "at": place,
            "column": column,
            "picture": small_picture(column) if pictures else "",
            "role": roles.get(column.name, UNDECIDED),
            "kind": plan.kinds.get(column.name, "") if roles.get(column.name) == "quasi" else "",
            "alarm": _alarm(column, roles),
        }
        for place, column in enumerate(look.columns)
    ]


def _alarm(column: LookedColumn, roles: dict[str, str]) -> str:
    """Say what is dangerous about what was decided for a column, or nothing."""
    role = roles.get(column.name)
    if role not in ("keep", "confidential", "weights", "by"):
        return ""
    if column.is_identifying and role == "keep":
        return "It seems to name people, and would be released as it is."
    told = [name for name in column.tells if roles.get(name) == "quasi"]
    if told:
        return f"It gives {told[0]!r} away, which is grouped: let it be a quasi-identifier too, or leave it out."
    return ""


def _counts(rows: Sequence[dict[str, Any]]) -> dict[str, int]:
    counts = {role: sum(row["role"] == role for row in rows) for role in (*ROLES, UNDECIDED)}
    return {"all": len(rows), **counts}
