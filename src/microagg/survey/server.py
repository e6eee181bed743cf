"""Running the service: where it listens, who may enter, and how it stops."""

from __future__ import annotations

import functools
import ipaddress
import logging
import os
import secrets
import socket
from pathlib import Path
from typing import TYPE_CHECKING

from microagg.errors import FileProblem, InvalidOption, MissingExtra
from microagg.files.system import allow_files as allow_files
from microagg.files.system import is_closed_to_others

if TYPE_CHECKING:
    import uvicorn
    from fastapi import FastAPI

PORT = 8571
"""Where the service listens unless told otherwise."""

SHORTEST_TOKEN = 16
"""Characters of a token at least: what is shorter can be guessed."""

GRACE = 30
"""Seconds that requests under way are given when the service stops."""

BACKLOG = 2048
"""Connections that may wait to be taken."""

SPARE_FILES = BACKLOG + 1024
"""Files that a server may need beside its connections: those that wait to be let in or turned away, and the store's."""

PRIVATE = 0o600
"""A token file is for its owner alone."""


def is_loopback(host: str) -> bool:
    """Say whether an address is reachable from this machine alone.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("::1"), is_loopback("0.0.0.0")
    (True, True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def new_token() -> str:
    """Make a token that nobody can guess.

    >>> len(new_token())
    43
    """
    return secrets.token_urlsafe(32)


def check_token(token: str, what: str) -> str:
    """Refuse a token that is too short or cannot be sent in a header.

    >>> check_token("secret", "the token")
    Traceback (most recent call last):
    microagg.errors.InvalidOption: the token must have at least 16 characters, printable ASCII without spaces.
    """
    if len(token) < SHORTEST_TOKEN or not token.isascii() or not token.isprintable() or " " in token:
        raise InvalidOption(f"{what} must have at least {SHORTEST_TOKEN} characters, printable ASCII without spaces.")
    return token


def token_from(path: Path) -> str:
    """Read the token in a file that its owner alone may read; a file that does not exist is made, with a new token."""
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE), "w", encoding="ascii") as file:
            token = new_token()
            file.write(f"{token}\n")
            return token
    except FileExistsError:
        pass
    except OSError as problem:
        raise FileProblem(f"Cannot write {path}: {problem.strerror or problem}.") from problem
    try:
        if not is_closed_to_others(path.stat()):
            raise InvalidOption(f"{path} may be read by others than its owner. Make it private: chmod 600 {path}")
        token = path.read_text(encoding="utf-8").strip()
    except OSError as problem:
        raise FileProblem(f"Cannot read {path}: {problem.strerror or problem}.") from problem
    except UnicodeDecodeError:
        token = ""
    return check_token(token, f"the token in {path}")


def listen(host: str, port: int) -> socket.socket:
    """Take an address to listen on; port 0 for any free one.

    >>> with listen("127.0.0.1", 0) as listener:
    ...     listener.getsockname()[0]
    '127.0.0.1'
    """
    listener = None
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, proto=socket.IPPROTO_TCP)[0]
        # The protocol must be named: asyncio sends small packets at once only on sockets that say they are TCP, and
        # a response in two packets would wait 40 ms for the acknowledgement of the first.
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(BACKLOG)
        return listener
    except OSError as problem:
        if listener is not None:
            listener.close()
        raise FileProblem(f"Cannot listen on {host}, port {port}: {problem.strerror or problem}.") from problem


def without_words(record: logging.LogRecord) -> bool:
    """Let a record of the server into the log without what an error says: it may hold what a sender sent.

    >>> problem = ValueError("illegal chunk header: 'my secret'")
    >>> record = logging.LogRecord("uvicorn.error", 40, "", 0, "Exception in ASGI", (), (ValueError, problem, None))
    >>> without_words(record), record.getMessage(), record.exc_info
    (True, 'Exception in ASGI (ValueError)', None)
    """
    if record.exc_info:
        kind = record.exc_info[0]
        record.msg = f"{str(record.msg).strip()} ({kind.__name__ if kind is not None else 'no error'})"
        record.exc_info = record.exc_text = None
    return True


def make_server(app: FastAPI) -> uvicorn.Server:
    """Make the server of an app: one event loop, no log of requests, time for requests under way when it stops.

    The app's door (`app.state.door`) says who may be connected.
    """
    try:
        import uvicorn

        from microagg.survey.connection import Connection
    except ImportError as error:
        raise MissingExtra("the survey service needs FastAPI and uvicorn: pip install 'microagg[survey]'.") from error

    for name in ("uvicorn.error", "asyncio"):
        logging.getLogger(name).addFilter(without_words)
    return uvicorn.Server(
        uvicorn.Config(
            app,
            access_log=False,
            log_config=None,
            # Who a client is must not be what the client says it is: the rate is held by its address.
            proxy_headers=False,
            server_header=False,
            ws="none",
            http=functools.partial(Connection, door=app.state.door),  # type: ignore[arg-type]
            timeout_graceful_shutdown=GRACE,
        )
    )
