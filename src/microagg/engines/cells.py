"""Records larger than memory: on disk, grouped cell by cell.

Rows lie in DuckDB, in their order (see io/spooled.py). Means, codes and classes are those of all records. Cells are cut
at medians, few enough records for memory (see router.py), and no group crosses the border of a cell.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from microagg import io
from microagg.base.progress import Progress
from microagg.base.schema import Kind, Role, Storage
from microagg.base.types import FloatArray, IntArray
from microagg.cell import CellTask, Records, Tally
from microagg.constraints import Sensitive
from microagg.engines.buckets import ROW, STRATUM, VALUES, WEIGHT, Buckets
from microagg.engines.budget import Budget, private_folder
from microagg.engines.engine import Part
from microagg.engines.gathered import Gathered
from microagg.engines.order import secret_random
from microagg.engines.part_by_part import PartByPart, text_dates
from microagg.engines.router import make_router
from microagg.io.csv import with_gaps
from microagg.measures.composition import Composition, compose_counts
from microagg.plan import Plan
from microagg.plan.columns import columns_with_gaps
from microagg.plan.settle import SettledRoles, settle_roles
from microagg.prepare.check import TableLook
from microagg.prepare.kinds import QuasiColumn, categorical_column, treatments
from microagg.prepare.missing import (
    Filling,
    Lack,
    Missing,
    filling,
    infinite_value,
    missing_values,
    no_record_left,
)
from microagg.prepare.patterns import Patterns
from microagg.prepare.space import Space
from microagg.recode import Outcome, recode_spooled
from microagg.release import FileRelease
from microagg.semantic.attribute import numeric

MOST_CATEGORIES = 100_000
"""More distinct categories than this in one column are refused: their names lie in memory."""


class CellsEngine(PartByPart):
    """The records of a file, on disk; see `Engine`. Make one with `open_cells`.

    Parameters
    ----------
    table : DuckTable
        The file, spooled.
    folder : Path
        Where the work lies: a private one.
    memory : int
        Bytes that the work may take.
    write : callable, optional
        Writes the release, once it is known to be k-anonymous.
    """

    counts_units = False

    def __init__(
        self, table: io.DuckTable, folder: Path, memory: int, write: Callable[[io.SpooledRelease], None] | None
    ) -> None:
        self._table, self._folder, self._memory, self._write = table, folder, memory, write
        self._columns: tuple[QuasiColumn, ...] = ()
        self._look: TableLook | None = None
        self._plan: Plan
        self._budget: Budget
        self._spooled: io.SpooledTable
        self._gathered: Gathered
        self._strata: IntArray = np.empty(0, dtype=np.int64)
        self._sensitive: tuple[Sensitive, ...] = ()
        self._patterns: Patterns | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the table, in order."""
        return self._table.names

    @property
    def n_records(self) -> int:
        """How many records there are, without those that were left out."""
        return self._spooled.n_records if self._columns else self._table.n_records

    def recode(self, plan: Plan) -> tuple[Outcome, ...]:
        """Recode columns as the plan says, some records at a time."""
        chunk = Budget.of(self._memory, 1, plan.k).chunk
        self._table, outcomes = recode_spooled(self._table, plan.recode, plan.k, plan.kinds, chunk)
        return outcomes

    def settle(self, plan: Plan) -> SettledRoles:
        """Give each column its role, after a look at all of them."""
        settled = settle_roles(self._table, plan)
        self._look = settled.look
        return settled

    def describe(self, names: Sequence[str], plan: Plan) -> tuple[QuasiColumn, ...]:
        """Say what the quasi-identifiers are, of all their values."""
        self._plan = plan
        described, spooled = [], []
        for name, treatment in treatments(self._table, names, plan.kinds, self._look, text_dates=False).items():
            storage = self._table.storage(name)
            if treatment.dates is not None:
                raise text_dates(name)
            if treatment.kind is Kind.NUMERIC:
                whole = storage is Storage.NUMERIC and self._table.is_integer(name)
                described.append(QuasiColumn(name, storage, numeric(), np.empty(0), whole))
                spooled.append(io.SpooledColumn(name))
            else:
                values, first_rows = io.distinct_values(self._table, name, MOST_CATEGORIES)
                column, codes = categorical_column(name, storage, treatment, values, first_rows)
                described.append(column)
                spooled.append(io.SpooledColumn(name, column.objects, first_rows, codes))
        n_promised = len(plan.promised_columns)
        self._budget = Budget.of(self._memory, VALUES + len(names) + n_promised, plan.k)
        self._spooled = io.SpooledTable(
            self._table, spooled, by=plan.by, weights=plan.weights, chunk=self._budget.chunk
        )
        self._columns = tuple(described)
        self._look = None
        return self._columns

    def complete(self, policies: Sequence[str]) -> Filling:
        """Refuse or drop records that lack a value; say what stands for other gaps."""
        spooled = self._spooled
        if (infinite := spooled.infinite()) is not None:
            raise infinite_value(infinite.column, infinite.row)
        refused, dropped = (
            [j for j, policy in enumerate(policies) if policy == wanted] for wanted in (Missing.REFUSE, Missing.DROP)
        )
        if refused and (gaps := spooled.gaps(refused)) is not None:
            raise missing_values(gaps.n_records, spooled.n_records, gaps.column, gaps.row)
        if dropped:
            spooled.drop_gaps(dropped)
            if spooled.n_records == 0:
                raise no_record_left()
        lacks = {
            j: Lack(count, spooled.n_records, spooled.middle(j) if policies[j] != Missing.VALUE else None)
            for j, count in spooled.missing().items()
        }
        names, attributes = [c.name for c in self._columns], [c.attribute for c in self._columns]
        return filling(names, attributes, policies, lacks)

    def strata(self) -> tuple[IntArray, IntArray]:
        """Give the sizes of the strata and the rows of their first records."""
        self._strata, first_rows = self._spooled.number_strata()
        return self._strata, first_rows

    def sensitive(self, names: Sequence[str]) -> tuple[Sensitive, ...]:
        """Describe the confidential columns that something is promised of."""
        described = self._spooled.code_secrets(names)
        self._sensitive = tuple(
            Sensitive(name, ordered, sizes) for name, (ordered, sizes) in zip(names, described, strict=True)
        )
        return self._sensitive

    def limits(self) -> tuple[FloatArray, FloatArray]:
        """Give the least and the greatest number or code of each column."""
        return self._spooled.limits()

    def fold(self, task: Callable[[Records], Part], merge: Callable[[Part, Part], Part]) -> Part:
        """Give what the task says of all records, merged."""
        whole: Part | None = None
        for chunk in self._chunks():
            part = task(_records(chunk))
            whole = part if whole is None else merge(whole, part)
        if whole is None:
            raise no_record_left()
        return whole

    def divide(self, patterns: Patterns) -> None:
        """Let the strata of records be the patterns of what they lack."""
        self._patterns, self._strata = patterns, patterns.sizes

    def _chunks(self) -> Iterator[io.Chunk]:
        """Give all records in the order of the file, with the strata by which they are grouped."""
        for chunk in self._spooled.chunks():
            if self._patterns is not None:
                chunk = replace(chunk, strata=self._patterns.divide(chunk.rows, chunk.strata, chunk.values))
            yield chunk

    def regroup(self, space: Space, task: CellTask, progress: Progress | None) -> Tally:
        """Do the task cell by cell, and put what comes out back in the order of the rows."""
        spooled, budget, n_columns = self._spooled, self._budget, len(self._columns)
        router = make_router(
            self.fold, space, self._strata, k=self._plan.k, most=budget.cell, sample=budget.sample,
            seed=self._plan.seed,
        )  # fmt: skip
        cells = Buckets(self._folder / "cells", VALUES + n_columns + len(self._sensitive))
        for chunk in self._chunks():
            cells.add(router.cells(_records(chunk)), _packed(chunk))
        gathered = Gathered(
            self._folder / "rows", n_records=spooled.n_records, n_columns=n_columns, chunk=budget.chunk,
            seed=self._plan.seed,
        )  # fmt: skip
        tally: Tally | None = None
        for number in range(len(router.sizes)):
            records = _unpacked(cells.read(number), n_columns, weighted=self._plan.weights is not None)
            cells.remove(number)
            grouped = task(records)
            gathered.add(records, grouped.released, grouped.labels)
            tally = grouped.tally if tally is None else tally.merge(grouped.tally)
            if progress is not None:
                progress(gathered.n_records / spooled.n_records)
        order = secret_random()
        for strata, released in gathered.in_order():
            spooled.put(strata, released, order.random(len(released)))
        self._gathered = gathered
        if tally is None:
            raise no_record_left()
        return tally

    def class_sizes(self, *, released: bool, column: int | None = None) -> tuple[IntArray, IntArray]:
        """Give the sizes of classes of equal records, and how many classes have each."""
        return self._spooled.class_sizes(released=released, column=column)

    def compositions(self, *, released: bool) -> Iterator[tuple[Composition, ...]]:
        """Count the confidential values in the classes, some whole classes at a time."""
        if self._sensitive:
            for parts in self._spooled.compositions(released=released):
                yield tuple(
                    compose_counts(*part, column.value_sizes)
                    for part, column in zip(parts, self._sensitive, strict=True)
                )

    def rare_weights(self) -> int:
        """Count the records whose weight fewer than k records have."""
        return self._spooled.rare_weights(self._plan.k)

    def n_alone(self, names: Collection[str]) -> Mapping[str, int]:
        """Count the records that have a value that no other record has."""
        return self._spooled.n_alone(list(names))

    def n_alone_together(self, names: Collection[str]) -> int:
        """Count the records that have a combination of values that no other record has."""
        return self._spooled.table.n_alone_together(names)

    def release(self, left_out: Collection[str], whole: Collection[str], facts: Mapping[str, Any]) -> FileRelease:
        """Write the release, and give what is known of it; records of a sample of whole groups come with it."""
        spooled = self._spooled
        confidential = [name for name, role in facts["roles"].items() if role is Role.CONFIDENTIAL]
        alike = {name: counts for name in confidential if (counts := spooled.homogeneous(name))[0]}
        if self._write is not None:
            self._write(spooled.release(without=left_out, whole=whole, shuffled=self._plan.shuffle))
        original, released, labels = self._gathered.sample()
        return FileRelease(
            labels=labels,
            original=original,
            released=released,
            alike=alike,
            memory=self._memory,
            **facts,
        )


@contextmanager
def open_cells(
    source: Path,
    memory: int,
    plan: Plan,
    target: Path | None,
    write: Callable[[io.SpooledRelease], None] | None,
    hints: Mapping[str, Any],
) -> Iterator[CellsEngine]:
    """Spool a text or Parquet file to disk, where the work lies too; all of it is removed in the end.

    Parameters
    ----------
    source : Path
        The file.
    memory : int
        Bytes that the work may take.
    plan : Plan
        What will be done.
    target : Path, optional
        Where the release will go; the work lies beside it where nobody says otherwise.
    write : callable, optional
        Writes the release.
    hints : mapping
        What `io.read_spooled` shall know of the columns.
    """
    for path in (source, target):
        if path is not None:
            io.check_streams(io.format_of(path))
    with io.within_limits(), private_folder(target) as folder:
        budget = Budget.of(memory, 1, plan.k)
        table = io.read_spooled(source, io.Spool(folder, budget.database), **hints)
        table = with_gaps(table, columns_with_gaps(plan, table.names))
        yield CellsEngine(table, folder, memory, write)


def _records(chunk: io.Chunk) -> Records:
    return Records(chunk.rows, chunk.values, chunk.strata, chunk.weights, chunk.sensitive)


def _packed(chunk: io.Chunk) -> FloatArray:
    """Lay out the records of a chunk as cells hold them."""
    return np.column_stack([chunk.rows, chunk.strata, chunk.weights, chunk.values, chunk.sensitive])


def _unpacked(packed: FloatArray, n_columns: int, *, weighted: bool) -> Records:
    codes = packed[:, VALUES + n_columns :]
    return Records(
        packed[:, ROW].astype(np.int64),
        np.ascontiguousarray(packed[:, VALUES : VALUES + n_columns]),
        packed[:, STRATUM].astype(np.int64),
        np.ascontiguousarray(packed[:, WEIGHT]) if weighted else None,
        codes.astype(np.int64) if codes.shape[1] else None,
    )
