"""From a template to a page: everything that comes from data or people is escaped."""

from __future__ import annotations

import functools
from importlib import resources
from typing import TYPE_CHECKING, Any

import jinja2
from starlette.responses import HTMLResponse, Response

from microagg import __version__
from microagg.report.templates import new_environment, read_part
from microagg.report.words import duration

if TYPE_CHECKING:
    from starlette.requests import Request

    from microagg.studio.project import Project


@functools.cache
def environment() -> jinja2.Environment:
    """Give what fills the templates: those of the studio, then those of the reports ("report/parts.html")."""
    made = new_environment(_load)
    made.filters["duration"] = duration
    return made


def render(request: Request, template: str, project: Project | None = None, **content: Any) -> Response:
    """Fill a template and give the page.

    Parameters
    ----------
    request : Request
        What asked for it.
    template : str
        A file in templates/.
    project : Project, optional
        What the page is about: the base template shows its title, navigation, history and jobs.
    **content
        What else the template needs.
    """
    from microagg.studio.pages import PAGES

    here = request.url.path.rsplit("/", 1)[-1]
    filled = (
        environment()
        .get_template(template)
        .render(project=project, pages=PAGES, here=here, version=__version__, user=request.state.user, **content)
    )
    return HTMLResponse(filled)


def door_page(message: str) -> Response:
    """Give the page at the door: it exchanges the token in its address for a key, and holds nothing else."""
    return HTMLResponse(environment().get_template("door.html").render(message=message, version=__version__), 401)


@functools.cache
def style() -> str:
    """Give the look of the studio: that of the reports, and what the pages add to it."""
    return read_part("style.css") + read_static("studio.css") + read_static("pages.css")


def read_static(name: str) -> str:
    """Read a file in static/."""
    return resources.files(__package__).joinpath("static", name).read_text(encoding="utf-8")


def _load(name: str) -> str:
    if name.startswith("report/"):
        return read_part(name.removeprefix("report/"))
    return resources.files(__package__).joinpath("templates", name).read_text(encoding="utf-8")
