"""The first page: open a file by its path, by sending it, or an example; or go on with a project."""

from __future__ import annotations

import os
import re
import unicodedata
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from microagg import io
from microagg.errors import FileProblem, InvalidOption
from microagg.studio.examples import EXAMPLES, write_example
from microagg.studio.guard import UPLOAD, TooLarge
from microagg.studio.house import Here, Studio
from microagg.studio.project import Project, remove_project
from microagg.studio.render import render
from microagg.studio.source import EXAMPLE, OWN, UPLOADED, DataSource

router = APIRouter()
NAME_HEADER = "x-file-name"


@dataclass
class AskedPath:
    """A path, or what of it has been typed."""

    path: str


@dataclass
class Named:
    """An example, or a project, by its name."""

    name: str


@router.get("/")
def start(request: Request, studio: Here) -> Response:
    """Show how to begin, and the projects that there are."""
    user = request.state.user
    opened = {project.path: project for project in studio.projects_of(user)}
    return render(
        request,
        "start.html",
        roots=[str(root) for root in studio.folders.roots],
        limit=studio.settings.upload,
        suffixes=list(io.FORMATS),
        examples=EXAMPLES,
        kept=[(path.name, opened.get(path)) for path in studio.paths_of(user)],
    )


@router.post("/complete")
def complete(asked: AskedPath, studio: Here) -> Response:
    """Give what begins as a path does, in the folders that are allowed."""
    entries = [{"name": e.name, "path": e.path, "folder": e.is_folder} for e in studio.folders.listed(asked.path)]
    return JSONResponse({"entries": entries})


@router.post("/open")
def open_path(asked: AskedPath, request: Request, studio: Here) -> Response:
    """Open a file by its path: data, or a project."""
    path = studio.folders.resolve(asked.path.strip())
    kept = Path(os.path.realpath(studio.settings.projects))
    if kept in path.parents and path.parent != Path(os.path.realpath(studio.folder_of(request.state.user))):
        raise FileProblem("This is a project of somebody else.")
    if not path.is_file():
        raise FileProblem("There is no such file. Choose one from the list, or upload it.")
    if path.suffix.lower() == ".toml":
        return _at(studio.open(request.state.user, path))
    io.format_of(path)
    return _at(studio.begin(request.state.user, DataSource(str(path), path.name, OWN)))


@router.post("/project")
def open_project(named: Named, request: Request, studio: Here) -> Response:
    """Open a project that is kept."""
    for path in studio.paths_of(request.state.user):
        if path.name == named.name:
            return _at(studio.open(request.state.user, path))
    raise FileProblem("There is no such project any more.")


@router.post("/delete")
def delete_project(named: Named, request: Request, studio: Here) -> Response:
    """Delete a project that is kept; the data stay."""
    user = request.state.user
    for path in studio.paths_of(user):
        if path.name == named.name:
            project = next((p for p in studio.projects_of(user) if p.path == path), None)
            if project is not None:
                studio.remove(user, project)
            else:
                remove_project(path)
    return JSONResponse({"message": "Deleted."})


@router.post("/example")
def open_example(named: Named, request: Request, studio: Here) -> Response:
    """Open an example."""
    if named.name not in EXAMPLES:
        raise InvalidOption("There is no such example.")
    path = write_example(named.name, studio.new_place(f"{named.name}.csv"))
    return _at(studio.begin(request.state.user, DataSource(str(path), f"{named.name}.csv", EXAMPLE)))


@router.post(UPLOAD)
async def upload(request: Request, studio: Here) -> Response:
    """Take a file, piece by piece, into a private place from which it is removed when the studio ends."""
    name = plain_name(unquote(request.headers.get(NAME_HEADER, "")))
    io.format_of(name)
    limit = studio.settings.upload
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > limit:
        raise TooLarge
    target = studio.new_place(name)
    size = 0
    try:
        with open(target, "wb", opener=lambda p, flags: os.open(p, flags | os.O_EXCL, 0o600)) as file:
            async for chunk in request.stream():
                size += len(chunk)
                if size > limit:
                    raise TooLarge
                file.write(chunk)
        if not size:
            raise FileProblem("The file is empty.")
        source = DataSource(str(target), name, UPLOADED)
        return _at(_take(studio, request, source))
    except BaseException:
        target.unlink(missing_ok=True)
        raise


def _take(studio: Studio, request: Request, source: DataSource) -> Project:
    """Begin a project for an uploaded file, or give one its data back whose file went with an earlier studio."""
    project_id = request.headers.get("x-project", "")
    if not project_id:
        return studio.begin(request.state.user, source)
    project = studio.project(request.state.user, project_id)
    project.read_as(replace(source, reading=project.source.reading), project.revision)
    studio.look_at(project)
    return project


def plain_name(name: str) -> str:
    """Give the name of a file without folders and without what could mean anything but a letter.

    >>> plain_name("../../etc/pass\\nwd.csv"), plain_name("Übersicht 2024.csv")
    ('passwd.csv', 'Übersicht 2024.csv')
    """
    last = re.split(r"[\\/]", unicodedata.normalize("NFC", name))[-1]
    plain = "".join(c for c in last if c.isprintable())[-120:].lstrip(".")
    return plain or "data.csv"


def _at(project: Project) -> Response:
    content: dict[str, Any] = {"go": f"/projects/{project.id}/data"}
    return JSONResponse(content)
