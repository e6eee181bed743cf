"""NPN-MHM: from the record farthest out always to the nearest one, cut optimally."""

from __future__ import annotations

import numpy.typing as npt

from microagg.base.checks import check_records
from microagg.base.progress import Progress, part_of
from microagg.base.types import IntArray
from microagg.partition.method import Method
from microagg.partition.mhm import cut_order
from microagg.paths import path


def partition(X: npt.ArrayLike, k: int, *, threads: int | None = None, progress: Progress | None = None) -> IntArray:
    """Walk from the record farthest from the centroid always to the nearest one, and cut that path optimally [1]_.

    Parameters
    ----------
    X : array of shape (n, m)
        The records, prepared.
    k : int
        Least size of a group.
    threads : int, optional
        How many threads to use; all processors by default. The labels are the same on any number.
    progress : callable, optional
        Told the fraction done.

    Returns
    -------
    array of n int
        The group of each record; groups are numbered along the path.

    References
    ----------
    .. [1] J. Domingo-Ferrer, A. Martinez-Balleste, J. M. Mateo-Sanz, F. Sebe. Efficient multivariate data-oriented
       microaggregation. The VLDB Journal 15 (2006) 355-369.

    Examples
    --------
    >>> partition([[1.0], [9.0], [2.0], [8.0], [1.5], [9.5]], k=3).tolist()
    [1, 0, 1, 0, 1, 0]
    """
    X = check_records(X, k)
    order = path(X, "nearest_point_next", threads=threads, progress=part_of(progress, 0.0, 0.9))
    return cut_order(X, order, k, progress=part_of(progress, 0.9, 1.0))


METHOD = Method(
    name="npn_mhm",
    function=partition,
    title="Nearest point next and the multivariate Hansen-Mukherjee cut",
    summary="from the record farthest from the centroid always to the nearest one; the path is cut optimally",
    reference="Domingo-Ferrer, Martinez-Balleste, Mateo-Sanz and Sebe 2006",
    steps="n log n in few columns, n^2 in many",
)
