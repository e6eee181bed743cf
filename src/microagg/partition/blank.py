"""Local suppression: groups whose records differ in few columns, to be blank there."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy

import numpy as np
import numpy.typing as npt

from microagg.base.checks import check_count
from microagg.base.progress import Progress, part_of
from microagg.base.types import FloatArray, IntArray
from microagg.partition.blank_search import Groups, gather, improve, merge
from microagg.partition.method import Method
from microagg.semantic.attribute import Attribute, compress

UNIT = 1 << 16
"""Weights of columns are whole multiples of 1/UNIT of the largest."""
MOST_AT_ONCE = 1 << 14
"""So many distinct tuples can be compared with each other; what is left over of more is merged in parts."""

FEW = 1 << 11
"""Up to so many distinct tuples, two searches begin differently, and the better result is taken."""


def partition(
    X: npt.ArrayLike,
    k: int,
    *,
    attributes: Sequence[Attribute] | None = None,
    rounds: int = 20,
    progress: Progress | None = None,
) -> IntArray:
    """Search for groups that agree on most columns, so that few values have to be blanked.

    A value is released where all records of a group have it, and left blank in all of them where they differ: local
    suppression [1]_, under the strict rule that a blank is like other blanks only, so that at least k records are equal
    in the release. The cost is the number of blanks, each times the weight of its column. Records whose combination k
    share stay as they are, save those that others need to be among k.

    Combinations of fewer than k records come together where they differ in few columns, or borrow records from a
    combination that can spare them, the cheapest for each record first; then records change groups as long as that
    saves blanks. Values are equal or not, whatever their kind; numbers too. Beyond 16,384 distinct combinations there
    is no second step, and what the first leaves over is merged in parts, in the order of the columns.

    Parameters
    ----------
    X : array of shape (n, m)
        Codes, or numbers, as `attributes` describes them.
    k : int
        Least size of a group.
    attributes : sequence of Attribute, optional
        What each column means; their weights say what a blank costs there.
    rounds : int
        When to stop where changes go on.
    progress : callable, optional
        Told the fraction done.

    Returns
    -------
    array of n int
        The group of each record.

    References
    ----------
    .. [1] L. Sweeney. Achieving k-anonymity privacy protection using generalization and suppression. International
       Journal of Uncertainty, Fuzziness and Knowledge-Based Systems 10 (2002) 571-588.

    Examples
    --------
    >>> X = [[0, 0], [0, 0], [0, 1], [1, 2], [0, 2], [1, 2]]
    >>> partition(X, k=2).tolist()
    [0, 0, 1, 2, 1, 2]
    """
    rounds = check_count("rounds", rounds)
    tuples = compress(X, k, attributes)
    weights = np.array([1.0] * len(tuples.codes) if attributes is None else [a.weight for a in attributes])
    units = np.round(weights / (weights.max() or 1.0) * UNIT).astype(np.int64)
    groups = Groups(tuples.codes, tuples.counts, units, k)
    if tuples.n_tuples <= MOST_AT_ONCE:
        groups = _search(groups, rounds, progress)
    else:
        _search_many(groups, progress)
    owners = sorted(
        (place, group, count) for group, members in enumerate(groups.members) for place, count in members.items()
    )
    slots = np.repeat([group for _, group, _ in owners], [count for _, _, count in owners])
    return tuples.hand_out(slots.astype(np.int64))


def _search(groups: Groups, rounds: int, progress: Progress | None) -> Groups:
    """Give groups of at least k with few blanks; of few tuples, the better of two searches."""
    other = deepcopy(groups) if len(groups.sizes) <= FEW else None
    gather(groups)
    merge(groups, part_of(progress, 0.0, 0.4))
    improve(groups, rounds, part_of(progress, 0.4, 0.8))
    if other is None:
        return groups
    merge(other, part_of(progress, 0.8, 0.9))
    improve(other, rounds, part_of(progress, 0.9, 1.0))
    return groups if groups.costs() <= other.costs() else other


def _search_many(groups: Groups, progress: Progress | None) -> None:
    """Form groups of many tuples: gathered all together; what is left too small is merged in parts."""
    gather(groups)
    small = np.flatnonzero(groups.sizes < groups.k)
    few = len(small) * len(groups.sizes) <= MOST_AT_ONCE**2
    parts = [] if few else _parts(groups.sizes[small], groups.k)
    for number, (start, end) in enumerate(parts):
        places = small[start:end].tolist()
        own = groups.part(places)
        merge(own, part_of(progress, number / len(parts), (number + 1) / len(parts)))
        tuples = [next(iter(groups.members[place])) for place in places]
        for place in places:
            groups.put(place, {})
        for place, members in zip(places, own.members, strict=False):
            groups.put(place, {tuples[member]: count for member, count in members.items()})
    groups.compact()
    merge(groups, progress if not parts else None)


def _parts(sizes: FloatArray, k: int) -> list[tuple[int, int]]:
    """Cut groups of these sizes, in their order, into parts of so many, each of at least k records."""
    ends, start = [], 0
    counted = np.concatenate([[0.0], np.cumsum(sizes)])
    while start < len(sizes):
        enough = int(np.searchsorted(counted, counted[start] + k))
        start = max(start + MOST_AT_ONCE, enough)
        ends.append(min(start, len(sizes)))
    if len(ends) > 1 and counted[-1] - counted[ends[-2]] < k:
        del ends[-2]
    return list(zip([0, *ends[:-1]], ends, strict=True)) if counted[-1] >= k else []


METHOD = Method(
    name="blank",
    function=partition,
    title="Local suppression",
    summary="groups that agree on most columns; values on which they differ are left blank",
    reference="this package, after Sweeney 2002",
    steps="U^2",
    takes="attributes",
    blanks=True,
)
