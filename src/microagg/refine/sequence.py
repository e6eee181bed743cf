"""The search of some thousand records: a fixed sequence of annealings, of which time decides only where it ends."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, Protocol

import numpy as np

from microagg import _core
from microagg.base.groups import group_means
from microagg.base.progress import Progress
from microagg.base.types import FloatArray, IntArray
from microagg.refine.in_order import NumberedTask, Stopped, do_in_order

WINDOW = 16
"""A round goes on from the results of all rounds but the last so many: as many threads may work at the same time."""
ROUNDS_PER_ITERATION = 6
"""Of annealing, in what a user counts."""
HEATS = (0.07, 0.1, 0.14, 0.2, 0.28, 0.4)
"""Of rounds, in units of a record's own scale."""
FIRST_USUAL, USUAL_HEATS = 1, 3
"""Among them."""
USUAL, CURIOUS, LEARNING = 0.5, 0.1, 0.1
"""How often to take a usual heat, and any; how quickly to learn what others are worth."""
SWEEPS, MEAN_SWEEPS = (40, 60, 80, 120), 75
"""Moves for each record in a round: one of these."""
GOES_ON = 0.3
"""How often a round goes on from where another one ended, better or not."""
COOLING_HEAT = 0.3
"""From which fresh groups are cooled."""
FIRST_COOLING, SECOND_COOLING, SLOWER = 300, 3_000, 2
"""Moves for each record in the first two coolings, and how many times as slow each of the others is."""
FIRST_MOVES, LEAST_COOLING = 1_500_000, 50
"""Moves in the first one, at most; for each record at least."""
CHAINS = 2
"""Coolings at a time."""
PAUSE = 2.0
"""Moves in rounds between two coolings, by those of the earlier one; half as many again during the next one."""


class Extra(Protocol):
    """More ways to better partitions, beside annealing: see `microagg.partition.choosing`."""

    def note(self, labels: IntArray) -> None:
        """See a partition that the search came by."""

    def works(
        self, labels: IntArray, sweeps: float, random: np.random.Generator
    ) -> Iterator[tuple[Callable[[], Any], Callable[[Any], IntArray | None], int]]:
        """Give what to do now, after so many moves for each record: work, what makes labels of its result, rounds."""

    def stop(self) -> None:
        """End all work soon."""


class Heats:
    """Which heat pays depends on the data, on k, and on how good the partition is already.

    Half of the time one of the usual ones; otherwise each in proportion to what it brought lately, or now and then any.
    """

    def __init__(self) -> None:
        self._worth = np.zeros(len(HEATS))

    def choose(self, random: np.random.Generator) -> int:
        """Give the place of a heat."""
        mood, total = random.random(), self._worth.sum()
        if mood < USUAL:
            return FIRST_USUAL + int(random.integers(USUAL_HEATS))
        if mood < USUAL + CURIOUS or not total > 0.0:
            return int(random.integers(len(HEATS)))
        place = np.searchsorted(np.cumsum(self._worth), random.random() * total, side="right")
        return min(int(place), len(HEATS) - 1)

    def learn(self, which: int, decrease: float) -> None:
        """Remember what a heat brought."""
        self._worth[which] += LEARNING * (decrease - self._worth[which])


class Sequence:
    """Tasks in a fixed order, each made of what the ones before it have given.

    Fresh groups are cooled from high heat, again and again, each time more slowly; the latest are the lead. All the
    time, in rounds, the lead is warmed up a little and annealed again: of each result, those components that are better
    than what they replace are kept. The best partition keeps the better parts of all leads.

    Attributes
    ----------
    best : array of n int
        The best partition so far.
    decrease : float
        Of the sum of squared errors, since the start.
    """

    def __init__(
        self, X: FloatArray, labels: IntArray, k: int, seed: int, promises: _core.Promises | None, extra: Extra | None
    ) -> None:
        self.best = labels.copy()
        self.decrease = 0.0
        self._annealer = _core.Annealer(X, k, self.best, promises)
        self._start = self._lead = self.best.copy()
        self._seed, self._extra, self._heats = seed, extra, Heats()
        self._currents: list[IntArray | None] = [None] * WINDOW
        self._backlog: deque[Callable[[int], NumberedTask]] = deque()
        self._fresh: list[IntArray] = []
        self._cooled, self._cooling = 0, max(min(FIRST_COOLING, FIRST_MOVES // len(X)), LEAST_COOLING)
        self._sweeps, self._next_cooling = 0.0, 0.0

    def stop(self) -> None:
        """End all work soon."""
        self._annealer.stop()
        if self._extra is not None:
            self._extra.stop()

    def next_task(self, number: int) -> NumberedTask:
        """Give the task of a number, after everything that is due before it has been taken."""
        if not self._backlog and self._sweeps >= self._next_cooling:
            self._begin_cooling(number)
        if not self._backlog and self._extra is not None and number >= WINDOW:
            for work, labels_of, rounds in self._extra.works(self.best, self._sweeps, self._random(number, 1)):
                self._backlog.append(self._extra_task(work, labels_of, rounds))
        if self._backlog:
            return self._backlog.popleft()(number)
        return self._round(number)

    def _random(self, number: int, use: int = 0) -> np.random.Generator:
        return np.random.default_rng([self._seed, number, use])

    def _anneal(self, labels: IntArray, heat: float, sweeps: float, random: np.random.Generator) -> Callable[[], Any]:
        seed = int(random.integers(2**63))

        def work() -> IntArray:
            annealed = self._annealer.anneal(labels, heat, sweeps, seed)
            if annealed is None:
                raise Stopped
            return annealed

        return work

    def _improve(self, other: IntArray) -> float:
        """Take what is better into the best partition."""
        self.best, decrease = self._annealer.combine(self.best, other)
        self.decrease += decrease
        return decrease

    def _round(self, number: int) -> NumberedTask:
        random, slot = self._random(number), number % WINDOW
        which, sweeps = self._heats.choose(random), SWEEPS[int(random.integers(len(SWEEPS)))]
        current = self._currents[slot]
        if current is None or random.random() >= GOES_ON:
            current = self._lead
        self._sweeps += sweeps

        def take(labels: IntArray) -> None:
            self._currents[slot] = labels
            if self._extra is not None:
                self._extra.note(labels)
            self._lead, decrease = self._annealer.combine(self._lead, labels)
            if decrease > 0.0:
                self._improve(self._lead)
            self._heats.learn(which, decrease)

        return NumberedTask(self._anneal(current, HEATS[which], sweeps, random), take, number + WINDOW)

    def _begin_cooling(self, number: int) -> None:
        sweeps, before = self._cooling, self._cooled
        # There is nothing to improve before the first one has ended.
        rounds = max(WINDOW, int(0.5 * PAUSE * CHAINS * before / MEAN_SWEEPS)) if before else 0
        self._cooled, self._cooling = sweeps, SLOWER * sweeps if before else SECOND_COOLING
        self._next_cooling = math.inf

        def take(labels: IntArray) -> None:
            self._fresh.append(labels)
            if self._extra is not None:
                self._extra.note(labels)
            if len(self._fresh) < CHAINS:
                return
            self._lead = self._fresh[0]
            for other in self._fresh[1:]:
                self._lead, _ = self._annealer.combine(self._lead, other)
            self._fresh.clear()
            self._improve(self._lead)
            self._next_cooling = self._sweeps + PAUSE * CHAINS * sweeps

        def cool(at: int) -> NumberedTask:
            work = self._anneal(self._start, COOLING_HEAT, sweeps, self._random(at))
            return NumberedTask(work, take, number + CHAINS + rounds)

        self._backlog.extend([cool] * CHAINS)

    def _extra_task(
        self, work: Callable[[], Any], labels_of: Callable[[Any], IntArray | None], rounds: int
    ) -> Callable[[int], NumberedTask]:
        def take(result: Any) -> None:
            labels = labels_of(result)
            if labels is not None:
                self._improve(labels)
                self._lead, _ = self._annealer.combine(self._lead, labels)

        return lambda number: NumberedTask(work, take, number + rounds)


def search_in_sequence(
    X: FloatArray,
    labels: IntArray,
    k: int,
    *,
    seconds: float,
    iterations: int | None,
    seed: int,
    threads: int,
    progress: Progress | None,
    promises: _core.Promises | None,
    extra: Extra | None = None,
) -> IntArray:
    """Search from labels, for so many seconds or iterations; a KeyboardInterrupt gives the best so far.

    What a longer search gives is never worse than what a shorter one with the same seed gives: it does the same, and
    then goes on.
    """
    if len(X) < 2 * k:
        return labels
    sequence = Sequence(X, labels, k, seed, promises, extra)
    sse, total = squared_errors(X, sequence.best), squared_errors(X, np.zeros(len(X), dtype=np.int64))
    tell_loss = getattr(progress, "tell_loss", None)

    def tell(fraction: float) -> None:
        if progress is not None:
            progress(fraction)
        if tell_loss is not None:
            tell_loss(100.0 * max(sse - sequence.decrease, 0.0) / total if total > 0.0 else 0.0)

    if progress is not None:
        tell.every = getattr(progress, "every", 0.1)  # type: ignore[attr-defined]
    n_tasks = None if iterations is None else ROUNDS_PER_ITERATION * iterations + WINDOW
    try:
        do_in_order(
            sequence.next_task,
            n_tasks=n_tasks,
            seconds=seconds,
            threads=threads,
            stop=sequence.stop,
            progress=tell,
        )
        if progress is not None:
            progress(1.0)
    except KeyboardInterrupt:
        pass
    return sequence.best


def squared_errors(X: FloatArray, labels: IntArray) -> float:
    """Give the sum of squared errors."""
    return float(((X - group_means(X, labels)[labels]) ** 2).sum())
