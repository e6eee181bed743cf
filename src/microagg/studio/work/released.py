"""Make the files of a release in a private folder: the job behind the page of the release."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from microagg import io
from microagg.anonymize import anonymize_file, choices
from microagg.base.schema import Role
from microagg.files.atomic import PRIVATE, atomic_path
from microagg.partition import METHODS
from microagg.plan.command import call_of, command_of
from microagg.plan.file import FileMark, PlanFile, dump, record, second_release
from microagg.plan.plan import Plan
from microagg.release import AnyRelease, Release
from microagg.report.certificate import Certificate, read_certificate
from microagg.report.release import document_of
from microagg.studio.source import OWN, DataSource
from microagg.studio.worker import JobTask

PREVIEW_RECORDS, PREVIEW_COLUMNS = 6, 40
PAGE, TWIN, PLAN = ".report.html", ".report.json", ".plan.toml"
"""How the names of the files beside the release end; the last is for its maker alone."""


@dataclass(frozen=True)
class MadeFile:
    """A file that was made: its name, its size, its SHA-256, and whether it may be published."""

    name: str
    size: int
    sha256: str
    is_public: bool


@dataclass(frozen=True)
class MadeRelease:
    """A release that lies in a private folder, ready to be published.

    Attributes
    ----------
    folder : str
        Where its files lie.
    files : tuple of MadeFile
        The release first.
    warnings : tuple of str
        What must be confirmed, one by one.
    columns : tuple of pairs of str
        What becomes of each column of the data.
    head, preview
        The names of the released columns, and the first released records.
    facts : mapping of str to str
        The key figures.
    certificate : Certificate
        What is certified.
    command, call, check : str
        The command line and the call that make the same release, and the command that verifies it.
    """

    folder: str
    files: tuple[MadeFile, ...]
    warnings: tuple[str, ...]
    columns: tuple[tuple[str, str], ...]
    head: tuple[str, ...]
    preview: tuple[tuple[str, ...], ...]
    facts: Mapping[str, str]
    certificate: Certificate
    command: str
    call: str
    check: str


def make(
    task: JobTask, source: DataSource, plan: Plan, name: str, suffix: str, folder: str, published: Sequence[PlanFile]
) -> MadeRelease:
    """Make the release, its reports and its private plan in a private folder; warn of what was published before."""
    place = Path(folder)
    page, twin, kept = (f"{name}{ending}" for ending in (PAGE, TWIN, PLAN))
    name += suffix
    target = place / name
    read = _named(source, place)
    release = anonymize_file(
        read,
        target,
        report=[place / page, place / twin],
        memory="auto",
        accept_not_k_anonymous=METHODS[plan.method].per_column if plan.method in METHODS else False,
        reading=source.reading,
        remarks=lambda done: _second(record(done, read, target), published),
        progress=task,
        **choices(plan),
    )
    mark = FileMark(_path(source), release.sources["input"].sha256 or "", **source.reading)
    with atomic_path(place / kept, mode=PRIVATE) as temporary:
        content = replace(record(release, read, name), input=mark)
        temporary.write_text(dump(content), encoding="utf-8", newline="\n")
    head, preview = _preview(release)
    told = release.published
    return MadeRelease(
        folder=folder,
        files=tuple(
            MadeFile(each, (place / each).stat().st_size, io.sha256(place / each), each != kept)
            for each in (name, page, twin, kept)
        ),
        warnings=tuple(dict.fromkeys(caution.text for caution in document_of(release, None, False).warnings)),
        columns=tuple((column, _treatment(release, column)) for column in release.roles),
        head=head,
        preview=preview,
        facts={
            "Records": f"{told['records']:,}",
            "Groups": f"{told['groups']:,}",
            "Records in a group": f"{told['smallest']:,} to {told['largest']:,}",
            "Information loss": "withheld" if told["information_loss"] is None else f"{told['information_loss']:.4g}%",
            "k-anonymous": "yes" if release.k_anonymous else "NO",
        },
        certificate=read_certificate(place / twin),
        command=f"{command_of(release.plan, _path(source), name)} {shlex.join(['--report', page, '--report', twin])}",
        call=_call(release.plan, source, name, [page, twin]),
        check=shlex.join(["microagg", "verify", name, "--report", twin]),
    )


def _second(done: PlanFile, published: Sequence[PlanFile]) -> list[str]:
    """Warn where another release of the same data was published before."""
    return list(dict.fromkeys(text for earlier in published for text in second_release(done, earlier)))


def _named(source: DataSource, place: Path) -> Path:
    """Give the file by the name that people know: reports tell it, and uploaded files have none of their own."""
    if source.origin == OWN:
        return Path(source.path)
    folder = place / "source"
    folder.mkdir(mode=0o700)
    link = folder / Path(source.name).name
    link.symlink_to(source.path)
    return link


def _path(source: DataSource) -> str:
    """Give the file by its path; one that goes with the studio by its name."""
    return source.path if source.origin == OWN else source.name


def _call(plan: Plan, source: DataSource, name: str, reports: list[str]) -> str:
    """Write the call that makes the same files."""
    more = f"report={reports!r}" + (f", reading={source.reading!r}" if source.reading else "")
    begin = f"microagg.anonymize_file({_path(source)!r}, {name!r}, {more}, "
    return "import microagg\n\n" + call_of(plan).replace("microagg.anonymize(data, ", begin, 1)


def _treatment(release: AnyRelease, column: str) -> str:
    """Say what became of a column."""
    role, plan = release.roles[column], release.plan
    if column == plan.unit:
        return "a random number for each unit" if plan.unit_alias else "left out; k counts its values"
    if role is Role.IDENTIFIER:
        return "left out"
    if role is Role.QUASI:
        first = f"recoded ({', '.join(plan.recode[column])}), then " if column in plan.recode else ""
        return f"{first}grouped, as {release.kinds[column]}"
    words = []
    if column in plan.recode:
        words.append(f"recoded ({', '.join(plan.recode[column])})")
    if column in plan.mask:
        words.append(f"changed at random ({plan.mask[column]})")
    if column in plan.by:
        words.append("kept: strata")
    if column == plan.weights:
        words.append("kept: weights")
    return ", ".join(words) or ("kept: confidential" if role is Role.CONFIDENTIAL else "kept as it is")


def _preview(release: AnyRelease) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Give the first released records, as text."""
    if not isinstance(release, Release):
        return (), ()
    table = release.table
    names = table.names[:PREVIEW_COLUMNS]
    values: dict[str, list[Any]] = table.peek(names, np.arange(min(PREVIEW_RECORDS, table.n_records)))
    columns = [
        ["" if value is None else str(value).removesuffix(" 00:00:00")[:60] for value in values[each]] for each in names
    ]
    return names, tuple(zip(*columns, strict=True))


def _shown(value: Any) -> str:
    return "" if value is None else str(value).removesuffix(" 00:00:00")[:60]
