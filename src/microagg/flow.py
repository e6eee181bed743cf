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
from microagg.constraints import KeptPromise, Terms, terms_of
from microagg.differential import PrivateTask, limits_of
from microagg.engines import Engine, MemoryEngine
from microagg.errors import InfeasibleK, InvalidData
from microagg.gate import Gate
from microagg.gpu import CPU, open_device
from microagg.measures import Change
from microagg.measures.composition import compose_counts
from microagg.partition import METHODS
from microagg.plan import JOIN, Plan
from microagg.plan.columns import quasi_names, rounding_of, stays_whole, untouched_columns
from microagg.plan.differential import private_plan
from microagg.plan.method import check_spreadable, choose_method
from microagg.prepare.kinds import QuasiColumn, of_codes, of_unsure_dates
from microagg.prepare.missing import Filling, Gaps, check_closed, policies_of
from microagg.prepare.patterns import Patterns, find_patterns
from microagg.prepare.precision import steps_of
from microagg.prepare.scale import ScaleSums, weights_of
from microagg.prepare.space import Space, count_codes, spreads_of
from microagg.recode import Outcome
from microagg.release import AnyRelease, Release
from microagg.report import notes
from microagg.semantic.attribute import Attribute
from microagg.semantic.outliers import find_outliers
from microagg.units import UnitTask, alone_by_all_records

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
    if plan.epsilon is not None:
        plan = private_plan(plan)
    prepared = prepare(engine, plan, is_grouped=group is not None)
    plan, space, columns = prepared.plan, prepared.space, prepared.columns
    clock.step("prepare")

    roundings = tuple(rounding_of(plan, c, step) for c, step in zip(columns, prepared.steps.tolist(), strict=True))
    opened, patterns = prepared.filling.opened, prepared.patterns
    task = CellTask(plan, space, roundings, threads, prepared.hosts, group, prepared.terms, opened, patterns)
    if plan.epsilon is not None:
        task = PrivateTask(plan, space, roundings, limits=limits_of(plan, columns))
    elif plan.unit is not None:
        task = UnitTask(plan, space, roundings, threads, terms=prepared.terms, opened=opened)
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
    kept = check_promises(engine, prepared.terms)
    exposed = round(float((sizes * n_classes)[sizes < plan.k].sum()))
    risks = risk.measure_counts(sizes, n_classes)
    change = Change.of_sums(tally.change, space.attributes, space.spreads, space.names)
    losses, column_losses = utility.measure_change(change)
    alone = engine.n_alone([name for name in untouched_columns(prepared.roles, plan) if name not in plan.mask])
    untouched = {name: count / engine.n_records for name, count in alone.items()}
    together = engine.n_alone_together(list(alone))
    blanks = prepared.blanked(tally) if METHODS[plan.method].blanks else {}
    clock.step("assess")

    weighted = (engine.rare_weights(), *tally.dominated) if plan.weights else None
    release = engine.release(
        [name for name, role in prepared.roles.items() if role is Role.IDENTIFIER],
        [c.name for c, rounding in zip(columns, roundings, strict=True) if stays_whole(plan, c, rounding)],
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
            "warnings": prepared.notes(engine.n_records, exposed, risks, weighted, untouched, together, tally, blanks),
            "blanks": blanks,
            "k_anonymous": not exposed,
            "untouched": untouched,
            "untouched_together": together / engine.n_records,
            "recoded": notes.of_recoded(Gate(engine.n_records, plan.k), prepared.recoded),
            "promises": kept,
        },
    )
    clock.step("write" if not engine.at_once else "assess")
    if plan.bound is not None:
        proving = part_of(progress, GROUPED, 1.0)
        release = replace(release, lower_bound=_lowest(release, prepared, plan.bound, threads, proving))
        clock.step("bound")
    if release.units is not None:
        n_apart = alone_by_all_records(release.labels, release.units)
        told = notes.of_units(plan, int(release.units.max()) + 1, n_apart)
        release = replace(release, warnings=(*told, *release.warnings))
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
    codes : tuple of array of int
        How many records have each code, for columns of categories; nothing for numbers.
    recoded : tuple of Outcome
        What each step of recoding did.
    terms : Terms, optional
        What is promised of confidential columns.
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
    codes: tuple[IntArray, ...]
    recoded: tuple[Outcome, ...] = ()
    terms: Terms | None = None

    @property
    def named_codes(self) -> dict[str, tuple[tuple[str, ...], IntArray]]:
        """For each column, what its codes stand for and how many records have each; nothing for numbers."""
        return {
            column.name: (column.attribute.names, counts)
            for column, counts in zip(self.columns, self.codes, strict=True)
        }

    def gaps(self, tally: Tally) -> Gaps:
        """Say what became of missing values."""
        blanked = {} if METHODS[self.plan.method].blanks else self.blanked(tally)
        return Gaps(self.n_dropped, self.filling.imputed, self.filling.missing, blanked)

    def blanked(self, tally: Tally) -> dict[str, int]:
        """Count the values that are released as missing, and were not, by column."""
        return {name: int(count) for name, count in zip(self.space.names, tally.blanked, strict=True) if count}

    def notes(
        self,
        n_records: int,
        exposed: int,
        risks: Mapping[str, float],
        weighted: tuple[int, int, int] | None,
        untouched: Mapping[str, float],
        together: int,
        tally: Tally,
        blanks: Mapping[str, int],
    ) -> tuple[str, ...]:
        """Say what to know before publishing; with noise, only what follows from the plan."""
        if self.plan.epsilon is not None:
            return notes.of_epsilon(self.plan, n_records)
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
            *notes.of_vanished(gate, self.named_codes, tally.codes),
            *notes.of_masks(plan.mask),
            *notes.of_blanks(blanks, n_records * len(self.columns)),
        )


def prepare(engine: Engine, plan: Plan, *, is_grouped: bool = False) -> Prepared:
    """Say what the columns are, complete the records, and find where they lie; groups may be known already."""
    if engine.n_records == 0:
        raise InvalidData("the table has no records.")
    outcomes = engine.recode(plan)
    settled = engine.settle(plan)
    roles = settled.roles
    names = quasi_names(roles)
    columns = engine.describe(names, plan)
    kinds = [column.kind for column in columns]
    choose_method(plan, kinds)  # says what cannot be, before anything else is done
    if plan.device != CPU:
        open_device(plan.device)
    if not engine.at_once:
        check_spreadable(plan, units=engine.counts_units)
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
    terms = promised_terms(engine, plan, first_rows)
    sizes, n_classes = engine.class_sizes(released=False)
    tied = float((sizes * n_classes)[sizes >= plan.k].sum()) / engine.n_records
    plan = choose_method(plan, kinds, engine.n_records, tied)
    lowest, highest = engine.limits()
    task = partial(_sums, columns=columns, attributes=attributes, limits=(lowest, highest), filling=filling)
    sums, counts, steps = engine.fold(task, _merged)
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
    # Promises, and units, may need records of several patterns in one group: it lacks what one of them lacks then.
    if filling.opened is not None and hosts is None and not is_grouped and terms is None and plan.unit is None:
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
        codes=counts,
        recoded=outcomes,
        terms=terms,
    )


def promised_terms(engine: Engine, plan: Plan, first_rows: IntArray) -> Terms | None:
    """Gather what is promised of confidential columns, and refuse what no partition can keep."""
    names = plan.promised_columns
    if not names:
        return None
    terms = terms_of(plan.promised, engine.sensitive(names))
    n_strata = len(first_rows)
    pairs = engine.fold(partial(_pairs, n_columns=len(names)), _merged_pairs)
    whole = [
        compose_counts(each[:, 0], each[:, 1], each[:, 2], column.value_sizes)
        for each, column in zip(pairs, terms.columns, strict=True)
    ]
    of_all = "all records" if n_strata == 1 else "the records of the stratum of record {} (" + ", ".join(plan.by) + ")"
    terms.check_possible(whole, [of_all.format(row + 1) for row in first_rows.tolist()])
    return terms


def check_promises(engine: Engine, terms: Terms | None) -> tuple[KeptPromise, ...]:
    """Refuse a release that breaks a promise in one of its classes; give what each reaches, before and after."""
    if terms is None:
        return ()
    return terms.kept(engine.compositions(released=True), engine.compositions(released=False))


def _pairs(records: Records, *, n_columns: int) -> list[IntArray]:
    """Count, for each column, the records of each stratum and value."""
    codes = records.sensitive
    if codes is None:
        return [np.empty((0, 3), dtype=np.int64)] * n_columns
    return [_counted(np.column_stack([records.strata, column, np.ones_like(column)])) for column in codes.T]


def _merged_pairs(one: list[IntArray], other: list[IntArray]) -> list[IntArray]:
    return [_counted(np.concatenate(both)) for both in zip(one, other, strict=True)]


def _counted(rows: IntArray) -> IntArray:
    pairs, places = np.unique(rows[:, :2], axis=0, return_inverse=True)
    counts = np.bincount(places.ravel(), rows[:, 2]).astype(np.int64)
    return np.column_stack([pairs, counts])


def _sums(
    records: Records,
    *,
    columns: Sequence[QuasiColumn],
    attributes: Sequence[Attribute],
    limits: tuple[FloatArray, FloatArray],
    filling: Filling,
) -> Sums:
    """Sum up some records: for the scale of numbers, the spread of categories, and how fine the numbers are.

    Of numbers, what is known counts alone; of categories, what is imputed counts too.
    """
    values = records.values
    counts = count_codes(filling.fill(values), attributes)
    return ScaleSums.of(values, *limits), counts, steps_of(values, columns)


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
    upper = release.labels if len(prepared.strata) == 1 and prepared.terms is None else None
    return float(lower_bound(Z, prepared.plan.k, time_limit=seconds, upper=upper, threads=threads, progress=progress))
