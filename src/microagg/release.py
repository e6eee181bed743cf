"""A release: what may be published, and the facts of it. Words about it are in report/."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from microagg import io
from microagg.assessment import (
    Assessment,
    Homogeneous,
    assess_release,
    homogeneous_groups,
    known_assessment,
    make_case,
)
from microagg.base.progress import Progress
from microagg.base.schema import Kind, Role, Storage
from microagg.base.table import Table
from microagg.base.types import FloatArray, IntArray
from microagg.constraints import KeptPromise
from microagg.errors import InvalidOption, NotKAnonymous
from microagg.gate import Gate
from microagg.measures import Case, Change
from microagg.plan import Plan
from microagg.prepare.missing import Gaps
from microagg.prepare.scale import Scale
from microagg.semantic.attribute import Attribute

if TYPE_CHECKING:
    from microagg.report import Plot, Source


@dataclass(frozen=True, repr=False, kw_only=True)
class AnyRelease:
    """What is known of every release, wherever it lies.

    Attributes
    ----------
    n_records : int
        How many records were released.
    groups : dict of int to int
        How many groups there are of each size.
    labels : array of int
        The group of each row of `original` and `released`; one column per quasi-identifier where each was grouped on
        its own.
    original, released : array of shape (n, q)
        The quasi-identifiers before and after: numbers, or codes of the names of `attributes`.
    losses : dict of str to float
        Every metric in METRICS.
    column_losses : dict of str to dict of str to float
        The metrics that exist for single columns: metric -> column -> value.
    risks, risks_before : dict of str to float
        Every risk in RISKS, of the release and of the original.
    plan : Plan
        What was asked for.
    roles : dict of str to Role
        What each column was taken for.
    kinds : dict of str to Kind
        What each quasi-identifier was treated as.
    attributes : tuple of Attribute
        What the quasi-identifiers mean: their kinds, and what the codes in `original` and `released` stand for.
    change : Change
        The sums of which the losses are made.
    scale : Scale
        The means and standard deviations of the original.
    suppressed : int
        How many records were left out because they resemble nobody.
    lower_bound : float or None
        The information loss, in percent, that no partition into groups of at least k can be below; None where nobody
        asked for it.
    seconds : dict of str to float
        How long each step took.
    warnings : tuple of str
        What to know before publishing.
    k_anonymous : bool
        Whether every record shares all its quasi-identifiers (and strata) with at least k records.
    sources : dict of str to Source
        The name, size and SHA-256 of the "input" and the "output", where they are files. Those of the input are for
        the holder of the data: no report tells them.
    untouched : dict of str to float
        The columns that are released as they are without anybody having said so, each with the share of records that
        have a value of their own there.
    untouched_together : float
        The share of records that have a combination of values of their own in all of these columns together.
    blanks : dict of str to int
        How many values are left blank, by column, where the method leaves some blank.
    recoded : tuple of str
        What each step of recoding did, in words that may be published.
    units : array of int, optional
        The unit of each row of `original` and `released`, where k counts units.
    promises : tuple of KeptPromise
        What was promised of confidential columns, and what the release and the original reach.
    gaps : Gaps
        What became of missing values: records left out, values imputed, released as missing, or blanked.
    dates : set of str
        The quasi-identifiers that are dates.
    """

    n_records: int
    groups: Mapping[int, int]
    labels: IntArray
    original: FloatArray
    released: FloatArray
    losses: Mapping[str, float]
    column_losses: Mapping[str, Mapping[str, float]]
    risks: Mapping[str, float]
    risks_before: Mapping[str, float]
    plan: Plan
    roles: Mapping[str, Role]
    kinds: Mapping[str, Kind]
    attributes: tuple[Attribute, ...]
    change: Change
    scale: Scale
    suppressed: int
    lower_bound: float | None
    seconds: Mapping[str, float]
    warnings: tuple[str, ...]
    k_anonymous: bool
    sources: Mapping[str, Source] = field(default_factory=dict)
    untouched: Mapping[str, float] = field(default_factory=dict)
    untouched_together: float = 0.0
    blanks: Mapping[str, int] = field(default_factory=dict)
    recoded: tuple[str, ...] = ()
    units: IntArray | None = None
    promises: tuple[KeptPromise, ...] = ()
    gaps: Gaps = field(default_factory=Gaps)
    dates: frozenset[str] = frozenset()

    def __repr__(self) -> str:
        from microagg.report.release import line

        return line(self)

    def _repr_html_(self) -> str:
        from microagg.report.release import card

        return card(self)

    @property
    def information_loss(self) -> float:
        """100 * SSE / SST on standardised data, in percent."""
        return self.losses["information_loss"]

    @property
    def names(self) -> tuple[str, ...]:
        """The quasi-identifiers, in the order of the columns of `original` and `released`."""
        return tuple(name for name, role in self.roles.items() if role is Role.QUASI)

    @property
    def categories(self) -> dict[str, tuple[str, ...]]:
        """For columns of categories, what the codes in `original` and `released` stand for."""
        named = zip(self.names, self.attributes, strict=True)
        return {name: attribute.names for name, attribute in named if attribute.kind is not Kind.NUMERIC}

    @property
    def gate(self) -> Gate:
        """What may be told of this release to others than the holder of the data."""
        return Gate(self.n_records, self.plan.k, sealed=self.plan.epsilon is not None)

    @property
    def sizes(self) -> IntArray:
        """The number of records in each group of `labels`; of the columns one after the other where each was grouped
        alone.
        """
        columns = self.labels[:, None] if self.labels.ndim == 1 else self.labels
        return np.concatenate([np.bincount(column) for column in columns.T])

    @property
    def table(self) -> Table:
        """The released table."""
        raise NotImplementedError

    @property
    def homogeneous(self) -> tuple[Homogeneous, ...]:
        """The groups whose records all have the same confidential value."""
        raise NotImplementedError

    @property
    def as_written(self) -> FloatArray:
        """The released values as they are written: days, where the means of days are finer."""
        raise NotImplementedError

    def assess(self, *, of_release_alone: bool = False, progress: Progress | None = None) -> Assessment:
        """Take every measure that applies; only what follows from the release where that is asked for."""
        raise NotImplementedError

    @property
    def data(self) -> Any:
        """The released frame, of the kind that came in."""
        return self.table.native()

    @cached_property
    def assessment(self) -> Assessment:
        """Every measure of risk and utility; worked out when it is first asked for, which may take a while."""
        return self.assess()

    @property
    def summary(self) -> dict[str, Any]:
        """Everything in short, exact, for the holder of the data: plain values, ready for JSON."""
        return {
            "method": self.plan.method,
            "refine": self.plan.refine,
            "k": self.plan.k,
            "records": self.n_records,
            "suppressed": self.suppressed,
            "missing": {
                "dropped": self.gaps.dropped,
                "imputed": dict(self.gaps.imputed),
                "missing": dict(self.gaps.missing),
                "blanked": dict(self.gaps.blanked),
            },
            "lower_bound": self.lower_bound,
            "groups": sum(self.groups.values()),
            "smallest": min(self.groups),
            "largest": max(self.groups),
            "k_anonymous": self.k_anonymous,
            "information_loss": self.information_loss,
            "seconds": sum(self.seconds.values()),
            "seconds_by_step": dict(self.seconds),
            "losses": dict(self.losses),
            "column_losses": {metric: dict(values) for metric, values in self.column_losses.items()},
            "risks": dict(self.risks),
            "risks_before": dict(self.risks_before),
            "roles": {name: str(role) for name, role in self.roles.items()},
            "kinds": {name: str(kind) for name, kind in self.kinds.items()},
            "untouched": dict(self.untouched),
            "untouched_together": self.untouched_together,
            "blanks": dict(self.blanks),
            "recoded": list(self.recoded),
            "promises": [vars(promise) for promise in self.promises],
            "warnings": list(self.warnings),
            "sha256": {what: source.sha256 for what, source in self.sources.items()},
        }

    @property
    def published(self) -> dict[str, Any]:
        """What the command line prints, and a survey publishes: the summary as it passes the gate, ready for JSON.

        Figures of the original are rounded, counts of fewer than k of its records and its checksum are withheld; of
        fewer than 50 records, all figures of the original are (None). `withheld` says so in words.
        """
        alike = [
            {"column": alike.column, "groups": alike.n_groups, "records": alike.records} for alike in self.homogeneous
        ]
        told = self.gate.summary({**self.summary, "homogeneous": alike})
        return {**told, "withheld": [vars(what) for what in self.gate.withheld]}

    def report(
        self,
        *paths: str | os.PathLike[str],
        title: str | None = None,
        details: bool = False,
        progress: Progress | None = None,
    ) -> None:
        """Write the report: an HTML page that needs nothing else, its JSON twin, or both.

        Parameters
        ----------
        *paths : path
            Where to write it. The name says the format: .json holds every number of the page, anything else is the
            page. Existing files are replaced once the new ones are whole.
        title : str, optional
            The heading of the page.
        details : bool
            Draw single records too, and count what fewer than k records share. Such a report is as confidential as
            the data themselves.
        progress : callable, optional
            Told the fraction done of the measures that a report shows, the slow part of it.
        """
        if not paths:
            raise InvalidOption("name at least one file for the report, such as 'report.html'.")
        with io.atomic_paths(paths) as temporaries:
            self.report_into(
                dict(zip(temporaries, paths, strict=True)), title=title, details=details, progress=progress
            )

    def report_into(
        self,
        parts: Mapping[Path, str | os.PathLike[str]],
        *,
        title: str | None,
        details: bool,
        progress: Progress | None,
    ) -> None:
        """Write the report into files that are not in their places yet; the names of the places say the formats.

        Parameters
        ----------
        parts : mapping of path to path
            File to write into -> where it will be.
        title, details, progress
            As in `report`.
        """
        from microagg.report import render, to_json
        from microagg.report.release import document_of

        if "assessment" not in vars(self) and replace(self.gate, details=details).tells_original:
            vars(self)["assessment"] = self.assess(progress=progress)  # where the cached property looks for it
        document = document_of(self, title, details)
        for temporary, path in parts.items():
            text = to_json(document, indent=1) if Path(path).suffix.lower() == ".json" else render(document)
            temporary.write_text(text, encoding="utf-8")

    def plot(self, what: str | None = None, *, details: bool = False) -> Plot:
        """Draw the release, for notebooks and files.

        Parameters
        ----------
        what : str, optional
            "sizes", "share", "risk", "losses", "distributions", "map", "correlation", or "records" (with details
            only); an overview by default.
        details : bool
            As in `report`.

        Returns
        -------
        Plot
            Notebooks show it by itself; `save("plot.svg")` writes it.
        """
        from microagg.report import draw
        from microagg.report.release import document_of

        if what == "records" and not details:
            raise InvalidOption("the plot 'records' draws single records: say that you want it with details=True.")
        return draw(document_of(self, None, details), what)


@dataclass(frozen=True, repr=False, kw_only=True)
class Release(AnyRelease):
    """A table that may be published, and what it cost and bought.

    Attributes
    ----------
    data : frame
        The same kind of frame that came in: quasi-identifiers replaced, identifiers gone.
    table : Table
        The same as the rest of the house sees it (`stored`).
    labels : array of int
        The group of each released row; one column per quasi-identifier where each was grouped on its own.
    losses, column_losses, risks, plan, roles, kinds, suppressed, lower_bound, seconds, warnings, k_anonymous
        As in `AnyRelease`.
    """

    stored: Table

    @property
    def table(self) -> Table:
        """The released table."""
        return self.stored

    @cached_property
    def homogeneous(self) -> tuple[Homogeneous, ...]:
        """The groups whose records all have the same confidential value; worked out when it is first asked for.

        Of a release made column by column they are unknown.
        """
        known = vars(self).get("assessment")
        return homogeneous_groups(self.case) if known is None else known.homogeneous

    @property
    def as_written(self) -> FloatArray:
        """The released values as they are written: days, where the means of days are finer."""
        dates = self.dates
        if not dates:
            return self.released
        written = self.released.copy()
        for j, name in enumerate(self.names):
            if name in dates and self.table.storage(name) is Storage.DATE:
                written[:, j] = self.table.dates(name)
        return written

    def assess(self, *, of_release_alone: bool = False, progress: Progress | None = None) -> Assessment:
        """Take every measure that applies; with the release in the place of the original, if that is asked for."""
        if of_release_alone:
            return assess_release(replace(self.case, original=self.released, released=self.released))
        try:
            return assess_release(self.case, progress=progress)
        finally:
            self.case.forget()

    @cached_property
    def case(self) -> Case:
        """The release as measures see it."""
        return make_case(
            names=self.names,
            attributes=self.attributes,
            original=self.original,
            released=self.released,
            labels=self.labels,
            k=self.plan.k,
            table=self.table,
            confidential=[name for name, role in self.roles.items() if role is Role.CONFIDENTIAL],
            by=self.plan.by,
            weights=self.plan.weights,
            units=self.units,
            seed=self.plan.seed,
            change=self.change,
        )

    def write(
        self, path: str | os.PathLike[str], *, accept_not_k_anonymous: bool = False, escape_formulas: bool = False
    ) -> None:
        """Write the released table to a file whose name says the format; refused where it is not k-anonymous.

        Parameters
        ----------
        path : path
            Where to write it; an existing file is replaced once the new one is whole.
        accept_not_k_anonymous : bool
            Write the result of a method that protects each column alone all the same.
        escape_formulas : bool
            Put an apostrophe before text that spreadsheet programs take for formulas in text files.
        """
        self.check_writable(path, accept_not_k_anonymous=accept_not_k_anonymous)
        io.write(self.table, Path(path), escape_formulas=escape_formulas)

    def check_writable(self, path: str | os.PathLike[str], *, accept_not_k_anonymous: bool = False) -> None:
        """Refuse to write the released table to a file where it is not k-anonymous, or such a file cannot hold it."""
        if not self.k_anonymous and not accept_not_k_anonymous:
            raise NotKAnonymous(
                f"method {self.plan.method!r} protects each column alone: the release has records that share their "
                f"quasi-identifiers with fewer than {self.plan.k} others, so it is not written. Choose another method, "
                "or say that you accept this (accept_not_k_anonymous=True, --accept-not-k-anonymous)."
            )
        io.check_writable(self.table, path)


@dataclass(frozen=True, repr=False, kw_only=True)
class FileRelease(AnyRelease):
    """A release that was made cell by cell and lies only in the file that was written.

    `labels`, `original` and `released` are those of a sample of whole groups; all other facts are those of all records.

    Attributes
    ----------
    alike : dict of str to pair of int
        The confidential columns in which groups have one value: how many groups, and records in them.
    memory : int
        The bytes that the work was allowed: the cells depend on it.
    """

    alike: Mapping[str, tuple[int, int]]
    memory: int

    @property
    def table(self) -> Table:
        """Not in memory."""
        raise InvalidOption("this release was made cell by cell and is not in memory: read the file that was written.")

    @property
    def homogeneous(self) -> tuple[Homogeneous, ...]:
        """The groups whose records all have the same confidential value: counted only."""
        return tuple(Homogeneous(column, (), *counts) for column, counts in self.alike.items())

    @property
    def as_written(self) -> FloatArray:
        """The released values."""
        return self.released

    def assess(self, *, of_release_alone: bool = False, progress: Progress | None = None) -> Assessment:
        """Give the measures that every release carries."""
        if of_release_alone:
            return known_assessment(self.risks, {}, {})
        return known_assessment(self.risks, self.risks_before, self.losses)
