"""Text in other encodings, or packed, fed to DuckDB through a pipe: no copy of raw data is made on disk."""

from __future__ import annotations

import codecs
import gzip
import os
import select
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from microagg.errors import InvalidData

PIECE = 1 << 20
PAUSE = 0.002
"""Seconds between two looks whether anybody reads the pipe yet."""
MOST_EXPANSION = 200
"""How many times its size on disk a gzipped file may expand to, beyond the first GiB: text of records is packed 2 to 30
times as small, in rare cases 100 times; what is made to fill a memory or a disk, 1,000 times."""
FREE_EXPANSION = 1 << 30

GZIP_ERRORS = (gzip.BadGzipFile, EOFError, zlib.error)
"""What is raised by a gzip file that is damaged or cut short."""


class NotText(Exception):
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
    os.mkfifo(place, 0o600)
    feeder = _Feeder(path, encoding, place)
    try:
        feeder.start()
        yield
    finally:
        feeder.stop()
        place.unlink()
        if feeder.problem is not None:
            raise feeder.problem


class _Feeder(threading.Thread):
    """Writes a file into a pipe as long as somebody reads it."""

    def __init__(self, path: Path, encoding: str | None, place: Path) -> None:
        super().__init__(name="microagg-feeder", daemon=True)
        self.problem: Exception | None = None
        self._path, self._encoding, self._place = path, encoding, place
        self._ended = threading.Event()

    def stop(self) -> None:
        """End the feeding, whoever still reads."""
        self._ended.set()
        if self.is_alive():
            self.join()

    def run(self) -> None:
        """Wait for a reader, and write."""
        descriptor = self._open()
        if descriptor is None:
            return
        try:
            for piece in self._recoded():
                if not self._write(descriptor, piece):
                    return
        except BrokenPipeError:  # the reader has had enough, and says why
            return
        except UnicodeError as error:
            self.problem = NotText()
            self.problem.__cause__ = error
        except (InvalidData, OSError) as error:
            self.problem = error
        finally:
            os.close(descriptor)

    def _open(self) -> int | None:
        while not self._ended.is_set():
            try:
                return os.open(self._place, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            except OSError:  # nobody reads yet
                self._ended.wait(PAUSE)
        return None

    def _recoded(self) -> Iterator[bytes]:
        if self._encoding is None:
            yield from pieces(self._path)
            return
        decoder = codecs.getincrementaldecoder(self._encoding)()
        is_first = True
        for piece in pieces(self._path):
            text = decoder.decode(piece)
            yield (text.removeprefix("\ufeff") if is_first else text).encode()
            is_first = is_first and not text
        yield decoder.decode(b"", final=True).encode()

    def _write(self, descriptor: int, piece: bytes) -> bool:
        """Write a piece, and say whether to go on."""
        rest = memoryview(piece)
        poll = select.poll()
        poll.register(descriptor, select.POLLOUT)
        while rest:
            if self._ended.is_set():
                return False
            if poll.poll(100):
                rest = rest[os.write(descriptor, rest) :]
        return True
