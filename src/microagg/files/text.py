"""Small files of text that people write or keep: plans and definitions (TOML), results (JSON)."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path
from typing import Any

from microagg.errors import FileProblem, InvalidOption

MOST_TOML = 4 << 20
MOST_JSON = 64 << 20
"""How many bytes such a file may have: plans take a few thousand, results of a long comparison some millions."""


def read_text(path: str | os.PathLike[str], most: int) -> str:
    """Read a file of text in UTF-8 that is not too large.

    Raises
    ------
    FileProblem
        It cannot be read, is too large, or is no text.
    """
    try:
        with Path(path).open("rb") as file:
            content = file.read(most + 1)
    except OSError as error:
        raise FileProblem(f"Cannot read {path}: {error.strerror or error}.") from error
    if len(content) > most:
        raise FileProblem(f"{path} has more than {most >> 20} MiB: so much cannot be what it should be.")
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise FileProblem(f"{path} is no text in UTF-8. Save it as UTF-8.") from error


def parse_toml(text: str, what: str) -> dict[str, Any]:
    """Read TOML, or say what is wrong with it.

    >>> parse_toml("k = 5", "the plan")
    {'k': 5}
    >>> parse_toml("k = ", "the plan")
    Traceback (most recent call last):
    ...
    microagg.errors.InvalidOption: the plan is no TOML: Invalid value (at end of document).
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidOption(f"{what} is no TOML: {error}.") from error
    except RecursionError as error:
        raise InvalidOption(f"{what} is nested too deeply: lists and tables in each other.") from error
    except (ValueError, ArithmeticError) as error:  # tomllib lets pass what dates and long numbers raise
        raise InvalidOption(f"{what} is no TOML: a date or a number in it is impossible.") from error


def parse_json(text: str) -> Any:
    """Read JSON; ValueError where it is none, or nested too deeply.

    >>> parse_json("[" * 100_000)
    Traceback (most recent call last):
    ...
    ValueError: nested too deeply
    """
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
