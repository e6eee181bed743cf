"""Surveys in a file: SQLite, which comes with Python. Every commit is on the disk before it is acknowledged."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from microagg.errors import FileProblem, InvalidOption, MicroaggError, StoreFull, StoreUnavailable
from microagg.survey.store.database import CHUNK, repeated_places
from microagg.survey.store.migrations import SQLITE
from microagg.survey.store.records import Answers, Removed
from microagg.survey.store.stages import Store

_OPENING = threading.Lock()

PRIVATE = 0o600
"""Answers are nobody's business: only the user who created the file may read it."""


class SqliteStore(Store):
    """Surveys in an SQLite file, which several threads and processes may use.

    Parameters
    ----------
    path : str
        The file; it is created where there is none.
    patience : float
        Seconds to wait for others who write.
    """

    placeholder = "?"
    lock_stages = ""

    def __init__(self, path: str, patience: float) -> None:
        super().__init__(patience)
        self.path = Path(path).absolute()
        self._writing = threading.Lock()
        if not self.path.parent.is_dir():
            raise FileProblem(f"Cannot open {path}: the folder {self.path.parent} does not exist. Create it first.")
        try:
            # To close a file that SQLite has open elsewhere in this process would take away all its locks on it: so
            # only a file that was not there before, and no connection meanwhile.
            with _OPENING:
                os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL, PRIVATE))
        except FileExistsError:
            pass
        except OSError as error:
            raise FileProblem(f"Cannot open {path}: {error.strerror or error}.") from error

    @property
    def failures(self) -> tuple[type[Exception], ...]:
        """The errors of SQLite that are not slips of ours."""
        return (sqlite3.DatabaseError,)

    def problem(self, error: Exception) -> MicroaggError | None:
        """Say what an error means; None where another connection was at it."""
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL}:
            return None
        if code == sqlite3.SQLITE_FULL:
            return StoreFull(
                f"there is no room left for {self.path.name}: nothing of this was taken, and all that was acknowledged "
                "before is kept. Make room, then send it again."
            )
        if code in {sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT}:
            return StoreUnavailable(f"{self.path.name} is no SQLite database, or is damaged.")
        return StoreUnavailable(f"{self.path.name} cannot be used: {error}.")

    @contextmanager
    def begun(self, connection: sqlite3.Connection, *, write: bool) -> Iterator[sqlite3.Cursor]:
        """Give a cursor in a transaction; one that writes is the only one to write from the start."""
        # SQLite lets those who want to write try again and again; threads of one process can as well queue.
        with self._writing if write else nullcontext():
            cursor = connection.cursor()
            cursor.execute("BEGIN IMMEDIATE" if write else "BEGIN")
            try:
                yield cursor
                cursor.execute("COMMIT")
            finally:
                if connection.in_transaction:
                    connection.rollback()

    def insert(
        self, cursor: sqlite3.Cursor, survey: int, keys: Sequence[str], rows: Sequence[str], now: float
    ) -> set[int]:
        """Insert answers whose keys are new; give the positions of the others."""
        before = cursor.execute("SELECT coalesce(max(seq), 0) FROM answer").fetchone()[0]
        cursor.executemany(
            "INSERT INTO answer (survey, key, received_at, row) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
            [(survey, key, now, row) for key, row in zip(keys, rows, strict=True)],
        )
        if cursor.rowcount == len(keys):
            return set()
        cursor.execute("SELECT key FROM answer WHERE seq > ? AND survey = ?", (before, survey))
        return repeated_places(keys, {row[0] for row in cursor.fetchall()})

    def number_anew(self, cursor: sqlite3.Cursor, name: str) -> None:
        """Give a number above those of all deleted surveys: SQLite takes the largest that is there, and one."""
        cursor.execute(
            "UPDATE survey SET id = max(id, 1 + coalesce((SELECT max(id) FROM deleted_survey), 0)) WHERE name = ?",
            (name,),
        )

    def delete(self, survey: int, now: float) -> Removed:
        """Remove a survey; what was deleted is written over, in the file and in its log."""
        removed = super().delete(survey, now)
        with contextlib.closing(self.connect()) as connection, contextlib.suppress(sqlite3.OperationalError):
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return removed

    def lock_open(self, cursor: sqlite3.Cursor, survey: int, *, shared: bool) -> None:
        """Do nothing: only one transaction at a time can write here."""

    def stream(self, cursor: sqlite3.Cursor, sql: str, values: Sequence[Any]) -> Iterator[Answers]:
        """Run a query and give its rows in chunks."""
        cursor.execute(sql, tuple(values))
        while chunk := cursor.fetchmany(CHUNK):
            yield chunk

    def now(self) -> float:
        """Give the time: all who use the file are on this machine."""
        return time.time()

    def connect(self) -> sqlite3.Connection:
        """Open a connection, to be used by one thread at a time."""
        with _OPENING:
            connection = sqlite3.connect(
                self.path, timeout=self.patience, isolation_level=None, check_same_thread=False
            )
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA secure_delete = ON")
        return connection

    def migrate(self, cursor: sqlite3.Cursor) -> None:
        """Bring the tables up to date."""
        version = cursor.execute("PRAGMA user_version").fetchone()[0]
        if version > len(SQLITE):
            raise InvalidOption(
                f"{self.path.name} was written by a newer microagg (version {version} of its tables, this one knows "
                f"{len(SQLITE)}). Update microagg."
            )
        for number, script in enumerate(SQLITE[version:], start=version + 1):
            for statement in script.split(";"):
                cursor.execute(statement)
            cursor.execute(f"PRAGMA user_version = {number}")
