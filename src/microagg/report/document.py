"""The report as data: every number that the page shows, and that its JSON twin holds.

The page and the plots are drawn from this document alone, so that neither can show what the twin lacks.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from microagg.gate import Withheld
from microagg.measures import Result
from microagg.report.facts import Caution, Source

if TYPE_CHECKING:
    from microagg.report.certificate import Certificate
    from microagg.report.charts.categories import CategoryCount
    from microagg.report.charts.histogram import Histogram

SCHEMA = "microagg-report"
SCHEMA_VERSION = 2
"""Grows when a key of the JSON changes its meaning or goes; new keys may come without."""
MOST_COLUMNS = 24
"""How many columns are drawn; the table holds many more."""
LOSS = "information_loss"
"""By what columns are chosen that are drawn."""
WITHHELD = "Not told: beside this release, figures of the original data would give values away."
"""What stands in the place of figures and drawings of the original."""


def drawn_names(names: Collection[str], losses: Mapping[str, float]) -> list[str]:
    """Choose the columns that are drawn: all, or those that lost most, in their order.

    >>> drawn_names("abc", {"b": 1.0})
    ['a', 'b', 'c']
    """
    worst = sorted(names, key=lambda name: -losses.get(name, 0.0))[:MOST_COLUMNS]
    chosen = set(worst)
    return [name for name in names if name in chosen]


@dataclass(frozen=True)
class Judged:
    """A measure with what it means in plain words, and the limit that it is beyond, if any."""

    measure: Result
    meaning: str
    beyond: str | None

    def plain(self) -> dict[str, object]:
        """One flat object, without the values of single records."""
        about = {name: value for name, value in vars(self.measure).items() if name not in ("value", "records")}
        return {**about, "after": self.measure.value, "meaning": self.meaning, "beyond": self.beyond}


@dataclass(frozen=True)
class Moment:
    """Mean and standard deviation (ddof=1) of a column of numbers, before and after; None where it is not told."""

    mean_before: float | None
    mean_after: float
    deviation_before: float | None
    deviation_after: float


@dataclass(frozen=True)
class Column:
    """A quasi-identifier: what became of it.

    `is_date` says that its numbers are days since 1970. `moments` is None for categories; `histogram` and `categories`
    are None for the other kind, and for columns beyond those that are drawn. `missing_before` and `missing_after` count
    the records that lack a value; None where that is not told.
    """

    name: str
    kind: str
    is_date: bool
    moments: Moment | None
    losses: Mapping[str, float]
    histogram: Histogram | None
    categories: tuple[CategoryCount, ...] | None
    missing_before: int | None = 0
    missing_after: int = 0


@dataclass(frozen=True)
class Document:
    """A release in numbers and words. The names of the fields are the keys of the JSON.

    `numbers` holds what the charts work out of the facts, by name; in the JSON they stand beside the other fields.
    """

    title: str
    microagg: str
    summary: Mapping[str, str]
    warnings: tuple[Caution, ...]
    headline: Mapping[str, float | int | str | None]
    per_column: bool
    details: bool
    least: int
    tells_original: bool
    withheld: tuple[Withheld, ...]
    settings: Mapping[str, str]
    sources: Mapping[str, Source]
    roles: Mapping[str, str]
    kinds: Mapping[str, str]
    risks: tuple[Judged, ...]
    losses: tuple[Judged, ...]
    columns: tuple[Column, ...]
    reproduce: Mapping[str, str]
    untouched: Mapping[str, float]
    untouched_together: float
    certificate: Certificate | None
    numbers: Mapping[str, Any]

    def plain(self) -> dict[str, object]:
        """The JSON twin: the schema, then every field and the numbers of the charts."""
        head = {"schema": SCHEMA, "schema_version": SCHEMA_VERSION, "kind": "release"}
        fields = {name: value for name, value in vars(self).items() if name != "numbers"}
        return {**head, **fields, **self.numbers}

    def drawn(self, names: Collection[str]) -> list[str]:
        """Choose from columns those that are drawn: all, or those that lost most, in their order."""
        return drawn_names(names, {c.name: c.losses[LOSS] for c in self.columns if LOSS in c.losses})

    def unit(self, name: str) -> str:
        """Give the unit of a measure by its name."""
        units = {row.measure.name: row.measure.unit for row in (*self.risks, *self.losses)}
        return units.get(name, "percent" if name in ("information_loss", "lower_bound") else "")

    def title_of(self, name: str) -> tuple[str, str]:
        """Give the title and the explanation of a measure by its name."""
        for row in (*self.losses, *self.risks):
            if row.measure.name == name:
                return row.measure.title, row.measure.summary
        return name.replace("_", " ").capitalize(), ""
