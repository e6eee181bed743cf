"""The key figures of a release on a small card, as notebooks show it."""

from __future__ import annotations

from collections.abc import Mapping

from microagg.report.templates import fill, read_part
from microagg.report.words import shown


def render_card(title: str, figures: Mapping[str, str], notes: tuple[str, ...] = ()) -> str:
    """Make a card: a heading, figures with their labels, and what to note.

    >>> "5 of &lt;b&gt;" in render_card("5 of <b>", {"k": "5"})
    True
    """
    return fill(
        "card.html", {"title": shown(title), "figures": figures, "notes": notes, "style": read_part("card.css")}
    )
