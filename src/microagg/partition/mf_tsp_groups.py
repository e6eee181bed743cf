"""The groups of MF-TSP: records that are near each other on many paths, and what becomes of the others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from microagg.base.types import BoolArray, FloatArray, IntArray
from microagg.partition.nearness import join_nearest

LEFTOVERS = ("counts", "nearest", "example")
SHORT_GROUPS = ("rest", "extend")
PAIRS_AT_ONCE = 4_000_000
"""How many steps of paths are gathered before they are counted."""


@dataclass(frozen=True)
class Counts:
    """A sparse matrix of counts: its entries, the largest first, equal ones by row and column."""

    rows: IntArray
    columns: IntArray
    values: IntArray
    n_records: int


def count_neighbours(
    paths: Iterable[IntArray], n_records: int, reach: int, *, directed: bool, cycle: bool = False
) -> Counts:
    """Count how often two records are at most `reach` steps apart on the paths.

    Directed counts go to (i, j) where j comes after i; others to (i, j) and to (j, i). With `cycle` each path goes on
    from its last record to its first.

    >>> counts = count_neighbours([np.array([0, 2, 1]), np.array([2, 1, 0])], 3, 1, directed=True)
    >>> list(zip(counts.rows.tolist(), counts.columns.tolist(), counts.values.tolist()))
    [(2, 1, 2), (0, 2, 1), (1, 0, 1)]
    """
    keys, values = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    waiting: list[IntArray] = []
    n_waiting = 0

    def settle() -> None:
        nonlocal keys, values, waiting, n_waiting
        found, times = np.unique(np.concatenate(waiting), return_counts=True)
        together, place = np.unique(np.concatenate([keys, found]), return_inverse=True)
        sums = np.zeros(len(together), dtype=np.int64)
        np.add.at(sums, place, np.concatenate([values, times]))
        keys, values, waiting, n_waiting = together, sums, [], 0

    for order in paths:
        for step in range(1, min(reach, n_records - 1) + 1):
            before, after = (order, np.roll(order, -step)) if cycle else (order[:-step], order[step:])
            waiting.append(before * n_records + after)
            if not directed:
                waiting.append(after * n_records + before)
            n_waiting += len(before)
        if n_waiting > PAIRS_AT_ONCE:
            settle()
    if waiting:
        settle()
    largest_first = np.lexsort((keys, -values))
    keys, values = keys[largest_first], values[largest_first]
    return Counts(keys // n_records, keys % n_records, values, n_records)


def group_by_counts(X: FloatArray, counts: Counts, k: int, leftovers: str, short_groups: str = "rest") -> IntArray:
    """Grow groups of k from the largest counts and place the records that are left over; see `mf_tsp.partition`."""
    labels = grow_groups(counts, k, leftovers, short_groups)
    rest = np.flatnonzero(labels < 0)
    n_groups = int(labels.max()) + 1
    if n_groups == 0 or (leftovers == "nearest" and k <= len(rest) < 2 * k):
        labels[rest] = n_groups
        return labels
    if leftovers == "counts":
        _join_by_counts(counts, labels, k)
    join_nearest(X, labels)
    return labels


def grow_groups(counts: Counts, k: int, leftovers: str, short_groups: str = "rest") -> IntArray:
    """Grow groups of k from the largest counts; -1 where a record has no group yet."""
    n = counts.n_records
    labels = np.full(n, -1, dtype=np.int64)
    left = np.ones(n, dtype=np.bool_)
    successors, predecessors = _lines(counts.rows, n), _lines(counts.columns, n)
    n_groups, n_left = 0, n
    least = 2 * k if leftovers == "nearest" else k
    for entry in range(len(counts.values)):
        if n_left < least:
            break
        i, j = int(counts.rows[entry]), int(counts.columns[entry])
        if not (left[i] and left[j]):
            continue
        members = _grow(counts, successors, predecessors, left, i, j, k, extend=short_groups == "extend")
        left[members] = False
        n_left -= len(members)
        if len(members) == k:
            labels[members] = n_groups
            n_groups += 1
    return labels


def _lines(index: IntArray, n: int) -> list[IntArray]:
    """Give the entries of each row, or of each column, the largest count first."""
    by_line = np.argsort(index, kind="stable")
    return np.split(by_line, np.cumsum(np.bincount(index, minlength=n))[:-1])


def _grow(
    counts: Counts,
    successors: list[IntArray],
    predecessors: list[IntArray],
    left: BoolArray,
    i: int,
    j: int,
    k: int,
    *,
    extend: bool,
) -> IntArray:
    """Grow a group from the pair (i, j); fewer than k where no record that is left has a count with it.

    With `extend`, the counts with the records taken in count as well where those with i and j are used up.
    """
    members = [i, j]
    free = left.copy()
    free[members] = False
    while len(members) < k:
        best = _best(counts, [successors[i]], [predecessors[j]], free)
        if best is None and extend:
            best = _best(counts, [successors[a] for a in members], [predecessors[a] for a in members], free)
        if best is None:
            break
        members.append(best)
        free[best] = False
    return np.array(members, dtype=np.int64)


def _best(counts: Counts, rows: list[IntArray], columns: list[IntArray], free: BoolArray) -> int | None:
    """Find the free record with the largest count in these rows and columns, the lower row number of equal ones."""
    entries = np.concatenate([*rows, *columns])
    others = np.concatenate([counts.columns[np.concatenate(rows)], counts.rows[np.concatenate(columns)]])
    open_entries = free[others]
    if not open_entries.any():
        return None
    entries, others = entries[open_entries], others[open_entries]
    values = counts.values[entries]
    return int(others[values == values.max()].min())


def _join_by_counts(counts: Counts, labels: IntArray, k: int) -> None:
    """Give the records left to the groups of the records with which they have the largest counts; changes labels."""
    n = counts.n_records
    grouped = labels >= 0
    rows = np.concatenate([counts.rows, counts.columns])
    columns = np.concatenate([counts.columns, counts.rows])
    across = ~grouped[rows] & grouped[columns]
    pairs, place = np.unique(rows[across] * n + columns[across], return_inverse=True)
    both = np.zeros(len(pairs), dtype=np.int64)
    np.add.at(both, place, np.concatenate([counts.values, counts.values])[across])
    sizes = np.bincount(labels[grouped])
    for entry in np.lexsort((pairs, -both)):
        record, group = int(pairs[entry] // n), int(labels[pairs[entry] % n])
        if labels[record] < 0 and sizes[group] < 2 * k - 1:
            labels[record] = group
            sizes[group] += 1
