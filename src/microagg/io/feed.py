"""Text in other encodings, or packed, fed to DuckDB through a pipe: no copy of raw data is made on disk."""

from __future__ import annotations

import codecs
import gzip
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from microagg.errors import InvalidData
from microagg.files import system

PIECE = 1 << 20
MOST_EXPANSION = 200
"""How many times its size on disk a gzipped file may expand to, beyond the first GiB: text of records is packed 2 to 30
times as small, in rare cases 100 times; what is made to fill a memory or a disk, 1,000 times."""
FREE_EXPANSION = 1 << 30

GZIP_ERRORS = (gzip.BadGzipFile, EOFError, zlib.error)
"""What is raised by a gzip file that is damaged or cut short."""


class NotText(ValueError):
    """The file is not text in this encoding."""


def is_gzip(path: Path) -> bool:
    """Say whether a file is gzipped, by its name.

    >>> is_gzip(Path("people.CSV.GZ"))
    True
    """
    return path.suffix.lower() == ".gz"


def may_expand(path: Path) -> bool:
    """Say whether a gzipped file could grow beyond what we read without counting."""
    return is_gzip(path) and path.stat().st_size * 1032 > FREE_EXPANSION  # 1032 is the most that deflate can do


def pieces(path: Path) -> Iterator[bytes]:
    """Read a file, unpacked, in pieces.

    Raises
    ------
    InvalidData
        It is no whole gzip file, or expands out of all proportion.
    """
    total = 0
    with path.open("rb") as raw:
        file = cast(IO[bytes], gzip.GzipFile(fileobj=raw)) if is_gzip(path) else raw
        while True:
            try:
                piece = file.read(PIECE)
            except GZIP_ERRORS as error:
                raise InvalidData(f"{path.name} is not a whole gzip file.") from error
            if not piece:
                return
            total += len(piece)
            if is_gzip(path) and total > FREE_EXPANSION and total > MOST_EXPANSION * raw.tell():
                raise InvalidData(
                    f"{path.name} expands to more than {MOST_EXPANSION} times its size, and more than 1 GiB: so much "
                    "is not unpacked. If it is what it should be, unpack it first (gunzip) and read that."
                )
            yield piece


def head(path: Path, size: int) -> bytes:
    """Give the first bytes of a file, unpacked."""
    start = b""
    for piece in pieces(path):
        start += piece
        if len(start) >= size:
            break
    return start[:size]


@contextmanager
def pipe(path: Path, encoding: str | None, place: Path) -> Iterator[None]:
    """Make a pipe and write a file into it while the block reads: unpacked, and as UTF-8.

    Where there are no pipes with names (Windows), the file is written to `place` before the block reads it.

    Parameters
    ----------
    path : Path
        The file; gzipped where its name ends in `.gz`.
    encoding : str, optional
        Of the text; None where it is UTF-8 already.
    place : Path
        Where the pipe shall be, in a private folder.

    Raises
    ------
    InvalidData
        The file is no whole gzip file, or expands out of all proportion.
    NotText
        It is not text in this encoding. Both take the place of what the block raised, which saw half a file.
    """
    if sys.platform == "win32" or not system.HAS_PIPES:
        with _unpacked(path, encoding, place):
            yield
        return
    from microagg.io.pipe import Feeder

    feeder = Feeder(_recoded(path, encoding), place)
    try:
        feeder.start()
        yield
    finally:
        feeder.stop()
        place.unlink()
        if feeder.problem is not None:
            raise feeder.problem


@contextmanager
def _unpacked(path: Path, encoding: str | None, place: Path) -> Iterator[None]:
    try:
        with place.open("xb") as file:
            for piece in _recoded(path, encoding):
                file.write(piece)
        yield
    finally:
        place.unlink(missing_ok=True)


def _recoded(path: Path, encoding: str | None) -> Iterator[bytes]:
    """Read a file in pieces, unpacked and as UTF-8."""
    if encoding is None:
        yield from pieces(path)
        return
    decoder = codecs.getincrementaldecoder(encoding)()
    is_first = True
    try:
        for piece in pieces(path):
            text = decoder.decode(piece)
            yield (text.removeprefix("\ufeff") if is_first else text).encode()
            is_first = is_first and not text
        yield decoder.decode(b"", final=True).encode()
    except UnicodeError as error:
        raise NotText from error
