"""MD-MHM: the order that MD gives, cut optimally."""

from __future__ import annotations

import numpy.typing as npt

from microagg.arrays import IntArray, Progress
from microagg.partition import md
from microagg.partition.method import Method
from microagg.partition.mhm import cut_groups


def partition(X: npt.ArrayLike, k: int, *, threads: int | None = None, progress: Progress | None = None) -> IntArray:
    """Group the records with MD, walk through its groups, and cut that path optimally.

    Parameters and result are those of :func:`microagg.partition.mhm.cut_groups`, which does it [1]_: groups of k to
    2k-1 records, numbered along the path, with a loss of at most that of MD.

    References
    ----------
    .. [1] J. Domingo-Ferrer, A. Martinez-Balleste, J. M. Mateo-Sanz, F. Sebe. Efficient multivariate data-oriented
       microaggregation. The VLDB Journal 15 (2006) 355-369.

    Examples
    --------
    >>> partition([[1.0], [9.0], [2.0], [8.0], [1.5], [9.5]], k=3).tolist()
    [0, 1, 0, 1, 0, 1]
    """
    return cut_groups(X, k, md.partition, threads=threads, progress=progress)


METHOD = Method(
    name="md_mhm",
    function=partition,
    title="MD and the multivariate Hansen-Mukherjee cut",
    summary="the groups of MD give an order of the records, which is cut optimally",
    reference="Domingo-Ferrer, Martinez-Balleste, Mateo-Sanz and Sebe 2006",
    steps="n^2",
)
