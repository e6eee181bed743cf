"""The studio as a whole: its folders, its jobs, and the projects of each user."""

from __future__ import annotations

import hashlib
import os
import secrets
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

from fastapi import Depends, Request

from microagg import io
from microagg.errors import FileProblem, MicroaggError
from microagg.files.scratch import Folder
from microagg.plan.plan import Plan
from microagg.studio.examples import EXAMPLES, write_example
from microagg.studio.folders import Folders
from microagg.studio.jobs import Job, Jobs
from microagg.studio.project import Project
from microagg.studio.source import EXAMPLE, OWN, DataSource

GIGABYTE = 1_000_000_000
MOST_PROJECTS = 1000
"""How many projects of a user are listed."""


class NoSuchProject(MicroaggError):
    """There is no such project, or it is somebody else's."""


@dataclass(frozen=True)
class Settings:
    """What a studio may do.

    Attributes
    ----------
    folders : sequence of paths
        Where it may read and write; files are allowed by themselves.
    projects : Path
        Where the files of projects are kept.
    upload : int
        Bytes that an uploaded file may have.
    uploads : int
        How many uploaded files are kept at a time, of all users.
    columns : int
        How many columns data may have.
    processes : int
        How many jobs run at a time.
    memory : int, optional
        Bytes that each job may take.
    seconds : float, optional
        Seconds that each job may work.
    surveys : str, optional
        The store of surveys that are shown: a path, sqlite:///PATH or postgresql://...
    """

    folders: Sequence[str | os.PathLike[str]] = ()
    projects: Path = field(default_factory=lambda: default_projects())
    upload: int = 2 * GIGABYTE
    uploads: int = 50
    columns: int = 20_000
    processes: int = field(default_factory=lambda: max(1, (os.cpu_count() or 2) - 1))
    memory: int | None = None
    seconds: float | None = None
    surveys: str | None = None


def default_projects() -> Path:
    """Give the folder in which projects are kept where nobody says: the user's place for such things."""
    state = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(state) / "microagg" / "studio"


class Studio:
    """Folders, jobs and projects.

    Attributes
    ----------
    settings : Settings
        What it may do.
    folders : Folders
        Where it may read and write.
    temporary : Path
        A private folder that goes with the studio: uploaded files, and what jobs write on their way.
    jobs : Jobs
        What runs.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.folders = Folders(settings.folders)
        self._scratch = Folder()
        self.temporary = self._scratch.path
        self.jobs = Jobs(self.temporary, processes=settings.processes, memory=settings.memory, seconds=settings.seconds)
        self._projects: dict[tuple[str, Path], Project] = {}
        self._lock = threading.RLock()

    def close(self) -> None:
        """End all jobs, and remove all temporary files."""
        self.jobs.close()
        for project in self._projects.values():
            project.let_go()
        self._scratch.close()

    def folder_of(self, user: str) -> Path:
        """Give the folder of a user's projects: a name that says nothing, so that no name can lead elsewhere."""
        if not user:
            return self.settings.projects
        return self.settings.projects / f"user-{hashlib.sha256(user.encode()).hexdigest()[:24]}"

    def paths_of(self, user: str) -> list[Path]:
        """Give the files of a user's projects, the newest first."""
        try:
            paths = [path for path in self.folder_of(user).iterdir() if path.suffix == ".toml" and path.is_file()]
        except OSError:
            return []
        return sorted(paths, key=lambda path: path.stat().st_mtime, reverse=True)[:MOST_PROJECTS]

    def begin(self, user: str, source: DataSource) -> Project:
        """Begin a project for data."""
        project = Project.begin(self.folder_of(user), source)
        return self._add(user, project)

    def open(self, user: str, path: Path) -> Project:
        """Open a project by its file, or give it if it is open.

        What the file says of places is not believed: its data must lie in an allowed folder, uploaded ones went with
        the studio that took them, and examples are made anew.
        """
        with self._lock:
            known = self._projects.get((user, path))
            if known is not None:
                return known
            project = Project.load(path)
            source = project.source
            if source.origin == OWN:
                project.source = replace(source, path=str(self.folders.resolve(source.path)))
            elif source.origin == EXAMPLE and Path(source.name).stem in EXAMPLES:
                example = Path(source.name).stem
                project.source = replace(source, path=str(write_example(example, self.new_place(source.name))))
            else:
                project.source = replace(source, path=str(self.temporary / "gone" / Path(source.path).name))
            for step in project.steps:
                self.check_plan(step.plan)
            return self._add(user, project)

    def address_of(self, file: Path) -> str:
        """Open a file, data or a project, for whoever started the studio; gives the address of its page."""
        path = self.folders.resolve(file.absolute())
        if path.suffix.lower() == ".toml":
            project = self.open("", path)
        else:
            io.format_of(path)
            project = self.begin("", DataSource(str(path), path.name))
        return f"/projects/{project.id}/data"

    def new_place(self, name: str) -> Path:
        """Give a new place in the private folder, with the kind of the file in its name and nothing else."""
        folder = self.temporary / "uploads"
        folder.mkdir(mode=0o700, exist_ok=True)
        if sum(1 for _ in folder.iterdir()) >= self.settings.uploads:
            raise FileProblem("Too many uploaded files are kept. Delete projects that are not needed any more.")
        return folder / f"{secrets.token_hex(8)}{io.format_of(name).suffix}"

    def check_plan(self, plan: Plan) -> None:
        """Refuse a plan that names files outside the allowed folders: hierarchies are files, too."""
        for kind in plan.kinds.values():
            if isinstance(kind, str) and kind.startswith("hierarchy:"):
                named = Path(os.path.realpath(kind.partition(":")[2]))
                if self.settings.projects not in named.parents and self.temporary not in named.parents:
                    self.folders.resolve(named)

    def project(self, user: str, project_id: str) -> Project:
        """Give a project of a user that is open; `NoSuchProject` for all others."""
        with self._lock:
            for (owner, _), project in self._projects.items():
                if owner == user and project.id == project_id:
                    return project
        raise NoSuchProject("This project is not open. Choose it on the first page.")

    def projects_of(self, user: str) -> list[Project]:
        """Give the projects of a user that are open."""
        with self._lock:
            return [project for (owner, _), project in self._projects.items() if owner == user]

    def remove(self, user: str, project: Project) -> None:
        """Delete a project; its data stay, unless they were uploaded."""
        with self._lock:
            self.jobs.forget(project.id)
            self._projects.pop((user, project.path), None)
            project.delete()
            if self.temporary in Path(project.source.path).parents:
                Path(project.source.path).unlink(missing_ok=True)

    def look_at(self, project: Project) -> Job:
        """Have the columns of a project looked at, if they were not; gives the job."""
        source = project.source

        def take(job: Job) -> None:
            if project.source.path == source.path and project.source.reading == source.reading:
                project.looked(job.result)

        key = hashlib.sha256(repr((source.path, sorted(source.reading.items()))).encode()).hexdigest()[:16]
        return self.jobs.once(
            project.id,
            "look",
            key,
            "microagg.studio.work.looks:look",
            {"source": source, "most_columns": self.settings.columns},
            title="Looking at the columns",
            first=True,
            then=take,
        )

    def _add(self, user: str, project: Project) -> Project:
        project.hold()
        project.check = self.check_plan
        with self._lock:
            self._projects[user, project.path] = project
        if project.source.is_there:
            self.look_at(project)
        return project


def studio_of(request: Request) -> Studio:
    """Give the studio that a request is for."""
    studio: Studio = request.app.state.studio
    return studio


def project_of(project_id: str, request: Request) -> Project:
    """Give the project that an address names, if it is the user's own."""
    return studio_of(request).project(request.state.user, project_id)


Here = Annotated[Studio, Depends(studio_of)]
"""The studio, in the signature of a page."""
Opened = Annotated[Project, Depends(project_of)]
"""The project that the address names ({project_id}), in the signature of a page."""
