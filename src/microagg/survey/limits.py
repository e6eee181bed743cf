"""What one sender may ask of the service: how large, how many, how fast, and how much of it at a time."""

from __future__ import annotations

import ipaddress
import math
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, fields

from microagg.errors import InvalidOption

MEGABYTE = 1 << 20

MOST_CLIENTS = 10_000
"""Clients whose rate is remembered; those that were quiet longest are forgotten first."""


@dataclass(frozen=True)
class Limits:
    """Sizes and rates that the service accepts.

    Parameters
    ----------
    body : int
        Bytes of one request.
    answers : int
        Answers of one request.
    rate : float
        Answers a second that one client may send for long; a request that is refused counts as one answer.
    burst : float
        Answers that one client may send at once after a quiet time.
    waiting : int
        Answers that may wait for the store.
    patience : float
        Seconds for which a store that cannot be reached is tried again, before answers are refused.
    body_seconds : float
        Seconds in which the body of a request must have arrived.
    body_rate : float
        Bytes a second that a body must keep up on the whole, once its first seconds (`head_seconds`) are over.
    held : int
        Bytes of bodies that may be on their way or waiting at a time; those of one client may be half of them.
    head_seconds : float
        Seconds in which the head of a request must have arrived, from the moment of connecting on.
    connections : int
        Connections at a time.
    connections_per_client : int
        Connections of one client (address) at a time. A proxy is one client for all who come through it.
    kept_for_tokens : int
        How many of the connections are for those who have shown a token; the others share the rest, and who holds most
        of it without a token gives way first.

    Examples
    --------
    >>> Limits(body=1_000).body
    1000
    >>> Limits(rate=0)
    Traceback (most recent call last):
    microagg.errors.InvalidOption: rate must be more than 0; got 0.
    """

    body: int = 8 * MEGABYTE
    answers: int = 20_000
    rate: float = 50_000.0
    burst: float = 200_000.0
    waiting: int = 200_000
    patience: float = 5.0
    body_seconds: float = 30.0
    body_rate: float = 16_384.0
    held: int = 64 * MEGABYTE
    head_seconds: float = 10.0
    connections: int = 1000
    connections_per_client: int = 500
    kept_for_tokens: int = 250

    def __post_init__(self) -> None:
        for item in fields(self):
            value = getattr(self, item.name)
            if not value > 0:
                raise InvalidOption(f"{item.name} must be more than 0; got {value}.")
        if self.kept_for_tokens >= self.connections:
            raise InvalidOption(
                f"kept_for_tokens must be less than connections ({self.connections:,}), or nobody could come in to "
                f"show a token; got {self.kept_for_tokens:,}."
            )
        if self.held < 2 * self.body:
            raise InvalidOption(
                f"held must be at least twice as large as body ({self.body:,} bytes), or no client could send so much "
                f"at once; got {self.held:,}."
            )
        if self.burst < self.answers:
            raise InvalidOption(
                f"burst must be at least as large as answers ({self.answers:,}), or no client could send so many at "
                f"once; got {self.burst:,g}."
            )


def client_of(host: str) -> str:
    """Give the name under which a sender is known: its address, or its network where it has many addresses (IPv6).

    >>> client_of("192.0.2.7"), client_of("2001:db8::1:2:3:4"), client_of("::ffff:192.0.2.7")
    ('192.0.2.7', '2001:db8::/64', '192.0.2.7')
    """
    if ":" not in host:
        return host
    try:
        address = ipaddress.IPv6Address(host.partition("%")[0])
    except ValueError:
        return host
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.IPv6Network((address, 64), strict=False))


class Held:
    """Bytes of bodies that are on their way or waiting: of all clients together, and of each.

    Parameters
    ----------
    most : int
        Bytes of all; one client may hold half of them.

    Examples
    --------
    >>> held = Held(10)
    >>> held.take("a", 5), held.take("a", 1), held.take("b", 5), held.take("c", 1)
    (True, False, True, False)
    >>> held.give("a", 5)
    >>> held.take("c", 1)
    True
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._of: Counter[str] = Counter()

    @property
    def n_bytes(self) -> int:
        """Bytes that all clients hold."""
        return self._of.total()

    def take(self, client: str, n_bytes: int) -> bool:
        """Let a client hold so many bytes more, if there is room."""
        if self.n_bytes + n_bytes > self._most or self._of[client] + n_bytes > self._most // 2:
            return False
        self._of[client] += n_bytes
        return True

    def give(self, client: str, n_bytes: int) -> None:
        """Let go of bytes that a client held."""
        self._of[client] -= n_bytes
        if self._of[client] <= 0:
            del self._of[client]


class Rate:
    """A bucket of tokens for each client: filled at a steady rate up to a burst, emptied by what the client sends.

    Parameters
    ----------
    rate, burst : float
        Tokens a second; tokens in a full bucket.
    most_clients : int
        Buckets kept; a forgotten one counts as full.
    clock : callable
        Seconds that never go back.

    Examples
    --------
    >>> now = 0.0
    >>> rate = Rate(10.0, 20.0, clock=lambda: now)
    >>> rate.take("a", 20), rate.take("a", 5), rate.take("b", 5)
    (0.0, 0.5, 0.0)
    >>> now = 0.5
    >>> rate.take("a", 5)
    0.0
    """

    def __init__(
        self,
        rate: float,
        burst: float,
        *,
        most_clients: int = MOST_CLIENTS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._rate = rate
        self._burst = burst
        self._most_clients = most_clients
        self._clock = clock
        # Each client's tokens at a moment; the client seen last is the last.
        self._buckets: dict[str, tuple[float, float]] = {}

    def __len__(self) -> int:
        return len(self._buckets)

    def take(self, client: str, amount: float = 1.0) -> float:
        """Take tokens if there are enough; gives the seconds to wait until there would be, 0 when they were taken."""
        now = self._clock()
        tokens, seen = self._buckets.pop(client, (self._burst, now))
        tokens = min(self._burst, tokens + max(0.0, now - seen) * self._rate)
        missing = amount - tokens
        self._buckets[client] = (tokens if missing > 0 else tokens - amount, now)
        if len(self._buckets) > self._most_clients:
            del self._buckets[next(iter(self._buckets))]
        return missing / self._rate if missing > 0 else 0.0


def whole_seconds(seconds: float) -> str:
    """Write a time for the header Retry-After: whole seconds, at least one.

    >>> whole_seconds(0.2), whole_seconds(2.1)
    ('1', '3')
    """
    return str(max(1, math.ceil(seconds)))
