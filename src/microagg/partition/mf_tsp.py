"""MF-TSP: records that many short paths visit one after the other belong together.

for every record i: H(i) = a short Hamiltonian path that begins at i
C = how often j follows i on these paths                  (version "adjacent")
    how often i and j are at most k-1 steps apart         (version "window")
repeat: (i, j) = the largest count between records that are left
        add k-2 times the record with the largest count in row i or in column j
the records that are left over: see `partition`
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from microagg.base.checks import check_records, check_threads
from microagg.base.progress import Progress, part_of
from microagg.base.types import BoolArray, FloatArray, IntArray
from microagg.errors import InvalidOption
from microagg.partition.method import Method
from microagg.paths import get_heuristic
from microagg.paths import path as find_path
from microagg.paths.nearest_neighbour import nearest_neighbour_paths

VERSIONS = ("adjacent", "window")
LEFTOVERS = ("counts", "nearest")
PAIRS_AT_ONCE = 4_000_000
"""How many steps of paths are gathered before they are counted."""


def partition(
    X: npt.ArrayLike,
    k: int,
    *,
    path: str = "nearest_neighbour",
    version: Literal["adjacent", "window"] = "adjacent",
    leftovers: Literal["counts", "nearest"] | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> IntArray:
    """Group records that follow each other on many of n paths, one from each record [1]_ [2]_.

    A group begins with the two records of the largest count (i, j) and takes in, k-2 times, the record with the
    largest count in row i or in column j. Where both are used up, the rows and columns of the records taken in count
    as well; a group that cannot reach k even so is given up and its records are left over. Ties go to the lower row
    number: the published algorithm prefers the column then, but its example needs the row.

    Parameters
    ----------
    X : array of shape (n, m)
        The records, prepared.
    k : int
        Least size of a group.
    path : str
        The heuristic that finds the paths: a name in PATHS that can begin at a given record. Each of the n paths costs
        what one path of this heuristic costs.
    version : {"adjacent", "window"}
        What is counted. "adjacent": how often j is the next one after i, a count with a direction [2]_. "window": how
        often i and j are at most k-1 steps apart [1]_.
    leftovers : {"counts", "nearest"}, optional
        What becomes of records without a group. "counts", the default of "adjacent": groups are made as long as there
        are counts; each record left then joins the group of the record with which it has the largest count, in both
        directions together, as long as that has fewer than 2k-1 records; one without counts joins the nearest
        centroid [2]_. "nearest", the default of "window": with at most 2k-1 records left no more groups are grown; k
        or more of them are a group of their own, fewer join the nearest centroid [1]_. (The example of [1]_ grows a
        third group of 5 records left with k=3, against its own rule; here they are one group.)
    seed : int
        Random choices of the heuristic follow from this.
    threads : int, optional
        How many paths are found at a time; one per processor by default. The labels are the same on any number.
    progress : callable, optional
        Told the fraction done.

    Returns
    -------
    array of n int
        The group of each record; groups are numbered in the order in which they are made.

    References
    ----------
    .. [1] A. Maya-Lopez, A. Solanas. Multivariate microaggregation with fixed group size based on the travelling
       salesman problem.
    .. [2] A. Maya-Lopez. Contributions to statistical disclosure control: enhancing multivariate microaggregation
       using graph theory. Doctoral thesis, Universitat Rovira i Virgili (2023), chapter 3.

    Examples
    --------
    >>> partition([[1.0], [9.0], [2.0], [8.0], [1.5], [9.5]], k=3).tolist()
    [1, 0, 1, 0, 1, 0]
    """
    X = check_records(X, k)
    if version not in VERSIONS:
        raise InvalidOption(f"version must be one of {', '.join(VERSIONS)}; got {version!r}.")
    if leftovers is None:
        leftovers = "counts" if version == "adjacent" else "nearest"
    if leftovers not in LEFTOVERS:
        raise InvalidOption(f"leftovers must be one of {', '.join(LEFTOVERS)}; got {leftovers!r}.")
    if "start" not in get_heuristic(path, {}).options:
        raise InvalidOption(f"path must be a heuristic that can begin at a given record; {path!r} cannot.")
    if len(X) < 2 * k:
        return np.zeros(len(X), dtype=np.int64)
    reach = 1 if version == "adjacent" else k - 1
    paths = find_paths(X, path, seed=seed, threads=threads, progress=part_of(progress, 0.0, 0.9))
    counts = count_neighbours(paths, len(X), reach, directed=version == "adjacent")
    return group_by_counts(X, counts, k, leftovers)


def find_paths(
    X: FloatArray, heuristic: str, *, seed: int = 0, threads: int | None = None, progress: Progress | None = None
) -> Iterator[IntArray]:
    """Find a path from every record, in the order of the records.

    >>> [order.tolist() for order in find_paths(np.array([[0.0], [1.0], [3.0]]), "nearest_neighbour")]
    [[0, 1, 2], [1, 0, 2], [2, 1, 0]]
    """
    n, threads = len(X), check_threads(threads)

    def from_record(start: int) -> IntArray:
        return find_path(X, heuristic, start=start, seed=seed, threads=1)

    with ThreadPoolExecutor(threads) as pool:
        at_once = max(16 * threads, PAIRS_AT_ONCE // n) if heuristic == "nearest_neighbour" else 16 * threads
        for first in range(0, n, at_once):
            starts = range(first, min(first + at_once, n))
            if heuristic == "nearest_neighbour":
                # The same paths as one by one, but the neighbours of all records are looked up once for many paths.
                yield from nearest_neighbour_paths(X, starts, threads=threads)
            else:
                yield from pool.map(from_record, starts)
            if progress is not None:
                progress(starts.stop / n)


@dataclass(frozen=True)
class Counts:
    """A sparse matrix of counts: its entries, the largest first, equal ones by row and column."""

    rows: IntArray
    columns: IntArray
    values: IntArray
    n_records: int


def count_neighbours(paths: Iterable[IntArray], n_records: int, reach: int, *, directed: bool) -> Counts:
    """Count how often two records are at most `reach` steps apart on the paths.

    Directed counts go to (i, j) where j comes after i; others to (i, j) and to (j, i).

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
            pairs = order[:-step] * n_records + order[step:]
            waiting.append(pairs)
            if not directed:
                waiting.append(order[step:] * n_records + order[:-step])
            n_waiting += len(pairs)
        if n_waiting > PAIRS_AT_ONCE:
            settle()
    if waiting:
        settle()
    largest_first = np.lexsort((keys, -values))
    keys, values = keys[largest_first], values[largest_first]
    return Counts(keys // n_records, keys % n_records, values, n_records)


def group_by_counts(X: FloatArray, counts: Counts, k: int, leftovers: str) -> IntArray:
    """Grow groups of k from the largest counts and place the records that are left over; see `partition`."""
    n = counts.n_records
    labels = np.full(n, -1, dtype=np.int64)
    left = np.ones(n, dtype=np.bool_)
    successors, predecessors = _lines(counts.rows, n), _lines(counts.columns, n)
    n_groups, n_left = 0, n
    stop_at = k - 1 if leftovers == "counts" else 2 * k - 1
    for entry in range(len(counts.values)):
        if n_left <= stop_at:
            break
        i, j = int(counts.rows[entry]), int(counts.columns[entry])
        if not (left[i] and left[j]):
            continue
        members = _grow(counts, successors, predecessors, left, i, j, k)
        left[members] = False
        n_left -= len(members)
        if len(members) == k:
            labels[members] = n_groups
            n_groups += 1
    rest = np.flatnonzero(labels < 0)
    if n_groups == 0 or (leftovers == "nearest" and k <= len(rest) < 2 * k):
        labels[rest] = n_groups
        return labels
    if leftovers == "counts":
        _join_by_counts(counts, labels, k)
    _join_nearest(X, labels)
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
) -> IntArray:
    """Grow a group from the pair (i, j); fewer than k where no record that is left has a count with it."""
    members = [i, j]
    free = left.copy()
    free[members] = False
    while len(members) < k:
        best = _best(counts, [successors[i]], [predecessors[j]], free)
        if best is None:
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


def _join_nearest(X: FloatArray, labels: IntArray) -> None:
    """Give each record left to the group whose centroid, before any of them joins, is nearest; changes labels."""
    grouped = labels >= 0
    sizes = np.bincount(labels[grouped])
    sums = np.zeros((len(sizes), X.shape[1]))
    np.add.at(sums, labels[grouped], X[grouped])
    centroids = sums / sizes[:, None]
    for record in np.flatnonzero(~grouped):
        labels[record] = int(np.argmin(((centroids - X[record]) ** 2).sum(axis=1)))


METHOD = Method(
    name="mf_tsp",
    function=partition,
    title="Multivariate fixed-size microaggregation based on the travelling salesman problem",
    summary="records that follow each other on many of n paths, one from each record, belong together",
    reference="Maya-Lopez and Solanas; Maya-Lopez 2023",
    steps="n paths: n^2 log n in few columns, n^3 in many",
    depends_on_row_order=True,
)
