"""What a form of hierarchies in files is: how it is told, read and written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from microagg.errors import InvalidData
from microagg.semantic.hierarchy import Hierarchy

MOST_LEVELS = 100
"""How deep a hierarchy in a file may be; WordNet, the deepest in use, has 20 levels."""


def always(text: str) -> bool:
    """Say that a text may be of this form, whatever it is."""
    return True


@dataclass(frozen=True)
class HierarchyFormat:
    """One form of hierarchies in files.

    Attributes
    ----------
    name : str
        What `write_hierarchy` calls it.
    read : callable
        From the text of a file to a hierarchy. Raises InvalidData or FileProblem, without the name of the file.
    write : callable
        From a hierarchy to the text of a file.
    suffixes : tuple of str
        How the names of such files end; without any, it is one of the forms for files of all other names.
    recognizes : callable
        Whether a text is of this form, asked in the order of the registry where several forms have the same suffix.
    most_bytes : int
        How large a file may be.
    """

    name: str
    read: Callable[[str], Hierarchy]
    write: Callable[[Hierarchy], str]
    suffixes: tuple[str, ...] = ()
    recognizes: Callable[[str], bool] = always
    most_bytes: int = 16 << 20


def too_deep() -> InvalidData:
    """Give the error for a hierarchy of too many levels."""
    return InvalidData(f"a hierarchy in a file may have {MOST_LEVELS} levels at most; this one is deeper. Merge some.")
