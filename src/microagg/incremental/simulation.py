"""A survey replayed: records arrive along a curve, the stages really run, and a clock says what they took."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy.typing as npt

from microagg.base.checks import check_records
from microagg.base.groups import squared_error
from microagg.base.progress import Progress
from microagg.base.types import FloatArray, IntArray
from microagg.errors import InvalidOption
from microagg.incremental.arrivals import Arrivals
from microagg.incremental.price import RATIOS, increase, measure_price
from microagg.incremental.running_time import RunningTime, TwoStageTime, calibrate
from microagg.incremental.schedule import Schedule, plan
from microagg.incremental.two_stage import check_stages, second_stage
from microagg.partition import partition
from microagg.utility import information_loss

SAMPLE = 0.5
"""The share of the records, the first ones, on which running times and the price are measured before the replay."""


class Clock(Protocol):
    """Says what time it is in the survey, in seconds from its opening on."""

    factor: float
    """How many seconds of the survey a second of this machine counts."""
    seconds: Callable[[], float]
    """What measures the seconds of this machine."""

    def restart(self) -> None:
        """Begin again at 0."""

    def wait_until(self, moment: float) -> None:
        """Let time pass, if that moment is still to come."""

    def spent_on(self, work: Callable[[], IntArray]) -> tuple[IntArray, float, float]:
        """Do some work: what it gives, when it began and when it ended."""


class VirtualClock:
    """Time passes by itself where nothing runs; what runs is measured, and counts `factor` times.

    Measured is processor time, which is the same on a busy machine: it means one thread.

    >>> clock = VirtualClock()
    >>> clock.wait_until(3600.0)
    >>> _, begin, end = clock.spent_on(lambda: [])
    >>> begin == 3600.0 <= end < 3601.0
    True
    """

    def __init__(self, factor: float = 1.0, seconds: Callable[[], float] = time.process_time) -> None:
        self.factor = factor
        self.seconds = seconds
        self._now = 0.0

    def restart(self) -> None:
        """Begin again at 0."""
        self._now = 0.0

    def wait_until(self, moment: float) -> None:
        """Let time pass, if that moment is still to come."""
        self._now = max(self._now, moment)

    def spent_on(self, work: Callable[[], IntArray]) -> tuple[IntArray, float, float]:
        """Do some work: what it gives, when it began and when it ended."""
        begin, started = self._now, self.seconds()
        given = work()
        self._now = begin + self.factor * (self.seconds() - started)
        return given, begin, self._now


class CompressedClock:
    """Time passes `factor` times faster than on the wall: with 600, ten hours are over in a minute."""

    def __init__(
        self,
        factor: float,
        seconds: Callable[[], float] = time.perf_counter,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.factor = factor
        self.seconds = seconds
        self._sleep = sleep
        self._opened = seconds()

    def restart(self) -> None:
        """Begin again at 0."""
        self._opened = self.seconds()

    def now(self) -> float:
        """Say what time it is."""
        return self.factor * (self.seconds() - self._opened)

    def wait_until(self, moment: float) -> None:
        """Let time pass, if that moment is still to come."""
        while (left := moment - self.now()) > 0:
            self._sleep(left / self.factor)

    def spent_on(self, work: Callable[[], IntArray]) -> tuple[IntArray, float, float]:
        """Do some work: what it gives, when it began and when it ended."""
        begin = self.now()
        return work(), begin, self.now()


@dataclass(frozen=True)
class Phase:
    """Something that ran: on how many records, from when until when, in the seconds of the survey."""

    name: str
    n_records: int
    begin: float
    end: float


@dataclass(frozen=True)
class Timeline:
    """What became of one schedule.

    Attributes
    ----------
    name : str
        "traditional", "optimal" or "deadline".
    planned : Schedule
        What was planned, from the running times and the price that were measured on a sample.
    phases : tuple of Phase
        What ran.
    ready : float
        When the release was ready.
    information_loss : float
        In percent, of the whole.
    loss_increase : float
        By how many percent it is more than that of the traditional schedule.
    """

    name: str
    planned: Schedule
    phases: tuple[Phase, ...]
    ready: float
    information_loss: float
    loss_increase: float

    @property
    def wait(self) -> float:
        """Seconds from closing to the release."""
        return self.ready - self.planned.closes


@dataclass(frozen=True)
class Simulation:
    """A survey that was replayed with several schedules.

    Attributes
    ----------
    arrivals : Arrivals
        When records arrived.
    k : int
        Least size of a group.
    factor : float
        How many seconds of the survey a second of this machine counts.
    deadline : float, optional
        Seconds that were allowed from closing to the release.
    timelines : tuple of Timeline
        One for each schedule.
    """

    arrivals: Arrivals
    k: int
    factor: float
    deadline: float | None
    timelines: tuple[Timeline, ...]


def simulate(
    X: npt.ArrayLike,
    k: int,
    arrivals: Arrivals,
    *,
    deadline: float | None = None,
    one_run: float | None = None,
    clock: Clock | None = None,
    base: str = "mdav",
    rest: str = "mdav",
    base_options: Mapping[str, Any] | None = None,
    rest_options: Mapping[str, Any] | None = None,
    refine: str | None = None,
    refine_options: Mapping[str, Any] | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Simulation:
    """Replay records as the answers of a survey: in one run after closing, with the optimal schedule, with a deadline.

    Everything really runs, on the records that would be there, and is measured. The schedules are made before, as an
    operator would: running times are calibrated and the price is measured on the first half of the records.

    Parameters
    ----------
    X : array of shape (n, m)
        The records, prepared, in the order of their arrival.
    k : int
        Least size of a group.
    arrivals : Arrivals
        When they arrive; as many as X has.
    deadline : float, optional
        Seconds allowed from closing to the release; without it, there is no such schedule.
    one_run : float, optional
        For a virtual clock: show times as on a machine where one run on everything takes so many seconds.
    clock : VirtualClock or CompressedClock, optional
        A virtual clock by default.
    base, rest, base_options, rest_options, refine, refine_options, seed
        As in `two_stage`.
    threads : int, optional
        How many threads to use: one by default with a virtual clock, else all processors.
    progress : callable, optional
        Told the fraction done.

    Returns
    -------
    Simulation

    Examples
    --------
    >>> from microagg.datasets import gaussian
    >>> X = gaussian(2000, 5, seed=0)
    >>> found = simulate(X, 5, Arrivals.uniform(36_000, 2000), one_run=7200, rest="nearest")
    >>> [timeline.name for timeline in found.timelines]
    ['traditional', 'optimal']
    >>> found.timelines[1].wait < found.timelines[0].wait
    True
    """
    X = check_records(X, k)
    check_stages(base, base_options, rest, rest_options, refine, refine_options)
    n = X.shape[0]
    if arrivals.n_records != n:
        raise InvalidOption(f"arrivals must be as many as there are records ({n}); got {arrivals.n_records}.")
    clock = clock or VirtualClock()
    if threads is None and isinstance(clock, VirtualClock):
        threads = 1
    improving: dict[str, Any] = {"refine": refine, "refine_options": refine_options}
    common: dict[str, Any] = {**improving, "seed": seed, "threads": threads}
    ways: dict[str, Any] = {"base": base, "rest": rest, "base_options": base_options, "rest_options": rest_options}

    def first(records: FloatArray) -> IntArray:
        return partition(records, k, method=base, **common, **(base_options or {}))

    def second(records: FloatArray, labels: IntArray) -> IntArray:
        return second_stage(records, labels, k, rest=rest, rest_options=rest_options, **common)

    if one_run is not None:
        clock = _as_slow_as(one_run, clock, lambda: first(X))
    sample = X[: max(round(SAMPLE * n), min(n, 16 * k))]
    times = calibrate(sample, k, **improving, repeats=2, threads=threads, clock=clock.seconds, **ways)
    method = TwoStageTime(_slower(times.base, clock.factor), _slower(times.rest, clock.factor))
    ratios = [ratio for ratio in RATIOS if k <= round(len(sample) * ratio) <= len(sample) - k]
    price = measure_price(sample, k, ratios=ratios, **ways, **common)
    # All schedules are made first: a deadline that cannot be met is known before the replay.
    schedules = {"traditional": _at_once(arrivals, method), "optimal": plan(arrivals, method, k=k, price=price)}
    if deadline is not None:
        schedules["deadline"] = plan(arrivals, method, deadline, k=k, price=price)

    timelines: list[Timeline] = []
    error = 0.0
    for number, (name, planned) in enumerate(schedules.items()):
        phases, labels = _replay(X, planned.n_base, arrivals, first, second, clock)
        its_error = squared_error(X, labels)
        error = error if timelines else its_error
        loss = information_loss(X, labels)
        timelines.append(Timeline(name, planned, phases, phases[-1].end, loss, increase(error, its_error)))
        if progress is not None:
            progress((number + 1) / len(schedules))
    return Simulation(arrivals, k, clock.factor, deadline, tuple(timelines))


def _at_once(arrivals: Arrivals, method: TwoStageTime) -> Schedule:
    """Everything in one run after closing."""
    n, closes = arrivals.n_records, arrivals.closes
    took = float(method.base.seconds(n))
    return Schedule(n, 0, closes, closes + took, closes, closes + took, took, 0.0)


def _replay(
    X: FloatArray,
    n_base: int,
    arrivals: Arrivals,
    first: Callable[[FloatArray], IntArray],
    second: Callable[[FloatArray, IntArray], IntArray],
    clock: Clock,
) -> tuple[tuple[Phase, ...], IntArray]:
    """Wait for the records of the base stage, run it, wait for closing, run the second stage."""
    n = len(X)
    clock.restart()
    clock.wait_until(float(arrivals.time_of(n_base)) if n_base < n else arrivals.closes)
    labels, begin, end = clock.spent_on(lambda: first(X[:n_base]))
    phases = [Phase("base stage" if n_base < n else "one run", n_base, begin, end)]
    if n_base < n:
        clock.wait_until(arrivals.closes)
        base = labels
        labels, begin, end = clock.spent_on(lambda: second(X, base))
        phases.append(Phase("second stage", n - n_base, begin, end))
    return tuple(phases), labels


def _as_slow_as(one_run: float, clock: Clock, work: Callable[[], IntArray]) -> VirtualClock:
    """A virtual clock by which the work takes so many seconds; measured twice, the faster counts."""
    if not isinstance(clock, VirtualClock):
        raise InvalidOption("one_run needs a virtual clock: compressed time passes as fast as it was told to.")
    if not one_run > 0:
        raise InvalidOption(f"one_run must be a positive number of seconds; got {one_run!r}.")
    spans = [end - begin for _, begin, end in (clock.spent_on(work), clock.spent_on(work))]
    return VirtualClock(clock.factor * one_run / min(spans), clock.seconds)


def _slower(times: RunningTime, factor: float) -> RunningTime:
    return replace(times, constant=factor * times.constant)
