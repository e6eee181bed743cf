"""The search for the lowest loss: a fixed sequence of kicks and chains, of which time decides only the end."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from microagg import _core
from microagg.base.groups import group_means
from microagg.base.progress import Progress
from microagg.base.types import FloatArray, IntArray
from microagg.refine.in_order import NumberedTask, Stopped, do_in_order

STEPS_PER_ITERATION = 6
"""In what a user counts."""
ENOUGH, LEAST_SHARE = 25_000, 0.25
"""Kicks in a step: one for each record, but no more than so many, nor fewer than so many for each record."""
KICK, COMPARISON, STEP = 60.0, 0.25, 1.5
"""How many moves take about as long as a kick without what follows, as a comparison of local search, and as a step of a
look for a chain: what is done is counted, not measured, so that it is the same on any machine."""
LENGTHS = ((3, 12), (5, 10), (math.inf, 6))
"""Up to k: how many steps chains have at most. Long ones find most, and may take long where few records lie far apart.
"""
WARMTH, WARMEST = 0.018, 1.6
"""How warm kicks are at first, in units of a record's own scale: so much times k to the power of 1.5, and at most."""
SLOWER = 1.5
"""How many times as slow a cooling is as the one before."""
FIRST_HEAT, FIRST_SWEEPS, FIRST_MOVES, LEAST_SWEEPS = 0.3, 300, 1_500_000, 50
"""Groups that are not good yet are annealed first: from which heat, moves for each record and in all at most, and moves
for each record at least."""


Result = tuple[IntArray, int, int]
"""Of kicks or annealing: labels, comparisons of local search, steps of looks for chains."""


class Extra(Protocol):
    """More ways to better partitions, beside kicks: see `microagg.partition.choosing`."""

    def note(self, labels: IntArray) -> None:
        """See a partition that the search came by."""

    def works(
        self, labels: IntArray, sweeps: float, random: np.random.Generator
    ) -> Iterator[tuple[Callable[[], Any], Callable[[Any], IntArray | None], int]]:
        """Give what to do now, after so many moves for each record: work, what makes labels of its result, and after
        how many steps that is taken.
        """

    def stop(self) -> None:
        """End all work soon."""


@dataclass
class WarmKicks:
    """A cooling by kicks: the partition so far, its steps, and how many are done."""

    labels: IntArray
    n_steps: int = 1
    n_done: int = 0


class Sequence:
    """Tasks in a fixed order, each made of what the ones before it have given.

    Small places of the best partition are kicked, and what makes it worse is kept now and then while it is warm; chains
    follow after about a kick for each record. That is done again and again, each time more slowly, and the better
    components of the best partition and of each that has cooled make the next. All threads do that together.

    Attributes
    ----------
    best : array of n int
        The best partition so far.
    decrease : float
        Of the sum of squared errors, since the start.
    """

    def __init__(
        self,
        X: FloatArray,
        labels: IntArray,
        k: int,
        seed: int,
        promises: _core.Promises | None,
        extra: Extra | None,
        *,
        threads: int = 1,
        is_good: bool = False,
    ) -> None:
        self.best = labels.copy()
        self.decrease = 0.0
        self._annealer = _core.Annealer(X, k, self.best, threads, promises)
        self._seed, self._extra, self._is_good = seed, extra, is_good
        self._longest = next(longest for most, longest in LENGTHS if k <= most)
        self._warmth = min(WARMTH * k**1.5, WARMEST)
        self._backlog: deque[Callable[[int], NumberedTask]] = deque()
        self._kicks = max(min(len(X), ENOUGH), int(LEAST_SHARE * len(X)))
        self._moves = 0.0
        self._cooling = WarmKicks(self.best)

    def stop(self) -> None:
        """End all work soon."""
        self._annealer.stop()
        if self._extra is not None:
            self._extra.stop()

    def next_task(self, number: int) -> NumberedTask:
        """Give the task of a number, after everything that is due before it has been taken."""
        if not self._backlog and self._extra is not None and number > 0:
            for work, labels_of, steps in self._extra.works(self.best, self._moves, self._random(number, 1)):
                self._backlog.append(self._extra_task(work, labels_of, steps))
        if self._backlog:
            return self._backlog.popleft()(number)
        return self._step(number) if self._is_good else self._first_cooling(number)

    def _random(self, number: int, use: int = 0) -> np.random.Generator:
        return np.random.default_rng([self._seed, number, use])

    def _improve(self, other: IntArray) -> None:
        """Take what is better into the best partition."""
        self.best, decrease = self._annealer.combine(self.best, other)
        self.decrease += decrease

    def _note(self, labels: IntArray, moves: float, n_compared: int, n_steps: int) -> None:
        """Count what was done, in moves for each record."""
        self._moves += (moves + COMPARISON * n_compared + STEP * n_steps) / len(labels)
        if self._extra is not None:
            self._extra.note(labels)

    def _first_cooling(self, number: int) -> NumberedTask:
        """Anneal groups that are not good yet."""
        n, seed = len(self.best), int(self._random(number).integers(2**63))
        sweeps = max(min(FIRST_SWEEPS, FIRST_MOVES // n), LEAST_SWEEPS)
        self._is_good = True

        def take(result: Result) -> None:
            labels, n_compared, n_steps = result
            self._note(labels, sweeps * n, n_compared, n_steps)
            self._improve(labels)
            self._cooling = WarmKicks(self.best)

        start = self.best
        return NumberedTask(
            lambda: done(self._annealer.anneal(start, FIRST_HEAT, sweeps, self._longest, seed)),
            take,
            number + 1,
        )

    def _step(self, number: int) -> NumberedTask:
        """Go on with a cooling, by some kicks and chains; the last step ends it."""
        cooling, count, seed = self._cooling, self._kicks, int(self._random(number).integers(2**63))
        labels, begin, end = cooling.labels, cooling.n_done / cooling.n_steps, (cooling.n_done + 1) / cooling.n_steps

        def take(result: Result) -> None:
            cooling.labels, n_compared, n_steps = result
            cooling.n_done += 1
            self._note(cooling.labels, KICK * count, n_compared, n_steps)
            if cooling.n_done == cooling.n_steps:
                self._improve(cooling.labels)
                self._cooling = WarmKicks(self.best, math.ceil(SLOWER * cooling.n_steps))

        return NumberedTask(
            lambda: done(self._annealer.kick(labels, count, self._warmth, begin, end, self._longest, seed)),
            take,
            number + 1,
        )

    def _extra_task(
        self, work: Callable[[], Any], labels_of: Callable[[Any], IntArray | None], steps: int
    ) -> Callable[[int], NumberedTask]:
        def take(result: Any) -> None:
            labels = labels_of(result)
            if labels is not None:
                self._improve(labels)

        return lambda number: NumberedTask(work, take, number + steps)


def done(result: Result | None) -> Result:
    """Give what came of a piece of work that was not stopped."""
    if result is None:
        raise Stopped
    return result


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
    is_good: bool = False,
) -> IntArray:
    """Search from labels, for so many seconds or iterations; a KeyboardInterrupt gives the best so far.

    Labels that are good already are improved at once; otherwise fresh groups are cooled first.

    What a longer search gives is never worse than what a shorter one with the same seed gives: it does the same, and
    then goes on.
    """
    if len(X) < 2 * k:
        return labels
    ends_at = time.monotonic() + seconds  # neighbours take a while, where records are many
    sequence = Sequence(X, labels, k, seed, promises, extra, threads=threads, is_good=is_good)
    sse, total = squared_errors(X, sequence.best), squared_errors(X, np.zeros(len(X), dtype=np.int64))
    tell_loss = getattr(progress, "tell_loss", None)

    def tell(fraction: float) -> None:
        if progress is not None:
            progress(fraction)
        if tell_loss is not None:
            tell_loss(100.0 * max(sse - sequence.decrease, 0.0) / total if total > 0.0 else 0.0)

    if progress is not None:
        tell.every = getattr(progress, "every", 0.1)  # type: ignore[attr-defined]
    n_tasks = None if iterations is None else STEPS_PER_ITERATION * iterations + 1
    try:
        do_in_order(
            sequence.next_task,
            n_tasks=n_tasks,
            seconds=max(0.0, ends_at - time.monotonic()),
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
