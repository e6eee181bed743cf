"""S-MDAV: MDAV on the meaning of categories, record by record."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from microagg import _core
from microagg.base.progress import Progress
from microagg.base.types import IntArray
from microagg.partition.method import Method
from microagg.semantic.attribute import Attribute, compress


def partition(
    X: npt.ArrayLike,
    k: int,
    *,
    attributes: Sequence[Attribute] | None = None,
    progress: Progress | None = None,
) -> IntArray:
    """Grow groups of k from the far ends, measuring by meaning.

    The record r farthest from the centroid of the remaining ones starts a group; until the group has k records, the one
    nearest to its centroid joins and the centroid is computed anew. The record farthest from r starts the next group.
    Fewer than k records left each join the group with the nearest centroid [1]_. Ties go to the tuple of lower codes,
    and among equal records to the lower row.

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
    slots = np.empty(len(tuples.tuple_of), dtype=np.int64)
    _core.semantic_mdav(
        tuples.shapes, tuples.tables, tuples.codes, tuples.counts, k, False, True, False, slots, progress
    )
    return tuples.hand_out(slots)


METHOD = Method(
    name="s_mdav",
    function=partition,
    title="Semantic MDAV",
    summary="groups of k around far records, measured by the meaning of categories",
    reference="Martinez, Sanchez and Valls 2012",
    steps="n U",
    takes="attributes",
)
