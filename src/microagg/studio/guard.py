"""Who may ask the studio for anything: the right host, the right origin, a key, and bodies of a reasonable size.

A page of a stranger in the same browser can send requests to loopback. These guards stand in its way, each by itself:

    Host            a name that a stranger's server gave to 127.0.0.1 (DNS rebinding) is not ours
    Sec-Fetch-Site  browsers say whether a request comes from our own pages
    Origin          whatever changes something must come from our own pages, and say so
    key             a cookie that scripts cannot read and that is sent from our own pages only (SameSite=Strict)
    X-Studio        a header that no form can send, and no script of a stranger may

The token is in the fragment of the address, which no server and no log ever sees; the page at the door exchanges it
for the cookie.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from microagg.base.faults import log_fault
from microagg.errors import InvalidOption
from microagg.studio.render import door_page
from microagg.survey.careful import CarefulSend

LOG = logging.getLogger("microagg.studio")

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Style and scripts are our own files; nothing stands in a page, nothing comes from elsewhere."""

SAFE = {
    b"content-security-policy": POLICY.encode(),
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
    b"cache-control": b"no-store",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
}
"""Headers of every response that does not set its own."""

READING = ("GET", "HEAD")
MARK = "x-studio"
"""The header that every request of our own scripts carries, and that no form can send."""
MOST_KEYS = 1000
OPEN_PATHS = ("/door", "/static/")
"""What is answered without a key: the door, and the style and scripts of the pages, which hold no data."""
UPLOAD = "/upload"
"""The one path whose bodies may be large; it counts them itself."""


class TooLarge(HTTPException):
    """A body has more bytes than it may."""

    def __init__(self) -> None:
        super().__init__(413, "This is more than a request may hold.")


class TooSlow(HTTPException):
    """A body did not arrive in time."""

    def __init__(self) -> None:
        super().__init__(408, "The request did not arrive in time. Send it again.")


@dataclass
class Keys:
    """The token of the studio, and the keys that were given for it; a key belongs to a user.

    Attributes
    ----------
    token : str
        What the address holds behind its #; "" where a proxy says who somebody is.
    cookie : str
        The name of the cookie: ports share cookies, so that it must tell this studio from others.
    secure : bool
        Whether browsers send the cookie by https alone.
    """

    token: str
    cookie: str = "studio"
    secure: bool = False
    _known: dict[str, str] = field(default_factory=dict)

    def exchange(self, token: str, user: str = "") -> str | None:
        """Give a new key for the token; None where it is another one."""
        if not self.token or not _same(token, self.token):
            return None
        key = secrets.token_urlsafe(32)
        self._known[key] = user
        if len(self._known) > MOST_KEYS:
            del self._known[next(iter(self._known))]
        return key

    def user_of(self, headers: Headers) -> str | None:
        """Say whose key a request shows; None where it shows none that is known."""
        try:
            cookies = SimpleCookie(headers.get("cookie", ""))
        except CookieError:
            return None
        shown = cookies[self.cookie].value if self.cookie in cookies else ""
        return next((user for key, user in self._known.items() if _same(key, shown)), None)

    def shows_key(self, headers: Iterable[tuple[bytes, bytes]]) -> bool:
        """Say whether the head of a request has a key of this studio."""
        return self.user_of(Headers(raw=[(name.lower(), value) for name, value in headers])) is not None


def _same(one: str, other: str) -> bool:
    """Compare in a time that does not tell where two texts differ; whatever a stranger may send."""
    return hmac.compare_digest(one.encode("utf-8", "surrogatepass"), other.encode("utf-8", "surrogatepass"))


@dataclass(frozen=True)
class Rules:
    """What the guard holds requests to.

    Attributes
    ----------
    hosts : frozenset of str
        What the header Host may say: our names with our port.
    origins : frozenset of str
        What the header Origin may say.
    body : int
        Bytes of a request, uploads apart.
    seconds : float
        In which a body must have arrived, uploads apart.
    user_header : str, optional
        The header in which a proxy says who somebody is.
    proxies : frozenset of str
        The addresses of those who may say so: anybody can send a header.
    """

    hosts: frozenset[str]
    origins: frozenset[str]
    body: int = 4 << 20
    seconds: float = 30.0
    user_header: str | None = None
    proxies: frozenset[str] = frozenset({"127.0.0.1", "::1"})

    @property
    def is_secure(self) -> bool:
        """Whether browsers come by https alone."""
        return all(origin.startswith("https://") for origin in self.origins)


def rules_of(port: int, names: Iterable[str] = ("127.0.0.1", "localhost", "[::1]")) -> Rules:
    """Give the rules of a studio on loopback.

    >>> sorted(rules_of(8000, ["localhost"]).origins)
    ['http://localhost:8000']
    """
    hosts = frozenset(f"{name}:{port}" for name in names)
    return Rules(hosts, frozenset(f"http://{host}" for host in hosts))


def served_rules(origins: Iterable[str], user_header: str | None, proxies: Iterable[str]) -> Rules:
    """Give the rules of a studio behind a proxy, which browsers know by these origins.

    >>> sorted(served_rules(["https://studio.example.org"], None, ["127.0.0.1"]).hosts)
    ['studio.example.org']
    """
    known = [origin.rstrip("/") for origin in origins]
    for origin in known:
        if not re.fullmatch(r"https?://[^/@?#\s]+", origin):
            raise InvalidOption(f"an origin must be written as https://studio.example.org; got {origin!r}.")
    if user_header is not None and not re.fullmatch(r"[A-Za-z0-9-]+", user_header):
        raise InvalidOption(f"the name of a header has letters, digits and hyphens; got {user_header!r}.")
    hosts = frozenset(origin.partition("://")[2] for origin in known)
    header = None if user_header is None else user_header.lower()
    return Rules(hosts, frozenset(known), user_header=header, proxies=frozenset(proxies))


class PageGuard:
    """Around everything: refuses what does not come from our own pages, and adds headers that keep browsers careful."""

    def __init__(self, app: ASGIApp, *, keys: Keys, rules: Rules) -> None:
        self._app, self._keys, self._rules = app, keys, rules

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        careful = CarefulSend(send, SAFE)
        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, careful)
            return
        limited = receive if scope["path"] == UPLOAD else self._limited(receive)
        try:
            await self._app(scope, limited, careful)
        except ClientDisconnect:
            return
        except Exception as problem:  # noqa: BLE001 - the words of an unforeseen error may hold data: they stay here
            log_fault(LOG, problem, f"{scope['method']} request")
            if not careful.begun:
                await say(FAULT, 500)(scope, receive, careful)

    def _refusal(self, scope: Scope) -> Response | None:
        """Say why a request is refused; None where it is not."""
        headers, rules = Headers(scope=scope), self._rules
        if headers.get("host", "") not in rules.hosts:
            return say("This is not the address of the studio. Use the one that it printed when it started.", 421)
        reads = scope["method"] in READING
        if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            # Somebody may have followed a link to the studio; that shows the door, and nothing else.
            if reads and headers.get("sec-fetch-mode") == "navigate":
                return door_page("")
            return say("Requests must come from the pages of the studio itself.", 403)
        if not reads and (headers.get("origin") not in rules.origins or MARK not in headers):
            return say("Requests must come from the pages of the studio itself.", 403)
        if scope["path"].startswith(OPEN_PATHS):
            return None
        if rules.user_header is not None and (scope.get("client") or ("",))[0] not in rules.proxies:
            return say("The studio is reached through its proxy alone.", 403)
        user = self._user(headers)
        if user is None:
            if reads and "text/html" in headers.get("accept", ""):
                return door_page("")
            return say("The studio was started anew, or this is another one. Open the address that it printed.", 401)
        scope.setdefault("state", {})["user"] = user
        return None

    def _user(self, headers: Headers) -> str | None:
        if self._rules.user_header is None:
            return self._keys.user_of(headers)
        said = headers.getlist(self._rules.user_header)
        known = said[0].strip() if len(said) == 1 else ""
        if not known:
            return None
        return known if not self._keys.token or self._keys.user_of(headers) is not None else None

    def _limited(self, receive: Receive) -> Receive:
        """Count the bytes of a body, and the seconds that it takes."""
        size, end = 0, asyncio.get_running_loop().time() + self._rules.seconds
        complete = False

        async def counted() -> Message:
            nonlocal size, complete
            if complete:
                return await receive()
            try:
                async with asyncio.timeout_at(end):
                    message = await receive()
            except TimeoutError:
                raise TooSlow from None
            if message["type"] == "http.request":
                size += len(message.get("body", b""))
                complete = not message.get("more_body", False)
                if size > self._rules.body:
                    raise TooLarge
            return message

        return counted


FAULT = "Something went wrong in the studio itself. Nothing was changed; the log of the studio says where."


def say(message: str, status: int) -> Response:
    """Answer with a sentence for people."""
    return JSONResponse({"message": message}, status)
