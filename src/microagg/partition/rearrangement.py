"""Rearrangement clustering: one path through records and dummy cities, which fall where the steps are longest.

order = a short path through the records and g - 1 dummy cities on it, at the same distance c from every record and
        infinitely far from each other: its length but for 2 c (g - 1) is that of the path without the steps on which
        they lie
        repeat: c = half the shortest of these steps; shorten the path anew, no step counting for more than 2 c
clusters = the pieces of the path between the dummy cities
what follows is not in the paper, whose clusters have any size:
        while a cluster has fewer than k records: join the smallest to the one whose centroid is nearest
        a short path through a cluster of 2k or more is cut optimally into runs of k to 2k-1
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from microagg.base.checks import check_count, check_records
from microagg.base.groups import group_means
from microagg.base.progress import Progress, part_of
from microagg.base.types import FloatArray, IntArray
from microagg.errors import InvalidOption
from microagg.partition.method import Method
from microagg.partition.mhm import cut_order
from microagg.paths import check_path_options, path
from microagg.paths.order import steps_along

MOST_ROUNDS = 5
"""How often the path is shortened anew, at most: later rounds hardly ever gain."""


def partition(
    X: npt.ArrayLike,
    k: int,
    *,
    clusters: int | None = None,
    path_options: Mapping[str, Any] | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> IntArray:
    """Cluster the records by one path through them and dummy cities [1]_ [2]_, then see to groups of k.

    The dummy cities have the same distance to every record, so that on the shortest path they take the place of the
    longest steps: clusters are what lies between them. Such clusters have any size. For microaggregation those of
    fewer than k records are joined, the smallest first, to the one whose centroid is nearest, and a short path through
    those of 2k or more is cut optimally: both is ours.

    Parameters
    ----------
    X : array of shape (n, m)
        The records, prepared.
    k : int
        Least size of a group.
    clusters : int, optional
        How many clusters the dummy cities make, 1 to n; n / k, rounded down, by default.
    path_options : mapping, optional
        Options of "lk", the heuristic that finds the path, such as `kicks`.
    seed : int
        Random choices of the heuristic follow from this.
    threads : int, optional
        How many threads to use; all processors by default.
    progress : callable, optional
        Told the fraction done.

    Returns
    -------
    array of n int
        The group of each record.

    References
    ----------
    .. [1] S. Climer, W. Zhang. Rearrangement clustering: pitfalls, remedies, and applications. Journal of Machine
       Learning Research 7 (2006) 919-943.
    .. [2] A. Maya-Lopez, A. Solanas. Multivariate fixed-size microaggregation based on the travelling salesman
       problem, section II-D.

    Examples
    --------
    >>> partition([[1.0], [9.0], [2.0], [8.0], [1.5], [9.5]], k=3).tolist() in ([0, 1, 0, 1, 0, 1], [1, 0, 1, 0, 1, 0])
    True
    """
    X = check_records(X, k)
    n = X.shape[0]
    wanted = n // k if clusters is None else check_count("clusters", clusters, 1)
    if wanted > n:
        raise InvalidOption(f"clusters must be between 1 and the number of records ({n}); got {clusters}.")
    order = order_with_dummies(
        X, wanted, path_options, seed=seed, threads=threads, progress=part_of(progress, 0.0, 0.8)
    )
    clustered = large_enough(X, between_dummies(X, order, wanted), k)
    labels = np.empty(n, dtype=np.int64)
    n_groups = 0
    for cluster in range(int(clustered.max()) + 1):
        rows = np.flatnonzero(clustered == cluster)
        labels[rows] = n_groups
        if len(rows) >= 2 * k:
            along = path(X[rows], "lk", seed=seed, threads=threads)
            labels[rows] += cut_order(X[rows], along, k)
        n_groups = int(labels[rows].max()) + 1
    return labels


def order_with_dummies(
    X: FloatArray,
    clusters: int,
    path_options: Mapping[str, Any] | None = None,
    *,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> IntArray:
    """Order the records along a path that is short but for the steps on which a dummy city lies.

    >>> order_with_dummies(np.array([[0.0], [9.0], [1.0], [8.0]]), 2).tolist() in ([0, 2, 3, 1], [1, 3, 2, 0])
    True
    """
    own = check_path_options("lk", path_options)

    def shorten(more: dict[str, Any], number: int) -> IntArray:
        share = part_of(progress, number / (MOST_ROUNDS + 1), (number + 1) / (MOST_ROUNDS + 1))
        return path(X, "lk", seed=seed, threads=threads, progress=share, **{**own, **more})

    best = shorten({}, 0)
    if clusters < 2:
        return best
    for number in range(1, MOST_ROUNDS + 1):
        replaced = np.sort(steps_along(X, best))[::-1][: clusters - 1]
        again = shorten({"initial": best, "cap": float(replaced[-1])}, number)
        if length_with_dummies(X, again, clusters) >= length_with_dummies(X, best, clusters) * (1 - 1e-12):
            break
        best = again
    return best


def length_with_dummies(X: FloatArray, order: IntArray, clusters: int) -> float:
    """Give the length of a path without its longest steps, on which the dummy cities lie.

    >>> length_with_dummies(np.array([[0.0], [1.0], [8.0], [9.0]]), np.arange(4), 2)
    2.0
    """
    steps = np.sort(steps_along(X, order))
    return float(steps[: len(order) - clusters].sum())


def between_dummies(X: FloatArray, order: IntArray, clusters: int) -> IntArray:
    """Cut a path at its longest steps, of equal ones at the earlier: give the cluster of each record.

    >>> between_dummies(np.array([[0.0], [1.0], [8.0], [9.0]]), np.array([3, 2, 1, 0]), 2).tolist()
    [1, 1, 0, 0]
    """
    dummies = np.argsort(-steps_along(X, order), kind="stable")[: clusters - 1]
    begins = np.zeros(len(order), dtype=np.int64)
    begins[dummies + 1] = 1
    labels = np.empty(len(order), dtype=np.int64)
    labels[order] = np.cumsum(begins)
    return labels


def large_enough(X: FloatArray, labels: IntArray, k: int) -> IntArray:
    """Join the smallest cluster, the first of equal ones, to that of the nearest centroid until all have k records.

    >>> large_enough(np.array([[0.0], [1.0], [2.0], [8.0], [9.0]]), np.array([0, 0, 1, 2, 2]), 2).tolist()
    [0, 0, 0, 1, 1]
    """
    sizes = np.bincount(labels)
    centroids = group_means(X, labels)
    joined_to = np.arange(len(sizes))
    there = np.ones(len(sizes), dtype=np.bool_)
    while True:
        smallest = int(np.argmin(np.where(there, sizes, np.iinfo(np.int64).max)))
        if sizes[smallest] >= k:
            break
        there[smallest] = False
        away = ((centroids - centroids[smallest]) ** 2).sum(axis=1)
        nearest = int(np.argmin(np.where(there, away, np.inf)))
        both = sizes[nearest] + sizes[smallest]
        centroids[nearest] = (centroids[nearest] * sizes[nearest] + centroids[smallest] * sizes[smallest]) / both
        sizes[nearest] = both
        joined_to[joined_to == smallest] = nearest
    return np.unique(joined_to[labels], return_inverse=True)[1].reshape(len(labels)).astype(np.int64, copy=False)


METHOD = Method(
    name="rearrangement",
    function=partition,
    title="Rearrangement clustering",
    summary="one path through the records and dummy cities, which separate clusters; small ones are joined",
    reference="Climer and Zhang 2006; Maya-Lopez and Solanas",
    steps="those of the path, several times, and (n / k)^2",
    depends_on_row_order=True,
    deviations=(
        "The text stops at the clusters between the dummy cities, of any size. That those of fewer than k records are "
        "joined to the one of the nearest centroid, and a path through those of 2k or more is cut optimally, is ours; "
        "so is the number of clusters, n / k.",
        "A tour through the records and g dummy cities is a path whose g - 1 longest steps count nothing: ours has g - "
        "1 dummies, and finds it by capping the steps again and again.",
    ),
)
