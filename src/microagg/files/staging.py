"""A private folder that a killed process leaves behind on purpose: the next one that has the same to do goes on there.

All such folders lie in `.microagg-spread-UID` beside what is to be written. Each is named after what is done in it and
holds a lock while somebody does it. Whoever begins removes those that nobody holds, save the one that is its own.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from microagg.errors import FileProblem
from microagg.files import system
from microagg.files.scratch import LOCK

NAME_LENGTH = 32


@contextmanager
def staging_folder(beside: Path, *facts: str) -> Iterator[Path]:
    """Give the folder for work that these facts tell from all other; it is removed where the block ends well or badly.

    Only what is killed leaves it.

    Parameters
    ----------
    beside : Path
        A folder that all who work on it see.
    *facts : str
        What makes the work what it is.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place, staging_folder(Path(place), "a plan", "a file") as folder:
    ...     oct(folder.stat().st_mode)[-3:]
    '700'
    """
    place = beside / f".microagg-spread-{system.user_mark()}"
    name = hashlib.sha256("\0".join(facts).encode("utf-8", "surrogatepass")).hexdigest()[:NAME_LENGTH]
    try:
        place.mkdir(mode=0o700, exist_ok=True)
        _check_ours(place)
        _remove_abandoned(place, name)
        folder = place / name
        folder.mkdir(mode=0o700, exist_ok=True)
        _check_ours(folder)
        lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | system.GUARDED, 0o600)
    except OSError as error:
        raise FileProblem(
            f"Cannot work in {place}: {error.strerror or error}. Make room, or write elsewhere."
        ) from error
    if not system.try_lock(lock):
        os.close(lock)
        raise FileProblem(f"Another process makes the same release, in {folder}. Wait for it, or end it.")
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)
        with suppress(OSError):
            place.rmdir()


def _check_ours(folder: Path) -> None:
    status = folder.lstat()
    if not (stat.S_ISDIR(status.st_mode) and system.is_mine(status) and system.is_closed_to_others(status)):
        raise FileProblem(
            f"Cannot work in {folder}: it must be a folder of your own that is closed to others (mode 700). Remove it."
        )


def _remove_abandoned(place: Path, own: str) -> None:
    """Remove what killed processes left, save the work that is to be gone on with."""
    for folder in list(place.iterdir()):
        if folder.name == own or not folder.is_dir():
            continue
        with suppress(OSError):
            lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | system.GUARDED, 0o600)
            if system.try_lock(lock):
                shutil.rmtree(folder, ignore_errors=True)
            os.close(lock)
