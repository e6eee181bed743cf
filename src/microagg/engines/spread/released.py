"""A release that is a frame on a cluster, and the folder in which it lies."""

from __future__ import annotations

import atexit
import secrets
import shutil
import tempfile
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from microagg.errors import FileProblem
from microagg.release import FileRelease


@dataclass(frozen=True, repr=False, kw_only=True)
class FrameRelease(FileRelease):
    """A release that was made on a cluster and lies there: all facts are those of all records.

    Attributes
    ----------
    frame : frame of Spark or Dask
        The released records: quasi-identifiers replaced, identifiers gone. It was written down once, and is read from
        `folder` whenever it is looked at.
    folder : str
        Where it lies, until somebody removes it.
    """

    frame: Any
    folder: str

    @property
    def data(self) -> Any:
        """The released frame."""
        return self.frame


def with_frame(release: FileRelease, frame: Any, folder: str) -> FrameRelease:
    """Give a release with the frame that it is."""
    known = {item.name: getattr(release, item.name) for item in fields(FileRelease)}
    return FrameRelease(**known, frame=frame, folder=folder)


def new_folder(beside: str | None) -> Path:
    """Make a private folder: in one that is given, or a temporary one that is removed when Python ends."""
    if beside is None:
        folder = Path(tempfile.mkdtemp(prefix="microagg-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        return folder
    folder = Path(beside) / f"microagg-{secrets.token_hex(16)}"
    try:
        folder.mkdir(mode=0o700)
    except OSError as error:
        raise FileProblem(f"Cannot write in {beside}: {error.strerror or error}.") from error
    return folder
