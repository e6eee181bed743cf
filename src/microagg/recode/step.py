"""What a step of recoding is: a name, what it takes, and how it is fitted to all values of a column."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction

from microagg.base.types import FloatArray
from microagg.errors import InvalidData, InvalidOption
from microagg.recode.column import Holds, SteppedColumn, What


@dataclass(frozen=True, eq=False)
class Fitted:
    """What a step does with a column, once all of its values are known.

    Attributes
    ----------
    apply : callable
        What becomes of numbers, or codes: of any part of the records alike.
    holds : Holds
        What the column holds afterwards.
    words : str
        What was done; "{share}" stands for the values that changed.
    words_of_few : str
        The same without what is known from the data; "" where that is the same.
    """

    apply: Callable[[FloatArray], FloatArray]
    holds: Holds
    words: str
    words_of_few: str = ""


Fit = Callable[[SteppedColumn, int], Fitted]
"""Fits a step to a column, for a release with this k."""


@dataclass(frozen=True)
class StepKind:
    """A kind of step.

    Attributes
    ----------
    name : str
        How it is called: what stands before the colon.
    examples : tuple of str
        How it is written.
    does : str
        What it does, for people.
    read : callable
        Reads what stands behind the colon.
    """

    name: str
    examples: tuple[str, ...]
    does: str
    read: Callable[[str], Fit]


def wrong(name: str, allowed: str, text: str) -> InvalidOption:
    """Build the error for a step that is not written as it must be."""
    return InvalidOption(f"recode: {name} takes {allowed}; got {f'{name}:{text}'!r}.")


def unfit(column: SteppedColumn, step: str, needs: str, todo: str) -> InvalidData:
    """Build the error for a column that a step cannot be done with."""
    return InvalidData(f"recode: column {column.name!r} holds {column.holds.what}; {step} needs {needs}. {todo}")


def read_number(text: str) -> float | None:
    """Read a finite number; None where it is none.

    >>> read_number("1e3"), read_number("nan"), read_number("ten")
    (1000.0, None, None)
    """
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def read_share(text: str) -> Fraction | None:
    """Read a share such as 99% or 0.5%, exactly; None where it is none between 0 and 100%.

    >>> read_share("0.5%"), read_share("99"), read_share("101%")
    (Fraction(1, 200), None, None)
    """
    if not text.endswith("%"):
        return None
    try:
        share = Fraction(Decimal(text[:-1].strip())) / 100
    except (InvalidOperation, ValueError, OverflowError):
        return None
    return share if 0 < share < 1 else None


def finite_limits(column: SteppedColumn) -> tuple[float, float] | None:
    """Give the least and the greatest number of a column, none of which may be infinite."""
    limits: tuple[float, float] | None = column.numbers.limits()
    if limits is not None and not all(map(math.isfinite, limits)):
        raise InvalidData(f"recode: column {column.name!r} holds an infinite number. Correct it or leave it out.")
    return limits


def check_numbers(column: SteppedColumn, step: str, todo: str) -> None:
    """Refuse a column that holds no numbers, or infinite ones."""
    if column.holds.what is not What.NUMBERS:
        raise unfit(column, step, "numbers", todo)
    finite_limits(column)


def shown(value: float) -> str:
    """Write a number for people.

    >>> shown(180000.0), shown(0.25)
    ('180,000', '0.25')
    """
    return f"{int(value):,}" if float(value).is_integer() and abs(value) < 1e15 else f"{value:,}"
