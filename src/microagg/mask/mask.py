"""A mask as an entry of MASKS: its function, how its choices are written, and how it is described to users."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from microagg.base.types import FloatArray

Function = Callable[..., FloatArray]
"""`function(values, amount, random, *, words) -> values`, of columns that are masked together; NaN is missing."""


@dataclass(frozen=True)
class Mask:
    """A way to change values at random: `NAME:AMOUNT`, and words after further colons.

    Attributes
    ----------
    name : str
        What users type.
    function : callable
        `function(values, amount, random, *, words) -> values`.
    title, summary, reference : str
        For people: the full name, one line, and where it was published.
    amount : str
        What the amount is.
    least, most : float
        Between which numbers it lies.
    takes : {"numbers", "categories"}
        What kind of column it changes.
    words : mapping of str to str
        What may stand after the amount, and what it means.
    """

    name: str
    function: Function
    title: str
    summary: str
    reference: str
    amount: str
    least: float
    most: float
    takes: Literal["numbers", "categories"] = "numbers"
    words: Mapping[str, str] = field(default_factory=dict)

    @property
    def pattern(self) -> str:
        """How it is written."""
        return f"{self.name}:{self.amount.upper()}{''.join(f'[:{word}]' for word in self.words)}"


@dataclass(frozen=True)
class ChosenMask:
    """A mask with its amount and words, as somebody asked for it."""

    mask: Mask
    amount: float
    words: tuple[str, ...] = ()

    def __call__(self, values: FloatArray, random: np.random.Generator) -> FloatArray:
        """Change the values of columns that are masked together; what is missing stays missing."""
        chosen: dict[str, Any] = dict.fromkeys(self.words, True)
        return self.mask.function(values, self.amount, random, **chosen)

    @property
    def title(self) -> str:
        """What it is, for people."""
        said = ", ".join([f"{self.mask.amount} {self.amount:g}", *self.words])
        return f"{self.mask.title} ({said})"
