"""MDAV: groups of k from the outside in, two at a time."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from microagg import _core
from microagg.base.checks import check_records, check_threads
from microagg.base.progress import Progress
from microagg.base.types import IntArray
from microagg.gpu import CPU, check_device, open_device
from microagg.gpu.mdav import mdav
from microagg.partition.method import Method


def partition(
    X: npt.ArrayLike, k: int, *, threads: int | None = None, progress: Progress | None = None, device: str = CPU
) -> IntArray:
    """Group the records of the two far ends, round after round.

    While at least 3k records remain, r is the record farthest from their centroid and is grouped with its k-1
    nearest; s is the record farthest from r, of what is left, and is grouped with its k-1 nearest. With 2k to 3k-1
    left, one more group is made around the record farthest from the centroid. The rest is the last group [1]_ [2]_.
    Ties go to the lower row number.

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
    device : {"cpu", "cuda"}
        Where to do it; the labels are the same.

    Returns
    -------
    array of n int
        The group of each record; groups are numbered in the order in which they are made.

    References
    ----------
    .. [1] J. Domingo-Ferrer, V. Torra. Ordinal, continuous and heterogeneous k-anonymity through microaggregation.
       Data Mining and Knowledge Discovery 11 (2005) 195-212.
    .. [2] J. Domingo-Ferrer, A. Martinez-Balleste, J. M. Mateo-Sanz, F. Sebe. Efficient multivariate data-oriented
       microaggregation. The VLDB Journal 15 (2006) 355-369.

    Examples
    --------
    >>> partition([[1.0], [9.0], [2.0], [8.0], [1.5], [9.5]], k=3).tolist()
    [1, 0, 1, 0, 1, 0]
    """
    X = check_records(X, k)
    if check_device(device) != CPU:
        return mdav(open_device(device), X, k, threads=check_threads(threads), progress=progress)
    labels = np.empty(X.shape[0], dtype=np.int64)
    _core.mdav(X, k, labels, check_threads(threads), progress)
    return labels


METHOD = Method(
    name="mdav",
    function=partition,
    title="Maximum distance to average vector",
    summary="groups of k around the records farthest from the centroid, two at a time",
    reference="Domingo-Ferrer and Torra 2005; Domingo-Ferrer et al. 2006",
    steps="n^2 / k",
)
