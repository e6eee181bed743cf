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
from microagg.schema import Role

MOST_COLUMNS = 24
"""How many columns are drawn; the table holds many more."""
MOST_ROWS = 400
"""How many columns the table and the lists of names hold, so that the page stays small."""
MOST_CHANGES = 10
LEAST_FULL_CHANGE = 0.05
"""Smaller changes of a correlation never have the full colour, so that nothing looks dramatic that is not."""

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
    Role.IDENTIFIER: ("Identifiers", "They name people outright, so they were removed."),
    Role.QUASI: (
        "Quasi-identifiers",
        "Together they could point to a person, so they were replaced by the values of groups.",
    ),
    Role.CONFIDENTIAL: ("Confidential columns", "They are what the data are about, and were kept as they are."),
    Role.OTHER: ("Other columns", "They were kept as they are."),
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
    environment.filters["measure"] = _measure
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
        "column_heads": (
            "Mean before",
            "Mean after",
            "Std. dev. before",
            "Std. dev. after",
            *map(humanise, facts.column_losses),
        ),
        "column_rows": _column_rows(facts, before, after),
        "map": _map(facts, before),
        "correlation": _correlation(facts, before, after) if len(facts.names) > 1 else None,
        "warnings": _warnings(facts, sizes),
        "roles": _roles(facts),
        "most_columns": MOST_COLUMNS,
        "most_rows": MOST_ROWS,
    }


def _cards(facts: Facts) -> list[tuple[str, str]]:
    known = [key for key in _CARDS if key in facts.headline]
    others = [key for key in facts.headline if key not in _CARDS]
    return [(_CARDS.get(key, humanise(key)), _card(key, facts.headline[key])) for key in known + others]


def _card(key: str, value: float | int | str) -> str:
    if isinstance(value, str):
        return value
    return f"{tidy(value, 3)} s" if key == "seconds" else _measure(value, key)


def _measure(value: float, name: str) -> str:
    return percent(value) if name == summary.LOSS else tidy(value)


def _warnings(facts: Facts, sizes: tuple[figures.Bar, ...]) -> tuple[str, ...]:
    k, smallest = facts.headline.get("k"), sizes[0].low
    if isinstance(k, int) and smallest < k:
        return (
            f"The smallest group has {smallest:,} records, fewer than the k of {k:,} that was asked for.",
            *facts.warnings,
        )
    return facts.warnings


def _roles(facts: Facts) -> list[tuple[str, str, list[str]]]:
    """Sort the columns by role, each with its words: heading, treatment, columns."""
    members: dict[str, list[str]] = {role: [] for role in _ROLES}
    for name, role in facts.roles.items():
        members.setdefault(role, []).append(name)
    words = {role: _ROLES[Role(role)] if role in _ROLES else (humanise(role), "") for role in members}
    return [(*words[role], names) for role, names in members.items() if names]


def _share_chart(facts: Facts) -> str:
    loss = facts.headline.get(summary.LOSS)
    return charts.share_bar("share", loss) if isinstance(loss, int | float) and math.isfinite(loss) else ""


def _loss_charts(facts: Facts) -> list[tuple[str, str, str]]:
    drawn = []
    for i, (metric, values) in enumerate(facts.column_losses.items()):
        first = dict(list(values.items())[:MOST_COLUMNS])
        if first:
            title, unit = humanise(metric), "%" if metric == summary.LOSS else ""
            drawn.append((title, facts.loss_notes.get(metric, ""), charts.column_bars(f"loss{i}", title, first, unit)))
    return drawn


def _histograms(facts: Facts) -> list[tuple[str, str, str]]:
    drawn = []
    for j, name in enumerate(facts.names[:MOST_COLUMNS]):
        counted = figures.histogram(
            np.ascontiguousarray(facts.original[:, j]), np.ascontiguousarray(facts.released[:, j])
        )
        remarks = ["logarithmic scale"] if counted.axis.threshold else []
        remarks += ["constant"] if counted.is_constant else []
        if counted.open_below or counted.open_above:
            ends = {(True, False): "first", (False, True): "last", (True, True): "outer"}
            remarks.append(f"{ends[counted.open_below, counted.open_above]} bins hold all beyond")
        drawn.append((name, ", ".join(remarks), charts.histogram(f"hist{j}", name, counted)))
    return drawn


def _column_rows(facts: Facts, before: figures.Moments, after: figures.Moments) -> list[ColumnRow]:
    rows = []
    for j, name in enumerate(facts.names[:MOST_ROWS]):
        moments = (before.mean[j], after.mean[j], before.deviation[j], after.deviation[j])
        losses = [
            _measure(values[name], metric) if name in values else "" for metric, values in facts.column_losses.items()
        ]
        rows.append(ColumnRow(name, (*map(tidy, moments), *losses)))
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
    full = max(LEAST_FULL_CHANGE, float(np.nanmax(np.abs(became - was), initial=0.0)))
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
        "change": charts.change_heatmap("corrchange", names, was, became, full),
        "full": full,
        "changes": changes,
    }


__all__ = ["Facts", "render"]
