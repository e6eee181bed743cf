"""The data of a project: a preview, how the file was read, and ways to correct that."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from microagg.errors import InvalidOption
from microagg.plan.file import READING
from microagg.studio.house import Here, Opened
from microagg.studio.pages.page import StudioPage
from microagg.studio.render import render

router = APIRouter(prefix="/projects/{project_id}/data")
PAGE = StudioPage("data", "Data", router)

ENCODINGS = ("utf-8", "utf-16", "cp1252", "cp1250", "cp1251", "latin-1", "mac-roman", "cp437", "shift_jis", "gb18030")
DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
DECIMALS = {".": "point", ",": "comma"}


@dataclass
class HowToRead:
    """How a file shall be read, and which revision of the project was seen."""

    revision: int
    reading: dict[str, str | int | bool | None]


@router.get("")
def show(request: Request, project: Opened, studio: Here) -> Response:
    """Show the first records, and how they were read."""
    job = studio.look_at(project) if project.source.is_there and project.look is None else None
    return render(
        request,
        "data.html",
        project,
        job=job,
        encodings=ENCODINGS,
        delimiters=DELIMITERS,
        decimals=DECIMALS,
        limit=studio.settings.upload,
    )


@router.post("")
def read_as(asked: HowToRead, project: Opened, studio: Here) -> Response:
    """Read the file in another way."""
    options = project.source.format.options
    reading: dict[str, Any] = {}
    for name, value in asked.reading.items():
        if name not in READING or name not in options:
            raise InvalidOption(f"such files cannot be read with {name}.")
        if value is not None and value != "":
            reading[name] = value
    project.read_as(replace(project.source, reading=reading), asked.revision)
    studio.look_at(project)
    return JSONResponse({"go": f"/projects/{project.id}/data"})
