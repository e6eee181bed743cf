"""The history: every step, to go back to and forth; the project as a file, and the command that runs it."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from microagg.plan.command import call_of, command_of
from microagg.studio.house import Opened
from microagg.studio.pages.page import StudioPage
from microagg.studio.render import render

router = APIRouter(prefix="/projects/{project_id}/history")
PAGE = StudioPage("history", "History", router)


@dataclass
class Move:
    """Where to go: so many steps from here, or to a step."""

    revision: int
    by: int = 0
    to: int | None = None


@router.get("")
def show(request: Request, project: Opened) -> Response:
    """Show all steps, the newest first."""
    name = project.path.name
    return render(
        request,
        "history.html",
        project,
        command=f"microagg anonymize --plan {name} -o released.csv --report report.html",
        alone=command_of(project.plan, project.source.name, "released.csv"),
        python=call_of(project.plan),
    )


@router.post("")
def move(asked: Move, project: Opened) -> Response:
    """Undo, redo, or go to any step."""
    project.go_to(project.at + asked.by if asked.to is None else asked.to, asked.revision)
    return JSONResponse({"revision": project.revision})


@router.get("/project.toml")
def download(project: Opened) -> Response:
    """Give the file of the project: it holds no data."""
    headers = {"content-disposition": f'attachment; filename="{project.path.name}"'}
    return Response(project.text, headers=headers, media_type="application/toml")
