"""The number that has some place in ascending order, of numbers that nobody has all of."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from microagg.base.types import FloatArray, IntArray
from microagg.engines.chance import Words

Sum = Callable[[Callable[[FloatArray], Any], Callable[[Any, Any], Any]], Any]
"""Gives what a task says of all numbers, part by part and merged."""

BITS, DIGITS = 16, 4
"""Numbers are looked at by so many bits at a time, the highest first."""


def at_place(total: Sum, place: int) -> float:
    """Give the number at this place, from 0, exactly: digit by digit, each of which is one count of all numbers.

    >>> at_place(lambda task, merge: merge(task(np.array([3.0, -1.0])), task(np.array([7.0, np.nan]))), 1)
    3.0
    """
    prefix = 0
    for digit in range(DIGITS):
        counts: IntArray = total(partial(_count_digits, digit=digit, prefix=prefix), np.add)
        ends = np.cumsum(counts)
        chosen = int(np.searchsorted(ends, place, side="right"))
        place -= int(ends[chosen]) - int(counts[chosen])
        prefix = (prefix << BITS) | chosen
    word = np.array([prefix], dtype=np.uint64)
    sign = np.uint64(1 << 63)
    back = np.where(word & sign, word ^ sign, ~word)
    return float(back.view(np.float64)[0])


def _in_order(values: FloatArray) -> Words:
    """Give words that are in the order of the numbers."""
    words = np.ascontiguousarray(values[~np.isnan(values)] + 0.0).view(np.uint64)
    sign = np.uint64(1 << 63)
    return np.where(words & sign, ~words, words | sign)


def _count_digits(values: FloatArray, *, digit: int, prefix: int) -> IntArray:
    """Count the numbers that begin with a prefix by their next digit."""
    words = _in_order(values)
    below = 64 - BITS * (digit + 1)
    if digit:
        words = words[(words >> np.uint64(below + BITS)) == np.uint64(prefix)]
    digits = (words >> np.uint64(below)) & np.uint64((1 << BITS) - 1)
    return np.bincount(digits.astype(np.int64), minlength=1 << BITS)
