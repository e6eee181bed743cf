"""Scaling by powers of two, so that very large and very small numbers can be squared and added up."""

from __future__ import annotations

import math

import numpy as np

from microagg.base.types import FloatArray
from microagg.errors import InvalidData

REACH = 200
"""Numbers from 2^-200 to 2^200 (about 1e-60 to 1e60) can be squared, multiplied and added up by the billion; where the
largest of a matrix lies outside, all of them are scaled by a power of two."""


def exponent_of(X: FloatArray, reach: int = REACH) -> int:
    """Give e so that X / 2^e is within reach: 0 where X is, else such that the largest number becomes 0.5 to 1.

    >>> exponent_of(np.array([3.0])), exponent_of(np.array([2.0**900])), exponent_of(np.array([5e-324]))
    (0, 901, -1073)
    """
    largest = max(float(X.max()), -float(X.min()))
    exponent = math.frexp(largest)[1]
    return 0 if largest == 0.0 or -reach < exponent <= reach else exponent


def within_range(X: FloatArray, reach: int = REACH) -> FloatArray:
    """Scale X by a power of two where its squares would overflow or vanish: the best groups and paths stay the same.

    >>> float(within_range(np.array([[1e200], [3e200]])).max()) <= 1.0
    True
    """
    return scaled(X, reach)[0]


def scaled(X: FloatArray, reach: int = REACH) -> tuple[FloatArray, int]:
    """Give X within range, and the exponent of the power of two that it was divided by; see `in_units`.

    >>> scaled(np.array([[3.0]])), scaled(np.array([[2.0**900]]))
    ((array([[3.]]), 0), (array([[0.5]]), 901))
    """
    exponent = exponent_of(X, reach)
    return (np.ldexp(X, -exponent) if exponent else X), exponent


def columns_within_range(*sides: FloatArray) -> tuple[FloatArray, ...]:
    """Scale each column by a power of two of its own, the same in all matrices, where its squares would overflow.

    >>> [side.tolist() for side in columns_within_range(np.array([[2.0**900, 1.0]]), np.array([[0.0, 3.0]]))]
    [[[0.5, 1.0]], [[0.0, 3.0]]]
    >>> [side.tolist() for side in columns_within_range(np.array([[2.0**900]]), np.array([[2.0**-900]]))]
    [[[0.5]], [[0.0]]]
    """
    if not all(side.size for side in sides):
        return sides
    # Of all matrices together: what is next to nothing in one of them may be huge in another.
    exponents = [exponent_of(np.concatenate([side[:, j] for side in sides])) for j in range(sides[0].shape[1])]
    return tuple(np.ldexp(side, -np.array(exponents)) for side in sides) if any(exponents) else sides


def in_units(scaled: float, exponent: int, what: str) -> float:
    """Give scaled * 2^exponent, or say that no number is as large as that.

    >>> in_units(0.75, 2, "the length of the path")
    3.0
    """
    try:
        return math.ldexp(scaled, exponent)
    except OverflowError as error:
        raise InvalidData(
            f"{what} is beyond the largest number that there is (1.8e308). Standardise the columns, or give them in "
            "larger units."
        ) from error
