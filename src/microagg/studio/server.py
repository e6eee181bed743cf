"""Running the studio: where it listens, the address with its token, and how it ends."""

from __future__ import annotations

import re
import socket
import threading
import webbrowser
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from microagg.errors import FileProblem, InvalidOption, MissingExtra
from microagg.survey.limits import Limits
from microagg.survey.server import listen, make_server, new_token, token_from

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


@dataclass(frozen=True)
class Served:
    """How a studio is reached by several users, through a proxy.

    Attributes
    ----------
    host : str
        Where it listens.
    origins : sequence of str
        What browsers call it, such as https://studio.example.org.
    token_file : Path, optional
        The token that everybody must bring.
    user_header : str, optional
        The header in which the proxy says who somebody is; each has projects of their own.
    proxies : sequence of str
        The addresses of the proxy.
    """

    host: str
    origins: Sequence[str]
    token_file: Path | None
    user_header: str | None
    proxies: Sequence[str]

    def check(self) -> None:
        """Refuse a studio that strangers could enter."""
        if not self.origins:
            raise InvalidOption("a studio that is served needs the address that browsers use: --origin https://...")
        if self.token_file is None and self.user_header is None:
            raise InvalidOption(
                "a studio that is served needs to know who comes: a token for all (--token-file), or a header in which "
                "the proxy says who somebody is (--user-header)."
            )


def run_studio(
    settings: Settings,
    *,
    file: Path | None = None,
    port: int | None = None,
    browse: bool = True,
    served: Served | None = None,
    tell: Callable[[str], None],
) -> None:
    """Run a studio until it is interrupted: on loopback for whoever starts it, unless it is served.

    Parameters
    ----------
    settings : Settings
        What it may do.
    file : Path, optional
        Data or a project to open at once.
    port : int, optional
        Where to listen; 0 for any free one.
    browse : bool
        Whether to open the browser.
    served : Served, optional
        How several users reach it.
    tell : callable
        Told the address.
    """
    try:
        from microagg.studio.app import create_app
        from microagg.studio.guard import Keys, rules_of, served_rules
        from microagg.studio.house import Studio
    except ImportError as error:
        raise MissingExtra("the studio needs FastAPI and uvicorn: pip install 'microagg[studio]'.") from error
    from microagg.survey.door import Door

    if served is None:
        listener = take_port(port)
        bound = int(listener.getsockname()[1])
        keys, rules, origin = Keys(new_token(), f"studio-{bound}"), rules_of(bound), f"http://127.0.0.1:{bound}"
    else:
        served.check()
        rules = served_rules(served.origins, served.user_header, served.proxies)
        token = "" if served.token_file is None else token_from(served.token_file)
        keys, origin = Keys(token, "studio", rules.is_secure), served.origins[0].rstrip("/")
        listener = listen(served.host, PORT if port is None else port)
    studio = Studio(settings)
    try:
        path = "/" if file is None else studio.address_of(file)
        app = create_app(studio, keys, rules)
        app.state.door = Door(LIMITS, keys.shows_key)
        address = f"{origin}{path}" + (f"#token={keys.token}" if served is None else "")
        tell(address)
        if browse and served is None:
            threading.Timer(0.2, webbrowser.open, [address]).start()
        with suppress(KeyboardInterrupt):  # Ctrl-C is how a studio ends
            make_server(app).run(sockets=[listener])
    finally:
        studio.close()
        listener.close()
