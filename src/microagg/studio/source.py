"""The data that a project is about: a file by its path, and how it is read. The studio itself holds no records."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from microagg import io
from microagg.anonymize import read_for
from microagg.base.table import Table
from microagg.plan import FileMark, Plan

OWN, UPLOADED, EXAMPLE = "file", "upload", "example"
"""Where data come from: a file that stays where it is, one that was sent and goes with the studio, one of our own."""


@dataclass(frozen=True)
class DataSource:
    """A file, and how it is read.

    Attributes
    ----------
    path : str
        Where it is.
    name : str
        What people call it.
    origin : str
        OWN, UPLOADED or EXAMPLE.
    reading : dict
        What `microagg.io.read` is told: sheet, header_row, header, delimiter, decimal, encoding.
    sha256 : str
        Its checksum; "" until it is known.
    """

    path: str
    name: str
    origin: str = OWN
    reading: dict[str, Any] = field(default_factory=dict)
    sha256: str = ""

    @property
    def format(self) -> io.Format:
        """What kind of file it is."""
        return io.format_of(self.path)

    @property
    def is_there(self) -> bool:
        """Whether the file can be read now."""
        return Path(self.path).is_file()

    @property
    def mark(self) -> FileMark:
        """The file as plans name it."""
        return FileMark(self.path, self.sha256, **self.reading)

    def read(self, plan: Plan | None = None) -> Table:
        """Read the records: for a plan as its release would, else as they are. For processes of jobs."""
        if plan is None:
            return io.read(self.path, **self.reading)
        return read_for(plan, Path(self.path), **self.reading)
