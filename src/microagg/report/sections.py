"""SECTIONS: the parts of the page that hold charts, in its order; a chart says which of them it stands in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from microagg.report.document import WITHHELD, Document, Judged
from microagg.report.words import measure

ATTACKS = (
    "record_linkage",
    "probabilistic_linkage",
    "inference_linear",
    "inference_nearest",
    "inference_trees",
    "rank_interval",
    "deviation_interval",
)
"""Measures that play an attack through; they have a section of their own."""


@dataclass(frozen=True)
class Section:
    """A part of the page.

    Attributes
    ----------
    name : str
        Where links lead to.
    label : str
        What it is called in the list of sections.
    heading, intro : function of Document to str
        Its heading, and words below it.
    measures : function of Document to tuple of Judged
        The measures of its table.
    lists_columns : bool
        Whether its table is that of the columns.
    needs_measures : bool
        Whether it is left out where there are no measures to list.
    needs_original : bool
        Whether there is nothing to say where nothing may be told of the original.
    """

    name: str
    label: str
    heading: Callable[[Document], str]
    intro: Callable[[Document], str] = lambda _: ""
    measures: Callable[[Document], tuple[Judged, ...]] = lambda _: ()
    lists_columns: bool = False
    needs_measures: bool = False
    needs_original: bool = False


def _risks(document: Document) -> tuple[Judged, ...]:
    return tuple(row for row in document.risks if row.measure.name not in ATTACKS)


def _attacks(document: Document) -> tuple[Judged, ...]:
    return tuple(row for row in document.risks if row.measure.name in ATTACKS)


def _risks_intro(document: Document) -> str:
    compared = "as they were and as they are released" if document.tells_original else "as they are released"
    return f"No measure covers every attack. Each of these answers one question, for the data {compared}."


def _losses_intro(document: Document) -> str:
    if not document.tells_original:
        return WITHHELD
    intro = (
        "Replacing values by those of a group takes away the differences inside the group. These measures say how much."
    )
    bound = document.headline.get("lower_bound")
    if isinstance(bound, int | float) and bound:
        intro += (
            f" No partition of these records into groups of at least {document.headline['k']} can lose less than "
            f"{measure(bound, 'percent')}."
        )
    return intro


def _distributions_heading(document: Document) -> str:
    return "Distributions before and after" if document.tells_original else "Distributions"


SECTIONS = (
    Section("groups", "Groups", lambda _: "Sizes of the groups"),
    Section("risks", "Risks", lambda _: "What risk remains", _risks_intro, _risks, needs_measures=True),
    Section(
        "linkage",
        "Attacks",
        lambda _: "Attacks played through",
        lambda _: (
            "What somebody reaches who holds the original values of people and links them to the released records, or "
            "who guesses from the release what was not known before."
        ),
        _attacks,
        needs_measures=True,
    ),
    Section(
        "losses",
        "Losses",
        lambda _: "What was lost",
        _losses_intro,
        lambda document: document.losses,
        needs_original=True,
    ),
    Section("distributions", "Distributions", _distributions_heading, lists_columns=True),
    Section("map", "Map", lambda _: "Map of the records"),
    Section("correlation", "Correlation", lambda _: "Correlation before and after"),
)
