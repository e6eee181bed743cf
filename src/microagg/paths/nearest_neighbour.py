"""Nearest neighbour, from one record, from the farthest one, and from each."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from microagg import _core
from microagg.arrays import IntArray, Progress, check_matrix, check_threads
from microagg.paths.heuristic import PathHeuristic
from microagg.paths.order import check_start, generator


def nearest_neighbour(
    X: npt.ArrayLike,
    *,
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
    start : int, optional
        Where the path begins; a random record by default.
    seed : int
        Draws the random start.
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
    X = check_matrix(X)
    first = int(generator(seed).integers(X.shape[0])) if start is None else check_start(start, X.shape[0])
    order = np.empty(X.shape[0], dtype=np.int64)
    _core.nearest_neighbour_path(X, first, check_threads(threads), order, progress)
    return order


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
    X = check_matrix(X)
    if start is None:
        start = int(np.argmax(((X - X.mean(axis=0)) ** 2).sum(axis=1)))
    return nearest_neighbour(X, start=start, threads=threads, progress=progress)


def repetitive_nearest_neighbour(
    X: npt.ArrayLike, *, threads: int | None = None, progress: Progress | None = None
) -> IntArray:
    """Walk to the nearest record that is left from every record in turn, and keep the shortest path.

    Parameters
    ----------
    X : array of shape (n, m)
        The records, prepared.
    threads : int, optional
        How many threads walk.
    progress : callable, optional
        Told the fraction done.

    Returns
    -------
    array of n int
        The shortest of the n paths, the one from the lower row of equal ones. Nothing is random.

    Examples
    --------
    >>> repetitive_nearest_neighbour([[0.0], [1.0], [3.0], [-2.5]]).tolist()
    [2, 1, 0, 3]
    """
    X = check_matrix(X)
    order = np.empty(X.shape[0], dtype=np.int64)
    _core.best_nearest_neighbour_path(X, check_threads(threads), order, progress)
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
