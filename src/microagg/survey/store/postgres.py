"""Surveys in a PostgreSQL server: schema `microagg` of the database that the address names."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from microagg.errors import InvalidOption, MicroaggError, MissingExtra, StoreFull, StoreUnavailable
from microagg.survey.address import UNREADABLE, cause_of
from microagg.survey.store.database import CHUNK, repeated_places
from microagg.survey.store.migrations import POSTGRES
from microagg.survey.store.records import Answers
from microagg.survey.store.stages import Store

try:
    import psycopg
    from psycopg import errors
except ModuleNotFoundError as error:
    raise MissingExtra(
        "surveys in PostgreSQL need psycopg, which is not installed. Install it with: pip install 'microagg[survey]'"
    ) from error

CONNECT_TIMEOUT = 5
"""Seconds to wait for an answer when connecting."""
OUR_LOCK = 0x6D6963726F616767
"""The number under which those who open a store wait for each other."""


class PostgresStore(Store):
    """Surveys in a PostgreSQL server.

    Parameters
    ----------
    url : str
        postgresql://user:password@host:port/database
    patience : float
        Seconds for which it is tried again while it cannot be reached.
    """

    placeholder = "%s"
    lock_stages = " FOR UPDATE"

    def __init__(self, url: str, patience: float) -> None:
        super().__init__(patience)
        self.url = url
        try:
            self.connect().close()
        except psycopg.OperationalError as error:
            raise StoreUnavailable(f"the PostgreSQL server cannot be reached: {error}") from None

    @property
    def failures(self) -> tuple[type[Exception], ...]:
        """The errors of the server and of the way to it that are not slips of ours."""
        return (psycopg.OperationalError, psycopg.InterfaceError, psycopg.InternalError, psycopg.ProgrammingError)

    def problem(self, error: Exception) -> MicroaggError | None:
        """Say what an error means; None where the connection was lost or others were in the way."""
        if isinstance(error, errors.DiskFull | errors.OutOfMemory):
            return StoreFull(
                "the PostgreSQL server has no room left: nothing of this was taken, and all that was acknowledged "
                "before is kept. Make room, then send it again."
            )
        if isinstance(error, errors.InsufficientPrivilege | errors.ReadOnlySqlTransaction):
            return StoreUnavailable(f"the PostgreSQL server refuses: {_first_line(error)}.")
        if isinstance(error, psycopg.ProgrammingError | psycopg.InternalError):
            return StoreUnavailable(f"the PostgreSQL server cannot be used: {_first_line(error)}.")
        return None

    def connect(self) -> psycopg.Connection[Any]:
        """Open a connection, to be used by one thread at a time; what goes wrong is told without the address."""
        try:
            connection = psycopg.connect(
                self.url, autocommit=True, connect_timeout=CONNECT_TIMEOUT, application_name="microagg"
            )
        except psycopg.OperationalError as error:
            raise psycopg.OperationalError(f"{cause_of(str(error)).rstrip('.')}.") from None
        except (psycopg.Error, ValueError):
            raise InvalidOption(UNREADABLE) from None
        # On the disk before it is acknowledged, whatever the server's default is.
        connection.execute("SET synchronous_commit = on; SET search_path = microagg")
        return connection

    @contextmanager
    def begun(self, connection: psycopg.Connection[Any], *, write: bool) -> Iterator[Any]:
        """Give a cursor in a transaction; one that only reads sees all of one moment."""
        with connection.transaction(), connection.cursor() as cursor:
            if not write:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            yield cursor

    def insert(self, cursor: Any, survey: int, keys: Sequence[str], rows: Sequence[str], now: float) -> set[int]:
        """Insert answers whose keys are new; give the positions of the others."""
        cursor.execute(
            "INSERT INTO answer (survey, key, received_at, row) "
            "SELECT %s, new.key, %s, new.row FROM unnest(%s::text[], %s::text[]) AS new (key, row) "
            "ON CONFLICT DO NOTHING RETURNING key",
            (survey, now, list(keys), list(rows)),
        )
        if cursor.rowcount == len(keys):
            return set()
        return repeated_places(keys, {row[0] for row in cursor.fetchall()})

    def lock_open(self, cursor: Any, survey: int, *, shared: bool) -> None:
        """Take a lock under the survey's number, in the order of asking: many who add cannot keep one from closing."""
        function = "pg_advisory_xact_lock_shared" if shared else "pg_advisory_xact_lock"
        cursor.execute(f"SELECT {function}(%s, %s)", (OUR_LOCK >> 32, survey))

    def stream(self, cursor: Any, sql: str, values: Sequence[Any]) -> Iterator[Answers]:
        """Run a query and give its rows in chunks, which the server holds until they are asked for."""
        with cursor.connection.cursor(name=f"c{uuid.uuid4().hex}") as held:
            held.execute(sql, tuple(values))
            while chunk := held.fetchmany(CHUNK):
                yield chunk

    def now(self) -> float:
        """Give the time of the server: those who use it may be on several machines."""

        def work(cursor: Any) -> float:
            return float(cursor.execute("SELECT extract(epoch FROM clock_timestamp())").fetchone()[0])

        return self.run(work, write=False)

    def migrate(self, cursor: Any) -> None:
        """Bring the tables up to date; others who open the store wait."""
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", (OUR_LOCK,))
        cursor.execute("CREATE SCHEMA IF NOT EXISTS microagg")
        cursor.execute("CREATE TABLE IF NOT EXISTS version (number int NOT NULL)")
        row = cursor.execute("SELECT max(number) FROM version").fetchone()
        version = row[0] or 0
        if version > len(POSTGRES):
            raise InvalidOption(
                f"the store was written by a newer microagg (version {version} of its tables, this one knows "
                f"{len(POSTGRES)}). Update microagg."
            )
        for number, script in enumerate(POSTGRES[version:], start=version + 1):
            cursor.execute(script)
            cursor.execute("INSERT INTO version VALUES (%s)", (number,))


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
