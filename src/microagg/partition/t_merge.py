"""t-closeness by merging: MDAV, then groups are merged until they keep the promise."""

from __future__ import annotations

import numpy.typing as npt

from microagg import _core
from microagg.base.checks import check_records
from microagg.base.progress import Progress, part_of
from microagg.base.types import IntArray
from microagg.constraints import Promises
from microagg.partition import mdav
from microagg.partition.method import Method

GROUPED = 0.5
"""How far MDAV takes the progress."""


def partition(
    X: npt.ArrayLike,
    k: int,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
    promises: Promises | None = None,
) -> IntArray:
    """Group by MDAV, and merge groups until they keep the promises: algorithm 1 of [1]_.

    While a group lacks something of what is promised, the one that lacks most is merged with the one whose centroid is
    nearest. What a group lacks is its earth mover's distance beyond t, of t-closeness; other promises say it in their
    own way. Without promises this is MDAV.

    Parameters
    ----------
    X : array of shape (n, m)
        The records, prepared.
    k : int
        Least size of a group.
    threads : int, optional
        How many threads to use; the labels do not depend on it.
    progress : callable, optional
        Told the fraction done.
    promises : Promises, optional
        What groups must keep beside k.

    Returns
    -------
    array of n int
        The group of each record.

    References
    ----------
    .. [1] J. Soria-Comas, J. Domingo-Ferrer, D. Sanchez, S. Martinez. t-closeness through microaggregation: strict
       privacy with enhanced utility preservation. IEEE Transactions on Knowledge and Data Engineering 27 (2015)
       3098-3110.

    Examples
    --------
    >>> from microagg.constraints import promise
    >>> promises = promise({"t": {"pay": 0.2}}, {"pay": [1, 2, 3, 4, 5, 6, 7, 8]})
    >>> partition([[1.0], [2.0], [8.0], [9.0], [1.5], [2.5], [8.5], [9.5]], k=2, promises=promises).tolist()
    [0, 0, 1, 1, 0, 0, 1, 1]
    """
    X = check_records(X, k)
    labels = mdav.partition(X, k, threads=threads, progress=part_of(progress, 0.0, GROUPED))
    if promises is not None:
        _core.merge_until_kept(X, promises.kernel, labels, part_of(progress, GROUPED, 1.0))
    return labels


METHOD = Method(
    name="t_merge",
    function=partition,
    title="t-closeness by merging",
    summary="MDAV, then the group that is farthest from a promise is merged with the nearest, again and again",
    reference="Soria-Comas, Domingo-Ferrer, Sanchez and Martinez 2015, algorithm 1",
    steps="n^2 / k",
    deviations=(
        "The distance of a group counts steps between different values, as our measure does; the paper's counts ranks "
        "of records, which is the same where no two records share a value.",
    ),
)
