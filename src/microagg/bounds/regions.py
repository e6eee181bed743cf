"""Better partitions from groups that a search has seen: the best choice among them, region by region."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from microagg import _core
from microagg.base.groups import group_means
from microagg.base.types import BoolArray, FloatArray, IntArray
from microagg.bounds.master import GroupChoice, choose, promising

MOST_GROUPS = 2_000
"""To choose from in a region; more make the integer program slow, and are hardly ever chosen."""


@dataclass(frozen=True)
class Region:
    """Some records, and the groups to choose from for them.

    Attributes
    ----------
    rows : array of int
        The records, ascending.
    groups : list of arrays of int
        Places in `rows`.
    costs : array of float
        The sum of squared errors of each group.
    held : array of bool
        Which groups the records have now.
    """

    rows: IntArray
    groups: list[IntArray]
    costs: FloatArray
    held: BoolArray


def regions_of(
    X: FloatArray, labels: IntArray, seen: _core.SeenGroups, *, size: int, count: int, random: np.random.Generator
) -> list[Region]:
    """Give regions of about `size` records each, with the groups that have been seen there; no record is in two.

    Parameters
    ----------
    X : array of shape (n, m)
        The records.
    labels : array of n int
        The partition to improve: groups 0 to G-1, which have been seen too.
    seen : SeenGroups
        What there is to choose from.
    size : int
        Records in a region, about.
    count : int
        How many regions, at most.
    random : numpy.random.Generator
        Decides where regions lie.
    """
    sizes = np.bincount(labels)
    found = []
    for groups in balls(X, labels, size, count, random):
        rows = np.flatnonzero(np.isin(labels, groups))
        members, starts, costs = seen.within(rows)
        owners = labels[members]
        unmixed = np.minimum.reduceat(owners, starts[:-1]) == np.maximum.reduceat(owners, starts[:-1])
        held = unmixed & (np.diff(starts) == sizes[owners[starts[:-1]]])
        found.append(Region(rows, np.split(np.searchsorted(rows, members), starts[1:-1]), costs, held))
    return found


def choose_in(region: Region, *, seconds: float, looks: int | None = None) -> GroupChoice:
    """Choose the cheapest set of groups that holds every record of a region once (set partitioning).

    A search comes by many partitions; each is good in some places. This puts the best of all of them together. The
    whole at once is too much for an integer program to solve in seconds; regions of some hundred records are not.

    Parameters
    ----------
    region : Region
        Where, and among which groups.
    seconds : float
        Time to find it.
    looks : int, optional
        How often the solver may look whether it is to end: the same choice on every machine, unless time is up.

    Returns
    -------
    GroupChoice
        Labels that are better than the ones that are held, if there are any.
    """
    groups, costs, held = region.groups, region.costs, region.held
    if not costs[held].sum() > 0.0:
        return GroupChoice(None, proven=True)
    costs = costs / costs.mean()  # the solver's tolerances are absolute
    if len(groups) > MOST_GROUPS:
        places = promising(len(region.rows), groups, costs, held, MOST_GROUPS, seconds)
        if places is None:
            return GroupChoice(None, proven=False, out_of_time=True)
        groups, costs, held = [groups[place] for place in places], costs[places], held[places]
    return choose(len(region.rows), groups, costs, seconds, known=held, looks=looks)


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
