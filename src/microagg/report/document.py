"""The report as data: every number that the page shows, and that its JSON twin holds.

The page and the plots are drawn from this document alone, so that neither can show what the twin lacks.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from microagg.arrays import FloatArray
from microagg.gate import Gate, Withheld
from microagg.measures import Result
from microagg.report import cautions, figures, summary
from microagg.report.facts import Caution, Facts, Source
from microagg.report.meanings import meaning
from microagg.report.words import legible

SCHEMA = "microagg-report"
SCHEMA_VERSION = 2
"""Grows when a key of the JSON changes its meaning or goes; new keys may come without."""
MOST_COLUMNS = 24
"""How many columns are drawn; the table holds many more."""
MOST_CHANGES = 10


@dataclass(frozen=True)
class Judged:
    """A measure with what it means in plain words, and the limit that it is beyond, if any."""

    measure: Result
    meaning: str
    beyond: str | None

    def plain(self) -> dict[str, object]:
        """One flat object, without the values of single records."""
        found = {name: value for name, value in vars(self.measure).items() if name not in ("value", "records")}
        return {**found, "after": self.measure.value, "meaning": self.meaning, "beyond": self.beyond}


@dataclass(frozen=True)
class Moment:
    """Mean and standard deviation (ddof=1) of a column of numbers, before and after; None where it is not told."""

    mean_before: float | None
    mean_after: float
    deviation_before: float | None
    deviation_after: float


@dataclass(frozen=True)
class Column:
    """A quasi-identifier: what became of it.

    `is_date` says that its numbers are days since 1970. `moments` is None for categories; `histogram` and `categories`
    are None for the other kind, and for columns beyond those that are drawn.
    """

    name: str
    kind: str
    is_date: bool
    moments: Moment | None
    losses: Mapping[str, float]
    histogram: figures.Histogram | None
    categories: tuple[figures.CategoryCount, ...] | None


@dataclass(frozen=True)
class Change:
    """The correlation of two columns, before and after."""

    one: str
    other: str
    before: float
    after: float
    change: float


@dataclass(frozen=True)
class Correlation:
    """Correlations of the columns that are drawn, and the pairs of all columns that changed most."""

    columns: tuple[str, ...]
    before: FloatArray
    after: FloatArray
    largest_changes: tuple[Change, ...]


@dataclass(frozen=True)
class Document:
    """A release in numbers and words. The names of the fields are the keys of the JSON."""

    title: str
    microagg: str
    summary: Mapping[str, str]
    warnings: tuple[Caution, ...]
    headline: Mapping[str, float | int | str | None]
    per_column: bool
    details: bool
    least: int
    tells_original: bool
    withheld: tuple[Withheld, ...]
    settings: Mapping[str, str]
    sources: Mapping[str, Source]
    roles: Mapping[str, str]
    kinds: Mapping[str, str]
    sizes: tuple[figures.Bar, ...]
    risks: tuple[Judged, ...]
    losses: tuple[Judged, ...]
    columns: tuple[Column, ...]
    density: figures.Density | None
    records: figures.Map | None
    correlation: Correlation | None
    reproduce: Mapping[str, str]

    def plain(self) -> dict[str, object]:
        """The JSON twin: the schema, then every field."""
        head = {"schema": SCHEMA, "schema_version": SCHEMA_VERSION, "kind": "release"}
        return {**head, **vars(self)}

    def unit(self, name: str) -> str:
        """Give the unit of a measure by its name."""
        units = {row.measure.name: row.measure.unit for row in (*self.risks, *self.losses)}
        return units.get(name, "percent" if name in ("information_loss", "lower_bound") else "")

    def title_of(self, name: str) -> tuple[str, str]:
        """Give the title and the explanation of a measure by its name."""
        for row in (*self.losses, *self.risks):
            if row.measure.name == name:
                return row.measure.title, row.measure.summary
        return name.replace("_", " ").capitalize(), ""


def build(facts: Facts) -> Document:
    """Work out everything that the report tells.

    >>> X = np.array([[1.0], [2.0], [8.0], [9.0]])
    >>> facts = Facts(
    ...     title="Four patients", settings={}, headline={"k": 2}, names=("age",), original=X,
    ...     released=np.array([[1.5], [1.5], [8.5], [8.5]]), labels=np.array([0, 0, 1, 1]), losses=(),
    ...     column_losses={}, risks=(), roles={"age": "quasi"}, warnings=(), reproduce={},
    ... )
    >>> moments = build(facts).columns[0].moments
    >>> moments.mean_before, moments.mean_after
    (None, 5.0)
    """
    facts = facts.gated()
    gate = facts.gate
    numbers, sizes, (before, after) = facts.numbers, _sizes(facts), _moments(facts)
    drawn: tuple[figures.Density | None, figures.Map | None] = (None, None)
    if numbers:
        X, Y = facts.original[:, numbers], facts.released[:, numbers]
        labels = facts.labels[:, numbers] if facts.per_column else facts.labels
        drawn = (
            figures.density(X, Y, before, gate),
            figures.principal_map(X, Y, labels, before) if facts.details else None,
        )
    return Document(
        title=legible(facts.title),
        microagg=facts.version,
        summary=summary.paragraphs(facts, sizes, before, after),
        warnings=cautions.find(facts, sizes),
        headline=facts.headline,
        per_column=facts.per_column,
        details=facts.details,
        least=facts.least,
        tells_original=gate.tells_original,
        withheld=gate.withheld,
        settings=facts.settings,
        sources=facts.sources,
        roles=facts.roles,
        kinds=facts.kinds,
        sizes=sizes,
        risks=tuple(_judge(row, facts) for row in facts.risks),
        losses=tuple(_judge(row, facts) for row in facts.losses),
        columns=_columns(facts, before, after, gate),
        density=drawn[0],
        records=drawn[1],
        correlation=_correlation(facts, before, after, gate) if len(numbers) > 1 and gate.tells_original else None,
        reproduce=facts.reproduce,
    )


def _sizes(facts: Facts) -> tuple[figures.Bar, ...]:
    if facts.whole is None:
        return figures.group_sizes(facts.labels)
    return figures.size_bars(np.array(list(facts.whole.sizes)), np.array(list(facts.whole.sizes.values())))


def _moments(facts: Facts) -> tuple[figures.Moments, figures.Moments]:
    """Give the moments of the columns of numbers, before and after."""
    if facts.whole is not None:
        return facts.whole.before, facts.whole.after
    numbers = facts.numbers
    return figures.moments(facts.original[:, numbers]), figures.moments(facts.released[:, numbers])


def _judge(row: Result, facts: Facts) -> Judged:
    return Judged(row, meaning(row, n_records=facts.n_records), cautions.beyond(row))


def _columns(facts: Facts, before: figures.Moments, after: figures.Moments, gate: Gate) -> tuple[Column, ...]:
    moments = {facts.names[j]: _moment(facts, i, before, after, gate) for i, j in enumerate(facts.numbers)}
    found = []
    for j, name in enumerate(facts.names):
        histogram, categories = None, None
        original, released = (np.ascontiguousarray(side[:, j]) for side in (facts.original, facts.released))
        if j < MOST_COLUMNS and name in facts.categories:
            categories = figures.category_counts(original, released, facts.categories[name], gate)
        elif j < MOST_COLUMNS:
            histogram = figures.histogram(original, released, gate)
        losses = {metric: values[name] for metric, values in facts.column_losses.items() if name in values}
        kind = facts.kinds.get(name, "nominal" if name in facts.categories else "numeric")
        found.append(Column(name, kind, name in facts.dates, moments.get(name), losses, histogram, categories))
    return tuple(found)


def _moment(facts: Facts, i: int, before: figures.Moments, after: figures.Moments, gate: Gate) -> Moment:
    """Pass mean and standard deviation of a column; those of the original not where a few records decide them."""
    (was, width_was), (became, width) = ((float(side.mean[i]), float(side.deviation[i])) for side in (before, after))
    place, rounded = facts.numbers[i], gate.mean(became, width)
    if not gate.tells_original:
        # Released dates are days: a mean that is finer is not public.
        return Moment(None, math.floor(rounded) if facts.names[place] in facts.dates else rounded, None, width)
    if gate.dominated(facts.original[:, place]):
        return Moment(None, rounded, None, width)
    return Moment(gate.mean(was, width_was), rounded, gate.figure(width_was), width)


def _correlation(facts: Facts, before: figures.Moments, after: figures.Moments, gate: Gate) -> Correlation:
    few = slice(0, MOST_COLUMNS)
    names = [facts.names[j] for j in facts.numbers]
    rows, columns = np.triu_indices(len(names), 1)
    was, became = gate.figures(before.correlation), gate.figures(after.correlation)
    change = (became - was)[rows, columns]
    largest = np.argsort(-np.abs(np.nan_to_num(change, nan=0.0)), kind="stable")[:MOST_CHANGES]
    changes = tuple(
        Change(
            names[rows[i]],
            names[columns[i]],
            float(was[rows[i], columns[i]]),
            float(became[rows[i], columns[i]]),
            float(gate.figures(change[i])),
        )
        for i in largest.tolist()
        if np.isfinite(change[i])
    )
    return Correlation(tuple(names[few]), was[few, few], became[few, few], changes)
