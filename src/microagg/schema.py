"""What a column is for (its role) and what it holds (its kind)."""

from __future__ import annotations

from enum import StrEnum


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


class Kind(StrEnum):
    """What a column holds."""

    NUMERIC = "numeric"
    TEXT = "text"
    BOOLEAN = "boolean"
    DATE = "date"
    OTHER = "other"
