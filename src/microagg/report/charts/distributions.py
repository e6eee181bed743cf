"""How many records hold which values, column by column: bins of numbers, bars of categories."""

from __future__ import annotations

import math

from microagg.report import svg
from microagg.report.chart import Chart
from microagg.report.charts.categories import category_bars
from microagg.report.charts.histogram import Histogram, bin_words, draw_histogram
from microagg.report.charts.kind import BEFORE_AFTER, Key, ReleaseChart, drawn_columns
from microagg.report.document import Column, Document
from microagg.report.words import percent, tidy


def _draw(document: Document, key: str) -> tuple[Chart, ...]:
    drawn = []
    for j, column in enumerate(document.columns):
        if column.histogram is not None:
            drawn.append(_histogram(column, column.histogram, f"{key}hist{j}"))
        elif column.categories is not None:
            bars = category_bars(f"{key}hist{j}", column.name, column.categories)
            rows = tuple(
                (c.label, "" if c.before is None else tidy(c.before), tidy(c.after)) for c in column.categories
            )
            remark = _remark(column, "categories")
            drawn.append(Chart(column.name, bars, ("Category", *BEFORE_AFTER), rows, remark))
    return tuple(drawn)


def _histogram(column: Column, counted: Histogram, key: str) -> Chart:
    remarks = [f"missing: {_missing(column)}"] if column.missing_before or column.missing_after else []
    remarks += ["logarithmic scale"] if counted.axis.threshold else []
    remarks += ["constant"] if counted.is_constant else []
    if counted.open_below or counted.open_above:
        ends = {(True, False): "first", (False, True): "last", (True, True): "outer"}
        remarks.append(f"{ends[counted.open_below, counted.open_above]} bins hold all beyond")
    was = [""] * counted.axis.bins if counted.before is None else [tidy(count) for count in counted.before.tolist()]
    rows = tuple(
        (bin_words(counted, i, dates=column.is_date), before, tidy(after))
        for i, (before, after) in enumerate(zip(was, counted.after.tolist(), strict=True))
    )
    drawn = draw_histogram(key, column.name, counted, dates=column.is_date)
    return Chart(column.name, drawn, ("Values", *BEFORE_AFTER), rows, _remark(column, ", ".join(remarks)))


def _missing(column: Column) -> str:
    """Say how many records lack a value, before and after."""
    before = "some" if column.missing_before is None else tidy(column.missing_before)
    return f"{before} before, {tidy(column.missing_after)} after"


def _remark(column: Column, words: str) -> str:
    """Begin with what the column lost."""
    loss = column.losses.get("information_loss")
    if loss is None or not math.isfinite(loss):
        return words
    return f"lost {percent(loss)}{'; ' if words else ''}{words}"


def _intro(document: Document) -> str:
    if not document.tells_original:
        return "How many records hold which values in the release."
    intro = (
        "How many records hold which values. Where the line follows the grey area, the release tells the same story as "
        "the data."
    )
    if document.least > 1:
        intro += (
            f" Of the data before, nothing is counted that fewer than {document.least} records share; the first and "
            "the last bin hold what lies beyond them too."
        )
    return intro


def _key(document: Document) -> Key:
    if not document.tells_original:
        return ()
    before = svg.mark(22, 14, '<rect class="area-before" y="2" width="22" height="12"/>')
    after = svg.mark(22, 14, '<path class="line-after" d="M1 13V4H21V13"/>')
    return (before, "before"), (after, "after")


CHART = ReleaseChart(
    "distributions",
    section="distributions",
    draw=_draw,
    intro=_intro,
    key=_key,
    note=lambda document: drawn_columns(document, "the table holds the rest"),
    classes="many",
)
