"""Records spread over files, processes or machines: the engine of the flow, over `Parts`.

Everything that is global is a fold or a shuffle (see parts.py): what the columns are, codes, limits, sums, strata,
classes. Router, sample, cells and checks are those of engines/cells, so that the same records give the same release.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import Any

import numpy as np
import pyarrow as pa

from microagg.base.progress import Progress
from microagg.base.schema import Kind, Role, Storage
from microagg.base.types import BoolArray, FloatArray, IntArray
from microagg.cell import CellTask, Records, Tally
from microagg.constraints import Sensitive
from microagg.engines.buckets import VALUES
from microagg.engines.budget import CELL_GROUPS, Budget
from microagg.engines.engine import Part
from microagg.engines.gathered import SAMPLE_RECORDS, joined_samples
from microagg.engines.order import secret_number
from microagg.engines.part_by_part import PartByPart, text_dates
from microagg.engines.router import Fold, Router, make_router
from microagg.engines.spread.arrow import Values, both_distinct, distinct, floats, indices, keys
from microagg.engines.spread.cells import CellBucket, CellResult, CellRoute
from microagg.engines.spread.coding import Coding, RecodedView, SecretColumn
from microagg.engines.spread.counts import AT_ONCE, ClassCounts, ClassRoute, ClassTask, count_values
from microagg.engines.spread.order import at_place
from microagg.engines.spread.parts import ROW, Parts, Route
from microagg.engines.spread.recoding import ColumnRecoding, SpreadNumbers, stored_type
from microagg.engines.spread.restore import Restore, type_of
from microagg.engines.spread.table import SpreadTable
from microagg.engines.spread.units import UnitBucket, UnitCellRoute, UnitFacts, UnitRoute, of_first_records
from microagg.errors import InfeasibleK, InvalidData
from microagg.io.columns import not_numeric
from microagg.measures.composition import Composition
from microagg.plan import Plan
from microagg.plan.settle import SettledRoles, settle_roles
from microagg.prepare.check import TableLook
from microagg.prepare.kinds import QuasiColumn, categorical_column, treatments
from microagg.prepare.missing import Filling, Lack, Missing, filling, infinite_value, missing_values, no_record_left
from microagg.prepare.patterns import Patterns
from microagg.prepare.space import Space
from microagg.recode import Outcome
from microagg.recode.column import MOST_CATEGORIES, Holds, SteppedColumn, What
from microagg.recode.run import check_columns, check_storage, holds_texts, step_columns
from microagg.release import FileRelease
from microagg.report import notes
from microagg.semantic.attribute import numeric
from microagg.units import UnitTask

MOST_STRATA = 1_000_000
"""More strata are refused: their names lie in the memory of every worker."""
MOST_SECRETS = 1_000_000
"""More values of a confidential column of which something is promised are refused, for the same reason."""

First = tuple[int, int] | None
"""A row and the place of a column, the first of some."""


class SpreadEngine(PartByPart):
    """The records of parts, wherever these lie; see `Engine`.

    Parameters
    ----------
    parts : Parts
        The records.
    memory : int
        Bytes that the work on one cell may take: the cells depend on it, and on nothing else that is not data.
    threads : int, optional
        How many threads the work on one cell uses.
    """

    counts_units = True

    def __init__(self, parts: Parts, memory: int, threads: int | None = 1) -> None:
        self._parts, self._memory, self._threads = parts, memory, threads
        self._table = SpreadTable(parts, RecodedView())
        self._look: TableLook | None = None
        self._columns: tuple[QuasiColumn, ...] = ()
        self._plan: Plan
        self._budget: Budget
        self._coding = Coding({})
        self._n_records = parts.n_records
        self._strata: IntArray = np.empty(0, dtype=np.int64)
        self._sensitive: tuple[Sensitive, ...] = ()
        self._alike: tuple[str, ...] = ()
        self._made: Parts
        self._results: list[CellResult] = []
        self._classes: ClassCounts | None = None
        self._together: dict[tuple[str, ...], int] = {}
        self._by_unit: Parts | None = None
        self._units: UnitFacts
        self._limits: tuple[FloatArray, FloatArray]

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the table, in order."""
        return self._table.names

    @property
    def n_records(self) -> int:
        """How many records there are, without those that were left out."""
        return self._n_records

    def recode(self, plan: Plan) -> tuple[Outcome, ...]:
        """Recode columns as the plan says: what is done is known to all parts from here on."""
        if not plan.recode:
            return ()
        check_columns(plan.recode, self.names)
        columns, outcomes = step_columns(self._table, plan.recode, plan.k, plan.kinds, self._stepped)  # type: ignore[arg-type]
        recodings = {}
        for name, column in columns.items():
            numbers: SpreadNumbers = column.numbers
            before = self._table.types[name]
            limits = numbers.limits() if column.holds.what is What.NUMBERS else None
            recodings[name] = replace(numbers.recoding, stored=stored_type(column.holds, before, limits))
        self._table = SpreadTable(self._parts, RecodedView(recodings))
        return outcomes

    def _stepped(self, name: str, is_code: bool) -> SteppedColumn:
        storage = self._table.storage(name)
        code_of = None
        if storage is Storage.NUMERIC:
            holds = Holds(What.NUMBERS, self._table.is_integer(name), is_code=is_code)
        elif storage is Storage.DATE:
            holds = Holds(What.DATES)
        else:
            check_storage(name, storage)
            values, _ = self._distinct(name)
            holds = holds_texts(values)
            code_of = {value: float(code) for code, value in enumerate(values)}
        fold = partial(_fold_column, self._table, name)
        return SteppedColumn(name, holds, SpreadNumbers(fold, name, ColumnRecoding(code_of, (), holds)))

    def settle(self, plan: Plan) -> SettledRoles:
        """Give each column its role, after a look at all of them."""
        settled = settle_roles(self._table, plan)  # type: ignore[arg-type]
        self._look = settled.look
        self._alike = tuple(name for name, role in settled.roles.items() if role is Role.CONFIDENTIAL)
        return settled

    def _distinct(self, name: str) -> tuple[list[Any], IntArray]:
        """Give the distinct values of a column and the first row of each, in that order."""
        most = MOST_CATEGORIES
        values: Values | None = self._table.fold(
            partial(_distinct, most=most), partial(both_distinct, most=most), [name]
        )
        if values is None:
            raise InvalidData(
                f"column {name!r} holds more than {most:,} distinct categories, too many for a release cell by cell. "
                "It may be an identifier; else recode it, or work in memory: memory='unlimited', --memory unlimited."
            )
        ordered = sorted(values.items(), key=lambda item: item[1][0])
        return [value for value, _ in ordered], np.array([first for _, (first, _) in ordered], dtype=np.int64)

    def describe(self, names: Sequence[str], plan: Plan) -> tuple[QuasiColumn, ...]:
        """Say what the quasi-identifiers are, of all their values."""
        self._plan = plan
        table, described = self._table, []
        codes: dict[str, Mapping[Any, float] | None] = {}
        how = treatments(table, names, plan.kinds, self._look, text_dates=False)  # type: ignore[arg-type]
        for name, treatment in how.items():
            storage = table.storage(name)
            if treatment.dates is not None:
                raise text_dates(name)
            if treatment.kind is Kind.NUMERIC:
                if storage not in (Storage.NUMERIC, Storage.DATE):
                    raise not_numeric(name, f"{storage} values")
                whole = storage is Storage.NUMERIC and table.is_integer(name)
                described.append(QuasiColumn(name, storage, numeric(), np.empty(0), whole))
                codes[name] = None
            else:
                values, first_rows = self._distinct(name)
                column, code_of = categorical_column(name, storage, treatment, values, first_rows)
                described.append(column)
                codes[name] = dict(zip(values, code_of.tolist(), strict=True))
        self._budget = Budget.of(self._memory, VALUES + len(names) + len(plan.promised_columns), plan.k)
        if plan.weights is not None and table.storage(plan.weights) is not Storage.NUMERIC:
            raise not_numeric(plan.weights, f"{table.storage(plan.weights)} values")
        self._coding = Coding(codes, by=tuple(plan.by), weights=plan.weights, unit=plan.unit)
        self._columns, self._look = tuple(described), None
        if plan.weights is not None:
            row = table.fold(_bad_weight, min, [plan.weights])
            if row < table.n_records:
                raise InvalidData(f"weights must be finite and at least 0; record {row + 1} has another value.")
        if plan.unit is not None:
            row = table.fold(_without_unit, min, [plan.unit])
            if row < table.n_records:
                raise InvalidData(
                    f"column {plan.unit!r} says which records belong together, and lacks a value in record {row + 1}. "
                    "Give each record a unit, or leave it out."
                )
        return self._columns

    def complete(self, policies: Sequence[str]) -> Filling:
        """Refuse or drop records that lack a value; say what stands for other gaps."""
        refused, dropped = (
            tuple(j for j, policy in enumerate(policies) if policy == wanted)
            for wanted in (Missing.REFUSE, Missing.DROP)
        )
        names = [column.name for column in self._columns]
        looked: _Gaps = self._table.fold(
            partial(_gaps, coding=self._coding, refused=refused, dropped=dropped), _both_gaps, names
        )
        if looked.infinite is not None:
            raise infinite_value(names[looked.infinite[1]], looked.infinite[0])
        if looked.refused is not None:
            row, place = looked.refused
            raise missing_values(looked.n_refused, self._n_records, names[place], row)
        if looked.n_dropped and self._plan.unit is not None:
            looked = self._without_units(looked, dropped)
        elif looked.n_dropped:
            self._coding = replace(self._coding, dropped=dropped)
            self._n_records -= looked.n_dropped
            if not self._n_records:
                raise no_record_left()
        self._limits = looked.lowest, looked.highest
        lacks = {
            j: Lack(count, self._n_records, self._middle(j, count) if policies[j] != Missing.VALUE else None)
            for j, count in enumerate(looked.missing.tolist())
            if count
        }
        return filling(names, [column.attribute for column in self._columns], policies, lacks)

    def _without_units(self, looked: _Gaps, dropped: tuple[int, ...]) -> _Gaps:
        """Leave out the units of records that lack a value, as a whole; give what the others lack."""
        names, unit = list(self._coding.columns), str(self._plan.unit)
        columns = list(dict.fromkeys([*names, unit]))
        units: frozenset[Any] = self._table.fold(
            partial(_lacking_units, coding=self._coding, dropped=dropped), frozenset.union, columns
        )
        if len(units) > MOST_STRATA:
            raise InvalidData(
                f"more than {MOST_STRATA:,} units lack a value, too many to leave out cell by cell. Choose "
                "missing='value' or missing='impute'."
            )
        self._coding = replace(self._coding, left_out=units)
        kept: _Gaps = self._table.fold(partial(_gaps, coding=self._coding, refused=(), dropped=()), _both_gaps, columns)
        self._n_records = kept.n_records
        if not self._n_records:
            raise no_record_left()
        return kept

    def _middle(self, j: int, n_missing: int) -> float | None:
        """Give the median, or the code of the most frequent category (the lowest of several); None of no value."""
        if self._n_records == n_missing:
            return None
        if self._columns[j].kind is not Kind.NUMERIC:
            counts = self.fold(partial(_codes_of, j=j), _added)
            return float(np.argmax(counts))

        def total(task: Callable[[FloatArray], Any], merge: Callable[[Any, Any], Any]) -> Any:
            return self.fold(partial(_of_column, j=j, task=task), merge)

        n_known = self._n_records - n_missing
        places = {(n_known - 1) // 2, n_known // 2}
        return sum(at_place(total, place) / len(places) for place in sorted(places))

    def strata(self) -> tuple[IntArray, IntArray]:
        """Give the sizes of the strata and the rows of their first records."""
        if not self._plan.by:
            self._strata = np.array([self._n_records])
            return self._strata, np.array([0])
        columns = list(dict.fromkeys([*self._plan.by, *self._coding.needed_to_drop]))
        named: Values | None = self._table.fold(
            partial(_strata, coding=self._coding), partial(both_distinct, most=MOST_STRATA), columns
        )
        if named is None:
            raise InvalidData(
                f"by ({', '.join(self._plan.by)}) makes more than {MOST_STRATA:,} strata, too many for a release cell "
                "by cell. Leave a column out of it."
            )
        ordered = sorted(named.items(), key=lambda item: item[1][0])
        self._coding = replace(self._coding, strata={key: number for number, (key, _) in enumerate(ordered)})
        first_rows = np.array([first for _, (first, _) in ordered], dtype=np.int64)
        self._strata = np.array([size for _, (_, size) in ordered], dtype=np.int64)
        return self._strata, first_rows

    def sensitive(self, names: Sequence[str]) -> tuple[Sensitive, ...]:
        """Describe the confidential columns that something is promised of."""
        secrets, described = [], []
        for name in names:
            ordered = self._table.storage(name) in (Storage.NUMERIC, Storage.DATE)
            columns = list(dict.fromkeys([name, *self._coding.needed_to_drop]))
            task = partial(_secret_values, coding=self._coding, name=name, ordered=ordered)
            counted: Counter[Any] | None = self._table.fold(task, _both_secrets, columns)
            if counted is None:
                raise InvalidData(
                    f"column {name!r} has more than {MOST_SECRETS:,} different values, too many for what is promised "
                    "of it (l, p, t) cell by cell. Recode it (round, bands), or work in memory: memory='unlimited', "
                    "--memory unlimited."
                )
            n_missing = counted.pop(None, 0)
            values = sorted(counted)
            sizes = [counted[value] for value in values] + ([n_missing] if n_missing else [])
            in_order = np.array(values, dtype=np.float64) if ordered else None
            code_of = {} if ordered else {value: code for code, value in enumerate(values)}
            secrets.append(SecretColumn(name, in_order, code_of))
            described.append(Sensitive(name, ordered, np.array(sizes, dtype=np.int64)))
        self._coding = replace(self._coding, secrets=tuple(secrets))
        self._sensitive = tuple(described)
        return self._sensitive

    def limits(self) -> tuple[FloatArray, FloatArray]:
        """Give the least and the greatest number or code of each column."""
        lowest, highest = self._limits
        empty = lowest > highest
        return np.where(empty, 0.0, lowest), np.where(empty, 0.0, highest)

    def fold(self, task: Callable[[Records], Part], merge: Callable[[Part, Part], Part]) -> Part:
        """Give what the task says of all records, part by part and merged in their order."""
        coded = partial(_coded, coding=self._coding, task=task)
        whole: Part | None = self._table.fold(coded, partial(_merged, merge=merge), self._coding.needs)
        if whole is None:
            raise no_record_left()
        return whole

    def divide(self, patterns: Patterns) -> None:
        """Let the strata of records be the patterns of what they lack."""
        self._coding, self._strata = replace(self._coding, patterns=patterns), patterns.sizes

    def regroup(self, space: Space, task: CellTask, progress: Progress | None) -> Tally:
        """Send all records to their cells, and do the task for each."""
        plan, patterns = self._plan, self._coding.patterns
        route: Route
        if isinstance(task, UnitTask):
            parts, router, route = self._to_cells_by_units(space)
            columns, sizes = parts.schema.names, None
            task = replace(task, of_units=self._units.of_units)
        else:
            parts = self._parts
            router = self._router(self.fold, space, self._strata, self._budget.cell)
            route = to_cells = CellRoute(self._table.view, self._coding, router, self._alike)
            columns, sizes = to_cells.needs, router.sizes
        bucket = CellBucket(
            replace(task, threads=self._threads),
            None if patterns is None else patterns.parents,
            SAMPLE_RECORDS / self._n_records,
            plan.seed,
        )
        results, self._made = parts.shuffle(
            route, bucket, columns, n_buckets=len(router.sizes), sizes=sizes, progress=progress
        )
        if self._made.n_records != self._n_records:
            raise InvalidData("records were lost on their way to cells, or came twice: nothing was released.")
        self._results = [results[number] for number in range(len(router.sizes))]
        tally = self._results[0].tally
        for result in self._results[1:]:
            tally = tally.merge(result.tally)
        return tally

    def _router(self, fold: Fold, space: Space, strata: IntArray, most: int) -> Router:
        plan, sample = self._plan, self._budget.sample
        return make_router(fold, space, strata, k=plan.k, most=most, sample=sample, seed=plan.seed)

    def _units_together(self) -> Parts:
        """Send the records of each unit side by side, once."""
        if self._by_unit is None:
            n_buckets = 1 + self._n_records // AT_ONCE
            route = UnitRoute(self._table.view, self._coding, self._alike, n_buckets)
            needs = list(dict.fromkeys([*self._coding.needs, *self._alike]))
            bucket = UnitBucket(len(self._strata), len(self._columns))
            told, self._by_unit = self._parts.shuffle(route, bucket, needs, n_buckets=n_buckets)
            self._units = reduce(UnitFacts.merge, told.values())
            if self._units.divided is not None:
                raise InvalidData(
                    f"the strata ({', '.join(self._plan.by)}) divide units: record {self._units.divided + 1} is in "
                    "another stratum than an earlier record of its unit. Leave by out, or choose strata that are the "
                    "same in all records of a unit."
                )
        return self._by_unit

    def _to_cells_by_units(self, space: Space) -> tuple[Parts, Router, UnitCellRoute]:
        """Find the cells of units, by their first records."""
        parts, n_columns = self._units_together(), len(self._columns)
        k, few = self._plan.k, np.flatnonzero(self._units.strata < self._plan.k)
        if len(few):
            raise InfeasibleK(
                f"k = {k} units cannot look the same: a stratum has records of fewer. Merge it with another, leave it "
                "out, or choose a smaller k."
            )

        def fold(task: Callable[[Records], Any], merge: Callable[[Any, Any], Any]) -> Any:
            first = partial(of_first_records, n_columns=n_columns, task=task)
            return parts.fold(first, partial(_merged, merge=merge), [*(f"r{j}" for j in range(n_columns)), "s", "u"])

        # Cells hold so many units that their records fit, on the average.
        most = max(CELL_GROUPS * k, self._budget.cell * self._units.n_units // self._n_records)
        router = self._router(fold, space, self._units.strata, most)
        return parts, router, UnitCellRoute(router, n_columns)

    def class_sizes(self, *, released: bool, column: int | None = None) -> tuple[IntArray, IntArray | FloatArray]:
        """Give the sizes of classes of equal records, and how many classes have each."""
        if released and column is None:
            if self._classes is None:
                alike = tuple(f"f{j}" for j in range(len(self._alike)))
                self._classes = self._counted(released=True, alike=alike)
            counts = self._classes
        else:
            counts = self._counted(released=released, column=column)
        sizes = np.array(sorted(counts.sizes), dtype=np.int64)
        counted = np.array([counts.sizes[size] for size in sizes.tolist()], dtype=np.int64)
        return sizes, counted if self._plan.unit is None else counted / sizes

    def _counted(
        self, *, released: bool, alike: tuple[str, ...] = (), codes: bool = False, column: int | None = None
    ) -> ClassCounts:
        counted = list(self._class_counts(released=released, alike=alike, codes=codes, column=column))
        sizes: Counter[int] = sum((part.sizes for part in counted), Counter())
        return ClassCounts(sizes, sum(part.alike for part in counted) + np.zeros((len(alike), 2), np.int64), ())

    def _class_counts(
        self, *, released: bool, alike: tuple[str, ...], codes: bool, column: int | None
    ) -> Iterator[ClassCounts]:
        places = range(len(self._columns)) if column is None else [column]
        values = ("s", *(f"y{j}" for j in places))
        named = tuple(f"c{j}" for j in range(len(self._sensitive))) if codes else ()
        n_buckets = 1 + self._n_records // AT_ONCE
        unit = ("u",) if self._plan.unit is not None else ()
        value_sizes = tuple(each.value_sizes for each in self._sensitive) if codes else ()
        task = ClassTask(alike, named, value_sizes, unit=unit[0] if unit else None)
        route = ClassRoute(n_buckets, values, (*alike, *named, *unit))
        parts, columns = self._made if released else self._parts, [*values, *alike, *named, *unit]
        if not released and unit:
            parts, originals = self._units_together(), ("s", *(f"x{j}" for j in places))
            route, columns = replace(route, values=originals), [*originals, *named, *unit]
        elif not released:
            plainly = replace(self._coding, patterns=None, secrets=self._coding.secrets if codes else (), weights=None)
            route, columns = replace(route, coding=plainly, view=self._table.view), plainly.needs
        counted, _ = parts.shuffle(route, task, columns, n_buckets=n_buckets)
        for bucket in sorted(counted):
            yield counted[bucket]

    def compositions(self, *, released: bool) -> Iterator[tuple[Composition, ...]]:
        """Count the confidential values in the classes, some whole classes at a time."""
        if self._sensitive:
            for counted in self._class_counts(released=released, alike=(), codes=True, column=None):
                yield counted.compositions

    def rare_weights(self) -> int:
        """Count the records whose weight fewer than k records have."""
        names = [self._plan.weights] if self._plan.weights is not None else []
        counted = count_values(self._parts, self._table.view, self._coding, names, k=self._plan.k)
        return counted[0].n_rare if counted else 0

    def n_alone(self, names: Collection[str]) -> Mapping[str, int]:
        """Count the records that have a value that no other record has."""
        asked = tuple(names)
        if not asked:
            return {}
        counted = count_values(self._parts, self._table.view, self._coding, asked, k=self._plan.k, together=True)
        self._together[asked] = counted[-1].n_alone
        return {name: counts.n_alone for name, counts in zip(asked, counted[:-1], strict=True)}

    def n_alone_together(self, names: Collection[str]) -> int:
        """Count the records that have a combination of values that no other record has."""
        asked = tuple(names)
        if asked and asked not in self._together:
            self.n_alone(asked)
        return self._together[asked] if asked else 0

    def release(self, left_out: Collection[str], whole: Collection[str], facts: Mapping[str, Any]) -> FileRelease:
        """Write the release, and give what is known of it; a sample of whole groups comes with it."""
        lowest = np.min([result.lowest for result in self._results], axis=0).tolist()
        highest = np.max([result.highest for result in self._results], axis=0).tolist()
        types = {
            column.name: type_of(column, self._table.types[column.name], column.name in whole, ends)
            for column, ends in zip(self._columns, zip(lowest, highest, strict=True), strict=True)
        }
        kept = [name for name in self.names if name not in left_out]
        make = Restore(self._table.view, self._columns, types, tuple(name for name in self._plan.by if name in kept))
        self._parts.put(self._made, make, kept, scatter=secret_number() if self._plan.shuffle else None)
        self._parts.publish()
        if self._plan.unit is not None:
            told = notes.of_units(self._plan, self._units.n_units, 0)
            facts = {**facts, "warnings": (*told, *facts["warnings"])}
        alike = {} if self._classes is None else dict(zip(self._alike, self._classes.alike.tolist(), strict=True))
        original, released, labels = joined_samples([result.sample for result in self._results])
        return FileRelease(
            labels=labels,
            original=original,
            released=released,
            alike={name: (groups, records) for name, (groups, records) in alike.items() if groups},
            memory=self._memory,
            **facts,
        )


def _fold_column(
    table: SpreadTable, name: str, function: Callable[[pa.Table], Any], merge: Callable[[Any, Any], Any]
) -> Any:
    return table.fold(function, merge, [name])


def _distinct(table: pa.Table, *, most: int) -> Values | None:
    return distinct(table.column(0), table.column(ROW).to_numpy(), most)


def _bad_weight(table: pa.Table) -> int:
    """Give the first row that has no weight, or a row after the last one."""
    weights = floats(table.column(0))
    bad = ~(np.isfinite(weights) & (weights >= 0))
    rows = table.column(ROW).to_numpy()
    return int(rows[bad].min()) if bad.any() else np.iinfo(np.int64).max


@dataclass(frozen=True, eq=False)
class _Gaps:
    """What parts tell of their values: the first that is infinite, or missing where none may be, how many records lack
    one of those, and how many are left out; of the others how many values are missing, and the ends of those that are
    not.
    """

    infinite: First
    refused: First
    n_refused: int
    n_dropped: int
    n_records: int
    missing: IntArray
    lowest: FloatArray
    highest: FloatArray


def _gaps(table: pa.Table, *, coding: Coding, refused: Sequence[int], dropped: Sequence[int]) -> _Gaps:
    records = replace(coding, by=(), weights=None).records(table)
    gaps = np.isnan(records.values)
    is_refused, is_dropped = (np.isin(np.arange(gaps.shape[1]), list(places)) for places in (refused, dropped))
    left_out: BoolArray = np.asarray((gaps & is_dropped).any(axis=1))
    lacking = gaps & is_refused
    known = ~gaps & ~left_out[:, None]
    return _Gaps(
        _first(records.rows, np.isinf(records.values)),
        _first(records.rows, lacking),
        int(lacking.any(axis=1).sum()),
        int(left_out.sum()),
        len(records.rows),
        (gaps & ~left_out[:, None]).sum(axis=0),
        np.where(known, records.values, np.inf).min(axis=0, initial=np.inf),
        np.where(known, records.values, -np.inf).max(axis=0, initial=-np.inf),
    )


def _first(rows: IntArray, where: Any) -> First:
    """Give the first row in which something holds, and the first place there; rows are in order."""
    if not where.any():
        return None
    row, place = np.argwhere(where)[0].tolist()
    return int(rows[row]), int(place)


def _both_gaps(one: _Gaps, other: _Gaps) -> _Gaps:
    return _Gaps(
        min((first for first in (one.infinite, other.infinite) if first is not None), default=None),
        min((first for first in (one.refused, other.refused) if first is not None), default=None),
        one.n_refused + other.n_refused,
        one.n_dropped + other.n_dropped,
        one.n_records + other.n_records,
        one.missing + other.missing,
        np.minimum(one.lowest, other.lowest),
        np.maximum(one.highest, other.highest),
    )


def _without_unit(table: pa.Table) -> int:
    """Give the first row that has no unit, or a row after the last one."""
    bad = indices(table.column(0))[0] < 0
    return int(table.column(ROW).to_numpy()[bad].min()) if bad.any() else np.iinfo(np.int64).max


def _lacking_units(table: pa.Table, *, coding: Coding, dropped: tuple[int, ...]) -> frozenset[Any]:
    """Give the units of records that lack a value which they must have."""
    lacking = ~replace(coding, unit=None, dropped=dropped).kept(table)
    places, units = indices(table.column(str(coding.unit)))
    return frozenset(units[place] for place in np.unique(places[lacking]).tolist())


def _codes_of(records: Records, *, j: int) -> IntArray:
    known = records.values[~np.isnan(records.values[:, j]), j]
    return np.bincount(known.astype(np.int64))


def _added(one: IntArray, other: IntArray) -> IntArray:
    longer, shorter = (one, other) if len(one) >= len(other) else (other, one)
    summed = longer.copy()
    summed[: len(shorter)] += shorter
    return summed


def _of_column(records: Records, *, j: int, task: Callable[[FloatArray], Any]) -> Any:
    return task(records.values[:, j])


def _strata(table: pa.Table, *, coding: Coding) -> Values:
    rows = table.column(ROW).to_numpy()
    numbers, named = keys([table.column(name) for name in coding.by])
    kept = coding.kept(table)
    first = np.full(len(named), np.iinfo(np.int64).max)
    np.minimum.at(first, numbers[kept], rows[kept])
    counts = np.bincount(numbers[kept], minlength=len(named))
    there = zip(named, zip(first.tolist(), counts.tolist(), strict=True), strict=True)
    values: Values = {}
    for key, (row, count) in there:
        if count:
            known = values.get(key, (row, 0))
            values[key] = (min(row, known[0]), count + known[1])
    return values


def _secret_values(table: pa.Table, *, coding: Coding, name: str, ordered: bool) -> Counter[Any] | None:
    kept = coding.kept(table)
    counted: Counter[Any] = Counter()
    if ordered:
        values, counts = np.unique(floats(table.column(name))[kept], return_counts=True)
        named = [None if value != value else value for value in values.tolist()]
    else:
        places, distinct_values = indices(table.column(name))
        counts = np.bincount(places[kept] + 1, minlength=len(distinct_values) + 1)
        named = [None, *distinct_values]
    for value, count in zip(named, counts.tolist(), strict=True):
        if count:
            counted[value] += count
    return counted if len(counted) <= MOST_SECRETS else None


def _both_secrets(one: Counter[Any] | None, other: Counter[Any] | None) -> Counter[Any] | None:
    if one is None or other is None:
        return None
    one.update(other)
    return one if len(one) <= MOST_SECRETS else None


def _coded(table: pa.Table, *, coding: Coding, task: Callable[[Records], Part]) -> Part | None:
    records = coding.records(table)
    return task(records) if len(records.rows) else None


def _merged(one: Part | None, other: Part | None, *, merge: Callable[[Part, Part], Part]) -> Part | None:
    if one is None or other is None:
        return other if one is None else one
    return merge(one, other)
