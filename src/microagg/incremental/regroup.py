"""New records are grouped together with the base records around them, as long as nothing has been published."""

from __future__ import annotations

import numpy.typing as npt

from microagg.base.checks import check_count, check_records
from microagg.base.groups import squared_error
from microagg.base.progress import Progress, part_of
from microagg.base.types import IntArray
from microagg.incremental.nearest import nearest_moving
from microagg.incremental.touched import AROUND, change_groups, touched_groups
from microagg.partition import partition

JOINING = 0.1
"""Of the progress: the records join groups first."""


def regroup(
    X: npt.ArrayLike,
    labels_base: npt.ArrayLike,
    n_base: int,
    k: int,
    *,
    method: str = "fast",
    around: int = AROUND,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> IntArray:
    """Group the records after the first `n_base` together with the groups that they touch.

    Each new record joins the nearest group, as in `nearest_moving`. Then all records of the groups that have new
    records, or whose centroids are among the nearest of a new record, are grouped anew by a method of your choice;
    where that loses more than what was there, what was there stays. So base records change their groups too, and no
    release of the base stage may have been published before.

    Parameters
    ----------
    X : array of shape (n, m)
        All records, prepared: those of the base stage first.
    labels_base : array of n_base int
        The groups of the first records, 0 to G-1, each of at least k.
    n_base : int
        How many records have a group, k to n.
    k : int
        Least size of a group.
    method : str
        A name in METHODS: what groups them anew.
    around : int
        How many nearest groups of a new record take part.
    seed : int
        What random choices follow from.
    threads : int, optional
        How many threads to use; all processors by default.
    progress : callable, optional
        Told the fraction done.

    Returns
    -------
    array of n int
        The group of each record; the groups that nothing touched come first.

    Examples
    --------
    >>> X = [[1.0], [2.0], [8.0], [9.0], [30.0], [31.0], [2.1], [0.9]]
    >>> regroup(X, [0, 0, 1, 1, 2, 2], 6, k=2, method="mdav", around=1).tolist()
    [3, 2, 0, 0, 1, 1, 2, 3]
    """
    X = check_records(X, k)
    around = check_count("around", around)
    joined = nearest_moving(X, labels_base, n_base, k, progress=part_of(progress, 0.0, JOINING))

    def anew(rows: IntArray, labels: IntArray) -> IntArray:
        later = part_of(progress, JOINING, 1.0)
        found = partition(X[rows], k, method=method, seed=seed, threads=threads, progress=later)
        return found if squared_error(X[rows], found) < squared_error(X[rows], labels) else labels

    return change_groups(joined, touched_groups(X, joined, n_base, around), anew)
