"""The arrivals of a survey as a drawing: how many answers there were by when, and when it closes."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

from microagg.report import svg
from microagg.report.words import compact

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 860.0, 240.0, 56.0, 14.0, 12.0, 30.0


def draw_arrivals(arrivals: Sequence[tuple[str, int]], opened: str, closes: str | None, closed: str | None) -> str:
    """Draw how answers arrived; "" where there are none.

    >>> drawn = draw_arrivals([("2026-01-01T10:00:00+00:00", 5)], "2026-01-01T09:00:00+00:00", None, None)
    >>> drawn.startswith("<svg"), draw_arrivals([], "2026-01-01T09:00:00+00:00", None, None)
    (True, '')
    """
    points = [(_seconds(moment), count) for moment, count in arrivals]
    if not points:
        return ""
    begin = min(_seconds(opened), points[0][0])
    ends = [points[-1][0], *(_seconds(end) for end in (closes, closed) if end is not None)]
    span = max(max(ends) - begin, 1.0)
    most = max(count for _, count in points) or 1
    floor, room = HEIGHT - BOTTOM, HEIGHT - BOTTOM - TOP

    def x(moment: float) -> float:
        return LEFT + (moment - begin) / span * (WIDTH - LEFT - RIGHT)

    def y(count: float) -> float:
        return floor - count / most * room

    path = [f"M{svg.number(LEFT)} {svg.number(floor)}"]
    for moment, count in points:
        path.append(f"L{svg.number(x(moment))} {svg.number(y(count))}")
    path.append(f"V{svg.number(floor)}Z")
    body = [f'<path class="area-before" d="{"".join(path)}"/>', svg.line(LEFT, floor, WIDTH - RIGHT, floor, "base")]
    step = max(1.0, svg.round_step(most, 4))
    for i in range(1, int(most / step) + 1):
        body.insert(0, svg.line(LEFT, y(i * step), WIDTH - RIGHT, y(i * step), "grid"))
        body.append(svg.text(LEFT - 8, y(i * step) + 4, compact(i * step), anchor="end"))
    end = closed or closes
    if end is not None:
        place = x(_seconds(end))
        body.append(svg.line(place, TOP, place, floor, "cut-line"))
        body.append(svg.text(place - 6, TOP + 10, "closed" if closed else "closes", anchor="end"))
    for share in (0.0, 0.5, 1.0):
        told = datetime.datetime.fromtimestamp(begin + share * span, datetime.UTC)
        anchor = {0.0: "start", 0.5: "middle", 1.0: "end"}[share]
        body.append(svg.text(x(begin + share * span), floor + 19, f"{told:%Y-%m-%d %H:%M}", anchor=anchor))
    return svg.drawing("arrivals", WIDTH, HEIGHT, "Arrivals", f"{most:,} answers so far.", body)


def _seconds(moment: str) -> float:
    return datetime.datetime.fromisoformat(moment).timestamp()
