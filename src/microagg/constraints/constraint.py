"""A constraint: what the records of every group, and of every class of the release, must be like.

One concept for k, l, p and t, and for what comes later: units that are counted in place of records are `Distinct(k)` of
the column that names the unit. A constraint

- is read from what the user says (`ConstraintKind.read`),
- says what a class reaches, from the counts of the values in it (`reached`), and whether that is enough (`keeps`),
- says how much a class lacks (`lacks`): 0 where it keeps the constraint, and such that two classes together never lack
  more than the two apart. Merging never hurts: a partition that keeps it exists where all records of a stratum as one
  group keep it, and no partition does better than that one group. This is what a refusal stands on,
- says how few records cannot keep it (`least_size`), and how many there must be in a group on average (`mean_size`),
- tells the kernels what it is (`kernel`): they judge a move by the counts that it leaves (kernels/promises).

A new one is one file with its class and its `ConstraintKind`, one line in CONSTRAINTS, and one case in kernels/promises
where none of theirs fits it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from microagg.base.types import BoolArray, FloatArray, IntArray
from microagg.measures.composition import Composition

SLACK = 1e-9
"""What rounding may feign, in a release that is checked; the kernels allow a tenth of it."""


@dataclass(frozen=True)
class Sensitive:
    """A confidential column, as constraints see it: its values are codes in their order, a missing one is a value too.

    Attributes
    ----------
    name : str
        The name of the column.
    ordered : bool
        Whether its values are numbers or dates, so that steps between them count; else all are equally far apart.
    value_sizes : array of int
        How many of all records have each value.
    """

    name: str
    ordered: bool
    value_sizes: IntArray


class Constraint(ABC):
    """What every class must keep, of one confidential column or of the class as a whole."""

    name: ClassVar[str]
    """The field of the plan."""

    @property
    @abstractmethod
    def level(self) -> float:
        """The figure that is promised."""

    @abstractmethod
    def reached(self, made: Composition, column: Sensitive) -> FloatArray:
        """Give for each class the figure that it reaches."""

    @abstractmethod
    def lacks(self, made: Composition, column: Sensitive) -> FloatArray:
        """Give for each class what it lacks; 0 where it keeps the constraint."""

    @abstractmethod
    def kernel(self, column: Sensitive) -> tuple[int, float, float]:
        """Give the kind of the promise in the kernels, its level and its factor."""

    @abstractmethod
    def spelled(self) -> str:
        """Give what the user writes for it."""

    @abstractmethod
    def best(self, reached: float) -> str:
        """Say what can be had, where a class reaches no more than this."""

    @abstractmethod
    def words(self, column: str) -> str:
        """Say what is promised, for people."""

    def worst(self, reached: FloatArray) -> float:
        """Give the figure of the class that is worst off."""
        return float(reached.min())

    def keeps(self, made: Composition, column: Sensitive) -> BoolArray:
        """Say of each class whether it keeps the constraint."""
        kept: BoolArray = self.reached(made, column) >= self.level - SLACK
        return kept

    def least_size(self, column: Sensitive) -> int:
        """Give a size below which no group can keep it."""
        return 1

    def mean_size(self, counts: IntArray) -> float:
        """Give the size that groups must have on average, at least, with so many records of each value."""
        return 1.0


@dataclass(frozen=True)
class ConstraintKind:
    """An entry of CONSTRAINTS: how a constraint is written, and what to tell people about it.

    Attributes
    ----------
    name : str
        The field of the plan, and the flag of the command line.
    title, summary, reference : str
        For people: the full name, one line, and where it was published.
    read : callable
        `read(column, said)` makes the constraint of what the user said, or says what is wrong with that.
    stops : str
        The attack that it stops.
    """

    name: str
    title: str
    summary: str
    reference: str
    read: Callable[[str, Any], Constraint]
    stops: str


def number_words(value: float) -> str:
    """Write a number with all the digits that it has.

    >>> number_words(2.0), number_words(0.15)
    ('2', '0.15')
    """
    return str(int(value)) if value == int(value) else repr(value)
