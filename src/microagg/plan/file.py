"""Plans as files: TOML that people can read, review and keep under version control, and that repeats a release.

Reading is strict: an unknown key or a value of the wrong type is an error that names what is allowed.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from microagg import io
from microagg.base.options import did_you_mean
from microagg.base.schema import Role
from microagg.errors import InvalidOption
from microagg.files.text import MOST_TOML, parse_toml
from microagg.files.text import read_text as read_file
from microagg.partition import METHODS
from microagg.plan.forms import ColumnNames, read_number, read_table, read_text
from microagg.plan.plan import CHOICES, Plan, in_present_words
from microagg.refine import REFINEMENTS

_HEADER = """\
# A plan of microagg: everything that decides a release, apart from the data.
# Repeat it with:  microagg anonymize --plan THIS_FILE -o OUTPUT
# What is left out has its default; what stands on the command line beside --plan goes before what stands here.
# Keep it as private as the data: the checksum of the input, and exact losses, tell whether a guess of values is right.
"""
READING = ("sheet", "header_row", "header", "delimiter", "decimal", "encoding")
"""How a file is read, where that is said: keywords of `microagg.io.read`."""
STUDIO = "studio"
"""The table of a plan file in which the studio keeps its steps; nobody else reads it."""
_LINE = 100
"""Arrays that would make a longer line are written over several."""


class Released(Protocol):
    """What is read of a release to write it down."""

    @property
    def plan(self) -> Plan:
        """What was asked for."""

    @property
    def roles(self) -> Mapping[str, Role]:
        """What each column was taken for."""

    @property
    def kinds(self) -> Mapping[str, Any]:
        """What each quasi-identifier was treated as."""

    @property
    def risks(self) -> Mapping[str, float]:
        """Every risk of the release."""

    @property
    def information_loss(self) -> float:
        """The loss in percent."""

    @property
    def summary(self) -> Mapping[str, Any]:
        """Everything in short."""

    @property
    def dates(self) -> Collection[str]:
        """The quasi-identifiers that are dates."""

    @property
    def sources(self) -> Mapping[str, Any]:
        """The checksums of input and output, where they are files."""


@dataclass(frozen=True)
class FileMark:
    """A file by its name and its SHA-256 checksum, in hexadecimal, and how to read it where that is said.

    Of a workbook the sheet and the header row, of text what is not as it seems: names in the first line, the marks
    between values and before decimals, the encoding.
    """

    file: str
    sha256: str
    sheet: str | None = None
    header_row: int | None = None
    header: bool | None = None
    delimiter: str | None = None
    decimal: str | None = None
    encoding: str | None = None

    @property
    def reading(self) -> dict[str, Any]:
        """How to read it, where that is said: keywords of `microagg.io.read`."""
        return {name: getattr(self, name) for name in READING if getattr(self, name) is not None}


@dataclass(frozen=True)
class PlanFile:
    """What a plan file holds.

    Attributes
    ----------
    plan : Plan
        What decides the release.
    input, output : FileMark, optional
        The data that it was made for, and the release that it made.
    results : mapping of str to number
        What came out, for the reader: losses and risks by name.
    version : str, optional
        The version of microagg that wrote it.
    """

    plan: Plan
    input: FileMark | None = None
    output: FileMark | None = None
    results: Mapping[str, float] = field(default_factory=dict)
    version: str | None = None


def record(
    release: Released,
    source: str | os.PathLike[str] | None = None,
    target: str | os.PathLike[str] | None = None,
) -> PlanFile:
    """Write down what was done: nothing is left to be guessed again, and the files are named with their checksums.

    Checksums that the release knows are not taken again.
    """
    from microagg import __version__

    summary = release.summary
    counts = {name: summary[name] for name in ("records", "suppressed", "groups", "smallest", "largest")}
    return PlanFile(
        settled(release),
        _mark_of(source, release.sources.get("input")),
        _mark_of(target, release.sources.get("output")),
        {**counts, "information_loss": release.information_loss, **release.risks},
        __version__,
    )


def _mark_of(path: str | os.PathLike[str] | None, known: Any) -> FileMark | None:
    if path is None:
        return None
    if known is None:
        return FileMark(os.fspath(path), io.sha256(path))
    return FileMark(os.fspath(path), known.sha256 or io.sha256(path), known.sheet, known.header_row)


def settled(release: Released) -> Plan:
    """Give the plan of a release with its guesses and defaults spelled out: columns, kinds, options of the method."""
    plan = release.plan
    defaults = {name: value for name, value in METHODS[plan.method].options.items() if value is not None}
    refining = {} if plan.refine is None else REFINEMENTS[plan.refine].options
    return replace(
        plan,
        quasi=tuple(name for name, role in release.roles.items() if role is Role.QUASI),
        kinds={
            name: plan.kinds.get(name, "date" if name in release.dates else str(kind))
            for name, kind in release.kinds.items()
        },
        options={**defaults, **plan.options},
        refine_options={
            **{name: value for name, value in refining.items() if value is not None},
            **plan.refine_options,
        },
    )


def save_plan(what: Plan | Released | PlanFile, path: str | os.PathLike[str]) -> None:
    """Write a plan, or the plan of a release, as TOML.

    Parameters
    ----------
    what : Plan, Release or PlanFile
        Of a release, what was guessed (columns, kinds) and what it lost is written too.
    path : path
        Where to write it, readable by the user alone; an existing file is replaced once the new one is whole.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_plan(Plan(k=5, quasi=("age",)), Path(folder, "plan.toml"))
    ...     load_plan(Path(folder, "plan.toml")).k
    5
    """
    if isinstance(what, Plan):
        what = PlanFile(what)
    text = dump(what if isinstance(what, PlanFile) else record(what))
    with io.atomic_path(path, mode=io.PRIVATE) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def load_plan(path: str | os.PathLike[str]) -> Plan:
    """Read a plan from a file; see `save_plan`."""
    return read_plan_file(path).plan


def read_plan_file(path: str | os.PathLike[str]) -> PlanFile:
    """Read all that a plan file holds."""
    text = read_file(path, MOST_TOML)
    try:
        return parse(text)
    except InvalidOption as error:
        raise InvalidOption(f"{path}: {error}") from error


def changes_of_input(done: PlanFile, followed: PlanFile) -> list[str]:
    """Say what differs between the release that a plan was written for and the one that followed it now."""
    remarks = []
    if done.input is not None and followed.input is not None and done.input.sha256 != followed.input.sha256:
        remarks.append(
            f"The input {done.input.file} is not the one that the plan was written for (its SHA-256 differs): this "
            "is another release, not the same one again."
        )
    if followed.version is not None and followed.version != done.version:
        remarks.append(
            f"The plan was written by microagg {followed.version}, and this is {done.version}: the release may differ."
        )
    return remarks


def second_release(done: PlanFile, earlier: PlanFile) -> list[str]:
    """Warn where the plan of an earlier release of the same data names another output than was made now.

    >>> people, one, two = FileMark("people.csv", "a"), FileMark("one.csv", "b"), FileMark("two.csv", "c")
    >>> second_release(PlanFile(Plan(k=3), people, two), PlanFile(Plan(k=5), people, one))[0][:50]
    'This is a second, different release of the same da'
    """
    if done.input is None or done.output is None or earlier.input is None or earlier.output is None:
        return []
    if done.input.sha256 != earlier.input.sha256 or done.output.sha256 == earlier.output.sha256:
        return []
    return [
        f"This is a second, different release of the same data: {earlier.output.file} is the first. Whoever holds both "
        "can combine them and learn more than k allows. Publish one of them only, or look first: "
        "microagg diff."
    ]


def dump(content: PlanFile, notes: Mapping[str, str] | None = None) -> str:
    """Write a plan file as text; `notes` on columns stand behind their names, each on a line of its own.

    >>> print(dump(PlanFile(Plan(k=5, quasi=("age",), kinds={"age": "numeric"}))))
    # A plan of microagg: ...
    [release]
    k = 5  # every record shares its quasi-identifiers with at least k - 1 others
    quasi = ["age"]  # the columns that are microaggregated
    ...
    """
    parts = [_HEADER]
    if content.version is not None:
        parts.append(f"microagg = {toml_value(content.version, 'microagg')}  # the version that wrote this\n")
    lines, tables = [*_clock_note(content.plan), "[release]"], []
    for item in CHOICES:
        value = getattr(content.plan, item.name)
        if isinstance(value, Mapping):
            if item.differs(value):
                tables.append(_table(f"release.{item.name}", value))
        elif notes and value and isinstance(item.form, ColumnNames):
            lines += [f"# {item.comment}", f"{item.name} = [", *_noted(value, item.name, notes), "]"]
        elif value is not None:
            lines.append(f"{item.name} = {toml_value(value, item.name)}  # {item.comment}")
    parts += ["\n".join(lines) + "\n", *tables]
    for name, mark in (("input", content.input), ("output", content.output)):
        if mark is not None:
            parts.append(_table(name, {"file": mark.file, "sha256": mark.sha256, **mark.reading}, quoted=False))
    if content.results:
        parts.append("# What came out, for the reader.\n" + _table("results", content.results))
    return "\n".join(parts)


def _noted(columns: Sequence[str], what: str, notes: Mapping[str, str]) -> list[str]:
    """Write names of columns with what is to be said of each: as a comment, in which nothing can end the line."""
    lines = []
    for name in columns:
        note = _quote(notes[name], what)[1:-1].replace('\\"', '"') if name in notes else ""
        lines.append(f"  {_quote(name, what)}," + (f"  # {note}" if note else ""))
    return lines


def _clock_note(plan: Plan) -> list[str]:
    """Say what watches the clock, method or refinement, so that nobody expects the same groups again."""
    notes = []
    for what, chosen, options in (
        ("method", METHODS.get(plan.method), plan.options),
        ("refinement", REFINEMENTS.get(plan.refine or ""), plan.refine_options),
    ):
        settling = chosen.repeatable if chosen is not None else {}
        if settling and not set(settling) & set(options):
            named = ", ".join(settling)
            notes.append(f"# This {what} watches the clock: only with the option {named} it groups alike every time.")
    return notes


def parse(text: str) -> PlanFile:
    """Read a plan file from its text.

    >>> parse('[release]\\nk = 5\\nquasi = ["age"]\\n').plan.quasi
    ('age',)
    >>> parse('[release]\\nk = 5\\nquasy = ["age"]\\n')
    Traceback (most recent call last):
    ...
    microagg.errors.InvalidOption: [release] has no 'quasy'; did you mean 'quasi'? It takes k, ...
    """
    document = parse_toml(text, "the plan")
    _check_keys("the plan", document, ("microagg", "release", "input", "output", "results", STUDIO))
    if "release" not in document:
        raise InvalidOption("the plan must have a table [release], with k at least.")
    asked = in_present_words(read_table("[release]", document["release"]))
    _check_keys("[release]", asked, [item.name for item in CHOICES])
    if "k" not in asked:
        raise InvalidOption("[release] must say k, a whole number.")
    plan = Plan(**{item.name: item.form.read(item.name, asked[item.name]) for item in CHOICES if item.name in asked})
    results = read_table("[results]", document.get("results", {}))
    return PlanFile(
        plan,
        _mark(document, "input"),
        _mark(document, "output"),
        {name: read_number(name, value) for name, value in results.items()},
        read_text("microagg", document["microagg"]) if "microagg" in document else None,
    )


def _mark(document: Mapping[str, Any], name: str) -> FileMark | None:
    if name not in document:
        return None
    asked = read_table(f"[{name}]", document[name])
    _check_keys(f"[{name}]", asked, ("file", "sha256", *READING))
    for key in ("file", "sha256"):
        if key not in asked:
            raise InvalidOption(f"[{name}] must say {key}.")
    row = asked.get("header_row")
    if row is not None and (isinstance(row, bool) or not isinstance(row, int) or row < 1):
        raise InvalidOption(f"header_row must be a whole number from 1 on; got {row!r}.")
    header = asked.get("header")
    if header is not None and not isinstance(header, bool):
        raise InvalidOption(f"header must be true or false; got {header!r}.")
    texts = {key: read_text(key, asked[key]) for key in ("sheet", "delimiter", "decimal", "encoding") if key in asked}
    return FileMark(
        read_text("file", asked["file"]),
        read_text("sha256", asked["sha256"]).lower(),
        header_row=row,
        header=header,
        **texts,
    )


def _check_keys(where: str, table: Mapping[str, Any], allowed: Sequence[str]) -> None:
    for name in table:
        if name not in allowed:
            hint = did_you_mean(name, allowed)
            rule = f"d{hint[1:]} It" if hint else "it"
            raise InvalidOption(f"{where} has no {name!r}; {rule} takes {', '.join(allowed)}.")


def _table(name: str, values: Mapping[str, Any], *, quoted: bool = True) -> str:
    lines = [
        f"{_quote(key, name) if quoted else key} = {toml_value(value, f'{name} of {key!r}' if quoted else name)}"
        for key, value in values.items()
    ]
    return "\n".join([f"[{name}]", *lines]) + "\n"


def toml_value(value: Any, name: str) -> str:
    """Write a value as TOML.

    >>> toml_value({"age": [1, 2.5], "pay": True}, "the value")
    '{"age" = [1, 2.5], "pay" = true}'
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        return _quote(value, name)
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_quote(key, name)} = {toml_value(part, name)}' for key, part in value.items())}}}"
    if isinstance(value, Sequence):
        parts = [toml_value(part, name) for part in value]
        line = f"[{', '.join(parts)}]"
        return line if len(line) <= _LINE else "[\n" + "".join(f"  {part},\n" for part in parts) + "]"
    raise InvalidOption(
        f"{name} cannot be written into a plan: it is a {type(value).__name__}. Use numbers and texts, and name the "
        "file of a hierarchy (hierarchy:FILE)."
    )


def _quote(text: str, name: str) -> str:
    """Quote a text; what has no glyph of its own is written by its number, so that nothing hides from a reader."""
    quoted = []
    for c in text:
        if 0xD800 <= ord(c) <= 0xDFFF:
            raise InvalidOption(f"{name} cannot be written into a plan: it holds half a character. Rename it.")
        if c in '"\\':
            quoted.append("\\" + c)
        elif c.isprintable():
            quoted.append(c)
        else:
            quoted.append(f"\\u{ord(c):04x}" if ord(c) < 0x10000 else f"\\U{ord(c):08x}")
    return f'"{"".join(quoted)}"'
