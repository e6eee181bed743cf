"""The risks in percent, before and after."""

from __future__ import annotations

import math
from collections.abc import Sequence

from microagg.report import svg
from microagg.report.chart import Chart
from microagg.report.charts.kind import BEFORE_AFTER, Key, ReleaseChart
from microagg.report.document import Document, Judged
from microagg.report.words import percent, shown


def before_after(key: str, title: str, rows: Sequence[tuple[str, float | None, float | None]]) -> str:
    """Draw measures in percent as two marks on a line from 0 to 100: a ring for before, a dot for after."""
    label, margin, row, top = 204.0, 22.0, 24.0, 24.0
    width, height = 520.0, top + row * len(rows) + 6
    room = width - label - margin
    body = []
    for share in (0, 25, 50, 75, 100):
        x = label + share / 100 * room
        body.append(svg.line(x, top, x, height, "grid" if share else "base"))
        body.append(svg.text(x, 14, f"{share}%", anchor="middle"))
    for i, (name, before, after) in enumerate(rows):
        y = top + (i + 0.5) * row
        places = [
            None if value is None else label + min(max(value, 0.0), 100.0) / 100 * room for value in (before, after)
        ]
        body.append(svg.text(label - 12, y + 4, svg.fit(name, label - 14), anchor="end", kind="value"))
        if places[0] is not None and places[1] is not None:
            body.append(svg.line(places[0], y, places[1], y, "span"))
        for place, kind, value, when in zip(places, ("ring", "dot"), (before, after), ("before", "after"), strict=True):
            if place is not None and value is not None:
                tip = f"<title>{svg.escape(f'{shown(name, 60)}: {percent(value)} {when}')}</title>"
                centre = f'cx="{svg.number(place)}" cy="{svg.number(y)}"'
                body.append(f'<circle class="{kind}" {centre} r="6">{tip}</circle>')
    return svg.drawing(key, width, height, title, f"{len(rows)} measures in percent, before and after.", body)


def _draw(document: Document, key: str) -> tuple[Chart, ...]:
    rows = [row for row in document.risks if row.measure.unit == "percent" and _known(row)]
    if not rows:
        return ()
    values = [(row.measure.title, _finite(row.measure.before), _finite(row.measure.value)) for row in rows]
    drawn = before_after(f"{key}risk", "Risks before and after", values)
    cells = tuple(
        (name, "" if before is None else percent(before), "" if after is None else percent(after))
        for name, before, after in values
    )
    return (Chart("Risks before and after", drawn, ("Measure", *BEFORE_AFTER), cells),)


def _known(row: Judged) -> bool:
    return _finite(row.measure.before) is not None or _finite(row.measure.value) is not None


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _key(document: Document) -> Key:
    if not document.tells_original:
        return ()
    ring, dot = (svg.mark(16, 16, f'<circle class="{kind}" r="6"/>', box="-8 -8 16 16") for kind in ("ring", "dot"))
    return (ring, "before"), (dot, "after")


CHART = ReleaseChart("risk", section="risks", draw=_draw, key=_key, classes="wide risk", headings=False)
