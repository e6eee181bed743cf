"""t: the values of a confidential column in every class are distributed as those of all records, nearly."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from microagg.base.types import BoolArray, FloatArray
from microagg.constraints.constraint import SLACK, Constraint, ConstraintKind, Sensitive, number_words
from microagg.errors import InvalidOption
from microagg.measures.composition import Composition
from microagg.risk.closeness import closeness_by_class

EQUAL, ORDERED = 3, 4
"""The numbers of the kinds of promises in the kernels."""
MOST_SIZES = 256
"""Up to which size of a group it is looked whether it can be close enough."""
MOST_LOOKED_AT = 30_000_000
"""How many shares are computed for that, at most."""
SLACK_OF_KERNELS = 1e-10


@dataclass(frozen=True)
class Closeness(Constraint):
    """The earth mover's distance of every class to all records is at most t.

    Numbers and dates: the steps between values in their order count; other values are equally far apart.
    """

    value: float
    name: ClassVar[str] = "t"

    @property
    def level(self) -> float:
        """The figure that is promised."""
        return self.value

    def reached(self, made: Composition, column: Sensitive) -> FloatArray:
        """Give the distance of each class to all records."""
        return closeness_by_class(made, distance="ordered" if column.ordered else "equal")

    def keeps(self, made: Composition, column: Sensitive) -> BoolArray:
        """Say of each class whether it is close enough."""
        kept: BoolArray = self.reached(made, column) <= self.value + SLACK
        return kept

    def worst(self, reached: FloatArray) -> float:
        """Give the distance of the class that is farthest away."""
        return float(reached.max())

    def lacks(self, made: Composition, column: Sensitive) -> FloatArray:
        """Give the distance beyond t: it is convex, so that merged classes never lack more."""
        lacking = self.reached(made, column) - self.value
        return np.where(lacking > SLACK_OF_KERNELS, lacking, 0.0)

    def kernel(self, column: Sensitive) -> tuple[int, float, float]:
        """Give kind, level and factor."""
        return ORDERED if column.ordered else EQUAL, self.value, 0.0

    def spelled(self) -> str:
        """Give what the user writes for it."""
        return number_words(self.value)

    def best(self, reached: float) -> str:
        """Say what can be had."""
        return f"choose t of at least {math.ceil(reached * 1000) / 1000:g}"

    def words(self, column: str) -> str:
        """Say what is promised."""
        return f"values of {column} at most {self.value:g} away from those of all records"

    def least_size(self, column: Sensitive) -> int:
        """Give the least size of a group that can be close enough: its shares are multiples of 1 / size.

        >>> Closeness(0.1).least_size(Sensitive("pay", True, np.ones(100, dtype=np.int64)))
        3
        """
        most = min(MOST_SIZES, int(column.value_sizes.sum()), max(2, MOST_LOOKED_AT // len(column.value_sizes)))
        for size in range(1, most):
            if _least_distance(size, column) <= self.value + SLACK:
                return size
        return most


def _least_distance(size: int, column: Sensitive) -> float:
    """Give how near a group of this size can be, were there enough records of each value."""
    shares = column.value_sizes / column.value_sizes.sum()
    if column.ordered:
        if len(shares) == 1:
            return 0.0
        cumulative = size * np.cumsum(shares)
        return float(np.abs(np.round(cumulative) - cumulative).sum()) / (size * (len(shares) - 1))
    parts = size * shares
    over = np.sort(np.floor(parts) + 1.0 - parts)
    left = size - int(np.floor(parts).sum())
    return float(over[:left].sum()) / size


def read(column: str, said: Any) -> Constraint:
    """Read what the user says of t: a number from 0 to 1.

    >>> read("pay", "0.15").spelled()
    '0.15'
    """
    try:
        value = math.nan if isinstance(said, bool) else float(said)
    except (TypeError, ValueError):
        value = math.nan
    if not 0.0 <= value <= 1.0:
        raise InvalidOption(f"t of column {column!r} must be a number from 0 to 1; got {said!r}.")
    return Closeness(value)


KIND = ConstraintKind(
    name="t",
    title="t-closeness",
    summary="the confidential values of every class are at most t away from those of all records",
    reference="Li, Li and Venkatasubramanian 2007",
    read=read,
    stops="skewness and similarity: that a class makes a value much likelier than it is among all",
)
