"""How much of the variation was kept and lost."""

from __future__ import annotations

import math

from microagg.report import svg
from microagg.report.chart import Chart
from microagg.report.charts.kind import ReleaseChart
from microagg.report.document import Document
from microagg.report.words import percent


def share_bar(key: str, lost: float) -> str:
    """Draw how much of the variation was kept and how much was lost, in percent."""
    lost_width = 480 * min(max(lost, 0.0), 100.0) / 100
    body = [
        f'<clipPath id="{key}-clip"><rect x="0" y="0" width="480" height="22" rx="5"/></clipPath>',
        f'<g clip-path="url(#{key}-clip)">',
        svg.rect(0, 0, 480 - lost_width, 22, "fill-after", f"kept: {percent(100 - lost)}"),
        svg.rect(480 - lost_width, 0, lost_width, 22, "fill-lost", f"lost: {percent(lost)}"),
        "</g>",
    ]
    words = f"{percent(100 - lost)} of the variation is kept, {percent(lost)} is lost."
    return svg.drawing(key, 480, 22, "Variation kept and lost", words, body)


def _draw(document: Document, key: str) -> tuple[Chart, ...]:
    loss = document.headline.get("information_loss")
    if not isinstance(loss, int | float) or not math.isfinite(loss):
        return ()
    rows = (("kept", percent(100 - loss)), ("lost", percent(loss)))
    return (Chart("Variation kept and lost", share_bar(f"{key}share", loss), ("Variation", "Share"), rows),)


KEY = (
    (svg.mark(14, 14, '<rect class="fill-after" width="14" height="14" rx="3"/>'), "variation kept"),
    (svg.mark(14, 14, '<rect class="fill-lost" width="14" height="14" rx="3"/>'), "variation lost"),
)
CHART = ReleaseChart("share", section="losses", draw=_draw, key=lambda _: KEY, classes="wide share", headings=False)
