"""What a column is for (its role), how it is stored, and what kind of attribute it is treated as."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from microagg.base.options import nearest


class Role(StrEnum):
    """What a column is for."""

    IDENTIFIER = "identifier"
    """Names somebody outright: never released."""
    QUASI = "quasi"
    """Together with others it could re-identify: microaggregated."""
    CONFIDENTIAL = "confidential"
    """What the release is about: kept as it is, and used to measure risk."""
    OTHER = "other"
    """Kept as it is."""


class Storage(StrEnum):
    """How a file or frame stores a column."""

    NUMERIC = "numeric"
    TEXT = "text"
    BOOLEAN = "boolean"
    DATE = "date"
    OTHER = "other"


class Kind(StrEnum):
    """What a quasi-identifier is treated as."""

    NUMERIC = "numeric"
    """Numbers and dates: squared difference, mean."""
    ORDINAL = "ordinal"
    """Values with an order: difference of ranks, median."""
    NOMINAL = "nominal"
    """Values that are equal or not: mode."""
    HIERARCHY = "hierarchy"
    """Values with a meaning in a hierarchy: semantic distance, semantic centroid."""


def no_such_column(name: str, names: Sequence[str]) -> str:
    """Say that a column does not exist, and which name may have been meant.

    >>> no_such_column("agee", ["age", "income"])
    "there is no column 'agee'; did you mean 'age'?"
    """
    close = nearest(name, names)
    if close is not None:
        return f"there is no column {name!r}; did you mean {close!r}?"
    shown = ", ".join(repr(known) for known in names[:12]) or "none"
    return f"there is no column {name!r}; the columns are {shown}{', ...' if len(names) > 12 else ''}."
