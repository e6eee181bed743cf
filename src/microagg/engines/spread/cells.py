"""What happens to records on their way through a cell, in some process or machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from microagg.base.types import FloatArray, IntArray
from microagg.cell import CellTask, Records, Tally
from microagg.engines.chance import fingerprints
from microagg.engines.gathered import GroupSample, sample_groups
from microagg.engines.router import Router
from microagg.engines.spread.arrow import words
from microagg.engines.spread.coding import Coding, RecodedView
from microagg.engines.spread.parts import ROW


@dataclass(frozen=True, eq=False)
class CellRoute:
    """Sends records to their cells: rows, strata, weights, values, codes, and words for other columns.

    Attributes
    ----------
    view, coding
        How records are read.
    router : Router
        Where they go.
    alike : tuple of str
        Columns of which it is asked whether a group has one value.
    """

    view: RecodedView
    coding: Coding
    router: Router
    alike: tuple[str, ...]

    @property
    def needs(self) -> list[str]:
        """The columns that are read."""
        return list(dict.fromkeys([*self.coding.needs, *self.alike]))

    def __call__(self, table: pa.Table) -> tuple[IntArray, pa.Table]:
        """Give what is sent of a part."""
        records, sent = sent_records(self.view.take(table), self.coding, self.alike)
        return self.router.cells(records), sent


def sent_records(table: pa.Table, coding: Coding, alike: tuple[str, ...]) -> tuple[Records, pa.Table]:
    """Give the records of a part, and the table of them that goes to cells."""
    records = coding.records(table)
    columns: dict[str, Any] = {ROW: records.rows, "s": records.strata}
    if records.weights is not None:
        columns["w"] = records.weights
    columns |= {f"x{j}": column for j, column in enumerate(records.values.T)}
    if records.sensitive is not None:
        columns |= {f"c{j}": column for j, column in enumerate(records.sensitive.T)}
    if alike:
        rows = table.column(ROW).to_numpy()
        order = np.argsort(rows, kind="stable")
        places = pa.array(order[np.searchsorted(rows[order], records.rows)])
        for j, name in enumerate(alike):
            held = words(table.column(name).take(places))
            columns[f"f{j}"] = np.where(held[0] == 1, np.uint64(0), fingerprints(held)[:, 0] | np.uint64(1))
    return records, pa.table({name: np.ascontiguousarray(column) for name, column in columns.items()})


@dataclass(frozen=True, eq=False)
class CellResult:
    """What the driver is told of a cell: sums, some groups for the charts of a report, and the ends of its values."""

    tally: Tally
    sample: GroupSample
    lowest: FloatArray
    highest: FloatArray


@dataclass(frozen=True, eq=False)
class CellBucket:
    """Does the task of a cell with what was sent to it.

    Attributes
    ----------
    task : CellTask
        What is done.
    parents : array of int, optional
        The stratum of each pattern, where patterns divide them.
    share : float
        Which part of the groups is kept for charts.
    seed : int
        What their choice follows from.
    """

    task: CellTask
    parents: IntArray | None
    share: float
    seed: int

    def __call__(self, number: int, table: pa.Table) -> tuple[CellResult, pa.Table]:
        """Group the records of a cell."""
        rows = table.column(ROW).to_numpy()
        order = np.argsort(rows, kind="stable")
        column = {name: table.column(name).to_numpy()[order] for name in table.column_names}
        named = [[name for name in column if name[0] == kind and name != ROW] for kind in "xc"]
        values = np.ascontiguousarray(np.column_stack([column[name] for name in named[0]]))
        codes = np.column_stack([column[name] for name in named[1]]) if named[1] else None
        units = np.unique(column["u"], return_inverse=True)[1] if "u" in column else None
        records = Records(column[ROW], values, column["s"], column.get("w"), codes, units)
        grouped = self.task(records)
        released, strata = grouped.released, records.strata
        made = {ROW: records.rows, "s": strata if self.parents is None else self.parents[strata]}
        made |= {f"y{j}": np.ascontiguousarray(each) for j, each in enumerate(released.T)}
        made |= {name: each for name, each in column.items() if name[0] in "cfu"}
        with np.errstate(all="ignore"):
            known = np.where(np.isnan(released), np.inf, released), np.where(np.isnan(released), -np.inf, released)
        result = CellResult(
            grouped.tally,
            sample_groups(records, released, grouped.labels, self.share, self.seed),
            known[0].min(axis=0),
            known[1].max(axis=0),
        )
        return result, pa.table(made)
