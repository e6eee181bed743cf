"""The report of one release as a page: what template.html shows, in words and drawings, out of the document."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import zip_longest
from typing import Any

from microagg.base.schema import Role
from microagg.report.charts import CHARTS
from microagg.report.charts.kind import ReleaseChart
from microagg.report.document import MOST_COLUMNS, Document, Judged
from microagg.report.sections import SECTIONS, Section
from microagg.report.templates import fill
from microagg.report.words import day, humanise, measure, percent, tidy

MOST_ROWS = 400
"""How many columns the table and the lists of names hold, so that the page stays small."""

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
_MASKED = {
    **_ROLES,
    Role.CONFIDENTIAL: (
        "Confidential columns",
        "They are what the data are about; see Settings for those with a mask.",
    ),
    Role.OTHER: ("Other columns", "They were kept as they are, save those with a mask; see Settings."),
}
"""The same, where columns were changed at random."""
_SAMPLED = "measured on a sample of the records"
"""What measures note where they took a sample; the page says it with the number."""


def render(document: Document) -> str:
    """Make the page.

    Parameters
    ----------
    document : Document
        What there is to tell.

    Returns
    -------
    str
        A whole HTML document. The same document gives the same page.
    """
    return fill("template.html", _content(document))


def _content(document: Document) -> dict[str, Any]:
    """Work out everything that the template shows."""
    return {
        "document": document,
        "cards": cards_of(document),
        "sections": [shown for section in SECTIONS if (shown := _section(section, document)) is not None],
        "column_heads": _column_heads(document),
        "column_rows": _column_rows(document),
        "roles": sort_roles(
            document.roles, document.kinds, _MASKED if document.settings.get("Masks", "none") != "none" else _ROLES
        ),
        "untouched": _untouched(document),
        "most_columns": MOST_COLUMNS,
        "most_rows": MOST_ROWS,
    }


def _section(section: Section, document: Document) -> dict[str, Any] | None:
    """Give a section with its table and its charts; None where it has nothing to say."""
    rows = section.measures(document)
    if section.needs_measures and not rows:
        return None
    is_told = document.tells_original or not section.needs_original
    charts = [chart for chart in CHARTS.values() if chart.section == section.name] if is_told else []
    return {
        "name": section.name,
        "label": section.label,
        "heading": section.heading(document),
        "intro": section.intro(document),
        "above": [_chart(chart, document) for chart in charts if not chart.below_table],
        "below": [_chart(chart, document) for chart in charts if chart.below_table],
        "measures": [measure_row(row) for row in rows] if is_told else [],
        "has_before": any(row.measure.before is not None for row in rows),
        "lists_columns": section.lists_columns,
    }


def _chart(chart: ReleaseChart, document: Document) -> dict[str, Any]:
    """Give the drawings of a chart with their words; only those that stand in their place where there are none."""
    drawn = chart.draw(document, "")
    return {
        "intro": chart.intro(document) if drawn else chart.absent(document),
        "key": chart.key(document) if drawn else (),
        "drawn": list(zip_longest(drawn, chart.labels[: len(drawn)], fillvalue="The numbers")),
        "note": chart.note(document) if drawn else "",
        "classes": chart.classes,
        "headings": chart.headings,
        "table_beside": chart.table_beside,
    }


def cards_of(document: Document) -> list[tuple[str, str]]:
    """Give the key figures in a fixed order; the smallest and the largest group share a card."""
    written = {key: _card(document, key, value) for key, value in document.headline.items() if value is not None}
    if {"smallest", "largest"} <= written.keys():
        smallest, largest = written.pop("smallest"), written.pop("largest")
        written["sizes"] = smallest if smallest == largest else f"{smallest} to {largest}"
    known = [key for key in _CARDS if key in written]
    others = [key for key in written if key not in _CARDS]
    return [(_CARDS.get(key, humanise(key)), written[key]) for key in known + others]


def _card(document: Document, key: str, value: float | int | str) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{tidy(value, 3)} s" if key == "seconds" else measure(value, document.unit(key))


def _untouched(document: Document) -> list[tuple[str, str]]:
    """Give the columns that are released as they are, the most telling first, each with the share that is alone."""
    rows = sorted(document.untouched.items(), key=lambda row: -row[1])
    return [(name, percent(100 * share)) for name, share in rows]


def measure_row(row: Judged) -> dict[str, Any]:
    """One line of a table of measures, in words."""
    result = row.measure
    columns = result.columns or {}
    note = result.note.replace(_SAMPLED, "").strip("; ") if result.sampled else result.note
    return {
        "title": result.title or humanise(result.name),
        "columns": [(name, measure(value, result.unit)) for name, value in list(columns.items())[:MOST_COLUMNS]],
        "more": max(0, len(columns) - MOST_COLUMNS),
        "explanation": result.summary[:1].upper() + result.summary[1:],
        "note": note,
        "reference": result.reference,
        "meaning": row.meaning,
        "beyond": row.beyond,
        "sample": result.sampled,
        "before": "" if result.before is None else measure(result.before, result.unit),
        "after": "" if result.value is None else measure(result.value, result.unit),
    }


def sort_roles(
    roles: Mapping[str, str], kinds: Mapping[str, str], words_of: Mapping[Role, tuple[str, str]]
) -> list[tuple[str, str, list[tuple[str, str]]]]:
    """Sort the columns by role, each with its words: heading, treatment, columns with their kinds."""
    members: dict[str, list[tuple[str, str]]] = {role: [] for role in words_of}
    for name, role in roles.items():
        members.setdefault(role, []).append((name, kinds.get(name, "")))
    words = {role: words_of[Role(role)] if role in words_of else (humanise(role), "") for role in members}
    return [(*words[role], names) for role, names in members.items() if names]


def _column_heads(document: Document) -> tuple[str, ...]:
    metrics = dict.fromkeys(metric for column in document.columns for metric in column.losses)
    moments = ("Mean before", "Mean after", "Std. dev. before", "Std. dev. after")
    return ("Kind", *moments, *(document.title_of(metric)[0] for metric in metrics))


def _column_rows(document: Document) -> list[tuple[str, tuple[str, ...]]]:
    rows = []
    metrics = dict.fromkeys(metric for column in document.columns for metric in column.losses)
    for column in document.columns[:MOST_ROWS]:
        moments: tuple[str, ...] = ("", "", "", "")
        if column.moments is not None:
            m = column.moments
            places, widths = (m.mean_before, m.mean_after), (m.deviation_before, m.deviation_after)
            write = day if column.is_date else tidy
            unit = " days" if column.is_date else ""
            moments = (
                *("" if place is None else write(place) for place in places),
                *("" if width is None else f"{tidy(width)}{unit}" for width in widths),
            )
        losses = (
            measure(column.losses[metric], "percent" if document.unit(metric) == "percent" else "")
            if metric in column.losses
            else ""
            for metric in metrics
        )
        rows.append((column.name, (column.kind, *moments, *losses)))
    return rows
