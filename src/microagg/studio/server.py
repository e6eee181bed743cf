"""Running the studio: where it listens, the address with its token, and how it ends."""

from __future__ import annotations

import re
import socket
import threading
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from microagg.errors import FileProblem, InvalidOption, MissingExtra
from microagg.survey.limits import Limits
from microagg.survey.server import listen, make_server, new_token

if TYPE_CHECKING:
    from microagg.studio.house import Settings

UNITS = {"": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
PORT = 8572
"""Where the studio listens unless told otherwise, or unless that is taken."""
LIMITS = Limits(connections=200, connections_per_client=150, kept_for_tokens=100)
"""Connections at a time: a browser has six."""


def read_size(text: str) -> int:
    """Read a number of bytes.

    >>> read_size("2GB"), read_size("500 mb")
    (2000000000, 500000000)
    """
    parts = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*", text)
    if parts is None or parts[2].upper() not in UNITS or float(parts[1]) <= 0:
        raise InvalidOption(f"a size must be written as 500MB or 2GB; got {text!r}.")
    return round(float(parts[1]) * UNITS[parts[2].upper()])


def settings_of(**asked: Any) -> Settings:
    """Give settings, or say which extra is missing."""
    try:
        from microagg.studio.house import Settings
    except ImportError as error:
        raise MissingExtra("the studio needs FastAPI and uvicorn: pip install 'microagg[studio]'.") from error
    return Settings(**asked)


def take_port(port: int | None) -> socket.socket:
    """Listen on loopback: on the port that is asked for, else on the usual one, or any other if that is taken."""
    if port is not None:
        return listen("127.0.0.1", port)
    try:
        return listen("127.0.0.1", PORT)
    except FileProblem:
        return listen("127.0.0.1", 0)


def run_studio(
    settings: Settings,
    *,
    file: Path | None = None,
    port: int | None = None,
    token: str | None = None,
    browse: bool = True,
    tell: Callable[[str], None],
) -> None:
    """Run a studio on loopback until it is interrupted.

    Parameters
    ----------
    settings : Settings
        What it may do.
    file : Path, optional
        Data or a project to open at once.
    port : int, optional
        Where to listen; 0 for any free one.
    token : str, optional
        What the address holds; a new one by default.
    browse : bool
        Whether to open the browser.
    tell : callable
        Told the address.
    """
    try:
        from microagg.studio.app import create_app
        from microagg.studio.guard import Keys, rules_of
        from microagg.studio.house import Studio
    except ImportError as error:
        raise MissingExtra("the studio needs FastAPI and uvicorn: pip install 'microagg[studio]'.") from error
    from microagg.survey.door import Door

    listener = take_port(port)
    bound = int(listener.getsockname()[1])
    keys = Keys(token or new_token(), f"studio-{bound}")
    studio = Studio(settings)
    try:
        path = "/" if file is None else studio.address_of(file)
        app = create_app(studio, keys, rules_of(bound))
        app.state.door = Door(LIMITS, keys.shows_key)
        address = f"http://127.0.0.1:{bound}{path}#token={keys.token}"
        tell(address)
        if browse:
            threading.Timer(0.2, webbrowser.open, [address]).start()
        with suppress(KeyboardInterrupt):  # Ctrl-C is how a studio ends
            make_server(app).run(sockets=[listener])
    finally:
        studio.close()
        listener.close()
