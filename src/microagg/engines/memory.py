"""Records in memory: one chunk, and one cell."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from microagg import risk
from microagg.base.groups import check_weights, in_order_by_column
from microagg.base.progress import Progress
from microagg.base.table import Table
from microagg.base.types import FloatArray, IntArray
from microagg.cell import CellTask, Grouped, Records, Tally
from microagg.engines.engine import Part
from microagg.engines.order import secret_random
from microagg.plan import Plan
from microagg.plan.settle import SettledRoles, settle_roles
from microagg.prepare.kinds import QuasiColumn, quasi_columns
from microagg.prepare.missing import Filling, complete
from microagg.prepare.patterns import Patterns
from microagg.prepare.scale import limits_of
from microagg.prepare.space import Space
from microagg.release import Release


class MemoryEngine:
    """The records of a table; see `Engine`.

    Parameters
    ----------
    table : Table
        A frame or a file, read.
    """

    at_once = True

    def __init__(self, table: Table) -> None:
        self._table = table
        self._columns: tuple[QuasiColumn, ...] = ()
        self._values: FloatArray = np.empty((0, 0))
        self._plan: Plan
        self._grouped: Grouped
        self._records: Records | None = None
        self._spelled: IntArray | None = None
        """What is worked out of the records once, as long as none of them is left out."""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the table, in order."""
        return self._table.names

    @property
    def n_records(self) -> int:
        """How many records there are."""
        return self._table.n_records

    def settle(self, plan: Plan) -> SettledRoles:
        """Give each column its role, after a look at all of them."""
        return settle_roles(self._table, plan)

    def describe(self, names: Sequence[str], plan: Plan) -> tuple[QuasiColumn, ...]:
        """Say what the quasi-identifiers are."""
        self._plan = plan
        self._columns = tuple(quasi_columns(self._table, names, plan.kinds))
        self._values = np.column_stack([column.values for column in self._columns])
        return self._columns

    def complete(self, policies: Sequence[str]) -> Filling:
        """Refuse or drop records that lack a value; say what stands for other gaps."""
        names, attributes = [c.name for c in self._columns], [c.attribute for c in self._columns]
        whole = complete(self._values, names, attributes, policies)
        self._values = whole.values
        if len(whole.rows) < self._table.n_records:
            self._table = self._table.take(whole.rows)
        self._table = self._table.unify(self._plan.by)
        return whole.filling

    def keep(self, rows: IntArray) -> None:
        """Leave out all other records."""
        self._table, self._values = self._table.take(rows), np.ascontiguousarray(self._values[rows])
        self._records = self._spelled = None

    def strata(self) -> tuple[IntArray, IntArray]:
        """Give the sizes of the strata and the rows of their first records."""
        if not self._plan.by:
            return np.array([self.n_records]), np.array([0])
        _, first_rows, sizes = np.unique(self.everything().strata, return_index=True, return_counts=True)
        return sizes, first_rows

    def _spellings(self) -> IntArray:
        if self._spelled is None:
            self._spelled = np.column_stack([self._table.spellings(name) for name in self._plan.by])
        return self._spelled

    def everything(self) -> Records:
        """Give all records."""
        if self._records is None:
            by, weights = self._plan.by, None
            strata = risk.equivalence_classes(self._spellings()) if by else np.zeros(self.n_records, dtype=np.int64)
            if self._plan.weights:
                weights = check_weights(self._table.numeric(self._plan.weights).values, self.n_records)
            self._records = Records(np.arange(self.n_records), self._values, strata, weights)
        return self._records

    def limits(self) -> tuple[FloatArray, FloatArray]:
        """Give the least and the greatest number or code of each column."""
        return limits_of(self._values)

    def fold(self, task: Callable[[Records], Part], merge: Callable[[Part, Part], Part]) -> Part:
        """Give what the task says of all records."""
        return task(self.everything())

    def divide(self, patterns: Patterns) -> None:
        """Let the strata of records be the patterns of what they lack."""
        records = self.everything()
        divided = patterns.divide(records.rows, records.strata, records.values)
        self._records = replace(records, strata=divided)

    def regroup(self, space: Space, task: CellTask, progress: Progress | None) -> Tally:
        """Do the task for all records."""
        self._grouped = task(self.everything(), progress)
        return self._grouped.tally

    def class_sizes(self, *, released: bool, column: int | None = None) -> tuple[IntArray, IntArray]:
        """Give the sizes of classes of equal records, and how many classes have each."""
        values = self._grouped.released if released else self._values
        keys = risk.keys_of(values if column is None else values[:, [column]])
        if self._plan.by:
            keys = np.column_stack([keys, self._spellings()])
        return np.unique(np.bincount(risk.equivalence_classes(keys)), return_counts=True)

    def rare_weights(self) -> int:
        """Count the records whose weight fewer than k records have."""
        weights = self.everything().weights
        return 0 if weights is None else int((risk.class_sizes(risk.keys_of(weights[:, None])) < self._plan.k).sum())

    def n_alone(self, names: Collection[str]) -> Mapping[str, int]:
        """Count the records that have a value that no other record has."""
        return self._table.n_alone(names)

    def n_alone_together(self, names: Collection[str]) -> int:
        """Count the records that have a combination of values that no other record has."""
        return self._table.n_alone_together(names)

    def release(self, left_out: Collection[str], whole: Collection[str], facts: Mapping[str, Any]) -> Release:
        """Give the release, with its table."""
        X, Y, labels = self._values, self._grouped.released, self._grouped.labels
        replaced: dict[str, Any] = {}
        for j, column in enumerate(self._columns):
            replaced[column.name] = column.restore(Y[:, j], whole=column.name in whole)
        table = self._table.with_columns(replaced).without(list(left_out))
        if self._plan.shuffle:
            order = secret_random().permutation(len(X))
            # Groups are numbered by the new order: their numbers must not tell the one before.
            table, labels, X, Y = table.take(order), in_order_by_column(labels[order]), X[order], Y[order]
        return Release(stored=table, labels=labels, original=X, released=Y, **facts)
