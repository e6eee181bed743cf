"""What values a choice may have: how they are checked, read from a plan file, spelt on a command line and told."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from microagg.base.options import did_you_mean
from microagg.errors import InvalidOption
from microagg.plan.spelling import flat, join_names, read_options, split_kinds, split_names, split_pair
from microagg.semantic.hierarchy import Hierarchy

Check = Callable[[str, Any], Any]


def _anything(name: str, value: Any) -> Any:
    return value


@dataclass(frozen=True)
class Flag:
    """An option of the command line.

    Attributes
    ----------
    spellings : tuple of str
        What is typed, such as "-k" and "--k".
    parameter : str
        What the value is called in the program.
    help, metavar : str
        What the help of the command says.
    is_flag : bool, optional
        Whether it stands alone, without a value; None: as the form says.
    repeats : bool, optional
        Whether it may be typed several times; None: as the form says.
    """

    spellings: tuple[str, ...] = ()
    parameter: str = ""
    help: str = ""
    metavar: str | None = None
    is_flag: bool | None = None
    repeats: bool | None = None

    def named(self, name: str) -> Flag:
        """Give the flag of a choice: what is not said follows from the name."""
        spellings = self.spellings or (f"--{name.replace('_', '-')}",)
        return replace(self, spellings=spellings, parameter=self.parameter or name)


@dataclass(frozen=True)
class Form:
    """Any value; the forms below say more.

    Attributes
    ----------
    described : str
        The type, as help texts write it.
    """

    described: str = "object"

    @property
    def typed(self) -> type | None:
        """What a command line reads the text as."""
        return None

    @property
    def is_flag(self) -> bool:
        """Whether the flag stands alone, without a value."""
        return False

    @property
    def repeats(self) -> bool:
        """Whether the flag may be typed several times."""
        return False

    @property
    def options(self) -> tuple[str, ...]:
        """What a command line lets users choose among; () for anything."""
        return ()

    def check(self, name: str, value: Any) -> Any:
        """Give the value as a plan holds it, or say what is wrong with it."""
        return value

    def read(self, name: str, value: Any) -> Any:
        """Give the value of a plan file, whose types are told apart strictly."""
        return value

    def parse(self, typed: Sequence[Any]) -> Any:
        """Give the value that was typed: one part for each flag."""
        return typed[0]

    def spell(self, flags: Sequence[Flag], value: Any) -> list[str]:
        """Write the words of a command line that give this value."""
        return [flags[0].spellings[0], str(value)]

    def call(self, value: Any) -> Any:
        """Give the value as a call in Python shows it."""
        return value

    def tell(self, value: Any) -> str:
        """Say for people what was chosen."""
        return "none" if value is None else str(value)


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


@dataclass(frozen=True)
class WholeNumber(Form):
    """A whole number."""

    described: str = "int"
    rule: Check = _anything

    @property
    def typed(self) -> type:
        """What a command line reads the text as."""
        return int

    def check(self, name: str, value: Any) -> Any:
        """Give the number, if the rule allows it."""
        self.rule(name, value)
        return _plain(value)

    def read(self, name: str, value: Any) -> Any:
        """Give the number of a plan file."""
        return read_whole(name, value)


@dataclass(frozen=True)
class Number(Form):
    """A number, or None where that is allowed."""

    described: str = "float"
    rule: Check = _anything
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
        return _plain(value)

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
class TableForm(Form):
    """A mapping of names to values."""

    @property
    def repeats(self) -> bool:
        """Whether the flag may be typed several times."""
        return True

    def check(self, name: str, value: Any) -> dict[str, Any]:
        """Give a copy of the mapping."""
        if value is not None and not isinstance(value, Mapping):
            raise InvalidOption(f"{name} must map names to what holds for them; got {value!r}.")
        return dict(value or {})

    def spell(self, flags: Sequence[Flag], value: Any) -> list[str]:
        """Write the flag for each name."""
        return [word for key, given in value.items() for word in (flags[0].spellings[0], f"{key}={given}")]

    def tell(self, value: Any) -> str:
        """Say what holds for each name."""
        return ", ".join(f"{key} = {given}" for key, given in value.items()) or "none"


@dataclass(frozen=True)
class Options(TableForm):
    """Options of a method by their names; one that has parts holds them in a table of its own."""

    described: str = "mapping of str to object"

    def read(self, name: str, value: Any) -> dict[str, Any]:
        """Give the options in a plan file."""
        for option, given in flat(read_table(name, value)).items():
            if not isinstance(given, bool | int | float | str | list):
                raise wrong(f"the option {option!r}", "a number, a text, true, false or an array", given)
        return dict(value)

    def parse(self, typed: Sequence[Any]) -> dict[str, Any]:
        """Read NAME=VALUE each time, or NAME.PART=VALUE."""
        return read_options(typed[0])

    def spell(self, flags: Sequence[Flag], value: Any) -> list[str]:
        """Write the flag for each option, and for each part of one."""
        return super().spell(flags, flat(value))

    def tell(self, value: Any) -> str:
        """Say what was chosen for each option."""
        return super().tell(flat(value))


@dataclass(frozen=True)
class Weights(TableForm):
    """Numbers of columns by their names."""

    described: str = "mapping of str to float, optional"
    rule: Check = _anything

    def check(self, name: str, value: Any) -> dict[str, Any]:
        """Give the numbers, if the rule allows them."""
        given = super().check(name, value)
        for column, weight in given.items():
            self.rule(f"the weight of column {column!r}", weight)
        return {column: _plain(weight) for column, weight in given.items()}

    def read(self, name: str, value: Any) -> dict[str, float]:
        """Give the numbers in a plan file."""
        given = read_table(name, value)
        return {column: read_number(f"{name} of {column!r}", weight) for column, weight in given.items()}

    def parse(self, typed: Sequence[Any]) -> dict[str, float]:
        """Read NAME=WEIGHT each time."""
        weights = {}
        for column, text in map(split_pair, typed[0]):
            try:
                weights[column] = float(text)
            except ValueError:
                raise InvalidOption(f"the weight of column {column!r} must be a number; got {text!r}.") from None
        return weights

    def tell(self, value: Any) -> str:
        """Say how much each column counts."""
        return ", ".join(f"{column} {weight:g}" for column, weight in value.items()) or "all equal"


@dataclass(frozen=True)
class Kinds(TableForm):
    """What columns are treated as, by their names."""

    described: str = "mapping of str to kind, optional"
    rule: Check = _anything

    def check(self, name: str, value: Any) -> dict[str, Any]:
        """Give the kinds, if the rule allows them."""
        given = super().check(name, value)
        for column, kind in given.items():
            self.rule(column, kind)
        return given

    def read(self, name: str, value: Any) -> dict[str, Any]:
        """Give the kinds in a plan file."""
        allowed = "a table of kinds: a text for each column, or an array of its values in order"
        for kind in read_table(name, value).values():
            in_order = isinstance(kind, list) and all(isinstance(part, str) for part in kind)
            if not isinstance(kind, str) and not in_order:
                raise wrong(name, allowed, value)
        return dict(value)

    def parse(self, typed: Sequence[Any]) -> dict[str, str]:
        """Read NAME=KIND each time."""
        return split_kinds(typed[0])

    def spell(self, flags: Sequence[Flag], value: Any) -> list[str]:
        """Write what --kind takes; a hierarchy in memory stands in no file that we know of."""
        return super().spell(flags, {column: _kind(kind) for column, kind in value.items()})

    def call(self, value: Any) -> Any:
        """Give the kinds; the names of a hierarchy are not the report's to tell."""
        return {column: kind if isinstance(kind, str | list | tuple) else ... for column, kind in value.items()}


@dataclass(frozen=True)
class Rounding(Form):
    """True or False, names of columns, or digits by the names of columns."""

    described: str = "bool, sequence of str or mapping of str to int"
    rule: Check = _anything

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


def _plain(value: Any) -> Any:
    """Give a number of NumPy as a number of Python."""
    return value.item() if isinstance(value, np.generic) else value


def _kind(kind: Any) -> str:
    if isinstance(kind, str):
        return kind
    return "hierarchy:FILE" if isinstance(kind, Hierarchy) else f"ordinal:{','.join(map(str, kind))}"
