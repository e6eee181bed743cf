"""p: every class has at least p different values of a confidential column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from microagg.base.types import FloatArray, IntArray
from microagg.constraints.constraint import Constraint, ConstraintKind, Sensitive
from microagg.errors import InvalidOption
from microagg.measures.composition import Composition
from microagg.risk.diversity import distinct_by_class

DISTINCT = 0
"""The number of the kind of promise in the kernels."""


@dataclass(frozen=True)
class Distinct(Constraint):
    """Every class has at least so many different values.

    Groups that share out the values cannot be too many: with c_v records of value v and G groups, each of the G groups
    takes `count` different values, and value v is in at most min(c_v, G) groups.
    """

    count: int
    name: ClassVar[str] = "p"

    @property
    def level(self) -> float:
        """The figure that is promised."""
        return float(self.count)

    def reached(self, made: Composition, column: Sensitive) -> FloatArray:
        """Give how many values each class has."""
        return distinct_by_class(made)

    def lacks(self, made: Composition, column: Sensitive) -> FloatArray:
        """Give how many values are lacking."""
        return np.maximum(0.0, self.count - self.reached(made, column))

    def kernel(self, column: Sensitive) -> tuple[int, float, float]:
        """Give kind, level and factor."""
        return DISTINCT, float(self.count), 0.0

    def spelled(self) -> str:
        """Give what the user writes for it."""
        return str(self.count)

    def best(self, reached: float) -> str:
        """Say what can be had."""
        return f"choose {self.name} of at most {int(reached)}"

    def words(self, column: str) -> str:
        """Say what is promised."""
        return f"at least {self.count} different values of {column}"

    def least_size(self, column: Sensitive) -> int:
        """Give one record for each value."""
        return self.count

    def mean_size(self, counts: IntArray) -> float:
        """Give the records for each of the most groups that there can be."""
        return int(counts.sum()) / max(1, most_groups(counts, self.count))


def most_groups(counts: IntArray, distinct: int) -> int:
    """Give the most groups that can be formed, each with so many different values.

    >>> most_groups(np.array([90, 6, 4]), 2), most_groups(np.array([90, 6, 4]), 3)
    (10, 4)
    """
    low, high = 0, int(counts.sum()) // distinct
    while low < high:
        middle = (low + high + 1) // 2
        if int(np.minimum(counts, middle).sum()) >= distinct * middle:
            low = middle
        else:
            high = middle - 1
    return low


@dataclass(frozen=True)
class Sensitivity(Distinct):
    """p-sensitivity: the same as distinct diversity, under the name that it has beside k."""

    name: ClassVar[str] = "p"


def read_count(what: str, column: str, said: Any) -> int:
    """Read a whole number of at least 2, or say what is wrong."""
    text = str(said).strip()
    if isinstance(said, bool) or not text.isascii() or not text.isdigit() or int(text) < 2:
        raise InvalidOption(f"{what} of column {column!r} must be a whole number of at least 2; got {said!r}.")
    return int(text)


KIND = ConstraintKind(
    name="p",
    title="p-sensitivity",
    summary="beside k: every class has at least p different values of the confidential column",
    reference="Truta and Vinay 2006",
    read=lambda column, said: Sensitivity(read_count("p", column, said)),
    stops="homogeneity: that a whole class shares one value, so that it is known of each of its records",
)
