"""Values of a plan file, whose types are told apart strictly."""

from __future__ import annotations

from typing import Any

from microagg.errors import InvalidOption


def wrong(name: str, allowed: str, value: Any) -> InvalidOption:
    """Say that a value in a plan file is not what must stand there."""
    return InvalidOption(f"{name} must be {allowed}; got {value!r}.")


def read_whole(name: str, value: Any) -> int:
    """Read a whole number of a plan file."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise wrong(name, "a whole number", value)
    return value


def read_number(name: str, value: Any) -> float:
    """Read a number of a plan file."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise wrong(name, "a number", value)
    return value


def read_text(name: str, value: Any) -> str:
    """Read a text of a plan file."""
    if not isinstance(value, str):
        raise wrong(name, "a text in quotes", value)
    return value


def read_texts(name: str, value: Any) -> tuple[str, ...]:
    """Read an array of texts of a plan file."""
    if not isinstance(value, list) or not all(isinstance(part, str) for part in value):
        raise wrong(name, "an array of texts", value)
    return tuple(value)


def read_table(name: str, value: Any) -> dict[str, Any]:
    """Read a table of a plan file."""
    if not isinstance(value, dict):
        raise wrong(name, "a table", value)
    return value
