"""Names of columns, and what is rounded in which."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from microagg.errors import InvalidOption
from microagg.plan.forms.form import Check, Flag, Form, anything
from microagg.plan.forms.reading import read_text, read_texts, read_whole, wrong
from microagg.plan.spelling import join_names, split_names


@dataclass(frozen=True)
class ColumnName(Form):
    """The name of a column, or None."""

    described: str = "str, optional"

    def check(self, name: str, value: Any) -> str | None:
        """Give the name."""
        if value is not None and not isinstance(value, str):
            raise InvalidOption(f"{name} must be the name of a column, or None; got {value!r}.")
        return value

    def read(self, name: str, value: Any) -> Any:
        """Give the name in a plan file."""
        return read_text(name, value)


@dataclass(frozen=True)
class ColumnNames(Form):
    """Names of columns; `every`: None stands for every column without another role; `alone`: one may stand alone."""

    described: str = "sequence of str"
    every: bool = False
    alone: bool = False

    def check(self, name: str, value: Any) -> tuple[str, ...] | None:
        """Give the names as a tuple."""
        if value is None:
            return None if self.every else ()
        if self.every and value == "*":
            return None
        if self.alone and isinstance(value, str):
            return (value,)
        return check_names(name, value)

    def read(self, name: str, value: Any) -> tuple[str, ...]:
        """Give the names in a plan file."""
        return read_texts(name, value)

    def parse(self, typed: Sequence[Any]) -> list[str] | None:
        """Split the names at their commas."""
        (text,) = typed
        return None if self.every and (text is None or text.strip() == "*") else split_names(text)

    def spell(self, flags: Sequence[Flag], value: Any) -> list[str]:
        """Join the names by commas."""
        return [flags[0].spellings[0], "*" if value is None else join_names(value)]

    def call(self, value: Any) -> Any:
        """Give the names as a list."""
        return value if value is None else list(value)

    def tell(self, value: Any) -> str:
        """Name the columns."""
        return ", ".join(value or ()) or "none"


@dataclass(frozen=True)
class Rounding(Form):
    """True or False, names of columns, or digits by the names of columns."""

    described: str = "bool, sequence of str or mapping of str to int"
    rule: Check = anything

    def check(self, name: str, value: Any) -> Any:
        """Give the rounding, if the rule allows the digits."""
        if isinstance(value, bool):
            return value
        if isinstance(value, Mapping):
            return {column: self.rule(column, digits) for column, digits in value.items()}
        return check_names(name, value) if value is not None else ()

    def read(self, name: str, value: Any) -> Any:
        """Give the rounding in a plan file."""
        if isinstance(value, bool):
            return value
        if isinstance(value, dict):
            return {column: read_whole(f"{name} of {column!r}", digits) for column, digits in value.items()}
        if not isinstance(value, list):
            raise wrong(name, "true, false, an array of columns or a table of digits", value)
        return read_texts(name, value)

    def parse(self, typed: Sequence[Any]) -> bool | dict[str, int]:
        """Read the flag that keeps whole numbers whole, and NAME or NAME=DIGITS each time."""
        whole, columns = typed
        if whole and columns:
            raise InvalidOption("--round and --round-column cannot be used together.")
        digits: dict[str, int] = {}
        for text in columns:
            name, equals, value = text.rpartition("=")
            try:
                digits[name if equals else text] = int(value) if equals else 0
            except ValueError:
                raise InvalidOption(f"--round-column must be written NAME or NAME=DIGITS; got {text!r}.") from None
        return bool(whole) or digits or False

    def spell(self, flags: Sequence[Flag], value: Any) -> list[str]:
        """Write the one flag, or the other for each column."""
        whole, column = (flag.spellings[0] for flag in flags)
        if isinstance(value, bool):
            return [whole] if value else []
        digits = value if isinstance(value, Mapping) else dict.fromkeys(value, 0)
        return [word for name, count in digits.items() for word in (column, f"{name}={count}")]

    def call(self, value: Any) -> Any:
        """Give names as a list."""
        return list(value) if isinstance(value, tuple) else value

    def tell(self, value: Any) -> str:
        """Say what is rounded, and how."""
        if isinstance(value, bool):
            return "whole numbers stay whole" if value else "none"
        if isinstance(value, Mapping):
            return ", ".join(f"{name} to {digits} digits" for name, digits in value.items())
        return ", ".join(f"{name} to whole numbers" for name in value)


def check_names(name: str, value: Any) -> tuple[str, ...]:
    """Give names of columns as a tuple; a single text is more often a slip than a list of letters.

    >>> check_names("quasi", ["age"])
    ('age',)
    """
    if isinstance(value, str):
        raise InvalidOption(f"{name} must be a list of column names; got the single text {value!r}: write [{value!r}].")
    if not isinstance(value, Iterable):
        raise InvalidOption(f"{name} must be a list of column names; got {value!r}.")
    names = tuple(value)
    for part in names:
        if not isinstance(part, str):
            raise InvalidOption(f"{name} must be a list of column names, which are texts; got {part!r} among them.")
    return names
