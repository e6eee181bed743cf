"""What every database of surveys must be able to do; sqlite.py and postgres.py do it."""

from __future__ import annotations

import os
import socket
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, TypeVar

from microagg.errors import MicroaggError, StoreUnavailable
from microagg.survey.store.records import Answers

PATIENCE = 20.0
"""Seconds for which a store is tried again while it cannot be reached."""
FIRST_DELAY, LONGEST_DELAY = 0.05, 1.0
"""Seconds between two tries: they double."""
CHUNK = 20_000
"""How many answers are read at a time."""

T = TypeVar("T")


class SurveyDatabase(ABC):
    """A database that holds surveys; it may be used from several threads and processes at once.

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
