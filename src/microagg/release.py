"""A release: the table that may be published, with all that is to be said about it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from microagg import io, risk, utility
from microagg.assessment import (
    Assessment,
    Homogeneous,
    assess_release,
    homogeneous_groups,
    known_assessment,
    make_case,
)
from microagg.base.groups import in_order
from microagg.base.progress import Progress
from microagg.base.schema import Kind, Role, Storage
from microagg.base.table import Table
from microagg.base.types import FloatArray, IntArray
from microagg.errors import InvalidOption, NotKAnonymous
from microagg.gate import Gate
from microagg.measures import Case
from microagg.partition import METHODS
from microagg.plan import Plan, call_of, command_of, settings_of
from microagg.prepare.scale import Scale
from microagg.semantic.attribute import Attribute

if TYPE_CHECKING:
    from microagg.report import Caution, Document, Facts, Plot, Source, WholeFacts

SECONDS_PER_DAY = 86_400.0


@dataclass(frozen=True)
class Whole:
    """What is known of all records of a release that was made cell by cell.

    Attributes
    ----------
    n_records : int
        How many there are.
    sizes : dict of int to int
        How many groups there are of each size.
    summary : Summary
        The sums of which the losses are made, standardised by `scale`.
    scale : Scale
        The means and standard deviations of the original.
    risks_before : dict of str to float
        Every risk in RISKS, of the original.
    dates : set of str
        The quasi-identifiers that are dates.
    memory : int
        The bytes that the work was allowed: the cells depend on it.
    homogeneous : dict of str to pair of int
        The confidential columns in which groups have one value: how many groups, and records in them.
    """

    n_records: int
    sizes: Mapping[int, int]
    summary: utility.Summary
    scale: Scale
    risks_before: dict[str, float]
    dates: frozenset[str]
    memory: int
    homogeneous: Mapping[str, tuple[int, int]] = field(default_factory=dict)


@dataclass(frozen=True, repr=False)
class Release:
    """A table that may be published, and what it cost and bought.

    Attributes
    ----------
    data : frame
        The same kind of frame that came in: quasi-identifiers replaced, identifiers gone.
    labels : array of int
        The group of each released row; one column per quasi-identifier where each was grouped on its own.
    losses : dict of str to float
        Every metric in METRICS.
    column_losses : dict of str to dict of str to float
        The metrics that exist for single columns: metric -> column -> value.
    risks : dict of str to float
        Every risk in RISKS, of the release.
    plan : Plan
        What was asked for.
    roles : dict of str to Role
        What each column was taken for.
    kinds : dict of str to Kind
        What each quasi-identifier was treated as.
    attributes : tuple of Attribute
        What the quasi-identifiers mean: their kinds, and what the codes in `original` and `released` stand for.
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
    whole : Whole or None
        Where the release was made cell by cell: what is known of all records. `labels`, `original` and `released` then
        are those of a sample of whole groups, and the release itself lies only in the file that was written.
    """

    stored: Table | None
    labels: IntArray
    losses: Mapping[str, float]
    column_losses: Mapping[str, Mapping[str, float]]
    risks: Mapping[str, float]
    plan: Plan
    roles: Mapping[str, Role]
    kinds: Mapping[str, Kind]
    suppressed: int
    lower_bound: float | None
    seconds: Mapping[str, float]
    warnings: tuple[str, ...]
    k_anonymous: bool
    attributes: tuple[Attribute, ...]
    original: FloatArray
    released: FloatArray
    sources: Mapping[str, Source] = field(default_factory=dict)
    whole: Whole | None = None
    untouched: Mapping[str, float] = field(default_factory=dict)

    def __repr__(self) -> str:
        told = self.summary
        kept = "" if self.k_anonymous else ", NOT k-anonymous"
        loss = self.gate.figure(self.information_loss)
        cost = "" if loss is None else f": information loss {loss:.3g} %"
        return (
            f"<Release of {told['records']:,} records in {told['groups']:,} groups of {_span(told)} "
            f"(k = {self.plan.k}, {self.plan.method}{kept}){cost}>"
        )

    def _repr_html_(self) -> str:
        from microagg.report import render_card

        told, words, loss = self.summary, METHODS[self.plan.method].title, self.gate.figure(self.information_loss)
        figures = {
            "records": f"{told['records']:,}",
            "groups": f"{told['groups']:,}",
            "records in a group": _span(told),
            **({} if loss is None else {"information loss": f"{loss:.3g} %"}),
            "highest risk": f"{self.risks['highest_risk']:.3g} %",
            "k-anonymous": "yes" if self.k_anonymous else "NO",
        }
        return render_card(f"Release with k = {self.plan.k}: {words}", figures, self.warnings)

    @property
    def data(self) -> Any:
        """The released frame, of the kind that came in."""
        return self.table.native()

    @property
    def table(self) -> Table:
        """The released table."""
        if self.stored is None:
            raise InvalidOption(
                "this release was made cell by cell and is not in memory: read the file that was written."
            )
        return self.stored

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

    @cached_property
    def risks_before(self) -> dict[str, float]:
        """Every risk in RISKS, of the original; worked out when it is first asked for."""
        if self.whole is not None:
            return self.whole.risks_before
        keys = risk.keys_of(self.original)
        if self.plan.by:
            keys = np.column_stack([keys, *(self.table.codes(name) for name in self.plan.by)])
        return risk.measure(risk.class_sizes(keys))

    @cached_property
    def homogeneous(self) -> tuple[Homogeneous, ...]:
        """The groups whose records all have the same confidential value; worked out when it is first asked for.

        Of a release that was made cell by cell they are counted only, and of one made column by column unknown.
        """
        if self.whole is None:
            return homogeneous_groups(self.case)
        return tuple(Homogeneous(column, (), *counts) for column, counts in self.whole.homogeneous.items())

    @property
    def gate(self) -> Gate:
        """What may be told of this release to others than the holder of the data."""
        return Gate(len(self.labels) if self.whole is None else self.whole.n_records, self.plan.k)

    @cached_property
    def assessment(self) -> Assessment:
        """Every measure of risk and utility; worked out when it is first asked for, which may take a while.

        Of a release that was made cell by cell, those that every release carries.
        """
        return self._assess()

    def _assess(self, progress: Progress | None = None) -> Assessment:
        if self.whole is not None:
            return known_assessment(self.risks, self.risks_before, self.losses)
        return assess_release(self.case, progress=progress)

    @property
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
            seed=self.plan.seed,
        )

    @property
    def sizes(self) -> IntArray:
        """The number of records in each group; of the columns one after the other where each was grouped alone.

        Where the release was made cell by cell, of the groups of the sample.
        """
        columns = self.labels[:, None] if self.labels.ndim == 1 else self.labels
        return np.concatenate([np.bincount(column) for column in columns.T])

    @property
    def summary(self) -> dict[str, Any]:
        """Everything in short, exact, for the holder of the data: plain values, ready for JSON."""
        sizes = self.sizes if self.whole is None else np.array(list(self.whole.sizes))
        return {
            "method": self.plan.method,
            "refine": self.plan.refine,
            "k": self.plan.k,
            "records": len(self.labels) if self.whole is None else self.whole.n_records,
            "suppressed": self.suppressed,
            "lower_bound": self.lower_bound,
            "groups": len(sizes) if self.whole is None else sum(self.whole.sizes.values()),
            "smallest": int(sizes.min()),
            "largest": int(sizes.max()),
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
            {"column": found.column, "groups": found.n_groups, "records": found.records} for found in self.homogeneous
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

        if "assessment" not in vars(self) and replace(self.gate, details=details).tells_original:
            vars(self)["assessment"] = self._assess(progress)  # where the cached property looks for it
        document = self._document(title, details)
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

        if what == "records" and not details:
            raise InvalidOption("the plot 'records' draws single records: say that you want it with details=True.")
        return draw(self._document(None, details), what)

    def _document(self, title: str | None, details: bool) -> Document:
        from microagg.report import build

        return build(_facts(self, title, details))

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


def _span(told: Mapping[str, Any]) -> str:
    smallest, largest = told["smallest"], told["largest"]
    return f"{smallest:,}" if smallest == largest else f"{smallest:,} to {largest:,}"


def _facts(release: Release, title: str | None, details: bool) -> Facts:
    """Everything that the report shows, as plain values."""
    from microagg import __version__
    from microagg.report import Facts

    plan = release.plan
    told = plan if details else _tellable(release)
    found, original = _measured(release, details)
    dates = _dates(release)
    unit = np.array([SECONDS_PER_DAY if name in dates else 1.0 for name in release.names])
    return Facts(
        title=title or f"Release with k = {plan.k}",
        settings={**settings_of(plan), "Version": f"microagg {__version__}"},
        headline={
            key: value
            for key, value in release.summary.items()
            if isinstance(value, str | int | float) and (key != "suppressed" or value)
        },
        names=release.names,
        original=original / unit if dates else original,
        released=_as_released(release, dates) / unit if dates else release.released,
        labels=release.labels if release.labels.ndim == 2 else in_order(release.labels),
        losses=found.losses,
        column_losses=release.column_losses,
        risks=found.risks,
        roles={name: str(role) for name, role in release.roles.items()},
        kinds={name: str(kind) for name, kind in release.kinds.items()},
        warnings=_cautions(release),
        reproduce={
            "Command line": _command(release, told),
            "Python": call_of(told, None if release.whole is None else release.whole.memory),
        },
        sources=release.sources or _sources_in_memory(release),
        categories=release.categories,
        dates=dates,
        version=__version__,
        details=details,
        whole=None if release.whole is None else _whole(release.whole, unit),
    )


def _measured(release: Release, details: bool) -> tuple[Assessment, FloatArray]:
    """The measures, and the values before; of few records those of the release beside itself, which are public."""
    if replace(release.gate, details=details).tells_original:
        return release.assessment, release.original
    if release.whole is not None:
        return known_assessment(release.risks, {}, {}), release.released
    return assess_release(replace(release.case, original=release.released)), release.released


def _as_released(release: Release, dates: frozenset[str]) -> FloatArray:
    """The released values as they are written: days, where the means of days are finer."""
    if release.whole is not None:
        return release.released
    written = release.released.copy()
    for j, name in enumerate(release.names):
        if name in dates:
            written[:, j] = release.table.dates(name)
    return written


def _dates(release: Release) -> frozenset[str]:
    if release.whole is not None:
        return release.whole.dates
    return frozenset(
        name
        for name, attribute in zip(release.names, release.attributes, strict=True)
        if attribute.kind is Kind.NUMERIC and release.table.storage(name) is Storage.DATE
    )


def _whole(whole: Whole, unit: FloatArray) -> WholeFacts:
    """What the report says of all records, in the units of the report."""
    from microagg.report import Moments, WholeFacts

    scale, summary = whole.scale, whole.summary
    sides = [
        Moments(
            (scale.mean + summary.means[s] * scale.deviation) / unit,
            np.sqrt(np.where(constant, 0.0, np.diag(summary.covariance(s)))) * scale.deviation / unit,
            np.where(np.logical_or.outer(constant, constant), np.nan, summary.correlation(s).clip(-1, 1)),
        )
        for s, constant in enumerate(summary.constant)
    ]
    return WholeFacts(whole.sizes, *sides)


def _cautions(release: Release) -> tuple[Caution, ...]:
    """What the flow noted, and the groups that give a confidential value away."""
    from microagg.report import Caution, name_groups
    from microagg.report.words import shown

    found = [Caution("note", text) for text in release.warnings]
    for alike in release.homogeneous:
        groups = _as_seen(release.labels, alike.groups)
        named = f": {name_groups(groups)}" if groups else ""
        text = (
            f"In {alike.n_groups:,} group{'' if alike.n_groups == 1 else 's'} ({alike.records:,} records) everybody "
            f"has the same {shown(alike.column)}{named}. Who finds a person's group knows it of that person."
        )
        found.append(Caution("homogeneous_groups", text, alike.column, groups))
    return tuple(found)


def _as_seen(labels: IntArray, groups: Sequence[int]) -> tuple[int, ...]:
    """Number groups by the first of their released rows: numbers from before would tell of the original order."""
    seen = dict(zip(labels.tolist(), in_order(labels).tolist(), strict=True))
    return tuple(sorted(seen[group] for group in groups))


def source_of(path: str | os.PathLike[str], name: str | None = None) -> Source:
    """Give the name, size and SHA-256 of a file; another name where it will have that later."""
    from microagg.report import Source

    return Source(name or Path(path).name, Path(path).stat().st_size, io.sha256(path))


def _sources_in_memory(release: Release) -> dict[str, Source]:
    """The released quasi-identifiers as little-endian doubles row by row, categories as their places in order.

    Of the original there is nothing: a checksum of it would tell whether a guess is right.
    """
    from microagg.report import Source

    values = _as_released(release, _dates(release)).copy()
    for j, attribute in enumerate(release.attributes):
        if attribute.kind is not Kind.NUMERIC:
            values[:, j] = np.unique(values[:, j], return_inverse=True)[1]
    content = np.ascontiguousarray(values, dtype="<f8")
    checksum = hashlib.sha256(content.data).hexdigest()
    return {"output": Source("quasi-identifiers in memory", content.nbytes, checksum)}


def _file_names(release: Release) -> tuple[str, str]:
    named = {what: source.name for what, source in release.sources.items()}
    return named.get("input", "INPUT"), named.get("output", "OUTPUT")


def _tellable(release: Release) -> Plan:
    """Give the plan as a report prints it: without an order of values of which some may not be named."""
    orders = {}
    for place, name in enumerate(release.names):
        given = release.plan.kinds.get(name)
        if given is None or release.kinds[name] is not Kind.ORDINAL or given == Kind.ORDINAL.value:
            continue
        sides = (release.original, release.released)
        n_values = len(release.attributes[place].names)
        counts = (np.bincount(side[:, place].astype(np.int64), minlength=n_values) for side in sides)
        if not release.gate.names(*counts).all():
            orders[name] = "ordinal:FIRST,...,LAST"
    return replace(release.plan, kinds={**release.plan.kinds, **orders})


def _command(release: Release, plan: Plan) -> str:
    """The command that makes this release; the cells depend on the memory."""
    command = command_of(plan, *_file_names(release))
    return command if release.whole is None else f"{command} --memory {release.whole.memory}B"
