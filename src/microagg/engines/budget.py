"""How much memory there is, and how it is divided among what works on a table that does not fit into it."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from microagg.errors import InvalidOption
from microagg.files import scratch
from microagg.io import format_of
from microagg.io.connection import full_disk

UNITS = {"B": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40}
"""What sizes are written in; KB are 1024 bytes, as for DuckDB's KiB."""
AUTO = "auto"
"""Work cell by cell where the table would take more than a comfortable share of the memory that is free."""
UNLIMITED = "unlimited"
"""Work in memory, whatever the size."""

COMFORTABLE = 0.5
"""The share of the free memory that a table may take as a whole."""
GROWTH = {".parquet": 20.0, ".gz": 30.0}
"""About how many times its size on disk a file takes in memory, at the most, from reading to writing."""
PLAIN_GROWTH = 6.0
"""The same for files that are not compressed."""

LEAST_DATABASE = 128 << 20
"""What DuckDB needs to work at all."""
RECORD_COPIES = 14
"""How many times the numbers of a cell lie in memory at once, at the most: as read, standardised, in the method's own
order, released, and in the sums."""
CHUNK_COPIES = 6
SAMPLE_RECORDS = 200_000
"""Enough to cut well into hundreds of cells; cells that come out too large are cut again."""
CELL_GROUPS = 8
"""A cell is never so small that it holds fewer groups, however little memory there is."""
LEAST_CHUNK = 64


@dataclass(frozen=True)
class Budget:
    """How memory is divided.

    Attributes
    ----------
    database : int
        Bytes for DuckDB.
    chunk : int
        Records that pass at a time.
    sample : int
        Records by which cells are cut.
    cell : int
        The most records that a cell may have.
    """

    database: int
    chunk: int
    sample: int
    cell: int

    @classmethod
    def of(cls, memory: int, width: int, k: int) -> Budget:
        """Divide `memory` bytes, for records of `width` numbers.

        >>> Budget.of(1 << 30, 10, 5)
        Budget(database=268435456, chunk=139810, sample=139810, cell=479349)
        """
        record = 8 * width
        return cls(
            database=max(LEAST_DATABASE, memory // 4),
            chunk=max(LEAST_CHUNK, memory // 16 // (CHUNK_COPIES * record)),
            sample=min(SAMPLE_RECORDS, max(LEAST_CHUNK, memory // 16 // (CHUNK_COPIES * record))),
            cell=max(CELL_GROUPS * k, memory // 2 // (RECORD_COPIES * record)),
        )


def parse_memory(asked: str | int, path: Path) -> int | None:
    """Give the bytes that work on a file may take, or None where the table may lie in memory as a whole.

    >>> parse_memory("2GB", Path("people.csv")), parse_memory("unlimited", Path("people.csv"))
    (2147483648, None)
    """
    if asked == UNLIMITED:
        return None
    if asked == AUTO:
        free = free_memory()
        growth = next((times for suffix, times in GROWTH.items() if path.name.lower().endswith(suffix)), PLAIN_GROWTH)
        if free is None or not path.exists() or not format_of(path).database:
            return None
        if growth * path.stat().st_size <= COMFORTABLE * free:
            return None
        return int(COMFORTABLE * free)
    if isinstance(asked, int) and not isinstance(asked, bool) and asked > 0:
        return asked
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?B)", str(asked).strip().upper())
    if match is None or float(match[1]) == 0:
        raise InvalidOption(f"memory must be a size such as 500MB or 2GB, 'auto' or 'unlimited'; got {asked!r}.")
    return int(float(match[1]) * UNITS[match[2]])


def free_memory() -> int | None:
    """Give the bytes that are free on this machine, or in this container; None where nobody says."""
    limits = []
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        limits += [int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")]
    except OSError:
        pass
    try:
        group = Path("/sys/fs/cgroup")
        limits.append(int((group / "memory.max").read_text()) - int((group / "memory.current").read_text()))
    except (OSError, ValueError):  # no such files, or no limit
        pass
    return max(0, min(limits)) if limits else None


@contextmanager
def private_folder(target: Path | None) -> Iterator[Path]:
    """Give a folder that nobody else may look into, and remove it with all that it holds, however the block ends.

    It lies where TMPDIR says, else beside the target, where there must be room for the release anyway.
    """
    beside = target.resolve().parent if target is not None and "TMPDIR" not in os.environ else None
    with scratch.private_folder(beside) as folder:
        try:
            yield folder
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                raise full_disk(folder) from error
            raise
