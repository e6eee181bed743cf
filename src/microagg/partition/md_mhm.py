"""MD-MHM: the order that MD gives, cut optimally."""

from __future__ import annotations

import numpy.typing as npt

from microagg.arrays import IntArray, Progress, check_records, part_of
from microagg.partition import md
from microagg.partition.group_order import order_of_groups
from microagg.partition.method import Method
from microagg.partition.mhm import cut_order


def partition(X: npt.ArrayLike, k: int, *, threads: int | None = None, progress: Progress | None = None) -> IntArray:
    """Group the records with MD, walk through its groups, and cut that path optimally.

    The path visits the groups in the order in which MD made them, and inside a group goes to the nearest record
    that is left (`order_of_groups`). The optimal cut of the path into runs of k to 2k-1 records then gives groups of
    variable size [1]_. The loss is at most that of MD, whose groups are runs of the path too.

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
    [0, 1, 0, 1, 0, 1]
    """
    X = check_records(X, k)
    made = md.partition(X, k, threads=threads, progress=part_of(progress, 0.0, 0.8))
    return cut_order(X, order_of_groups(X, made), k, progress=part_of(progress, 0.9, 1.0))


METHOD = Method(
    name="md_mhm",
    function=partition,
    title="MD and the multivariate Hansen-Mukherjee cut",
    summary="the groups of MD give an order of the records, which is cut optimally",
    reference="Domingo-Ferrer, Martinez-Balleste, Mateo-Sanz and Sebe 2006",
    steps="n^2",
)
