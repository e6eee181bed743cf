"""THE flow: prepare, partition, aggregate, assess, release; written once, wherever the records are.

An engine holds the records (see engines/). What is done with the records of a cell is in cell.py, how they are read and
written in io/, how the release is told in report/. Only this file knows the order of the steps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from microagg import risk, utility
from microagg.base.checks import check_k
from microagg.base.clock import StepClock
from microagg.base.progress import Progress, part_of
from microagg.base.schema import Kind, Role, Storage
from microagg.base.table import Table
from microagg.base.types import FloatArray, IntArray
from microagg.bounds import lower_bound
from microagg.cell import CellTask, Group, Records, Tally
from microagg.engines import Engine, MemoryEngine
from microagg.errors import InfeasibleK, InvalidData
from microagg.gate import Gate
from microagg.measures import Change
from microagg.partition import METHODS
from microagg.plan import JOIN, Plan
from microagg.plan.columns import quasi_names, rounding_of, stays_whole, untouched_columns
from microagg.plan.method import check_spreadable, choose_method
from microagg.prepare.kinds import QuasiColumn, of_codes, of_unsure_dates
from microagg.prepare.missing import Filling, Gaps, check_closed, policies_of
from microagg.prepare.patterns import Patterns, find_patterns
from microagg.prepare.precision import steps_of
from microagg.prepare.scale import ScaleSums, weights_of
from microagg.prepare.space import Space, count_codes, spreads_of
from microagg.release import AnyRelease, Release
from microagg.report import notes
from microagg.semantic.attribute import Attribute
from microagg.semantic.outliers import find_outliers

Sums = tuple[ScaleSums, tuple[IntArray, ...], FloatArray]
"""What chunks of records tell: sums for the scale, how many records have each code of each column, and the steps of the
numbers."""

GROUPED = 0.5
"""How far grouping takes the progress where other long work follows: measures for a report, a lower bound."""


def release_table(
    table: Table,
    plan: Plan,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
    group: Group | None = None,
) -> Release:
    """Take a table in memory through the flow; `group` may label the prepared records in place of the method."""
    release = make_release(MemoryEngine(table), plan, threads=threads, progress=progress, group=group)
    if not isinstance(release, Release):
        raise InvalidData("a table in memory is released in memory.")
    return release


def make_release(
    engine: Engine,
    plan: Plan,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
    group: Group | None = None,
) -> AnyRelease:
    """Take the records of an engine through the flow.

    Parameters
    ----------
    engine : Engine
        Where the records are.
    plan : Plan
        What to do.
    threads, progress
        As in `anonymize`.
    group : callable, optional
        Labels the prepared records in place of the method.

    Returns
    -------
    AnyRelease
        Checked to be k-anonymous; refused with an error where it is not.
    """
    clock = StepClock()
    prepared = prepare(engine, plan, is_grouped=group is not None)
    plan, space, columns = prepared.plan, prepared.space, prepared.columns
    clock.step("prepare")

    roundings = tuple(rounding_of(plan, c, step) for c, step in zip(columns, prepared.steps.tolist(), strict=True))
    task = CellTask(plan, space, roundings, threads, prepared.hosts, group, prepared.filling.opened, prepared.patterns)
    grouping = progress if plan.bound is None else part_of(progress, 0.0, GROUPED, tells_loss=True)
    tally = engine.regroup(space, task, grouping)
    clock.step("partition", tally.seconds)

    sizes, n_classes = engine.class_sizes(released=True)
    if METHODS[plan.method].per_column:
        for column in range(len(columns)):
            sizes_alone, n_alone = engine.class_sizes(released=True, column=column)
            risk.check_k_anonymous(sizes_alone, plan.k, sizes_alone * n_alone)
    else:
        risk.check_k_anonymous(sizes, plan.k, sizes * n_classes)
    exposed = int((sizes * n_classes)[sizes < plan.k].sum())
    risks = risk.measure_counts(sizes, n_classes)
    change = Change.of_sums(tally.change, space.attributes, space.spreads, space.names)
    losses, column_losses = utility.measure_change(change)
    alone = engine.n_alone(untouched_columns(prepared.roles, plan))
    untouched = {name: count / engine.n_records for name, count in alone.items()}
    together = engine.n_alone_together(list(alone))
    clock.step("assess")

    weighted = (engine.rare_weights(), *tally.dominated) if plan.weights else None
    release = engine.release(
        [name for name, role in prepared.roles.items() if role is Role.IDENTIFIER],
        [c.name for c, rounding in zip(columns, roundings, strict=True) if stays_whole(c, rounding)],
        {
            "n_records": engine.n_records,
            "groups": dict(tally.sizes),
            "losses": losses,
            "column_losses": column_losses,
            "risks": risks,
            "risks_before": prepared.risks,
            "plan": plan,
            "roles": prepared.roles,
            "kinds": {column.name: column.kind for column in columns},
            "attributes": tuple(column.attribute for column in columns),
            "change": change,
            "scale": space.scale,
            "suppressed": prepared.n_suppressed,
            "gaps": prepared.gaps(tally),
            "dates": frozenset(c.name for c in columns if c.kind is Kind.NUMERIC and c.storage is Storage.DATE),
            "lower_bound": None,
            "seconds": {},
            "warnings": prepared.notes(engine.n_records, exposed, risks, weighted, untouched, together, tally),
            "k_anonymous": not exposed,
            "untouched": untouched,
        },
    )
    clock.step("write" if not engine.at_once else "assess")
    if plan.bound is not None:
        proving = part_of(progress, GROUPED, 1.0)
        release = replace(release, lower_bound=_lowest(release, prepared, plan.bound, threads, proving))
        clock.step("bound")
    sampled = notes.of_a_sample(len(release.labels), release.n_records)
    return replace(release, seconds=clock.seconds, warnings=(*release.warnings, *sampled))


@dataclass(frozen=True, eq=False)
class Prepared:
    """What is known of the records of an engine before they are grouped.

    Attributes
    ----------
    plan : Plan
        With a method.
    settled : tuple of str
        What was decided about columns without being asked, to be said aloud.
    roles : mapping of str to Role
        What each column is taken for.
    columns : tuple of QuasiColumn
        The quasi-identifiers.
    space : Space
        Where the records lie.
    steps : array of float
        How finely the numbers of each column are given; 0 where that is not known.
    strata : array of int
        The sizes of the strata.
    risks : mapping of str to float
        Every risk in RISKS, of the original.
    filling : Filling
        What stands for missing values.
    patterns : Patterns, optional
        What records lack, where only such that lack the same may be in one group.
    n_dropped : int
        How many records were left out because they lack a value.
    hosts : array of int, optional
        The record whose group each record joins, where some resemble nobody.
    n_suppressed : int
        How many records were left out because they resemble nobody.
    """

    plan: Plan
    settled: tuple[str, ...]
    roles: Mapping[str, Role]
    columns: tuple[QuasiColumn, ...]
    space: Space
    steps: FloatArray
    strata: IntArray
    risks: Mapping[str, float]
    filling: Filling
    patterns: Patterns | None
    n_dropped: int
    hosts: IntArray | None
    n_suppressed: int

    def gaps(self, tally: Tally) -> Gaps:
        """Say what became of missing values."""
        blanked = {name: int(count) for name, count in zip(self.space.names, tally.blanked, strict=True) if count}
        return Gaps(self.n_dropped, self.filling.imputed, self.filling.missing, blanked)

    def notes(
        self,
        n_records: int,
        exposed: int,
        risks: Mapping[str, float],
        weighted: tuple[int, int, int] | None,
        untouched: Mapping[str, float],
        together: int,
        tally: Tally,
    ) -> tuple[str, ...]:
        """Say what to know before publishing."""
        plan, gate, n_all = self.plan, Gate(n_records, self.plan.k), n_records + self.n_suppressed
        joined = 0 if self.hosts is None else int((self.hosts != np.arange(len(self.hosts))).sum())
        as_points = self.columns if METHODS[plan.method].takes == "numbers" else ()
        return (
            *self.settled,
            *of_codes(self.columns),
            *of_unsure_dates(self.columns),
            *notes.of_outliers(gate, self.n_suppressed, n_all, "were suppressed"),
            *notes.of_outliers(gate, joined, n_all, "joined the most similar group"),
            *notes.of_exposed(exposed, plan.k),
            *notes.of_risk(gate, self.risks["average_risk"], risks["average_risk"]),
            *notes.of_gaps(gate, self.gaps(tally), len(self.columns)),
            *notes.of_points({column.name: column.attribute for column in as_points}),
            *notes.of_strata(self.strata.tolist(), plan.k),
            *(notes.of_weights(plan, n_records, *weighted) if weighted else ()),
            *notes.of_untouched(untouched, plan),
            *notes.of_untouched_together(untouched, together, n_records),
        )


def prepare(engine: Engine, plan: Plan, *, is_grouped: bool = False) -> Prepared:
    """Say what the columns are, complete the records, and find where they lie; groups may be known already."""
    if engine.n_records == 0:
        raise InvalidData("the table has no records.")
    settled = engine.settle(plan)
    roles = settled.roles
    names = quasi_names(roles)
    columns = engine.describe(names, plan)
    kinds = [column.kind for column in columns]
    choose_method(plan, kinds)  # says what cannot be, before anything else is done
    if not engine.at_once:
        check_spreadable(plan)
    weights_of(names, plan.column_weights)
    n_all = engine.n_records
    filling = engine.complete(policies_of(plan.missing, names))
    check_k(plan.k, engine.n_records)
    n_complete = engine.n_records
    attributes = filling.attributes([column.attribute for column in columns])
    hosts = None
    if plan.suppress or plan.outliers == JOIN:
        check_closed(filling)
        values = filling.fill(engine.everything().values)
        outliers = find_outliers(values, plan.k, attributes, beyond=plan.beyond, limit=plan.suppress)
        engine.keep(np.flatnonzero(~outliers.suppressed))
        check_k(plan.k, engine.n_records)
        hosts = outliers.hosts if plan.outliers == JOIN else None
    strata, first_rows = engine.strata()
    check_strata(strata, first_rows, plan)
    sizes, n_classes = engine.class_sizes(released=False)
    tied = float((sizes * n_classes)[sizes >= plan.k].sum()) / engine.n_records
    plan = choose_method(plan, kinds, engine.n_records, tied)
    lowest, highest = engine.limits()
    largest = np.maximum(np.abs(highest), np.abs(lowest))
    sums, counts, steps = engine.fold(
        partial(_sums, columns=columns, attributes=attributes, largest=largest, filling=filling), _merged
    )
    space = Space(
        names=tuple(names),
        attributes=attributes,
        scale=sums.scale(lowest, highest),
        spreads=spreads_of(counts, attributes),
        column_weights=plan.column_weights,
        standardize=plan.standardize,
        as_codes=METHODS[plan.method].takes == "attributes",
        fills=filling.values if filling.imputed or filling.missing else None,
    )
    patterns = None
    if filling.opened is not None and hosts is None and not is_grouped:
        points, alone = replace(space, as_codes=False, standardize=True).points, METHODS[plan.method].per_column
        patterns = find_patterns(engine.fold, filling.opened, points, plan.k, per_column=alone)
        if patterns is not None:
            engine.divide(patterns)
    n_suppressed = n_complete - engine.n_records
    risks = risk.measure_counts(sizes, n_classes)
    n_dropped = n_all - n_complete
    return Prepared(
        plan=plan,
        settled=settled.notes,
        roles=roles,
        columns=columns,
        space=space,
        steps=steps,
        strata=strata,
        risks=risks,
        filling=filling,
        patterns=patterns,
        n_dropped=n_dropped,
        hosts=hosts,
        n_suppressed=n_suppressed,
    )


def _sums(
    records: Records,
    *,
    columns: Sequence[QuasiColumn],
    attributes: Sequence[Attribute],
    largest: FloatArray,
    filling: Filling,
) -> Sums:
    """Sum up some records: for the scale of numbers, the spread of categories, and how fine the numbers are.

    Of numbers, what is known counts alone; of categories, what is imputed counts too.
    """
    values = records.values
    counts = count_codes(filling.fill(values), attributes)
    return ScaleSums.of(values, largest), counts, steps_of(values, columns)


def _merged(one: Sums, other: Sums) -> Sums:
    counts = tuple(a + b for a, b in zip(one[1], other[1], strict=True))
    return one[0].merge(other[0]), counts, np.minimum(one[2], other[2])


def check_strata(sizes: IntArray, first_rows: IntArray, plan: Plan) -> None:
    """Refuse a stratum of fewer than k records: told by its first record, and not by values that so few share."""
    for size, row in zip(sizes.tolist(), first_rows.tolist(), strict=True):
        if size < plan.k:
            raise InfeasibleK(
                f"the stratum of record {row + 1} ({', '.join(plan.by)}) has fewer than k = {plan.k} records. Merge it "
                "with another, leave it out, or choose a smaller k."
            )


def _lowest(
    release: AnyRelease, prepared: Prepared, seconds: float, threads: int | None, progress: Progress | None
) -> float:
    """Prove a loss that no partition is below."""
    Z = prepared.space.scale.apply(release.original)
    upper = release.labels if len(prepared.strata) == 1 else None
    return float(lower_bound(Z, prepared.plan.k, time_limit=seconds, upper=upper, threads=threads, progress=progress))
