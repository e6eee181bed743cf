"""Work in processes of its own: with progress, pause and cancel at any moment; nothing is left behind.

A job is a function of `microagg.studio` or below by its name ("microagg.studio.work.looks:look") and what it is called
with. It runs in a process that reads the data itself, so that the studio holds none, and that can be killed at any
moment: its folder for temporary files goes with it. A process whose studio is gone ends by itself.
"""

from __future__ import annotations

import pickle
import secrets
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import IO, Any

from microagg.errors import MicroaggError
from microagg.files import system
from microagg.report.words import duration

FINISHED_KEPT = 200
"""How many finished jobs of a project are remembered."""
LEAST_SEEN = 0.05
"""How much of a job must be done before it is said how long the rest will take: reading the data says little."""
PATIENCE = 2.0
"""Seconds that processes are given to end when the studio does."""


class JobRefused(MicroaggError):
    """No further job is taken."""


class State(StrEnum):
    """How a job stands."""

    WAITING = "waiting"
    RUNNING = "running"
    PAUSED = "paused"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


OVER = (State.DONE, State.FAILED, State.CANCELLED)


@dataclass
class Job:
    """One piece of work.

    Attributes
    ----------
    id : str
        Names it in addresses.
    project : str
        The id of the project that it belongs to.
    kind : str
        What sort of work it is: "look", "candidate", ...
    key : str
        What tells it from others of its kind in the project: the same key is the same work.
    title : str
        What people call it.
    state : State
        How it stands.
    fraction : float
        How much of it is done, 0 to 1.
    loss : float or None
        The loss so far, in percent, where there is one.
    notes : dict
        What it said of itself on the way, by name.
    result : object
        What the function gave; None until the job is done.
    message : str
        Why it failed, for people.
    """

    id: str
    project: str
    kind: str
    key: str
    title: str
    work: str
    arguments: Mapping[str, Any]
    state: State = State.WAITING
    fraction: float = 0.0
    loss: float | None = None
    notes: dict[str, Any] = field(default_factory=dict)
    result: Any = None
    message: str = ""
    first: bool = False
    then: Callable[[Job], None] | None = None
    _process: subprocess.Popen[bytes] | None = None
    _since: float = 0.0
    _spent: float = 0.0

    @property
    def is_over(self) -> bool:
        """Whether nothing more will come of it."""
        return self.state in OVER

    @property
    def seconds(self) -> float:
        """How long it has worked, without waiting and pauses."""
        return self._spent + (time.monotonic() - self._since if self.state is State.RUNNING else 0.0)

    @property
    def seconds_left(self) -> float | None:
        """How long it will still take, if it goes on as it did; None where nobody can say."""
        if self.state not in (State.RUNNING, State.PAUSED) or self.fraction <= LEAST_SEEN or self.seconds < 0.5:
            return None
        return self.seconds * (1 - self.fraction) / self.fraction

    @property
    def told(self) -> dict[str, Any]:
        """What the page is told of it."""
        return {
            "id": self.id,
            "kind": self.kind,
            "key": self.key,
            "title": self.title,
            "state": str(self.state),
            "over": self.is_over,
            "fraction": round(self.fraction, 4),
            "loss": self.loss,
            "seconds": round(self.seconds, 1),
            "left": None if self.seconds_left is None else round(self.seconds_left, 1),
            "message": self.message,
        }


class Jobs:
    """All jobs of a studio: few run at a time, the others wait their turn.

    Parameters
    ----------
    folder : Path
        Where each job has a folder for temporary files while it runs.
    processes : int
        How many run at a time.
    waiting : int
        How many may wait.
    memory : int, optional
        Bytes that each process may take.
    seconds : float, optional
        Seconds that each may work.
    """

    def __init__(
        self,
        folder: Path,
        *,
        processes: int = 1,
        waiting: int = 500,
        memory: int | None = None,
        seconds: float | None = None,
    ) -> None:
        self._folder, self._processes, self._waiting = folder, processes, waiting
        self._memory, self._seconds = memory, seconds
        self._jobs: dict[str, Job] = {}
        self._lock = threading.RLock()
        self._closed = False
        self._spare: subprocess.Popen[bytes] | None = None
        threading.Thread(target=self._spare_one, daemon=True).start()

    # ---- asked for by pages

    def once(
        self,
        project: str,
        kind: str,
        key: str,
        work: str,
        arguments: Mapping[str, Any],
        *,
        title: str,
        first: bool = False,
        then: Callable[[Job], None] | None = None,
    ) -> Job:
        """Give the job of this kind and key, or start it.

        Parameters
        ----------
        project, kind, key : str
            Whose work it is, of what sort, and what tells it from others: a job that failed or was cancelled is not
            started again by itself.
        work : str
            The function, as "package.module:name"; it is called with a `JobTask` and the arguments.
        arguments : mapping
            Keywords that can be pickled.
        title : str
            What people call it.
        first : bool
            Whether it goes before others that wait.
        then : callable, optional
            Told of the job when it is done, before pages see that it is.
        """
        with self._lock:
            for job in self._jobs.values():
                if (job.project, job.kind, job.key) == (project, kind, key):
                    return job
            return self.start(project, kind, key, work, arguments, title=title, first=first, then=then)

    def start(
        self,
        project: str,
        kind: str,
        key: str,
        work: str,
        arguments: Mapping[str, Any],
        *,
        title: str,
        first: bool = False,
        then: Callable[[Job], None] | None = None,
    ) -> Job:
        """Start a job, in the place of one of the same kind and key that is over; see `once`."""
        job = Job(secrets.token_urlsafe(9), project, kind, key, title, work, dict(arguments), first=first, then=then)
        with self._lock:
            if self._closed or sum(other.state is State.WAITING for other in self._jobs.values()) >= self._waiting:
                raise JobRefused(f"{self._waiting:,} jobs wait already. Cancel some of them, or wait.")
            for other in list(self._jobs.values()):
                if (other.project, other.kind, other.key) == (project, kind, key):
                    self.cancel(other.id)
                    del self._jobs[other.id]
            self._jobs[job.id] = job
            self._forget(project)
            self._start_next()
        return job

    def get(self, job_id: str, project: str) -> Job | None:
        """Give a job of a project by its id."""
        job = self._jobs.get(job_id)
        return job if job is not None and job.project == project else None

    def find(self, project: str, kind: str, key: str) -> Job | None:
        """Give the job of this kind and key, if there is one."""
        with self._lock:
            asked = (project, kind, key)
            return next((j for j in self._jobs.values() if (j.project, j.kind, j.key) == asked), None)

    def of(self, project: str, kind: str | None = None) -> list[Job]:
        """Give the jobs of a project, the oldest first."""
        with self._lock:
            return [job for job in self._jobs.values() if job.project == project and kind in (None, job.kind)]

    def cancel(self, job_id: str) -> None:
        """End a job at once; what it wrote on the way is removed."""
        with self._lock:
            job = self._jobs.get(job_id)
            if job is None or job.is_over:
                return
            self._stop_clock(job)
            job.state = State.CANCELLED
            if job._process is not None:
                _kill(job._process)
            self._start_next()

    def pause(self, job_id: str) -> None:
        """Let a running job stand still where it is."""
        with self._lock:
            job = self._jobs.get(job_id)
            if job is not None and job.state is State.RUNNING and job._process is not None:
                system.pause_all(job._process.pid)
                self._stop_clock(job)
                job.state = State.PAUSED
                self._start_next()

    def resume(self, job_id: str) -> None:
        """Let a job that stands still go on."""
        with self._lock:
            job = self._jobs.get(job_id)
            if job is not None and job.state is State.PAUSED and job._process is not None:
                job.state, job._since = State.RUNNING, time.monotonic()
                system.resume_all(job._process.pid)

    def forget(self, project: str) -> None:
        """Cancel and forget all jobs of a project."""
        with self._lock:
            for job in self.of(project):
                self.cancel(job.id)
                self._jobs.pop(job.id, None)

    def close(self) -> None:
        """Cancel everything, and wait for the processes to be gone."""
        with self._lock:
            self._closed = True
            processes = [job._process for job in self._jobs.values() if job._process is not None]
            if self._spare is not None:
                _kill(self._spare)
                self._spare.wait()
                _close_pipes(self._spare)
            for job in list(self._jobs.values()):
                self.cancel(job.id)
        for process in processes:
            with suppress(subprocess.TimeoutExpired):
                process.wait(PATIENCE)

    # ---- within

    def _forget(self, project: str) -> None:
        over = [job for job in self.of(project) if job.is_over]
        for job in over[: max(0, len(over) - FINISHED_KEPT)]:
            del self._jobs[job.id]

    def _start_next(self) -> None:
        """Start jobs that wait while there is room; those of projects that have few running go first."""
        while not self._closed:
            running = [job for job in self._jobs.values() if job.state is State.RUNNING]
            waiting = [job for job in self._jobs.values() if job.state is State.WAITING]
            # One more than may run is let in where a page waits for it and little is to be done.
            room = self._processes + (1 if any(job.first for job in waiting) else 0)
            if not waiting or len(running) >= room:
                return
            of_project = {job.project: sum(other.project == job.project for other in running) for job in waiting}
            self._start(min(waiting, key=lambda job: (not job.first, of_project[job.project])))

    def _start(self, job: Job) -> None:
        scratch = self._folder / f"job-{job.id}"
        scratch.mkdir(mode=0o700)
        job.state, job._since = State.RUNNING, time.monotonic()
        process, self._spare = self._spare, None
        if process is None or process.poll() is not None:
            process = _new_process()
        job._process = process
        task = (job.work, dict(job.arguments), str(scratch), self._memory)
        threading.Thread(target=self._attend, args=(job, process, task, scratch), daemon=True).start()
        threading.Thread(target=self._spare_one, daemon=True).start()

    def _spare_one(self) -> None:
        """Have a process ready for the next job: it takes a second until one can work."""
        with self._lock:
            if self._spare is None and not self._closed:
                self._spare = _new_process()

    def _attend(self, job: Job, process: subprocess.Popen[bytes], task: tuple[Any, ...], scratch: Path) -> None:
        """Listen to a process until it ends."""
        ended, value = "lost", None
        limit = None if self._seconds is None else threading.Timer(self._seconds, self._too_long, [job])
        if limit is not None:
            limit.daemon = True
            limit.start()
        assert process.stdin is not None  # noqa: S101 - both are pipes
        assert process.stdout is not None  # noqa: S101
        with suppress(OSError, EOFError, pickle.UnpicklingError):
            pickle.dump(task, process.stdin)
            process.stdin.flush()
            for what, value in _messages(process.stdout):
                if what == "progress":
                    job.fraction = value
                elif what == "loss":
                    job.loss = value
                elif what == "note":
                    job.notes[value[0]] = value[1]
                else:
                    ended = what
                    break
        if limit is not None:
            limit.cancel()
        _kill(process)
        process.wait()
        _close_pipes(process)
        shutil.rmtree(scratch, ignore_errors=True)
        self._end(job, ended, value)

    def _end(self, job: Job, ended: str, value: Any) -> None:
        if ended == "done" and not job.is_over:
            job.result = value
            if job.then is not None:
                job.then(job)
        with self._lock:
            job._process = None
            if not job.is_over:
                self._stop_clock(job)
                job.state = State.DONE if ended == "done" else State.FAILED
                job.fraction = 1.0 if ended == "done" else job.fraction
                job.message = {"done": "", "failed": str(value)}.get(ended, LOST)
            self._start_next()

    def _too_long(self, job: Job) -> None:
        with self._lock:
            if not job.is_over:
                self._stop_clock(job)
                job.state, job.message = State.FAILED, f"It took longer than {duration(self._seconds or 0)}."
                if job._process is not None:
                    _kill(job._process)

    @staticmethod
    def _stop_clock(job: Job) -> None:
        if job.state is State.RUNNING:
            job._spent += time.monotonic() - job._since


LOST = "Its process ended unexpectedly, perhaps for want of memory. Try fewer columns or records, or a quicker method."


def _messages(pipe: IO[bytes]) -> Any:
    while True:
        yield pickle.load(pipe)  # noqa: S301 - from our own process


def _new_process() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "microagg.studio.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        process_group=0,
    )


def _close_pipes(process: subprocess.Popen[bytes]) -> None:
    for pipe in (process.stdin, process.stdout):
        with suppress(OSError):
            if pipe is not None:
                pipe.close()


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a process and all that it started."""
    system.end_all(process.pid)
