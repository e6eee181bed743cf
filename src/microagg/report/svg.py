"""The parts of every drawing: texts, boxes and lines in SVG, and the drawing around them.

Colours come from classes: of the page that a drawing is part of (`drawing`), or of a style of its own (`alone`).
"""

from __future__ import annotations

import html
import math
import re
import unicodedata
from collections.abc import Sequence

from microagg.report.words import shown


def escape(text: str) -> str:
    """Escape what stands between tags; nothing from the data stands inside one."""
    return html.escape(text, quote=False)


def number(value: float) -> str:
    """Write a length with at most one digit behind the point.

    >>> number(12.0), number(0.25), number(-0.01)
    ('12', '0.2', '0')
    """
    written = f"{value:.1f}".rstrip("0").rstrip(".")
    return "0" if written == "-0" else written


def text(x: float, y: float, content: str, *, anchor: str = "start", kind: str = "") -> str:
    """Write a text that starts, ends or has its middle at a place.

    >>> text(10, 20, "a < b", anchor="end")
    '<text x="10" y="20" text-anchor="end">a &lt; b</text>'
    """
    classes = f' class="{kind}"' if kind else ""
    return f'<text x="{number(x)}" y="{number(y)}" text-anchor="{anchor}"{classes}>{escape(content)}</text>'


def text_width(content: str) -> float:
    """Guess how wide a text of the usual size is drawn."""
    widths = {"W": 12.5, "F": 12.5, "Na": 6.6}
    return sum(8.4 if c.isupper() else widths.get(unicodedata.east_asian_width(c), 7.0) for c in content)


def fit(name: str, room: float) -> str:
    """Cut a text of the usual size so that it fits."""
    limit = len(shown(name))
    while limit > 2 and text_width(shown(name, limit)) > room:
        limit -= 1
    return shown(name, limit)


def rect(x: float, y: float, width: float, height: float, kind: str, tip: str = "", opacity: float = 1.0) -> str:
    """Draw a box; a pointer that rests on it is shown the tip."""
    faint = f' fill-opacity="{opacity:.2f}"' if opacity < 1 else ""
    title = f"<title>{escape(tip)}</title>" if tip else ""
    return (
        f'<rect class="{kind}" x="{number(x)}" y="{number(y)}" width="{number(width)}" '
        f'height="{number(height)}"{faint}>{title}</rect>'
    )


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    """Draw a straight line between two places."""
    ends = f'x1="{number(x1)}" y1="{number(y1)}" x2="{number(x2)}" y2="{number(y2)}"'
    return f'<line class="{kind}" {ends}/>'


def mark(width: int, height: int, body: str, *, box: str = "", kind: str = "") -> str:
    """Draw a small mark beside words that explain it."""
    classes = f' class="{kind}"' if kind else ""
    seen = box or f"0 0 {width} {height}"
    return f'<svg aria-hidden="true"{classes} width="{width}" height="{height}" viewBox="{seen}">{body}</svg>'


def drawing(key: str, width: float, height: float, title: str, description: str, body: Sequence[str]) -> str:
    """Make a drawing of a page; the key tells its title and its description from those of the others."""
    return (
        f'<svg role="img" aria-labelledby="{key}-t {key}-d" viewBox="0 0 {number(width)} {number(height)}" '
        f'width="{number(width)}" height="{number(height)}">'
        f'<title id="{key}-t">{escape(title)}</title><desc id="{key}-d">{escape(description)}</desc>'
        f"{''.join(body)}</svg>"
    )


def drawn_size(svg: str) -> tuple[float, float]:
    """Read the width and the height of a drawing of this file."""
    size = re.search(r'width="([\d.]+)" height="([\d.]+)"', svg)
    return (float(size[1]), float(size[2])) if size else (0.0, 0.0)


def alone(
    width: float, height: float, title: str, style: str, body: Sequence[str], *, description: str = "", kind: str = ""
) -> str:
    """Make a drawing that needs no page around it: on white, with a style of its own, which may be held to its kind."""
    classes = f' class="{kind}"' if kind else ""
    described = f"<desc>{escape(description)}</desc>" if description else ""
    return (
        f'<svg{classes} xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}"><title>{escape(title)}</title>{described}<style>{style}</style>'
        f'<rect width="100%" height="100%" fill="#fff"/>{"".join(body)}</svg>\n'
    )


def round_step(span: float, most: int) -> float:
    """Give the smallest of 1, 2, 2.5, 5, 10, ... that covers the span in at most so many steps.

    >>> round_step(100.0, 24), round_step(7.0, 30)
    (5.0, 0.25)
    """
    rough = span / most
    power = 10.0 ** math.floor(math.log10(rough))
    return next(
        (factor * power for factor in (1.0, 2.0, 2.5, 5.0) if factor * power >= rough * (1 - 1e-9)), 10.0 * power
    )
