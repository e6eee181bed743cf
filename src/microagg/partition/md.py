"""MD: groups of k around the two most distant records."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from microagg import _core
from microagg.base.checks import check_records, check_threads
from microagg.base.progress import Progress
from microagg.base.types import IntArray
from microagg.partition.method import Method


def partition(X: npt.ArrayLike, k: int, *, threads: int | None = None, progress: Progress | None = None) -> IntArray:
    """Group the two most distant records with their nearest, round after round.

    While at least 2k records remain, r and s are the two most distant of them, r the one with the lower row number;
    r is grouped with its k-1 nearest, then s with its k-1 nearest of what is left. With k to 2k-1 left, they are the
    last group; fewer each join the group with the nearest centroid [1]_. Ties go to the lower row number, and to the
    group made earlier. The farthest partner of a record is only looked for when it can decide, so that the time is
    near that of MDAV, not n^3.

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
    .. [1] J. Domingo-Ferrer, J. M. Mateo-Sanz. Practical data-oriented microaggregation for statistical disclosure
       control. IEEE Transactions on Knowledge and Data Engineering 14 (2002) 189-201.

    Examples
    --------
    >>> partition([[1.0], [9.0], [2.0], [8.0], [1.5], [9.5]], k=3).tolist()
    [0, 1, 0, 1, 0, 1]
    """
    X = check_records(X, k)
    labels = np.empty(X.shape[0], dtype=np.int64)
    _core.md(X, k, labels, check_threads(threads), progress)
    return labels


METHOD = Method(
    name="md",
    function=partition,
    title="Maximum distance",
    summary="groups of k around the two most distant records",
    reference="Domingo-Ferrer and Mateo-Sanz 2002",
    steps="n^2",
)
