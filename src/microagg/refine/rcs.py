"""Random cluster shuffling: records move to nearer groups, and now and then two groups are dealt anew.

repeat
    for each record
        if its group has more than k records: try to give the record to the nearest centroid
        else: try to dissolve the group, each of its records to the nearest centroid of the others
        keep what does not raise the SSE
        with the shuffling probability, at most `rounds` times in all:
            a random group and the one with the nearest centroid are merged, sorted by the distance to their centroid,
            and cut into runs of k, the last one of k to 2k-1
until a pass without shuffling lowers the SSE by less than 0.0001
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from microagg.base.checks import check_count, check_groups, check_number, check_records, generator
from microagg.base.progress import Progress
from microagg.base.types import FloatArray, IntArray
from microagg.refine.refinement import Refinement

LEAST_IMPROVEMENT = 1e-4
"""A pass without shuffling that lowers the SSE by less than this is the last one."""


def check(*, probability: float = 0.0, rounds: int = 10) -> None:
    """Refuse options that random cluster shuffling cannot use."""
    check_number("probability", probability, 0.0, 1.0)
    check_count("rounds", rounds, 0)


def rcs(
    X: npt.ArrayLike,
    labels: npt.ArrayLike,
    k: int,
    *,
    probability: float = 0.0,
    rounds: int = 10,
    seed: int = 0,
    progress: Progress | None = None,
) -> IntArray:
    """Improve a partition by random cluster shuffling [1]_.

    Algorithm 4 of the thesis, with the size test that its text describes (the listing prints `<` for it): a record of
    a group with more than k records is tried in the group with the nearest centroid, a group of exactly k is dissolved
    whole; either is kept only if the sum of squared errors does not rise. Shuffling may raise it, so a pass in which
    groups were shuffled is never the last one, and of the partitions at the end of each pass, and the one given, the
    best is returned. Ties go to the group with the lower number.

    Parameters
    ----------
    X : array of shape (n, m)
        The records, prepared.
    labels : array of n int
        The group of each record, 0 to G-1, every group at least k.
    k : int
        Least size of a group.
    probability : float
        With which probability two groups are dealt anew after a record was tried, 0 to 1; nothing is shuffled with 0.
    rounds : int
        How many times at most two groups are dealt anew.
    seed : int
        Random choices follow from this.
    progress : callable, optional
        Told the fraction done: how near the last pass's improvement is to the one at which it ends.

    Returns
    -------
    array of n int
        The group of each record, numbered without gaps.

    References
    ----------
    .. [1] A. Maya-Lopez. Contributions to statistical disclosure control: enhancing multivariate microaggregation
       using graph theory. Doctoral thesis, Universitat Rovira i Virgili (2023), chapter 6.

    Examples
    --------
    >>> rcs([[1.0], [9.0], [2.0], [8.0], [1.5], [9.5], [8.5]], [0, 1, 0, 1, 0, 1, 0], k=3).tolist()
    [0, 1, 0, 1, 0, 1, 1]
    """
    X = check_records(X, k)
    labels = check_groups(labels, len(X), k)
    check(probability=probability, rounds=rounds)
    random = generator(seed)
    groups = _Groups(X, labels)
    best, lowest, before, shuffled = groups.labels.copy(), groups.sse(), groups.sse(), 0
    reached = 0.0
    while True:
        shuffled_before = shuffled
        for record in range(len(X)):
            groups.try_record(record, k)
            if shuffled < rounds and random.random() < probability:
                groups.shuffle(random, k)
                shuffled += 1
        after = groups.sse()
        if after < lowest:
            best, lowest = groups.labels.copy(), after
        improvement = before - after
        if progress is not None:
            nearness = 1.0 if improvement <= LEAST_IMPROVEMENT else 1.0 - math.log(improvement / LEAST_IMPROVEMENT) / 40
            reached = max(reached, min(max(nearness, 0.0), 1.0))
            progress(reached)
        if improvement < LEAST_IMPROVEMENT and shuffled == shuffled_before:
            break
        before = after
    return np.unique(best, return_inverse=True)[1].astype(np.int64, copy=False)


class _Groups:
    """Groups that change: their records, sizes, sums and centroids; an empty group has its centroid at infinity."""

    def __init__(self, X: FloatArray, labels: IntArray) -> None:
        self.X = X
        self.labels = labels.copy()
        n_groups = int(labels.max()) + 1
        self.sizes = np.zeros(n_groups, dtype=np.int64)
        self.centroids = np.full((n_groups, X.shape[1]), np.inf)
        self.errors = np.zeros(n_groups)
        self.members = [np.flatnonzero(labels == group) for group in range(n_groups)]
        for group in range(n_groups):
            self._set(group, self.members[group])

    def sse(self) -> float:
        return float(self.errors.sum())

    def _set(self, group: int, rows: IntArray) -> None:
        self.members[group] = rows
        self.sizes[group] = len(rows)
        self.labels[rows] = group
        if len(rows):
            self.centroids[group] = self.X[rows].mean(axis=0)
            self.errors[group] = ((self.X[rows] - self.centroids[group]) ** 2).sum()
        else:
            self.centroids[group] = np.inf
            self.errors[group] = 0.0

    def try_record(self, record: int, k: int) -> None:
        """Give the record, or dissolve its group of k, to the nearest centroids, unless that raises the SSE."""
        group = int(self.labels[record])
        rows = self.members[group]
        leaving = rows if len(rows) == k else np.array([record])
        if len(leaving) == len(self.labels):
            return
        staying = np.setdiff1d(rows, leaving, assume_unique=True)
        centroids = self.centroids.copy()
        centroids[group] = self.X[staying].mean(axis=0) if len(staying) else np.inf
        distances = ((self.X[leaving][:, None, :] - centroids[None, :, :]) ** 2).sum(axis=2)
        takers = np.argmin(distances, axis=1)
        changed = {group: staying}
        for row, taker in zip(leaving, takers.tolist(), strict=True):
            changed[taker] = np.append(changed.get(taker, self.members[taker]), row)
        before = sum(self.errors[each] for each in changed)
        after = sum(((self.X[rows] - self.X[rows].mean(axis=0)) ** 2).sum() for rows in changed.values() if len(rows))
        if after <= before:
            for each, its_rows in changed.items():
                self._set(each, its_rows)

    def shuffle(self, random: np.random.Generator, k: int) -> None:
        """Merge a random group with the nearest one and cut both anew, by the distance to their common centroid."""
        alive = np.flatnonzero(self.sizes)
        if len(alive) < 2:
            return
        first = int(random.choice(alive))
        distances = ((self.centroids[alive] - self.centroids[first]) ** 2).sum(axis=1)
        second = int(alive[np.argmin(np.where(alive == first, np.inf, distances))])
        rows = np.sort(np.concatenate([self.members[first], self.members[second]]))
        away = ((self.X[rows] - self.X[rows].mean(axis=0)) ** 2).sum(axis=1)
        rows = rows[np.argsort(away, kind="stable")]
        n_new = len(rows) // k
        runs = np.split(rows, np.arange(1, n_new) * k)
        free = [first, second, *np.flatnonzero(self.sizes == 0).tolist()]
        while len(free) < n_new:
            free.append(len(self.members))
            self.members.append(np.empty(0, dtype=np.int64))
            self.sizes = np.append(self.sizes, 0)
            self.errors = np.append(self.errors, 0.0)
            self.centroids = np.vstack([self.centroids, np.full(self.X.shape[1], np.inf)])
        for group, run in zip(free, runs, strict=False):
            self._set(group, run)


REFINEMENT = Refinement(
    name="rcs",
    function=rcs,
    check=check,
    title="Random cluster shuffling",
    summary="records move to nearer groups; with a probability, two groups are dealt anew now and then",
    reference="Maya-Lopez 2023",
    steps="n^2 / k",
)
