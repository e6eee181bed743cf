"""Surveys in the same house: the list, how each stands, close it, publish it once, download."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from microagg.errors import InvalidOption, MicroaggError, UnknownSurvey
from microagg.studio.arrivals import draw_arrivals
from microagg.studio.house import Here, NoSuchProject, Studio
from microagg.studio.jobs import Job
from microagg.studio.render import render
from microagg.survey import Status, Survey, surveys
from microagg.survey.survey import CLOSED, CLOSING, OPEN, RELEASED

router = APIRouter(prefix="/surveys")
KIND = "survey"
MOST_LISTED = 200
STATES = {
    OPEN: "open",
    CLOSING: "being grouped",
    CLOSED: "ready to publish",
    RELEASED: "published",
    "failed": "cannot be released",
}


@dataclass
class Sure:
    """That something is wanted which cannot be taken back: the name of the survey, typed once more."""

    name: str


@router.get("")
def show_all(request: Request, studio: Here) -> Response:
    """List the surveys of the store."""
    if not studio.settings.surveys or request.state.user:
        return render(request, "surveys.html", rows=None, problem="", states=STATES)
    rows: list[Status] = []
    problem = ""
    try:
        for name in surveys(studio.settings.surveys)[:MOST_LISTED]:
            with Survey.open(studio.settings.surveys, name) as survey:
                rows.append(survey.status())
    except MicroaggError as error:
        problem = str(error)
    return render(request, "surveys.html", rows=rows, problem=problem, states=STATES)


@router.get("/{name}")
def show(name: str, request: Request, studio: Here) -> Response:
    """Show how a survey stands."""
    status = _status(studio, request, name)
    return render(
        request,
        "survey.html",
        status=status,
        job=_job(studio, name),
        words=STATES.get(status.state, status.state),
        chart=draw_arrivals(status.arrivals, status.opened, status.closes, status.closed),
    )


@router.get("/{name}/status")
def stands(name: str, request: Request, studio: Here) -> Response:
    """Say how a survey stands, for a page that waits."""
    status, job = _status(studio, request, name), _job(studio, name)
    told: dict[str, Any] = {"state": status.state, "received": status.received}
    if job is not None:
        told |= {"fraction": job.fraction, "message": job.message, "over": job.is_over}
    return JSONResponse(told)


@router.post("/{name}/close")
def close(sure: Sure, name: str, request: Request, studio: Here) -> Response:
    """Take no more answers, and do what the release needs."""
    url = _store(studio, request)
    _check_sure(sure, name)
    with Survey.open(url, name) as survey:
        survey.close()
    _finish(studio, url, name)
    return JSONResponse({"message": "Closed."})


@router.post("/{name}/finish")
def finish(name: str, request: Request, studio: Here) -> Response:
    """Do what the release of a closed survey needs, once more."""
    url = _store(studio, request)
    _finish(studio, url, name)
    return JSONResponse({"message": "Grouping."})


@router.post("/{name}/publish")
def publish(sure: Sure, name: str, request: Request, studio: Here) -> Response:
    """Publish the release of a closed survey: from now on it never changes again."""
    url = _store(studio, request)
    _check_sure(sure, name)
    with Survey.open(url, name) as survey:
        publication = survey.publication()
    return JSONResponse({"message": f"Published: SHA-256 {publication.sha256}."})


@router.get("/{name}/files/{what}")
def download(name: str, what: str, request: Request, studio: Here) -> Response:
    """Give the released file, or its report; only of a survey that is published."""
    url = _store(studio, request)
    with Survey.open(url, name) as survey:
        if survey.status().state != RELEASED:
            raise InvalidOption("The survey is not published yet. Publish it first.")
        publication = survey.publication()
    files = {"release": (publication.content, publication.format), "report": (publication.report, "html")}
    if what not in files:
        raise InvalidOption("There is no such file. Load the page anew.")
    content, suffix = files[what]
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in name)[:80] or "survey"
    headers = {"content-disposition": f'attachment; filename="{plain}.{suffix}"'}
    return Response(content, headers=headers, media_type="application/octet-stream")


def _store(studio: Studio, request: Request) -> str:
    """Give the store; where a proxy tells users apart, surveys are nobody's here."""
    if not studio.settings.surveys or request.state.user:
        raise NoSuchProject("There are no surveys here: start the studio with --surveys STORE.")
    return studio.settings.surveys


def _status(studio: Studio, request: Request, name: str) -> Status:
    try:
        with Survey.open(_store(studio, request), name) as survey:
            return survey.status()
    except UnknownSurvey as error:
        raise NoSuchProject("There is no such survey.") from error


def _job(studio: Studio, name: str) -> Job | None:
    return studio.jobs.find(KIND, KIND, name)


def _finish(studio: Studio, url: str, name: str) -> None:
    work, given = "microagg.studio.work.surveys:finish", {"url": url, "name": name}
    job = _job(studio, name)
    if job is None or job.is_over:
        studio.jobs.start(KIND, KIND, name, work, given, title=f"Grouping {name}"[:80])


def _check_sure(sure: Sure, name: str) -> None:
    if sure.name.strip() != name:
        raise InvalidOption("This cannot be taken back: type the name of the survey to confirm it.")
