"""How exposed records are before any release: their k, their uniques, and every measure that needs one table only."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from microagg import io, risk
from microagg.assessment import Assessment, assess_original, make_case
from microagg.base.checks import check_k
from microagg.base.groups import in_order
from microagg.base.progress import Progress
from microagg.base.schema import Role
from microagg.base.table import Table
from microagg.base.types import IntArray
from microagg.errors import InvalidData, InvalidOption
from microagg.gate import Gate
from microagg.plan import Plan
from microagg.recode import recode_table
from microagg.report.release import source_of
from microagg.semantic.attribute import numeric

if TYPE_CHECKING:
    from microagg.report import Source

USUAL_KS = (2, 3, 5, 10)
"""The k whose violations are always counted."""


@dataclass(frozen=True, repr=False)
class Exposure:
    """How exposed a table is as it stands.

    Attributes
    ----------
    classes : array of n int
        Which records share all their quasi-identifiers.
    k : int
        The k that was asked about; the k that the data have as they are is `smallest_class`.
    assessment : Assessment
        Every measure that applies to data alone.
    roles : dict of str to Role
        What each column was taken for.
    sources : dict of str to Source
        The name, size and SHA-256 of the "input", where it is a file; no report tells more than its name.
    """

    classes: IntArray
    k: int
    assessment: Assessment
    roles: Mapping[str, Role]
    sources: Mapping[str, Source]

    @property
    def sizes(self) -> IntArray:
        """The number of records in each class."""
        return np.bincount(self.classes)

    @property
    def smallest_class(self) -> int:
        """The number of records in the smallest class: the table is k-anonymous for this k, and no larger one."""
        return int(self.sizes.min())

    @property
    def risks(self) -> dict[str, float]:
        """Every risk in RISKS."""
        return risk.measure(self.sizes[self.classes])

    @property
    def violations(self) -> dict[int, int]:
        """How many records share their quasi-identifiers with fewer than 2, 3, 5, 10 and the k asked about."""
        of_record = self.sizes[self.classes]
        return {bound: int((of_record < bound).sum()) for bound in sorted({*USUAL_KS, self.k})}

    def smallest(self, most: int = 10) -> list[dict[str, Any]]:
        """Give the smallest classes: their sizes, and the rows (from 1) of their first records."""
        counts = self.sizes
        chosen = np.argsort(counts, kind="stable")[:most]
        return [
            {"size": int(counts[c]), "records": (np.flatnonzero(self.classes == c)[:most] + 1).tolist()} for c in chosen
        ]

    @property
    def summary(self) -> dict[str, Any]:
        """Everything in short, exact, for the holder of the data: plain values, ready for JSON.

        "k" is that of the data as they are, `smallest_class`; "asked_k" is the k that was asked about.
        """
        counts = self.sizes
        return {
            "records": len(self.classes),
            "quasi": [name for name, role in self.roles.items() if role is Role.QUASI],
            "classes": len(counts),
            "k": self.smallest_class,
            "asked_k": self.k,
            "uniques": int((counts == 1).sum()),
            "violations": {str(bound): count for bound, count in self.violations.items()},
            "risks": self.risks,
            "measures": [_told(result) for result in self.assessment.risks],
            "homogeneous_groups": {alike.column: len(alike.groups) for alike in self.assessment.homogeneous},
            "roles": {name: str(role) for name, role in self.roles.items()},
            "sha256": {what: source.sha256 for what, source in self.sources.items()},
        }

    @property
    def gate(self) -> Gate:
        """What may be told of these data to others than their holder."""
        return Gate(len(self.classes), self.k)

    @property
    def published(self) -> dict[str, Any]:
        """What the command line prints: the summary as it passes the gate, ready for JSON.

        Counts of 1 to k - 1 records are withheld (None); of fewer than 50 records, all that was measured is.
        """
        from microagg.report.exposure import told_risks, told_sizes

        told, gate, n = self.summary, self.gate, len(self.classes)
        _, violations = told_sizes(self.classes, self.violations, gate)
        rows = told_risks(self.assessment.risks, self.roles, violations, gate)
        alike = {finding.column: (len(finding.groups), finding.records) for finding in self.assessment.homogeneous}
        return {
            "records": n,
            "quasi": told["quasi"],
            "classes": gate.count(told["classes"], of=n),
            "k": told["k"] if gate.tells_original else None,
            "asked_k": self.k,
            "uniques": violations[2],
            "violations": {str(bound): count for bound, count in violations.items()},
            "k_anonymous": self.violations[self.k] == 0,
            "risks": gate.risks_before(told["risks"]),
            "measures": [_told(replace(row, value=row.before)) for row in rows],
            "homogeneous_groups": {
                column: groups if gate.count(records) is not None else None
                for column, (groups, records) in alike.items()
            },
            "roles": told["roles"],
            "withheld": [vars(what) for what in gate.withheld],
        }

    def __repr__(self) -> str:
        told, asked = self.published, "" if self.published["k_anonymous"] else "not "
        if not self.gate.tells_original:
            return f"<Exposure of {told['records']:,} records: {asked}{self.k}-anonymous>"
        return (
            f"<Exposure of {told['records']:,} records: k = {told['k']:,}, {_or_some(told['uniques'])} "
            f"unique, average risk {told['risks']['average_risk']:.3g} %>"
        )

    def _repr_html_(self) -> str:
        from microagg.report import render_card

        told, gate = self.published, self.gate
        figures = {"records": f"{told['records']:,}", f"{self.k}-anonymous": "yes" if told["k_anonymous"] else "NO"}
        if gate.tells_original:
            figures |= {
                "k": f"{told['k']:,}",
                "unique": _or_some(told["uniques"]),
                f"fewer than {self.k} alike": _or_some(told["violations"][str(self.k)]),
                "average risk": f"{told['risks']['average_risk']:.3g} %",
            }
        return render_card("Exposure of the data as they are", figures)

    def report(self, *paths: str | os.PathLike[str], title: str | None = None, details: bool = False) -> None:
        """Write how exposed the data are: an HTML page that needs nothing else, its JSON twin, or both.

        Parameters
        ----------
        *paths : path
            Where to write it; .json holds every number of the page, anything else is the page.
        title : str, optional
            The heading of the page.
        details : bool
            Tell everything, exactly. Such a report is as confidential as the data themselves.
        """
        from microagg import __version__
        from microagg.report import build_exposure, render_exposure, to_json

        if not paths:
            raise InvalidOption("name at least one file for the report, such as 'report.html'.")
        document = build_exposure(
            title=title or "Data before a release",
            version=__version__,
            classes=self.classes,
            k=self.k,
            risks=self.assessment.risks,
            violations=self.violations,
            roles={name: str(role) for name, role in self.roles.items()},
            sources=self.sources,
            details=details,
        )
        for path in paths:
            text = to_json(document, indent=1) if Path(path).suffix.lower() == ".json" else render_exposure(document)
            with io.atomic_path(Path(path)) as temporary:
                temporary.write_text(text, encoding="utf-8")


def assess(
    data: Any,
    *,
    k: int = 3,
    quasi: Sequence[str] | None = None,
    identifiers: Sequence[str] = (),
    confidential: Sequence[str] = (),
    recode: Mapping[str, Any] | None = None,
    weights: str | None = None,
    unit: str | None = None,
    seed: int = 0,
) -> Exposure:
    """Tell how exposed the records of a frame are, before any release.

    Records that are equal on all quasi-identifiers form a class; a record in a class of 1 is unique. Columns of any
    kind may be named. Missing values count as equal to each other.

    Parameters
    ----------
    data : pandas, polars or pyarrow frame
        One record per row.
    k : int
        The k whose violations are counted, beside the usual ones.
    quasi : sequence of str, optional
        The quasi-identifiers, of any kind; every column without another role by default.
    identifiers, confidential : sequence of str
        Columns that name somebody outright, and columns that must not be learned about a person.
    recode : mapping of str to str or sequence of str, optional
        What is done with columns first, as in `anonymize`: what is told is the exposure after that.
    weights : str, optional
        A column that says how many people each record stands for.
    unit : str, optional
        A column that says which records belong to one person, household or firm: these are counted, and records of one
        that look alike count once.
    seed : int
        What samples of records follow from.

    Returns
    -------
    Exposure

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"age": [30, 30, 30, 41], "sex": list("mmmf"), "ill": ["no", "no", "yes", "yes"]})
    >>> exposure = assess(people, quasi=["age", "sex"], confidential=["ill"])
    >>> exposure
    <Exposure of 4 records: not 3-anonymous>
    >>> exposure.risks["average_risk"]
    50.0
    >>> exposure.violations[3], exposure.assessment["distinct_diversity"].value
    (1, 1.0)
    """
    plan = _plan(
        k=k,
        quasi=quasi,
        identifiers=identifiers,
        confidential=confidential,
        recode=recode,
        weights=weights,
        unit=unit,
        seed=seed,
    )
    return assess_table(io.wrap(data), plan)


def assess_file(
    source: str | os.PathLike[str],
    *,
    sheet: str | None = None,
    header_row: int | None = None,
    progress: Progress | None = None,
    **asked: Any,
) -> Exposure:
    """Tell how exposed the records of a file are, before any release.

    Parameters
    ----------
    source : path
        A CSV, Parquet, SPSS, Stata, SAS or Excel file.
    sheet, header_row
        Which sheet of a workbook is read, and which of its rows names the columns; the first by default.
    progress : callable, optional
        Told the fraction of the measures that are taken.
    **asked
        As in `assess`.

    Returns
    -------
    Exposure
    """
    plan = _plan(**asked)
    weights = [plan.weights] if plan.weights else []
    exposure = assess_table(io.read(source, numeric=weights, sheet=sheet, header_row=header_row), plan, progress)
    return replace(exposure, sources={"input": source_of(source, sheet=sheet, header_row=header_row)})


def _plan(
    *,
    k: int = 3,
    quasi: Sequence[str] | None = None,
    identifiers: Sequence[str] = (),
    confidential: Sequence[str] = (),
    recode: Mapping[str, Any] | None = None,
    weights: str | None = None,
    unit: str | None = None,
    seed: int = 0,
) -> Plan:
    return Plan(
        k=k,
        quasi=None if quasi is None else tuple(quasi),
        identifiers=tuple(identifiers),
        confidential=tuple(confidential),
        recode=recode or {},
        weights=weights,
        unit=unit,
        seed=seed,
    )


def assess_table(table: Table, plan: Plan, progress: Progress | None = None) -> Exposure:
    """Take every measure of a table as it stands."""
    if table.n_records == 0:
        raise InvalidData("the table has no records.")
    check_k(plan.k, max(2, table.n_records))
    table, _ = recode_table(table, plan.recode, plan.k)
    roles = plan.roles(table.names)
    names = tuple(name for name, role in roles.items() if role is Role.QUASI)
    codes = np.column_stack([table.codes(name) for name in names])
    classes = risk.equivalence_classes(codes)
    units = None if plan.unit is None else table.codes(plan.unit)
    if units is not None:
        # Records of a unit that look alike count once, so that classes are as large as the units in them are many.
        _, rows = np.unique(np.column_stack([classes, units]), axis=0, return_index=True)
        rows.sort()
        table, codes = table.take(rows), codes[rows]
        classes, units = risk.equivalence_classes(codes), in_order(units[rows])
    # Codes stand for values of any kind here: no measure of data alone asks how far two of them are apart.
    values = codes.astype(np.float64)
    case = make_case(
        names=names,
        attributes=(numeric(),) * len(names),
        original=values,
        released=values,
        labels=classes,
        k=plan.k,
        table=table,
        confidential=[name for name, role in roles.items() if role is Role.CONFIDENTIAL],
        weights=plan.weights,
        units=units,
        seed=plan.seed,
    )
    return Exposure(classes, plan.k, assess_original(case, progress=progress), roles, {})


def _or_some(count: int | None) -> str:
    return "some" if count is None else f"{count:,}"


def _told(result: Any) -> dict[str, Any]:
    """One measure as JSON tells it, without the values of single records."""
    told = {name: value for name, value in vars(result).items() if name not in ("records", "before")}
    return {**told, "columns": dict(result.columns or {})}
