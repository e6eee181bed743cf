"""SA-MDAV: MDAV on the meaning of categories that keeps equal records together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from microagg import _core
from microagg.base.progress import Progress
from microagg.base.types import IntArray
from microagg.errors import InvalidOption
from microagg.partition.method import Method
from microagg.semantic.attribute import Attribute, compress


def partition(
    X: npt.ArrayLike,
    k: int,
    *,
    attributes: Sequence[Attribute] | None = None,
    weighted: bool = True,
    progress: Progress | None = None,
) -> IntArray:
    """Grow groups of at least k from the far ends, in which equal records stay together.

    As S-MDAV, but with distinct tuples in place of records: a tuple joins with all its records, and its distance counts
    once for each of them [1]_. Ties go to the tuple of lower codes.

    So a frequent tuple looks far from everything: groups that lack records take rare tuples, whatever they mean, and
    the last groups hold nothing else. With weighted=False (ours) the distance of a tuple that might join counts once,
    which loses less where many tuples have fewer than k records.

    Parameters
    ----------
    X : array of shape (n, m)
        Codes, or numbers, as `attributes` describes them.
    k : int
        Least size of a group.
    attributes : sequence of Attribute, optional
        What each column means; without them every column is ordinal.
    weighted : bool
        Whether the distance of a tuple that might join counts once for each of its records (default, as published).
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
    if not isinstance(weighted, bool):
        raise InvalidOption(f"weighted must be True or False; got {weighted!r}.")
    return grow(X, k, attributes, moving=True, weighted=weighted, progress=progress)


def grow(
    X: npt.ArrayLike,
    k: int,
    attributes: Sequence[Attribute] | None,
    *,
    moving: bool,
    weighted: bool = True,
    progress: Progress | None,
) -> IntArray:
    """Grow groups of whole tuples; their centroids move with every tuple that joins, or stay where they began.

    >>> grow([[0], [1], [0], [1]], 2, None, moving=False, progress=None).tolist()
    [1, 0, 1, 0]
    """
    tuples = compress(X, k, attributes)
    labels = np.empty(tuples.n_tuples, dtype=np.int64)
    _core.semantic_mdav(
        tuples.shapes, tuples.tables, tuples.codes, tuples.counts, k, True, moving, weighted, labels, progress
    )
    return labels[tuples.tuple_of]


METHOD = Method(
    name="sa_mdav",
    function=partition,
    title="Semantic adaptive MDAV",
    summary="groups of at least k around far tuples; equal records stay together",
    reference="Martinez, Sanchez and Valls 2012",
    steps="U^2",
    takes="attributes",
)
