"""Where a survey is kept: what every database does alike. What differs stands in sqlite.py and postgres.py."""

# ruff: noqa: S608 - what is put into our SQL is our own; every value of others is a parameter.

from __future__ import annotations

import io
import os
import socket
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from microagg.arrays import IntArray
from microagg.errors import (
    InvalidOption,
    MicroaggError,
    NotReady,
    SecondRelease,
    StoreUnavailable,
    SurveyClosed,
    UnknownAnswer,
)
from microagg.survey.address import read_address

PATIENCE = 20.0
"""Seconds for which a store is tried again while it cannot be reached."""
LEASE = 10.0
"""Seconds after its last sign of life from which a worker is taken to be dead."""
FIRST_DELAY, LONGEST_DELAY = 0.05, 1.0
"""Seconds between two tries: they double."""
CHUNK = 20_000
"""How many answers are read at a time."""

BASE, REST = "base", "rest"
WAITING, RUNNING, DONE, FAILED, SKIPPED = "waiting", "running", "done", "failed", "skipped"

T = TypeVar("T")
Answers = list[tuple[int, str]]
"""The number and the row (JSON) of some answers."""


@dataclass(frozen=True)
class Kept:
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
        return host != socket.gethostname() or _exists(int(pid))


@dataclass(frozen=True)
class Aside:
    """An answer that the operator set aside: which one, when, and why."""

    key: str
    set_at: float
    reason: str


@dataclass(frozen=True)
class Facts:
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
class Made:
    """What is published of a survey."""

    content: bytes
    report: bytes
    sha256: str
    facts: str
    made_at: float
    published_at: float | None


class Store(ABC):
    """A database of surveys; it may be used from several threads and processes at once.

    Parameters
    ----------
    patience : float
        Seconds for which it is tried again while it cannot be reached.
    """

    placeholder: str
    lock_stages: str
    """How a statement that reads stages makes others who want to change them wait."""

    def __init__(self, patience: float) -> None:
        self.patience = patience
        self._idle: list[Any] = []
        self._pid = os.getpid()
        self.writer = f"{socket.gethostname()}:{os.getpid()}:{os.urandom(4).hex()}"

    @abstractmethod
    def connect(self) -> Any:
        """Open a connection."""

    @abstractmethod
    def begun(self, connection: Any, *, write: bool) -> AbstractContextManager[Any]:
        """Give a cursor; what it does is durable when the block ends, or undone when it raises."""

    @abstractmethod
    def migrate(self, cursor: Any) -> None:
        """Bring the tables up to date."""

    @abstractmethod
    def problem(self, error: Exception) -> MicroaggError | None:
        """Say what an error of the database means; None where it is worth another try."""

    @property
    @abstractmethod
    def failures(self) -> tuple[type[Exception], ...]:
        """The errors that the database raises."""

    @abstractmethod
    def insert(self, cursor: Any, survey: int, keys: Sequence[str], rows: Sequence[str], now: float) -> set[int]:
        """Insert answers whose keys are new; give the positions of those whose key was there before."""

    @abstractmethod
    def lock_open(self, cursor: Any, survey: int, *, shared: bool) -> None:
        """Keep others from closing a survey until the transaction ends, or (not shared) from adding to it too."""

    @abstractmethod
    def stream(self, cursor: Any, sql: str, values: Sequence[Any]) -> Iterator[Answers]:
        """Run a query and give its rows in chunks."""

    @abstractmethod
    def now(self) -> float:
        """Give the time that all who use this store agree on."""

    def close(self) -> None:
        """Close the connections that nobody uses."""
        while True:
            try:
                self._idle.pop().close()
            except IndexError:
                return

    @contextmanager
    def transaction(self, *, write: bool) -> Iterator[Any]:
        """Give a cursor on a connection that nobody else uses until the block ends."""
        if self._pid != os.getpid():
            # Connections do not survive a fork; the parent still uses them.
            self._idle, self._pid = [], os.getpid()
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = self.connect()
        try:
            with self.begun(connection, write=write) as cursor:
                yield cursor
        except self.failures:
            connection.close()
            self.close()
            raise
        except BaseException:
            self._idle.append(connection)
            raise
        self._idle.append(connection)

    def run(self, work: Callable[[Any], T], *, write: bool = True) -> T:
        """Do something in one transaction; try again for a while where the database cannot be reached."""
        limit = time.monotonic() + self.patience
        delay = FIRST_DELAY
        while True:
            try:
                with self.transaction(write=write) as cursor:
                    return work(cursor)
            except self.failures as error:
                problem = self.problem(error)
                if problem is not None:
                    raise problem from error
                if time.monotonic() + delay > limit:
                    raise StoreUnavailable(
                        f"the store could not be reached for {self.patience:g} seconds ({type(error).__name__}); "
                        "nothing was acknowledged. Try again: answers that have the same key count once."
                    ) from error
            time.sleep(delay)
            delay = min(2 * delay, LONGEST_DELAY)

    def execute(self, cursor: Any, sql: str, values: Sequence[Any] = ()) -> Any:
        """Run one statement, written with ? for each value."""
        return cursor.execute(sql.replace("?", self.placeholder), tuple(values))

    def create(self, name: str, definition: str, opened_at: float, bucket: float, secret: str) -> None:
        """Enter a survey; InvalidOption where there is one of this name."""

        def work(cursor: Any) -> None:
            new = self.execute(
                cursor,
                "INSERT INTO survey (name, definition, opened_at, bucket, secret) VALUES (?, ?, ?, ?, ?) "
                "ON CONFLICT DO NOTHING",
                (name, definition, opened_at, bucket, secret),
            ).rowcount
            if not new:
                raise InvalidOption(f"there is a survey {name!r} already; choose another name.")
            for stage in (BASE, REST):
                self.execute(
                    cursor,
                    "INSERT INTO stage (survey, name, state) SELECT id, ?, ? FROM survey WHERE name = ?",
                    (stage, WAITING, name),
                )

        self.run(work)

    def names(self) -> list[str]:
        """Give the names of all surveys."""
        return self.run(
            lambda cursor: [row[0] for row in self.execute(cursor, "SELECT name FROM survey ORDER BY name").fetchall()],
            write=False,
        )

    def find(self, name: str) -> Kept | None:
        """Give a survey by its name."""

        def work(cursor: Any) -> Kept | None:
            sql = "SELECT id, definition, opened_at, bucket, secret FROM survey WHERE name = ?"
            row = self.execute(cursor, sql, (name,)).fetchone()
            return None if row is None else Kept(*row)

        return self.run(work, write=False)

    def facts(self, survey: int) -> Facts:
        """Give how a survey stands, at one moment."""

        def work(cursor: Any) -> Facts:
            closed_at, plan = self.execute(
                cursor, "SELECT closed_at, plan FROM survey WHERE id = ?", (survey,)
            ).fetchone()
            arrivals = self.execute(
                cursor, "SELECT bucket, sum(n) FROM arrival WHERE survey = ? GROUP BY bucket ORDER BY bucket", (survey,)
            ).fetchall()
            made = self.execute(
                cursor, "SELECT made_at, published_at, sha256, facts FROM release WHERE survey = ?", (survey,)
            ).fetchone()
            moves = self.execute(
                cursor, "SELECT moved_at, closes FROM closing_move WHERE survey = ? ORDER BY seq", (survey,)
            ).fetchall()
            aside = self.execute(
                cursor, "SELECT key, set_at, reason FROM aside WHERE survey = ? ORDER BY set_at, seq", (survey,)
            ).fetchall()
            stages = self._stages(cursor, survey)
            counts = [(float(bucket), int(n)) for bucket, n in arrivals]
            moved = [(float(moved_at), float(closes)) for moved_at, closes in moves]
            left_out = [Aside(*row) for row in aside]
            return Facts(closed_at, plan, stages, counts, moved, left_out, *(made or (None,) * 4))

        return self.run(work, write=False)

    def add(
        self,
        survey: int,
        keys: Sequence[str],
        rows: Sequence[str],
        identifiers: Sequence[str] | None,
        now: float,
        bucket: float,
        closes: float | None = None,
    ) -> set[int] | None:
        """Take answers, each key once; give the positions of those that were there before.

        None where the survey is not closed yet, but its time is over: none of them was taken. `closes` is when that
        is, unless it was moved.
        """

        def work(cursor: Any) -> set[int] | None:
            self.lock_open(cursor, survey, shared=True)
            closed_at, ends = self._closing(cursor, survey, closes)
            if closed_at is not None:
                raise SurveyClosed("the survey is closed; no answer is taken any more.")
            if ends is not None and now >= ends:
                return None
            # When exactly an answer came is nobody's business: it is kept as coarsely as arrivals are counted.
            repeated = self.insert(cursor, survey, keys, rows, bucket)
            if identifiers is not None:
                new = [place for place in range(len(keys)) if place not in repeated]
                cursor.executemany(
                    "INSERT INTO identifier (survey, key, row) VALUES (?, ?, ?)".replace("?", self.placeholder),
                    [(survey, keys[place], identifiers[place]) for place in new],
                )
            if len(repeated) < len(keys):
                self.execute(
                    cursor,
                    "INSERT INTO arrival (survey, bucket, writer, n) VALUES (?, ?, ?, ?) "
                    "ON CONFLICT (survey, bucket, writer) DO UPDATE SET n = arrival.n + excluded.n",
                    (survey, bucket, self.writer, len(keys) - len(repeated)),
                )
            return repeated

        return self.run(work)

    def close_survey(self, survey: int, now: float) -> None:
        """Take no answer from now on; every answer that was acknowledged is there."""

        def work(cursor: Any) -> None:
            self.lock_open(cursor, survey, shared=False)
            self.execute(cursor, "UPDATE survey SET closed_at = ? WHERE id = ? AND closed_at IS NULL", (now, survey))

        self.run(work)

    def close_due(self, survey: int, closes: float | None, now: float) -> None:
        """Close a survey if its time is over: at `closes`, unless that was moved."""

        def work(cursor: Any) -> None:
            self.lock_open(cursor, survey, shared=False)
            closed_at, ends = self._closing(cursor, survey, closes)
            if closed_at is None and ends is not None and now >= ends:
                self.execute(cursor, "UPDATE survey SET closed_at = ? WHERE id = ?", (now, survey))

        self.run(work)

    def move_closing(self, survey: int, closes: float | None, moved_to: float, now: float) -> None:
        """Let a survey close at another time than `closes`; SurveyClosed where it is closed or its time is over."""

        def work(cursor: Any) -> None:
            self.lock_open(cursor, survey, shared=False)
            closed_at, ends = self._closing(cursor, survey, closes)
            if closed_at is not None or (ends is not None and now >= ends):
                raise SurveyClosed(
                    "the survey is closed, and its closing cannot be moved any more: a closed survey does not open "
                    "again. Create another one to collect more answers."
                )
            self.execute(cursor, "UPDATE survey SET moved_to = ? WHERE id = ?", (moved_to, survey))
            self.execute(
                cursor,
                "INSERT INTO closing_move (survey, moved_at, closes) VALUES (?, ?, ?)",
                (survey, now, moved_to),
            )

        self.run(work)

    def set_aside(self, survey: int, key: str, reason: str, now: float) -> bool:
        """Leave an answer out of the release, for good; it is kept, and so is when and why. False where it was already.

        Nothing that was made of it stays: a base stage that holds it, or may, is done anew while the survey is open and
        given up where it is closed; a release that nobody has seen is made anew.
        """

        def work(cursor: Any) -> bool:
            self.lock_open(cursor, survey, shared=False)
            row = self.execute(cursor, "SELECT seq FROM answer WHERE survey = ? AND key = ?", (survey, key)).fetchone()
            if row is None:
                raise UnknownAnswer("the survey has no answer of this key. Check the key; keys are told apart by case.")
            sql = "SELECT 1 FROM aside WHERE survey = ? AND seq = ?"
            if self.execute(cursor, sql, (survey, row[0])).fetchone() is not None:
                return False
            stages = self._stages(cursor, survey, self.lock_stages)
            self.execute(cursor, "DELETE FROM release WHERE survey = ? AND published_at IS NULL", (survey,))
            if self.execute(cursor, "SELECT 1 FROM release WHERE survey = ?", (survey,)).fetchone() is not None:
                raise SecondRelease(
                    "the survey is released: no answer can be set aside any more. A second release, compared with the "
                    "first, could give people away."
                )
            sql = "INSERT INTO aside (survey, seq, key, set_at, reason) VALUES (?, ?, ?, ?, ?)"
            self.execute(cursor, sql, (survey, row[0], key, now, reason))
            sql = "SELECT closed_at FROM survey WHERE id = ?"
            is_closed = self.execute(cursor, sql, (survey,)).fetchone()[0] is not None
            base = stages[BASE].state
            if base in {RUNNING, FAILED} or (base == DONE and row[0] in self._labelled(cursor, survey, BASE)):
                self._forget(cursor, survey, BASE, SKIPPED if is_closed else WAITING)
            if stages[REST].state != WAITING:
                self._forget(cursor, survey, REST, WAITING)
            return True

        return self.run(work)

    def _labelled(self, cursor: Any, survey: int, stage: str) -> set[int]:
        """The numbers of the answers that a finished stage has grouped."""
        sql = "SELECT labels FROM stage WHERE survey = ? AND name = ?"
        packed = self.execute(cursor, sql, (survey, stage)).fetchone()[0]
        return set() if packed is None else set(_unpack(packed)[0].tolist())

    def _forget(self, cursor: Any, survey: int, stage: str, state: str) -> None:
        """Let go of what a stage has made, and of whoever is at it."""
        message = "an answer was set aside" if state == SKIPPED else None
        self.execute(
            cursor,
            "UPDATE stage SET state = ?, owner = NULL, beat = NULL, progress = NULL, started = NULL, ended = NULL, "
            "n_records = NULL, labels = NULL, loss = NULL, message = ? WHERE survey = ? AND name = ?",
            (state, message, survey, stage),
        )

    def keys(self, survey: int, seqs: Sequence[int]) -> list[str]:
        """Give the keys of a few answers, by their numbers."""
        sql = f"SELECT key FROM answer WHERE survey = ? AND seq IN ({', '.join('?' * len(seqs))}) ORDER BY seq"

        def work(cursor: Any) -> list[str]:
            return [row[0] for row in self.execute(cursor, sql, (survey, *seqs)).fetchall()]

        return self.run(work, write=False) if seqs else []

    def answers(self, survey: int, limit: int | None, gather: Callable[[Iterator[Answers]], T]) -> T:
        """Give what `gather` makes of the answers of one moment, in the order of their numbers, chunk by chunk.

        Answers that were set aside are not among them. `gather` is called anew where the store went away meanwhile.
        """
        sql = (
            "SELECT seq, row FROM answer WHERE survey = ? AND seq NOT IN (SELECT seq FROM aside WHERE survey = ?) "
            "ORDER BY seq"
        )
        values: list[Any] = [survey, survey]
        if limit is not None:
            sql, values = f"{sql} LIMIT ?", [*values, limit]
        sql = sql.replace("?", self.placeholder)
        return self.run(lambda cursor: gather(self.stream(cursor, sql, values)), write=False)

    def keep_plan(self, survey: int, plan: str) -> None:
        """Note what the scheduler means to do."""
        self.run(lambda cursor: self.execute(cursor, "UPDATE survey SET plan = ? WHERE id = ?", (plan, survey)))

    def claim(self, survey: int, stage: str, owner: str, *, lease: float = LEASE, again: bool = False) -> bool:
        """Take a stage on, if it is due and nobody is at it; at most one of all who try at once can.

        The base stage is due while the survey is open. The rest is due when it is closed and the base stage is not
        running; one that died, or never began, is given up then: it would take no less time than everything at once.

        Parameters
        ----------
        survey, stage : int, str
            Which one.
        owner : str
            Who takes it on, as `owner_name` gives.
        lease : float
            Seconds after its last sign of life from which another worker is taken to be dead.
        again : bool
            Also try again what failed.
        """
        now = self.now()

        def work(cursor: Any) -> bool:
            stages = self._stages(cursor, survey, self.lock_stages)
            wanted = stages[stage]
            sql = "SELECT closed_at FROM survey WHERE id = ?"
            is_closed = self.execute(cursor, sql, (survey,)).fetchone()[0] is not None
            free = wanted.state == WAITING or (again and wanted.state == FAILED)
            if not free and not (wanted.state == RUNNING and not wanted.is_alive(now, lease)):
                return False
            if is_closed != (stage == REST):
                return False
            if stage == REST:
                base = stages[BASE]
                if base.is_alive(now, lease):
                    return False
                if base.state in {WAITING, RUNNING}:
                    self._end(cursor, survey, BASE, SKIPPED, now, "the survey closed before it was done")
            self.execute(
                cursor,
                "UPDATE stage SET state = ?, owner = ?, beat = ?, progress = 0, started = ?, ended = NULL, "
                "message = NULL WHERE survey = ? AND name = ?",
                (RUNNING, owner, now, now, survey, stage),
            )
            return True

        return self.run(work)

    def beat(self, survey: int, stage: str, owner: str, progress: float) -> bool:
        """Give a sign of life; False where the stage is no longer ours."""
        now = self.now()
        sql = "UPDATE stage SET beat = ?, progress = ? WHERE survey = ? AND name = ? AND owner = ? AND state = ?"
        return self.run(
            lambda cursor: bool(self.execute(cursor, sql, (now, progress, survey, stage, owner, RUNNING)).rowcount)
        )

    def fail(self, survey: int, stage: str, owner: str, message: str) -> None:
        """Note that a stage cannot be done, and why."""
        now = self.now()

        def work(cursor: Any) -> None:
            if self._is_owner(cursor, survey, stage, owner):
                self._end(cursor, survey, stage, FAILED, now, message)

        self.run(work)

    def finish_base(self, survey: int, owner: str, seqs: IntArray, labels: IntArray, loss: float | None) -> bool:
        """Keep which answers were in the base stage, and their groups; False where the stage is no longer ours."""
        now, packed = self.now(), _pack(seqs, labels)

        def work(cursor: Any) -> bool:
            if not self._is_owner(cursor, survey, BASE, owner):
                return False
            self.execute(
                cursor,
                "UPDATE stage SET labels = ?, loss = ?, n_records = ? WHERE survey = ? AND name = ?",
                (packed, loss, len(seqs), survey, BASE),
            )
            self._end(cursor, survey, BASE, DONE, now, None)
            return True

        return self.run(work)

    def finish_rest(
        self, survey: int, owner: str, seqs: IntArray, labels: IntArray, loss: float | None, n_records: int, made: Made
    ) -> bool:
        """Keep the groups of all answers and what will be published, at once; False where it is no longer ours."""
        now, packed = self.now(), _pack(seqs, labels)

        def work(cursor: Any) -> bool:
            if not self._is_owner(cursor, survey, REST, owner):
                return False
            self.enter_release(cursor, survey, made)
            self.execute(
                cursor,
                "UPDATE stage SET labels = ?, loss = ?, n_records = ? WHERE survey = ? AND name = ?",
                (packed, loss, n_records, survey, REST),
            )
            self._end(cursor, survey, REST, DONE, now, None)
            return True

        return self.run(work)

    def enter_release(self, cursor: Any, survey: int, made: Made) -> None:
        """Enter the one release of a survey; SecondRelease where there is another."""
        new = self.execute(
            cursor,
            "INSERT INTO release (survey, content, report, sha256, facts, made_at) VALUES (?, ?, ?, ?, ?, ?) "
            "ON CONFLICT DO NOTHING",
            (survey, made.content, made.report, made.sha256, made.facts, made.made_at),
        ).rowcount
        sql = "SELECT sha256 FROM release WHERE survey = ?"
        if not new and self.execute(cursor, sql, (survey,)).fetchone()[0] != made.sha256:
            raise SecondRelease(
                "there is a release of this survey already, and this one differs. A survey is released once: two "
                "different releases, compared, could give people away. Hand out the one that exists."
            )

    def labels(self, survey: int, stage: str) -> tuple[IntArray, IntArray]:
        """Give the numbers of the answers of a finished stage, and their groups."""

        def work(cursor: Any) -> bytes | None:
            sql = "SELECT labels FROM stage WHERE survey = ? AND name = ?"
            packed: bytes | None = self.execute(cursor, sql, (survey, stage)).fetchone()[0]
            return packed

        packed = self.run(work, write=False)
        if packed is None:
            raise NotReady(f"the {stage} stage has not been done.")
        return _unpack(packed)

    def publish(self, survey: int, now: float) -> Made | None:
        """Give what is published, and note when that was first; None where there is nothing yet."""

        def work(cursor: Any) -> Made | None:
            self.execute(
                cursor,
                "UPDATE release SET published_at = ? WHERE survey = ? AND published_at IS NULL",
                (now, survey),
            )
            sql = "SELECT content, report, sha256, facts, made_at, published_at FROM release WHERE survey = ?"
            row = self.execute(cursor, sql, (survey,)).fetchone()
            return None if row is None else Made(bytes(row[0]), bytes(row[1]), *row[2:])

        return self.run(work)

    def _closing(self, cursor: Any, survey: int, closes: float | None) -> tuple[float | None, float | None]:
        """When a survey was closed, and when it closes by itself."""
        sql = "SELECT closed_at, moved_to FROM survey WHERE id = ?"
        closed_at, moved_to = self.execute(cursor, sql, (survey,)).fetchone()
        return closed_at, closes if moved_to is None else moved_to

    def _stages(self, cursor: Any, survey: int, lock: str = "") -> dict[str, Stage]:
        rows = self.execute(
            cursor,
            "SELECT name, state, owner, beat, progress, started, ended, n_records, loss, message FROM stage "
            f"WHERE survey = ? ORDER BY name{lock}",
            (survey,),
        ).fetchall()
        return {row[0]: Stage(*row) for row in rows}

    def _is_owner(self, cursor: Any, survey: int, stage: str, owner: str) -> bool:
        found = self._stages(cursor, survey, self.lock_stages)[stage]
        return found.owner == owner and found.state == RUNNING

    def _end(self, cursor: Any, survey: int, stage: str, state: str, now: float, message: str | None) -> None:
        self.execute(
            cursor,
            "UPDATE stage SET state = ?, ended = ?, owner = NULL, message = ?, "
            "progress = CASE WHEN ? = 'done' THEN 1 ELSE progress END WHERE survey = ? AND name = ?",
            (state, now, message, state, survey, stage),
        )


def repeated_places(keys: Sequence[str], new: set[str]) -> set[int]:
    """Give the places of the keys that are not new, or not for the first time.

    >>> repeated_places(["a", "b", "b", "c"], {"b", "c"})
    {0, 2}
    """
    unseen = set(new)
    repeated = set()
    for place, key in enumerate(keys):
        if key in unseen:
            unseen.remove(key)
        else:
            repeated.add(place)
    return repeated


def owner_name() -> str:
    """Give a name for this process as one who takes a stage on: where it runs, and something that nobody else has."""
    return f"{socket.gethostname()}:{os.getpid()}:{os.urandom(8).hex()}"


def open_store(url: str, *, patience: float = PATIENCE) -> Store:
    """Open a store, and bring its tables up to date.

    Parameters
    ----------
    url : str
        A path or sqlite:///path for a file, postgresql://user:password@host/database for a server.
    patience : float
        Seconds for which it is tried again while it cannot be reached.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = open_store(f"{folder}/surveys.db")
    ...     store.names()
    ...     store.close()
    []
    """
    address = read_address(url)
    if address.is_server:
        from microagg.survey.postgres import PostgresStore

        return _up_to_date(PostgresStore(address.place, patience))
    from microagg.survey.sqlite import SqliteStore

    return _up_to_date(SqliteStore(address.place, patience))


def _up_to_date(store: Store) -> Store:
    try:
        store.run(store.migrate)
    except MicroaggError:
        store.close()
        raise
    return store


def _exists(pid: int) -> bool:
    """Say whether a process of this machine is there, and not a dead one that nobody has asked after."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    try:
        state = Path("/proc", str(pid), "stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return True
    return state not in {"Z", "X"}


def _pack(seqs: IntArray, labels: IntArray) -> bytes:
    packed = io.BytesIO()
    np.savez_compressed(packed, seqs=seqs, labels=labels)
    return packed.getvalue()


def _unpack(packed: bytes) -> tuple[IntArray, IntArray]:
    with np.load(io.BytesIO(packed), allow_pickle=False) as arrays:
        return arrays["seqs"], arrays["labels"]
