"""The page that puts candidate releases side by side: what each costs and what each leaves at risk."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from microagg.report.charts.trade_off import NARROW, Axis, Line, Point, marker, trade_off
from microagg.report.templates import fill


@dataclass(frozen=True)
class Row:
    """A candidate as the page shows it.

    Attributes
    ----------
    series : str
        The method with its options.
    k, groups, smallest, largest : int
        What was asked for, and the groups that came out; k is None where none is promised.
    risk, loss : float
        Where it lies on the map.
    seconds : float
        How long it took.
    rank : int or None
        0 where no other beats it in both; None where it cannot be weighed, and stands in the table alone.
    remark : str
        What to know of it, in a few words.
    is_chosen : bool
        Whether it is the one to choose.
    command : str
        What makes it.
    """

    series: str
    k: int | None
    groups: int
    smallest: int
    largest: int
    risk: float
    loss: float
    seconds: float
    rank: int | None
    remark: str = ""
    is_chosen: bool = False
    command: str = ""


def render_comparison(
    title: str,
    rows: Sequence[Row],
    *,
    risk: Axis,
    loss: Axis,
    lines: Sequence[Line] = (),
    verdict: str = "",
    failures: Mapping[str, str] | None = None,
    notes: Sequence[str] = (),
) -> str:
    """Make the page that compares releases of the same data.

    Parameters
    ----------
    title : str
        What was compared, e.g. the name of the file.
    rows : sequence of Row
        The candidates, in the order of the table.
    risk, loss : Axis
        What the map shows.
    lines : sequence of Line
        The limits on these two.
    verdict : str
        Which candidate to choose, and why.
    failures : mapping of str to str, optional
        Candidates that could not be made, and why.
    notes : sequence of str
        What to know.

    Returns
    -------
    str
        A whole HTML document.

    Examples
    --------
    >>> row = Row("mdav", 5, groups=20, smallest=5, largest=6, risk=19.5, loss=9.1, seconds=0.1, rank=0)
    >>> page = render_comparison("people.csv", [row], risk=Axis("Risk", "percent"), loss=Axis("Loss", "percent"))
    >>> page.startswith("<!doctype html>")
    True
    """
    series = list(dict.fromkeys(row.series for row in rows))
    points = [
        Point(series.index(row.series), f"{row.series}, k = {row.k}", row.risk, row.loss, row.rank == 0, row.is_chosen)
        for row in rows
        if row.rank is not None
    ]
    points += [
        Point(series.index(row.series), row.series, row.risk, row.loss, promises_k=False)
        for row in rows
        if row.k is None and math.isfinite(row.risk) and math.isfinite(row.loss)
    ]
    content = {
        "title": title,
        "rows": rows,
        "risk": risk,
        "loss": loss,
        "verdict": verdict,
        "failures": dict(failures or {}),
        "notes": list(notes),
        "chart": trade_off("trade", points, risk, loss, lines) if points else "",
        "narrow_chart": trade_off("narrow", points, risk, loss, lines, NARROW) if points else "",
        "legend": [
            (name if promises_k else f"{name} (promises no k)", marker(i, promises_k=promises_k))
            for i, promises_k in sorted({(point.series, point.promises_k) for point in points})
            for name in (series[i],)
        ],
        "left_out": sum(row.rank is None and row.k is not None for row in rows),
        "baselines": [row.series for row in rows if row.k is None],
    }
    return fill("comparison.html", content)
