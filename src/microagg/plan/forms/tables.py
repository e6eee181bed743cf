"""Mappings of names to values: options, weights, kinds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from microagg.base.limits import check_limits, spell_limits
from microagg.errors import InvalidOption
from microagg.plan.forms.form import Check, Flag, Form, anything, plain_number
from microagg.plan.forms.reading import read_number, read_table, read_text, wrong
from microagg.plan.spelling import flat, join_names, read_option, read_options, split_kinds, split_names, split_pair
from microagg.semantic.hierarchy import Hierarchy


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
    rule: Check = anything

    def check(self, name: str, value: Any) -> dict[str, Any]:
        """Give the numbers, if the rule allows them."""
        given = super().check(name, value)
        for column, weight in given.items():
            self.rule(f"the weight of column {column!r}", weight)
        return {column: plain_number(weight) for column, weight in given.items()}

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
class LimitsOfColumns(TableForm):
    """The lowest and highest values of columns by their names, with the step where it is given."""

    described: str = "mapping of str to (low, high) or (low, high, step), optional"

    def check(self, name: str, value: Any) -> dict[str, Any]:
        """Give the limits as tuples."""
        return {column: check_limits(column, stated) for column, stated in super().check(name, value).items()}

    def read(self, name: str, value: Any) -> dict[str, Any]:
        """Give the limits in a plan file."""
        return {column: check_limits(column, stated) for column, stated in read_table(name, value).items()}

    def parse(self, typed: Sequence[Any]) -> dict[str, Any]:
        """Read NAME=LOW:HIGH, several separated by commas."""
        return dict(split_pair(text) for texts in typed[0] for text in split_names(texts))

    def spell(self, flags: Sequence[Flag], value: Any) -> list[str]:
        """Write the flag for each name."""
        return [
            word
            for column, stated in value.items()
            for word in (flags[0].spellings[0], join_names([f"{column}={spell_limits(stated)}"]))
        ]

    def call(self, value: Any) -> Any:
        """Give the limits."""
        return dict(value)

    def tell(self, value: Any) -> str:
        """Say what the limits are."""
        return ", ".join(f"{column} {stated[0]:g} to {stated[1]:g}" for column, stated in value.items()) or "none"


@dataclass(frozen=True)
class Promised(TableForm):
    """What is promised of confidential columns, by their names: numbers, or words with numbers."""

    described: str = "mapping of str to int, float or str, optional"
    rule: Check = anything

    def check(self, name: str, value: Any) -> dict[str, Any]:
        """Give what is promised, if the rule allows it, as it is written."""
        given = super().check(name, value)
        return {column: read_option(f"{name}={self.rule(column, said)}")[1] for column, said in given.items()}

    def read(self, name: str, value: Any) -> dict[str, Any]:
        """Give what is promised in a plan file."""
        given = read_table(name, value)
        for column, said in given.items():
            if isinstance(said, bool) or not isinstance(said, int | float | str):
                raise wrong(f"{name} of {column!r}", "a number, or a text in quotes", said)
        return given

    def parse(self, typed: Sequence[Any]) -> dict[str, str]:
        """Read NAME=VALUE each time."""
        return dict(map(split_pair, typed[0]))


@dataclass(frozen=True)
class RuledTable(TableForm):
    """What holds for columns by their names, where a rule allows it."""

    rule: Check = anything

    def check(self, name: str, value: Any) -> dict[str, Any]:
        """Give a copy of the mapping, if the rule allows what it says of each column."""
        given = super().check(name, value)
        for column, said in given.items():
            self.rule(column, said)
        return given


@dataclass(frozen=True)
class Kinds(RuledTable):
    """What columns are treated as, by their names."""

    described: str = "mapping of str to kind, optional"

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
class Texts(RuledTable):
    """What is done with columns, by their names, each as a text."""

    described: str = "mapping of str to str, optional"

    def read(self, name: str, value: Any) -> dict[str, str]:
        """Give the texts in a plan file."""
        given = read_table(name, value)
        return {column: read_text(f"{name} of {column!r}", text) for column, text in given.items()}

    def parse(self, typed: Sequence[Any]) -> dict[str, str]:
        """Read NAME=TEXT each time."""
        return dict(map(split_pair, typed[0]))


def _kind(kind: Any) -> str:
    if isinstance(kind, str):
        return kind
    return "hierarchy:FILE" if isinstance(kind, Hierarchy) else f"ordinal:{','.join(map(str, kind))}"
