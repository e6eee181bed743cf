"""What the flow asks of the place where the records are."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from microagg.base.progress import Progress
from microagg.base.types import FloatArray, IntArray
from microagg.cell import CellTask, Records, Tally
from microagg.constraints import Sensitive
from microagg.measures.composition import Composition
from microagg.plan import Plan
from microagg.plan.settle import SettledRoles
from microagg.prepare.kinds import QuasiColumn
from microagg.prepare.missing import Filling
from microagg.prepare.patterns import Patterns
from microagg.prepare.space import Space
from microagg.recode import Outcome
from microagg.release import AnyRelease

Part = TypeVar("Part")


class Engine(Protocol):
    """The records of one release: given in chunks, summed up, regrouped, counted, released.

    The flow calls the methods in the order in which they stand here. What they say depends on the values and the order
    of the records only, not on how they are spread. A new place for records is a class with these methods; nothing
    above it changes.
    """

    at_once: bool
    """Whether all records lie in one cell, which some choices need."""
    counts_units: bool
    """Whether records that belong together can be kept together."""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the table, in order."""

    @property
    def n_records(self) -> int:
        """How many records there are, without those that were left out."""

    def recode(self, plan: Plan) -> tuple[Outcome, ...]:
        """Recode columns as the plan says, by all their values, before anything else; give what each step did."""

    def settle(self, plan: Plan) -> SettledRoles:
        """Give each column its role, after a look at all of them; refuse what would name persons."""

    def describe(self, names: Sequence[str], plan: Plan) -> tuple[QuasiColumn, ...]:
        """Say what the quasi-identifiers are, of all their values; what plan.by and plan.weights name is read too."""

    def complete(self, policies: Sequence[str]) -> Filling:
        """Refuse or drop records that lack a value, by the policy of each column; say what stands for other gaps.

        Values stay missing (NaN) wherever records are given. Infinite ones are refused.
        """

    def strata(self) -> tuple[IntArray, IntArray]:
        """Give the sizes of the strata in the order of their first records, and the rows of these."""

    def everything(self) -> Records:
        """Give all records at once; only where `at_once`."""

    def keep(self, rows: IntArray) -> None:
        """Leave out all other records; only where `at_once`."""

    def sensitive(self, names: Sequence[str]) -> tuple[Sensitive, ...]:
        """Describe the confidential columns that something is promised of; records carry their codes from here on."""

    def limits(self) -> tuple[FloatArray, FloatArray]:
        """Give the least and the greatest number or code of each column."""

    def fold(self, task: Callable[[Records], Part], merge: Callable[[Part, Part], Part]) -> Part:
        """Give what the task says of all records, chunk by chunk and merged in their order."""

    def divide(self, patterns: Patterns) -> None:
        """Let the strata of records be the patterns of what they lack from now on."""

    def regroup(self, space: Space, task: CellTask, progress: Progress | None) -> Tally:
        """Do the task for all records, in cells of such that lie together in space, and keep what comes out."""

    def class_sizes(self, *, released: bool, column: int | None = None) -> tuple[IntArray, IntArray | FloatArray]:
        """Give the sizes of classes of equal records and how many classes have each; by one column where it is named.

        Equal is what a reader of the release cannot tell apart: quasi-identifiers, and strata as they are written.
        Where units are counted, a size is a number of units, and the second number is that of the records by size.
        """

    def compositions(self, *, released: bool) -> Iterator[tuple[Composition, ...]]:
        """Count the values of each such column in the classes of `class_sizes`: some whole classes at a time."""

    def rare_weights(self) -> int:
        """Count the records whose weight fewer than k records have."""

    def n_alone(self, names: Collection[str]) -> Mapping[str, int]:
        """Count the records that have a value, in each of these columns, that no other record has."""

    def n_alone_together(self, names: Collection[str]) -> int:
        """Count the records that have a combination of values, in these columns, that no other record has."""

    def release(self, left_out: Collection[str], whole: Collection[str], facts: Mapping[str, Any]) -> AnyRelease:
        """Give the release: without the columns that are left out, and with whole numbers in those that stay whole."""
