"""MDAV-LK-MHM: the order that MDAV gives, improved by Lin and Kernighan's heuristic, cut optimally."""

from __future__ import annotations

import numpy.typing as npt

from microagg.base.checks import check_records
from microagg.base.progress import Progress, part_of
from microagg.base.types import IntArray
from microagg.partition import mdav
from microagg.partition.group_order import order_of_groups
from microagg.partition.method import Method
from microagg.partition.mhm import cut_order
from microagg.paths import path


def partition(X: npt.ArrayLike, k: int, *, threads: int | None = None, progress: Progress | None = None) -> IntArray:
    """Walk through the groups of MDAV, shorten that path with Lin-Kernighan moves, and cut it optimally [1]_.

    The path visits the groups in the order in which MDAV made them, and inside a group goes to the nearest record that
    is left (`order_of_groups`). Lin-Kernighan improves it until it finds nothing more: no kicks, nothing is random.

    Parameters
    ----------
    X : array of shape (n, m)
        The records, prepared.
    k : int
        Least size of a group.
    threads : int, optional
        How many threads to use; all processors by default.
    progress : callable, optional
        Told the fraction done.

    Returns
    -------
    array of n int
        The group of each record; groups are numbered along the path.

    References
    ----------
    .. [1] B. Heaton, S. Mukherjee. Record ordering heuristics for disclosure control through microaggregation.
       Proceedings of the International Conference on Advances in Communication and Information Technology (2011).

    Examples
    --------
    >>> partition([[1.0], [9.0], [2.0], [8.0], [1.5], [9.5]], k=3).tolist() in ([0, 1, 0, 1, 0, 1], [1, 0, 1, 0, 1, 0])
    True
    """
    X = check_records(X, k)
    made = mdav.partition(X, k, threads=threads, progress=part_of(progress, 0.0, 0.3))
    order = path(
        X,
        "lk",
        initial=order_of_groups(X, made),
        kicks=0,
        threads=threads,
        progress=part_of(progress, 0.3, 0.9),
    )
    return cut_order(X, order, k, progress=part_of(progress, 0.9, 1.0))


METHOD = Method(
    name="mdav_lk_mhm",
    function=partition,
    title="MDAV, Lin-Kernighan and the multivariate Hansen-Mukherjee cut",
    summary="the order that MDAV gives is shortened by Lin-Kernighan moves, then cut optimally",
    reference="Heaton and Mukherjee 2011",
    steps="n^2 / k",
    depends_on_row_order=True,
)
