"""The best partition that groups seen before make, one region of the data after the other."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from microagg import _core
from microagg.base.groups import group_means, in_order
from microagg.base.types import FloatArray, IntArray
from microagg.bounds.master import GroupChoice, choose, promising

MOST_GROUPS = 2_000
"""To choose from in a region; more make the integer program slow, and are hardly ever chosen."""


def choose_in_regions(
    X: FloatArray,
    labels: IntArray,
    seen: _core.SeenGroups,
    *,
    size: int,
    seconds: float,
    threads: int,
    random: np.random.Generator,
) -> tuple[IntArray, bool]:
    """Replace the groups of some regions by the cheapest ones that have been seen there.

    A search comes by many partitions; each is good in some places. Choosing the cheapest set of groups that holds
    every record once (set partitioning) puts the best of all of them together. The whole at once is too much for an
    integer program to solve in seconds; regions of some hundred records are not.

    Parameters
    ----------
    X : array of shape (n, m)
        The records.
    labels : array of n int
        The partition to improve: groups 0 to G-1.
    seen : SeenGroups
        What there is to choose from.
    size : int
        Records in a region, about.
    seconds : float
        Time for each region.
    threads : int
        How many regions to take, and to work on at the same time.
    random : numpy.random.Generator
        Decides where regions lie.

    Returns
    -------
    array of n int
        Never worse than `labels`.
    bool
        Whether each region has the best partition that can be chosen there, and time was left.
    """
    seen.note(labels)
    regions = [np.flatnonzero(np.isin(labels, groups)) for groups in balls(X, labels, size, threads, random)]
    with ThreadPoolExecutor(threads) as executor:
        choices = list(executor.map(lambda rows: choose_in(rows, labels, seen, seconds), regions))
    better = labels.copy()
    for rows, choice in zip(regions, choices, strict=True):
        if choice.labels is not None:
            better[rows] = len(X) * (1 + rows[0]) + choice.labels  # numbers that no other region has
    return in_order(better), all(choice.proven for choice in choices)


def balls(X: FloatArray, labels: IntArray, size: int, count: int, random: np.random.Generator) -> Iterator[IntArray]:
    """Give the groups of each region: those that lie nearest to one, chosen by chance; no group is in two.

    >>> X, labels = np.array([[0.0], [1.0], [9.0], [8.0], [5.0], [4.0]]), np.array([0, 0, 1, 1, 2, 2])
    >>> [len(groups) for groups in balls(X, labels, 4, 2, np.random.default_rng(0))]
    [2, 1]
    """
    sizes = np.bincount(labels)
    centroids = group_means(X, labels)
    left = np.arange(len(sizes))
    for _ in range(count):
        if not len(left):
            return
        gaps = ((centroids[left] - centroids[random.choice(left)]) ** 2).sum(axis=1)
        nearest = left[np.argsort(gaps, kind="stable")]
        inside = np.cumsum(sizes[nearest]) <= size
        inside[0] = True
        yield nearest[inside]
        left = nearest[~inside]


def choose_in(rows: IntArray, labels: IntArray, seen: _core.SeenGroups, seconds: float) -> GroupChoice:
    """Choose better labels for the rows of one region."""
    members, starts, costs = seen.within(rows)
    groups = np.split(np.searchsorted(rows, members), starts[1:-1])
    owners = labels[members]
    unmixed = np.minimum.reduceat(owners, starts[:-1]) == np.maximum.reduceat(owners, starts[:-1])
    held = unmixed & (np.diff(starts) == np.bincount(labels)[owners[starts[:-1]]])
    if not costs[held].sum() > 0.0:
        return GroupChoice(None, proven=True)
    costs = costs / costs.mean()  # the solver's tolerances are absolute
    if len(groups) > MOST_GROUPS:
        places = promising(len(rows), groups, costs, held, MOST_GROUPS, seconds)
        groups, costs, held = [groups[place] for place in places], costs[places], held[places]
    return choose(len(rows), groups, costs, seconds, known=held)
