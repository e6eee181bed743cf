"""SA-MDAV with centroids that stay where a group began."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from microagg import _core
from microagg.arrays import IntArray, Progress
from microagg.partition.method import Method
from microagg.semantic.attribute import Attribute, compress


def partition(
    X: npt.ArrayLike,
    k: int,
    *,
    attributes: Sequence[Attribute] | None = None,
    progress: Progress | None = None,
) -> IntArray:
    """Grow groups of at least k from the far ends, nearest to where each began.

    As SA-MDAV, but tuples join by their distance to the first tuple of the group [1]_.

    Parameters
    ----------
    X : array of shape (n, m)
        Codes, or numbers, as `attributes` describes them.
    k : int
        Least size of a group.
    attributes : sequence of Attribute, optional
        What each column means; without them every column is ordinal.
    progress : callable, optional
        Told the fraction done.

    Returns
    -------
    array of n int
        The group of each record; groups are numbered in the order in which they are made.

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
    tuples = compress(X, k, attributes)
    labels = np.empty(tuples.n_tuples, dtype=np.int64)
    _core.semantic_mdav(tuples.shapes, tuples.tables, tuples.codes, tuples.counts, k, True, False, labels, progress)
    return labels[tuples.tuple_of]


METHOD = Method(
    name="sa_mdav_static",
    function=partition,
    title="Semantic adaptive MDAV, static",
    summary="like sa_mdav, but the centroid of a group stays where it began",
    reference="Martinez, Sanchez and Valls 2012",
    steps="U^2",
    takes="attributes",
)
