"""What one sender may ask of the service: how large, how many, how fast."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

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

    def __post_init__(self) -> None:
        for name in ("body", "answers", "rate", "burst", "waiting", "patience", "body_seconds"):
            value = getattr(self, name)
            if not value > 0:
                raise InvalidOption(f"{name} must be more than 0; got {value}.")
        if self.burst < self.answers:
            raise InvalidOption(
                f"burst must be at least as large as answers ({self.answers:,}), or no client could send so many at "
                f"once; got {self.burst:,g}."
            )


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
