"""What stands in a store: surveys, their stages, what was set aside and what is published."""

from __future__ import annotations

import io
import os
import socket
from dataclasses import dataclass

import numpy as np

from microagg.base.types import IntArray
from microagg.files.system import is_running

BASE, REST = "base", "rest"
WAITING, RUNNING, DONE, FAILED, SKIPPED = "waiting", "running", "done", "failed", "skipped"

Answers = list[tuple[int, str]]
"""The number and the row (JSON) of some answers."""


@dataclass(frozen=True)
class StoredSurvey:
    """A survey as it stands in the store, as far as that never changes."""

    id: int
    definition: str
    opened_at: float
    bucket: float
    """Seconds over which arrivals are counted together."""
    secret: str
    """What the order of the released rows follows from."""


@dataclass(frozen=True)
class Stage:
    """How a stage stands."""

    name: str
    state: str
    owner: str | None
    beat: float | None
    progress: float | None
    started: float | None
    ended: float | None
    n_records: int | None
    loss: float | None
    message: str | None

    def is_alive(self, now: float, lease: float) -> bool:
        """Say whether a worker is at it: it gave a sign of life not long ago, and is not known to have ended.

        A clock that was put back makes signs of life look as if they came from the future: those are no better.
        """
        if self.state != RUNNING or self.owner is None or self.beat is None or abs(now - self.beat) > lease:
            return False
        host, pid, *_ = self.owner.split(":")
        return host != socket.gethostname() or is_running(int(pid))


@dataclass(frozen=True)
class Aside:
    """An answer that the operator set aside: which one, when, and why."""

    key: str
    set_at: float
    reason: str


@dataclass(frozen=True)
class SurveyState:
    """A survey as it stands in the store, as far as that changes."""

    closed_at: float | None
    plan: str | None
    stages: dict[str, Stage]
    arrivals: list[tuple[float, int]]
    """When each bucket of arrivals began, and how many answers came in it; in the order of time."""
    moves: list[tuple[float, float]]
    """When the closing was moved, and to when; the last one counts."""
    aside: list[Aside]
    """The answers that were set aside, in the order in which that was done."""
    made_at: float | None
    published_at: float | None
    sha256: str | None
    summary: str | None
    """What is said of the release, as JSON."""

    @property
    def received(self) -> int:
        """How many answers there are."""
        return sum(count for _, count in self.arrivals)


@dataclass(frozen=True)
class Removed:
    """What was removed with a survey.

    Attributes
    ----------
    answers, identifiers, set_aside : int
        How many answers, identifiers of answers, and notes on answers that were set aside.
    released : bool
        Whether its release was there.
    """

    answers: int
    identifiers: int
    set_aside: int
    released: bool


@dataclass(frozen=True)
class Made:
    """What is published of a survey."""

    content: bytes
    report: bytes
    sha256: str
    facts: str
    made_at: float
    published_at: float | None


def owner_name() -> str:
    """Give a name for this process as one who takes a stage on: where it runs, and something that nobody else has."""
    return f"{socket.gethostname()}:{os.getpid()}:{os.urandom(8).hex()}"


def pack(seqs: IntArray, labels: IntArray) -> bytes:
    """Write the labels of numbered answers as bytes."""
    packed = io.BytesIO()
    np.savez_compressed(packed, seqs=seqs, labels=labels)
    return packed.getvalue()


def unpack(packed: bytes) -> tuple[IntArray, IntArray]:
    """Read what `pack` wrote."""
    with np.load(io.BytesIO(packed), allow_pickle=False) as arrays:
        return arrays["seqs"], arrays["labels"]
