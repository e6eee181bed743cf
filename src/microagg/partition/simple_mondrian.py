"""Simple Mondrian for categories: cut at the centroid."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from microagg import _core
from microagg.base.progress import Progress
from microagg.base.schema import Kind
from microagg.base.types import IntArray
from microagg.errors import InvalidOption
from microagg.partition.method import Method
from microagg.semantic.attribute import Attribute, Tuples, compress

CUTS = {"centroid": 0, "median": 2}
"""The rules that the kernel can cut by."""


def partition(
    X: npt.ArrayLike,
    k: int,
    *,
    attributes: Sequence[Attribute] | None = None,
    cut: str = "centroid",
    ordered: bool = True,
    literal: bool = False,
    progress: Progress | None = None,
) -> IntArray:
    """Cut the records again and again at the value nearest to the centroid.

    Values follow the post-order of their hierarchy. The column to cut is the one with the largest mean distance of its
    records to its centroid; the cut is right before the value nearest to the centroid, or right after it, whichever
    leaves k records on both sides, else at the next nearest value [1]_ [2]_. Equal records stay together. Ties go to
    the earlier column and value.

    With cut="median" it is as near to the middle of the records as possible, which with the least common subsumer as
    the common value of a group is Mondrian for mixed data [3]_. With ordered=False values stand in alphabetical order,
    whatever they mean: the control that shows what the order is worth.

    That a cut at the next nearest value is tried is ours. With literal=True the rule is the printed one: where neither
    cut at the nearest value leaves k records on both sides, the next column is chosen.

    Parameters
    ----------
    X : array of shape (n, m)
        Codes, or numbers, as `attributes` describes them.
    k : int
        Least size of a group.
    attributes : sequence of Attribute, optional
        What each column means; without them every column is ordinal.
    cut : {"centroid", "median"}
        Where a column is cut.
    ordered : bool
        Whether values stand in the order of their hierarchy (default) or of the alphabet.
    literal : bool
        Give a column up where its first cut (cut="median"), or its first two (cut="centroid"), cannot be made.
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
    .. [3] J. Bohler. Report on data sanitisation and computation. MOSAICrOWN, deliverable D5.5 (2021).

    Examples
    --------
    >>> from microagg.semantic import nominal
    >>> partition([[0], [1], [0], [2], [1], [2]], k=2, attributes=[nominal(["a", "b", "c"])]).tolist()
    [0, 1, 0, 2, 1, 2]
    """
    if cut not in CUTS:
        raise InvalidOption(f"cut must be one of {', '.join(CUTS)}; got {cut!r}.")
    if not isinstance(ordered, bool):
        raise InvalidOption(f"ordered must be True or False; got {ordered!r}.")
    check_literal(literal)
    tuples = compress(X, k, attributes)
    ranks = [np.arange(n) for n in tuples.shapes[:, 1]]
    if not ordered and attributes is not None:
        for j, attribute in enumerate(attributes):
            if attribute.kind in {Kind.HIERARCHY, Kind.NOMINAL}:
                ranks[j] = np.argsort(np.argsort(np.array(attribute.names[: attribute.n_values])))
    return cut_tuples(tuples, k, CUTS[cut], literal, np.concatenate(ranks), progress)


def check_literal(literal: bool) -> None:
    """Check the option that asks for the printed rule.

    >>> check_literal(False)
    """
    if not isinstance(literal, bool):
        raise InvalidOption(f"literal must be True or False; got {literal!r}.")


def cut_tuples(
    tuples: Tuples, k: int, rule: int, literal: bool, ranks: IntArray, progress: Progress | None
) -> IntArray:
    """Cut distinct tuples by one of the kernel's rules, and give the group of each record."""
    labels = np.empty(tuples.n_tuples, dtype=np.int64)
    _core.semantic_mondrian(
        tuples.shapes, tuples.tables, tuples.codes, tuples.counts, k, rule, literal, ranks, labels, progress
    )
    return labels[tuples.tuple_of]


METHOD = Method(
    name="simple_mondrian",
    function=partition,
    title="Simple Mondrian",
    summary="cuts at the value nearest to the centroid, in the order of the hierarchy",
    reference="Veltmann 2022",
    steps="U log U",
    takes="attributes",
    deviations=(
        "Where neither cut at the value nearest to the centroid leaves k records on both sides, the text takes the "
        "next column; the next nearest value is tried first here. literal=True does as the text says.",
        "Ties and the order of children are not in the text: they go to the earlier column and value, and children "
        "stand in the order of the file.",
    ),
)
