"""The search for the lowest loss: a fixed sequence of annealings and chains, of which time decides only the end."""

from __future__ import annotations

import math
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

FEW = 2_500
"""Records, up to which rounds take no time, and what is under way may be out of date by many of them."""
WINDOW = 16
"""Where records are few, a round goes on from the results of all rounds but the last so many: as many may be under way
at the same time."""
PARTS, MORE_PARTS, MANY = 2, 4, 30_000
"""Where they are not, a round works on so many parts of the groups at the same time, which do not touch each other: of
changes that overlap, only the better ones could be kept. Nobody changes places across a border, so parts are few, and
more from MANY records on, where less lies at borders."""
ROUNDS_PER_ITERATION = 6
"""Of annealing, in what a user counts."""
HEATS = (0.0, 0.1, 0.14, 0.2, 0.28, 0.4)
"""Of rounds, in units of a record's own scale; 0 stands for kicks in place of annealing."""
USUAL_HEATS = {True: slice(1, 4), False: slice(0, 1)}
"""Among them, where records are few, and where they are not."""
USUAL = 0.5
GREED = {True: 1.0, False: 2.0}
CURIOUS, LEARNING = {True: 0.1, False: 0.05}, {True: 0.1, False: 0.3}
"""Which part of the time goes to what is usual, and to any; to which power of its worth the rest goes to each; how
quickly to learn what each costs and is worth: quickly where rounds are long, as all are worth less and less."""
FIRST_COST = 80.0
"""Of a round of little heat, in moves for each record, until it is known."""
KICKS_SHARE, MOST_KICKS = 0.5, 40_000
"""Kicks in a part, by records, and at most."""
KICK, COMPARISON, STEP = 60.0, 0.25, 1.5
"""How many moves take about as long as a kick without what follows, as a comparison of local search, and as a step of a
look for a chain: what a round costs is counted, not measured, so that it is the same on any machine."""
SWEEPS, LONG_SWEEPS = (10, 20, 40, 80), (40, 60, 80, 120)
"""Moves for each record in a round, one of these: the longer ones where few records form large groups, in which chains
find little."""
LARGE_K = 6
"""From this k on, groups are large. To cool slowly is worth more than rounds then, and begins at once where records are
not few, up to AT_ONCE: of more, a cooling takes long, and until it ends there is nothing of it."""
AT_ONCE = 12_000
LENGTHS = {
    True: ((3, (4, 4, 8, 8, 12)), (5, (5, 10)), (math.inf, (6,))),
    False: ((3, (12,)), (5, (10,)), (math.inf, (6,))),
}
"""Up to k: how many steps chains have at most in a round, one of these. Long ones find most, and may take long where
few records lie far apart."""
GOES_ON = 0.3
"""How often a round goes on from where another one ended, better or not, where records are few."""
COOLING_HEAT = 0.3
"""From which fresh groups are cooled."""
FIRST_COOLING, SECOND_COOLING, SLOWER = 300, 1_500, 2
"""Moves for each record in the first two coolings, and how many times as slow each of the others is."""
FIRST_MOVES, LEAST_COOLING = 1_500_000, 50
"""Moves in the first one, at most; for each record at least."""
PAUSE, LONG_PAUSE = 1.0, 12.0
"""Work in rounds between two coolings, by that of the next one; the longer one where many records form small groups, in
which rounds find more."""
STANDSTILL, PROMISING = 1e-3, 3e-3
"""Fresh groups become the lead where the best partition has lost less of its error since the last cooling, or where
theirs is not larger by more than so much: slowly cooled groups have more left to gain."""


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

    A part of the time goes to the usual ones, a little to any, and the rest to those that brought most for their cost
    lately.
    """

    def __init__(self, *, are_few: bool) -> None:
        self._cost = FIRST_COST * np.maximum(1.0, np.asarray(HEATS) / HEATS[1]) ** 2  # hotter rounds change more
        self._rate, self._is_known = np.zeros(len(HEATS)), np.zeros(len(HEATS), dtype=bool)
        self._usual, self._usual_share, self._greed = USUAL_HEATS[are_few], USUAL, GREED[are_few]
        self._curious, self._learning = CURIOUS[are_few], LEARNING[are_few]

    def choose(self, random: np.random.Generator) -> int:
        """Give the place of a heat."""
        worth = self._rate**self._greed
        time = np.full(len(worth), self._curious / len(worth))
        usual_share = self._usual_share if worth.any() else 1.0 - self._curious
        time[self._usual] += usual_share / len(time[self._usual])
        if worth.any():
            time += (1.0 - self._curious - usual_share) * worth / worth.sum()
        chances = np.cumsum(time / self._cost)
        return min(int(np.searchsorted(chances, random.random() * chances[-1], side="right")), len(worth) - 1)

    def learn(self, which: int, decrease: float, cost: float) -> None:
        """Remember what a heat brought, and what it cost."""
        if not self._is_known[which]:
            self._cost[which], self._is_known[which] = cost, True
        self._cost[which] += self._learning * (cost - self._cost[which])
        self._rate[which] += self._learning * (decrease / cost - self._rate[which])

    def usual_cost(self) -> float:
        """Give what a round of a usual heat costs."""
        return float(self._cost[self._usual].mean())


def one_of(numbers: tuple[int, ...], random: np.random.Generator) -> int:
    """Give one of the numbers, each as often."""
    return numbers[int(random.integers(len(numbers)))]


@dataclass
class PartRound:
    """A round in parts: the partition that it began with, how, the parts to come, and what has come of the others."""

    labels: IntArray
    heat: int
    sweeps: int
    longest: int
    parts: list[IntArray]
    decrease: float = 0.0
    cost: float = 0.0
    n_taken: int = 0


def parts_of(X: FloatArray, labels: IntArray, count: int, random: np.random.Generator) -> list[IntArray]:
    """Cut the groups into so many parts, a power of two, of about as many records each, and give the rows of each.

    Centroids are cut at a median along a random direction, and the halves again along others: few groups that lie near
    each other are parted.

    >>> X, labels = np.arange(8.0)[:, None], np.repeat(np.arange(4), 2)
    >>> sorted(rows.tolist() for rows in parts_of(X, labels, 2, np.random.default_rng(0)))
    [[0, 1, 2, 3], [4, 5, 6, 7]]
    """
    means, sizes = group_means(X, labels), np.bincount(labels)
    parts = [np.arange(len(sizes))]
    while len(parts) < count:
        halves = []
        for part in parts:
            # No product of a library, whose sums may depend on threads.
            along = (means[part] * random.normal(size=X.shape[1])).sum(axis=1)
            part = part[np.argsort(along, kind="stable")]
            reached = np.cumsum(sizes[part])
            halves += np.split(part, [int(np.searchsorted(reached, sizes[part].sum() / 2)) + 1])
        parts = halves
    part_of_group = np.empty(len(sizes), dtype=np.int64)
    for number, part in enumerate(parts):
        part_of_group[part] = number
    part_of_row = part_of_group[labels]
    return [np.flatnonzero(part_of_row == number) for number in range(count)]


class Sequence:
    """Tasks in a fixed order, each made of what the ones before it have given.

    In rounds, the lead is warmed up a little and annealed again, or small places of it are kicked, and records of
    groups that have changed look for chains: of each result, those components that are better than what they replace
    are kept. Where records are not few, a round works on parts of the lead that do not touch each other, so that
    nothing is lost of what it finds. Beside that, fresh groups are cooled from high heat, again and again, each time
    more slowly: they become the lead if they are better, or if the rounds have come to a standstill. The best partition
    keeps the better parts of all leads.

    Attributes
    ----------
    best : array of n int
        The best partition so far.
    decrease : float
        Of the sum of squared errors, since the start.
    window : int
        How many tasks later the result of a round is taken.
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
        self._are_few, self._is_good = len(X) <= FEW, is_good
        self.window = WINDOW if self._are_few else PARTS if len(X) < MANY else MORE_PARTS
        self._annealer = _core.Annealer(X, k, self.best, threads, max(1, threads // self.window), promises)
        self._X, self._start, self._lead = X, self.best.copy(), self.best
        self._seed, self._extra = seed, extra
        self._heats = Heats(are_few=self._are_few)
        self._lengths = next(lengths for most, lengths in LENGTHS[self._are_few] if k <= most)
        self._currents: list[IntArray | None] = [None] * self.window
        self._backlog: deque[Callable[[int], NumberedTask]] = deque()
        self._fresh: list[IntArray] = []
        self._coolings = 2 if self._are_few else 1
        first = max(min(FIRST_COOLING, FIRST_MOVES // len(X)), LEAST_COOLING)
        self._cooling = SECOND_COOLING if is_good else first
        are_large = k >= LARGE_K
        self._round_sweeps = LONG_SWEEPS if self._are_few and are_large else SWEEPS
        cools_early = are_large and len(X) <= AT_ONCE
        begins_at_once = not is_good or (cools_early and not self._are_few)
        self._pause = PAUSE if self._are_few or cools_early else LONG_PAUSE
        self._sweeps, self._next_cooling = 0.0, 0.0 if begins_at_once else self._pause * SECOND_COOLING
        self._decrease_before = 0.0
        self._all, self._part_round = np.arange(len(X)), PartRound(self.best, 0, 0, 0, [])

    def stop(self) -> None:
        """End all work soon."""
        self._annealer.stop()
        if self._extra is not None:
            self._extra.stop()

    def next_task(self, number: int) -> NumberedTask:
        """Give the task of a number, after everything that is due before it has been taken."""
        if not self._backlog and self._sweeps >= self._next_cooling:
            self._begin_cooling(number)
        if not self._backlog and self._extra is not None and number >= self.window:
            for work, labels_of, rounds in self._extra.works(self.best, self._sweeps, self._random(number, 1)):
                self._backlog.append(self._extra_task(work, labels_of, rounds))
        if self._backlog:
            return self._backlog.popleft()(number)
        return self._round(number) if self._are_few else self._round_in_parts(number)

    def _random(self, number: int, use: int = 0) -> np.random.Generator:
        return np.random.default_rng([self._seed, number, use])

    def _anneal(
        self, labels: IntArray, rows: IntArray, heat: float, sweeps: float, longest: int, random: np.random.Generator
    ) -> Callable[[], tuple[IntArray, float]]:
        """Anneal the groups of some rows, or kick them where there is no heat; what that costs is in moves a record."""
        seed, n, n_all = int(random.integers(2**63)), len(rows), len(labels)

        def work() -> tuple[IntArray, float]:
            if heat > 0.0:
                moves, result = sweeps * n, self._annealer.anneal(labels, rows, heat, sweeps, longest, seed)
            else:
                kicks = min(MOST_KICKS, max(1, int(KICKS_SHARE * n)))
                moves, result = KICK * kicks, self._annealer.kick(labels, rows, kicks, longest, seed)
            if result is None:
                raise Stopped
            after, n_compared, n_steps = result
            return after, (moves + COMPARISON * n_compared + STEP * n_steps) / n_all

        return work

    def _improve(self, other: IntArray) -> None:
        """Take what is better into the best partition."""
        self.best, decrease = self._annealer.combine(self.best, other)
        self.decrease += decrease

    def _improve_lead(self, other: IntArray) -> float:
        """Take what is better into the lead, and give by how much."""
        was_best = self._lead is self.best  # nearly always
        self._lead, decrease = self._annealer.combine(self._lead, other)
        if was_best:
            self.best = self._lead
            self.decrease += decrease
        elif decrease > 0.0:
            self._improve(self._lead)
        return decrease

    def _draw(self, random: np.random.Generator) -> tuple[int, int, int]:
        """Give a heat, by its place, moves for each record, and the most steps of a chain."""
        return self._heats.choose(random), one_of(self._round_sweeps, random), one_of(self._lengths, random)

    def _round(self, number: int) -> NumberedTask:
        """Work on all records from the lead, or from where another round ended."""
        random, slot = self._random(number), number % self.window
        heat, sweeps, longest = self._draw(random)
        current = self._currents[slot]
        if current is None or random.random() >= GOES_ON:
            current = self._lead

        def take(result: tuple[IntArray, float]) -> None:
            labels, cost = result
            self._currents[slot] = labels
            if self._extra is not None:
                self._extra.note(labels)
            self._heats.learn(heat, self._improve_lead(labels), cost)
            self._sweeps += cost

        # The first rounds find much, and the same: few are under way at the same time.
        due = number + min(self.window, 1 + number // 2)
        return NumberedTask(self._anneal(current, self._all, HEATS[heat], sweeps, longest, random), take, due)

    def _round_in_parts(self, number: int) -> NumberedTask:
        """Work on the next part of the lead; all parts are taken before the next round begins."""
        random, part_round = self._random(number), self._part_round
        if not part_round.parts:
            parts = parts_of(self._X, self._lead, self.window, self._random(number, 2))
            part_round = self._part_round = PartRound(self._lead, *self._draw(random), parts)
        due = number + len(part_round.parts)
        rows = part_round.parts.pop()

        def take(result: tuple[IntArray, float]) -> None:
            labels, cost = result
            if self._extra is not None:
                self._extra.note(labels)
            part_round.decrease += self._improve_lead(labels)
            part_round.cost += cost
            part_round.n_taken += 1
            self._sweeps += cost
            if part_round.n_taken == self.window:
                self._heats.learn(part_round.heat, part_round.decrease, part_round.cost)

        heat = HEATS[part_round.heat]
        work = self._anneal(part_round.labels, rows, heat, part_round.sweeps, part_round.longest, random)
        return NumberedTask(work, take, due)

    def _begin_cooling(self, number: int) -> None:
        sweeps, self._cooling = self._cooling, max(SLOWER * self._cooling, SECOND_COOLING)
        # There is nothing to improve before the first one has ended, unless the groups to start with are good.
        rounds = max(self.window, int(self._coolings * sweeps / self._heats.usual_cost())) if self._is_good else 0
        self._is_good = True
        self._next_cooling = math.inf

        def take(result: tuple[IntArray, float]) -> None:
            self._fresh.append(result[0])
            if self._extra is not None:
                self._extra.note(result[0])
            if len(self._fresh) == self._coolings:
                self._compare_fresh()

        def cool(at: int) -> NumberedTask:
            work = self._anneal(self._start, self._all, COOLING_HEAT, sweeps, self._lengths[-1], self._random(at))
            return NumberedTask(work, take, number + self._coolings + rounds)

        self._backlog.extend([cool] * self._coolings)

    def _compare_fresh(self) -> None:
        """Go on from the better parts of fresh groups, where they promise more."""
        fresh = self._fresh[0]
        for other in self._fresh[1:]:
            fresh, _ = self._annealer.combine(fresh, other)
        self._fresh.clear()
        least = squared_errors(self._X, self._lead)
        is_promising = squared_errors(self._X, fresh) < (1.0 + PROMISING) * least
        if is_promising or self.decrease - self._decrease_before < STANDSTILL * least:
            self._improve(fresh)
            self._lead = fresh
        else:
            self._improve_lead(fresh)
        self._decrease_before = self.decrease
        self._next_cooling = self._sweeps + self._pause * self._coolings * self._cooling

    def _extra_task(
        self, work: Callable[[], Any], labels_of: Callable[[Any], IntArray | None], rounds: int
    ) -> Callable[[int], NumberedTask]:
        def take(result: Any) -> None:
            labels = labels_of(result)
            if labels is not None:
                if self._lead is not self.best:
                    self._improve(labels)
                self._improve_lead(labels)

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
    is_good: bool = False,
) -> IntArray:
    """Search from labels, for so many seconds or iterations; a KeyboardInterrupt gives the best so far.

    Labels that are good already are improved at once; otherwise fresh groups are cooled first.

    What a longer search gives is never worse than what a shorter one with the same seed gives: it does the same, and
    then goes on.
    """
    if len(X) < 2 * k:
        return labels
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
    n_tasks = None if iterations is None else ROUNDS_PER_ITERATION * iterations + sequence.window
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
