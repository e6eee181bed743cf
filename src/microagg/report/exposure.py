"""How exposed data are before any release, as a document, a page and JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from microagg.arrays import IntArray
from microagg.case import Result
from microagg.report import charts, figures
from microagg.report.cautions import beyond
from microagg.report.chart import Chart
from microagg.report.document import SCHEMA, SCHEMA_VERSION, Judged
from microagg.report.facts import Caution, Source
from microagg.report.meanings import meaning, one_in
from microagg.report.page import MOST_ROWS, measure_row, sort_roles
from microagg.report.templates import fill
from microagg.report.words import legible, percent, tidy
from microagg.schema import Role

_ROLES = {
    Role.IDENTIFIER: ("Identifiers", "They name people outright, and must not be released."),
    Role.QUASI: ("Quasi-identifiers", "Together they could point to a person: records that agree in them are alike."),
    Role.CONFIDENTIAL: ("Confidential columns", "They must not be learned about a person."),
    Role.OTHER: ("Other columns", "They were not looked at."),
}


@dataclass(frozen=True)
class ExposureDocument:
    """Data before a release, in numbers and words. The names of the fields are the keys of the JSON."""

    title: str
    microagg: str
    summary: Mapping[str, str]
    warnings: tuple[Caution, ...]
    headline: Mapping[str, float | int]
    sources: Mapping[str, Source]
    roles: Mapping[str, str]
    sizes: tuple[figures.Bar, ...]
    violations: Mapping[int, int]
    risks: tuple[Judged, ...]

    def plain(self) -> dict[str, object]:
        """The JSON twin: the schema, then every field."""
        return {"schema": SCHEMA, "schema_version": SCHEMA_VERSION, "kind": "exposure", **vars(self)}


def build_exposure(
    *,
    title: str,
    version: str,
    classes: IntArray,
    k: int,
    risks: tuple[Result, ...],
    violations: Mapping[int, int],
    roles: Mapping[str, str],
    sources: Mapping[str, Source],
) -> ExposureDocument:
    """Work out everything that is to be told of data before a release.

    >>> found = build_exposure(title="people", version="", classes=np.array([0, 0, 1]), k=2, risks=(),
    ...                        violations={2: 1}, roles={"age": "quasi"}, sources={})
    >>> found.headline["uniques"]
    1
    """
    counts = np.bincount(classes)
    # The data are what there is before a release: a report of it would show the same values in that column.
    rows = tuple(
        Judged(
            replace(row, before=row.value, value=None, records=None), meaning(row, n_records=len(classes)), beyond(row)
        )
        for row in risks
    )
    headline = {
        "records": len(classes),
        "classes": len(counts),
        "k": int(counts.min()),
        "uniques": int((counts == 1).sum()),
        "violations": violations.get(k, 0),
        "average_risk": 100.0 * len(counts) / len(classes),
    }
    return ExposureDocument(
        title=legible(title),
        microagg=version,
        summary=_paragraphs(headline, k, sum(role == Role.QUASI for role in roles.values())),
        warnings=(),
        headline={**headline, "k_asked": k},
        sources=sources,
        roles=roles,
        sizes=figures.group_sizes(classes),
        violations=violations,
        risks=rows,
    )


def render_exposure(document: ExposureDocument) -> str:
    """Make the page."""
    bars = document.sizes
    rows = tuple((bar.label, tidy(bar.groups), tidy(bar.records)) for bar in bars if bar.groups)
    svg = charts.size_bars("sizes", bars, sum(bar.groups for bar in bars))
    headline = document.headline
    return fill(
        "exposure.html",
        {
            "document": document,
            "cards": [
                ("Records", tidy(headline["records"])),
                ("Different combinations", tidy(headline["classes"])),
                ("Smallest group (k)", tidy(headline["k"])),
                ("Unique records", tidy(headline["uniques"])),
                (f"In groups below {tidy(headline['k_asked'])}", tidy(headline["violations"])),
                ("Average risk", percent(float(headline["average_risk"]))),
            ],
            "sizes": Chart("Sizes of the groups", svg, ("Records in a group", "Groups", "Records in them"), rows),
            "risks": [measure_row(row) for row in document.risks],
            "violations": [(tidy(bound), tidy(count)) for bound, count in document.violations.items()],
            "roles": sort_roles(document.roles, {}, _ROLES),
            "most_rows": MOST_ROWS,
        },
    )


def _paragraphs(headline: Mapping[str, float | int], k: int, n_columns: int) -> dict[str, str]:
    n_records, uniques, violations = (int(headline[key]) for key in ("records", "uniques", "violations"))
    columns = "one column" if n_columns == 1 else f"{n_columns:,} columns"
    looked = (
        f"{n_records:,} records were compared on {columns} that could point to a person. Records that agree in all of "
        "them form a group: nobody can tell its members apart by these columns."
    )
    if uniques:
        exposed = (
            f"{uniques:,} record{' is' if uniques == 1 else 's are'} alone with "
            f"{'its' if uniques == 1 else 'their'} values ({percent(100 * uniques / n_records)}): whoever knows these "
            "values of a person finds that one record."
        )
    else:
        exposed = (
            f"Every record has at least {int(headline['k']) - 1:,} look-alikes, so that nobody is found with a chance "
            f"above {one_in(100 / int(headline['k']))}."
        )
    if violations:
        advice = (
            f"{violations:,} records ({percent(100 * violations / n_records)}) are in groups of fewer than {k:,}. As "
            f"it is, this table is not {k:,}-anonymous and should not be published; microagg anonymize makes it so."
        )
    else:
        advice = f"Every group has at least {k:,} records: on these columns the table is {k:,}-anonymous already."
    return {"What was looked at": looked, "How exposed it is": exposed, "What follows": advice}
