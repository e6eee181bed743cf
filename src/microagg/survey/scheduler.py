"""When the stages of a survey are done: looks at the clock, the arrivals and the stages, and starts workers."""

from __future__ import annotations

import json
import logging
import math
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from microagg.base.types import FloatArray, IntArray
from microagg.errors import InvalidOption, MicroaggError, StoreUnavailable, UnknownSurvey
from microagg.incremental import Arrivals, RunningTime, Schedule, TwoStageTime, calibrate
from microagg.incremental import plan as make_schedule
from microagg.partition import partition
from microagg.survey import worker
from microagg.survey.stages import gather, make_release
from microagg.survey.store import BASE, FAILED, LEASE, REST, RUNNING, WAITING, SurveyState, owner_name
from microagg.survey.survey import CLOSED, CLOSING, OPEN, RELEASED, Survey, iso, state_of

LARGEST_SAMPLE = 8000
"""How many answers running times are measured on, at most."""
GROWTH = 2
"""Running times are measured anew when there are so many times as many answers as the last time."""
LEAST_SAMPLE = 16
"""Running times are measured as soon as there are so many times k answers."""
STEPS = 500
"""About how many looks the scheduler takes from the opening of a survey to its closing."""
SHORTEST_STEP, USUAL_STEP = 0.1, 2.0
"""Seconds between two looks, at least; and at most."""
START_UP = 1.0
"""Seconds that a worker needs before it reads its answers: it is started that much earlier."""
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 60.0
"""Seconds before a worker that died is started again: they double."""

LEAST_POWER, LARGEST_POWER, LARGEST_BASE_POWER = 0.5, 2.5, 1.5
"""Powers of the number of records that running times are believed to have."""

logger = logging.getLogger("microagg.survey")


@dataclass(frozen=True)
class Times:
    """How long things take on this machine with these answers.

    Attributes
    ----------
    stages : TwoStageTime
        The base stage and the second stage.
    finish : float
        Seconds for each answer after both: refining, common values, measures and the report.
    n_sample : int
        How many answers this was measured on.
    """

    stages: TwoStageTime
    finish: float
    n_sample: int


class Scheduler:
    """Sees to it that the stages of one survey are done in time, in worker processes.

    Several schedulers may look after the same survey, and any of them may die: the store lets one worker at a time take
    a stage on, and one that died gives way to the next.

    Parameters
    ----------
    url, name : str
        The store and the survey.
    clock : callable
        Seconds since 1970. Where it is put back, time stands still here until it is caught up.
    start : callable
        What starts a worker: takes url, name, stage and number of records.

    Examples
    --------
    >>> import tempfile
    >>> from microagg.survey import Definition, Field
    >>> folder = tempfile.TemporaryDirectory()
    >>> url = f"{folder.name}/surveys.db"
    >>> survey = Survey.create(url, Definition("small", k=3, fields=[Field("age", "integer")]))
    >>> scheduler = Scheduler(url, "small")
    >>> scheduler.step() is None
    True
    >>> survey.close()
    >>> scheduler.step()
    'rest'
    >>> scheduler.join()
    >>> survey.status().state
    'failed'
    >>> survey.disconnect(), scheduler.survey.disconnect(), folder.cleanup()
    (None, None, None)
    """

    def __init__(
        self,
        url: str,
        name: str,
        clock: Callable[[], float] = time.time,
        *,
        start: Callable[[str, str, str, int | None], subprocess.Popen[bytes]] = worker.start,
    ) -> None:
        self._url = url
        self._clock = clock
        self._latest = -math.inf
        self._start = start
        self._child: subprocess.Popen[bytes] | None = None
        self._stage = BASE
        self._pause = FIRST_PAUSE
        self._not_before = -math.inf
        self._times: Times | None = None
        self._closes: float | None = None
        self.survey = Survey.open(url, name, clock=self.now)

    def now(self) -> float:
        """Give the time, which never goes back."""
        self._latest = max(self._latest, self._clock())
        return self._latest

    def step(self) -> str | None:
        """Look once, and do what is due.

        Returns
        -------
        str or None
            The stage for which a worker was started; None where nothing was due.
        """
        survey, store = self.survey, self.survey.store
        facts = store.facts(survey.kept.id)
        closes = self._closes = survey.closing(facts)
        if state_of(facts) == OPEN and closes is not None and self.now() >= closes:
            survey.close_due()
        if self._is_busy():
            return None
        facts = store.facts(survey.kept.id)
        state, closes = state_of(facts), survey.closing(facts)
        if state == OPEN and closes is not None and self._is_due(facts, BASE):
            schedule = self._plan(facts, closes)
            # Where everything that is expected goes into one run, that begins when it is there, and no sooner.
            early = START_UP if schedule is not None and schedule.n_rest else 0.0
            if schedule is not None and schedule.start - early <= self.now():
                return self._begin(BASE, schedule.n_base)
        if state == CLOSING and self._is_due(facts, REST) and not self._is_alive(facts, BASE):
            return self._begin(REST, None)
        return None

    def state(self) -> str:
        """Say how the survey stands, in one word."""
        return state_of(self.survey.store.facts(self.survey.kept.id))

    def run(self, stop: threading.Event) -> None:
        """Look again and again until the survey's release is ready or cannot be made, or until `stop` is set."""
        while not stop.is_set():
            state = OPEN
            try:
                self.step()
                state = self.state()
            except StoreUnavailable as problem:
                logger.warning("survey %s: %s", self.survey.name, problem)
            except UnknownSurvey:
                return  # deleted
            if state in {CLOSED, RELEASED, FAILED}:
                return
            stop.wait(SHORTEST_STEP if state == CLOSING else self._interval())

    def join(self) -> None:
        """Wait for the worker that was started last."""
        if self._child is not None:
            self._child.wait()
        self._is_busy()

    def _interval(self) -> float:
        """Seconds until the next look at an open survey."""
        closes = self._closes
        if closes is None:
            return USUAL_STEP
        left = max(closes - self.now(), 0.0)
        whole = (closes - self.survey.kept.opened_at) / STEPS
        return min(max(min(whole, left), SHORTEST_STEP), USUAL_STEP)

    def _is_alive(self, facts: SurveyState, stage: str) -> bool:
        return facts.stages[stage].is_alive(self.survey.store.now(), LEASE)

    def _is_due(self, facts: SurveyState, stage: str) -> bool:
        """Say whether nobody has done it, tried it in vain, or is at it."""
        if stage == self._stage and time.monotonic() < self._not_before:
            return False
        state = facts.stages[stage].state
        return state == WAITING or (state == RUNNING and not self._is_alive(facts, stage))

    def _begin(self, stage: str, n_records: int | None) -> str:
        self._child = self._start(self._url, self.survey.name, stage, n_records)
        if stage != self._stage:
            self._stage, self._pause = stage, FIRST_PAUSE
        return stage

    def _is_busy(self) -> bool:
        """Say whether our worker is at work; see what became of it where it is not any more."""
        if self._child is None:
            return False
        code = self._child.poll()
        if code is None:
            return True
        self._child = None
        owner, kept, store = owner_name(), self.survey.kept, self.survey.store
        if code == 0 and store.facts(kept.id).stages[self._stage].state != WAITING:
            return False
        logger.warning("survey %s: the worker of stage %s ended with code %d", self.survey.name, self._stage, code)
        if code <= 0 or code == worker.TRY_AGAIN:
            # It was killed, had nothing to do, or its store went away: the next one may fare better, but not at once.
            self._not_before = time.monotonic() + self._pause
            self._pause = min(2 * self._pause, LONGEST_PAUSE)
            return False
        if store.claim(kept.id, self._stage, owner):
            store.fail(kept.id, self._stage, owner, f"its worker ended with code {code}")
        return False

    def _plan(self, facts: SurveyState, closes: float) -> Schedule | None:
        """Plan from now on: what is there can be used at once, the rest arrives evenly until closing."""
        survey, definition = self.survey, self.survey.definition
        received, now = facts.received, self.now()
        if received < LEAST_SAMPLE * definition.k:
            return None
        if self._times is None or (self._times.n_sample < LARGEST_SAMPLE and received >= GROWTH * self._times.n_sample):
            self._times = self._measure()
            if self._times is None:
                return None
        expected = definition.expected or 0
        if expected <= received:
            pace = received / max(now - survey.kept.opened_at, SHORTEST_STEP)
            expected = round(received + pace * (closes - now))
        arrivals = Arrivals([now, now, closes], [0, received, expected])
        finish = self._times.finish * arrivals.n_records
        deadline = None if definition.deadline is None else max(definition.deadline - finish, 0.0)
        note = ""
        try:
            schedule = make_schedule(arrivals, self._times.stages, deadline, k=definition.k)
        except InvalidOption:
            schedule = make_schedule(arrivals, self._times.stages, k=definition.k)
            note = "the deadline cannot be met; the release will be as early as can be"
        survey.store.keep_plan(survey.kept.id, json.dumps(_describe(schedule, finish, now, note)))
        return schedule

    def _measure(self) -> Times | None:
        """Measure running times on the answers that are there; None where they cannot be grouped yet."""
        survey, definition = self.survey, self.survey.definition
        sample = gather(survey.store, survey.kept, definition, LARGEST_SAMPLE)
        if sample is None:
            return None
        n_sample, grouping = len(sample.seqs), 0.0
        times: list[TwoStageTime] = []

        def group(X: FloatArray) -> IntArray:
            nonlocal grouping
            begin = time.perf_counter()
            times.append(
                calibrate(
                    X,
                    definition.k,
                    base=definition.method,
                    rest=definition.rest,
                    refine=definition.refine,
                    refine_options=definition.refine_options,
                    repeats=1,
                )
            )
            labels = partition(X, definition.k, method=definition.method, seed=definition.seed)
            grouping = time.perf_counter() - begin
            return labels

        begin = time.perf_counter()
        try:
            make_release(sample, definition, survey.kept.secret, 0, survey.store.now(), group=group)
        except MicroaggError as problem:
            logger.warning("survey %s: no plan yet: %s", survey.name, problem)
            return None
        finish = (time.perf_counter() - begin - grouping) / n_sample
        half = n_sample // 2
        stages = TwoStageTime(sane(times[0].base, n_sample, half), sane(times[0].rest, half, half))
        return Times(stages, finish, n_sample)


def sane(measured: RunningTime, n: int, n_base: int) -> RunningTime:
    """Give a running time with believable powers that agrees with a measured one at n records after n_base.

    Runs of a few records take no longer than the noise of a busy machine, which can look like any power.

    >>> sane(RunningTime(1e-12, 9.0), 100, 50).exponent
    2.5
    """
    exponent = min(max(measured.exponent, LEAST_POWER), LARGEST_POWER)
    base_exponent = min(max(measured.base_exponent, 0.0), LARGEST_BASE_POWER)
    spent = float(measured.seconds(n, n_base))
    return RunningTime(spent / (n**exponent * n_base**base_exponent), exponent, base_exponent)


def _describe(schedule: Schedule, finish: float, now: float, note: str) -> dict[str, Any]:
    described = asdict(schedule)
    described["ready"] += finish
    described["one_run"] += finish
    for moment in ("start", "base_ends", "closes", "ready"):
        described[moment] = iso(described[moment])
    return described | {
        "ratio": schedule.ratio,
        "head_start": schedule.head_start,
        "wait": schedule.wait + finish,
        "made": iso(now),
        "note": note,
    }
