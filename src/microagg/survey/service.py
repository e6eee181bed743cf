"""The survey as a service: answers come in over HTTP, the release goes out.

The way of an answer: rate, token, size, JSON, the survey's own rules, the queue before the store; its sender hears of
it when it is durable. Nothing here computes; the rules are the definition's, the writing is the intake's, the stages
are the scheduler's.
"""

from __future__ import annotations

import asyncio
import hmac
import json
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import Annotated, Any
from weakref import WeakValueDictionary

from microagg import __version__
from microagg.base.faults import log_fault
from microagg.errors import MicroaggError, MissingExtra, UnknownSurvey

try:
    from fastapi import FastAPI, Request
    from fastapi import Path as InPath
    from starlette.exceptions import HTTPException
    from starlette.requests import ClientDisconnect
    from starlette.responses import HTMLResponse, JSONResponse, Response
    from starlette.types import ASGIApp, Receive, Scope, Send
except ImportError as error:
    raise MissingExtra("the survey service needs FastAPI and uvicorn: pip install 'microagg[survey]'.") from error

from microagg.survey import openapi
from microagg.survey.body import Hold, check_head, parse_answers, parse_set_aside, read_body
from microagg.survey.careful import CarefulSend
from microagg.survey.definition import Row
from microagg.survey.desks import Desk, Desks
from microagg.survey.door import Door
from microagg.survey.limits import Held, Limits, Rate, client_of
from microagg.survey.page import Page, interface_page, survey_page
from microagg.survey.refusals import FAULT, LOG, NotAllowed, NoToken, TooFast, refuse
from microagg.survey.survey import Publication, check_keys, new_keys

MOST_LARGE, MOST_LARGE_OF_ONE = 4, 3
"""Large bodies that are checked at a time, of all clients and of one; others wait, complete. As objects, JSON takes ten
times its size."""

SAFE = {
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
    b"cache-control": b"no-store",
    b"content-security-policy": b"default-src 'none'; frame-ancestors 'none'",
}
"""Headers of every response that does not set its own."""

MEDIA_TYPES = {"csv": "text/csv; charset=utf-8", "parquet": "application/vnd.apache.parquet"}
"""What the formats of a release are called on the web."""

Name = Annotated[str, InPath(description="The name of the survey.")]


def create_app(
    url: str,
    token: str,
    *,
    intake_token: str | None = None,
    limits: Limits | None = None,
    schedule: bool = True,
) -> FastAPI:
    """Make the service of a store.

    Parameters
    ----------
    url : str
        The store: a file, or postgresql://...
    token : str
        What every call must bring.
    intake_token : str, optional
        Another token, for those who send answers and should not do anything else.
    limits : Limits, optional
        What one client may ask.
    schedule : bool
        Whether the stages of the surveys are run from here; another process has to otherwise.

    Returns
    -------
    FastAPI
    """
    desks = Desks(url, limits or Limits(), schedule=schedule)
    service = Service(desks, token, intake_token)
    app = FastAPI(
        title=openapi.TITLE,
        description=openapi.DESCRIPTION,
        version=__version__,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=service.lifespan,
        exception_handlers={MicroaggError: _refused, HTTPException: _not_found},
    )
    app.state.desks = desks
    app.state.held = service.held
    app.state.door = Door(desks.limits, service.shows_token)
    app.add_middleware(Guard)
    service.add_routes(app)
    generate = app.openapi
    app.openapi = lambda: openapi.complete(generate())  # type: ignore[method-assign]
    return app


class Service:
    """The calls of the interface: each checks the token, calls what does the work, and words its result."""

    def __init__(self, desks: Desks, token: str, intake_token: str | None) -> None:
        self._desks = desks
        self._limits = desks.limits
        self._rate = Rate(self._limits.rate, self._limits.burst)
        self.held = Held(self._limits.held)
        self._large = asyncio.Semaphore(MOST_LARGE)
        self._shares: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
        self._token = token.encode()
        self._intake_token = None if intake_token is None else intake_token.encode()

    @asynccontextmanager
    async def lifespan(self, _: FastAPI) -> AsyncIterator[None]:
        """Run the stages while the service runs; at the end, write what waits."""
        self._desks.start(asyncio.get_running_loop())
        try:
            yield
        finally:
            await asyncio.to_thread(self._desks.close)

    def add_routes(self, app: FastAPI) -> None:
        """Say which path leads where, and what may come back."""
        for path, method, handler, described in (
            ("/surveys/{name}/answers", "POST", self.add_answers, openapi.ANSWERS),
            ("/surveys", "GET", self.list_surveys, openapi.LIST),
            ("/surveys/{name}", "GET", self.describe, openapi.DESCRIBE),
            ("/surveys/{name}/status", "GET", self.status, openapi.STATUS),
            ("/surveys/{name}/close", "POST", self.close, openapi.CLOSE),
            ("/surveys/{name}/set-aside", "POST", self.set_aside, openapi.SET_ASIDE),
            ("/surveys/{name}/release", "GET", self.release, openapi.RELEASE),
            ("/surveys/{name}/report", "GET", self.report, openapi.REPORT),
            ("/health", "GET", self.health, openapi.HEALTH),
            ("/", "GET", self.page, openapi.PAGE),
            ("/docs", "GET", self.interface, openapi.DOCS),
        ):
            app.add_api_route(path, handler, methods=[method], response_class=Response, **described)

    async def add_answers(self, name: Name, request: Request) -> Response:
        """Take one answer, or a batch of them: all of it or nothing."""
        client = self._admit(request, operators_only=False)
        desk = self._desks.known(name)
        if desk is None:
            desk = await asyncio.to_thread(self._desks.open, name)
        large, key = check_head(request, self._limits), request.headers.get("idempotency-key")
        with Hold(self.held, client) as hold:
            # Whole before it takes a place among the large ones: who sends slowly keeps nobody waiting.
            body = await read_body(request, self._limits, hold)
            if large:
                async with self._share(client), self._large:
                    rows, keys = await asyncio.to_thread(self._read, desk, body, key, client)
                    receipt = await desk.intake.submit(rows, keys)
            else:
                rows, keys = self._read(desk, body, key, client)
                receipt = await desk.intake.submit(rows, keys)
        return Response(
            b'{"accepted":%d,"repeated":%d}' % (receipt.accepted, receipt.repeated), 201, media_type="application/json"
        )

    def _share(self, client: str) -> asyncio.Semaphore:
        """What keeps one client from taking all places for large bodies; forgotten when nobody waits for it."""
        return self._shares.setdefault(client, asyncio.Semaphore(MOST_LARGE_OF_ONE))

    def _read(self, desk: Desk, body: bytes, key: str | None, client: str) -> tuple[Sequence[Row], Sequence[str]]:
        answers, keys = parse_answers(body, key, self._limits)
        # The request itself was counted as one answer when it came.
        if len(answers) > 1:
            self._take(client, len(answers) - 1)
        checked = new_keys(len(answers)) if keys is None else check_keys(keys, len(answers))
        return desk.survey.definition.check(answers), checked

    async def list_surveys(self, request: Request) -> Response:
        """Give the names of the surveys in the store."""
        self._admit(request)
        return _json({"surveys": [{"name": name} for name in await asyncio.to_thread(self._desks.names)]})

    async def describe(self, name: Name, request: Request) -> Response:
        """Give the definition: fields with their types and rules, k, closing time, methods."""
        self._admit(request)
        desk = await asyncio.to_thread(self._desks.open, name)
        return _json({"definition": desk.survey.definition.to_dict()})

    async def status(self, name: Name, request: Request) -> Response:
        """Give the state, the arrivals, the forecast of the planner and the stages."""
        self._admit(request)
        desk = await asyncio.to_thread(self._desks.open, name)
        return _json((await asyncio.to_thread(desk.survey.status)).to_dict())

    async def close(self, name: Name, request: Request) -> Response:
        """Take no more answers; the second stage starts, and the release follows."""
        self._admit(request)
        desk = await asyncio.to_thread(self._desks.open, name)
        await asyncio.to_thread(desk.survey.close)
        return _json((await asyncio.to_thread(desk.survey.status)).to_dict())

    async def set_aside(self, name: Name, request: Request) -> Response:
        """Leave an answer out of the release, for good; it is kept, with when and why."""
        client = self._admit(request)
        desk = await asyncio.to_thread(self._desks.open, name)
        check_head(request, self._limits)
        with Hold(self.held, client) as hold:
            key, reason = parse_set_aside(await read_body(request, self._limits, hold))
        await asyncio.to_thread(desk.survey.set_aside, key, reason)
        return _json((await asyncio.to_thread(desk.survey.status)).to_dict())

    async def release(self, name: Name, request: Request) -> Response:
        """Publish the release if that has not happened, and give the published file; it never changes again."""
        self._admit(request)
        publication = await self._publication(name)
        return _file(publication.content, f"{name}.{publication.format}", MEDIA_TYPES[publication.format])

    async def report(self, name: Name, request: Request) -> Response:
        """Give the report that was written with the release."""
        self._admit(request)
        publication = await self._publication(name)
        return _file(publication.report, f"{name}.html", "text/html; charset=utf-8")

    async def health(self, request: Request) -> Response:
        """Ask the store for its surveys; no token is needed."""
        self._take(_client(request), 1)
        await asyncio.to_thread(self._desks.names)
        return _json({"status": "ok", "version": __version__})

    async def page(self) -> Response:
        """Give the page; it asks for the token, or takes it from the fragment of its address: /#token=..."""
        return _page(survey_page())

    async def interface(self, request: Request) -> Response:
        """Explain the interface without a foreign host."""
        return _page(interface_page(request.app.openapi()))

    def _admit(self, request: Request, *, operators_only: bool = True) -> str:
        """Hold a request to its rate and its token; gives the client's name."""
        client = _client(request)
        self._take(client, 1)
        given = _token_in(request.headers.get("authorization", "").encode("latin-1"))
        if hmac.compare_digest(given, self._token):
            return client
        if not self.is_token(given):
            raise NoToken("the request has no token." if not given else "the token is not one of this service.")
        if operators_only:
            raise NotAllowed("this token may send answers and nothing else.")
        return client

    def is_token(self, given: bytes) -> bool:
        """Say whether this is a token of this service, the operator's or the one for those who send answers."""
        is_operator = hmac.compare_digest(given, self._token)
        return is_operator or (self._intake_token is not None and hmac.compare_digest(given, self._intake_token))

    def shows_token(self, headers: Iterable[tuple[bytes, bytes]]) -> bool:
        """Say whether the head of a request has a token of this service."""
        return any(self.is_token(_token_in(value)) for name, value in headers if name == b"authorization")

    def _take(self, client: str, n_answers: int) -> None:
        seconds = self._rate.take(client, n_answers)
        if seconds > 0:
            raise TooFast(seconds)

    async def _publication(self, name: str) -> Publication:
        desk = await asyncio.to_thread(self._desks.open, name)
        return await asyncio.to_thread(desk.survey.publication)


class Guard:
    """Around everything: headers that keep browsers careful, and an answer even where the service itself fails."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        careful = CarefulSend(send, SAFE)
        try:
            await self._app(scope, receive, careful)
        except ClientDisconnect:
            # The sender left before its answers were complete: there is nobody to tell.
            return
        except Exception as problem:  # noqa: BLE001 - the words of an unforeseen error may hold answers: they stay here
            log_fault(LOG, problem, f"{scope['method']} request")
            if not careful.begun:
                await JSONResponse(FAULT, 500)(scope, receive, careful)


async def _refused(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, MicroaggError)  # noqa: S101 - it is registered for these
    if isinstance(problem, UnknownSurvey) and "name" in request.path_params:
        request.app.state.desks.forget(request.path_params["name"])
    status, body, headers = refuse(problem)
    return JSONResponse(body, status, headers)


async def _not_found(_: Request, problem: Exception) -> Response:
    """Word what the framework itself refuses: another path, another method."""
    assert isinstance(problem, HTTPException)  # noqa: S101 - it is registered for these
    body = {
        "error": "no_such_call",
        "wrong": f"there is no such call here ({problem.detail}).",
        "allowed": "GET /openapi.json lists the calls there are, and GET /docs explains them.",
        "do": "Check path and method.",
    }
    return JSONResponse(body, problem.status_code, problem.headers)


def _client(request: Request) -> str:
    return client_of(request.client.host) if request.client else ""


def _token_in(authorization: bytes) -> bytes:
    scheme, _, token = authorization.partition(b" ")
    return token if scheme.lower() == b"bearer" else b""


def _json(content: dict[str, Any]) -> Response:
    return Response(json.dumps(content, ensure_ascii=False, allow_nan=False), media_type="application/json")


def _file(content: bytes, filename: str, media_type: str) -> Response:
    headers = {"content-disposition": f'attachment; filename="{filename}"'}
    return Response(content, headers=headers, media_type=media_type)


def _page(page: Page) -> Response:
    return HTMLResponse(page.text, headers={"content-security-policy": page.policy})
