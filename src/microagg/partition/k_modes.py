"""k-modes with at least k records in a cluster."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from microagg import _core
from microagg.base.checks import generator
from microagg.base.progress import Progress
from microagg.base.types import IntArray
from microagg.partition.method import Method
from microagg.semantic.attribute import Attribute, compress

MOST_ROUNDS = 100
"""When to stop where modes keep moving."""


def partition(
    X: npt.ArrayLike,
    k: int,
    *,
    attributes: Sequence[Attribute] | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> IntArray:
    """Cluster around modes, then dissolve clusters that are too small.

    Starts at n / k distinct tuples at random. Tuples go to the nearest mode and modes to the centroid of their tuples,
    until nothing changes; then the smallest cluster of fewer than k records is dissolved into the others, until there
    is none [1]_. Equal records stay together.

    Parameters
    ----------
    X : array of shape (n, m)
        Codes, or numbers, as `attributes` describes them.
    k : int
        Least size of a group.
    attributes : sequence of Attribute, optional
        What each column means; without them every column is ordinal.
    seed : int
        What the initial modes follow from.
    progress : callable, optional
        Told the fraction done.

    Returns
    -------
    array of n int
        The group of each record; groups are numbered by the codes of their first tuple.

    References
    ----------
    .. [1] V. Torra. Microaggregation for categorical variables: a median based approach. Privacy in Statistical
       Databases (2004), LNCS 3050, 162-174.

    Examples
    --------
    >>> from microagg.semantic import nominal
    >>> partition([[0], [1], [0], [2], [1], [2]], k=2, attributes=[nominal(["a", "b", "c"])]).tolist()
    [0, 1, 0, 2, 1, 2]
    """
    tuples = compress(X, k, attributes)
    n_clusters = min(len(tuples.tuple_of) // k, tuples.n_tuples)
    initial = np.sort(generator(seed).choice(tuples.n_tuples, n_clusters, replace=False))
    labels = np.empty(tuples.n_tuples, dtype=np.int64)
    _core.k_modes(tuples.shapes, tuples.tables, tuples.codes, tuples.counts, k, initial, MOST_ROUNDS, labels, progress)
    return labels[tuples.tuple_of]


METHOD = Method(
    name="k_modes",
    function=partition,
    title="k-modes",
    summary="clusters around modes; those of fewer than k records are dissolved",
    reference="Torra 2004",
    steps="U^2 / k a round",
    takes="attributes",
    deviations=(
        "Distinct tuples are clustered in place of records, so that equal records stay together.",
        "The mode is that of each column; where a column has a hierarchy, its semantic centroid takes that place.",
    ),
)
