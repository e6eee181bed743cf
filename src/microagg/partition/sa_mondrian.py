"""SA-Mondrian: cut where neighbouring categories lie farthest apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from microagg.base.progress import Progress
from microagg.base.types import IntArray
from microagg.partition.method import Method
from microagg.partition.simple_mondrian import check_literal, cut_tuples
from microagg.semantic.attribute import Attribute, compress

WIDEST_GAP = 1
"""The rule that the kernel is to cut by."""


def partition(
    X: npt.ArrayLike,
    k: int,
    *,
    attributes: Sequence[Attribute] | None = None,
    literal: bool = False,
    progress: Progress | None = None,
) -> IntArray:
    """Cut the records again and again where neighbouring values lie farthest apart.

    Values follow the post-order of their hierarchy, so that what means the same stands together. The column to cut is
    the one with the largest mean distance of its values to its centroid, each value weighted by its records; the cut is
    at the widest gap between neighbours that leaves k records on both sides [1]_ [2]_. Equal records stay together.
    Ties go to the earlier column, and to the earlier gap.

    With literal=True the rules are the printed ones: the column is chosen as in simple Mondrian, by the mean over
    records, and where a cut at its widest gap does not leave k records on both sides, the next column is chosen.

    Parameters
    ----------
    X : array of shape (n, m)
        Codes, or numbers, as `attributes` describes them.
    k : int
        Least size of a group.
    attributes : sequence of Attribute, optional
        What each column means; without them every column is ordinal.
    literal : bool
        Try the widest gap of each column alone.
    progress : callable, optional
        Told the fraction done.

    Returns
    -------
    array of n int
        The group of each record; groups are numbered along the cuts.

    References
    ----------
    .. [1] A. Veltmann. Implementation and evaluation of microaggregation algorithms for categorical data. Master's
       thesis, Universitat Politecnica de Catalunya (2022).
    .. [2] K. LeFevre, D. J. DeWitt, R. Ramakrishnan. Mondrian multidimensional k-anonymity. Proceedings of the 22nd
       International Conference on Data Engineering (2006).

    Examples
    --------
    >>> from microagg.semantic import nominal
    >>> partition([[0], [1], [0], [2], [1], [2]], k=2, attributes=[nominal(["a", "b", "c"])]).tolist()
    [0, 1, 0, 2, 1, 2]
    """
    check_literal(literal)
    tuples = compress(X, k, attributes)
    ranks = np.concatenate([np.arange(n) for n in tuples.shapes[:, 1]])
    return cut_tuples(tuples, k, WIDEST_GAP, literal, ranks, progress)


METHOD = Method(
    name="sa_mondrian",
    function=partition,
    title="Semantic adaptive Mondrian",
    summary="cuts where neighbouring values lie farthest apart",
    reference="Veltmann 2022",
    steps="U log U",
    takes="attributes",
    deviations=(
        "Algorithm 4 prints < where the widest gap, >, is meant.",
        "The text takes the widest gap alone; here it is the widest of those that leave k records on both sides. "
        "literal=True does as the text says.",
        "The column to cut has the largest mean distance to its centroid over records in the text; here the mean is "
        "over values, each weighted by its records. literal=True does as the text says.",
    ),
)
