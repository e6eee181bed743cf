"""The door: exchanges the token for a key, and serves style and scripts, which hold no data."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from importlib import resources

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from microagg.studio.guard import Keys, say
from microagg.studio.render import read_static, style

router = APIRouter()


@dataclass
class Shown:
    """What somebody at the door shows."""

    token: str


@router.post("/door")
def enter(shown: Shown, request: Request) -> Response:
    """Give a key for the token: a cookie that scripts cannot read and that no other site can send."""
    keys: Keys = request.app.state.keys
    key = keys.exchange(shown.token)
    if key is None:
        return say("This is not the token of this studio. Use the address that it printed when it started.", 401)
    response = JSONResponse({"message": "Come in."})
    response.set_cookie(keys.cookie, key, httponly=True, samesite="strict", path="/", secure=keys.secure)
    return response


@functools.cache
def _files() -> frozenset[str]:
    return frozenset(file.name for file in resources.files("microagg.studio").joinpath("static").iterdir())


@router.get("/static/{name}")
def static(name: str) -> Response:
    """Give a file of style or script."""
    if name == "style.css":
        return Response(style(), media_type="text/css")
    if name not in _files() or not name.endswith(".js"):
        return say("There is no such file.", 404)
    return Response(read_static(name), media_type="text/javascript")
