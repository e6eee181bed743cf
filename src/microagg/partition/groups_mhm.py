"""MD-MHM, CBFS-MHM and MDAV-MHM: the order that the groups of a method give, cut optimally.

One idea with three methods to begin with; `cut_groups` does it.
"""

from __future__ import annotations

import numpy.typing as npt

from microagg.base.progress import Progress
from microagg.base.types import IntArray
from microagg.partition import cbfs, md, mdav
from microagg.partition.method import Method
from microagg.partition.mhm import cut_groups

REFERENCE = "Domingo-Ferrer, Martinez-Balleste, Mateo-Sanz and Sebe 2006"


def md_mhm(X: npt.ArrayLike, k: int, *, threads: int | None = None, progress: Progress | None = None) -> IntArray:
    """Group the records with MD, walk through its groups, and cut that path optimally.

    Parameters and result are those of :func:`microagg.partition.mhm.cut_groups`: groups of k to 2k-1 records, numbered
    along the path, with a loss of at most that of MD.

    >>> md_mhm([[1.0], [9.0], [2.0], [8.0], [1.5], [9.5]], k=3).tolist()
    [0, 1, 0, 1, 0, 1]
    """
    return cut_groups(X, k, md.partition, threads=threads, progress=progress)


def cbfs_mhm(X: npt.ArrayLike, k: int, *, threads: int | None = None, progress: Progress | None = None) -> IntArray:
    """Group the records with CBFS, walk through its groups, and cut that path optimally.

    Parameters and result are those of :func:`microagg.partition.mhm.cut_groups`: groups of k to 2k-1 records, numbered
    along the path, with a loss of at most that of CBFS.

    >>> cbfs_mhm([[1.0], [9.0], [2.0], [8.0], [1.5], [9.5]], k=3).tolist()
    [1, 0, 1, 0, 1, 0]
    """
    return cut_groups(X, k, cbfs.partition, threads=threads, progress=progress)


def mdav_mhm(X: npt.ArrayLike, k: int, *, threads: int | None = None, progress: Progress | None = None) -> IntArray:
    """Group the records with MDAV, walk through its groups, and cut that path optimally.

    Parameters and result are those of :func:`microagg.partition.mhm.cut_groups`: groups of k to 2k-1 records, numbered
    along the path, with a loss of at most that of MDAV.

    >>> mdav_mhm([[1.0], [9.0], [2.0], [8.0], [1.5], [9.5]], k=3).tolist()
    [1, 0, 1, 0, 1, 0]
    """
    return cut_groups(X, k, mdav.partition, threads=threads, progress=progress)


METHODS = (
    Method(
        name="md_mhm",
        function=md_mhm,
        title="MD and the multivariate Hansen-Mukherjee cut",
        summary="the groups of MD give an order of the records, which is cut optimally",
        reference=REFERENCE,
        steps="n^2",
    ),
    Method(
        name="cbfs_mhm",
        function=cbfs_mhm,
        title="CBFS and the multivariate Hansen-Mukherjee cut",
        summary="the groups of CBFS give an order of the records, which is cut optimally",
        reference=REFERENCE,
        steps="n^2 / k",
    ),
    Method(
        name="mdav_mhm",
        function=mdav_mhm,
        title="MDAV and the multivariate Hansen-Mukherjee cut",
        summary="the groups of MDAV give an order of the records, which is cut optimally",
        reference=REFERENCE,
        steps="n^2 / k",
    ),
)
