"""Patterns of missingness: a group agrees on what its records lack, so that nothing is invented.

    count how many records lack the same values                                    (a pattern, in a stratum)
    while a pattern has fewer than k records:
        of all ways to bring one of these to k, take the one that blanks the fewest values:
          - merge it with another pattern: all records of both lack what either lacked
          - let a larger pattern lend it as many records as it needs, which then lack what both lacked
    number what is left: records of different patterns are never in one group, like strata

Values are blanked, never made up. What is lent is nearest to the first record of the pattern that needs it; ties go to
the pattern, and to the row, that comes first.

Where records lack so different things that patterns, not values, would decide who is grouped with whom, records are
grouped by their values, and a group lacks what one of its records lacks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Protocol

import numpy as np

from microagg.base.types import BoolArray, FloatArray, IntArray
from microagg.errors import InvalidData

MOST_PATTERNS = 10_000
"""So many patterns that too few records share can be merged in reasonable time."""
MOST_BY_PATTERN = 0.2
"""Up to which share of the records may be grouped by what they lack alone."""
MOST_LOANS = 300
"""So often records are looked for that are near to others: each time all records are gone through."""

Points = Callable[[FloatArray], FloatArray]
"""Gives records as points."""
Counts = dict[tuple[int, bytes], tuple[int, int]]
"""By stratum and pattern: how many records, and the first row."""


class Located(Protocol):
    """Some records: their rows, values (NaN where one is missing) and strata."""

    rows: IntArray
    values: FloatArray
    strata: IntArray


Fold = Callable[[Callable[[Any], Any], Callable[[Any, Any], Any]], Any]
"""Gives what a task says of all records, chunk by chunk and merged in their order."""


@dataclass(frozen=True, eq=False)
class Patterns:
    """The patterns that records are grouped within: a pure value, wherever the records are.

    Attributes
    ----------
    masks : array of shape (s, q) of bool
        What the records of each pattern lack once some values are blanked.
    parents, sizes : array of s int
        The stratum of each pattern, and how many records it has.
    opened : array of q bool
        The columns in which missing values are released as missing, and tell records apart.
    numbers : mapping of (int, bytes) to int
        The pattern of records by their stratum and what they lack in the original.
    rows, lent : array of int
        Records that have another pattern, in ascending order, and which.
    """

    masks: BoolArray
    parents: IntArray
    sizes: IntArray
    opened: BoolArray
    numbers: Mapping[tuple[int, bytes], int]
    rows: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    lent: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def divide(self, rows: IntArray, strata: IntArray, values: FloatArray) -> IntArray:
        """Give the pattern of some records, of their rows, strata and original values."""
        keys, inverse = _keys(strata, np.isnan(values) & self.opened)
        patterns = np.array([self.numbers[key] for key in keys], dtype=np.int64)[inverse]
        if len(self.rows):
            places = np.searchsorted(self.rows, rows).clip(max=len(self.rows) - 1)
            is_lent = self.rows[places] == rows
            patterns[is_lent] = self.lent[places[is_lent]]
        return patterns


@dataclass(frozen=True, eq=False)
class Loan:
    """Records that larger patterns lend one that has too few: which patterns lend, how many, near to the record in
    which row, and what these records lack then.
    """

    lenders: tuple[int, ...]
    count: int
    near: int
    mask: BoolArray


@dataclass(frozen=True, eq=False)
class Merged:
    """What became of the patterns of a stratum: what the records of each lack now, and what is lent."""

    masks: BoolArray
    loans: tuple[Loan, ...]


def find_patterns(fold: Fold, opened: BoolArray, points: Points, k: int, *, per_column: bool) -> Patterns | None:
    """Find the patterns of all records, each of at least k; None where too many patterns have fewer records.

    Parameters
    ----------
    fold : callable
        `fold(task, merge)` goes through all records.
    opened : array of q bool
        The columns in which missing values are released as missing.
    points : callable
        Gives values as points, in which one that stays missing counts nothing.
    k : int
        How many records each pattern needs.
    per_column : bool
        Whether each column is grouped on its own: then each has k records that lack it, or none.
    """
    counts: Counts = fold(partial(_count, opened=opened), _add)
    n_small = sum(count < k for count, _ in counts.values())
    n_records = sum(count for count, _ in counts.values())
    if not per_column and (n_small > MOST_PATTERNS or n_small * k > MOST_BY_PATTERN * n_records):
        return None
    by_stratum: dict[int, list[bytes]] = {}
    for stratum, key in sorted(counts):
        by_stratum.setdefault(stratum, []).append(key)
    final: dict[tuple[int, bytes], BoolArray] = {}
    loans: list[tuple[int, Loan]] = []
    lenders: dict[tuple[int, int], bytes] = {}
    for stratum, keys in by_stratum.items():
        masks = np.array([_mask(key, len(opened)) for key in keys])
        sizes, first = (np.array([counts[stratum, key][side] for key in keys]) for side in (0, 1))
        merged = merge_columns(masks, sizes, first, k) if per_column else merge_patterns(masks, sizes, first, k)
        for place, key in enumerate(keys):
            final[stratum, key] = merged.masks[place]
            lenders[stratum, place] = key
        loans += [(stratum, loan) for loan in merged.loans]
    lent = _lend(fold, opened, points, loans, lenders, alone=per_column)
    if per_column:
        own = fold(partial(_patterns_of, rows=set(lent), opened=opened), _both)
        lent = {row: (stratum, mask | final[own[row]]) for row, (stratum, mask) in lent.items()}
    patterns = _numbered(final, lent, opened)
    return replace(patterns, sizes=fold(partial(_sizes, patterns=patterns), np.add))


def merge_patterns(masks: BoolArray, sizes: IntArray, first: IntArray, k: int) -> Merged:
    """Bring every pattern to k records, blanking few values: greedily, the cheapest step first.

    Parameters
    ----------
    masks : array of shape (p, q) of bool
        What the records of each pattern lack.
    sizes, first : array of p int
        How many records each pattern has, and the first row.
    k : int
        What each needs.

    Examples
    --------
    >>> masks = np.array([[False, False], [True, False]])
    >>> merged = merge_patterns(masks, np.array([90, 1]), np.array([0, 5]), 3)
    >>> merged.masks.tolist(), [(loan.count, loan.near, loan.mask.tolist()) for loan in merged.loans]
    ([[False, False], [True, False]], [(2, 5, [True, False])])
    >>> merge_patterns(masks, np.array([3, 2]), np.array([0, 5]), 3).masks.tolist()
    [[True, False], [True, False]]
    """
    if int(sizes.sum()) < k:
        raise InvalidData(f"a stratum has fewer than k = {k} records.")
    greedy = _Greedy(masks, sizes, first, k)
    while (step := greedy.cheapest()) is not None:
        greedy.take(*step)
    return greedy.merged()


def merge_columns(masks: BoolArray, sizes: IntArray, first: IntArray, k: int) -> Merged:
    """Bring the records that lack each column on its own to k, or to none."""
    final, loans = masks.copy(), []
    for j in range(masks.shape[1]):
        lacks = masks[:, j]
        n_lacking = int(sizes[lacks].sum())
        if not n_lacking:
            continue
        both = np.array([int(sizes.sum()) - n_lacking, n_lacking])
        rows = np.array([first[~lacks].min(initial=np.iinfo(np.int64).max), first[lacks].min()])
        alone = np.array([[False], [True]])
        there = both > 0
        merged = merge_patterns(alone[there], both[there], rows[there], k)
        final[:, j] |= bool(merged.masks[0, 0])
        blank = np.zeros(masks.shape[1], dtype=np.bool_)
        blank[j] = True
        known = tuple(np.flatnonzero(~lacks).tolist())
        loans += [Loan(known, loan.count, loan.near, blank) for loan in merged.loans]
    return Merged(final, tuple(loans))


def lacking_groups(gaps: BoolArray, labels: IntArray) -> BoolArray:
    """Say what the group of each record lacks: what one of its records lacks; labels may group each column alone.

    >>> lacking_groups(np.array([[True, False], [False, False], [False, False]]), np.array([0, 0, 1])).tolist()
    [[True, False], [True, False], [False, False]]
    """
    lacking = np.zeros_like(gaps)
    for j in np.flatnonzero(gaps.any(axis=0)).tolist():
        groups = labels if labels.ndim == 1 else labels[:, j]
        lacking[:, j] = (np.bincount(groups[gaps[:, j]], minlength=int(groups.max()) + 1) > 0)[groups]
    return lacking


class _Greedy:
    """The patterns of a stratum while they are merged: nodes, of which the first ones are the original patterns."""

    def __init__(self, masks: BoolArray, sizes: IntArray, first: IntArray, k: int) -> None:
        p, q = masks.shape
        room = 2 * p  # every step leaves one small pattern less
        self.k, self.n_patterns, self.n_nodes = k, p, p
        self._masks = np.zeros((room, q), dtype=np.float32)
        self._masks[:p] = masks
        self._widths, self._sizes, self._own, self._first = (np.zeros(room, dtype=np.int64) for _ in range(4))
        self._widths[:p], self._sizes[:p], self._own[:p], self._first[:p] = masks.sum(axis=1), sizes, sizes, first
        self._alive = np.arange(room) < p
        self._members: list[list[int]] = [[i] for i in range(p)]
        self._loans: list[tuple[tuple[int, ...], int, int]] = []
        self._borrowed: list[list[int]] = [[] for _ in range(p)]
        self._cost = np.full(room, np.inf)
        self._partner = np.full(room, -1, dtype=np.int64)
        for i in np.flatnonzero(sizes < k).tolist():
            self._look(i)

    def _costs(self, i: int) -> tuple[FloatArray, BoolArray]:
        """Give how many values are blanked where node i joins each other or borrows from it, and which is cheaper."""
        n, size, need = self.n_nodes, int(self._sizes[i]), self.k - int(self._sizes[i])
        shared = (self._masks[:n] @ self._masks[i]).astype(np.int64)
        more, own = self._widths[:n] - shared, self._widths[i] - shared
        join = (size * more + self._sizes[:n] * own).astype(np.float64)
        borrow = np.where(self._lends(np.arange(n), need), size * more + need * own, np.inf)
        costs = np.where(self._alive[:n], np.minimum(join, borrow), np.inf)
        costs[i] = np.inf
        return costs, borrow < join

    def _lends(self, nodes: IntArray | int, need: IntArray | int) -> BoolArray:
        """Say which nodes have so many records of their own to spare."""
        can: BoolArray = (self._own[nodes] >= need) & (self._sizes[nodes] - need >= self.k)
        return can & (len(self._loans) < MOST_LOANS)

    def _look(self, i: int) -> None:
        costs, _ = self._costs(i)
        self._partner[i] = int(np.argmin(costs))
        self._cost[i] = costs[self._partner[i]]

    def cheapest(self) -> tuple[int, int] | None:
        """Give the small pattern, and its partner, that cost the least; None where no pattern is small."""
        i = int(np.argmin(self._cost))
        return (i, int(self._partner[i])) if np.isfinite(self._cost[i]) else None

    def take(self, i: int, other: int) -> None:
        """Merge two nodes, or let the other lend the first what it needs."""
        borrows = bool(self._costs(i)[1][other])
        mask = np.maximum(self._masks[i], self._masks[other])
        members, borrowed, first = list(self._members[i]), list(self._borrowed[i]), int(self._first[i])
        own, size = int(self._own[i]), int(self._sizes[i])
        if borrows:
            need = self.k - size
            borrowed.append(len(self._loans))
            self._loans.append((tuple(self._members[other]), need, first))
            self._own[other] -= need
            self._sizes[other] -= need
            size = self.k
        else:
            members += self._members[other]
            borrowed += self._borrowed[other]
            first = min(first, int(self._first[other]))
            own, size = own + int(self._own[other]), size + int(self._sizes[other])
            self._alive[other] = False
        self._alive[i] = False
        self._cost[[node for node in (i, other) if not self._alive[node]]] = np.inf
        new = self.n_nodes
        self.n_nodes += 1
        self._masks[new], self._widths[new] = mask, int(mask.sum())
        self._sizes[new], self._own[new], self._first[new], self._alive[new] = size, own, first, True
        self._members.append(members)
        self._borrowed.append(borrowed)
        self._tell(i, other, new)

    def _tell(self, i: int, other: int, new: int) -> None:
        """Let small nodes look again where their partner is gone or has changed; others may find the new one better."""
        if self._sizes[new] < self.k:
            self._look(new)
        small = np.isfinite(self._cost)
        small[new] = False
        changed = np.isin(self._partner, (i, other)) | (len(self._loans) == MOST_LOANS)
        for node in np.flatnonzero(small & changed).tolist():
            self._look(node)
        n = self.n_nodes
        sizes, need = self._sizes[:n], self.k - self._sizes[:n]
        for node in (new, other) if self._alive[other] else (new,):
            shared = (self._masks[:n] @ self._masks[node]).astype(np.int64)
            more, own = int(self._widths[node]) - shared, self._widths[:n] - shared
            join = (sizes * more + int(self._sizes[node]) * own).astype(np.float64)
            costs = np.minimum(join, np.where(self._lends(node, need), sizes * more + need * own, np.inf))
            ties = (costs == self._cost[:n]) & (node < self._partner[:n])
            better = np.flatnonzero(small[:n] & (np.arange(n) != node) & ((costs < self._cost[:n]) | ties))
            self._cost[better], self._partner[better] = costs[better], node

    def merged(self) -> Merged:
        """Give what the records of each original pattern lack now, and those that were lent."""
        final = np.zeros((self.n_patterns, self._masks.shape[1]), dtype=np.bool_)
        loans: list[Loan] = []
        mask_of: dict[int, BoolArray] = {}
        for node in np.flatnonzero(self._alive).tolist():
            final[self._members[node]] = self._masks[node] > 0
            mask_of |= dict.fromkeys(self._borrowed[node], self._masks[node] > 0)
        for number, (lenders, count, near) in enumerate(self._loans):
            loans.append(Loan(lenders, count, near, mask_of[number]))
        return Merged(final, tuple(loans))


def _keys(strata: IntArray, gaps: BoolArray) -> tuple[list[tuple[int, bytes]], IntArray]:
    """Give the distinct strata and patterns of some records, and which each record has."""
    packed = np.packbits(gaps, axis=1)
    lacks = gaps.any(axis=1)
    inverse = np.empty(len(gaps), dtype=np.int64)
    # Most records lack nothing: those are told apart by their strata alone, which is quicker.
    values, places = np.unique(strata[~lacks], return_inverse=True)
    keys = [(int(value), bytes(packed.shape[1])) for value in values]
    inverse[~lacks] = places
    both = np.hstack([strata[lacks].astype("<i8").view(np.uint8).reshape(-1, 8), packed[lacks]])
    distinct, places = np.unique(both, axis=0, return_inverse=True)
    inverse[lacks] = places.ravel() + len(keys)
    keys += [(int.from_bytes(row[:8].tobytes(), "little"), row[8:].tobytes()) for row in distinct]
    return keys, inverse


def _count(records: Located, *, opened: BoolArray) -> Counts:
    keys, inverse = _keys(records.strata, np.isnan(records.values) & opened)
    sizes = np.bincount(inverse, minlength=len(keys))
    first = np.full(len(keys), np.iinfo(np.int64).max)
    np.minimum.at(first, inverse, records.rows)
    return {key: (int(size), int(row)) for key, size, row in zip(keys, sizes, first, strict=True)}


def _add(one: Counts, other: Counts) -> Counts:
    total = dict(one)
    for key, (count, row) in other.items():
        known, first = total.get(key, (0, row))
        total[key] = (known + count, min(first, row))
    return total


def _mask(key: bytes, n_columns: int) -> BoolArray:
    bits: BoolArray = np.unpackbits(np.frombuffer(key, dtype=np.uint8))[:n_columns].astype(np.bool_)
    return bits


def _lend(
    fold: Fold,
    opened: BoolArray,
    points: Points,
    loans: Sequence[tuple[int, Loan]],
    keys: Mapping[tuple[int, int], bytes],
    *,
    alone: bool,
) -> dict[int, tuple[int, BoolArray]]:
    """Find the records that are lent: for each row its stratum, and what it lacks then.

    Where columns are grouped `alone`, a record may lend each of them.
    """
    if not loans:
        return {}
    anchors: dict[int, FloatArray] = fold(partial(_values_of, rows={loan.near for _, loan in loans}), _both)
    # Earlier loans may have taken what is nearest to a later one.
    most = np.cumsum([loan.count for _, loan in loans]).tolist()
    wanted = [
        (stratum, frozenset(keys[stratum, lender] for lender in loan.lenders), anchors[loan.near], loan.mask, count)
        for (stratum, loan), count in zip(loans, most, strict=True)
    ]
    nearest = fold(partial(_nearest, wanted=wanted, opened=opened, points=points), partial(_nearer, most=most))
    lent: dict[int, tuple[int, BoolArray]] = {}
    for (stratum, loan), (_, rows) in zip(loans, nearest, strict=True):
        chosen = [row for row in rows.tolist() if alone or row not in lent][: loan.count]
        for row in chosen:
            mask = lent[row][1] | loan.mask if row in lent else loan.mask
            lent[row] = (stratum, mask)
    return lent


def _values_of(records: Located, *, rows: set[int]) -> dict[int, FloatArray]:
    places = np.flatnonzero(np.isin(records.rows, np.fromiter(rows, dtype=np.int64)))
    return {int(records.rows[place]): records.values[place] for place in places.tolist()}


def _patterns_of(records: Located, *, rows: set[int], opened: BoolArray) -> dict[int, tuple[int, bytes]]:
    places = np.flatnonzero(np.isin(records.rows, np.fromiter(rows, dtype=np.int64)))
    keys, inverse = _keys(records.strata[places], np.isnan(records.values[places]) & opened)
    return {int(records.rows[place]): keys[i] for place, i in zip(places.tolist(), inverse.tolist(), strict=True)}


def _sizes(records: Located, *, patterns: Patterns) -> IntArray:
    numbers = patterns.divide(records.rows, records.strata, records.values)
    return np.bincount(numbers, minlength=len(patterns.masks))


def _both(one: dict[int, Any], other: dict[int, Any]) -> dict[int, Any]:
    return {**one, **other}


Near = list[tuple[FloatArray, IntArray]]
"""For each loan, squared distances and rows, nearest first."""


def _nearest(
    records: Located,
    *,
    wanted: Sequence[tuple[int, frozenset[bytes], FloatArray, BoolArray, int]],
    opened: BoolArray,
    points: Points,
) -> Near:
    keys, inverse = _keys(records.strata, np.isnan(records.values) & opened)
    near: Near = []
    for stratum, lenders, anchor, mask, most in wanted:
        lends = np.array([key[0] == stratum and key[1] in lenders for key in keys], dtype=np.bool_)
        rows = np.flatnonzero(lends[inverse])
        both = np.vstack([anchor[None, :], records.values[rows]])
        both[:, mask] = np.nan
        placed = points(both)
        apart = ((placed[1:] - placed[0]) ** 2).sum(axis=1)
        near.append(_first(apart, records.rows[rows], most))
    return near


def _nearer(one: Near, other: Near, *, most: Sequence[int]) -> Near:
    return [
        _first(np.append(a[0], b[0]), np.append(a[1], b[1]), count)
        for a, b, count in zip(one, other, most, strict=True)
    ]


def _first(apart: FloatArray, rows: IntArray, most: int) -> tuple[FloatArray, IntArray]:
    order = np.lexsort((rows, apart))[:most]
    return apart[order], rows[order]


def _numbered(
    final: Mapping[tuple[int, bytes], BoolArray], lent: Mapping[int, tuple[int, BoolArray]], opened: BoolArray
) -> Patterns:
    """Number the patterns by stratum and by what they lack; their sizes are not known yet."""
    by_key = {key: (key[0], tuple(mask.tolist())) for key, mask in final.items()}
    by_row = {row: (stratum, tuple(mask.tolist())) for row, (stratum, mask) in lent.items()}
    ordered = sorted({*by_key.values(), *by_row.values()})
    number = {pattern: place for place, pattern in enumerate(ordered)}
    rows = sorted(by_row)
    return Patterns(
        masks=np.array([mask for _, mask in ordered], dtype=np.bool_),
        parents=np.array([stratum for stratum, _ in ordered], dtype=np.int64),
        sizes=np.empty(0, dtype=np.int64),
        opened=opened,
        numbers={key: number[pattern] for key, pattern in by_key.items()},
        rows=np.array(rows, dtype=np.int64),
        lent=np.array([number[by_row[row]] for row in rows], dtype=np.int64),
    )
