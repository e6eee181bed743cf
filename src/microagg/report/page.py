"""The report of one release: what template.html shows, worked out of the facts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from microagg.report import charts, figures, summary
from microagg.report.facts import Facts
from microagg.report.templates import fill
from microagg.report.words import humanise, measure, tidy
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
    "sizes": "Records in a group",
    "smallest": "Smallest group",
    "largest": "Largest group",
    "information_loss": "Information loss",
    "lower_bound": "No partition below",
    "method": "Method",
    "k_anonymous": "k-anonymous",
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
    return fill("template.html", _content(facts))


def _content(facts: Facts) -> dict[str, Any]:
    """Work out everything that the template shows."""
    sizes, (before, after) = _sizes(facts), _moments(facts)
    numbers = facts.numbers
    return {
        "facts": facts,
        "paragraphs": summary.paragraphs(facts, sizes, before, after),
        "cards": _cards(facts),
        "sizes": sizes,
        "size_chart": charts.size_bars("sizes", sizes, sum(bar.groups for bar in sizes)),
        "share_chart": _share_chart(facts),
        "losses": [
            (*_named(name, facts.loss_notes), _written(facts, name, facts.losses[name])) for name in facts.losses
        ],
        "risks": [
            (
                *_named(name, facts.risk_notes),
                _written(facts, name, facts.risks_before.get(name)),
                _written(facts, name, value),
            )
            for name, value in facts.risks.items()
        ],
        "loss_charts": _loss_charts(facts),
        "histograms": _histograms(facts),
        "column_heads": (
            "Mean before",
            "Mean after",
            "Std. dev. before",
            "Std. dev. after",
            *(_named(metric, facts.loss_notes)[0] for metric in facts.column_losses),
        ),
        "column_rows": _column_rows(facts, before, after),
        "map": _map(facts, before),
        "correlation": _correlation(facts, before, after) if len(numbers) > 1 else None,
        "warnings": _warnings(facts, sizes),
        "roles": _roles(facts),
        "most_columns": MOST_COLUMNS,
        "most_rows": MOST_ROWS,
    }


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


def _cards(facts: Facts) -> list[tuple[str, str]]:
    """Give the key figures in a fixed order; the smallest and the largest group share a card."""
    if {"smallest", "largest"} <= facts.headline.keys():
        smallest, largest = facts.headline["smallest"], facts.headline["largest"]
        sizes = (
            _card(facts, "smallest")
            if smallest == largest
            else f"{_card(facts, 'smallest')} to {_card(facts, 'largest')}"
        )
        headline = {**facts.headline, "sizes": sizes}
        facts = replace(facts, headline={key: headline[key] for key in headline if key not in ("smallest", "largest")})
    known = [key for key in _CARDS if key in facts.headline]
    others = [key for key in facts.headline if key not in _CARDS]
    return [(_CARDS.get(key, humanise(key)), _card(facts, key)) for key in known + others]


def _card(facts: Facts, key: str) -> str:
    value = facts.headline[key]
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{tidy(value, 3)} s" if key == "seconds" else _written(facts, key, value)


def _written(facts: Facts, name: str, value: float | None) -> str:
    return "" if value is None else measure(value, facts.units.get(name, ""))


def _named(name: str, notes: Mapping[str, str]) -> tuple[str, str]:
    """Give the title and the explanation of a measure."""
    title, colon, rest = notes.get(name, "").partition(": ")
    explanation = rest if colon else title
    return (title if colon else humanise(name)), explanation[:1].upper() + explanation[1:]


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
        if _differ(first.values()):
            title, explanation = _named(metric, facts.loss_notes)
            sign = "%" if facts.units.get(metric) == "percent" else ""
            drawn.append((title, explanation, charts.column_bars(f"loss{i}", title, first, sign)))
    return drawn


def _differ(values: Iterable[float]) -> bool:
    """Tell whether a chart of these values would show any difference beyond rounding."""
    finite = [value for value in values if math.isfinite(value)]
    return len(finite) > 1 and max(finite) - min(finite) > 1e-9 * max(1.0, *map(abs, finite))


def _histograms(facts: Facts) -> list[tuple[str, str, str]]:
    drawn = []
    k = facts.headline.get("k")
    for j, name in enumerate(facts.names[:MOST_COLUMNS]):
        if name in facts.categories:
            least = k if isinstance(k, int) else 1
            counts = figures.category_counts(
                facts.original[:, j], facts.released[:, j], facts.categories[name], least=least
            )
            drawn.append((name, "categories", charts.category_bars(f"hist{j}", name, counts)))
            continue
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
    place = {facts.names[j]: i for i, j in enumerate(facts.numbers)}
    for name in facts.names[:MOST_ROWS]:
        moments: tuple[str, ...] = ("", "", "", "")
        if name in place:
            i = place[name]
            moments = tuple(map(tidy, (before.mean[i], after.mean[i], before.deviation[i], after.deviation[i])))
        losses = [
            measure(values[name], "percent" if facts.units.get(metric) == "percent" else "") if name in values else ""
            for metric, values in facts.column_losses.items()
        ]
        rows.append(ColumnRow(name, (*moments, *losses)))
    return rows


def _map(facts: Facts, before: figures.Moments) -> dict[str, Any] | None:
    numbers = facts.numbers
    if not numbers:
        return None
    labels = facts.labels[:, numbers] if facts.per_column else facts.labels
    drawn = figures.principal_map(facts.original[:, numbers], facts.released[:, numbers], labels, before)
    if drawn is None:
        return None
    chart, outside = charts.scatter("map", drawn)
    return {"chart": chart, "outside": outside, "drawn": len(drawn.before), "flat": drawn.shares[1] == 0}


def _correlation(facts: Facts, before: figures.Moments, after: figures.Moments) -> dict[str, Any]:
    few = slice(0, MOST_COLUMNS)
    every = [facts.names[j] for j in facts.numbers]
    names, was, became = every[few], before.correlation[few, few], after.correlation[few, few]
    full = max(LEAST_FULL_CHANGE, float(np.nanmax(np.abs(became - was), initial=0.0)))
    rows, columns = np.triu_indices(len(every), 1)
    change = (after.correlation - before.correlation)[rows, columns]
    largest = np.argsort(-np.abs(np.nan_to_num(change, nan=0.0)), kind="stable")[:MOST_CHANGES]
    changes = [
        (
            every[rows[i]],
            every[columns[i]],
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
