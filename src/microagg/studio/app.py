"""The studio as a web application: the guard around it, its pages, and how errors are told."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from microagg.errors import MicroaggError, MissingExtra

try:
    from fastapi import FastAPI, Request
    from fastapi.exceptions import RequestValidationError
    from starlette.exceptions import HTTPException
    from starlette.responses import JSONResponse, RedirectResponse, Response
except ImportError as error:
    raise MissingExtra("the studio needs FastAPI and uvicorn: pip install 'microagg[studio]'.") from error

from microagg.studio.guard import Keys, PageGuard, Rules, say
from microagg.studio.house import NoSuchProject, Studio
from microagg.studio.jobs import JobRefused
from microagg.studio.pages import PAGES, ROUTERS
from microagg.studio.project import Stale

STATUS: dict[type[Exception], int] = {NoSuchProject: 404, Stale: 409, JobRefused: 429}


def create_app(studio: Studio, keys: Keys, rules: Rules) -> FastAPI:
    """Make the application of a studio.

    Parameters
    ----------
    studio : Studio
        Folders, jobs and projects; closed when the application ends.
    keys : Keys
        Who may enter.
    rules : Rules
        What requests are held to.
    """

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        try:
            yield
        finally:
            studio.close()

    app = FastAPI(
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
        exception_handlers={
            MicroaggError: _refused,
            HTTPException: _no_such_page,
            RequestValidationError: _not_understood,
        },
    )
    app.state.studio = studio
    app.state.keys = keys
    app.add_middleware(PageGuard, keys=keys, rules=rules)
    for router in (*ROUTERS, *(page.router for page in PAGES)):
        app.include_router(router)
    return app


async def _refused(request: Request, problem: Exception) -> Response:
    """Tell what a person can do about it; messages of microagg hold no values of records."""
    if (
        isinstance(problem, NoSuchProject)
        and request.method == "GET"
        and "text/html" in request.headers.get("accept", "")
    ):
        return RedirectResponse("/", 303)
    return say(str(problem), STATUS.get(type(problem), 422))


async def _no_such_page(_: Request, problem: Exception) -> Response:
    assert isinstance(problem, HTTPException)  # noqa: S101 - it is registered for these
    words = {404: "There is no such page.", 405: "That cannot be done here."}
    return JSONResponse({"message": words.get(problem.status_code, problem.detail)}, problem.status_code)


async def _not_understood(_: Request, __: Exception) -> Response:
    """Tell that a request is malformed, without repeating what it held."""
    return say("The request was not understood. Load the page anew.", 422)
