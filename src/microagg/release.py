"""A release: the table that may be published, with all that is to be said about it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from microagg import io, risk, utility
from microagg.arrays import FloatArray, IntArray
from microagg.command import command_of
from microagg.errors import InvalidOption, NotKAnonymous
from microagg.partition import METHODS
from microagg.plan import Plan
from microagg.prepare import Scale
from microagg.schema import Kind, Role
from microagg.table import Table

if TYPE_CHECKING:
    from microagg.report import Facts, WholeFacts


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
    memory : int
        The bytes that the work was allowed: the cells depend on it.
    """

    n_records: int
    sizes: Mapping[int, int]
    summary: utility.Summary
    scale: Scale
    memory: int


@dataclass(frozen=True)
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
    risks_before : dict of str to float
        The same of the original.
    plan : Plan
        What was asked for.
    roles : dict of str to Role
        What each column was taken for.
    kinds : dict of str to Kind
        What each quasi-identifier was treated as.
    categories : dict of str to tuple of str
        For columns of categories, what the codes in `original` and `released` stand for.
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
    whole : Whole or None
        Where the release was made cell by cell: what is known of all records. `labels` then are those of a sample of
        whole groups, and the release itself lies only in the file that was written.
    """

    stored: Table | None = field(repr=False)
    labels: IntArray = field(repr=False)
    losses: Mapping[str, float]
    column_losses: Mapping[str, Mapping[str, float]] = field(repr=False)
    risks: Mapping[str, float]
    risks_before: Mapping[str, float] = field(repr=False)
    plan: Plan
    roles: Mapping[str, Role] = field(repr=False)
    kinds: Mapping[str, Kind] = field(repr=False)
    suppressed: int
    lower_bound: float | None
    seconds: Mapping[str, float] = field(repr=False)
    warnings: tuple[str, ...]
    k_anonymous: bool
    categories: Mapping[str, tuple[str, ...]] = field(repr=False)
    original: FloatArray = field(repr=False)
    released: FloatArray = field(repr=False)
    whole: Whole | None = field(default=None, repr=False)

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
    def sizes(self) -> IntArray:
        """The number of records in each group; of the columns one after the other where each was grouped alone.

        Where the release was made cell by cell, of the groups of the sample.
        """
        columns = self.labels[:, None] if self.labels.ndim == 1 else self.labels
        return np.concatenate([np.bincount(column) for column in columns.T])

    @property
    def summary(self) -> dict[str, Any]:
        """What the command line prints: plain values, ready for JSON."""
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
            "warnings": list(self.warnings),
        }

    def report(self, path: str | os.PathLike[str], *, title: str | None = None) -> None:
        """Write the report, one HTML page that needs nothing else.

        Parameters
        ----------
        path : path
            Where to write it; an existing file is replaced once the new one is whole.
        title : str, optional
            The heading of the page.
        """
        from microagg.report import render

        with io.atomic_path(Path(path)) as temporary:
            temporary.write_text(render(_facts(self, title)), encoding="utf-8")

    def write(self, path: str | os.PathLike[str], *, accept_not_k_anonymous: bool = False) -> None:
        """Write the released table to a file whose name says the format; refused where it is not k-anonymous.

        Parameters
        ----------
        path : path
            Where to write it; an existing file is replaced once the new one is whole.
        accept_not_k_anonymous : bool
            Write the result of a method that protects each column alone all the same.
        """
        if not self.k_anonymous and not accept_not_k_anonymous:
            raise NotKAnonymous(
                f"method {self.plan.method!r} protects each column alone: the release has records that share their "
                f"quasi-identifiers with fewer than {self.plan.k} others, so it is not written. Choose another method, "
                "or say that you accept this (accept_not_k_anonymous=True, --accept-not-k-anonymous)."
            )
        io.write(self.table, Path(path))


def _facts(release: Release, title: str | None) -> Facts:
    """Everything that the report shows, as plain values."""
    from microagg.report import Facts

    plan, summary = release.plan, release.summary
    names = [name for name, role in release.roles.items() if role is Role.QUASI]
    return Facts(
        title=title or f"Release with k = {plan.k}",
        settings=_settings(release),
        headline={
            key: value
            for key, value in summary.items()
            if isinstance(value, str | int | float) and (key != "suppressed" or value)
        },
        names=tuple(names),
        original=release.original,
        released=release.released,
        labels=release.labels,
        losses=release.losses,
        column_losses=release.column_losses,
        loss_notes={name: f"{m.title}: {m.summary}" for name, m in utility.METRICS.items()},
        risks=release.risks,
        risk_notes={name: f"{r.title}: {r.summary}" for name, r in risk.RISKS.items()},
        roles={name: str(role) for name, role in release.roles.items()},
        warnings=release.warnings,
        reproduce={"Command line": _command(plan, release.whole), "Python": _python(plan, release.whole)},
        risks_before=release.risks_before,
        categories=release.categories,
        whole=None if release.whole is None else _whole(release.whole),
        units={"lower_bound": "percent"}
        | {name: m.unit for name, m in utility.METRICS.items()}
        | {name: r.unit for name, r in risk.RISKS.items()},
    )


def _whole(whole: Whole) -> WholeFacts:
    """What the report says of all records, in the units of the data."""
    from microagg.report import Moments, WholeFacts

    scale, summary = whole.scale, whole.summary
    sides = [
        Moments(
            scale.mean + summary.means[s] * scale.deviation,
            np.sqrt(np.where(constant, 0.0, np.diag(summary.covariance(s)))) * scale.deviation,
            np.where(np.logical_or.outer(constant, constant), np.nan, summary.correlation(s).clip(-1, 1)),
        )
        for s, constant in enumerate(summary.constant)
    ]
    return WholeFacts(whole.sizes, *sides)


def _settings(release: Release) -> dict[str, str]:
    from microagg import __version__

    plan, method = release.plan, METHODS[release.plan.method]
    options = {**method.options, **plan.options}
    settings = {
        "Method": f"{method.title} ({method.name})",
        "Published in": method.reference,
        "Improved by": plan.refine or "nothing further",
        "Options": ", ".join(f"{name} = {value}" for name, value in options.items()) or "none",
        "k": str(plan.k),
        "Kinds": ", ".join(f"{name} {kind}" for name, kind in release.kinds.items()),
        "Columns standardised": "yes" if plan.standardise else "no",
        "Column weights": ", ".join(f"{name} {weight:g}" for name, weight in plan.column_weights.items())
        or "all equal",
        "Common value of a group": f"weighted {plan.aggregate}, weights {plan.weights}"
        if plan.weights
        else plan.aggregate,
        "Strata": ", ".join(plan.by) or "none",
        "Missing values": {"refuse": "none present", "drop": "such records left out", "impute": "median imputed"}[
            plan.missing
        ],
        "Rounding": _rounding(plan),
        "Row order": "shuffled" if plan.shuffle else "as in the input",
        "Seed": str(plan.seed),
        "Version": f"microagg {__version__}",
    }
    return settings


def _rounding(plan: Plan) -> str:
    if isinstance(plan.round, bool):
        return "whole numbers stay whole" if plan.round else "none"
    if isinstance(plan.round, Mapping):
        return ", ".join(f"{name} to {digits} digits" for name, digits in plan.round.items())
    return ", ".join(f"{name} to whole numbers" for name in plan.round)


def _command(plan: Plan, whole: Whole | None) -> str:
    """The command that makes this release; the cells depend on the memory."""
    return command_of(plan) + ("" if whole is None else f" --memory {whole.memory}B")


def _python(plan: Plan, whole: Whole | None) -> str:
    """The call that makes this release."""
    default = Plan(k=plan.k)
    asked: dict[str, Any] = {"k": plan.k}
    for name in Plan.__dataclass_fields__:
        value = getattr(plan, name)
        if name not in {"k", "options"} and (name == "method" or value != getattr(default, name)):
            asked[name] = list(value) if isinstance(value, tuple) else value
    asked.update(plan.options)
    if whole is not None:
        asked["memory"] = whole.memory
    arguments = ", ".join(f"{name}={value!r}" for name, value in asked.items())
    return f"microagg.anonymize{'(data' if whole is None else '_file(source, target'}, {arguments})"
