"""From the document to charts: PLOTS, what can be drawn of a release, each with its numbers as a table."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from zlib import crc32

import numpy as np

from microagg.errors import InvalidOption
from microagg.report import charts
from microagg.report.chart import Chart, Plot
from microagg.report.document import MOST_COLUMNS, Column, Document, Judged
from microagg.report.figures import Density, Histogram
from microagg.report.words import measure, percent, shown, tidy

LEAST_FULL_CHANGE = 0.05
"""Smaller changes of a correlation never have the full colour, so that nothing looks dramatic that is not."""
WORTH_DRAWING = {"sse": math.inf, "sst": math.inf, "mean_change": 0.01}
"""How large the largest value of a measure must be: never for those that look like the information loss."""
BEFORE_AFTER = ("Before", "After")


def sizes(document: Document, key: str) -> tuple[Chart, ...]:
    """How many groups there are of each size."""
    bars = document.sizes
    rows = tuple((bar.label, tidy(bar.groups), tidy(bar.records)) for bar in bars if bar.groups)
    svg = charts.size_bars(f"{key}sizes", bars, sum(bar.groups for bar in bars))
    return (Chart("Sizes of the groups", svg, ("Records in a group", "Groups", "Records in them"), rows),)


def share(document: Document, key: str) -> tuple[Chart, ...]:
    """How much of the variation was kept and lost."""
    loss = document.headline.get("information_loss")
    if not isinstance(loss, int | float) or not math.isfinite(loss):
        return ()
    rows = (("kept", percent(100 - loss)), ("lost", percent(loss)))
    return (Chart("Variation kept and lost", charts.share_bar(f"{key}share", loss), ("Variation", "Share"), rows),)


def risk(document: Document, key: str) -> tuple[Chart, ...]:
    """The risks in percent, before and after."""
    rows = [row for row in document.risks if row.measure.unit == "percent" and _known(row)]
    if not rows:
        return ()
    values = [(row.measure.title, _finite(row.measure.before), _finite(row.measure.value)) for row in rows]
    svg = charts.before_after(f"{key}risk", "Risks before and after", values)
    cells = tuple(
        (name, "" if before is None else percent(before), "" if after is None else percent(after))
        for name, before, after in values
    )
    return (Chart("Risks before and after", svg, ("Measure", *BEFORE_AFTER), cells),)


def losses(document: Document, key: str) -> tuple[Chart, ...]:
    """What each column lost, one chart for each measure that tells columns apart."""
    drawn = []
    metrics = dict.fromkeys(metric for column in document.columns for metric in column.losses)
    for i, metric in enumerate(metrics):
        values = {c.name: c.losses[metric] for c in document.columns[:MOST_COLUMNS] if metric in c.losses}
        if _differ(values.values()) and max(values.values()) >= WORTH_DRAWING.get(metric, 0.0):
            title, explanation = document.title_of(metric)
            sign = "%" if document.unit(metric) == "percent" else ""
            svg = charts.column_bars(f"{key}loss{i}", title, values, sign)
            rows = tuple((name, measure(value, "percent" if sign else "")) for name, value in values.items())
            drawn.append(Chart(f"{title} by column", svg, ("Column", title), rows, explanation))
    return tuple(drawn)


def distributions(document: Document, key: str) -> tuple[Chart, ...]:
    """How many records hold which values, column by column."""
    drawn = []
    for j, column in enumerate(document.columns):
        if column.histogram is not None:
            drawn.append(_histogram(column, column.histogram, f"{key}hist{j}"))
        elif column.categories is not None:
            svg = charts.category_bars(f"{key}hist{j}", column.name, column.categories)
            rows = tuple(
                (c.label, "" if c.before is None else tidy(c.before), tidy(c.after)) for c in column.categories
            )
            remark = _remark(column, "categories")
            drawn.append(Chart(column.name, svg, ("Category", *BEFORE_AFTER), rows, remark))
    return tuple(drawn)


def map_of_records(document: Document, key: str) -> tuple[Chart, ...]:
    """Where records lie on the first two principal components, before and after: cells, not single records."""
    density = document.density
    if density is None:
        return ()
    both = np.concatenate((density.before, density.after))
    fewest, most = int(both[both > 0].min()), int(both.max())
    return tuple(
        Chart(
            f"Map {heading.lower()}",
            charts.density_cells(
                f"{key}map{i}", f"Map of the records, {heading.lower()}", density, counts, fewest, most
            ),
            ("First component", "Second component", "Records"),
            _cell_rows(density, counts),
        )
        for i, (heading, counts) in enumerate(zip(BEFORE_AFTER, (density.before, density.after), strict=True))
    )


def records(document: Document, key: str) -> tuple[Chart, ...]:
    """A sample of single records and of what they became: only where details were asked for."""
    if document.records is None:
        return ()
    svg, outside = charts.scatter(f"{key}records", document.records)
    drawn = document.records
    rows = tuple(
        (str(group), *(tidy(float(value), 3) for value in (*before, *after)))
        for group, before, after in zip(drawn.groups.tolist(), drawn.before, drawn.after, strict=True)
    )
    remark = f"{len(drawn.before):,} of {drawn.n_records:,} records"
    if outside:
        remark += f"; {outside:,} of them lie far outside and are not drawn"
    heads = ("Group", "First component", "Second component", "First, released", "Second, released")
    return (Chart("Records and their groups", svg, heads, rows, remark),)


def correlation(document: Document, key: str) -> tuple[Chart, ...]:
    """Correlations before and after, and their change."""
    found = document.correlation
    if found is None:
        return ()
    full = max(LEAST_FULL_CHANGE, float(np.nanmax(np.abs(found.after - found.before), initial=0.0)))
    names = list(found.columns)
    pairs = [(i, j) for i in range(len(names)) for j in range(i + 1, len(names))]
    rows = tuple(
        (
            f"{shown(names[i])}, {shown(names[j])}",
            *(charts.correlation_text(float(side[i, j])) for side in (found.before, found.after)),
        )
        for i, j in pairs
    )
    changes = tuple(
        (
            f"{shown(change.one)}, {shown(change.other)}",
            *(charts.correlation_text(value) for value in (change.before, change.after, change.change)),
        )
        for change in found.largest_changes
    )
    both = charts.split_heatmap(f"{key}corr", names, found.before, found.after)
    change = charts.change_heatmap(f"{key}corrchange", names, found.before, found.after, full)
    return (
        Chart(
            "Correlations",
            both,
            ("Columns", *BEFORE_AFTER),
            rows,
            "Before: above the diagonal. After: below it. Full colour is 1.",
        ),
        Chart(
            "Change",
            change,
            ("Largest changes", *BEFORE_AFTER, "Change"),
            changes,
            f"After minus before. Full colour is {tidy(full, 2)}.",
        ),
    )


PLOTS: dict[str, Callable[[Document, str], tuple[Chart, ...]]] = {
    "sizes": sizes,
    "share": share,
    "risk": risk,
    "losses": losses,
    "distributions": distributions,
    "map": map_of_records,
    "records": records,
    "correlation": correlation,
}
"""What can be drawn, by name."""
OVERVIEW = ("sizes", "risk", "map", "distributions")
"""What is drawn where nothing is named."""


def draw(document: Document, what: str | None = None) -> Plot:
    """Draw one of PLOTS, or an overview of the release.

    Parameters
    ----------
    document : Document
        The numbers.
    what : str, optional
        A name in PLOTS; the overview by default.

    Returns
    -------
    Plot
    """
    if what is not None and what not in PLOTS:
        raise InvalidOption(f"there is no plot {what!r}; choose one of {', '.join(PLOTS)}.")
    # Pages of a notebook share their names, so those of each plot begin with a number of its own.
    key = f"m{crc32(repr((document.title, what, document.headline)).encode('utf-8', 'replace')):08x}-"
    names = OVERVIEW if what is None else (what,)
    return Plot(document.title, tuple(chart for name in names for chart in PLOTS[name](document, key)))


def _histogram(column: Column, counted: Histogram, key: str) -> Chart:
    remarks = ["logarithmic scale"] if counted.axis.threshold else []
    remarks += ["constant"] if counted.is_constant else []
    if counted.open_below or counted.open_above:
        ends = {(True, False): "first", (False, True): "last", (True, True): "outer"}
        remarks.append(f"{ends[counted.open_below, counted.open_above]} bins hold all beyond")
    was = [""] * counted.axis.bins if counted.before is None else [tidy(count) for count in counted.before.tolist()]
    rows = tuple(
        (charts.bin_words(counted, i, dates=column.is_date), before, tidy(after))
        for i, (before, after) in enumerate(zip(was, counted.after.tolist(), strict=True))
    )
    svg = charts.histogram(key, column.name, counted, dates=column.is_date)
    return Chart(column.name, svg, ("Values", *BEFORE_AFTER), rows, _remark(column, ", ".join(remarks)))


def _remark(column: Column, words: str) -> str:
    """Begin with what the column lost."""
    loss = column.losses.get("information_loss")
    if loss is None or not math.isfinite(loss):
        return words
    return f"lost {percent(loss)}{'; ' if words else ''}{words}"


def _cell_rows(density: Density, counts: np.ndarray[tuple[int], np.dtype[np.int64]]) -> tuple[tuple[str, ...], ...]:
    return tuple(
        (tidy(float(density.across[i]), 3), tidy(float(density.up[i]), 3), tidy(int(counts[i])))
        for i in np.flatnonzero(counts).tolist()
    )


def _known(row: Judged) -> bool:
    return _finite(row.measure.before) is not None or _finite(row.measure.value) is not None


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _differ(values: Iterable[float]) -> bool:
    """Tell whether a chart of these values would show any difference beyond rounding."""
    finite = [value for value in values if math.isfinite(value)]
    return len(finite) > 1 and max(finite) - min(finite) > 1e-9 * max(1.0, *map(abs, finite))
