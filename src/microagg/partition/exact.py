"""The optimum, for the few records for which it can be found by looking at all groups."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from microagg import _core
from microagg.base.checks import check_records
from microagg.base.progress import Progress
from microagg.base.types import IntArray
from microagg.errors import InvalidData
from microagg.partition.method import Method

MOST_RECORDS = 20


def partition(X: npt.ArrayLike, k: int, *, progress: Progress | None = None) -> IntArray:
    """Find the partition with the least information loss, by dynamic programming over subsets of the records.

    Optimal multivariate microaggregation is NP-hard [1]_: this takes time and memory that double with every record,
    and is meant for examples and as a yardstick. Twenty records take seconds.

    Parameters
    ----------
    X : array of shape (n, m)
        The records, prepared; 20 at most.
    k : int
        Least size of a group.
    progress : callable, optional
        Told the fraction done.

    Returns
    -------
    array of n int
        The group of each record; groups are numbered by their lowest record.

    References
    ----------
    .. [1] A. Oganian, J. Domingo-Ferrer. On the complexity of optimal microaggregation for statistical disclosure
       control. Statistical Journal of the United Nations Economic Commission for Europe 18 (2001) 345-353.

    Examples
    --------
    >>> partition([[1.0], [9.0], [2.0], [8.0], [1.5], [9.5]], k=3).tolist()
    [0, 1, 0, 1, 0, 1]
    """
    X = check_records(X, k)
    if X.shape[0] > MOST_RECORDS:
        raise InvalidData(
            f"the exact optimum can be found for at most {MOST_RECORDS} records; got {X.shape[0]}. "
            "Use another method, and lower_bound() to see how far from the optimum it can be."
        )
    labels = np.empty(X.shape[0], dtype=np.int64)
    _core.exact_partition(X, k, labels, progress)
    return labels


METHOD = Method(
    name="exact",
    function=partition,
    title="Exact optimum",
    summary=f"the least information loss there is, for at most {MOST_RECORDS} records",
    reference="Oganian and Domingo-Ferrer 2001; dynamic programming over subsets",
    steps="2^n",
    most_records=MOST_RECORDS,
)
