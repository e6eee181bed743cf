"""Charts as objects: a drawing with its numbers, shown by notebooks and saved as SVG."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from microagg.errors import InvalidOption
from microagg.io import atomic_path
from microagg.report.svg import drawn_size, escape, fit, text_width
from microagg.report.templates import fill, read_part
from microagg.report.words import legible, shown

GAP, HEADING = 28.0, 42.0
"""Room between the drawings of a sheet, and above each for its heading."""
LEGEND = 22.0
"""Room for a line that says what marks mean."""
SHEET = 1080.0
"""How wide a sheet of several drawings becomes, about."""


@dataclass(frozen=True)
class Chart:
    """One drawing, and what it shows as a table.

    Attributes
    ----------
    heading, remark : str
        What it shows.
    svg : str
        The drawing.
    heads : tuple of str
        The headings of the table; the first column names the rows.
    rows : tuple of tuple of str
        The table.
    key : tuple of pairs of str
        What the marks mean: each mark, a drawing, with its words; either may be empty.
    """

    heading: str
    svg: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    remark: str = ""
    key: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, repr=False)
class Plot:
    """Charts that notebooks show by themselves, with the numbers behind them; `save` writes them as SVG.

    Attributes
    ----------
    title : str
        What is shown.
    charts : tuple of Chart
        The drawings with their tables.
    """

    title: str
    charts: tuple[Chart, ...]

    def __repr__(self) -> str:
        headings = ", ".join(shown(chart.heading, 40) for chart in self.charts)
        return f"<Plot of {shown(self.title)}: {headings}>"

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        return fill("plot.html", {"plot": self, "style": read_part("plot.css")})

    @property
    def svg(self) -> str:
        """All drawings on one sheet."""
        sizes = [drawn_size(chart.svg) for chart in self.charts]
        tall = [(w, h + (LEGEND if chart.key else 0)) for (w, h), chart in zip(sizes, self.charts, strict=True)]
        placed, width, height = _arrange(tall)
        parts = []
        for chart, (x, y), (room, _) in zip(self.charts, placed, sizes, strict=True):
            for kind, text, line in (("heading", chart.heading, 14), ("remark", chart.remark, 31)):
                if text:
                    parts.append(
                        f'<text class="{kind}" x="{x:.0f}" y="{y + line:.0f}">{escape(fit(text, room))}</text>'
                    )
            parts += _legend(chart, x, y + HEADING + 4)
            top = y + HEADING + (LEGEND if chart.key else 0)
            parts.append(chart.svg.replace("<svg ", f'<svg x="{x:.0f}" y="{top:.0f}" ', 1))
        return legible(
            f'<svg xmlns="http://www.w3.org/2000/svg" class="microagg sheet" viewBox="0 0 {width:.0f} {height:.0f}" '
            f'width="{width:.0f}" height="{height:.0f}"><style>{read_part("plot.css")}</style>{"".join(parts)}</svg>'
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the drawings to a file.

        Parameters
        ----------
        path : path
            Where to write them: .svg for one sheet, .html for the drawings with their tables. An existing file is
            replaced once the new one is whole.
        """
        written = {".svg": self._repr_svg_, ".html": self._repr_html_}
        suffix = Path(path).suffix.lower()
        if suffix not in written:
            raise InvalidOption(f"a plot is saved as .svg or .html; got {Path(path).name!r}.")
        with atomic_path(path) as temporary:
            temporary.write_text(written[suffix](), encoding="utf-8")


def _legend(chart: Chart, x: float, y: float) -> list[str]:
    """Draw what the marks of a chart mean, in a line; the middle of the line is at y."""
    parts = []
    for mark, words in chart.key:
        if mark:
            width, height = drawn_size(mark)
            parts.append(mark.replace("<svg ", f'<svg x="{x:.0f}" y="{y - height / 2:.0f}" ', 1))
            x += width + 6
        if words:
            parts.append(f'<text class="remark" x="{x:.0f}" y="{y + 4:.0f}">{escape(words)}</text>')
            x += text_width(words) + 16
    return parts


def _arrange(sizes: Sequence[tuple[float, float]]) -> tuple[list[tuple[float, float]], float, float]:
    """Place drawings in rows on a sheet; gives the places and the size of the sheet."""
    places, x, y, tallest, widest = [], GAP, GAP, 0.0, 0.0
    for width, height in sizes:
        if x > GAP and x + width > SHEET:
            x, y, tallest = GAP, y + tallest + GAP, 0.0
        places.append((x, y))
        x += width + GAP
        tallest, widest = max(tallest, height + HEADING), max(widest, x)
    return places, widest, y + tallest + GAP
