"""Who may be connected: how many, of whom, for how long without a word, and who gives way when it is full.

    a new connection has shown no token yet: it must send the head of a request in time
    if its client has too many connections, the oldest of that client without a token gives way
    if too many connections have no token, the oldest of the client with most of these gives way
    if nobody without a token is left to give way, the new one is told to come back later

So who floods the service without a token pushes out its own connections first, and whoever shows a token keeps its
place. A connection that is silent or stuck is closed, in whatever state it is.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable
from enum import Enum, auto
from typing import Protocol

from microagg.survey.limits import Limits, client_of

LOOKS = 4
"""How many times in the shortest time-out the connections are looked at."""
LONGEST_PAUSE = 1.0
"""Seconds between two looks, at most."""

Headers = Iterable[tuple[bytes, bytes]]


class RequestPhase(Enum):
    """What a connection is at."""

    HEAD = auto()
    """The head of its next request is not complete, or has not begun."""
    WORK = auto()
    """A request is being answered; its body has a time-out of its own."""
    REST = auto()
    """The answer is out, and the rest of the body is read and thrown away."""
    CLOSING = auto()
    """It is being closed, and what was written is on its way."""


class Guest(Protocol):
    """A connection, as the door sees it."""

    @property
    def host(self) -> str:
        """The address of the client."""

    def phase(self) -> tuple[RequestPhase, object]:
        """What it is at, and something that is another thing for every request."""

    def unsent(self) -> int:
        """Bytes that wait for the client to take them."""

    def drop(self) -> None:
        """Close it at once, without a word."""


class _Seen:
    """What is known of a connection: when its present phase began, and when it last took a byte."""

    def __init__(self, client: str, now: float) -> None:
        self.client = client
        self.phase: tuple[RequestPhase, object] | None = None
        self.since = now
        self.unsent = 0
        self.moved = now


class Door:
    """Lets connections in, and looks after those that are.

    Parameters
    ----------
    limits : Limits
        How many, and for how long.
    shows_token : callable
        Says of the headers of a request whether they have a token.
    """

    def __init__(self, limits: Limits, shows_token: Callable[[Headers], bool]) -> None:
        self._limits = limits
        self._shows_token = shows_token
        self._seen: dict[Guest, _Seen] = {}
        # Those without a token, the oldest first.
        self._strangers: dict[Guest, None] = {}
        self._timer: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        return len(self._seen)

    @property
    def n_strangers(self) -> int:
        """Connections that have shown no token."""
        return len(self._strangers)

    def enter(self, guest: Guest, loop: asyncio.AbstractEventLoop) -> bool:
        """Let a connection in, or say that it must come back later; others may have to give way."""
        limits, client = self._limits, client_of(guest.host)
        of_client = sum(seen.client == client for seen in self._seen.values())
        if of_client >= limits.connections_per_client and not self._make_way(client):
            return False
        if len(self._strangers) >= limits.connections - limits.kept_for_tokens:
            self._make_way(self._largest())
        elif len(self._seen) >= limits.connections and not (self._strangers and self._make_way(self._largest())):
            return False
        self._seen[guest] = _Seen(client, loop.time())
        self._strangers[guest] = None
        if self._timer is None:
            self._look_later(loop)
        return True

    def head(self, guest: Guest, headers: Headers) -> None:
        """Hear of the head of a request: who shows a token is no stranger any more."""
        if guest in self._strangers and self._shows_token(headers):
            del self._strangers[guest]

    def leave(self, guest: Guest) -> None:
        """Forget a connection that is closed."""
        self._seen.pop(guest, None)
        self._strangers.pop(guest, None)

    def _largest(self) -> str:
        """The client with most connections without a token."""
        return Counter(self._seen[guest].client for guest in self._strangers).most_common(1)[0][0]

    def _make_way(self, client: str) -> bool:
        """Close the oldest connection of a client that has no token; False where there is none."""
        oldest = next((guest for guest in self._strangers if self._seen[guest].client == client), None)
        if oldest is None:
            return False
        self.leave(oldest)
        oldest.drop()
        return True

    def _look_later(self, loop: asyncio.AbstractEventLoop) -> None:
        pause = min(self._limits.head_seconds / LOOKS, self._limits.body_seconds / LOOKS, LONGEST_PAUSE)
        self._timer = loop.call_later(pause, self._look, loop)

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        """Close what has been silent or stuck for too long."""
        now = loop.time()
        for guest, seen in list(self._seen.items()):
            if self._is_stuck(guest, seen, now):
                self.leave(guest)
                guest.drop()
        self._timer = None
        if self._seen:
            self._look_later(loop)

    def _is_stuck(self, guest: Guest, seen: _Seen, now: float) -> bool:
        limits, phase, unsent = self._limits, guest.phase(), guest.unsent()
        if phase != seen.phase:
            seen.phase, seen.since = phase, now if seen.phase is not None else seen.since
        if not unsent or unsent < seen.unsent:
            seen.moved = now
        seen.unsent = unsent
        if unsent and now - seen.moved > limits.body_seconds:
            return True
        allowed = {
            RequestPhase.HEAD: limits.head_seconds,
            RequestPhase.REST: limits.body_seconds,
            RequestPhase.CLOSING: limits.body_seconds,
        }
        return phase[0] in allowed and now - seen.since > allowed[phase[0]] and not unsent
