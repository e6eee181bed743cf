"""What is done with the records of one cell: group, give each group common values, sum up what that cost.

A cell is all records of a table, or some that lie together. The task is a pure value: it can be sent to another process
or machine, which needs neither files nor reports for it.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from microagg.aggregate import Rounded, check_finite, common_values, count_dominated
from microagg.base.progress import Progress, part_of
from microagg.base.types import BoolArray, FloatArray, IntArray
from microagg.measures import ChangeSums
from microagg.partition import METHODS, group_records
from microagg.plan import Plan
from microagg.prepare.patterns import Patterns, lacking_groups
from microagg.prepare.space import Space

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
    """

    rows: IntArray
    values: FloatArray
    strata: IntArray
    weights: FloatArray | None = None


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
    blanked : array of q int
        How many values of each column are released as missing, and were not.
    seconds : mapping of str to float
        How long each step took.
    """

    change: ChangeSums
    sizes: Counter[int]
    dominated: tuple[int, int]
    blanked: IntArray
    seconds: Mapping[str, float]

    def merge(self, other: Tally) -> Tally:
        """Give the tally of both."""
        return Tally(
            self.change.merge(other.change),
            self.sizes + other.sizes,
            (self.dominated[0] + other.dominated[0], self.dominated[1] + other.dominated[1]),
            self.blanked + other.blanked,
            {step: taken + other.seconds[step] for step, taken in self.seconds.items()},
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
        Y = common_values(
            X, labels, attributes, aggregate=plan.aggregate, centroid=plan.centroid, weights=records.weights
        )
        for j, rounding in enumerate(self.roundings):
            if rounding is not None:
                Y[:, j] = rounding.apply(Y[:, j])
        check_finite(Y, self.space.names)
        dominated = (0, 0) if records.weights is None else count_dominated(labels, records.weights)
        columns = labels[:, None] if labels.ndim == 1 else labels
        sizes = Counter(np.concatenate([np.bincount(column) for column in columns.T]).tolist())
        aggregated = time.perf_counter()
        if self.opened is not None and gaps is None:
            gaps = lacking_groups(np.isnan(records.values) & self.opened, labels)
        blanked = np.zeros(X.shape[1], dtype=np.int64)
        if gaps is not None:
            Y = np.where(gaps, np.nan, Y)
            blanked = (gaps & ~np.isnan(records.values)).sum(axis=0)
        change = ChangeSums.of(original, self.space.filled(Y), attributes, self.space.scale.apply)
        seconds = {
            "partition": grouped - start,
            "aggregate": aggregated - grouped,
            "assess": time.perf_counter() - aggregated,
        }
        return Grouped(labels, Y, Tally(change, sizes, dominated, blanked, seconds))

    def _labels(self, records: Records, gaps: BoolArray | None, progress: Progress | None) -> IntArray:
        points = self.space.points(records.values)
        if self.group is not None:
            return self.group(points)
        if gaps is not None and self.patterns is not None and METHODS[self.plan.method].per_column:
            return self._by_column(points, self.patterns.parents[records.strata], gaps, progress)
        strata = [np.arange(len(points))]
        if records.strata.min() < records.strata.max():
            order = np.argsort(records.strata, kind="stable")
            strata = np.split(order, np.flatnonzero(np.diff(records.strata[order])) + 1)
        if self.hosts is None:
            return self._by_stratum(points, strata, progress)
        hosts = self.hosts
        return self._by_stratum(points, [rows[hosts[rows] == rows] for rows in strata], progress)[hosts]

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
                    part = self._by_stratum(points[known][:, [j]], [np.arange(len(known))], told)[:, 0]
                    labels[known, j] = part + n_groups
                    n_groups += int(part.max()) + 1
                if len(lacking):
                    labels[lacking, j] = n_groups
                    n_groups += 1
        return labels

    def _by_stratum(self, points: FloatArray, strata: list[IntArray], progress: Progress | None) -> IntArray:
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
                seed=plan.seed,
                threads=self.threads,
                progress=part_of(progress, start, end),
            )
            labels[rows] = part + offset
            offset = offset + part.max(axis=0) + 1
        return labels
