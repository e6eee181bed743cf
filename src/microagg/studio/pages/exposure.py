"""Exposure: how many are alone before anything is done, which columns make them so, and who is special."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from microagg.report.charts.losses import column_bars
from microagg.report.exposure import exposure_content
from microagg.studio.house import Here, Opened, Studio
from microagg.studio.jobs import Job
from microagg.studio.keyed import job_for
from microagg.studio.pages.page import StudioPage
from microagg.studio.project import Project
from microagg.studio.render import render
from microagg.studio.work.exposed import Exposed, plan_of_exposure

router = APIRouter(prefix="/projects/{project_id}/exposure")
PAGE = StudioPage("exposure", "Exposure", router)
MOST_DRAWN = 24


@dataclass
class CountAgain:
    """That work which failed or was cancelled shall be done again."""

    exact: bool = False


@router.get("")
def show(request: Request, project: Opened, studio: Here, exact: bool = False) -> Response:
    """Show how exposed the data are by the columns that are decided to be quasi-identifiers."""
    job = _job(studio, project, exact)
    found = job.result if job is not None and job.kind == "exposure" else None
    content = {} if found is None else _content(found)
    return render(request, "exposure.html", project, job=job, exact=exact, found=found, **content)


@router.post("")
def again(asked: CountAgain, project: Opened, studio: Here) -> Response:
    """Count once more, after that failed or was cancelled."""
    _job(studio, project, asked.exact, again=True)
    return JSONResponse({"message": "Counting."})


def _job(studio: Studio, project: Project, exact: bool, *, again: bool = False) -> Job | None:
    if not project.source.is_there:
        return None
    if project.look is None:
        return studio.look_at(project)
    if not project.plan.quasi:
        return None
    plan = plan_of_exposure(project.plan)
    work = "microagg.studio.work.exposed:expose"
    return job_for(studio, project, "exposure", work, "Counting who is alone", plan, {"exact": exact}, again=again)


def _content(found: Exposed) -> dict[str, Any]:
    """Work out what the template shows."""
    k = found.document.headline["k_asked"]
    if found.helps:
        title = f"Records in groups of fewer than {k} without each column"
        drawn = {c.name: float(c.below) for c in found.columns[:MOST_DRAWN] if c.below is not None}
    else:
        title = "Records that each column helps to single out"
        drawn = {c.name: float(c.special) for c in found.columns[:MOST_DRAWN] if c.special is not None}
    return {
        **exposure_content(found.document),
        "k": k,
        "bars_title": title,
        "bars": column_bars("without", title, drawn) if drawn else "",
        "best": found.columns[0],
    }
