"""Better partitions from groups that a search has seen, and from those that column generation prices."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from microagg import _core
from microagg.base.groups import in_order
from microagg.base.types import FloatArray, IntArray
from microagg.bounds import GroupChoice, Region, choose_in, priced_groups, regions_of
from microagg.refine.in_order import Stopped

FIRST_GROUPS, FIRST_RECORDS, LEAST_GROUPS = 50, 250, 8
"""In a region: so many groups to begin with, but not more records; and so many groups at least."""
NARROWER, WIDER, MUCH_WIDER = 0.8, 1.2, 1.6
"""What becomes of a region's size where a program was not solved, and where all were, easily or very easily."""
EASY_STEPS, VERY_EASY_STEPS = 2_000, 500
"""Of the simplex method, at most."""
LEAST_LOOKS, MOVES_PER_LOOK = 40, 5_000_000
"""Looks of the solver whether it is to end: so many, and one more for each so many moves of annealing so far."""
MOST_REGIONS = 12
MOVES_PER_STEP, MOVES_PER_REGION = 4_500, 300_000
"""Moves of annealing that take about as long as a step of the simplex method, and as what a region takes beside."""
PAUSE, LEAST_PAUSE = 0.33, 300
"""Moves between two choices, by those that take as long as the last one; for each record at least."""
CHOOSING_STEPS = 48
"""So many steps of the search after a choice has begun, its result is taken."""
PRICED_RECORDS, PRICED_K = 3_000, 5
"""Up to how many records, and up to which k, groups are priced."""
FIRST_CHOICE, FIRST_PRICES = 15_000_000, 30_000_000
"""Moves after which choosing and pricing begin."""
PRICING_STEPS = 400
"""So many steps of the search after pricing has begun, its result is taken."""
MOST_SEEN = 100_000
"""Groups to choose from, at most."""


class Choosing:
    """Choices among all groups seen, region by region, in step with a search.

    An integer program finds the best partition that the groups seen in a region make (set partitioning, as a memory of
    what was good). Regions grow where programs are solved easily, and shrink where they are not: by the steps that the
    solver took, not by the time.
    """

    def __init__(self, X: FloatArray, k: int, *, prices: bool, seconds: float) -> None:
        self._X, self._k = X, k
        self._seen = _core.SeenGroups(X, MOST_SEEN)
        self._ends_at = time.monotonic() + seconds
        self._size = min(FIRST_GROUPS * k, FIRST_RECORDS, len(X))
        self._looks, self._too_large, self._tried_with = LEAST_LOOKS, len(X) + 1, 0
        self._next, self._sweeps = FIRST_CHOICE / len(X), 0.0
        self._choices: list[GroupChoice] = []
        self._to_price = prices and len(X) <= PRICED_RECORDS and k <= PRICED_K
        self._stopped = threading.Event()

    def note(self, labels: IntArray) -> None:
        """See a partition that the search came by."""
        self._seen.note(labels)

    def stop(self) -> None:
        """End all work soon."""
        self._stopped.set()

    def works(
        self, labels: IntArray, sweeps: float, random: np.random.Generator
    ) -> Iterator[tuple[Callable[[], Any], Callable[[Any], IntArray | None], int]]:
        """Give what to do now: groups to price, or regions in which to choose."""
        self._sweeps = sweeps
        if self._to_price and sweeps * len(labels) >= FIRST_PRICES:
            self._to_price = False
            yield (lambda: self._price(labels)), self._take_priced, PRICING_STEPS
        if sweeps < self._next:
            return
        self._next = np.inf
        self._looks = LEAST_LOOKS + int(sweeps * len(labels) / MOVES_PER_LOOK)
        self._seen.note(labels)
        count = int(np.clip(len(labels) // self._size, 1, MOST_REGIONS))
        places = regions_of(self._X, labels, self._seen, size=self._size, count=count, random=random)
        for region in places:
            yield self._choice(region), self._taker(region, labels, len(places)), CHOOSING_STEPS

    def _choice(self, region: Region) -> Callable[[], GroupChoice]:
        def work() -> GroupChoice:
            left = self._ends_at - time.monotonic()
            if self._stopped.is_set() or not left > 0.0:
                raise Stopped
            choice = choose_in(region, seconds=left, looks=self._looks)
            if choice.out_of_time:
                raise Stopped
            return choice

        return work

    def _taker(self, region: Region, labels: IntArray, count: int) -> Callable[[GroupChoice], IntArray | None]:
        def take(choice: GroupChoice) -> IntArray | None:
            self._choices.append(choice)
            if len(self._choices) == count:
                self._settle()
            if choice.labels is None:
                return None
            better = labels.copy()
            better[region.rows] = len(labels) + choice.labels  # numbers that no other group has
            return in_order(better)

        return take

    def _settle(self) -> None:
        """Find the size of the next regions, and how long to anneal before."""
        steps = [choice.steps for choice in self._choices]
        if self._looks > 2 * self._tried_with:
            self._too_large = len(self._X) + 1  # what was hard with fewer looks need not be hard now
        if not all(choice.proven for choice in self._choices):
            self._too_large, self._tried_with = min(self._too_large, self._size), self._looks
            self._size = max(int(NARROWER * self._size), LEAST_GROUPS * self._k)
        elif max(steps) < EASY_STEPS:
            wider = (MUCH_WIDER if max(steps) < VERY_EASY_STEPS else WIDER) * self._size
            self._size = max(self._size, min(int(wider), self._too_large - 1))
        moves = MOVES_PER_STEP * sum(steps) + MOVES_PER_REGION * len(steps)
        self._next = self._sweeps + max(LEAST_PAUSE, PAUSE * moves / len(self._X))
        self._choices.clear()

    def _price(self, labels: IntArray) -> list[IntArray]:
        def go_on(_: float) -> None:
            if self._stopped.is_set():
                raise Stopped

        return priced_groups(self._X, self._k, labels, seconds=np.inf, threads=1, progress=go_on)

    def _take_priced(self, groups: list[IntArray]) -> None:
        for group in groups:
            self._seen.add(group)
