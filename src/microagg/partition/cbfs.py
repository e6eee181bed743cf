"""CBFS: groups of k from the outside in, one at a time."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from microagg import _core
from microagg.base.checks import check_records, check_threads
from microagg.base.progress import Progress
from microagg.base.types import IntArray
from microagg.partition.method import Method


def partition(X: npt.ArrayLike, k: int, *, threads: int | None = None, progress: Progress | None = None) -> IntArray:
    """Group the record farthest from the centroid with its nearest, round after round.

    While at least 2k records remain, the record farthest from their centroid is grouped with its k-1 nearest. The
    rest, k to 2k-1 records, is the last group [1]_. Ties go to the lower row number.

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
        The group of each record; groups are numbered in the order in which they are made.

    References
    ----------
    .. [1] M. Laszlo, S. Mukherjee. Minimum spanning tree partitioning algorithm for microaggregation. IEEE
       Transactions on Knowledge and Data Engineering 17 (2005) 902-911.

    Examples
    --------
    >>> partition([[1.0], [9.0], [2.0], [8.0], [1.5], [9.5]], k=3).tolist()
    [1, 0, 1, 0, 1, 0]
    """
    X = check_records(X, k)
    labels = np.empty(X.shape[0], dtype=np.int64)
    _core.cbfs(X, k, labels, check_threads(threads), progress)
    return labels


METHOD = Method(
    name="cbfs",
    function=partition,
    title="Centroid-based fixed-size microaggregation",
    summary="groups of k around the record farthest from the centroid, one at a time",
    reference="Laszlo and Mukherjee 2005",
    steps="n^2 / k",
)
