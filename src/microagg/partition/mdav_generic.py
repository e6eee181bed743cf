"""MDAV-generic: MDAV for nominal and ordinal columns."""

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
    """Group the records of the two far ends, round after round, as MDAV does for numbers.

    The centroid is the mode of a nominal column and the median of an ordinal one; nominal values are equal or not,
    ordinal ones differ by their ranks [1]_. Columns of a hierarchy are measured by it. Ties go to the tuple of lower
    codes, and among equal records to the lower row.

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
    .. [1] J. Domingo-Ferrer, V. Torra. Ordinal, continuous and heterogeneous k-anonymity through microaggregation.
       Data Mining and Knowledge Discovery 11 (2005) 195-212.

    Examples
    --------
    >>> from microagg.semantic import nominal
    >>> partition([[0], [1], [0], [2], [1], [2]], k=2, attributes=[nominal(["a", "b", "c"])]).tolist()
    [1, 0, 1, 2, 0, 2]
    """
    tuples = compress(X, k, attributes)
    slots = np.empty(len(tuples.tuple_of), dtype=np.int64)
    _core.mdav_generic(tuples.shapes, tuples.tables, tuples.codes, tuples.counts, k, slots, progress)
    return tuples.hand_out(slots)


METHOD = Method(
    name="mdav_generic",
    function=partition,
    title="MDAV-generic",
    summary="MDAV for nominal and ordinal columns: mode and median in place of the mean",
    reference="Domingo-Ferrer and Torra 2005",
    steps="n U / k",
    takes="attributes",
)
