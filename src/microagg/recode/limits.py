"""Limits beyond which values become the limit itself: given, or found so that at least k records are at or beyond it.

A limit by quantile is a value of the data: published as it is, it would be one person's. Therefore

1. at least k records lie at or beyond it, whatever share was asked for: they all get the limit, so k records share it;
2. unless k records have this very value, it is rounded towards the middle, to 1, 2 or 5 times a power of ten: as
   coarsely as it can be without reaching more than k records that were not beyond it (or a tenth of those that were, if
   that is more). The values of k records lie within what the rounding leaves open. Whole numbers stay whole.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from microagg.base.types import FloatArray
from microagg.errors import InvalidData
from microagg.recode.column import Holds, SteppedColumn, What
from microagg.recode.step import Fit, Fitted, check_numbers, read_number, read_share, shown, wrong

MORE = 10
"""Rounding may bring so small a part more of the records to a limit by quantile than lie beyond it: one in so many."""


def read_limit(name: str, text: str) -> Fit:
    """Read the limit of "top" or "bottom": a number, or a share with a percent sign."""
    limit, share = read_number(text), read_share(text)
    if limit is None and share is None:
        raise wrong(name, f"a number ({name}:90) or a share between 0 and 100% ({name}:99%)", text)

    def fit(column: SteppedColumn, k: int) -> Fitted:
        if column.holds.what is What.DATES:
            todo = f"Take the year or month first: ['date:year', '{name}:2015']."
        else:
            todo = f"Put {name} before bands and prefixes, or merge rare categories (rare:20)."
        check_numbers(column, f"{name} coding", todo)
        end = limit if limit is not None else _by_quantile(column, name, share or Fraction(1, 2), k, text)
        choose: Callable[[FloatArray, float], FloatArray] = np.minimum if name == "top" else np.maximum
        whole = column.holds.is_integer and float(end).is_integer()
        done = f"{{share}} {name} coded"
        return Fitted(
            lambda values: choose(values, end),
            Holds(What.NUMBERS, is_integer=whole, is_code=column.holds.is_code),
            f"{done} at {shown(end)}",
            "" if limit is not None else f"{done} at a limit by quantile ({text})",
        )

    return fit


def _by_quantile(column: SteppedColumn, name: str, share: Fraction, k: int, text: str) -> float:
    numbers = column.numbers
    n_present = numbers.n_present
    if n_present < 2 * k:
        raise InvalidData(
            f"recode: a limit by quantile ({name}:{text}) needs at least 2k = {2 * k} values, and column "
            f"{column.name!r} has fewer. Give the limit itself ({name}:90)."
        )
    beyond = n_present - math.ceil(n_present * share) if name == "top" else math.floor(n_present * share)
    place = max(k, beyond)
    limit = float(numbers.at(n_present - place if name == "top" else place - 1))
    if numbers.between(limit, limit) >= k:
        return limit
    further = max(k, place // MORE)
    inner = numbers.at(max(0, n_present - place - further) if name == "top" else min(n_present, place + further) - 1)
    step = _step(abs(limit - float(inner)))
    return _towards_middle(limit, step, down=name == "top") if step else limit


def _step(most: float) -> float:
    """Give the largest of 1, 2 and 5 times a power of ten that is not above a number; 0 for none.

    >>> _step(3569.0), _step(0.07), _step(0.0)
    (2000.0, 0.05, 0.0)
    """
    if not (most > 0 and math.isfinite(most)):
        return 0.0
    power = math.floor(math.log10(most))
    candidates = [float(f"{digit}e{power + more}") for more in (-1, 0) for digit in (1, 2, 5)]
    return max((step for step in candidates if step <= most), default=0.0)


def _towards_middle(limit: float, step: float, *, down: bool) -> float:
    """Round to a multiple of a step, down or up.

    >>> _towards_middle(183427.0, 2000.0, down=True), _towards_middle(-0.31, 0.05, down=False)
    (182000.0, -0.3)
    """
    times = math.floor(limit / step) if down else math.ceil(limit / step)
    decimals = max(0, -math.floor(math.log10(step)))
    rounded = round(times * step, decimals)
    # Floating point may end up on the wrong side, where fewer than k records would be beyond.
    if (rounded > limit) if down else (rounded < limit):
        rounded = round((times + (-1 if down else 1)) * step, decimals)
    return rounded
