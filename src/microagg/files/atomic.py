"""Writing files whole or not at all: one, or several that belong together."""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import signal
import socket
import stat
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from microagg.errors import FileProblem
from microagg.files import system

PUBLIC, PRIVATE = 0o666, 0o600
"""The modes of new files, before the user's mask takes from them: for everybody, and for the owner alone."""


@contextmanager
def atomic_path(target: str | os.PathLike[str], *, mode: int = PUBLIC) -> Iterator[Path]:
    """Give a temporary path in the folder of the target, which becomes the target when the block ends well.

    When the block raises or is interrupted, the temporary file is removed and a target that exists stays as it is.
    A process that is killed leaves its file, which nobody else may read; the next one that writes into the folder
    removes it.
    A link is followed: the file that it points to is replaced. The new file has the permissions of any file that
    the user creates.

    Parameters
    ----------
    target : path
        Where the file shall be in the end.
    mode : int
        The permissions of the new file, from which the user's mask takes its part.

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
    with atomic_paths([target], modes=[mode]) as (temporary,):
        yield temporary


@contextmanager
def atomic_paths(
    targets: Sequence[str | os.PathLike[str]], *, modes: Sequence[int] | None = None
) -> Iterator[list[Path]]:
    """Give a temporary path for each target; all become their targets when the block ends well, or none does.

    Signals that ask the program to end wait while the files are put in place.

    Parameters
    ----------
    targets : sequence of paths
        Where the files shall be in the end, all of them different.
    modes : sequence of int, optional
        The permissions of each new file; see `atomic_path`.

    Yields
    ------
    list of Path
        Empty files to be written over.

    Raises
    ------
    FileProblem
        As for `atomic_path`; or two targets are one and the same file.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     targets = [Path(folder, "release.csv"), Path(folder, "report.html")]
    ...     try:
    ...         with atomic_paths(targets) as (release, report):
    ...             _ = release.write_text("age")
    ...             raise KeyboardInterrupt
    ...     except KeyboardInterrupt:
    ...         list(Path(folder).iterdir())
    []
    """
    check_different(targets)
    places = [_check_place(target) for target in targets]
    with ExitStack() as stack:
        temporaries = [
            stack.enter_context(_temporary(target, place, mode))
            for target, place, mode in zip(targets, places, modes or [PUBLIC] * len(places), strict=True)
        ]
        shown = ", ".join(os.fspath(target) for target in targets)
        try:
            yield [temporary for temporary, _ in temporaries]
            for temporary, allowed in temporaries:
                temporary.chmod(allowed)
                system.synchronise(temporary)
            with _signals_waiting():
                _put_in_place([temporary for temporary, _ in temporaries], places)
        except FileProblem:
            raise
        except OSError as error:
            raise FileProblem(f"Cannot write {shown}: {error.strerror or error}. Nothing was left behind.") from error


def check_different(targets: Sequence[str | os.PathLike[str]]) -> None:
    """Refuse two targets that are one and the same file, by whatever names it is called.

    >>> check_different(["release.csv", "./release.csv"])
    Traceback (most recent call last):
    microagg.errors.FileProblem: release.csv and ./release.csv are the same file, ... Give each its own name.
    """
    seen: dict[str, str] = {}
    for target in [os.fspath(target) for target in targets]:
        place = os.path.realpath(target)
        for known, earlier in seen.items():
            if known == place or (os.path.exists(known) and os.path.exists(place) and os.path.samefile(known, place)):
                raise FileProblem(
                    f"{earlier} and {target} are the same file, so that one would be written over the other. Give each "
                    "its own name."
                )
        seen[place] = target


def _check_place(target: str | os.PathLike[str]) -> Path:
    path = Path(os.path.realpath(target))
    if path.is_dir():
        raise FileProblem(f"Cannot write {target}: it is a folder. Give the name of a file.")
    if path.exists() and not path.is_file():
        raise FileProblem(f"Cannot write {target}: it is a device or a pipe. Give the name of an ordinary file.")
    if not path.parent.is_dir():
        raise FileProblem(f"Cannot write {target}: the folder {path.parent} does not exist. Create it first.")
    return path


@contextmanager
def _temporary(target: str | os.PathLike[str], path: Path, mode: int) -> Iterator[tuple[Path, int]]:
    """Make an empty file beside the target, for the owner alone, and remove it in the end if it is still there.

    It comes with the permissions that it shall have in its place.
    """
    _remove_stale(path.parent)
    try:
        temporary, allowed, lock = _create(path.parent, mode)
    except OSError as error:
        raise FileProblem(
            f"Cannot write {target}: no file can be created in {path.parent} ({error.strerror})."
        ) from error
    try:
        temporary.chmod(allowed & PRIVATE)
        yield temporary, allowed
    finally:
        temporary.unlink(missing_ok=True)
        if lock is not None:
            os.close(lock)


def _prefix() -> str:
    """Begin the names of temporary files with this machine's mark: folders may be shared, locks may not."""
    return f".microagg-{hashlib.sha256(socket.gethostname().encode()).hexdigest()[:8]}-"


def _create(folder: Path, mode: int) -> tuple[Path, int, int | None]:
    """Create an empty file; give its path, its permissions, and its lock, which is held while somebody writes it.

    Where nobody else could write a file that is open, there is no lock: the name tells which process needs it.
    """
    while True:
        temporary = folder / f"{_prefix()}{os.getpid()}-{secrets.token_hex(8)}.part"
        # As for any new file, the mode is less the user's umask; exclusive, so that nobody can lay a link in our way.
        lock = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | system.CLOSED, mode)
        allowed = stat.S_IMODE(os.fstat(lock).st_mode)
        if not system.WRITERS_HOLD_LOCKS:
            os.close(lock)
            return temporary, allowed, None
        system.wait_for_lock(lock)
        # Somebody who cleaned up may have taken it for a dead one's, before the lock was ours.
        if os.fstat(lock).st_nlink:
            return temporary, allowed, lock
        os.close(lock)


def _remove_stale(folder: Path) -> None:
    """Remove the temporary files of ours in a folder that nobody writes any more."""
    with suppress(OSError):
        for name in os.listdir(folder):
            if name.startswith(_prefix()) and name.endswith((".part", ".old")):
                with suppress(OSError):
                    _remove_if_free(folder / name)


def _remove_if_free(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | system.GUARDED)
    try:
        status = os.fstat(descriptor)
        is_ours = stat.S_ISREG(status.st_mode) and system.is_mine(status) and not _is_alive(path)
        if is_ours and system.WRITERS_HOLD_LOCKS and system.try_lock(descriptor):
            path.unlink()
    finally:
        os.close(descriptor)
    if is_ours and not system.WRITERS_HOLD_LOCKS:
        path.unlink()


def _is_alive(path: Path) -> bool:
    """Say whether the process that a temporary file is named after may still need it, though it holds no lock."""
    owner = path.name.removeprefix(_prefix()).partition("-")[0]
    if (path.suffix == ".part" and system.WRITERS_HOLD_LOCKS) or not owner.isdecimal():
        return False
    return system.is_running(int(owner))


def _put_in_place(temporaries: Sequence[Path], places: Sequence[Path]) -> None:
    """Rename all; where one cannot be renamed, bring back what stood in the place of those before it."""
    kept = [_keep_aside(temporary, path) for temporary, path in zip(temporaries, places, strict=True)]
    replaced: list[tuple[Path, Path | None]] = []
    try:
        for temporary, path, aside in zip(temporaries, places, kept, strict=True):
            os.replace(temporary, path)
            replaced.append((path, aside))
    except OSError:
        for path, aside in replaced:
            if aside is None:
                path.unlink(missing_ok=True)
            else:
                os.replace(aside, path)
        raise
    finally:
        for aside in kept:
            if aside is not None:
                aside.unlink(missing_ok=True)
    for folder in dict.fromkeys(path.parent for path in places):
        system.synchronise(folder)


def _keep_aside(temporary: Path, path: Path) -> Path | None:
    """Give a second name to what stands at a place, or a copy where the disk knows no second names."""
    if not path.exists():
        return None
    aside = temporary.with_suffix(".old")
    try:
        os.link(path, aside)
    except OSError:
        shutil.copy2(path, aside)
    return aside


@contextmanager
def _signals_waiting() -> Iterator[None]:
    """Let signals that end the program wait until the block is over; other threads than the main one get none."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    arrived: list[int] = []
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    # A handler that was not set from Python could not be set again: such a signal is left alone.
    known = {number: handler for number, handler in handlers.items() if handler is not None}
    try:
        for number in known:
            signal.signal(number, lambda number, _: arrived.append(number))
        yield
    finally:
        for number, handler in known.items():
            signal.signal(number, handler)
        for arriving in arrived:
            signal.raise_signal(arriving)
