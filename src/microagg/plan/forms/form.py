"""What a form of values says, and the flags of the command line that spell them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

Check = Callable[[str, Any], Any]


def anything(name: str, value: Any) -> Any:
    """Allow any value."""
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


def plain_number(value: Any) -> Any:
    """Give a number of NumPy as a number of Python."""
    return value.item() if isinstance(value, np.generic) else value
