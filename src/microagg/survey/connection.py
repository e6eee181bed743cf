"""A connection of the service: uvicorn's protocol, which also reports its state to the door (door.py)."""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from microagg.survey.door import Door, RequestPhase

LATER = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 2\r\nConnection: close\r\n\r\n"
    b'{"error":"crowded","wrong":"there are too many connections.","allowed":"A limited number of connections at a '
    b'time, of one client and of all.","do":"Send it again, with the same keys, after the seconds in Retry-After."}'
)
"""What a connection is told for which there is no room."""


class Connection(H11Protocol):
    """A connection that `Door` looks after.

    Parameters
    ----------
    door : Door
        Lets it in, and closes it when it is stuck.
    **given
        What uvicorn gives to its protocols.
    """

    def __init__(self, *, door: Door, **given: Any) -> None:
        super().__init__(**given)
        self._door = door
        self._request: object = None

    @property
    def host(self) -> str:
        """The address of the client."""
        return self.client[0] if self.client else ""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin, if there is room."""
        super().connection_made(transport)
        if not self._door.enter(self, self.loop):
            transport.write(LATER)
            transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        self._door.leave(self)
        super().connection_lost(exc)

    def handle_events(self) -> None:
        """Go on with what has arrived; the door hears of every request whose head is complete."""
        super().handle_events()
        if self.cycle is not None and self.cycle is not self._request:
            self._request = self.cycle
            self._door.head(self, self.headers)

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP; where not even that can be said (a HEAD request has no body), end."""
        try:
            super().send_400_response(msg)
        except h11.LocalProtocolError:
            self.transport.close()

    def phase(self) -> tuple[RequestPhase, object]:
        """Say what it is at, and with which request."""
        if self.transport.is_closing():
            return RequestPhase.CLOSING, None
        if self.cycle is not None and not self.cycle.response_complete:
            return RequestPhase.WORK, self.cycle
        if self.conn.their_state is h11.SEND_BODY:
            return RequestPhase.REST, self.cycle
        return RequestPhase.HEAD, self.cycle

    def unsent(self) -> int:
        """Give how many bytes wait for the client to take them."""
        return self.transport.get_write_buffer_size()

    def drop(self) -> None:
        """Close it at once."""
        self.transport.abort()
