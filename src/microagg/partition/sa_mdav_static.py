"""SA-MDAV with centroids that stay where a group began."""

from __future__ import annotations

from collections.abc import Sequence

import numpy.typing as npt

from microagg.base.progress import Progress
from microagg.base.types import IntArray
from microagg.partition.method import Method
from microagg.partition.sa_mdav import grow
from microagg.semantic.attribute import Attribute


def partition(
    X: npt.ArrayLike,
    k: int,
    *,
    attributes: Sequence[Attribute] | None = None,
    progress: Progress | None = None,
) -> IntArray:
    """Grow groups of at least k from the far ends, nearest to where each began.

    As SA-MDAV, but tuples join by their distance to the first tuple of the group [1]_. Parameters and result are those
    of S-MDAV, :func:`microagg.partition.s_mdav.partition`.

    References
    ----------
    .. [1] S. Martinez, D. Sanchez, A. Valls. Semantic adaptive microaggregation of categorical microdata. Computers &
       Security 31 (2012) 653-672.

    Examples
    --------
    >>> from microagg.semantic import nominal
    >>> partition([[0], [1], [0], [2], [1], [2]], k=2, attributes=[nominal(["a", "b", "c"])]).tolist()
    [1, 0, 1, 2, 0, 2]
    """
    return grow(X, k, attributes, moving=False, progress=progress)


METHOD = Method(
    name="sa_mdav_static",
    function=partition,
    title="Semantic adaptive MDAV, static",
    summary="like sa_mdav, but the centroid of a group stays where it began",
    reference="Martinez, Sanchez and Valls 2012",
    steps="U^2",
    takes="attributes",
)
