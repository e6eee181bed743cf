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
from microagg.base.types import IntArray
from microagg.errors import InvalidOption
from microagg.refine.changing_groups import ChangingGroups
from microagg.refine.refinement import Refinement

LEAST_IMPROVEMENT = 1e-4
"""A pass without shuffling that lowers the SSE by less than this is the last one."""


def check(*, probability: float = 0.0, rounds: int = 10, literal: bool = False) -> None:
    """Refuse options that random cluster shuffling cannot use."""
    if not isinstance(literal, bool):
        raise InvalidOption(f"literal must be True or False; got {literal!r}.")
    check_number("probability", probability, 0.0, 1.0)
    check_count("rounds", rounds, 0)


def rcs(
    X: npt.ArrayLike,
    labels: npt.ArrayLike,
    k: int,
    *,
    probability: float = 0.0,
    rounds: int = 10,
    literal: bool = False,
    seed: int = 0,
    progress: Progress | None = None,
) -> IntArray:
    """Improve a partition by random cluster shuffling [1]_.

    Algorithm 4 of the thesis, with the size test that its text describes (the listing prints `<` for it): a record of
    a group with more than k records is tried in the group with the nearest centroid, a group of exactly k is dissolved
    whole; either is kept only if the sum of squared errors does not rise. Shuffling may raise it, so a pass in which
    groups were shuffled is never the last one, and of the partitions at the end of each pass, and the one given, the
    best is returned. Ties go to the group with the lower number.

    `literal` is the listing to the letter, but for that size test: a record of a larger group goes to the nearest
    centroid whatever that does to the sum of squared errors, any pass that improves too little is the last one, and
    what it leaves is returned. That may be worse than an earlier pass, and than the partition given.

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
    literal : bool
        Whether to follow the published listing where it is worse than its idea; see above.
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
    check(probability=probability, rounds=rounds, literal=literal)
    random = generator(seed)
    groups = ChangingGroups(X, labels)
    best, lowest, before, shuffled = groups.numbered(), groups.sse(), groups.sse(), 0
    reached = 0.0
    while True:
        shuffled_before = shuffled
        for record in range(len(X)):
            _try_record(groups, record, k, literal)
            if shuffled < rounds and random.random() < probability:
                groups.shuffle(random, k)
                shuffled += 1
        after = groups.sse()
        if after < lowest:
            best, lowest = groups.numbered(), after
        improvement = before - after
        if progress is not None:
            nearness = 1.0 if improvement <= LEAST_IMPROVEMENT else 1.0 - math.log(improvement / LEAST_IMPROVEMENT) / 40
            reached = max(reached, min(max(nearness, 0.0), 1.0))
            progress(reached)
        if improvement < LEAST_IMPROVEMENT and (literal or shuffled == shuffled_before):
            return groups.numbered() if literal else best
        before = after


def _try_record(groups: ChangingGroups, record: int, k: int, literal: bool) -> None:
    """Give the record, or all of its group where that has k, to the nearest centroids, unless that raises the SSE."""
    group = int(groups.labels[record])
    rows = groups.members[group]
    whole = len(rows) == k
    leaving = rows if whole else np.array([record])
    if len(leaving) == len(groups.labels):
        return
    changed = groups.without(group, leaving)
    if groups.gain(changed) >= 0.0 or (literal and not whole):
        groups.change(changed)


REFINEMENT = Refinement(
    name="rcs",
    function=rcs,
    check=check,
    title="Random cluster shuffling",
    summary="records move to nearer groups; with a probability, two groups are dealt anew now and then",
    reference="Maya-Lopez 2023",
    steps="n^2 / k",
    deviations=(
        "The listing prints `<` for the test of sizes; ours is that of the text, which dissolves groups of exactly k.",
        "The listing moves a single record without a look at the SSE, may stop in a pass with shuffled groups, and "
        "returns the last pass. So does literal=True; otherwise no move raises the SSE, a pass with shuffled groups is "
        "not the last, and the best one is returned.",
    ),
)
