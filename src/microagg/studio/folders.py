"""The folders in which the studio may read and write: nothing outside them, by whatever name or link."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from microagg import io
from microagg.errors import FileProblem, MicroaggError

MOST_ENTRIES = 200
"""How many names a folder is shown with."""
READABLE = tuple(io.FORMATS)


@dataclass(frozen=True)
class Listed:
    """A name in a folder that can be opened: a folder, or a file of a kind that is known."""

    name: str
    path: str
    is_folder: bool


class Folders:
    """Folders that were allowed; paths in them are told apart from all others with links resolved.

    Parameters
    ----------
    allowed : iterable of paths
        Folders; files are allowed by themselves.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Folders([folder]).resolve("/etc/passwd")
    Traceback (most recent call last):
    ...
    microagg.errors.FileProblem: This is outside the folders that the studio may use. Start it with --folder ...
    """

    def __init__(self, allowed: Iterable[str | os.PathLike[str]]) -> None:
        self.roots = tuple(dict.fromkeys(Path(os.path.realpath(Path(path).expanduser())) for path in allowed))

    def resolve(self, text: str | os.PathLike[str]) -> Path:
        """Give the real path of a name in an allowed folder, whether it exists or not; FileProblem for all others."""
        written = os.fspath(text)
        if "\0" in written or len(written) > 4096:
            raise FileProblem("This is no name of a file.")
        path = Path(written).expanduser() if written.startswith("~") else Path(written)
        if not path.is_absolute() and self.roots:
            path = self.roots[0] / path
        real = Path(os.path.realpath(path))
        if not any(real == root or (root in real.parents) for root in self.roots):
            raise FileProblem(
                "This is outside the folders that the studio may use. Start it with --folder to allow another one, or "
                "upload the file."
            )
        return real

    def listed(self, text: str) -> list[Listed]:
        """Give what begins as a path does: folders, and files that can be opened; links that lead outside are left out.

        What ends in a slash names a folder, whose contents are given; nothing at all names the allowed folders.
        """
        if not text.strip():
            return [Listed(f"{root}", f"{root}{os.sep if root.is_dir() else ''}", root.is_dir()) for root in self.roots]
        folder, _, begin = text.rpartition("/")
        try:
            place = self.resolve(folder or "/" if text.startswith("/") else folder or ".")
            names = sorted(os.listdir(place), key=str.casefold)
        except (MicroaggError, OSError):
            return []
        entries = []
        for name in names:
            if not name.casefold().startswith(begin.casefold()) or (name.startswith(".") and not begin.startswith(".")):
                continue
            try:
                real = self.resolve(place / name)
            except MicroaggError:
                continue
            is_folder = real.is_dir()
            if is_folder or (real.is_file() and name.lower().endswith((*READABLE, ".toml"))):
                entries.append(Listed(name, f"{place / name}{os.sep if is_folder else ''}", is_folder))
            if len(entries) == MOST_ENTRIES:
                break
        return entries
