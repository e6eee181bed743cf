"""Two releases side by side, as notebooks show them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from microagg.report.templates import fill, read_part
from microagg.report.words import measure, tidy
from microagg.risk import RISKS

MOST_ROWS = 12
"""How many columns are listed before the rest is folded."""


def render_difference(told: Mapping[str, Any]) -> str:
    """Make a card of a difference: key figures, the columns that differ most, and the risks of both together.

    Parameters
    ----------
    told : mapping
        `Difference.published`.
    """
    linked = told["linked"]
    figures = {
        "first": f"{told['records'][0]:,} records",
        "second": f"{told['records'][1]:,} records",
        "in both": f"{linked:,}",
        f"together {told['k']}-anonymous": "unknown" if not linked else "yes" if told["safe"] else "NO",
    }
    if linked and told["below"]:
        figures[f"among fewer than {told['k']}"] = f"{told['below']:,} records"
    columns = [
        (change["name"], tidy(change["records"]), "" if change["mean_change"] is None else tidy(change["mean_change"]))
        for change in sorted(told["columns"], key=lambda change: -change["records"])
    ]
    risks = [
        (entry.title, *(measure(side[name], entry.unit) if name in side else "–" for side in told["risks"]))
        for name, entry in RISKS.items()
    ]
    only = [
        (position, names) for position, names in zip(("first", "second"), told["missing"], strict=True) if len(names)
    ]
    return fill(
        "difference.html",
        {
            "title": "Two releases of the same data",
            "names": told["names"],
            "figures": figures,
            "notes": told["warnings"],
            "columns": columns[:MOST_ROWS] if linked else [],
            "more": columns[MOST_ROWS:] if linked else [],
            "risks": risks,
            "only": only,
            "style": read_part("card.css"),
        },
    )
