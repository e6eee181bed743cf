"""From the names of files to an engine over them, and back to files."""

from __future__ import annotations

import glob
import hashlib
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from microagg import io
from microagg.engines.budget import AUTO, UNLIMITED, parse_memory
from microagg.engines.spread.host import missing_extra
from microagg.engines.spread.parts import Parts
from microagg.engines.spread.places import place_of
from microagg.errors import FileProblem, InvalidOption
from microagg.files.staging import staging_folder
from microagg.plan import Plan
from microagg.report.facts import Source
from microagg.report.release import source_of

if TYPE_CHECKING:
    from microagg.engines.spread.engine import SpreadEngine

MEMORY = 1 << 30
"""What the work on one cell may take where nobody says: the same everywhere, as cells depend on it."""
RELEASED = "released"
"""The folder of a release that nobody sees yet."""
SUFFIXES = (".parquet", ".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt", ".txt.gz")


def source_files(source: Path) -> list[Path]:
    """Give the files that are meant by a name: of a file, a folder, or a pattern with * and ?; in order of names."""
    text = os.fspath(source)
    if source.is_file():
        found = [source]
    elif source.is_dir():
        found = sorted(path for path in source.iterdir() if path.is_file() and not path.name.startswith((".", "_")))
        found = [path for path in found if path.name.lower().endswith(SUFFIXES)]
    elif glob.has_magic(text):
        found = [Path(path) for path in sorted(glob.glob(text)) if Path(path).is_file()]
    else:
        raise FileProblem(f"Cannot read {source}: there is no such file or folder.")
    if not found:
        raise FileProblem(f"Cannot read {source}: no file of these names is there ({', '.join(SUFFIXES)}).")
    suffixes = {io.format_of(path).suffix for path in found}
    for path in found:
        io.check_streams(io.format_of(path))
    if len(suffixes) > 1:
        raise InvalidOption(f"files that are read together must be of one kind; got {', '.join(sorted(suffixes))}.")
    return found


def is_folder(target: Path) -> bool:
    """Say whether a release is to be a folder of Parquet files: its name ends in nothing that a file ends in.

    >>> is_folder(Path("released")), is_folder(Path("released.parquet"))
    (True, False)
    """
    return not target.name.lower().endswith(tuple(io.FORMATS))


def cell_memory(memory: str | int) -> int:
    """Give the bytes that the work on one cell may take.

    >>> cell_memory("auto") == cell_memory("1GB")
    True
    """
    if memory == AUTO:
        return MEMORY
    asked = None if memory == UNLIMITED else parse_memory(memory, Path())
    if asked is None:
        raise InvalidOption(
            "memory is what the work on one cell may take where an engine is named: a size such as 1GB, not "
            "'unlimited'."
        )
    return asked


@dataclass(frozen=True, eq=False)
class SpreadSource:
    """An engine over files, and how its release becomes visible.

    Attributes
    ----------
    engine : SpreadEngine
        For the flow.
    source : Path
        What the user named.
    files : sequence of Path
        What was read.
    parts : Parts
        The records.
    staging : Path
        Where all lies that is not published.
    """

    engine: SpreadEngine
    source: Path
    files: Sequence[Path]
    parts: Parts
    staging: Path

    @property
    def input(self) -> Source:
        """What was read: of several files, the checksum is that of their checksums."""
        return source_of(self.files[0]) if len(self.files) == 1 else _source(self.source.name, self.files)

    def output(self, name: str) -> Source:
        """What will be the folder of this name: the checksum is that of the checksums of its parts."""
        return _source(name, sorted((self.staging / RELEASED).iterdir()))

    def write(self, path: Path) -> None:
        """Make one Parquet file of the release."""
        import pyarrow.parquet as parquet

        parts = sorted((self.staging / RELEASED).iterdir())
        with parquet.ParquetWriter(path, parquet.read_schema(parts[0])) as writer:
            for part in parts:
                writer.write_table(parquet.read_table(part))

    def publish(self, folder: Path) -> None:
        """Let the folder of the release appear, by one rename."""
        released = self.staging / RELEASED
        mask = os.umask(0)
        os.umask(mask)
        for path in released.iterdir():
            path.chmod(0o666 & ~mask)
            _synchronise(path)
        released.chmod(0o777 & ~mask)
        _synchronise(released)
        try:
            released.rename(folder)
        except OSError as error:
            raise FileProblem(f"Cannot write {folder}: {error.strerror or error}. Nothing was left behind.") from error
        _synchronise(folder.resolve().parent)


def checksum_of(files: Sequence[Path]) -> str:
    """Give the checksum of several files in their order: that of their checksums."""
    return hashlib.sha256("".join(io.sha256(path) for path in files).encode("ascii")).hexdigest()


def _source(name: str, files: Sequence[Path]) -> Source:
    return Source(name, sum(path.stat().st_size for path in files), checksum_of(files))


def _synchronise(path: Path) -> None:
    """Wait until a file or folder is on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def open_spread(
    engine: Any,
    source: Path,
    target: Path | None,
    plan: Plan,
    *,
    memory: str | int,
    hints: Mapping[str, Any],
    threads: int | None,
) -> Iterator[SpreadSource]:
    """Open files with an engine; all that lies between is removed in the end.

    Parameters
    ----------
    engine : str or client
        Who works; see `places`.
    source : Path
        A file, a folder, or a pattern.
    target : Path, optional
        A folder, or a file.
    plan : Plan
        What will be done.
    memory : str or int
        What the work on one cell may take.
    hints : mapping
        What `io.read_spooled` shall know of the columns of text files.
    threads : int, optional
        How many threads, or processes, to use on this machine.
    """
    place, allowed, files = place_of(engine), cell_memory(memory), source_files(source)
    if target is not None and not is_folder(target) and io.format_of(target).suffix != ".parquet":
        raise InvalidOption(
            f"an engine writes Parquet: a folder of files, such as {target.name.partition('.')[0]!r}, or one file that "
            f"ends in .parquet; got {target.name!r}."
        )
    if target is not None and is_folder(target) and target.exists():
        raise FileProblem(f"{target} is there already. Remove it, or choose another name for the release.")
    if target is not None and not target.resolve().parent.is_dir():
        raise FileProblem(
            f"Cannot write {target}: the folder {target.resolve().parent} does not exist. Create it first."
        )
    for path in files:
        io.check_apart(path, target)
    beside = (target if target is not None else files[0]).resolve().parent
    if target is None and place.here:
        beside = Path(tempfile.gettempdir())
    from microagg import __version__

    stats = [(str(path.resolve()), path.stat().st_size, path.stat().st_mtime_ns) for path in files]
    with staging_folder(beside, __version__, repr(plan), repr(allowed), repr(target), repr(stats)) as staging:
        try:
            from microagg.engines.spread.engine import SpreadEngine
            from microagg.engines.spread.text import as_parquet
        except ModuleNotFoundError as error:
            raise missing_extra(place.name, place.extra, error) from error
        parquet_files = files
        if io.format_of(files[0]).suffix != ".parquet":
            parquet_files = [as_parquet(files, staging, allowed, plan, hints)]
        with place.open(engine, parquet_files, staging, staging / RELEASED if target else None, threads) as parts:
            yield SpreadSource(SpreadEngine(parts, allowed, parts.threads), source, files, parts, staging)
