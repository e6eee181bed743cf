"""Candidate releases side by side: what each costs and what each leaves at risk."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from microagg.report import charts
from microagg.report.templates import fill

_COST, _RISK = "information_loss", "average_risk"


def render_comparison(title: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """Make the page that compares releases of the same data.

    Parameters
    ----------
    title : str
        What was compared, e.g. the name of the file.
    rows : sequence of mapping
        One candidate each: method, k, groups, smallest, largest, k_anonymous, information_loss and average_risk (both
        in percent), seconds.

    Returns
    -------
    str
        A whole HTML document: the map of risk and loss, and a table with the best trade-offs first.

    Examples
    --------
    >>> row = dict(method="mdav", k=5, groups=20, smallest=5, largest=6, k_anonymous=True, information_loss=9.1,
    ...            average_risk=19.5, seconds=0.1)
    >>> render_comparison("people.csv", [row]).startswith("<!doctype html>")
    True
    """
    best = frontier(rows)
    order = sorted(range(len(rows)), key=lambda i: (i not in best, rows[i][_RISK], rows[i][_COST], i))
    methods = list(dict.fromkeys(str(row["method"]) for row in rows))
    points = [
        charts.Candidate(
            methods.index(str(row["method"])), f"{row['method']}, k = {row['k']}", row[_RISK], row[_COST], i in best
        )
        for i, row in enumerate(rows)
        if math.isfinite(row[_RISK]) and math.isfinite(row[_COST])
    ]
    content = {
        "title": title,
        "rows": [(rows[i], i in best) for i in order],
        "chart": charts.trade_off("trade", points) if points else "",
        "legend": [(method, charts.marker(i)) for i, method in enumerate(methods)],
    }
    return fill("comparison.html", content)


def frontier(rows: Sequence[Mapping[str, Any]]) -> set[int]:
    """Find the k-anonymous candidates that no other one beats in both risk and loss.

    >>> rows = [dict(k_anonymous=True, average_risk=r, information_loss=l) for r, l in ((20, 5), (10, 9), (20, 6))]
    >>> sorted(frontier(rows))
    [0, 1]
    """
    valid = [i for i, row in enumerate(rows) if row["k_anonymous"] and math.isfinite(row[_COST])]
    return {i for i in valid if not any(_beats(rows[j], rows[i]) for j in valid)}


def _beats(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    mine, theirs = (one[_RISK], one[_COST]), (other[_RISK], other[_COST])
    return mine != theirs and mine[0] <= theirs[0] and mine[1] <= theirs[1]
