"""Lin-Kernighan, and the 2- and 3-exchanges it is made of."""

from __future__ import annotations

import math
import time

import numpy as np
import numpy.typing as npt

from microagg import _core
from microagg.base.checks import (
    check_count,
    check_matrix,
    check_number,
    check_points,
    check_seed,
    check_threads,
    check_time_limit,
)
from microagg.base.progress import Progress, part_of
from microagg.base.ranges import scaled
from microagg.base.types import FloatArray, IntArray
from microagg.paths.greedy_edge import greedy_edge
from microagg.paths.heuristic import PathHeuristic
from microagg.paths.order import begin_at, check_order, check_start
from microagg.paths.space_filling_curve import space_filling_curve

KICKS_PER_CITY = 20
"""More make the path hardly shorter, fewer leave it longer, whatever the number of cities."""
MOST_KICKS = 200_000
"""Of 10,000 cities and more, this many, as long as that is at least one for each."""
MANY_CITIES = 50_000
"""A path through more distinct records than this is made in cells first, along near neighbours."""
CELL = 15_000
"""How many cities a cell holds at most."""
MOST_DEPTH = 1_000
"""Longer chains are never found worth while, and take the longer to try."""


def lk(
    X: npt.ArrayLike,
    *,
    kicks: int | None = None,
    depth: int = 2,
    neighbours: int = 10,
    cap: float | None = None,
    initial: npt.ArrayLike | None = None,
    start: int | None = None,
    seed: int = 0,
    time_limit: float | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> IntArray:
    """Improve a path by Lin-Kernighan moves, then kick it and improve it again, many times.

    The local search [1]_ chains exchanges of three edges, found through neighbour lists [2]_; the kicks exchange four
    edges close to each other and are undone where they do not help [3]_. The path is a tour through the records and a
    dummy city at distance 0 from all of them, cut at the dummy. Memory is linear in the number of records.

    Through more than `MANY_CITIES` distinct records the path is made otherwise, in a time that grows like n log n:
    median cuts make cells of at most `CELL` records, a greedy path through each is improved on a thread of its own, the
    paths are joined at their ends, the shortest edges first, and all of it is improved once more. Candidates are near
    neighbours then, most of the nearest but not all, and nothing is kicked unless `kicks` says so.

    Parameters
    ----------
    X : array of shape (n, m)
        The records, prepared.
    kicks : int, optional
        How often to kick the path. By default the effort follows the number of cities (equal records are one city):
        20 kicks for each, from 10,000 cities on 200,000 in all, and none through more than `MANY_CITIES`. With a time
        limit and no kicks given, until the time is over.
    depth : int
        How many exchanges of three edges a move may chain, 1 to 1,000.
    neighbours : int
        How many candidates each record has: its nearest, and some farther ones on other sides.
    cap : float, optional
        What a step of the path costs at most: how long the longer ones are does not matter then, as if dummy cities
        at half that distance from every record could be visited in between.
    initial : array of n int, optional
        The order to improve; by default the path of `greedy_edge`.
    start : int, optional
        The record at which the path begins.
    seed : int
        Draws the kicks.
    time_limit : float, optional
        Seconds for the search. Without it the result follows from the seed alone.
    threads : int, optional
        How many threads look for neighbours; the search itself uses one.
    progress : callable, optional
        Told the fraction done.

    Returns
    -------
    array of n int
        The records along the path.

    References
    ----------
    .. [1] S. Lin, B. W. Kernighan. An effective heuristic algorithm for the traveling-salesman problem. Operations
       Research 21 (1973) 498-516.
    .. [2] K. Helsgaun. An effective implementation of the Lin-Kernighan traveling salesman heuristic. European Journal
       of Operational Research 126 (2000) 106-130.
    .. [3] D. Applegate, W. Cook, A. Rohe. Chained Lin-Kernighan for large traveling salesman problems. INFORMS Journal
       on Computing 15 (2003) 82-92.

    Examples
    --------
    >>> lk([[0.0], [3.0], [1.0], [2.0], [5.0], [4.0]], start=0).tolist()
    [0, 2, 3, 1, 5, 4]
    """
    X, exponent = scaled(check_matrix(X))
    seconds = check_time_limit(time_limit)
    if kicks is not None:
        kicks = check_count("kicks", kicks, 0)
    elif time_limit is not None:
        kicks = np.iinfo(np.int64).max
    return _improve(
        X,
        initial,
        start,
        exchange=3,
        depth=check_count("depth", depth, 1, MOST_DEPTH),
        neighbours=check_count("neighbours", neighbours, 1),
        kicks=kicks,
        seed=check_seed(seed),
        seconds=seconds,
        cap=np.inf if cap is None else math.ldexp(check_number("cap", cap, 0.0), -exponent),
        threads=check_threads(threads),
        progress=progress,
    )


def default_kicks(n_cities: int) -> int:
    """Give how often `lk` kicks a path through so many cities where nobody says otherwise.

    >>> default_kicks(1080), default_kicks(50_000), default_kicks(1_000_000)
    (21600, 200000, 0)
    """
    return min(KICKS_PER_CITY * n_cities, MOST_KICKS) if n_cities <= MANY_CITIES else 0


def two_opt(
    X: npt.ArrayLike,
    *,
    initial: npt.ArrayLike | None = None,
    start: int | None = None,
    time_limit: float | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> IntArray:
    """Exchange two edges of the greedy path, or of a given one, as long as that makes it shorter [1]_.

    Parameters are those of `lk`; nothing is random.

    References
    ----------
    .. [1] G. A. Croes. A method for solving traveling-salesman problems. Operations Research 6 (1958) 791-812.

    Examples
    --------
    >>> two_opt([[0.0], [3.0], [1.0], [2.0]], initial=[0, 1, 2, 3], start=0).tolist()
    [0, 2, 3, 1]
    """
    return _descend(X, initial, start, 2, time_limit, threads, progress)


def three_opt(
    X: npt.ArrayLike,
    *,
    initial: npt.ArrayLike | None = None,
    start: int | None = None,
    time_limit: float | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> IntArray:
    """Exchange two or three edges of the greedy path, or of a given one, as long as that makes it shorter [1]_.

    Moving a stretch of records to another place of the path, either way round, is such an exchange. Parameters are
    those of `lk`; nothing is random.

    References
    ----------
    .. [1] S. Lin. Computer solutions of the traveling salesman problem. Bell System Technical Journal 44 (1965)
       2245-2269.

    Examples
    --------
    >>> three_opt([[0.0], [3.0], [1.0], [2.0]], initial=[0, 1, 2, 3], start=0).tolist()
    [0, 2, 3, 1]
    """
    return _descend(X, initial, start, 3, time_limit, threads, progress)


def _descend(
    X: npt.ArrayLike,
    initial: npt.ArrayLike | None,
    start: int | None,
    exchange: int,
    time_limit: float | None,
    threads: int | None,
    progress: Progress | None,
) -> IntArray:
    return _improve(
        check_points(X),
        initial,
        start,
        exchange=exchange,
        depth=1,
        neighbours=8,
        kicks=0,
        seed=0,
        seconds=check_time_limit(time_limit),
        threads=check_threads(threads),
        progress=progress,
    )


def _improve(
    X: FloatArray,
    initial: npt.ArrayLike | None,
    start: int | None,
    *,
    exchange: int,
    depth: int,
    neighbours: int,
    kicks: int | None,
    seed: int,
    seconds: float,
    threads: int,
    progress: Progress | None,
    cap: float = np.inf,
) -> IntArray:
    began = time.monotonic()
    n = X.shape[0]
    first = None if start is None else check_start(start, n)
    given = None if initial is None else check_order(initial, n)
    # Equal records follow each other on a shortest path, so one of them stands for all: their neighbour lists would
    # hold nothing but each other. Close records get close numbers, for the memory's sake.
    points, point_of = np.unique(X, axis=0, return_inverse=True)
    curve = space_filling_curve(points)
    points = points[curve]
    number = np.empty_like(curve)
    number[curve] = np.arange(len(curve))
    point_of = number[point_of.reshape(n)]
    many = len(points) > MANY_CITIES
    kicks = default_kicks(len(points)) if kicks is None else kicks
    from_greedy = given is None and first is None
    if given is None and many:
        order = np.empty(len(points), dtype=np.int64)
        left = max(seconds - (time.monotonic() - began), 0.0)
        _core.path_in_cells(points, neighbours, exchange, depth, kicks, seed, left, cap, CELL, threads, order, progress)
        kicks, progress = 0, None
    elif from_greedy:
        order = np.empty(len(points), dtype=np.int64)
    elif given is None:
        order = greedy_edge(points, threads=threads, progress=part_of(progress, 0.0, 0.1))
        progress = part_of(progress, 0.1, 1.0)
    else:
        met = point_of[given]
        order = met[np.sort(np.unique(met, return_index=True)[1])]
    if first is not None:
        order = begin_at(points, order, int(point_of[first]))
    if not (many and from_greedy):
        order = np.ascontiguousarray(order)
        left = max(seconds - (time.monotonic() - began), 0.0)
        _core.improve_path(
            points,
            neighbours,
            exchange,
            depth,
            kicks,
            seed,
            left,
            cap,
            from_greedy,
            first is not None,
            threads,
            order,
            progress,
            near=many,
        )
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    rows = np.arange(n)
    if first is not None:
        rows[first] = -1
    return np.lexsort((rows, rank[point_of])).astype(np.int64, copy=False)


HEURISTICS = (
    PathHeuristic(
        name="two_opt",
        function=two_opt,
        title="2-opt",
        summary="greedy edge, then exchanges of two edges",
        reference="Croes 1958",
        steps="n log n; in many columns n^2 up to 50,000 cities",
    ),
    PathHeuristic(
        name="three_opt",
        function=three_opt,
        title="3-opt",
        summary="greedy edge, then exchanges of three edges, segment insertion among them",
        reference="Lin 1965",
        steps="n log n; in many columns n^2 up to 50,000 cities",
    ),
    PathHeuristic(
        name="lk",
        function=lk,
        title="Lin-Kernighan",
        summary="chained exchanges of three edges, kicked and improved again many times",
        reference="Lin and Kernighan 1973; Helsgaun 2000; Applegate, Cook and Rohe 2003",
        steps="n log n; in many columns n^2 up to 50,000 cities; and the kicks",
    ),
)
