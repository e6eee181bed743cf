"""Small pictures of columns: a few bars, the same height for all."""

from __future__ import annotations

from microagg.report import svg
from microagg.studio.overview import LookedColumn

WIDTH, HEIGHT = 132, 34


def small_picture(column: LookedColumn) -> str:
    """Draw a column in bars: standing in the order of numbers, lying for categories.

    >>> from microagg.studio.overview import LookedColumn
    >>> column = LookedColumn("sex", "text", (2, 1), ("f", "m"), False, 2, 0.0, "category", "", (), False, "quasi", "")
    >>> small_picture(column).count("<rect")
    2
    """
    if not column.bars or not max(column.bars):
        return svg.mark(WIDTH, HEIGHT, svg.line(0, HEIGHT - 0.5, WIDTH, HEIGHT - 0.5, "base"), kind="small")
    most = max(column.bars)
    body = []
    if column.ordered:
        step = WIDTH / len(column.bars)
        for place, count in enumerate(column.bars):
            height = max(1.0, (HEIGHT - 2) * count / most) if count else 0.0
            body.append(svg.rect(place * step + 0.5, HEIGHT - height, max(1.0, step - 1), height, "fill-after"))
        body.append(svg.line(0, HEIGHT - 0.5, WIDTH, HEIGHT - 0.5, "base"))
    else:
        step = HEIGHT / max(4, len(column.bars))
        for place, count in enumerate(column.bars):
            body.append(svg.rect(0, place * step, max(1.5, WIDTH * count / most), max(1.0, step - 1.2), "fill-after"))
    return svg.mark(WIDTH, HEIGHT, "".join(body), kind="small")
