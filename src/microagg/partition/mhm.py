"""MHM: the optimal cut of an order of records into runs, and of the order that the groups of a method give."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from microagg import _core
from microagg.base.checks import check_records
from microagg.base.progress import Progress, part_of
from microagg.base.types import IntArray
from microagg.partition.group_order import order_of_groups
from microagg.paths.order import check_order


def cut_order(X: npt.ArrayLike, order: npt.ArrayLike, k: int, *, progress: Progress | None = None) -> IntArray:
    """Cut an order of the records into runs of k to 2k-1 with the least sum of squared errors.

    No other partition whose groups are runs of this order has a lower information loss [1]_. Takes O(n k) steps
    and memory linear in n.

    Parameters
    ----------
    X : array of shape (n, m)
        The records, prepared.
    order : array of n int
        A permutation of the row numbers.
    k : int
        Least size of a group.
    progress : callable, optional
        Told the fraction done.

    Returns
    -------
    array of n int
        The group of each record; groups are numbered along the order.

    References
    ----------
    .. [1] J. Domingo-Ferrer, A. Martinez-Balleste, J. M. Mateo-Sanz, F. Sebe. Efficient multivariate data-oriented
       microaggregation. The VLDB Journal 15 (2006) 355-369.

    Examples
    --------
    >>> cut_order([[1.0], [9.0], [2.0], [8.0], [1.5], [9.5]], [0, 4, 2, 3, 1, 5], k=3).tolist()
    [0, 1, 0, 1, 0, 1]
    """
    X = check_records(X, k)
    labels = np.empty(X.shape[0], dtype=np.int64)
    _core.cut_order(X, check_order(order, X.shape[0]), k, labels, progress)
    return labels


def cut_groups(
    X: npt.ArrayLike,
    k: int,
    group: Callable[..., IntArray],
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> IntArray:
    """Group the records with a method, walk through its groups, and cut that path optimally.

    The path visits the groups in the order in which the method made them, and inside a group goes to the nearest
    record that is left (`order_of_groups`). The optimal cut of the path into runs of k to 2k-1 records then gives
    groups of variable size [1]_. The loss is at most that of the method, whose groups are runs of the path too.

    Parameters
    ----------
    X : array of shape (n, m)
        The records, prepared.
    k : int
        Least size of a group.
    group : callable
        The method: `group(X, k, threads=..., progress=...) -> labels`, groups of k to 2k-1.
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
    >>> def halves(X, k, **options):
    ...     return np.repeat([0, 1], len(X) // 2)
    >>> cut_groups([[1.0], [1.1], [1.2], [9.0], [9.1], [9.2], [9.3], [9.4]], 3, halves).tolist()
    [0, 0, 0, 1, 1, 1, 1, 1]
    """
    X = check_records(X, k)
    made = group(X, k, threads=threads, progress=part_of(progress, 0.0, 0.8))
    return cut_order(X, order_of_groups(X, made), k, progress=part_of(progress, 0.9, 1.0))
