"""How much of its spread each column kept: the standard deviation after as a share of the one before."""

from __future__ import annotations

from microagg.report.chart import Chart
from microagg.report.charts.kind import ReleaseChart, drawn_columns
from microagg.report.charts.losses import column_bars
from microagg.report.document import Document
from microagg.report.gated import GatedFacts
from microagg.report.words import percent

TITLE = "Standard deviation kept"


def numbers(facts: GatedFacts) -> dict[str, float]:
    """Give the share in percent, by column; columns that do not vary, or of which it is not told, are left out.

    It has no more digits than the deviations that it follows from: more would look like what is not told.
    """
    shares = {
        name: facts.gate.figure(100.0 * moment.deviation_after / moment.deviation_before)
        for name, moment in facts.told_moments.items()
        if moment.deviation_before
    }
    return {name: share for name, share in shares.items() if share is not None}


def _draw(document: Document, key: str) -> tuple[Chart, ...]:
    every = document.numbers["spread"]
    kept = {name: every[name] for name in document.drawn(every)}
    if not kept:
        return ()
    rows = tuple((name, percent(share)) for name, share in kept.items())
    drawn = column_bars(f"{key}spread", TITLE, kept, "%")
    remark = "in percent of the one before: below 100, values lie closer together than they did"
    return (Chart(f"{TITLE} by column", drawn, ("Column", TITLE), rows, remark),)


CHART = ReleaseChart(
    "spread",
    section="distributions",
    draw=_draw,
    numbers=numbers,
    note=lambda document: drawn_columns(document, "the table holds the deviations of the rest"),
    classes="pair below",
    below_table=True,
)
