"""Headers that keep browsers careful, on every response of a server."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.types import Message, Send


class CarefulSend:
    """Sends what it is given, with headers that a response does not set itself.

    Attributes
    ----------
    begun : bool
        Whether a response has begun: another one cannot be given any more.
    """

    def __init__(self, send: Send, headers: Mapping[bytes, bytes]) -> None:
        self._send, self._headers = send, headers
        self.begun = False

    async def __call__(self, message: Message) -> None:
        """Pass a message on."""
        if message["type"] == "http.response.start":
            self.begun = True
            present = {name for name, _ in message["headers"]}
            message["headers"].extend((name, value) for name, value in self._headers.items() if name not in present)
        await self._send(message)
