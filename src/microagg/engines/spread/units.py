"""Records that belong together, side by side: sent by their unit first, and then to the cell of its first record."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from microagg.base.types import BoolArray, FloatArray, IntArray
from microagg.cell import Records
from microagg.engines.chance import fingerprints
from microagg.engines.router import Router
from microagg.engines.spread.arrow import words
from microagg.engines.spread.cells import sent_records
from microagg.engines.spread.coding import Coding, RecodedView
from microagg.engines.spread.counts import bucket_of
from microagg.engines.spread.parts import ROW
from microagg.units import constant_columns


@dataclass(frozen=True, eq=False)
class UnitRoute:
    """Sends the records of a unit to one bucket, as they go to cells."""

    view: RecodedView
    coding: Coding
    alike: tuple[str, ...]
    n_buckets: int

    def __call__(self, table: pa.Table) -> tuple[IntArray, pa.Table]:
        """Give what is sent of a part."""
        table = self.view.take(table)
        records, sent = sent_records(table, self.coding, self.alike)
        rows = table.column(ROW).to_numpy()
        order = np.argsort(rows, kind="stable")
        places = pa.array(order[np.searchsorted(rows[order], records.rows)])
        marks = fingerprints(words(table.column(str(self.coding.unit)).take(places)))
        sent = sent.append_column("ua", pa.array(marks[:, 0])).append_column("ub", pa.array(marks[:, 1]))
        return bucket_of(marks, self.n_buckets), sent


@dataclass(frozen=True, eq=False)
class UnitFacts:
    """What is known of the units of a bucket.

    Attributes
    ----------
    n_units : int
        How many there are.
    strata : array of int
        How many units each stratum has, by their first records.
    of_units : array of q bool
        The columns that are the same in all records of every unit.
    divided : int, optional
        The first row that is in another stratum than its unit is.
    """

    n_units: int
    strata: IntArray
    of_units: BoolArray
    divided: int | None

    def merge(self, other: UnitFacts) -> UnitFacts:
        """Give what is known of both."""
        divided = [row for row in (self.divided, other.divided) if row is not None]
        return UnitFacts(
            self.n_units + other.n_units,
            self.strata + other.strata,
            self.of_units & other.of_units,
            min(divided, default=None),
        )


@dataclass(frozen=True, eq=False)
class UnitBucket:
    """Names each unit by its first row, and puts the values of its first record beside all its records."""

    n_strata: int
    n_columns: int

    def __call__(self, number: int, table: pa.Table) -> tuple[UnitFacts, pa.Table]:
        """Do it with whole units."""
        table = table.take(pa.array(np.argsort(table.column(ROW).to_numpy(), kind="stable")))
        rows, strata = table.column(ROW).to_numpy(), table.column("s").to_numpy()
        pairs = np.column_stack([table.column(side).to_numpy() for side in ("ua", "ub")])
        _, first, units = np.unique(pairs, axis=0, return_index=True, return_inverse=True)
        first_of = first[units.ravel()]
        by_first = np.unique(first_of, return_inverse=True)[1]
        values = np.column_stack([table.column(f"x{j}").to_numpy() for j in range(self.n_columns)])
        divided = strata != strata[first_of]
        facts = UnitFacts(
            len(first),
            np.bincount(strata[first], minlength=self.n_strata),
            constant_columns(values, by_first) & constant_columns(np.isnan(values), by_first),
            int(rows[np.argmax(divided)]) if divided.any() else None,
        )
        made = table.drop_columns(["ua", "ub"]).append_column("u", pa.array(rows[first_of]))
        for j in range(self.n_columns):
            made = made.append_column(f"r{j}", pa.array(values[first_of, j]))
        return facts, made


def first_records(table: pa.Table, n_columns: int) -> Records:
    """Give the first record of each unit."""
    rows = table.column(ROW).to_numpy()
    first = np.flatnonzero(rows == table.column("u").to_numpy())
    return Records(rows[first], _values(table, n_columns)[first], table.column("s").to_numpy()[first])


def _values(table: pa.Table, n_columns: int) -> FloatArray:
    return np.ascontiguousarray(np.column_stack([table.column(f"r{j}").to_numpy() for j in range(n_columns)]))


def of_first_records(table: pa.Table, *, n_columns: int, task: Callable[[Records], Any]) -> Any:
    """Run a task on the first records of units."""
    records = first_records(table, n_columns)
    return task(records) if len(records.rows) else None


@dataclass(frozen=True, eq=False)
class UnitCellRoute:
    """Sends whole units to the cells of their first records."""

    router: Router
    n_columns: int

    def __call__(self, table: pa.Table) -> tuple[IntArray, pa.Table]:
        """Give what is sent of a part."""
        first = Records(table.column("u").to_numpy(), _values(table, self.n_columns), table.column("s").to_numpy())
        return self.router.cells(first), table.drop_columns([f"r{j}" for j in range(self.n_columns)])
