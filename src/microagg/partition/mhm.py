"""MHM: the optimal cut of an order of records into runs."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from microagg import _core
from microagg.arrays import IntArray, Progress, check_records
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
