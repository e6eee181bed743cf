"""What one search has reached by several times: method "best" is one sequence of steps, of which time decides the end.

So one search tells what all shorter ones give, up to what they would have taken in at their very end.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from microagg.base.types import FloatArray, IntArray
from microagg.partition import partition

FOR_EVER = 1e6
"""Seconds: some other clock ends the search."""


def loss(X: FloatArray, labels: IntArray) -> float:
    """Give the loss in percent, counted from the labels."""
    sizes = np.bincount(labels)
    sums = np.zeros((len(sizes), X.shape[1]))
    np.add.at(sums, labels, X)
    return float(100 * ((X - (sums / sizes[:, None])[labels]) ** 2).sum() / ((X - X.mean(axis=0)) ** 2).sum())


@dataclass
class Follow:
    """Notes the loss whenever the search tells it, and ends the search when the last mark is over."""

    marks: Sequence[float]
    clock: Callable[[], float]
    every: float = 0.0  # tell of every step
    seconds: list[float] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.began = self.clock()

    def __call__(self, fraction: float) -> None:
        """Be told the fraction done, which says nothing here."""

    def tell_loss(self, loss: float) -> None:
        self.seconds.append(self.clock() - self.began)
        self.losses.append(loss)
        if self.seconds[-1] >= self.marks[-1]:
            raise KeyboardInterrupt  # which gives the best partition so far

    def at(self, mark: float) -> float:
        """Give what was reached by a mark; nan where the search had told nothing by then."""
        told = int(np.searchsorted(self.seconds, mark, side="right"))
        return self.losses[told - 1] if told else math.nan


def losses_over_time(
    X: FloatArray, k: int, marks: Sequence[float], clock: Callable[[], float], seed: int, threads: int | None
) -> tuple[list[float], IntArray]:
    """Search once; give the loss at each mark, in seconds of the clock from the start on, and the last labels.

    The search ends at the last mark. Where it has told nothing by a mark, the loss is that of `fast`, which it begins
    with and gives in any case.
    """
    follow = Follow(marks, clock)
    labels = partition(X, k, method="best", time_limit=FOR_EVER, seed=seed, threads=threads, progress=follow)
    reached = [follow.at(mark) for mark in marks[:-1]] + [loss(X, labels)]
    if math.isnan(reached[0]):
        at_first = loss(X, partition(X, k, method="fast", seed=seed, threads=threads))
        reached = [at_first if math.isnan(each) else each for each in reached]
    return reached, labels
