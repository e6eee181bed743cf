"""Mondrian: cut the records in the middle, again and again."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from microagg import _core
from microagg.base.checks import check_records
from microagg.base.progress import Progress
from microagg.base.types import IntArray
from microagg.errors import InvalidOption
from microagg.partition.method import Method


def partition(X: npt.ArrayLike, k: int, *, strict: bool = True, progress: Progress | None = None) -> IntArray:
    """Cut the column of the widest range in the middle, as long as both sides keep k records.

    Strict cuts never divide records of equal value: of the cuts that leave k on both sides the one nearest to the
    middle is taken, else the column of the next widest range is tried. Relaxed cuts are always in the middle, and
    divide equal values by row number [1]_. Ties go to the earlier column, and to the lower cut.

    Parameters
    ----------
    X : array of shape (n, m)
        The records, prepared.
    k : int
        Least size of a group.
    strict : bool
        Never divide equal values (default).
    progress : callable, optional
        Told the fraction done.

    Returns
    -------
    array of n int
        The group of each record; groups are numbered along the cuts.

    References
    ----------
    .. [1] K. LeFevre, D. J. DeWitt, R. Ramakrishnan. Mondrian multidimensional k-anonymity. Proceedings of the 22nd
       International Conference on Data Engineering (2006).

    Examples
    --------
    >>> partition([[1.0], [9.0], [2.0], [8.0], [1.5], [9.5]], k=3).tolist()
    [0, 1, 0, 1, 0, 1]
    """
    if not isinstance(strict, bool):
        raise InvalidOption(f"strict must be True or False; got {strict!r}.")
    X = check_records(X, k)
    labels = np.empty(X.shape[0], dtype=np.int64)
    _core.mondrian(X, k, strict, labels, progress)
    return labels


METHOD = Method(
    name="mondrian",
    function=partition,
    title="Mondrian",
    summary="cuts the widest column in the middle, again and again",
    reference="LeFevre, DeWitt and Ramakrishnan 2006",
    steps="m n log n",
)
