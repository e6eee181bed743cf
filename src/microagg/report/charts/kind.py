"""What a chart of a release is: its numbers, its drawings with their tables, and its place and words on the page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from microagg.report.chart import Chart
from microagg.report.document import LOSS, MOST_COLUMNS, Document
from microagg.report.gated import GatedFacts
from microagg.report.words import tidy

BEFORE_AFTER = ("Before", "After")
GROUP_COLOURS = 6
"""How many colours groups and series take in turn."""

Key = tuple[tuple[str, str], ...]
"""What the marks of a drawing mean: each mark with its words; either may be empty."""


def _nothing(document: Document) -> str:
    return ""


def _no_key(document: Document) -> Key:
    return ()


@dataclass(frozen=True)
class ReleaseChart:
    """A kind of chart that a report of a release holds.

    Attributes
    ----------
    name : str
        What it is asked for by: `release.plot(name)`.
    section : str
        The section of the page that it stands in: a name in `sections.SECTIONS`.
    draw : function of Document and str to tuple of Chart
        The drawings with their tables, out of the document alone. The text begins the names of their parts.
    numbers : function of GatedFacts, optional
        What is to be worked out of the facts for it. It stands in the document and its JSON twin under `numbers_key`,
        and whatever it tells of the original must have passed the gate.
    numbers_key : str
        By default the name.
    intro, note : function of Document to str
        Words above and below the drawings.
    absent : function of Document to str
        Words that stand in its place where there is nothing to draw.
    key : function of Document to Key
        What the marks mean.
    classes : str
        How the drawings are laid out: classes of the style sheet.
    headings : bool
        Whether each drawing has its heading above it.
    labels : tuple of str
        What the folded tables of the drawings are called, in turn.
    table_beside : bool
        Whether the tables stand open beside the drawings instead.
    below_table : bool
        Whether it comes after the table of its section.
    """

    name: str
    section: str
    draw: Callable[[Document, str], tuple[Chart, ...]]
    numbers: Callable[[GatedFacts], Any] | None = None
    numbers_key: str = ""
    intro: Callable[[Document], str] = _nothing
    absent: Callable[[Document], str] = _nothing
    key: Callable[[Document], Key] = _no_key
    note: Callable[[Document], str] = _nothing
    classes: str = "wide"
    headings: bool = True
    labels: tuple[str, ...] = ()
    table_beside: bool = False
    below_table: bool = False


def drawn_columns(document: Document, rest: str) -> str:
    """Say how many columns are drawn, where not all are, and what holds the rest."""
    n_columns = len(document.columns)
    if n_columns <= MOST_COLUMNS:
        return ""
    if not any(LOSS in column.losses for column in document.columns):
        return f"The first {MOST_COLUMNS} of {tidy(n_columns)} columns are drawn; {rest}."
    return f"Of {tidy(n_columns)} columns the {MOST_COLUMNS} that lost most are drawn; {rest}."
