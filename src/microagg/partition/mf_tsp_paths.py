"""The n paths of MF-TSP: a short path from every record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from microagg.base.checks import check_seed, check_threads, generator
from microagg.base.progress import Progress
from microagg.base.types import FloatArray, IntArray
from microagg.errors import InvalidOption
from microagg.partition.nearness import squared_distances
from microagg.paths import PATHS, check_path_options
from microagg.paths import path as find_path
from microagg.paths.nearest_neighbour import nearest_neighbour, nearest_neighbour_paths

STEPS_AT_ONCE = 4_000_000
"""How many steps of nearest neighbour paths are found at a time."""
WITHIN_ROUNDING = 1 + 1e-12
"""Paths whose lengths differ by less are equally short."""


def check_path(name: str, options: Mapping[str, Any]) -> None:
    """Refuse a heuristic that cannot begin at a given record, and options that it does not take from a user here.

    >>> check_path("lk", {"kicks": 10})
    """
    options = check_path_options(name, options)
    if "start" in options:
        raise InvalidOption("path_options cannot hold start: there is a path from every record. Leave it out.")
    heuristic = PATHS[name]
    initial = options.get("initial")
    if isinstance(initial, str) and initial != "random":
        raise InvalidOption(f'initial must be an order of the records, or "random"; got {initial!r}.')
    if name == "repetitive_nearest_neighbour" and options:
        raise InvalidOption(
            f"path_options must be empty for repetitive_nearest_neighbour, whose paths begin at each record; got "
            f"{', '.join(options)}."
        )
    if "start" not in heuristic.options and name != "repetitive_nearest_neighbour":
        able = [h.name for h in PATHS.values() if "start" in h.options]
        raise InvalidOption(
            f"path must be a heuristic that can begin at a given record; {name!r} cannot. "
            f"Take one of {', '.join([*able, 'repetitive_nearest_neighbour'])}."
        )


def find_paths(
    X: FloatArray,
    heuristic: str,
    *,
    path_options: Mapping[str, Any] | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Iterator[IntArray]:
    """Find a path from every record, in the order of the records.

    `initial`, an option of heuristics that improve an order, may be "random" here: another order for every record.

    >>> [order.tolist() for order in find_paths(np.array([[0.0], [1.0], [3.0]]), "nearest_neighbour")]
    [[0, 1, 2], [1, 0, 2], [2, 1, 0]]
    """
    n, threads = len(X), check_threads(threads)
    in_one_go = heuristic in ("nearest_neighbour", "repetitive_nearest_neighbour") and not path_options
    near = _by_nearness(X) if heuristic == "repetitive_nearest_neighbour" else None

    def from_record(start: int) -> IntArray:
        own_seed = seed_of_record(seed, start)
        options = dict(path_options or {})
        if isinstance(options.get("initial"), str):
            options["initial"] = generator(own_seed).permutation(n)
        return find_path(X, heuristic, start=start, seed=own_seed, threads=1, **options)

    with ThreadPoolExecutor(threads) as pool:
        at_once = max(16 * threads, STEPS_AT_ONCE // n) if in_one_go else 16 * threads
        for first in range(0, n, at_once):
            starts = range(first, min(first + at_once, n))
            if near is not None:
                yield from (_best_walk(X, near, walk) for walk in nearest_neighbour_paths(X, starts, threads=threads))
            elif in_one_go:
                # The same paths as one by one, but the neighbours of all records are looked up once for many paths.
                yield from nearest_neighbour_paths(X, starts, threads=threads)
            else:
                yield from pool.map(from_record, starts)
            if progress is not None:
                progress(starts.stop / n)


def seed_of_record(seed: int, record: int) -> int:
    """Give the seed of the path from a record: each path makes random choices of its own.

    >>> seed_of_record(0, 1) == seed_of_record(0, 2), seed_of_record(0, 1) == seed_of_record(0, 1)
    (False, True)
    """
    return int(np.random.default_rng([check_seed(seed), record]).integers(2**63))


def repetitive_walk(X: FloatArray, start: int) -> IntArray:
    """Give the path of repetitive nearest neighbour that begins at a record.

    All distances to that record are set to 0, and nearest neighbour makes a tour from each record in turn. Any other
    start s is followed by the given record at once, so that opened there the tour is the walk from it to the nearest
    record that is left, always but for s, which comes last. The shortest of these is taken, with the lower s of equal
    ones; the walk that leaves nobody out is one of them.

    >>> records = np.array([[5.0, 4.0], [4.0, 2.0], [6.0, 0.0], [4.0, 5.0], [5.0, 3.0]])
    >>> nearest_neighbour(records, start=0).tolist(), repetitive_walk(records, 0).tolist()
    ([0, 4, 1, 2, 3], [0, 3, 1, 2, 4])
    """
    return _best_walk(X, _by_nearness(X), nearest_neighbour(X, start=start))


def _by_nearness(X: FloatArray) -> IntArray:
    """Give for each record the others, the nearest first, equally near ones by row number: n x (n - 1)."""
    n = len(X)
    near = np.empty((n, n - 1), dtype=np.int64)
    for record in range(n):
        away = squared_distances(X, X[record])
        away[record] = -1.0
        near[record] = np.argsort(away, kind="stable")[1:]
    return near


def _best_walk(X: FloatArray, near: IntArray, walk: IntArray) -> IntArray:
    """Give the shortest of the walks that leave one record out until the end; `walk` leaves nobody out.

    All of them are walked side by side, each from where it leaves `walk` to where it joins it again: where it stands at
    the same record and has visited the same ones.
    """
    n = len(walk)
    if n < 3:
        return walk
    position = np.empty(n, dtype=np.int64)
    position[walk] = np.arange(n)
    along = np.concatenate([[0.0], np.cumsum(np.sqrt(squared_distances(X[walk[1:]], X[walk[:-1]])))])
    lengths = np.full(n, np.inf)
    lengths[walk[[0, -1]]] = along[-1]
    visited = np.zeros((n, n), dtype=np.bool_)
    here, length, ahead = np.empty(n, dtype=np.int64), np.empty(n), np.zeros(n, dtype=np.int64)
    apart = np.empty(0, dtype=np.int64)
    for at in range(1, n - 1):
        visited[walk[at], walk[: at + 1]] = True
        here[walk[at]], length[walk[at]] = walk[at - 1], along[at - 1]
        apart = np.append(apart, walk[at])
        ahead[apart] -= visited[apart, walk[at + 1]]
        after = _first_left(near, visited, apart, here[apart])
        length[apart] += np.sqrt(squared_distances(X[after], X[here[apart]]))
        here[apart] = after
        visited[apart, after] = True
        ahead[apart] += position[after] > at + 1
        joined = (ahead[apart] == 0) & (after == walk[at + 1])
        back = apart[joined]
        lengths[back] = length[back] + (along[-1] - along[at + 1]) + np.sqrt(squared_distances(X[back], X[walk[-1]]))
        apart = apart[~joined]
    lengths[apart] = length[apart] + np.sqrt(squared_distances(X[apart], X[here[apart]]))
    last = int(np.flatnonzero(lengths <= lengths.min() * WITHIN_ROUNDING)[0])
    if last in (walk[0], walk[-1]):
        return walk
    others = np.delete(np.arange(n), last)
    start = int(walk[0]) - (last < walk[0])
    return np.append(others[nearest_neighbour(X[others], start=start)], last)


def _first_left(near: IntArray, visited: np.ndarray, walks: IntArray, here: IntArray) -> IntArray:
    """Give for each walk the nearest record to where it stands that it has not visited."""
    nearest = np.empty(len(walks), dtype=np.int64)
    open_walks, first, count = np.arange(len(walks)), 0, 8
    while len(open_walks):
        candidates = near[here[open_walks], first : first + count]
        left = ~visited[walks[open_walks, None], candidates]
        some = left.any(axis=1)
        chosen = np.argmax(left[some], axis=1)
        nearest[open_walks[some]] = candidates[some, chosen]
        open_walks, first, count = open_walks[~some], first + count, 2 * count
    return nearest
