"""Rounding to a base: numbers become the nearest multiple of it."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import numpy as np

from microagg.base.types import FloatArray
from microagg.recode.column import Holds, SteppedColumn, What
from microagg.recode.step import Fit, Fitted, StepKind, check_numbers, read_number, shown, wrong


def _read(text: str) -> Fit:
    base = read_number(text)
    if base is None or base <= 0:
        raise wrong("round", "a number above 0 (round:1000, round:0.5)", text)
    decimals = max(0, -int(Decimal(repr(base)).as_tuple().exponent))

    def apply(values: FloatArray) -> FloatArray:
        with np.errstate(over="ignore", invalid="ignore"):
            rounded = np.round(np.round(values / base) * base, min(decimals, 300)) + 0.0
        # Numbers too large to be divided by the base have no such digits.
        return np.where(np.isfinite(rounded), rounded, values)

    def fit(column: SteppedColumn, k: int) -> Fitted:
        date = column.holds.what is What.DATES
        check_numbers(column, "round", "Use date:month, date:quarter or date:year." if date else "Use prefix or rare.")
        holds = Holds(What.NUMBERS, is_integer=base.is_integer(), is_code=column.holds.is_code)
        return Fitted(apply, holds, f"{{share}} rounded to multiples of {shown(base)}")

    return fit


def rounding_base(steps: Sequence[str]) -> float | None:
    """Give the whole number to multiples of which a column was rounded in the end: means are no finer.

    >>> rounding_base(["top:99%", "round:500"]), rounding_base(["round:500", "top:99%"]), rounding_base(["round:0.5"])
    (500.0, None, None)
    """
    name, _, text = (steps[-1] if steps else "").partition(":")
    base = read_number(text) if name.strip().lower() == "round" else None
    return base if base is not None and base.is_integer() else None


STEP = StepKind(
    "round", ("round:1000",), "numbers become the nearest multiple of a base; halves become the even one", _read
)
