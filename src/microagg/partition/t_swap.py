"""t-closeness, k-anonymity first: groups of k whose records change places until they keep the promise."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from microagg import _core
from microagg.base.checks import check_records
from microagg.base.progress import Progress, part_of
from microagg.base.types import IntArray
from microagg.constraints import Promises
from microagg.partition import mdav
from microagg.partition.method import Method
from microagg.partition.t_merge import METHOD as MERGE

GROUPED = 0.9
"""How far grouping takes the progress."""


def partition(
    X: npt.ArrayLike,
    k: int,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
    promises: Promises | None = None,
) -> IntArray:
    """Form groups of k as MDAV does, and let their records change places for the promise: algorithm 2 of [1]_.

    A group is a record at the far end and its k - 1 nearest. While it lacks something of what is promised, the other
    records that are left are tried, nearest first: one takes the place of that member with which the group lacks least
    then, if that is less than before. Groups that lack something in the end are merged (`t_merge`). Without promises
    this is MDAV.

    Parameters
    ----------
    X, k, threads, progress, promises
        As in `t_merge`.

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
    [0, 1, 2, 3, 1, 0, 3, 2]
    """
    if promises is None:
        return mdav.partition(X, k, threads=threads, progress=progress)
    X = check_records(X, k)
    labels = np.empty(len(X), dtype=np.int64)
    _core.k_anonymity_first(X, k, promises.kernel, labels, part_of(progress, 0.0, GROUPED))
    _core.merge_until_kept(X, promises.kernel, labels, part_of(progress, GROUPED, 1.0))
    return labels


METHOD = Method(
    name="t_swap",
    function=partition,
    title="t-closeness, k-anonymity first",
    summary="groups of k, in which records change places with farther ones until a promise is kept; the rest is merged",
    reference="Soria-Comas, Domingo-Ferrer, Sanchez and Martinez 2015, algorithm 2",
    steps="n^2",
    deviations=MERGE.deviations,
)
