"""One private place for temporary files, and what a killed process left there is removed by the next one.

Temporary files may hold raw data: columns that are spooled to disk, records on their way to a solver. They all lie in
`microagg-UID`, in the system's folder for temporary files (TMPDIR), or in `.microagg-UID` beside a release that is too
large for it. Nobody else may look into that place. Each user of it has a folder there and holds a lock in it while
alive; the system gives the lock back when a process ends, however it ends. So a folder whose lock is free belongs to
nobody any more, and whoever needs a folder next removes it first.

A place beside a release is noted in the system's folder too: what was left there is found by a process that writes
somewhere else.
"""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from microagg.errors import FileProblem
from microagg.files import system

LOCK = "lock"
ELSEWHERE = "elsewhere"
"""In a folder that holds no data: the place beside a release where they lie."""


class Folder:
    """A private folder that goes with this object, or with the process.

    Parameters
    ----------
    beside : Path, optional
        A folder on a disk that has room for what comes; the system's folder for temporary files by default.

    Attributes
    ----------
    path : Path
        Where it is. It holds nothing but a lock.

    Raises
    ------
    FileProblem
        No folder can be made, or the place belongs to somebody else or is open to others.

    Examples
    --------
    >>> folder = Folder()
    >>> oct(folder.path.stat().st_mode)[-3:], [file.name for file in folder.path.iterdir()]
    ('700', ['lock'])
    >>> folder.close()
    >>> folder.path.exists()
    False
    """

    path: Path

    def __init__(self, beside: Path | None = None) -> None:
        note: Folder | None = None
        if beside is not None:
            # Where nobody can write a note, the next process beside the same release cleans up all the same.
            with suppress(FileProblem):
                note = Folder()
                (note.path / ELSEWHERE).write_bytes(os.fsencode(_place(beside)))
        self.path, lock = _make(_place(beside))
        self._finalizer = weakref.finalize(self, _remove, self.path, lock, os.getpid(), note)

    def close(self) -> None:
        """Remove the folder and all that it holds."""
        self._finalizer()


@contextmanager
def private_folder(beside: Path | None = None) -> Iterator[Path]:
    """Give a private folder, and remove it with all that it holds, however the block ends; see `Folder`."""
    folder = Folder(beside)
    try:
        yield folder.path
    finally:
        folder.close()


def _place(beside: Path | None) -> Path:
    if beside is not None:
        return beside / f".microagg-{system.user_mark()}"
    try:
        return Path(tempfile.gettempdir()) / f"microagg-{system.user_mark()}"
    except OSError as error:
        raise FileProblem(
            "There is no folder for temporary files that can be written to: name one in TMPDIR."
        ) from error


def _make(place: Path) -> tuple[Path, int]:
    """Clean the place, make a folder in it, and give its path and its lock, which is held."""
    while True:
        try:
            with suppress(FileExistsError):
                place.mkdir(mode=0o700)
            there = _open(place)
        except FileNotFoundError as error:
            if place.parent.is_dir():  # somebody who was the last to leave has just removed the place
                continue
            raise _cannot(place, error) from error
        except FileProblem:
            raise
        except OSError as error:
            raise _cannot(place, error) from error
        try:
            stale = _stale(place, there)
            name = f"{os.getpid()}-{secrets.token_hex(8)}"
            there.make_folder(name)
            lock = there.open(f"{name}/{LOCK}", os.O_RDWR | os.O_CREAT | os.O_EXCL)
            system.try_lock(lock)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise _cannot(place, error) from error
        finally:
            there.close()
        _clear(stale)
        return place / name, lock


def _open(place: Path) -> system.Place:
    """Open a place and take its lock, so that nobody else makes or removes folders in it meanwhile.

    Anybody can lay a folder or a link into the system's folder for temporary files: only one that is our own, and
    closed to others, is used.
    """
    try:
        there = system.Place(place)
    except (NotADirectoryError, PermissionError) as error:
        raise _not_ours(place) from error
    status = there.status()
    if not (system.is_mine(status) and system.is_closed_to_others(status)):
        there.close()
        raise _not_ours(place)
    there.lock()
    return there


def _stale(place: Path, there: system.Place) -> list[tuple[Path, int]]:
    """Give the folders of a place whose owners are dead, each with its lock, which is ours now."""
    abandoned = []
    for name in there.names():
        try:
            lock = there.open(f"{name}/{LOCK}", os.O_RDWR | os.O_CREAT)
        except OSError:  # no folder, or gone
            continue
        if system.try_lock(lock):
            abandoned.append((place / name, lock))
        else:
            os.close(lock)
    return abandoned


def _clear(stale: list[tuple[Path, int]]) -> None:
    """Remove folders whose owners are dead, and what they noted of other places."""
    for folder, lock in stale:
        with suppress(OSError):
            _sweep(Path(os.fsdecode((folder / ELSEWHERE).read_bytes())))
        _remove_locked(folder, lock)


def _sweep(place: Path) -> None:
    """Remove what dead processes left in a place, if it is still there."""
    there = _open(place)
    try:
        stale = _stale(place, there)
    finally:
        there.close()
    _clear(stale)
    place.rmdir()


def _remove(path: Path, lock: int, owner: int, note: Folder | None) -> None:
    """Remove a folder, and the place where it was the last one. A forked child leaves its parent's folder alone."""
    if os.getpid() == owner:
        _remove_locked(path, lock)
        with suppress(OSError):
            path.parent.rmdir()
    else:
        os.close(lock)
    if note is not None:
        note.close()


def _remove_locked(folder: Path, lock: int) -> None:
    """Remove a folder with all that it holds and give its lock back: before, where open files cannot be removed."""
    if not system.WRITERS_HOLD_LOCKS:
        os.close(lock)
    shutil.rmtree(folder, ignore_errors=True)
    if system.WRITERS_HOLD_LOCKS:
        os.close(lock)


def _not_ours(place: Path) -> FileProblem:
    return FileProblem(
        f"Cannot keep temporary files in {place}: it must be a folder of your own that is closed to others (mode 700). "
        "Remove it, or name another place in TMPDIR."
    )


def _cannot(place: Path, error: OSError) -> FileProblem:
    return FileProblem(
        f"Cannot create a temporary folder in {place.parent}: {error.strerror or error}. Name another place in TMPDIR."
    )
