"""A project: data by their place, and the list of plans that were made for them; kept in a file that holds no data.

The file is a plan file: `microagg anonymize --plan PROJECT.toml` runs the plan that stands. Beside the plan, its table
[studio] tells each step that led there, so that every one can be undone, and done again. It is written anew after each
step, whole or not at all.
"""

from __future__ import annotations

import datetime
import os
import secrets
import shutil
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from microagg import __version__
from microagg.errors import FileProblem, InvalidOption, MicroaggError
from microagg.files.atomic import PRIVATE, atomic_path
from microagg.files.system import CLOSED, try_lock
from microagg.files.text import parse_json, parse_toml, read_text
from microagg.plan.file import STUDIO, FileMark, PlanFile, dump, parse, toml_value
from microagg.plan.plan import Plan
from microagg.studio.overview import Overview
from microagg.studio.source import EXAMPLE, OWN, UPLOADED, DataSource
from microagg.studio.steps import changes_of, followed

MOST_BYTES = 64 << 20
"""Bytes that a project file may have: thousands of steps."""
FIRST_K = 5
HIERARCHIES = ".hierarchies"
"""How the name of the folder ends in which the hierarchies of a project are kept."""


class Stale(MicroaggError):
    """Somebody else changed the project meanwhile: another tab, perhaps."""


@dataclass(frozen=True)
class Step:
    """A plan, and how it came about.

    Attributes
    ----------
    plan : Plan
        What it led to.
    title : str
        What was done, in a few words.
    time : str
        When, in ISO 8601.
    """

    plan: Plan
    title: str
    time: str


class Project:
    """Data by their place, and the plans that were made for them.

    Attributes
    ----------
    id : str
        Names it in addresses, and says nothing about it.
    title : str
        What people call it.
    path : Path
        Its file.
    source : DataSource
        Its data.
    steps : tuple of Step
        All plans, the oldest first.
    at : int
        Which of them stands.
    revision : int
        Counts all changes, undoing too: whoever changes the project says which one they saw.
    look : Overview or None
        What is known of the columns; None while a job looks at them.
    memo : dict
        What follows from results, by the id of each, so that it is worked out once.
    check : callable, optional
        Refuses plans that name files outside the folders that are allowed.
    results : dict of str to dict
        What was found out for plans, by any name: kept in a file of its own, as private as the data.
    """

    def __init__(
        self, path: Path, title: str, source: DataSource, steps: Sequence[Step], at: int | None = None
    ) -> None:
        self.id = secrets.token_urlsafe(12)
        self.title = title
        self.path = path
        self.source = source
        self.steps = tuple(steps)
        self.at = len(self.steps) - 1 if at is None else at
        self.revision = 0
        self.look: Overview | None = None
        self.results: dict[str, dict[str, Any]] = {}
        self.memo: dict[int, Any] = {}
        self.check: Callable[[Plan], None] | None = None
        self.lock = threading.RLock()
        self._texts: dict[int, str] = {}
        self._held: int | None = None

    @classmethod
    def begin(cls, folder: Path, source: DataSource) -> Project:
        """Begin a project for data, with a plan that decides nothing yet."""
        plan = Plan(k=FIRST_K, quasi=(), others="refuse")
        project = cls(_free(folder, Path(source.name).stem), source.name, source, [_step(plan, "Opened the data")])
        project.save()
        return project

    @classmethod
    def load(cls, path: Path) -> Project:
        """Read a project from its file; a plan file alone becomes a project of one step."""
        text = read_text(path, MOST_BYTES)
        try:
            return cls._loaded(path, parse(text), parse_toml(text, "the project"))
        except InvalidOption as error:
            raise InvalidOption(f"{path.name}: {error}") from error

    @classmethod
    def _loaded(cls, path: Path, file: PlanFile, document: Mapping[str, Any]) -> Project:
        kept: Any = document.get(STUDIO, {})
        mark = file.input
        if mark is None:
            raise InvalidOption("it names no data: a project needs the table [input].")
        origin = kept.get("origin", OWN)
        source = DataSource(
            mark.file,
            str(kept.get("title", Path(mark.file).name)),
            origin if origin in (OWN, UPLOADED, EXAMPLE) else OWN,
            mark.reading,
            mark.sha256,
        )
        steps: list[Step] = []
        for said in kept.get("steps", []):
            try:
                plan = followed(steps[-1].plan if steps else None, said.get("changes", {}))
                steps.append(Step(plan, str(said["title"]), str(said["time"])))
            except (AttributeError, KeyError, TypeError, ValueError) as error:
                raise InvalidOption(f"step {len(steps) + 1} of its history is damaged.") from error
        at = kept.get("at", len(steps) - 1)
        if not steps or not isinstance(at, int) or not 0 <= at < len(steps):
            steps, at = [*steps, _step(file.plan, "Read from a plan")], None
        elif steps[at].plan != file.plan:  # somebody changed the plan by hand: that counts
            steps, at = [*steps[: at + 1], _step(file.plan, "Changed in the file")], None
        project = cls(path, source.name, source, steps, at)
        project.results = _read_results(project.results_path)
        return project

    # ---- what stands

    @property
    def plan(self) -> Plan:
        """The plan that stands."""
        return self.steps[self.at].plan

    @property
    def can_undo(self) -> bool:
        """Whether there is a step to undo."""
        return self.at > 0

    @property
    def can_redo(self) -> bool:
        """Whether a step was undone that can be done again."""
        return self.at < len(self.steps) - 1

    @property
    def undecided(self) -> tuple[str, ...]:
        """The columns that have no role yet; nothing is released before there are none."""
        if self.look is None:
            return ()
        roles = roles_of(self.plan)
        return tuple(column.name for column in self.look.columns if column.name not in roles)

    @property
    def is_decided(self) -> bool:
        """Whether every column has a role, and there is something to group."""
        return self.look is not None and not self.undecided and bool(self.plan.quasi)

    # ---- changes

    def change(self, plan: Plan, title: str, revision: int) -> None:
        """Let another plan stand: a new step, and what was undone is forgotten.

        Parameters
        ----------
        plan : Plan
            The plan.
        title : str
            What was done, in a few words.
        revision : int
            The one that was seen by whoever changes it; `Stale` where it is not the present one.
        """
        with self.lock:
            self.check_revision(revision)
            if plan == self.plan:
                return
            if self.check is not None:
                self.check(plan)
            before = self.steps, self.at
            self.steps, self.at = (*self.steps[: self.at + 1], _step(plan, title)), self.at + 1
            self._write(before)

    def go_to(self, at: int, revision: int) -> None:
        """Let an earlier or later step stand: undo, redo, or a jump."""
        with self.lock:
            self.check_revision(revision)
            if not 0 <= at < len(self.steps):
                raise InvalidOption("There is nothing further to undo or to do again.")
            before = self.steps, self.at
            self.at = at
            self._write(before)

    def read_as(self, source: DataSource, revision: int) -> None:
        """Say where the data are or how they are read; what is known of the columns is looked at anew."""
        with self.lock:
            self.check_revision(revision)
            self.source, self.look = source, None
            self._write((self.steps, self.at))

    def keep_result(self, name: str, result: Mapping[str, Any]) -> None:
        """Keep something that was found out, so that it is there after the studio was killed."""
        import json

        with self.lock:
            self.results[name] = dict(result)
            with atomic_path(self.results_path, mode=PRIVATE) as temporary:
                temporary.write_text(json.dumps(self.results, indent=1), encoding="utf-8")

    def check_revision(self, revision: int) -> None:
        """Refuse what somebody does who has not seen the last change: `Stale`."""
        if revision != self.revision:
            raise Stale(
                "This project was changed elsewhere meanwhile, perhaps in another tab. Nothing was changed by you: "
                "the page is shown anew."
            )

    def _write(self, before: tuple[tuple[Step, ...], int]) -> None:
        try:
            self.save()
        except MicroaggError:
            self.steps, self.at = before
            raise
        self.revision += 1

    # ---- files

    @property
    def results_path(self) -> Path:
        """Where results are kept."""
        return self.path.with_suffix(".results.json")

    @property
    def text(self) -> str:
        """The file of the project: the plan that stands, the data by their checksum, and all steps."""
        source = self.source
        mark = FileMark(source.path, source.sha256 or "unknown", **source.reading)
        parts = [dump(PlanFile(self.plan, mark, version=__version__))]
        parts.append(
            "# The steps that led here, for the studio: microagg studio THIS_FILE\n"
            f"[{STUDIO}]\ntitle = {toml_value(self.title, 'the title')}\n"
            f"origin = {toml_value(source.origin, 'the origin')}\nat = {self.at}\n"
        )
        texts: dict[int, str] = {}
        last: Plan | None = None
        for step in self.steps:
            known = self._texts.get(id(step))
            texts[id(step)] = known if known is not None else _step_text(last, step)
            parts.append(texts[id(step)])
            last = step.plan
        self._texts = texts
        return "\n".join(parts)

    @property
    def lock_path(self) -> Path:
        """What is locked while a studio has the project open."""
        return self.path.with_suffix(".lock")

    def hold(self) -> None:
        """Keep other studios from opening the project while this one has it; a killed studio lets go of it.

        Raises
        ------
        FileProblem
            Another studio has it open.
        """
        while self._held is None:
            try:
                held = os.open(self.lock_path, os.O_RDWR | os.O_CREAT | CLOSED, PRIVATE)
            except OSError as error:
                raise FileProblem(f"Cannot write {self.lock_path}: {error.strerror or error}.") from error
            if not try_lock(held):
                os.close(held)
                raise FileProblem(f"{self.path.name} is open in another studio. End that one, or go on there.")
            if os.fstat(held).st_nlink:
                self._held = held
            else:  # whoever had it before has just removed it
                os.close(held)

    def let_go(self) -> None:
        """Let other studios open the project."""
        if self._held is not None:
            self.lock_path.unlink(missing_ok=True)
            os.close(self._held)
            self._held = None

    def save(self) -> None:
        """Write the file of the project, whole or not at all, for its owner alone."""
        with self.lock, atomic_path(self.path, mode=PRIVATE) as temporary:
            temporary.write_text(self.text, encoding="utf-8", newline="\n")

    def delete(self) -> None:
        """Remove the files of the project; the data stay."""
        self.let_go()
        remove_project(self.path)

    def looked(self, look: Overview) -> None:
        """Take what is known of the columns."""
        with self.lock:
            self.look = look
            if look.sha256 != self.source.sha256:
                self.source = replace(self.source, sha256=look.sha256)
                self.save()


def remove_project(path: Path) -> None:
    """Remove the files of a project, by its path: the project, its results, its hierarchies."""
    for file in (path, path.with_suffix(".results.json"), path.with_suffix(".lock")):
        file.unlink(missing_ok=True)
    shutil.rmtree(path.with_suffix(HIERARCHIES), ignore_errors=True)


ROLES: dict[str, str] = {
    "quasi": "Quasi-identifier",
    "identifiers": "Left out",
    "confidential": "Confidential",
    "keep": "Kept as it is",
    "weights": "Survey weights",
    "by": "Strata",
    "unit": "Units",
}
"""What a column can be, by the field of the plan that names it."""
SINGLE = ("weights", "unit")
"""Roles that one column can have at a time."""


def roles_of(plan: Plan) -> dict[str, str]:
    """Give the role of every column that has one: a name in ROLES.

    >>> roles_of(Plan(k=3, quasi=("age",), unit="house", others="refuse"))
    {'age': 'quasi', 'house': 'unit'}
    """
    roles: dict[str, str] = {}
    for role in ROLES:
        named = getattr(plan, role)
        for name in (named,) if isinstance(named, str) else named or ():
            roles.setdefault(name, role)
    return roles


def _step(plan: Plan, title: str) -> Step:
    return Step(plan, title, datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"))


def _step_text(before: Plan | None, step: Step) -> str:
    lines = [f"[[{STUDIO}.steps]]", f"title = {toml_value(step.title, 'a step')}", f'time = "{step.time}"']
    changes = changes_of(before, step.plan)
    if changes:
        lines.append(f"changes = {toml_value(changes, 'a step')}")
    return "\n".join(lines) + "\n"


def _free(folder: Path, stem: str) -> Path:
    """Give a path for a new project that is not taken: letters and digits of the name of its data, and a number."""
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in stem).strip("-")[:60] or "data"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for number in range(1, 100_000):
        path = folder / (f"{plain}.toml" if number == 1 else f"{plain}-{number}.toml")
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE))
        except FileExistsError:
            continue
        except OSError as error:
            raise FileProblem(f"Cannot write {path}: {error.strerror or error}.") from error
        return path
    raise FileProblem(f"There are too many projects in {folder}. Delete some.")


def _read_results(path: Path) -> dict[str, dict[str, Any]]:
    """Read the results that were kept; what is damaged is found out again."""
    try:
        results = parse_json(read_text(path, MOST_BYTES))
    except (FileProblem, ValueError):
        return {}
    if not isinstance(results, dict):
        return {}
    return {name: result for name, result in results.items() if isinstance(result, dict)}
