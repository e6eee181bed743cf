"""A DuckDB connection that reports interrupts, a full disk and too little memory in our own error messages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from microagg.errors import FileProblem, InvalidOption

INTERRUPTED = "Query interrupted"
FULL = ("No space left", "File too large", "Disk quota", "max_temp_directory_size")
"""What DuckDB says where a disk has no room."""


class DuckConnection:
    """The part of a DuckDB connection that tables use.

    What is wrong with data or with a file that is read stays an error of DuckDB, for the caller to explain.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection
        The connection itself.
    folder : Path
        Where the database keeps its temporary files.
    """

    def __init__(self, connection: Any, folder: Path) -> None:
        self._connection = connection
        self._folder = folder

    def execute(self, sql: str) -> Self:
        """Run a statement; what comes out is fetched next."""
        with self._explained():
            self._connection.execute(sql)
        return self

    def fetchall(self) -> list[tuple[Any, ...]]:
        """Give the rows of the last statement as Python values."""
        with self._explained():
            rows: list[tuple[Any, ...]] = self._connection.fetchall()
        return rows

    def fetchnumpy(self) -> dict[str, npt.NDArray[np.generic]]:
        """Give the columns of the last statement; masked arrays where something is missing."""
        with self._explained():
            arrays: dict[str, npt.NDArray[np.generic]] = self._connection.fetchnumpy()
        return arrays

    def sql(self, sql: str) -> Any:
        """Give a query as a relation of DuckDB, to be run later."""
        with self._explained():
            return self._connection.sql(sql)

    def register(self, name: str, arrays: dict[str, npt.NDArray[Any]]) -> None:
        """Make arrays a view."""
        with self._explained():
            self._connection.register(name, arrays)

    def unregister(self, name: str) -> None:
        """Forget a view."""
        self._connection.unregister(name)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        import duckdb

        try:
            yield
        except duckdb.InterruptException as error:
            raise KeyboardInterrupt from error
        except RuntimeError as error:
            # Whatever a signal's handler raises while a statement runs, DuckDB swallows it and says this instead.
            if INTERRUPTED in str(error):
                raise KeyboardInterrupt from error
            raise
        except duckdb.Error as error:
            message = str(error)
            is_ours = isinstance(error, duckdb.OutOfMemoryException) or str(self._folder) in message
            if is_ours and any(said in message for said in FULL):
                raise full_disk(self._folder) from error
            if isinstance(error, duckdb.OutOfMemoryException):
                raise InvalidOption(
                    "the table does not fit into the memory that there is, or that was allowed: give more, such as "
                    "memory='2GB' (--memory 2GB), with which a CSV or Parquet file is worked on in parts."
                ) from error
            raise


def full_disk(folder: Path) -> FileProblem:
    """Build the error for a disk that has no room for temporary files.

    >>> str(full_disk(Path("/tmp/microagg-1/2-3")))
    'The disk is full: there is no room for temporary files in /tmp. Make room, or name another place in TMPDIR.'
    """
    place = next((above.parent for above in folder.parents if "microagg-" in above.name), folder)
    return FileProblem(
        f"The disk is full: there is no room for temporary files in {place}. "
        "Make room, or name another place in TMPDIR."
    )
