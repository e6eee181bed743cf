"""From facts to the document of a report: facts pass the gate, and all else is computed from what passed."""

from __future__ import annotations

import numpy as np

from microagg.base.schema import Kind
from microagg.measures import Result
from microagg.report import cautions, summary
from microagg.report.charts import CHARTS
from microagg.report.charts.categories import category_counts
from microagg.report.charts.histogram import count_bins
from microagg.report.document import Column, Document, Judged
from microagg.report.facts import Facts, known_of
from microagg.report.gated import GatedFacts, pass_gate
from microagg.report.meanings import meaning
from microagg.report.words import legible


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
    facts = gated = pass_gate(facts)
    gate = facts.gate
    numbers = {
        chart.numbers_key or name: chart.numbers(gated) for name, chart in CHARTS.items() if chart.numbers is not None
    }
    sizes = numbers["sizes"]
    return Document(
        title=legible(facts.title),
        microagg=facts.version,
        summary=summary.paragraphs(facts, sizes, gated.before, gated.after),
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
        risks=tuple(_judge(row, facts) for row in facts.risks),
        losses=tuple(_judge(row, facts) for row in facts.losses),
        columns=_columns(gated),
        reproduce=facts.reproduce,
        untouched=facts.untouched,
        untouched_together=facts.untouched_together,
        certificate=facts.certificate,
        numbers=numbers,
    )


def _judge(row: Result, facts: Facts) -> Judged:
    return Judged(row, meaning(row, n_records=facts.n_records), cautions.beyond(row))


def _columns(facts: GatedFacts) -> tuple[Column, ...]:
    gate = facts.gate
    columns, drawn = [], set(facts.drawn(facts.names))
    for j, name in enumerate(facts.names):
        histogram, categories = None, None
        original, released = (np.ascontiguousarray(side[:, j]) for side in (facts.original, facts.released))
        known = known_of(original), known_of(released)
        if name in drawn and name in facts.categories:
            said = facts.value_labels.get(name, {})
            labels = [f"{said[label]} ({label})" if label in said else label for label in facts.categories[name]]
            in_order = facts.kinds.get(name) == Kind.ORDINAL
            categories = category_counts(original, released, labels, gate, in_order=in_order)
        elif name in drawn and len(known[0]) and len(known[1]):
            histogram = count_bins(*known, gate)
        n_missing = [len(original) - len(side) for side in known]
        missing = gate.missing(n_missing[0], n_missing[1], of=len(original)), n_missing[1]
        losses = {metric: values[name] for metric, values in facts.column_losses.items() if name in values}
        kind = facts.kinds.get(name, "nominal" if name in facts.categories else "numeric")
        columns.append(
            Column(
                name, kind, name in facts.dates, facts.told_moments.get(name), losses, histogram, categories, *missing
            )
        )
    return tuple(columns)
