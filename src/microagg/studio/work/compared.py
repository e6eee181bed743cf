"""Make the release of a plan and tell what became of the data: the job behind the page that compares."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from microagg.assessment import homogeneous_groups, known_assessment
from microagg.base.progress import part_of
from microagg.base.schema import Kind
from microagg.base.types import FloatArray
from microagg.flow import release_table
from microagg.gate import significant
from microagg.plan.plan import Plan
from microagg.release import Release
from microagg.report.document import Document
from microagg.report.release import document_of
from microagg.report.words import day, tidy
from microagg.studio.source import DataSource
from microagg.studio.worker import JobTask

MOST_GROUPS, MOST_VALUES = 20, 6
"""How many groups are listed, and with how many of their columns."""
MOST_ASSESSED = 200_000
"""Of more records, only those measures are shown that every release carries: attacks on 10^6 take minutes."""
COARSE = 2
"""Significant digits of what a single group lost: few records stand behind it."""


@dataclass(frozen=True)
class WorstGroup:
    """A group that lost much.

    Attributes
    ----------
    records : int
        How many records it has.
    share : float
        Its share of the whole loss, in percent, roughly.
    values : tuple of str
        Its released values, in the first columns.
    """

    records: int
    share: float
    values: tuple[str, ...]


@dataclass(frozen=True)
class Compared:
    """A release as the page shows it: what its report tells, and the groups that lost most."""

    document: Document
    groups: tuple[WorstGroup, ...]


def compare(task: JobTask, source: DataSource, plan: Plan, exact: bool) -> Compared:
    """Make the release of a plan, and tell how it differs from the original."""
    table = source.read(plan)
    task(0.05)
    release = release_table(table, plan, progress=part_of(task, 0.05, 0.6, tells_loss=True))
    if release.n_records <= MOST_ASSESSED:
        assessment = release.assess(progress=part_of(task, 0.6, 0.95))
    else:
        known = known_assessment(release.risks, release.risks_before, release.losses)
        assessment = replace(known, homogeneous=homogeneous_groups(release.case))
    vars(release)["assessment"] = assessment  # where the cached property looks for it
    document = document_of(release, source.name, exact)
    return Compared(document, worst_groups(release) if document.tells_original else ())


def worst_groups(release: Release) -> tuple[WorstGroup, ...]:
    """Give the groups that lost most, with their released values; none where each column was grouped alone."""
    if release.labels.ndim == 2:
        return ()
    numbers = [j for j, attribute in enumerate(release.attributes) if attribute.kind is Kind.NUMERIC]
    lost = _lost(release, numbers)
    by_group = np.bincount(release.labels, lost)
    total, sizes = float(by_group.sum()), release.sizes
    if not total > 0:
        return ()
    first = np.unique(release.labels, return_index=True)[1]
    worst = np.argsort(-by_group, kind="stable")[:MOST_GROUPS]
    return tuple(
        WorstGroup(
            int(sizes[group]),
            significant(100.0 * float(by_group[group]) / total, COARSE),
            tuple(_written(release, int(first[group]), j) for j in range(min(MOST_VALUES, len(release.names)))),
        )
        for group in worst.tolist()
        if by_group[group] > 0
    )


def _lost(release: Release, numbers: list[int]) -> FloatArray:
    """Give what each record lost: squared deviations of numbers, and 1 for each category that changed."""
    known = ~(np.isnan(release.original) | np.isnan(release.released))
    gaps = np.where(known, release.original - release.released, 0.0)
    deviation = np.where(release.scale.deviation > 0, release.scale.deviation, 1.0)
    others = [j for j in range(gaps.shape[1]) if j not in numbers]
    lost: FloatArray = ((gaps[:, numbers] / deviation[numbers]) ** 2).sum(axis=1) + (gaps[:, others] != 0).sum(axis=1)
    return lost


def _written(release: Release, row: int, column: int) -> str:
    """Write a released value."""
    value, name = float(release.as_written[row, column]), release.names[column]
    if np.isnan(value):
        return ""
    if name in release.categories:
        return release.categories[name][int(value)]
    return day(value / 86_400) if name in release.dates else tidy(value)
