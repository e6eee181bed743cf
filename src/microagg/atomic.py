"""Writing a file whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from microagg.errors import FileProblem


@contextmanager
def atomic_path(target: str | os.PathLike[str], *, private: bool = False) -> Iterator[Path]:
    """Give a temporary path in the folder of the target, which becomes the target when the block ends well.

    When the block raises or is interrupted, the temporary file is removed and a target that exists stays as it is.
    A link is followed: the file that it points to is replaced. The new file has the permissions of any file that
    the user creates.

    Parameters
    ----------
    target : path
        Where the file shall be in the end.
    private : bool
        Whether nobody but the user may read it, from its first byte on.

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
    temporary = path.parent / f".microagg-{secrets.token_hex(8)}.part"
    try:
        # Mode 666 less the user's umask, as for any new file; exclusive, so that nobody can lay a link in our way.
        os.close(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 if private else 0o666))
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


def _synchronise(path: Path) -> None:
    """Wait until the file or folder is on the disk, so that a power cut leaves the old or the new file, whole."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
