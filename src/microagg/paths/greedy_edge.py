"""Greedy edge: the shortest edges first."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from microagg import _core
from microagg.base.checks import check_points, check_threads
from microagg.base.progress import Progress
from microagg.base.types import IntArray
from microagg.paths.heuristic import PathHeuristic
from microagg.paths.order import begin_at, check_start


def greedy_edge(
    X: npt.ArrayLike,
    *,
    start: int | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> IntArray:
    """Join the ends of paths by the shortest edge between two of them, until one path is left [1]_.

    Parameters
    ----------
    X : array of shape (n, m)
        The records, prepared.
    start : int, optional
        Where the path begins: the path is cut there and its pieces are joined anew. By default it begins at the end
        with the lower row.
    threads : int, optional
        How many threads look for neighbours.
    progress : callable, optional
        Told the fraction done.

    Returns
    -------
    array of n int
        The records along the path. Nothing is random: of equal edges the one with the lower rows comes first.

    References
    ----------
    .. [1] J. L. Bentley. Fast algorithms for geometric traveling salesman problems. ORSA Journal on Computing 4 (1992)
       387-411.

    Examples
    --------
    >>> greedy_edge([[0.0], [1.0], [3.0], [-2.5]]).tolist()
    [2, 1, 0, 3]
    """
    X = check_points(X)
    order = np.empty(X.shape[0], dtype=np.int64)
    _core.greedy_edge_path(X, check_threads(threads), order, progress)
    return order if start is None else begin_at(X, order, check_start(start, X.shape[0]))


HEURISTICS = (
    PathHeuristic(
        name="greedy_edge",
        function=greedy_edge,
        title="Greedy edge",
        summary="the shortest edge that leaves a set of paths, again and again",
        reference="Bentley 1992",
        steps="n log n in few columns, n^2 in many",
    ),
)
