"""Individual ranking: every column on its own."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from microagg.base.checks import check_k, check_matrix
from microagg.base.progress import Progress
from microagg.base.ranges import within_range
from microagg.base.types import IntArray
from microagg.partition.method import Method
from microagg.partition.univariate import cut_column


def partition(X: npt.ArrayLike, k: int, *, progress: Progress | None = None) -> IntArray:
    """Cut each column optimally, as if the others were not there.

    The loss is the least of all methods and so is the protection: each value is shared by at least k records, but
    the combination of columns is not k-anonymous [1]_. With more than one column `microagg.partition` warns of
    that.

    Parameters
    ----------
    X : array of shape (n, m)
        The records, prepared.
    k : int
        Least size of a group.
    progress : callable, optional
        Told the fraction done.

    Returns
    -------
    array of shape (n, m) of int
        The group of each record in each column, numbered by ascending values.

    References
    ----------
    .. [1] J. Domingo-Ferrer, J. M. Mateo-Sanz. Practical data-oriented microaggregation for statistical disclosure
       control. IEEE Transactions on Knowledge and Data Engineering 14 (2002) 189-201.

    Examples
    --------
    >>> partition([[1.0], [9.0], [2.0], [8.0]], k=2).tolist()
    [[0], [1], [0], [1]]
    """
    X = check_matrix(X)
    check_k(k, len(X))
    n_columns = X.shape[1]
    labels = np.empty(X.shape, dtype=np.int64)
    for j in range(n_columns):
        labels[:, j] = cut_column(within_range(X[:, j]), k)
        if progress is not None:
            progress((j + 1) / n_columns)
    return labels


METHOD = Method(
    name="individual",
    function=partition,
    title="Individual ranking",
    summary="each column on its own: not k-anonymous on the combination of columns",
    reference="Domingo-Ferrer and Mateo-Sanz 2002",
    steps="m n log n",
    per_column=True,
)
