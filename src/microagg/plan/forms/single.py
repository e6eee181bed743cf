"""Single values: numbers, truth values, one of several texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from microagg.base.options import did_you_mean
from microagg.errors import InvalidOption
from microagg.plan.forms.form import Check, Flag, Form, anything, plain_number
from microagg.plan.forms.reading import read_number, read_text, read_whole, wrong


@dataclass(frozen=True)
class WholeNumber(Form):
    """A whole number."""

    described: str = "int"
    rule: Check = anything

    @property
    def typed(self) -> type:
        """What a command line reads the text as."""
        return int

    def check(self, name: str, value: Any) -> Any:
        """Give the number, if the rule allows it."""
        self.rule(name, value)
        return plain_number(value)

    def read(self, name: str, value: Any) -> Any:
        """Give the number of a plan file."""
        return read_whole(name, value)


@dataclass(frozen=True)
class Number(Form):
    """A number, or None where that is allowed."""

    described: str = "float"
    rule: Check = anything
    optional: bool = False

    @property
    def typed(self) -> type:
        """What a command line reads the text as."""
        return float

    def check(self, name: str, value: Any) -> Any:
        """Give the number, if the rule allows it."""
        if value is None and self.optional:
            return None
        self.rule(name, value)
        return plain_number(value)

    def read(self, name: str, value: Any) -> Any:
        """Give the number of a plan file."""
        return read_number(name, value)


@dataclass(frozen=True)
class Truth(Form):
    """True or False; `inverse` where the flag of the command line says False."""

    described: str = "bool"
    inverse: bool = False
    yes: str = "yes"
    no: str = "no"

    @property
    def is_flag(self) -> bool:
        """Whether the flag stands alone, without a value."""
        return True

    def check(self, name: str, value: Any) -> bool:
        """Give the truth value."""
        if not isinstance(value, bool):
            raise InvalidOption(f"{name} must be True or False; got {value!r}.")
        return value

    def read(self, name: str, value: Any) -> bool:
        """Give the truth value of a plan file."""
        if not isinstance(value, bool):
            raise wrong(name, "true or false", value)
        return value

    def parse(self, typed: Sequence[Any]) -> bool:
        """Give what the flag says."""
        return bool(typed[0]) is not self.inverse

    def spell(self, flags: Sequence[Flag], value: Any) -> list[str]:
        """Write the flag, where it is needed."""
        return [flags[0].spellings[0]] if value is not self.inverse else []

    def tell(self, value: Any) -> str:
        """Say yes or no."""
        return self.yes if value else self.no


@dataclass(frozen=True)
class OneOf(Form):
    """One of several texts, or None where that is allowed."""

    among: tuple[str, ...] = ()
    optional: bool = False
    listed: bool = True
    """Whether the command line shows the texts in place of a value."""

    @property
    def options(self) -> tuple[str, ...]:
        """What a command line lets users choose among."""
        return self.among if self.listed else ()

    def check(self, name: str, value: Any) -> Any:
        """Give the text, if it is one of those that are allowed."""
        if value is None and self.optional:
            return None
        if not isinstance(value, str) or value not in self.among:
            none = ", or None" if self.optional else ""
            hint = did_you_mean(value, self.among)
            raise InvalidOption(
                f"{name} must be one of {', '.join(self.among)}{none}; got {value!r}.{f' {hint}' if hint else ''}"
            )
        return str(value)

    def read(self, name: str, value: Any) -> Any:
        """Give the text of a plan file."""
        return read_text(name, value)
