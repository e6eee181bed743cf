"""A release in words and figures: a line, a card, and everything that its report shows."""

from __future__ import annotations

import hashlib
import os
import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from microagg import io
from microagg.base.groups import in_order
from microagg.base.schema import Kind, Role
from microagg.base.types import FloatArray, IntArray
from microagg.measures import Summary
from microagg.partition import METHODS
from microagg.plan import Plan, call_of, command_of, settings_of
from microagg.prepare.kinds import text_of
from microagg.prepare.missing import Gaps
from microagg.report.build import build
from microagg.report.card import render_card
from microagg.report.cautions import name_groups
from microagg.report.certificate import certify
from microagg.report.document import Document
from microagg.report.facts import Caution, Facts, Source, WholeFacts, known_of
from microagg.report.moments import Moments, moments
from microagg.report.notes import of_gaps
from microagg.report.words import shown

if TYPE_CHECKING:
    from microagg.release import AnyRelease

SECONDS_PER_DAY = 86_400.0
BLANK = "(blank)"
"""What stands for a value that is left blank, among categories."""
HIERARCHY = "hierarchy:"
DIGITS = 10
"""So many digits of a sum over all records follow from the records alone."""


def line(release: AnyRelease) -> str:
    """Give the release in one line."""
    kept = "" if release.k_anonymous else ", NOT k-anonymous"
    loss = release.gate.figure(release.information_loss)
    cost = "" if loss is None else f": information loss {loss:.3g} %"
    return (
        f"<Release of {release.n_records:,} records in {sum(release.groups.values()):,} groups of {_span(release)} "
        f"(k = {release.plan.k}, {release.plan.method}{kept}){cost}>"
    )


def card(release: AnyRelease) -> str:
    """Give the release as a card, for notebooks."""
    loss = release.gate.figure(release.information_loss)
    figures = {
        "records": f"{release.n_records:,}",
        "groups": f"{sum(release.groups.values()):,}",
        "records in a group": _span(release),
        **({} if loss is None else {"information loss": f"{loss:.3g} %"}),
        "highest risk": f"{release.risks['highest_risk']:.3g} %",
        "k-anonymous": "yes" if release.k_anonymous else "NO",
        **_homogeneity(release),
    }
    title = f"Release with k = {release.plan.k}: {METHODS[release.plan.method].title}"
    return render_card(title, figures, release.warnings)


def _homogeneity(release: AnyRelease) -> dict[str, str]:
    """Say how many groups agree in a confidential column, and in which most do."""
    secret = [name for name, role in release.roles.items() if role is Role.CONFIDENTIAL]
    if not secret or release.labels.ndim == 2:
        return {}
    n_groups = sum(release.groups.values())
    if not release.homogeneous:
        named = shown(secret[0], 30) if len(secret) == 1 else f"any of {len(secret):,} confidential columns"
        return {f"groups that agree in {named}": f"none of {n_groups:,}"}
    worst = max(release.homogeneous, key=lambda alike: alike.records)
    figures = {f"groups that agree in {shown(worst.column, 30)}": f"{worst.n_groups:,} of {n_groups:,}"}
    if len(secret) > 1:
        figures["confidential columns with such groups"] = f"{len(release.homogeneous):,} of {len(secret):,}"
    return figures


def _span(release: AnyRelease) -> str:
    smallest, largest = min(release.groups), max(release.groups)
    return f"{smallest:,}" if smallest == largest else f"{smallest:,} to {largest:,}"


def document_of(release: AnyRelease, title: str | None, details: bool) -> Document:
    """Give every number of a release's report."""
    return build(facts_of(release, title, details))


def facts_of(release: AnyRelease, title: str | None, details: bool) -> Facts:
    """Gather everything that the report shows, as plain values."""
    from microagg import __version__

    plan, dates = release.plan, release.dates
    told = plan if details else _tellable(release)
    tells_original = replace(release.gate, details=details).tells_original
    # Of few records those of the release beside itself, which are public.
    assessment = release.assessment if tells_original else release.assess(of_release_alone=True)
    released = release.as_written
    original = release.original if tells_original else released
    unit = np.array([SECONDS_PER_DAY if name in dates else 1.0 for name in release.names])
    return Facts(
        title=title or f"Release with k = {plan.k}",
        settings={**_settings(release), "Version": f"microagg {__version__}"},
        headline={
            key: value
            for key, value in release.summary.items()
            if isinstance(value, str | int | float) and (key != "suppressed" or value) and key != "untouched_together"
        },
        names=release.names,
        original=original / unit if dates else original,
        released=released / unit if dates else released,
        labels=release.labels if release.labels.ndim == 2 else in_order(release.labels),
        losses=assessment.losses,
        column_losses=release.column_losses,
        risks=assessment.risks,
        roles={name: str(role) for name, role in release.roles.items()},
        kinds={name: str(kind) for name, kind in release.kinds.items()},
        warnings=_cautions(release),
        reproduce={
            "Command line": _command(release, told),
            "Python": call_of(told, getattr(release, "memory", None)),
        },
        sources=release.sources or _sources_in_memory(release),
        categories=release.categories,
        dates=dates,
        version=__version__,
        details=details,
        sealed=release.gate.sealed,
        whole=_whole(release, released, unit),
        masked=tuple(plan.mask),
        promises=tuple(
            constraint.words(shown(name, 40)) for of in plan.promised.values() for name, constraint in of.items()
        ),
        value_labels=_value_labels(release),
        untouched=release.untouched,
        untouched_together=release.untouched_together,
        gaps=of_gaps(release.gate, release.gaps),
        certificate=certify(release, told),
    )


def _value_labels(release: AnyRelease) -> dict[str, dict[str, str]]:
    """Give what codes stand for, as far as the released table still says so."""
    if getattr(release, "stored", None) is None:
        return {}  # files that are released cell by cell have no labels
    described = {name: release.table.described(name).value_labels for name in release.categories}
    return {
        name: {text_of(value): str(label) for value, label in labels.items()}
        for name, labels in described.items()
        if labels
    }


def _settings(release: AnyRelease) -> dict[str, str]:
    """Say what was asked for; beside the steps of recoding, what they did."""
    settings = settings_of(release.plan)
    if not release.recoded:
        return settings
    told = f"{'; '.join(release.recoded)}. What is called original here is what these steps left."
    place = list(settings).index("Recoding") + 1
    parts = list(settings.items())
    return dict([*parts[:place], ("Recoded", told), *parts[place:]])


def _whole(release: AnyRelease, released: FloatArray, unit: FloatArray) -> WholeFacts:
    """Give the moments of all records, in the units of the report.

    Those before come from the sums of which the losses are made. Those after come from what is released alone: digits
    that depend on the original would tell whether a guess of it is right.
    """
    numbers = [j for j, attribute in enumerate(release.attributes) if attribute.kind is Kind.NUMERIC]
    summary, unit = release.change.numbers, unit[numbers]
    if summary is None:
        nothing = moments(released[:, numbers])
        return WholeFacts(release.n_records, release.groups, nothing, nothing)
    mean, deviation = release.scale.mean[numbers], release.scale.deviation[numbers]
    before, after = (
        Moments(
            (mean + known[0] * deviation) / unit,
            np.where(constant, 0.0, known[1]) * deviation / unit,
            np.where(np.logical_or.outer(constant, constant), np.nan, summary.correlation(side).clip(-1, 1)),
        )
        for side, constant in enumerate(summary.constant)
        for known in (_of_known(release, summary, numbers, side),)
    )
    if release.gaps != Gaps():
        # Of the values that are known: the sums hold what stands for the others too.
        whole = len(released) == release.n_records
        correlation = moments(release.original[:, numbers]).correlation if whole else before.correlation
        before = Moments(mean / unit, deviation / unit, correlation)
    if len(released) == release.n_records:
        numeric = released if len(numbers) == released.shape[1] else released[:, numbers]
        after = moments(numeric / unit if release.dates else numeric)
    else:
        after = Moments(*(_significant(part) for part in (after.mean, after.deviation, after.correlation)))
    return WholeFacts(release.n_records, release.groups, before, after)


def _significant(values: FloatArray) -> FloatArray:
    """Give values with as many digits as do not depend on the order in which they were added up."""
    digits = [float(f"{value:.{DIGITS}g}") for value in values.ravel().tolist()]
    return np.array(digits).reshape(values.shape)


def _of_known(
    release: AnyRelease, summary: Summary, numbers: Sequence[int], side: int
) -> tuple[FloatArray, FloatArray]:
    """Give means and deviations of the values that are known, standardised: the sums hold 0 for all others."""
    gaps = release.gaps
    lost = [gaps.missing.get(release.names[j], 0) + side * gaps.blanked.get(release.names[j], 0) for j in numbers]
    known = np.maximum(summary.n - np.array(lost), 1)
    mean = summary.means[side] * (summary.n / known)
    squares = np.diag(summary.products[side]) + summary.n * summary.means[side] ** 2 - known * mean**2
    return mean, np.sqrt(np.maximum(squares, 0.0) / np.maximum(known - 1, 1))


def _cautions(release: AnyRelease) -> tuple[Caution, ...]:
    """What the flow noted, and the groups that give a confidential value away."""
    cautions = [Caution("note", text) for text in release.warnings]
    for alike in sorted(release.homogeneous, key=lambda alike: -alike.records):
        groups = _as_seen(release.labels, alike.groups)
        named = f": {name_groups(groups)}" if groups else ""
        text = (
            f"In {alike.n_groups:,} group{'' if alike.n_groups == 1 else 's'} ({alike.records:,} records) everybody "
            f"has the same {shown(alike.column)}{named}. Who finds a person's group knows it of that person."
        )
        cautions.append(Caution("homogeneous_groups", text, alike.column, groups))
    return tuple(cautions)


def _as_seen(labels: IntArray, groups: Sequence[int]) -> tuple[int, ...]:
    """Number groups by the first of their released rows: numbers from before would tell of the original order."""
    if not groups:
        return ()
    seen = np.empty(int(labels.max()) + 1, dtype=np.int64)
    seen[labels] = in_order(labels)
    return tuple(np.sort(seen[np.array(groups)]).tolist())


def source_of(
    path: str | os.PathLike[str], name: str | None = None, *, sheet: str | None = None, header_row: int | None = None
) -> Source:
    """Give the name, size and SHA-256 of a file, and what was read of it; another name where it will have it later."""
    return Source(name or Path(path).name, Path(path).stat().st_size, io.sha256(path), sheet, header_row)


def _sources_in_memory(release: AnyRelease) -> dict[str, Source]:
    """The released quasi-identifiers as little-endian doubles row by row, categories as their places in order.

    Of the original there is nothing: a checksum of it would tell whether a guess is right.
    """
    values = release.as_written.copy()
    for j, attribute in enumerate(release.attributes):
        if attribute.kind is not Kind.NUMERIC:
            values[:, j] = np.unique(values[:, j], return_inverse=True)[1]
    content = np.ascontiguousarray(values, dtype="<f8")
    checksum = hashlib.sha256(content.data).hexdigest()
    return {"output": Source("quasi-identifiers in memory", content.nbytes, checksum)}


def _tellable(release: AnyRelease) -> Plan:
    """Give the plan as a report prints it.

    Without an order of values of which some may not be named; and files of hierarchies without their folders, as all
    other files are named.
    """
    orders = {
        name: f"{HIERARCHY}{Path(kind.removeprefix(HIERARCHY)).name}"
        for name, kind in release.plan.kinds.items()
        if isinstance(kind, str) and kind.startswith(HIERARCHY)
    }
    for place, name in enumerate(release.names):
        given = release.plan.kinds.get(name)
        if given is None or release.kinds[name] is not Kind.ORDINAL or given == Kind.ORDINAL.value:
            continue
        sides = (release.original, release.released)
        n_values = len(release.attributes[place].names)
        counts = (np.bincount(known_of(side[:, place]).astype(np.int64), minlength=n_values) for side in sides)
        if not release.gate.names(*counts).all():
            orders[name] = "ordinal:FIRST,...,LAST"
    return replace(release.plan, kinds={**release.plan.kinds, **orders})


def _command(release: AnyRelease, plan: Plan) -> str:
    """The command that makes this release; cells depend on the memory."""
    named = {what: source.name for what, source in release.sources.items()}
    command = command_of(plan, named.get("input", "INPUT"), named.get("output", "OUTPUT"))
    memory = getattr(release, "memory", None)
    if memory is not None:
        command += f" --memory {memory}B"
    read = release.sources.get("input")
    if read is not None and read.sheet is not None:
        command += f" --sheet {shlex.quote(read.sheet)}"
    if read is not None and read.header_row is not None:
        command += f" --header-row {read.header_row}"
    return command
