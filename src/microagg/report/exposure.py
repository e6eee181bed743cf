"""How exposed data are before any release, as a document, a page and JSON."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from microagg.base.schema import Role
from microagg.base.types import IntArray
from microagg.gate import Gate, Withheld
from microagg.measures import Result
from microagg.report.cautions import beyond
from microagg.report.charts.sizes import Bar, chart_sizes, group_sizes
from microagg.report.document import SCHEMA, SCHEMA_VERSION, WITHHELD, Judged
from microagg.report.facts import Caution, Source
from microagg.report.meanings import meaning, one_in
from microagg.report.page import MOST_ROWS, measure_row, sort_roles
from microagg.report.templates import fill
from microagg.report.words import legible, percent, tidy

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
    headline: Mapping[str, float | int | None]
    details: bool
    tells_original: bool
    withheld: tuple[Withheld, ...]
    sources: Mapping[str, Source]
    roles: Mapping[str, str]
    sizes: tuple[Bar, ...]
    violations: Mapping[int, int | None]
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
    details: bool = False,
) -> ExposureDocument:
    """Work out everything that is to be told of data before a release.

    >>> document = build_exposure(title="people", version="", classes=np.arange(60) // 2, k=3, risks=(),
    ...                        violations={3: 60}, roles={"age": "quasi"}, sources={})
    >>> document.headline["uniques"], document.headline["violations"]
    (0, 60)
    """
    counts, n_records = np.bincount(classes), len(classes)
    gate = Gate(n_records, k, details)
    bars, told_violations = told_sizes(classes, violations, gate)
    passed = told_risks(risks, roles, told_violations, gate)
    rows = tuple(
        Judged(row, meaning(row, n_records=n_records), beyond(replace(row, value=row.before))) for row in passed
    )
    headline = {
        "records": n_records,
        "classes": gate.count(len(counts), of=n_records),
        "k": int(counts.min()) if gate.tells_original else None,
        "uniques": told_violations[2] if 2 in violations else gate.count(int((counts == 1).sum()), of=n_records),
        "violations": told_violations.get(k),
        "average_risk": gate.figure(100.0 * len(counts) / n_records),
    }
    told = [
        gate.words(int((counts == 1).sum())),
        "some" if headline["violations"] is None else f"{headline['violations']:,}",
    ]
    return ExposureDocument(
        title=legible(title),
        microagg=version,
        summary=_paragraphs(
            headline, k, sum(role == Role.QUASI for role in roles.values()), told, violations.get(k, 0) == 0
        ),
        warnings=(),
        headline={**headline, "k_asked": k},
        details=details,
        tells_original=gate.tells_original,
        withheld=gate.withheld,
        sources={what: Source(source.name) for what, source in sources.items()},
        roles=roles,
        sizes=bars,
        violations=told_violations,
        risks=rows,
    )


def told_risks(
    risks: Sequence[Result], columns: Collection[str], violations: Mapping[int, int | None], gate: Gate
) -> tuple[Result, ...]:
    """Pass measures of data alone: of the original, and no count that `violations` withholds.

    The data are what there is before a release: a report of it would show the same values in that column.
    """
    rows = gate.results([replace(row, before=row.value, value=None, records=None) for row in risks], columns)
    counts = {"uniques": violations.get(2), "violations": violations.get(gate.k)}
    return tuple(replace(row, before=counts[row.name]) if row.name in counts else row for row in rows)


def told_sizes(
    classes: IntArray, violations: Mapping[int, int], gate: Gate
) -> tuple[tuple[Bar, ...], dict[int, int | None]]:
    """Give the sizes of the groups and the records below some of them, such that nothing told differs by a few.

    >>> bars, below = told_sizes(np.array([*range(10), 10, 10, *[11] * 60]), {2: 10, 10: 12}, Gate(72, 5))
    >>> [(bar.label, bar.records) for bar in bars if bar.records], below
    ([('1', 10), ('2–60', 62)], {2: 10, 10: None})
    """
    if not gate.tells_original:
        return (), dict.fromkeys(violations)
    bars = list(group_sizes(classes, uniques=True))
    sizes = np.bincount(classes)[classes]
    cuts = gate.cuts(sizes, [*(bar.low for bar in bars), *violations])
    joined = bars[:1]
    for bar in bars[1:]:
        if bar.low in cuts:
            joined.append(bar)
        else:
            last = joined.pop()
            joined.append(Bar(last.low, bar.high, last.groups + bar.groups, last.records + bar.records))
    return tuple(joined), {bound: count if bound in cuts else None for bound, count in violations.items()}


def render_exposure(document: ExposureDocument) -> str:
    """Make the page."""
    return fill("exposure.html", exposure_content(document))


def exposure_content(document: ExposureDocument) -> dict[str, Any]:
    """Work out what a page shows of a document, in words and drawings."""
    headline = document.headline
    cards = {
        "Records": headline["records"],
        "Different combinations": headline["classes"],
        "Smallest group (k)": headline["k"],
        "Unique records": headline["uniques"],
        f"In groups below {headline['k_asked']:,}": headline["violations"],
    }
    risk = headline["average_risk"]
    return {
        "document": document,
        "cards": [
            *((label, tidy(value)) for label, value in cards.items() if value is not None),
            *([] if risk is None else [("Average risk", percent(float(risk)))]),
        ],
        "sizes": chart_sizes(document.sizes, "sizes"),
        "risks": [measure_row(row) for row in document.risks],
        "violations": [
            (tidy(bound), "withheld" if count is None else tidy(count)) for bound, count in document.violations.items()
        ],
        "roles": sort_roles(document.roles, {}, _ROLES),
        "most_rows": MOST_ROWS,
        "withheld": WITHHELD,
    }


def _paragraphs(
    headline: Mapping[str, float | int | None], k: int, n_columns: int, told: Sequence[str], is_safe: bool
) -> dict[str, str]:
    n_records, (uniques, violations) = int(headline["records"] or 0), told
    columns = "one column" if n_columns == 1 else f"{n_columns:,} columns"
    looked = (
        f"{n_records:,} records were compared on {columns} that could point to a person. Records that agree in all of "
        "them form a group: nobody can tell its members apart by these columns."
    )
    if headline["k"] is None:
        exposed = WITHHELD
    elif headline["uniques"] != 0:
        exposed = (
            f"{uniques.capitalize()} record{' is' if uniques == '1' else 's are'} alone with "
            f"{'its' if uniques == '1' else 'their'} values{_share(headline['uniques'], n_records)}: whoever knows "
            "these values of a person finds that one record."
        )
    else:
        exposed = (
            f"Every record has at least {int(headline['k']) - 1:,} look-alikes, so that nobody is found with a chance "
            f"above {one_in(100 / int(headline['k']))}."
        )
    if not is_safe:
        advice = (
            f"{violations.capitalize()} records{_share(headline['violations'], n_records)} are in groups of fewer than "
            f"{k:,}. As it is, this table is not {k:,}-anonymous and should not be published; microagg anonymize makes "
            "it so."
        )
    else:
        advice = f"Every group has at least {k:,} records: on these columns the table is {k:,}-anonymous already."
    return {"What was looked at": looked, "How exposed it is": exposed, "What follows": advice}


def _share(count: float | int | None, n_records: int) -> str:
    return "" if count is None else f" ({percent(100 * count / n_records)})"
