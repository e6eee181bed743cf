"""The report: one HTML page that needs nothing else, neither network nor scripts.

    facts -> figures (NumPy) -> charts (SVG) -> page (template.html)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from importlib import resources
from typing import Any

import numpy as np

from microagg.report import charts, figures, summary
from microagg.report.facts import Facts
from microagg.report.words import humanise, legible, percent, shown, tidy

MOST_COLUMNS = 24
"""How many columns are drawn; tables hold them all."""
MOST_CHANGES = 10

_CARDS = {
    "records": "Records",
    "groups": "Groups",
    "k": "k asked for",
    "smallest": "Smallest group",
    "largest": "Largest group",
    "information_loss": "Information loss",
    "method": "Method",
    "seconds": "Time",
}
_ROLES = {
    "identifier": "Names people outright. Removed.",
    "quasi": "Could point to a person together with others. Replaced by group values.",
    "confidential": "What the data are about. Kept as it is.",
    "other": "Kept as it is.",
}


@dataclass(frozen=True)
class ColumnRow:
    """One line of the table of columns."""

    name: str
    numbers: tuple[str, ...]


def render(facts: Facts) -> str:
    """Make the page.

    Parameters
    ----------
    facts : Facts
        What there is to tell.

    Returns
    -------
    str
        A whole HTML document. The same facts give the same page.

    Examples
    --------
    >>> X = np.array([[1.0], [2.0], [8.0], [9.0]])
    >>> facts = Facts(
    ...     title="Four patients, k = 2", settings={"Method": "univariate"}, headline={"k": 2}, names=("age",),
    ...     original=X, released=np.array([[1.5], [1.5], [8.5], [8.5]]), labels=np.array([0, 0, 1, 1]), losses={},
    ...     column_losses={}, loss_notes={}, risks={}, risk_notes={}, roles={"age": "quasi"}, warnings=(), reproduce={},
    ... )
    >>> render(facts).startswith("<!doctype html>")
    True
    """
    import jinja2

    environment = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: legible(value) if type(value) is str else value,
    )
    environment.filters |= {"tidy": tidy, "shown": shown, "humanise": humanise, "chart": jinja2.filters.do_mark_safe}
    template = resources.files(__name__).joinpath("template.html").read_text(encoding="utf-8")
    return environment.from_string(template).render(_content(facts))


def _content(facts: Facts) -> dict[str, Any]:
    """Work out everything that the template shows."""
    sizes = figures.group_sizes(facts.labels)
    before, after = figures.moments(facts.original), figures.moments(facts.released)
    return {
        "facts": facts,
        "paragraphs": summary.paragraphs(facts, sizes, before, after),
        "cards": _cards(facts),
        "sizes": sizes,
        "size_chart": charts.size_bars("sizes", sizes, sum(bar.groups for bar in sizes)),
        "share_chart": _share_chart(facts),
        "loss_charts": _loss_charts(facts),
        "histograms": _histograms(facts),
        "column_heads": ("Mean before", "after", "Std. dev. before", "after", *map(humanise, facts.column_losses)),
        "column_rows": _column_rows(facts, before, after),
        "map": _map(facts, before),
        "correlation": _correlation(facts, before, after) if len(facts.names) > 1 else None,
        "role_words": _ROLES,
        "most_columns": MOST_COLUMNS,
    }


def _cards(facts: Facts) -> list[tuple[str, str]]:
    known = [key for key in _CARDS if key in facts.headline]
    others = [key for key in facts.headline if key not in _CARDS]
    return [(_CARDS.get(key, humanise(key)), _card(key, facts.headline[key])) for key in known + others]


def _card(key: str, value: float | int | str) -> str:
    if isinstance(value, str):
        return value
    if key == "information_loss":
        return percent(value)
    return f"{tidy(value, 3)} s" if key == "seconds" else tidy(value)


def _share_chart(facts: Facts) -> str:
    loss = facts.headline.get(summary.LOSS)
    return charts.share_bar("share", loss) if isinstance(loss, int | float) and math.isfinite(loss) else ""


def _loss_charts(facts: Facts) -> list[tuple[str, str, str]]:
    drawn = []
    for i, (metric, values) in enumerate(facts.column_losses.items()):
        first = dict(list(values.items())[:MOST_COLUMNS])
        if first:
            title = humanise(metric)
            drawn.append((title, facts.loss_notes.get(metric, ""), charts.column_bars(f"loss{i}", title, first)))
    return drawn


def _histograms(facts: Facts) -> list[tuple[str, str, str]]:
    drawn = []
    for j, name in enumerate(facts.names[:MOST_COLUMNS]):
        counted = figures.histogram(
            np.ascontiguousarray(facts.original[:, j]), np.ascontiguousarray(facts.released[:, j])
        )
        remarks = ["logarithmic scale"] if counted.axis.threshold else []
        remarks += ["constant"] if counted.axis.bins == 1 else []
        if counted.open_below or counted.open_above:
            ends = {(True, False): "first", (False, True): "last", (True, True): "outer"}
            remarks.append(f"{ends[counted.open_below, counted.open_above]} bins hold all beyond")
        drawn.append((name, ", ".join(remarks), charts.histogram(f"hist{j}", name, counted)))
    return drawn


def _column_rows(facts: Facts, before: figures.Moments, after: figures.Moments) -> list[ColumnRow]:
    rows = []
    for j, name in enumerate(facts.names):
        values = [before.mean[j], after.mean[j], before.deviation[j], after.deviation[j]]
        values += [column[name] if name in column else math.nan for column in facts.column_losses.values()]
        rows.append(ColumnRow(name, tuple(tidy(value) for value in values)))
    return rows


def _map(facts: Facts, before: figures.Moments) -> dict[str, Any] | None:
    drawn = figures.principal_map(facts.original, facts.released, facts.labels, before)
    if drawn is None:
        return None
    chart, outside = charts.scatter("map", drawn)
    return {"chart": chart, "outside": outside, "drawn": len(drawn.before), "flat": drawn.shares[1] == 0}


def _correlation(facts: Facts, before: figures.Moments, after: figures.Moments) -> dict[str, Any]:
    few = slice(0, MOST_COLUMNS)
    names, was, became = facts.names[few], before.correlation[few, few], after.correlation[few, few]
    rows, columns = np.triu_indices(len(facts.names), 1)
    change = (after.correlation - before.correlation)[rows, columns]
    largest = np.argsort(-np.abs(np.nan_to_num(change, nan=0.0)), kind="stable")[:MOST_CHANGES]
    changes = [
        (
            facts.names[rows[i]],
            facts.names[columns[i]],
            *(f"{m.correlation[rows[i], columns[i]]:.2f}".replace("-", "−") for m in (before, after)),
        )
        for i in largest
        if np.isfinite(change[i])
    ]
    return {
        "split": charts.split_heatmap("corr", names, was, became),
        "change": charts.change_heatmap("corrchange", names, was, became),
        "largest": float(np.nanmax(np.abs(became - was), initial=0.0)),
        "changes": changes,
    }


__all__ = ["Facts", "render"]
