"""Release: what will be published, the warnings one by one, the certificate; written to a folder, or downloaded."""

from __future__ import annotations

import os
import re
import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import FileResponse, JSONResponse, Response

from microagg import io
from microagg.errors import FileProblem, InvalidOption
from microagg.files.atomic import PUBLIC, atomic_paths
from microagg.plan.file import FileMark, PlanFile
from microagg.studio.candidates import key_of
from microagg.studio.house import Here, Opened, Studio
from microagg.studio.jobs import Job
from microagg.studio.pages.page import StudioPage
from microagg.studio.project import Project
from microagg.studio.render import render
from microagg.studio.work.released import PAGE as REPORT
from microagg.studio.work.released import TWIN, MadeRelease

router = APIRouter(prefix="/projects/{project_id}/release")
PAGE = StudioPage("release", "Release", router)
KIND = "release"
PUBLISHED = "published"
"""Under which name a project keeps what was published."""
CONFIRMED = "confirmed"
"""Under which name a job notes the warnings that were confirmed."""
WRITABLE = tuple(suffix for suffix, form in io.FORMATS.items() if suffix != ".sas7bdat")
_NAME = re.compile(r"[^\\/\0-\x1f\x7f]{1,120}")


@dataclass
class ReleaseName:
    """What the release shall be called, without the ending that says its format; and that ending."""

    name: str
    suffix: str


@dataclass
class Confirmation:
    """A warning of a release, by its number, and whether it was read and accepted."""

    job: str
    warning: int
    yes: bool


@dataclass
class ReleaseTarget:
    """Where a release shall be written, whether files that are there may be replaced, and with how many reports."""

    job: str
    folder: str
    replace: bool = False
    reports: str = "both"


@router.get("")
def show(request: Request, project: Opened, studio: Here) -> Response:
    """Show what stands in the way of a release, or what would be published."""
    job = _latest(studio, project)
    made = job.result if job is not None else None
    roots = [str(root) for root in studio.folders.roots if root.is_dir()]
    return render(
        request,
        "release.html",
        project,
        job=job,
        made=made,
        confirmed=confirmed_of(job) if job is not None else set(),
        suffixes=WRITABLE,
        name=_first_name(project),
        suffix=_suffix(project),
        roots=roots,
    )


@router.post("")
def make(asked: ReleaseName, project: Opened, studio: Here) -> Response:
    """Make the release of the plan that stands, in a private folder."""
    _check_decided(project)
    if asked.suffix not in WRITABLE:
        raise InvalidOption(f"The format must be one of {', '.join(WRITABLE)}.")
    stem = asked.name.strip()
    if not _NAME.fullmatch(stem) or stem.startswith("."):
        raise InvalidOption("The name of the release must be a plain name of a file, without folders.")
    for old in studio.jobs.of(project.id, KIND):
        _remove(studio, old)
    folder = studio.temporary / f"release-{secrets.token_hex(8)}"
    folder.mkdir(mode=0o700)
    studio.jobs.start(
        project.id,
        KIND,
        key_of(project, project.plan),
        "microagg.studio.work.released:make",
        {
            "source": project.source,
            "plan": project.plan,
            "name": stem,
            "suffix": asked.suffix,
            "folder": str(folder),
            "published": _published(project),
        },
        title="Making the release",
    )
    return JSONResponse({"message": "Making the release."})


@router.post("/confirm")
def confirm(said: Confirmation, project: Opened, studio: Here) -> Response:
    """Note that a warning was read and accepted, or that it was not after all."""
    job, made = _made(studio, project, said.job)
    if not 0 <= said.warning < len(made.warnings):
        raise InvalidOption("There is no such warning. Load the page anew.")
    confirmed = confirmed_of(job)
    job.notes[CONFIRMED] = confirmed | {said.warning} if said.yes else confirmed - {said.warning}
    return JSONResponse({"left": len(made.warnings) - len(confirmed_of(job))})


@router.post("/publish")
def publish(target: ReleaseTarget, project: Opened, studio: Here) -> Response:
    """Write the release and its reports to a folder that is allowed, all of them or none."""
    job, made = _made(studio, project, target.job)
    _check_confirmed(job, made)
    folder = studio.folders.resolve(target.folder.strip() or ".")
    if not folder.is_dir():
        raise FileProblem("There is no such folder. Choose one that the studio may use.")
    wanted = [file.name for file in made.files if file.is_public and _is_wanted(file.name, target.reports)]
    places = [studio.folders.resolve(folder / name) for name in wanted]
    io.check_apart(project.source.path, *places)
    there = [place.name for place in places if place.exists()]
    if there and not target.replace:
        return JSONResponse({"exists": there, "message": f"{', '.join(there)}: already there. Replace them?"})
    with atomic_paths(places, modes=[PUBLIC] * len(places)) as temporaries:
        for name, temporary in zip(wanted, temporaries, strict=True):
            shutil.copyfile(Path(made.folder) / name, temporary)
    _note_published(project, str(places[0]), made.files[0].sha256)
    return JSONResponse({"message": f"Published: {', '.join(str(place) for place in places)}"})


@router.get("/files/{job_id}/{place}")
def download(job_id: str, place: int, project: Opened, studio: Here) -> Response:
    """Give a file of a release whose warnings are confirmed."""
    job, made = _made(studio, project, job_id)
    _check_confirmed(job, made)
    if not 0 <= place < len(made.files):
        raise InvalidOption("There is no such file. Load the page anew.")
    name = made.files[place].name
    if place == 0:
        _note_published(project, name, made.files[0].sha256)
    return FileResponse(os.path.join(made.folder, name), filename=name, media_type="application/octet-stream")


def _is_wanted(name: str, reports: str) -> bool:
    """Say whether a file goes with the release: "both" reports, the "certificate" alone, or none."""
    return not name.endswith((REPORT, TWIN)) or reports == "both" or (reports == "certificate" and name.endswith(TWIN))


def confirmed_of(job: Job) -> set[int]:
    """Give the warnings of a release that were confirmed."""
    confirmed: set[int] = job.notes.get(CONFIRMED, set())
    return confirmed


def _check_decided(project: Project) -> None:
    if not project.source.is_there:
        raise FileProblem("The data are not there. See the page of the data.")
    if project.look is None:
        raise InvalidOption("The columns are still being looked at. Wait a moment.")
    if not project.is_decided:
        raise InvalidOption(
            "Nothing is released before every column is decided: "
            + (f"{len(project.undecided):,} are not." if project.undecided else "there is no quasi-identifier.")
        )


def _check_confirmed(job: Job, made: MadeRelease) -> None:
    left = len(made.warnings) - len(confirmed_of(job))
    if left:
        raise InvalidOption(f"Nothing is published before every warning is confirmed: {left} left.")


def _latest(studio: Studio, project: Project) -> Job | None:
    """Give the release of the plan that stands, if it was asked for; one of another plan is not shown."""
    return studio.jobs.find(project.id, KIND, key_of(project, project.plan)) if project.is_decided else None


def _made(studio: Studio, project: Project, job_id: str) -> tuple[Job, MadeRelease]:
    """Give a release that was made, and that is still the one of the plan that stands."""
    _check_decided(project)
    job = _latest(studio, project)
    if job is None or job.id != job_id or not isinstance(job.result, MadeRelease):
        raise InvalidOption("The plan was changed, or the release was made anew. Load the page anew.")
    return job, job.result


def _note_published(project: Project, file: str, sha256: str) -> None:
    """Keep which release of which data left the house: another one of the same data is warned of."""
    known = project.results.get(PUBLISHED, {}).get("releases", [])
    entry = {"file": file, "sha256": sha256, "source": project.source.sha256}
    if entry not in known:
        project.keep_result(PUBLISHED, {"kind": PUBLISHED, "releases": [*known, entry]})


def _published(project: Project) -> list[PlanFile]:
    """Give the releases that left the house, as far as they are known."""
    path = project.source.path
    return [
        PlanFile(project.plan, FileMark(path, str(each["source"])), FileMark(str(each["file"]), str(each["sha256"])))
        for each in project.results.get(PUBLISHED, {}).get("releases", [])
    ]


def _remove(studio: Studio, job: Job) -> None:
    """Forget a release that was made before, with its files."""
    studio.jobs.cancel(job.id)
    job.key, job.result = "removed", None
    folder = Path(str(job.arguments["folder"]))
    if studio.temporary in folder.parents:
        shutil.rmtree(folder, ignore_errors=True)


def _first_name(project: Project) -> str:
    stem = project.title
    for suffix in sorted(io.FORMATS, key=len, reverse=True):
        if stem.lower().endswith(suffix):
            stem = stem[: -len(suffix)]
            break
    plain = "".join(c for c in stem if _NAME.fullmatch(c)).lstrip(".")[:80] or "data"
    return f"{plain}-released"


def _suffix(project: Project) -> str:
    suffix: Any = project.source.format.suffix
    return suffix if suffix in WRITABLE else ".csv"
