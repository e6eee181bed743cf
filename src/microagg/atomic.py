"""Writing a file whole or not at all."""

from __future__ import annotations

import hashlib
import os
import secrets
import socket
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from microagg.errors import FileProblem
from microagg.scratch import try_lock, wait_for_lock


@contextmanager
def atomic_path(target: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary path in the folder of the target, which becomes the target when the block ends well.

    When the block raises or is interrupted, the temporary file is removed and a target that exists stays as it is.
    A process that is killed leaves its file; the next one that writes into the folder removes it.
    A link is followed: the file that it points to is replaced. The new file has the permissions of any file that
    the user creates.

    Parameters
    ----------
    target : path
        Where the file shall be in the end.

    Yields
    ------
    Path
        An empty file to be written over.

    Raises
    ------
    FileProblem
        The folder is missing or cannot be written to, the disk is full, the target is no ordinary file.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     target = Path(folder) / "greeting.txt"
    ...     with atomic_path(target) as temporary:
    ...         _ = temporary.write_text("hello")
    ...     target.read_text()
    'hello'
    """
    path = Path(os.path.realpath(target))
    if path.is_dir():
        raise FileProblem(f"Cannot write {target}: it is a folder. Give the name of a file.")
    if path.exists() and not path.is_file():
        raise FileProblem(f"Cannot write {target}: it is a device or a pipe. Give the name of an ordinary file.")
    if not path.parent.is_dir():
        raise FileProblem(f"Cannot write {target}: the folder {path.parent} does not exist. Create it first.")
    _remove_stale(path.parent)
    try:
        temporary, lock = _create(path.parent)
    except OSError as error:
        raise FileProblem(
            f"Cannot write {target}: no file can be created in {path.parent} ({error.strerror})."
        ) from error
    try:
        yield temporary
        _synchronise(temporary)
        os.replace(temporary, path)
        _synchronise(path.parent)
    except FileProblem:
        raise
    except OSError as error:
        raise FileProblem(f"Cannot write {target}: {error.strerror or error}. Nothing was left behind.") from error
    finally:
        temporary.unlink(missing_ok=True)
        os.close(lock)


def _prefix() -> str:
    """Begin the names of temporary files with this machine's mark: folders may be shared, locks may not."""
    return f".microagg-{hashlib.sha256(socket.gethostname().encode()).hexdigest()[:8]}-"


def _create(folder: Path) -> tuple[Path, int]:
    """Create an empty file, and give its path and its lock, which is held while somebody writes it."""
    while True:
        temporary = folder / f"{_prefix()}{os.getpid()}-{secrets.token_hex(8)}.part"
        # Mode 666 less the user's umask, as for any new file; exclusive, so that nobody can lay a link in our way.
        lock = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        wait_for_lock(lock)
        # Somebody who cleaned up may have taken it for a dead one's, before the lock was ours.
        if os.fstat(lock).st_nlink:
            return temporary, lock
        os.close(lock)


def _remove_stale(folder: Path) -> None:
    """Remove the temporary files of ours in a folder that nobody writes any more."""
    with suppress(OSError):
        for name in os.listdir(folder):
            if name.startswith(_prefix()) and name.endswith(".part"):
                with suppress(OSError):
                    _remove_if_free(folder / name)


def _remove_if_free(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        found = os.fstat(descriptor)
        if stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid() and try_lock(descriptor):
            path.unlink()
    finally:
        os.close(descriptor)


def _synchronise(path: Path) -> None:
    """Wait until the file or folder is on the disk, so that a power cut leaves the old or the new file, whole."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
