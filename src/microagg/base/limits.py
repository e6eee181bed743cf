"""The limits of a column, as somebody states them who has not looked at the data."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from microagg.base.types import FloatArray, IntArray
from microagg.errors import InvalidOption

WHOLE = 10
"""ColumnLimits that are whole numbers at least so far apart are those of whole numbers, where no step is given."""
PARTS = 1_000
"""Into so many steps any other range is divided."""
MOST_STEPS = 2**53
"""Into so many steps a range can be divided at most."""

Stated = tuple[float, ...]
"""The lowest and the highest value, and the step in which values are told."""


@dataclass(frozen=True)
class ColumnLimits:
    """The lowest and highest value of a column and its step, exactly; values are counted in steps from the lowest.

    >>> age = ColumnLimits.of("age", (0, 120))
    >>> age.n_steps, age.steps(np.array([-3.0, 17.4, 500.0])).tolist(), age.values(np.array([17])).tolist()
    (120, [0, 17, 120], [17.0])
    """

    low: Fraction
    step: Fraction
    n_steps: int

    @classmethod
    def of(cls, name: str, stated: Any) -> ColumnLimits:
        """Read what is stated of a column."""
        stated = check_limits(name, stated)
        # As people write a number, not as it is stored: 0.1 is a tenth.
        low, high = (Fraction(str(value)) for value in stated[:2])
        if len(stated) == 3:
            step = Fraction(str(stated[2]))
        elif low.denominator == high.denominator == 1 and high - low >= WHOLE:
            step = Fraction(1)
        else:
            step = (high - low) / PARTS
        n_steps = (high - low) // step if step > 0 else 0
        if not 1 <= n_steps <= MOST_STEPS:
            raise InvalidOption(
                f"limits: the step of column {name!r} must be greater than 0 and at most the range of its values, "
                f"high - low, and at least 2^-53 of it; got {stated!r}."
            )
        return cls(low, step, int(n_steps))

    @property
    def whole(self) -> bool:
        """Whether all values are whole numbers."""
        return self.low.denominator == 1 and self.step.denominator == 1

    @property
    def width(self) -> float:
        """How far apart the limits are."""
        return float(self.step * self.n_steps)

    def steps(self, values: FloatArray) -> IntArray:
        """Give values as steps from the lowest; what lies outside counts as the limit."""
        low, width = float(self.low), self.width
        share = (np.clip(values, low, low + width) - low) / width
        steps: IntArray = np.clip(np.floor(share * self.n_steps + 0.5), 0, self.n_steps).astype(np.int64)
        return steps

    def values(self, steps: IntArray) -> FloatArray:
        """Give the values of steps: the nearest number to each, whatever it was reckoned from."""
        places, where = np.unique(steps, return_inverse=True)
        exact = [float(self.low + self.step * int(place)) for place in places.tolist()]
        return np.array(exact, dtype=np.float64)[where]


def check_limits(name: str, stated: Any) -> Stated:
    """Give limits as two or three numbers; a text is written LOW:HIGH or LOW:HIGH:STEP.

    >>> check_limits("age", "0:120"), check_limits("share", [0, 1, 0.01])
    ((0, 120), (0, 1, 0.01))
    """
    parts = stated.split(":") if isinstance(stated, str) else stated
    try:
        numbers = tuple(_number(part) for part in parts)
    except (TypeError, ValueError):
        numbers = ()
    if len(numbers) not in (2, 3) or not numbers[0] < numbers[1]:
        raise InvalidOption(
            f"limits: column {name!r} must have its lowest and its highest value, such as (0, 120) or 0:120, and may "
            f"have the step in which values are told, such as (0, 1, 0.01); got {stated!r}."
        )
    return numbers


def spell_limits(stated: Stated) -> str:
    """Write limits as a command line has them.

    >>> spell_limits((0, 120)), spell_limits((0, 1, 0.01))
    ('0:120', '0:1:0.01')
    """
    return ":".join(str(part) for part in stated)


def _number(part: Any) -> float:
    if isinstance(part, bool):
        raise TypeError
    if isinstance(part, str):
        part = part.strip()
        part = int(part) if part.lstrip("+-").isdigit() else float(part)
    value = part.item() if isinstance(part, np.generic) else part
    if not isinstance(value, int | float) or not np.isfinite(value):
        raise TypeError
    return value
