"""Records in memory: one chunk, and one cell."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from microagg import risk
from microagg.base.groups import check_weights, in_order, in_order_by_column, units_by_class
from microagg.base.progress import Progress
from microagg.base.table import Table
from microagg.base.types import FloatArray, IntArray
from microagg.cell import CellTask, Grouped, Records, Tally
from microagg.constraints import Sensitive
from microagg.engines.engine import Part
from microagg.engines.order import secret_random
from microagg.errors import InvalidData
from microagg.mask import mask_columns
from microagg.measures.composition import Composition, compose_codes
from microagg.plan import Plan
from microagg.plan.settle import SettledRoles, settle_roles
from microagg.prepare.check import TableLook
from microagg.prepare.confidential import codes_of, confidential_columns
from microagg.prepare.kinds import QuasiColumn, quasi_columns
from microagg.prepare.missing import Filling, complete, no_record_left
from microagg.prepare.patterns import Patterns
from microagg.prepare.scale import limits_of
from microagg.prepare.space import Space
from microagg.recode import Outcome, recode_table
from microagg.release import Release


class MemoryEngine:
    """The records of a table; see `Engine`.

    Parameters
    ----------
    table : Table
        A frame or a file, read.
    """

    at_once = counts_units = True

    def __init__(self, table: Table) -> None:
        self._table = table
        self._columns: tuple[QuasiColumn, ...] = ()
        self._values: FloatArray = np.empty((0, 0))
        self._look: TableLook | None = None
        self._plan: Plan
        self._grouped: Grouped
        self._records: Records | None = None
        self._spelled: IntArray | None = None
        self._codes: IntArray | None = None
        self._sensitive: tuple[Sensitive, ...] = ()
        """What is worked out of the records once, as long as none of them is left out."""

    @property
    def table(self) -> Table:
        """The records that were not left out, as they came."""
        return self._table

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the table, in order."""
        return self._table.names

    @property
    def n_records(self) -> int:
        """How many records there are."""
        return self._table.n_records

    def recode(self, plan: Plan) -> tuple[Outcome, ...]:
        """Recode columns as the plan says."""
        self._table, outcomes = recode_table(self._table, plan.recode, plan.k, plan.kinds)
        return outcomes

    def settle(self, plan: Plan) -> SettledRoles:
        """Give each column its role, after a look at all of them."""
        settled = settle_roles(self._table, plan)
        self._look = settled.look
        return settled

    def describe(self, names: Sequence[str], plan: Plan) -> tuple[QuasiColumn, ...]:
        """Say what the quasi-identifiers are."""
        self._plan = plan
        self._columns = tuple(quasi_columns(self._table, names, plan.kinds, self._look))
        self._look = None
        self._values = np.column_stack([column.values for column in self._columns])
        return self._columns

    def complete(self, policies: Sequence[str]) -> Filling:
        """Refuse or drop records that lack a value; say what stands for other gaps."""
        names, attributes = [c.name for c in self._columns], [c.attribute for c in self._columns]
        whole = complete(self._values, names, attributes, policies)
        self._values = whole.values
        if len(whole.rows) < self._table.n_records:
            rows = self._with_units(whole.rows)
            self._values = np.ascontiguousarray(whole.values[np.isin(whole.rows, rows)])
            self._table = self._table.take(rows)
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

    def sensitive(self, names: Sequence[str]) -> tuple[Sensitive, ...]:
        """Describe the confidential columns that something is promised of."""
        columns = confidential_columns(self._table, list(names))
        coded = [codes_of(column) for column in columns.values()]
        self._codes, self._records = np.column_stack([codes for codes, _ in coded]), None
        self._sensitive = tuple(
            Sensitive(name, column.is_number, sizes)
            for (name, column), (_, sizes) in zip(columns.items(), coded, strict=True)
        )
        return self._sensitive

    def everything(self) -> Records:
        """Give all records."""
        if self._records is None:
            by, weights = self._plan.by, None
            strata = risk.equivalence_classes(self._spellings()) if by else np.zeros(self.n_records, dtype=np.int64)
            if self._plan.weights:
                weights = check_weights(self._table.numeric(self._plan.weights).values, self.n_records)
            rows = np.arange(self.n_records)
            self._records = Records(rows, self._values, strata, weights, self._codes, self._units())
        return self._records

    def _units(self) -> IntArray | None:
        """Give the unit of each record; each must have one."""
        name = self._plan.unit
        if name is None:
            return None
        codes = self._table.categories(name).codes
        if (codes < 0).any():
            raise InvalidData(
                f"column {name!r} says which records belong together, and lacks a value in record "
                f"{int(np.argmax(codes < 0)) + 1}. Give each record a unit, or leave it out."
            )
        return in_order(codes)

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

    def class_sizes(self, *, released: bool, column: int | None = None) -> tuple[IntArray, IntArray | FloatArray]:
        """Give the sizes of classes of equal records, and how many classes have each."""
        classes = self._classes(released=released, column=column)
        units = self.everything().units
        if units is None:
            return np.unique(np.bincount(classes), return_counts=True)
        sizes, counts = np.unique(units_by_class(classes, units)[classes], return_counts=True)
        return sizes, counts / sizes

    def _classes(self, *, released: bool, column: int | None = None) -> IntArray:
        values = self._grouped.released if released else self._values
        keys = risk.keys_of(values if column is None else values[:, [column]])
        if self._plan.by:
            keys = np.column_stack([keys, self._spellings()])
        return risk.equivalence_classes(keys)

    def compositions(self, *, released: bool) -> Iterator[tuple[Composition, ...]]:
        """Count the confidential values in the classes, all at once."""
        if self._codes is not None:
            classes = self._classes(released=released)
            yield tuple(
                compose_codes(classes, codes, column.value_sizes)
                for codes, column in zip(self._codes.T, self._sensitive, strict=True)
            )

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
        # Not by the seed, which reports print: who knows the random numbers takes them away again.
        replaced |= mask_columns(self._table, self._plan.mask, secret_random())
        units, alias = self.everything().units, self._plan.unit if self._plan.unit_alias else None
        if alias is not None and units is not None:
            replaced[alias] = secret_random().permutation(int(units.max()) + 1)[units] + 1
        table = self._table.with_columns(replaced).without([name for name in left_out if name != alias])
        if self._plan.shuffle:
            order = secret_random().permutation(len(X))
            if alias is not None:  # whoever sees which records belong together finds them side by side
                order = np.argsort(replaced[alias], kind="stable")
            # Groups are numbered by the new order: their numbers must not tell the one before.
            table, labels, X, Y = table.take(order), in_order_by_column(labels[order]), X[order], Y[order]
            units = None if units is None else in_order(units[order])
        return Release(stored=table, labels=labels, original=X, released=Y, units=units, **facts)

    def _with_units(self, rows: IntArray) -> IntArray:
        """Give those of these rows whose units are complete: what belongs together is left out together."""
        units = self._units()
        if units is None:
            return rows
        left_out = np.ones(len(units), dtype=np.bool_)
        left_out[rows] = False
        kept: IntArray = rows[~np.isin(units[rows], units[left_out])]
        if not len(kept):
            raise no_record_left()
        return kept
