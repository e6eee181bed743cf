"""The certificate of a release: what was promised and counted, of which file, by which plan and which versions.

It stands in the JSON twin of a report, under "certificate", and `microagg.verify` holds a file against it. It is made
of what anybody can work out from the release, and of the plan as the report prints it.

The SHA-256 of the source is not in it: whoever guesses the few values that a release hides could try each guess against
it, be it with a small file or with knowledge of all records but one. It stands in the private plan (`save_plan`).
"""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from microagg.base.schema import Role
from microagg.constraints import CONSTRAINTS, Constraint
from microagg.errors import FileProblem, InvalidOption
from microagg.files.text import MOST_JSON, parse_json, read_text
from microagg.partition import METHODS
from microagg.plan import CHOICES, Plan, settled
from microagg.report.document import SCHEMA
from microagg.report.facts import Source

if TYPE_CHECKING:
    from microagg.release import AnyRelease

VERSION = 1
"""Grows when a certificate says something that an earlier microagg would not count."""
SOURCE_WITHHELD = "the checksum of the source would tell whether a guess of its values is right: see the private plan"


@dataclass(frozen=True)
class Certified:
    """A promise, and what was counted when the release was made.

    Attributes
    ----------
    promise : str
        A name in CONSTRAINTS ("k", "unit", "l", "p", "t"), or "epsilon".
    column : str, optional
        The column that it is about; None for all quasi-identifiers together.
    asked : str
        What was promised, as it is written in a plan.
    reached : float, optional
        What the worst class reached; None where that is not counted in classes.
    words : str
        For people.
    """

    promise: str
    column: str | None
    asked: str
    reached: float | None
    words: str

    @property
    def constraint(self) -> Constraint:
        """What every class must keep, where classes can be counted.

        >>> Certified("l", "illness", "3", 3.0, "").constraint.level
        3.0
        """
        asked = int(self.asked) if self.promise in ("k", "unit") else self.asked
        return CONSTRAINTS[self.promise].read(self.column or "", asked)


@dataclass(frozen=True)
class Certificate:
    """What is certified of a release. The names of the fields are the keys of the JSON.

    Attributes
    ----------
    version : int
        The version of this form.
    made_by : mapping of str to str
        The versions of microagg, Python and NumPy.
    plan : mapping
        What was asked for, as a plan file has it under [release].
    file : Source, optional
        Name, size and SHA-256 of the released file; None where the report was written without one.
    source : mapping of str to str
        The name of the source, and why its SHA-256 is not here.
    records : int
        How many records were released.
    columns : tuple of str
        The released columns.
    quasi, strata : tuple of str
        The columns whose values, together, make the classes.
    each : bool
        Whether each quasi-identifier makes classes of its own: methods that protect each column alone.
    promises : tuple of Certified
        What was promised and counted.
    """

    version: int
    made_by: Mapping[str, str]
    plan: Mapping[str, Any]
    file: Source | None
    source: Mapping[str, str]
    records: int
    columns: tuple[str, ...]
    quasi: tuple[str, ...]
    strata: tuple[str, ...]
    each: bool
    promises: tuple[Certified, ...]


def certify(release: AnyRelease, told: Plan) -> Certificate:
    """Write the certificate of a release.

    Parameters
    ----------
    release : AnyRelease
        The release.
    told : Plan
        Its plan as it may be told.
    """
    from microagg import __version__

    alias = release.plan.unit if release.plan.unit_alias else None
    named = {"name": release.sources["input"].name} if "input" in release.sources else {}
    return Certificate(
        version=VERSION,
        made_by={"microagg": __version__, "python": platform.python_version(), "numpy": np.__version__},
        plan=_as_plain(settled(replace(release, plan=told))),
        file=release.sources.get("output"),
        source={**named, "sha256_withheld": SOURCE_WITHHELD},
        records=release.n_records,
        columns=tuple(n for n, role in release.roles.items() if role is not Role.IDENTIFIER or n == alias),
        quasi=release.names,
        strata=tuple(release.plan.by),
        each=METHODS[release.plan.method].per_column,
        promises=_promises(release),
    )


def _promises(release: AnyRelease) -> tuple[Certified, ...]:
    plan = release.plan
    smallest = float(release.risks["smallest_class"])
    if METHODS[plan.method].per_column:
        smallest = float(min(release.groups))
    k = CONSTRAINTS["k"].read("", plan.k)
    certified = [Certified("k", None, k.spelled(), smallest if plan.unit is None else None, k.words(""))]
    if plan.unit is not None:
        unit = CONSTRAINTS["unit"].read(plan.unit, plan.k)
        certified.append(Certified("unit", plan.unit, unit.spelled(), smallest, unit.words(plan.unit)))
    for kept in release.promises:
        words = CONSTRAINTS[kept.promise].read(kept.column, kept.asked).words(kept.column)
        certified.append(Certified(kept.promise, kept.column, kept.asked, kept.reached, words))
    if plan.epsilon is not None:
        words = f"differential privacy with epsilon = {plan.epsilon:g}, by the noise that was added"
        certified.append(Certified("epsilon", None, repr(plan.epsilon), None, words))
    return tuple(certified)


def _as_plain(plan: Plan) -> dict[str, Any]:
    """Give what a plan says beyond its defaults as JSON can hold it."""
    return {c.name: _plain(getattr(plan, c.name)) for c in CHOICES if c.differs(getattr(plan, c.name))}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, np.generic):
        return value.item()
    # A hierarchy that was made in Python has no spelling in a plan.
    return value if value is None or isinstance(value, str | int | float) else f"({type(value).__name__.lower()})"


def read_certificate(path: str | os.PathLike[str]) -> Certificate:
    """Read the certificate in the JSON twin of a report, or say why there is none.

    Raises
    ------
    FileProblem
        The file is no report of microagg in JSON, or not one of a release.
    InvalidOption
        It has no certificate, one of a later version, or one that is not whole.
    """
    text = read_text(path, MOST_JSON)
    try:
        content = parse_json(text)
    except ValueError as error:
        raise FileProblem(f"{path} is no JSON. Name the report that was written as report.json.") from error
    if not isinstance(content, Mapping) or content.get("schema") != SCHEMA:
        raise FileProblem(f"{path} is no report of microagg in JSON. Write one with --report report.json.")
    if content.get("kind") != "release":
        raise FileProblem(f"{path} is the report of another thing than a release. Name that of the release.")
    if "certificate" not in content:
        raise InvalidOption(
            f"{path} was written by an earlier microagg, and holds no certificate. Write the report again: "
            "microagg anonymize --plan PLAN -o OUTPUT --report report.json."
        )
    return _read(content["certificate"], path)


def _read(said: Any, path: str | os.PathLike[str]) -> Certificate:
    """Read a certificate strictly: nobody checked yet what somebody wrote there."""
    if not isinstance(said, Mapping) or not isinstance(said.get("version"), int):
        raise _broken(path, "version")
    if said["version"] > VERSION:
        raise InvalidOption(
            f"{path} holds a certificate of version {said['version']}, and this microagg knows {VERSION}. Use a newer "
            "microagg."
        )
    read: dict[str, Any] = {item.name: said.get(item.name) for item in fields(Certificate)}
    for name in ("columns", "quasi", "strata"):
        read[name] = _names(read[name], name, path)
    if not read["quasi"]:
        raise _broken(path, "quasi")
    if isinstance(read["records"], bool) or not isinstance(read["records"], int) or read["records"] < 1:
        raise _broken(path, "records")
    if not isinstance(read["each"], bool):
        raise _broken(path, "each")
    for name in ("made_by", "plan", "source"):
        if not isinstance(read[name], Mapping):
            raise _broken(path, name)
    file, promises = read["file"], read["promises"]
    if file is not None:
        if not isinstance(file, Mapping) or not all(isinstance(file.get(key), str) for key in ("name", "sha256")):
            raise _broken(path, "file")
        read["file"] = Source(file["name"], None, file["sha256"].lower())
    if not isinstance(promises, list) or not promises:
        raise _broken(path, "promises")
    read["promises"] = tuple(_promise(each, path) for each in promises)
    return Certificate(**read)


def _promise(said: Any, path: str | os.PathLike[str]) -> Certified:
    known = (*CONSTRAINTS, "epsilon")
    if not isinstance(said, Mapping) or said.get("promise") not in known or not isinstance(said.get("asked"), str):
        raise _broken(path, "promises")
    column, reached, words = said.get("column"), said.get("reached"), said.get("words")
    if (column is None) != (said["promise"] in ("k", "epsilon")) or not isinstance(column, str | None):
        raise _broken(path, "promises")
    if not isinstance(reached, int | float | None) or not isinstance(words, str):
        raise _broken(path, "promises")
    certified = Certified(said["promise"], column, said["asked"], reached, words)
    try:
        if certified.promise in CONSTRAINTS:
            _ = certified.constraint
    except ValueError as error:  # no number, or InvalidOption
        raise _broken(path, "promises") from error
    return certified


def _names(said: Any, name: str, path: str | os.PathLike[str]) -> tuple[str, ...]:
    if not isinstance(said, Sequence) or isinstance(said, str) or not all(isinstance(each, str) for each in said):
        raise _broken(path, name)
    return tuple(said)


def _broken(path: str | os.PathLike[str], name: str) -> InvalidOption:
    return InvalidOption(
        f"{path}: the certificate was changed or damaged: it does not say {name!r} as microagg writes it. Write the "
        "report again."
    )
