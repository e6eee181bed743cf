"""Nearest neighbour, from one record, from the farthest one, and from each."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from microagg import _core
from microagg.base.checks import check_points, check_threads, generator
from microagg.base.progress import Progress
from microagg.base.types import FloatArray, IntArray
from microagg.errors import InvalidOption
from microagg.paths.heuristic import PathHeuristic
from microagg.paths.order import Dummy, check_dummy, check_start


def nearest_neighbour(
    X: npt.ArrayLike,
    *,
    dummy: Dummy = "last",
    start: int | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> IntArray:
    """Walk from a record always to the nearest one that is left [1]_.

    Parameters
    ----------
    X : array of shape (n, m)
        The records, prepared.
    dummy : {"last", "city"}
        "last": a path from the start. "city": a tour through the records and a dummy city at distance 0 from all of
        them, cut at the dummy, as in the published experiments. The dummy is the nearest city of any start, and from
        there all records are equally near, so the walk goes on from a second random record, and the first one ends
        up, out of place, at the end of the path. That costs information: on the benchmark data it agrees with the
        losses that were published for this heuristic.
    start : int, optional
        Where the path begins, whatever the dummy; a random record by default.
    seed : int
        Draws the random start, and the second one.
    threads : int, optional
        How many threads look for neighbours.
    progress : callable, optional
        Told the fraction done.

    Returns
    -------
    array of n int
        The records along the path; of equally near ones the lower row first.

    References
    ----------
    .. [1] D. J. Rosenkrantz, R. E. Stearns, P. M. Lewis. An analysis of several heuristics for the traveling salesman
       problem. SIAM Journal on Computing 6 (1977) 563-581.

    Examples
    --------
    >>> nearest_neighbour([[0.0], [1.0], [3.0], [-2.5]], start=0).tolist()
    [0, 1, 2, 3]
    """
    X = check_points(X)
    n = X.shape[0]
    check_dummy(dummy)
    random = generator(seed)
    first = int(random.integers(n)) if start is None else check_start(start, n)
    if dummy == "city" and start is None and n > 1:
        others = np.delete(np.arange(n), first)
        walk = _walk(X[others], int(random.integers(n - 1)), threads, progress)
        return np.append(others[walk], first)
    return _walk(X, first, threads, progress)


def _walk(X: FloatArray, first: int, threads: int | None, progress: Progress | None) -> IntArray:
    order = np.empty(X.shape[0], dtype=np.int64)
    _core.nearest_neighbour_path(X, first, check_threads(threads), order, progress)
    return order


def nearest_neighbour_paths(
    X: npt.ArrayLike, starts: range, *, threads: int | None = None, progress: Progress | None = None
) -> IntArray:
    """Give the nearest neighbour paths from each of several consecutive records, one in each row.

    >>> nearest_neighbour_paths([[0.0], [1.0], [3.0], [-2.5]], range(1, 3)).tolist()
    [[1, 0, 3, 2], [2, 1, 0, 3]]
    """
    X = check_points(X)
    if starts.step != 1 or not 0 <= starts.start < starts.stop <= X.shape[0]:
        raise InvalidOption(f"starts must be consecutive row numbers, 0 to {X.shape[0] - 1}; got {starts!r}.")
    orders = np.empty((len(starts), X.shape[0]), dtype=np.int64)
    _core.nearest_neighbour_paths(X, starts.start, check_threads(threads), orders, progress)
    return orders


def nearest_point_next(
    X: npt.ArrayLike,
    *,
    start: int | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> IntArray:
    """Walk from the record farthest from the centroid always to the nearest one that is left [1]_.

    Parameters
    ----------
    X : array of shape (n, m)
        The records, prepared.
    start : int, optional
        Where the path begins; the record farthest from the mean of all by default.
    threads, progress
        As for `nearest_neighbour`.

    Returns
    -------
    array of n int
        The records along the path; nothing is random.

    References
    ----------
    .. [1] J. Domingo-Ferrer, A. Martinez-Balleste, J. M. Mateo-Sanz, F. Sebe. Efficient multivariate data-oriented
       microaggregation. The VLDB Journal 15 (2006) 355-369.

    Examples
    --------
    >>> nearest_point_next([[0.0], [1.0], [3.0], [-2.5]]).tolist()
    [3, 0, 1, 2]
    """
    X = check_points(X)
    if start is None:
        start = int(np.argmax(((X - X.mean(axis=0)) ** 2).sum(axis=1)))
    return nearest_neighbour(X, start=start, threads=threads, progress=progress)


def repetitive_nearest_neighbour(
    X: npt.ArrayLike,
    *,
    dummy: Dummy = "last",
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> IntArray:
    """Walk to the nearest record that is left from every record in turn, and keep the shortest path.

    Parameters
    ----------
    X : array of shape (n, m)
        The records, prepared.
    dummy : {"last", "city"}
        "last": n paths, one from each record. "city": n + 1 tours through the records and a dummy city at distance 0
        from all of them, one from each record and one from the dummy, cut at the dummy, as in the published
        experiments. As for `nearest_neighbour`, the tour from a record goes on from a random one, and its own record
        comes last.
    seed : int
        Draws the records where the tours go on; nothing is random with "last".
    threads : int, optional
        How many threads walk.
    progress : callable, optional
        Told the fraction done.

    Returns
    -------
    array of n int
        The shortest of the paths, the one from the lower row of equal ones.

    Examples
    --------
    >>> repetitive_nearest_neighbour([[0.0], [1.0], [3.0], [-2.5]]).tolist()
    [2, 1, 0, 3]
    """
    X = check_points(X)
    n = X.shape[0]
    check_dummy(dummy)
    firsts = lasts = np.arange(n)
    if dummy == "city" and n > 1:
        random = generator(seed)
        after_dummy = random.integers(n - 1, size=n)
        firsts = np.append(after_dummy + (after_dummy >= lasts), random.integers(n))
        lasts = np.append(lasts, firsts[-1])
    order = np.empty(n, dtype=np.int64)
    _core.best_nearest_neighbour_path(X, firsts, lasts, check_threads(threads), order, progress)
    return order


HEURISTICS = (
    PathHeuristic(
        name="nearest_neighbour",
        function=nearest_neighbour,
        title="Nearest neighbour",
        summary="from a random record always to the nearest one that is left",
        reference="Rosenkrantz, Stearns and Lewis 1977",
        steps="n log n in few columns, n^2 in many",
    ),
    PathHeuristic(
        name="repetitive_nearest_neighbour",
        function=repetitive_nearest_neighbour,
        title="Repetitive nearest neighbour",
        summary="the shortest of n nearest neighbour paths, one from each record",
        reference="Rosenkrantz, Stearns and Lewis 1977",
        steps="n^2 log n in few columns, n^3 in many",
    ),
    PathHeuristic(
        name="nearest_point_next",
        function=nearest_point_next,
        title="Nearest point next",
        summary="nearest neighbour from the record farthest from the centroid",
        reference="Domingo-Ferrer, Martinez-Balleste, Mateo-Sanz and Sebe 2006",
        steps="n log n in few columns, n^2 in many",
    ),
)
