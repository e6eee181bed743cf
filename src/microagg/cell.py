"""What is done with the records of one cell: group, give each group common values, sum up what that cost.

A cell is all records of a table, or some that lie together. The task is a pure value: it can be sent to another process
or machine, which needs neither files nor reports for it.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from microagg.aggregate import Rounded, agreed_values, check_finite, common_values, count_dominated
from microagg.base.progress import Progress, part_of
from microagg.base.types import BoolArray, FloatArray, IntArray
from microagg.constraints import Promises, Terms
from microagg.errors import InfeasiblePromise
from microagg.measures import ChangeSums
from microagg.partition import METHODS, group_records
from microagg.partition.promised import repaired
from microagg.plan import Plan
from microagg.prepare.patterns import Patterns, lacking_groups
from microagg.prepare.space import Space, count_codes
from microagg.semantic.attribute import Attribute

Group = Callable[[FloatArray], IntArray]
"""Labels prepared records in place of the method."""


@dataclass(frozen=True, eq=False)
class Records:
    """Some records, in the order of their rows.

    Attributes
    ----------
    rows : array of n int
        Where they stand in the table.
    values : array of shape (n, q)
        Their quasi-identifiers: numbers, or codes of categories.
    strata : array of n int
        The number of the stratum of each.
    weights : array of n float, optional
        How many people each stands for.
    sensitive : array of shape (n, s), optional
        Codes of their confidential values, of the columns that something is promised of.
    units : array of n int, optional
        The number of the unit of each, by first appearance, where units are counted.
    """

    rows: IntArray
    values: FloatArray
    strata: IntArray
    weights: FloatArray | None = None
    sensitive: IntArray | None = None
    units: IntArray | None = None


@dataclass(frozen=True, eq=False)
class Tally:
    """What cells tell of their records: merged, it is that of the whole table.

    Attributes
    ----------
    change : ChangeSums
        How far the records moved.
    sizes : mapping of int to int
        How many groups there are of each size.
    dominated : tuple of two int
        The groups, and their records, that count equally because one record had too large a share of the weight.
    codes : tuple of array of int
        How many released records have each code, for columns of categories; nothing for numbers.
    blanked : array of q int
        How many values of each column are released as missing, and were not.
    seconds : mapping of str to float
        How long each step took.
    """

    change: ChangeSums
    sizes: Counter[int]
    dominated: tuple[int, int]
    codes: tuple[IntArray, ...]
    blanked: IntArray
    seconds: Mapping[str, float]

    def merge(self, other: Tally) -> Tally:
        """Give the tally of both."""
        return Tally(
            self.change.merge(other.change),
            self.sizes + other.sizes,
            (self.dominated[0] + other.dominated[0], self.dominated[1] + other.dominated[1]),
            tuple(ours + theirs for ours, theirs in zip(self.codes, other.codes, strict=True)),
            self.blanked + other.blanked,
            {step: taken + other.seconds[step] for step, taken in self.seconds.items()},
        )


def known_codes(values: FloatArray, attributes: Sequence[Attribute]) -> tuple[IntArray, ...]:
    """Count the released codes of values that records had; those of nodes above them in a hierarchy are others."""
    counted = count_codes(values, attributes)
    return tuple(
        counts[: attribute.n_values] if len(counts) else counts
        for counts, attribute in zip(counted, attributes, strict=True)
    )


@dataclass(frozen=True, eq=False)
class Grouped:
    """The records of a cell after the task: their groups, their common values, and the tally."""

    labels: IntArray
    released: FloatArray
    tally: Tally


@dataclass(frozen=True, eq=False)
class CellTask:
    """Group the records of a cell, stratum by stratum, and give each group common values.

    Attributes
    ----------
    plan : Plan
        What to do, with a method.
    space : Space
        Where the records lie.
    roundings : tuple of Rounded or None
        How each column is rounded: None for not at all.
    threads : int, optional
        How many threads to use; the result does not depend on it.
    hosts : array of int, optional
        The place of the record whose group each record joins: its own, save for those that resemble nobody.
    group : callable, optional
        Labels the prepared records in place of the method.
    terms : Terms, optional
        What is promised of confidential columns.
    opened : array of q bool, optional
        The columns in which missing values are released as missing.
    patterns : Patterns, optional
        What records lack once some values are blanked, where records of different patterns may not be in one group:
        the strata of the records are then those of `patterns`. Without, a group lacks what one of its records lacks.
    """

    plan: Plan
    space: Space
    roundings: tuple[Rounded | None, ...]
    threads: int | None = None
    hosts: IntArray | None = None
    group: Group | None = None
    terms: Terms | None = None
    opened: BoolArray | None = None
    patterns: Patterns | None = None

    def __call__(self, records: Records, progress: Progress | None = None) -> Grouped:
        """Do it for some records."""
        start = time.perf_counter()
        original, plan, attributes = self.space.filled(records.values), self.plan, self.space.attributes
        X, gaps = original, None
        if self.patterns is not None:
            gaps = self.patterns.masks[records.strata]
            X = np.where(gaps, np.nan, records.values)
        X = self.space.placed(X)
        labels = self._labels(replace(records, values=X), gaps, progress)
        grouped = time.perf_counter()
        blanks = METHODS[plan.method].blanks
        Y = (
            agreed_values(X, labels)
            if blanks
            else common_values(
                X, labels, attributes, aggregate=plan.aggregate, centroid=plan.centroid, weights=records.weights
            )
        )
        for j, rounding in enumerate(self.roundings):
            if rounding is not None:
                Y[:, j] = rounding.apply(Y[:, j])
        check_finite(Y, self.space.names, blanks=blanks)
        dominated = (0, 0) if records.weights is None else count_dominated(labels, records.weights)
        columns = labels[:, None] if labels.ndim == 1 else labels
        sizes = Counter(np.concatenate([np.bincount(column) for column in columns.T]).tolist())
        aggregated = time.perf_counter()
        if self.opened is not None and gaps is None:
            gaps = lacking_groups(np.isnan(records.values) & self.opened, labels)
        if gaps is not None:
            Y = np.where(gaps, np.nan, Y)
        blanked = np.zeros(X.shape[1], dtype=np.int64)
        if gaps is not None or blanks:
            blanked = (np.isnan(Y) & ~np.isnan(records.values)).sum(axis=0)
        change = ChangeSums.of(original, self.space.filled(Y), attributes, self.space.scale.apply)
        seconds = {
            "partition": grouped - start,
            "aggregate": aggregated - grouped,
            "assess": time.perf_counter() - aggregated,
        }
        return Grouped(labels, Y, Tally(change, sizes, dominated, known_codes(Y, attributes), blanked, seconds))

    def _labels(self, records: Records, gaps: BoolArray | None, progress: Progress | None) -> IntArray:
        points = self.space.points(records.values)
        promises = None
        if self.terms is not None and records.sensitive is not None:
            promises = self.terms.over(records.sensitive)
        if self.group is not None:
            labels = self.group(points)
            return labels if promises is None else self._kept(repaired(points, labels, self.plan.k, promises), promises)
        if gaps is not None and self.patterns is not None and METHODS[self.plan.method].per_column:
            return self._by_column(points, self.patterns.parents[records.strata], gaps, progress)
        strata = [np.arange(len(points))]
        if records.strata.min() < records.strata.max():
            order = np.argsort(records.strata, kind="stable")
            strata = np.split(order, np.flatnonzero(np.diff(records.strata[order])) + 1)
        if self.hosts is None:
            return self._by_stratum(points, strata, progress, promises)
        hosts = self.hosts
        return self._by_stratum(points, [rows[hosts[rows] == rows] for rows in strata], progress, None)[hosts]

    def _by_column(self, points: FloatArray, strata: IntArray, gaps: BoolArray, progress: Progress | None) -> IntArray:
        """Group each column on its own: those who lack it are one group, in each stratum."""
        labels = np.empty(points.shape, dtype=np.int64)
        for j in range(points.shape[1]):
            told = part_of(progress, j / points.shape[1], (j + 1) / points.shape[1])
            n_groups = 0
            for stratum in np.unique(strata).tolist():
                known = np.flatnonzero((strata == stratum) & ~gaps[:, j])
                lacking = np.flatnonzero((strata == stratum) & gaps[:, j])
                if len(known):
                    part = self._by_stratum(points[known][:, [j]], [np.arange(len(known))], told, None)[:, 0]
                    labels[known, j] = part + n_groups
                    n_groups += int(part.max()) + 1
                if len(lacking):
                    labels[lacking, j] = n_groups
                    n_groups += 1
        return labels

    def _by_stratum(
        self, points: FloatArray, strata: list[IntArray], progress: Progress | None, promises: Promises | None
    ) -> IntArray:
        plan = self.plan
        method = METHODS[plan.method]
        labels = np.empty(points.shape if method.per_column else len(points), dtype=np.int64)
        offset = np.zeros(points.shape[1] if method.per_column else 1, dtype=np.int64)
        options: dict[str, Any] = dict(plan.options)
        if method.takes == "attributes":
            options["attributes"] = self.space.weighted_attributes
        # Most methods are quadratic, so a stratum's share of the work is the square of its size.
        work = np.array([len(rows) for rows in strata], dtype=np.float64) ** 2
        ends = (np.cumsum(work) / work.sum()).tolist()
        for rows, start, end in zip(strata, [0.0, *ends[:-1]], ends, strict=True):
            part = group_records(
                points if len(rows) == len(points) else points[rows],
                plan.k,
                method=plan.method,
                options=options,
                refine=plan.refine,
                refine_options=plan.refine_options,
                effort=plan.effort,
                seed=plan.seed,
                threads=self.threads,
                progress=part_of(progress, start, end),
                promises=promises if promises is None or len(rows) == len(points) else promises.take(rows),
                device=plan.device,
            )
            if promises is not None:
                self._kept(part, promises.take(rows))
            labels[rows] = part + offset
            offset = offset + part.max(axis=0) + 1
        return labels

    def _kept(self, labels: IntArray, promises: Promises) -> IntArray:
        """Give the labels if every group keeps the promises; a part of a table may be unable to where the whole is."""
        if promises.kept(labels):
            return labels
        raise InfeasiblePromise(
            "what is promised of confidential columns (l, p, t) cannot be kept cell by cell: the records of a cell, "
            "taken together, break a promise that all records keep. Give more memory, or work in memory: "
            "memory='unlimited', --memory unlimited."
        )
