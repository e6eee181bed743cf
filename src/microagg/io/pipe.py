"""A pipe with a name, fed by a thread; `microagg.io.feed` does without where there are none."""

from __future__ import annotations

import os
import select
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

if sys.platform == "win32":
    raise ImportError("microagg.io.pipe is not for Windows: use microagg.io.feed.")

PAUSE = 0.002
"""Seconds between two looks whether anybody reads the pipe yet."""


class Feeder(threading.Thread):
    """Makes a pipe, and writes into it as long as somebody reads.

    Parameters
    ----------
    pieces : iterator of bytes
        What is written.
    place : Path
        Where the pipe shall be, in a private folder.

    Attributes
    ----------
    problem : Exception or None
        What went wrong with the pieces.
    """

    def __init__(self, pieces: Iterator[bytes], place: Path) -> None:
        super().__init__(name="microagg-feeder", daemon=True)
        os.mkfifo(place, 0o600)
        self.problem: Exception | None = None
        self._pieces, self._place = pieces, place
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
            for piece in self._pieces:
                if not self._write(descriptor, piece):
                    return
        except BrokenPipeError:  # the reader has had enough, and says why
            return
        except (ValueError, OSError) as error:
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
