"""The candidates: choose k, methods and effort; they are made in the background, and the map fills while they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from microagg.compare.limits import LOSSES, RISKS, Limit, lower_is_better, title_of, unit_of
from microagg.constraints import OF_COLUMNS
from microagg.errors import InvalidOption
from microagg.partition import METHODS
from microagg.plan.plan import AUTO
from microagg.prepare.missing import Missing
from microagg.report.charts.trade_off import NARROW, WIDE, Axis, Line, Point, frame_of, marker, trade_off
from microagg.report.words import measure, shown, tidy
from microagg.studio.candidates import (
    EFFORTS,
    FORM,
    KIND,
    TriedPlan,
    base_of,
    compared,
    form_of,
    keep,
    key_of,
    plans_for,
    tried_plan,
    tried_plans,
)
from microagg.studio.house import Here, Opened, Studio
from microagg.studio.jobs import Job
from microagg.studio.pages.page import StudioPage
from microagg.studio.project import Project
from microagg.studio.render import render

router = APIRouter(prefix="/projects/{project_id}/candidates")
COMMON = (AUTO, "mdav", "vmdav", "hm2", "mixed", "mondrian", "best", "fast")
"""The methods that are shown first."""
LONGEST_LABEL = 60


def _mark(project: Project) -> str:
    n = len(tried_plans(project))
    return f"{n:,}" if n else ""


PAGE = StudioPage("candidates", "Candidates", router, _mark)


@dataclass
class AskedCandidates:
    """What is to be tried."""

    revision: int
    ks: list[int]
    methods: list[str]
    effort: str


@dataclass
class AskedMap:
    """What the map shows: its axes, and the limits as lines."""

    risk: str
    loss: str
    limits: list[str] = field(default_factory=list)


@dataclass
class ChosenCandidate:
    """A candidate that is chosen."""

    revision: int
    key: str


@dataclass
class AskedPromises:
    """What else every group shall keep, and what becomes of missing values.

    Attributes
    ----------
    promises : dict
        l, p or t -> column by its number -> what is promised; "" for nothing.
    """

    revision: int
    missing: str | None = None
    promises: dict[str, dict[str, str]] = field(default_factory=dict)


@router.get("")
def show(request: Request, project: Opened, studio: Here) -> Response:
    """Show what can be tried, what runs, and what came of it."""
    job = studio.look_at(project) if project.source.is_there and project.look is None else None
    others = [name for name in METHODS if name not in COMMON]
    return render(
        request,
        "candidates.html",
        project,
        job=job,
        form=form_of(project),
        common=[(name, _title(name)) for name in COMMON],
        others=[(name, _title(name)) for name in others],
        efforts=EFFORTS,
        missing=list(Missing),
        policy=project.plan.missing if isinstance(project.plan.missing, str) else "",
        confidential=_confidential(project),
        map=_map(project, studio),
    )


@router.get("/map")
def show_map(project: Opened, studio: Here) -> Response:
    """Give the map and the table as they stand now."""
    return JSONResponse(_map(project, studio))


@router.post("")
def start(asked: AskedCandidates, project: Opened, studio: Here) -> Response:
    """Start all candidates that were not made yet."""
    form = {**form_of(project), "ks": asked.ks, "methods": asked.methods, "effort": asked.effort}
    plans = plans_for(project, asked.ks, asked.methods, asked.effort)
    project.check_revision(asked.revision)
    project.keep_result(FORM, form)
    base, wanted = base_of(project), {form["risk"], form["loss"], *(Limit.parse(text).name for text in form["limits"])}
    for plan in plans:
        key = key_of(project, plan)
        known = project.results.get(key)
        if known is not None and wanted <= set(known["outcome"]["values"]):
            continue

        def take(job: Job, key: str = key, plan: Any = plan) -> None:
            keep(project, key, base, plan, job.result)

        arguments = {"source": project.source, "plan": plan, "wanted": sorted(wanted), "threads": 1}
        label = f"{plan.method}{f' + {plan.refine}' if plan.refine else ''}, k = {plan.k}"
        work = "microagg.studio.work.candidates:make"
        running = studio.jobs.find(project.id, KIND, key)
        if running is None or running.is_over:
            studio.jobs.start(project.id, KIND, key, work, arguments, title=label, then=take)
    return JSONResponse({"revision": project.revision, **_map(project, studio)})


@router.post("/map")
def see(seen: AskedMap, project: Opened, studio: Here) -> Response:
    """Show other axes, or other limits."""
    if seen.risk not in RISKS or seen.loss not in LOSSES:
        raise InvalidOption("There is no such measure. Load the page anew.")
    limits = [str(Limit.parse(text)) for text in seen.limits]
    project.keep_result(FORM, {**form_of(project), "risk": seen.risk, "loss": seen.loss, "limits": limits})
    return JSONResponse(_map(project, studio))


@router.post("/choose")
def take(choice: ChosenCandidate, project: Opened) -> Response:
    """Let the plan of a candidate stand."""
    tried = tried_plan(project, choice.key)
    if tried is None:
        raise InvalidOption("This candidate belongs to other decisions. Load the page anew.")
    project.change(tried.plan, f"Chose {tried.candidate.label[:80]}", choice.revision)
    return JSONResponse({"revision": project.revision, "chosen": tried.key})


@router.post("/promises")
def promise(asked: AskedPromises, project: Opened) -> Response:
    """Promise more of every group, or say what becomes of missing values."""
    look = project.look
    if look is None:
        raise InvalidOption("The columns are still being looked at. Wait a moment.")
    changes: dict[str, Any] = {}
    for name, of in asked.promises.items():
        if name not in OF_COLUMNS:
            raise InvalidOption(f"a promise must be one of {', '.join(OF_COLUMNS)}.")
        said = dict(getattr(project.plan, name))
        for place, value in of.items():
            if not place.isdecimal() or int(place) >= len(look.columns):
                raise InvalidOption("There is no such column. Load the page anew.")
            column = look.columns[int(place)].name
            said.pop(column, None)
            if value.strip():
                said[column] = _number(value.strip())
        changes[name] = said
    if asked.missing is not None:
        changes["missing"] = asked.missing
    plan = project.plan.changed(**changes)
    what = "Missing values: " + asked.missing if asked.missing is not None else "Promises beyond k"
    project.change(plan, what, asked.revision)
    return JSONResponse({"revision": project.revision})


def _number(text: str) -> Any:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text


def _title(name: str) -> str:
    return "What fits the columns" if name == AUTO else METHODS[name].title


def _confidential(project: Project) -> list[dict[str, Any]]:
    if project.look is None:
        return []
    return [
        {
            "at": place,
            "name": column.name,
            **{name: getattr(project.plan, name).get(column.name, "") for name in OF_COLUMNS},
        }
        for place, column in enumerate(project.look.columns)
        if column.name in project.plan.confidential
    ]


def _map(project: Project, studio: Studio) -> dict[str, Any]:
    """Give the map as drawings, and the table as words."""
    form, tried = form_of(project), tried_plans(project)
    comparison = compared(project, tried, form)
    keys = {(row.candidate.command, row.candidate.plan.k): row.key for row in tried}
    series = list(dict.fromkeys(row.series for row in comparison.rows))
    lines = [
        Line(limit.name == comparison.risk, limit.at_most, limit.value, limit.words)
        for limit in comparison.limits
        if limit.name in (comparison.risk, comparison.loss)
    ]
    points = [
        Point(
            series.index(row.series),
            row.label,
            row.told[comparison.risk],
            row.told[comparison.loss],
            row.rank == 0,
            row is comparison.chosen,
            key=keys[row.command, row.plan.k],
        )
        for row in comparison.rows
        if row.rank is not None
    ]
    risk, loss = (
        Axis(title_of(name), unit_of(name), lower_is_better(name)) for name in (comparison.risk, comparison.loss)
    )
    standing = next((row.key for row in tried if row.plan == project.plan), "")
    return {
        "n": len(comparison.rows),
        "chart": trade_off("map", points, risk, loss, lines) if points else "",
        "narrow": trade_off("small", points, risk, loss, lines, NARROW) if points else "",
        "frame": asdict(frame_of(points, lines, WIDE)) if points else None,
        "narrow_frame": asdict(frame_of(points, lines, NARROW)) if points else None,
        "legend": [[shown(name, LONGEST_LABEL), marker(place)] for place, name in enumerate(series)],
        "verdict": comparison.verdict if comparison.rows else "",
        "axes": {
            "risk": comparison.risk,
            "loss": comparison.loss,
            "risk_title": risk.title,
            "loss_title": loss.title,
            "risks": _axes(RISKS, tried),
            "losses": _axes(LOSSES, tried),
        },
        "limits": {
            "risk": next((limit.value for limit in comparison.limits if limit.name == comparison.risk), None),
            "loss": next((limit.value for limit in comparison.limits if limit.name == comparison.loss), None),
        },
        "standing": standing,
        "rows": [
            {
                "key": keys[row.command, row.plan.k],
                "label": shown(row.label, LONGEST_LABEL),
                "loss": measure(row.told[comparison.loss], loss.unit),
                "risk": measure(row.told[comparison.risk], risk.unit),
                "groups": tidy(row.groups),
                "sizes": f"{row.smallest:,} to {row.largest:,}",
                "seconds": tidy(row.gate.seconds(row.seconds), 3),
                "remark": comparison.remark(row),
                "chosen": row is comparison.chosen,
                "standing": keys[row.command, row.plan.k] == standing,
            }
            for row in comparison.rows
        ],
        "jobs": [job.told for job in studio.jobs.of(project.id, KIND)],
    }


def _axes(measures: Mapping[str, Any], tried: list[TriedPlan]) -> list[list[str]]:
    """Give the measures that all candidates have, by name and title."""
    return [[name, title_of(name)] for name in measures if tried and all(name in row.candidate.values for row in tried)]
