"""Records that belong together, such as those of a household: grouped so that every group has k of these units.

Columns that are the same in all records of a unit (the income of a household) are grouped once for each unit, and stay
the same in all its records. All other columns (the age of a member) are grouped record by record, within those groups
of units, so that each group has records of at least k units.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from microagg.base.groups import in_order, units_by_class
from microagg.base.progress import Progress, part_of
from microagg.base.types import BoolArray, FloatArray, IntArray
from microagg.cell import CellTask, Grouped, Records, Tally, known_codes
from microagg.constraints import with_units
from microagg.errors import InfeasibleK, InvalidData, InvalidOption
from microagg.measures import ChangeSums

UNITS_GROUPED = 0.5
"""How far the grouping of units takes the progress, where their records are grouped after it."""


@dataclass(frozen=True, eq=False)
class UnitTask(CellTask):
    """Group the units of a table, and then their records; see `CellTask`.

    Attributes
    ----------
    of_units : array of q bool, optional
        The columns that are the same in all records of every unit, where the records of a call are some whole units;
        found in them by default.
    """

    of_units: BoolArray | None = None

    def __call__(self, records: Records, progress: Progress | None = None) -> Grouped:
        """Do it for all records, or those of some units."""
        start = time.perf_counter()
        units, X = units_of(records), records.values
        known = self.space.filled(X)
        n_units = int(units.max()) + 1
        if n_units < self.plan.k:
            raise InfeasibleK(
                f"k = {self.plan.k} units cannot look the same: {self.plan.unit!r} has {n_units} different values in "
                "all. Choose a smaller k."
            )
        check_strata_of_units(records.strata, units, self.plan.k, ", ".join(self.plan.by))
        first = first_rows(units)
        of_units = self.of_units
        if of_units is None:
            of_units = constant_columns(known, units) & constant_columns(np.isnan(X), units)
        Y, labels = np.empty_like(X), np.zeros(len(X), dtype=np.int64)
        sums = []
        if of_units.any():
            if self.terms is not None:
                raise InvalidOption(
                    "l, p and t are promised of records, and some quasi-identifiers are the same in all records of a "
                    "unit, which are grouped by units: leave unit out, or l, p and t."
                )
            check_constant(records.strata, units, ", ".join(self.plan.by))
            grouping = progress if of_units.all() else part_of(progress, 0.0, UNITS_GROUPED)
            grouped = self._only(of_units)(_take(records, first, of_units), grouping)
            Y[:, of_units], labels = grouped.released[units], grouped.labels[units]
            sums.append(grouped.tally)
        if not of_units.all():
            grouping = part_of(progress, UNITS_GROUPED if of_units.any() else 0.0, 1.0)
            inside = replace(records, values=np.ascontiguousarray(X[:, ~of_units]))
            if of_units.any():
                inside = replace(inside, strata=labels)
            codes = units[:, None] if inside.sensitive is None else np.column_stack([inside.sensitive, units])
            terms = with_units(self.terms, units, self.plan.k, str(self.plan.unit))
            rows_task = replace(self._only(~of_units), terms=terms)
            grouped = rows_task(replace(inside, sensitive=codes, units=None), grouping)
            Y[:, ~of_units], labels = grouped.released, grouped.labels
            sums.append(grouped.tally)
        assessed = time.perf_counter()
        change = ChangeSums.of(known, self.space.filled(Y), self.space.attributes, self.space.scale.apply)
        seconds = {step: sum(tally.seconds[step] for tally in sums) for step in sums[0].seconds}
        seconds["assess"] += time.perf_counter() - assessed
        seconds["partition"] += max(0.0, assessed - start - sum(seconds.values()))
        dominated = tuple(sum(part) for part in zip(*(tally.dominated for tally in sums), strict=True))
        sizes = Counter(np.bincount(labels).tolist())
        released, blanked = known_codes(Y, self.space.attributes), (np.isnan(Y) & ~np.isnan(X)).sum(axis=0)
        return Grouped(labels, Y, Tally(change, sizes, (dominated[0], dominated[1]), released, blanked, seconds))

    def _only(self, columns: BoolArray) -> CellTask:
        """Give the task for some of the columns."""
        chosen = np.flatnonzero(columns).tolist()
        roundings = tuple(self.roundings[j] for j in chosen)
        opened = None if self.opened is None else self.opened[chosen]
        return CellTask(self.plan, self.space.only(chosen), roundings, self.threads, opened=opened)


def units_of(records: Records) -> IntArray:
    """Give the unit of each record, which must be known."""
    if records.units is None:
        raise InvalidData("these records have no units.")
    return records.units


def first_rows(units: IntArray) -> IntArray:
    """Give the first row of each unit, of units that are numbered in the order of their first rows.

    >>> first_rows(np.array([0, 1, 0, 2])).tolist()
    [0, 1, 3]
    """
    return np.unique(units, return_index=True)[1]


def constant_columns(values: FloatArray | BoolArray, units: IntArray) -> BoolArray:
    """Say which columns are the same in all records of every unit; missing values are.

    >>> constant_columns(np.array([[1.0, 5.0], [1.0, 6.0], [2.0, 7.0]]), np.array([0, 0, 1])).tolist()
    [True, False]
    """
    first = values[first_rows(units)][units]
    same: BoolArray = ((values == first) | (np.isnan(values) & np.isnan(first))).all(axis=0)
    return same


def check_constant(strata: IntArray, units: IntArray, by: str) -> None:
    """Refuse strata that divide a unit: its records could not stay alike."""
    divided = strata != strata[first_rows(units)][units]
    if divided.any():
        row = int(np.argmax(divided))
        raise InvalidData(
            f"the strata ({by}) divide units: record {row + 1} is in another stratum than an earlier record of its "
            "unit. Leave by out, or choose strata that are the same in all records of a unit."
        )


def check_strata_of_units(strata: IntArray, units: IntArray, k: int, by: str) -> None:
    """Refuse a stratum of fewer than k units: told by its first record."""
    numbered = in_order(strata)
    few = np.flatnonzero(units_by_class(numbered, units) < k)
    if len(few):
        row = int(np.argmax(numbered == few[0]))
        raise InfeasibleK(
            f"the stratum of record {row + 1} ({by}) has records of fewer than k = {k} units. Merge it with another, "
            "leave it out, or choose a smaller k."
        )


def alone_by_all_records(labels: IntArray, units: IntArray) -> int:
    """Count the units that no other unit is like, by the groups of all their records together.

    >>> alone_by_all_records(np.array([0, 1, 0, 1, 0]), np.array([0, 0, 1, 1, 2]))
    1
    """
    order = np.lexsort((labels, units))
    starts = np.flatnonzero(np.diff(units[order], prepend=-1))
    signatures = Counter(part.tobytes() for part in np.split(labels[order], starts[1:]))
    return sum(count == 1 for count in signatures.values())


def _take(records: Records, rows: IntArray, columns: BoolArray) -> Records:
    """Give some records with some of their columns, each a unit of its own."""
    return Records(
        records.rows[rows],
        np.ascontiguousarray(records.values[rows][:, columns]),
        in_order(records.strata[rows]),
        None if records.weights is None else records.weights[rows],
    )
