"""l: the values of a confidential column in every class are diverse: distinct, by entropy, or recursively."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from microagg.base.types import FloatArray, IntArray
from microagg.constraints.constraint import Constraint, ConstraintKind, Sensitive, number_words
from microagg.constraints.p import Distinct, most_groups, read_count
from microagg.errors import InvalidOption
from microagg.measures.composition import Composition
from microagg.risk.diversity import entropy_by_class, largest_and_rest, recursive_by_class

ENTROPY, RECURSIVE = 1, 2
"""The numbers of the kinds of promises in the kernels."""


@dataclass(frozen=True)
class DistinctDiversity(Distinct):
    """Every class has at least l different values."""

    name: ClassVar[str] = "l"


@dataclass(frozen=True)
class EntropyDiversity(Constraint):
    """The values of every class are as uncertain as l equally frequent ones."""

    value: float
    name: ClassVar[str] = "l"

    @property
    def level(self) -> float:
        """The figure that is promised."""
        return self.value

    def reached(self, made: Composition, column: Sensitive) -> FloatArray:
        """Give the exponential of the entropy of each class."""
        return entropy_by_class(made)

    def lacks(self, made: Composition, column: Sensitive) -> FloatArray:
        """Give the entropy that is lacking: it is concave, so that merged classes never lack more."""
        lacking = math.log(self.value) - np.log(self.reached(made, column))
        return np.where(lacking > SLACK_OF_KERNELS, lacking, 0.0)

    def kernel(self, column: Sensitive) -> tuple[int, float, float]:
        """Give kind, level and factor."""
        return ENTROPY, self.value, 0.0

    def spelled(self) -> str:
        """Give what the user writes for it."""
        return f"entropy:{number_words(self.value)}"

    def best(self, reached: float) -> str:
        """Say what can be had."""
        return f"choose l='entropy:{math.floor(reached * 1000) / 1000:g}' or less"

    def words(self, column: str) -> str:
        """Say what is promised."""
        return f"values of {column} as uncertain as {self.value:g} equally frequent ones"

    def least_size(self, column: Sensitive) -> int:
        """Give one record for each of so many values."""
        return math.ceil(self.value - SLACK_OF_KERNELS)

    def mean_size(self, counts: IntArray) -> float:
        """Give that of so many different values."""
        return int(counts.sum()) / max(1, most_groups(counts, self.least_size(Sensitive("", False, counts))))


@dataclass(frozen=True)
class RecursiveDiversity(Constraint):
    """Recursive (c, l)-diversity: with l - 1 values ruled out, the most frequent one is below c times the rest."""

    c: float
    count: int
    name: ClassVar[str] = "l"

    @property
    def level(self) -> float:
        """The figure that is promised."""
        return float(self.count)

    def reached(self, made: Composition, column: Sensitive) -> FloatArray:
        """Give the highest l for which each class is (c, l)-diverse; 0 where there is none."""
        return recursive_by_class(made, c=self.c)

    def lacks(self, made: Composition, column: Sensitive) -> FloatArray:
        """Give by how much the most frequent value is not below c times the rest, and a half, since it must be below.

        The count of the most frequent value is convex and that of the rarer ones concave, so merged classes never lack
        more than the two did.
        """
        largest, rest = largest_and_rest(made, self.count)
        return np.where(largest < self.c * rest, 0.0, largest - self.c * rest + 0.5)

    def kernel(self, column: Sensitive) -> tuple[int, float, float]:
        """Give kind, level and factor."""
        return RECURSIVE, float(self.count), self.c

    def spelled(self) -> str:
        """Give what the user writes for it."""
        return f"recursive:{number_words(self.c)},{self.count}"

    def best(self, reached: float) -> str:
        """Say what can be had."""
        if reached < 1:
            return "choose a larger c"
        return f"choose l='recursive:{self.c:g},{int(reached)}' or a larger c"

    def words(self, column: str) -> str:
        """Say what is promised."""
        return f"recursive ({self.c:g}, {self.count})-diversity of {column}"

    def least_size(self, column: Sensitive) -> int:
        """Give one record for each value."""
        return self.count

    def mean_size(self, counts: IntArray) -> float:
        """Give that of so many different values."""
        return int(counts.sum()) / max(1, most_groups(counts, self.count))


SLACK_OF_KERNELS = 1e-10
"""What the kernels take for rounding."""


def read(column: str, said: Any) -> Constraint:
    """Read what the user says of l: 3, "3", "entropy:2.5" or "recursive:2,3" (c, then l).

    >>> [read("illness", said).spelled() for said in (3, "entropy:2.5", "recursive:2,3")]
    ['3', 'entropy:2.5', 'recursive:2,3']
    """
    word, _, rest = str(said).partition(":")
    try:
        if not rest:
            return DistinctDiversity(read_count("l", column, said))
        if word == "entropy":
            value = float(rest)
            if math.isfinite(value) and value > 1:
                return EntropyDiversity(value)
        elif word == "recursive":
            c, _, count = rest.partition(",")
            if math.isfinite(float(c)) and float(c) > 0 and int(count) >= 1:
                return RecursiveDiversity(float(c), int(count))
    except ValueError:  # one of a word that is no number, and InvalidOption too
        pass
    raise InvalidOption(
        f"l of column {column!r} must be a whole number of at least 2, 'entropy:L' with L above 1, or 'recursive:C,L' "
        f"with C above 0 and a whole number L of at least 1; got {said!r}."
    )


KIND = ConstraintKind(
    name="l",
    title="l-diversity",
    summary="every class has l well-represented values of the confidential column: distinct, entropy or recursive",
    reference="Machanavajjhala et al. 2007",
    read=read,
    stops="homogeneity and background knowledge: l - 1 values must be ruled out before one is known",
)
