"""Charts of a release outside of the page: in notebooks, and as files."""

from __future__ import annotations

from dataclasses import replace
from zlib import crc32

from microagg.errors import InvalidOption
from microagg.report.chart import Plot
from microagg.report.charts import CHARTS
from microagg.report.document import Document

OVERVIEW = ("sizes", "risk", "map", "distributions")
"""What is drawn where nothing is named."""


def draw(document: Document, what: str | None = None) -> Plot:
    """Draw one of CHARTS, or an overview of the release.

    Parameters
    ----------
    document : Document
        The numbers.
    what : str, optional
        A name in CHARTS; the overview by default.

    Returns
    -------
    Plot
    """
    if what is not None and what not in CHARTS:
        raise InvalidOption(f"there is no plot {what!r}; choose one of {', '.join(CHARTS)}.")
    # Pages of a notebook share their names, so those of each plot begin with a number of its own.
    key = f"m{crc32(repr((document.title, what, document.headline)).encode('utf-8', 'replace')):08x}-"
    names = OVERVIEW if what is None else (what,)
    charts = []
    for name in names:
        drawn = CHARTS[name].draw(document, key)
        # What the marks mean is the same for all drawings of a kind: it stands with the first.
        charts += [replace(chart, key=CHARTS[name].key(document)) for chart in drawn[:1]] + list(drawn[1:])
    return Plot(document.title, tuple(charts))
