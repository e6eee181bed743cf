"""Cuts: what holds for every partition, and not for every solution of the linear relaxation."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations

import numpy as np

from microagg.base.types import FloatArray, IntArray

SIZE = 5
"""Records of a cut, at most."""
LEAST_WEIGHT = 1e-4
"""Groups of a smaller weight, or of almost 1, are not looked at for cuts."""
LEAST_EXCESS = 0.001
"""Cuts that are violated by less are not made."""
SEEDS = 2_000
"""Sets of three from which larger ones are made."""
NEIGHBOURS = 12
"""Records with which a set of three is made larger, at most."""
PER_RECORD = 5
"""Cuts with the same record that are made at once, at most."""
TRIPLE = ((1, 1, 1, 0, 0), 2)
KINDS = (
    TRIPLE,
    ((2, 1, 1, 1, 0), 3),
    ((1, 1, 1, 1, 1), 2),
    ((1, 1, 1, 1, 1), 3),
    ((2, 2, 1, 1, 1), 3),
    ((2, 2, 1, 1, 1), 4),
    ((3, 1, 1, 1, 1), 4),
    ((3, 3, 2, 2, 1), 4),
    ((3, 2, 2, 1, 1), 5),
)
"""Multiples and divisors that no others of at most five records are stronger than, for set packing."""


@dataclass(frozen=True)
class Cuts:
    r"""Cuts, each of at most five records: for a group S, :math:`\lfloor \sum_{i \in S} a_i / p \rfloor` is its part.

    Every record lies in one group, so the parts of the groups of a partition sum to at most
    :math:`\lfloor \sum_i a_i / p \rfloor`. With :math:`a_i = 1` for three records and p = 2: of the groups that hold
    two or three of them, there is one at most.

    Attributes
    ----------
    records : array of shape (cuts, 5) of int
        Those that have no part in a cut have the multiple 0.
    multiples : array of shape (cuts, 5) of int
        a.
    divisors : array of int
        p.
    """

    records: IntArray
    multiples: IntArray
    divisors: IntArray

    @classmethod
    def of(cls, sets: Sequence[tuple[Sequence[int], Sequence[int], int]]) -> Cuts:
        """Give cuts from their records, multiples and divisors."""
        return cls(
            np.array([records for records, _, _ in sets], dtype=np.int64).reshape(-1, SIZE),
            np.array([multiples for _, multiples, _ in sets], dtype=np.int64).reshape(-1, SIZE),
            np.array([divisor for _, _, divisor in sets], dtype=np.int64),
        )

    def __len__(self) -> int:
        return len(self.divisors)

    @property
    def most(self) -> FloatArray:
        """What the parts of the groups of a partition sum to, at most."""
        most: IntArray = self.multiples.sum(axis=1) // self.divisors
        return most.astype(np.float64)

    def with_more(self, others: Cuts) -> Cuts:
        """Give these cuts and the others after them."""
        return Cuts(
            np.concatenate([self.records, others.records]),
            np.concatenate([self.multiples, others.multiples]),
            np.concatenate([self.divisors, others.divisors]),
        )


def violated(groups: Sequence[IntArray], weights: FloatArray, most: int, prices: FloatArray) -> Cuts:
    """Give cuts that groups with these weights violate, the worst first: of three records, or, without any, of more.

    The worst are those with the most to win: by how much a cut is violated, times what its records pay.
    """
    worth = np.maximum(prices, 0.0).tolist()
    shared = (weights > LEAST_WEIGHT) & (weights < 1.0 - LEAST_WEIGHT)
    groups = [groups[place] for place in np.flatnonzero(shared).tolist()]
    weights = weights[shared]
    parts = parts_of_triples(groups, weights)
    paid = {triple: sum(worth[row] for row in triple) for triple in parts}
    triples = [triple for triple in parts if parts[triple] > 1.0 + LEAST_EXCESS]
    if triples:
        triples.sort(key=lambda triple: ((1.0 - parts[triple]) * paid[triple], triple))
        return Cuts.of([((*triple, triple[0], triple[0]), *TRIPLE) for triple in triples[:most]])
    seeds = sorted(parts, key=lambda triple: (-parts[triple] * paid[triple], triple))[:SEEDS]
    return Cuts.of(larger(groups, weights, seeds, most, worth))


def parts_of_triples(groups: Sequence[IntArray], weights: FloatArray) -> dict[tuple[int, int, int], float]:
    """Give the weight of the groups that hold two or three of each three records; one of them is with both others."""
    together: dict[tuple[int, int], float] = defaultdict(float)
    all_three: dict[tuple[int, int, int], float] = defaultdict(float)
    partners: dict[int, set[int]] = defaultdict(set)
    for group, weight in zip(groups, weights.tolist(), strict=True):
        rows = group.tolist()
        for first, second in combinations(rows, 2):
            together[first, second] += weight
            partners[first].add(second)
        for first, second, third in combinations(rows, 3):
            all_three[first, second, third] += weight
    parts = {}
    for first, others in partners.items():
        for second, third in combinations(sorted(others), 2):
            pairs = together[first, second] + together[first, third] + together.get((second, third), 0.0)
            parts[first, second, third] = pairs - 2.0 * all_three.get((first, second, third), 0.0)
    return parts


def larger(
    groups: Sequence[IntArray],
    weights: FloatArray,
    triples: Iterable[tuple[int, int, int]],
    most: int,
    worth: Sequence[float],
) -> list[tuple[tuple[int, ...], tuple[int, ...], int]]:
    """Give cuts of four and five records that are violated, made from sets of three."""
    holders: dict[int, list[int]] = defaultdict(list)
    for place, group in enumerate(groups):
        for row in group.tolist():
            holders[row].append(place)
    excess: dict[tuple[tuple[tuple[int, int], ...], int], float] = {}
    for triple in triples:
        coupling: Counter[int] = Counter()
        for place in sorted({place for row in triple for place in holders[row]}):
            for row in groups[place].tolist():
                coupling[row] += weights[place]
        others = sorted((row for row in coupling if row not in triple), key=lambda row: (-coupling[row], row))
        others = others[:NEIGHBOURS]
        if len(others) < 2:
            continue
        local = [*triple, *others]
        near = sorted({place for row in local for place in holders[row]})
        inside = np.array([[place in holders[row] for place in near] for row in local], dtype=np.int64)
        fives = np.array([(0, 1, 2, *pair) for pair in combinations(range(3, len(local)), 2)])
        patterns = (inside[fives] << np.arange(SIZE)[:, None]).sum(axis=1)
        places = (np.arange(len(fives))[:, None] * 2**SIZE + patterns).ravel()
        held = np.bincount(places, np.tile(weights[near], len(fives)), len(fives) * 2**SIZE).reshape(-1, 2**SIZE)
        beyond = held @ PARTS - MOST
        kinds = beyond.argmax(axis=1)
        for place in np.flatnonzero(beyond.max(axis=1) > LEAST_EXCESS).tolist():
            rows, kind = tuple(local[member] for member in fives[place]), int(kinds[place])
            multiples, divisor = ARRANGEMENTS[kind]
            members = sorted((row, times) for row, times in zip(rows, multiples, strict=True) if times)
            paid = sum(worth[row] for row, _ in members)
            excess[tuple(members), divisor] = float(beyond[place, kind]) * paid
    cuts: list[tuple[tuple[int, ...], tuple[int, ...], int]] = []
    used: Counter[int] = Counter()
    for cut in sorted(excess, key=lambda cut: (-round(excess[cut], 9), cut)):
        chosen, divisor = cut
        if len(cuts) < most and all(used[row] < PER_RECORD for row, _ in chosen):
            used.update(row for row, _ in chosen)
            padded = (*chosen, *[(chosen[0][0], 0)] * (SIZE - len(chosen)))
            cuts.append((tuple(row for row, _ in padded), tuple(times for _, times in padded), divisor))
    return cuts


def arrangements() -> list[tuple[tuple[int, ...], int]]:
    """Give every kind of cut with its multiples in every order."""
    return [
        (each, divisor) for multiples, divisor in KINDS for each in sorted({*permutations(multiples)}, reverse=True)
    ]


ARRANGEMENTS = arrangements()
BITS = (np.arange(2**SIZE)[:, None] >> np.arange(SIZE)) & 1
MULTIPLES = np.array([multiples for multiples, _ in ARRANGEMENTS])
DIVISORS = np.array([divisor for _, divisor in ARRANGEMENTS])
PARTS = np.floor_divide(BITS @ MULTIPLES.T, DIVISORS).astype(np.float64)
"""Of a group that holds these of five records (bits), in each cut."""
MOST = np.floor_divide(MULTIPLES.sum(axis=1), DIVISORS).astype(np.float64)
