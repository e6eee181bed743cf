"""Compress-TSP-MHM: a short path through small groups, unpacked and cut optimally."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from microagg.base.checks import check_count, check_records
from microagg.base.groups import group_means
from microagg.base.progress import Progress, part_of
from microagg.base.types import FloatArray, IntArray
from microagg.errors import InvalidOption
from microagg.partition.method import Method
from microagg.partition.mhm import cut_order
from microagg.partition.promised import first_groups
from microagg.paths import path_with

INNER = ("distance", "rows", "oriented")

MANY_RECORDS = 100_000
"""Of more records than this, MDAV makes the small groups in cells that median cuts leave together."""


def partition(
    X: npt.ArrayLike,
    k: int,
    *,
    c: int = 2,
    base: str = "mdav",
    path: str = "lk",
    path_options: Mapping[str, Any] | None = None,
    inner: Literal["distance", "rows", "oriented"] = "distance",
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> IntArray:
    """Find a short path through the centroids of small groups, unpack the groups along it, and cut it optimally [1]_.

    1. Compress: `base` groups the records with c as the least size, and each group is replaced by its centroid.
    2. Find a Hamiltonian path through the centroids.
    3. Decompress: each centroid on the path is replaced by the records of its group, in the order that `inner` names.
    4. Cut that path through all records optimally into runs of k to 2k-1.

    Of more than `MANY_RECORDS` records, where MDAV would take a time that grows like their square, it makes the small
    groups within cells of some ten thousand records that median cuts leave together; and "lk" makes a path through more
    than `microagg.paths.lk.MANY_CITIES` centroids in cells too. The time then grows like n log n.

    Parameters
    ----------
    X : array of shape (n, m)
        The records, prepared.
    k : int
        Least size of a group.
    c : int
        The compression ratio: least size of the small groups, 2 to n; the paper takes 2 to 5.
    base : str
        The method that makes the small groups: a name in METHODS.
    path : str
        The heuristic that finds the path through the centroids: a name in PATHS.
    path_options : mapping, optional
        The heuristic's own options, such as `kicks` of "lk": its effort follows the number of centroids otherwise, so
        that a path through half of them takes half the time.
    inner : {"distance", "rows", "oriented"}
        How the records of a small group follow each other. "distance": by their distance to the centroid of all
        records, nearest first, as published. "rows": by their row numbers, as in the scripts of the paper's authors;
        the groups then depend on the order of the records in the file. "oriented": along the direction from the
        previous centroid on the path to the next one, so that the path through the records goes on without turning
        back.
    seed : int
        Random choices of the base and the path follow from this.
    threads : int, optional
        How many threads to use; all processors by default.
    progress : callable, optional
        Told the fraction done.

    Returns
    -------
    array of n int
        The group of each record; groups are numbered along the path.

    References
    ----------
    .. [1] A. Maya-Lopez, A. Martinez-Balleste, F. Casino. A compression strategy for an efficient TSP-based
       microaggregation. Expert Systems with Applications 213 (2023) 118980.

    Examples
    --------
    >>> records = [[1.0], [9.0], [2.0], [8.0], [1.5], [9.5]]
    >>> partition(records, k=3, c=3, path="greedy_edge", inner="oriented").tolist()
    [1, 0, 1, 0, 1, 0]
    """
    X = check_records(X, k)
    order = order_of_records(
        X,
        c=c,
        base=base,
        path=path,
        path_options=path_options,
        inner=inner,
        seed=seed,
        threads=threads,
        progress=part_of(progress, 0.0, 0.9),
    )
    return cut_order(X, order, k, progress=part_of(progress, 0.9, 1.0))


def order_of_records(
    X: FloatArray,
    *,
    c: int,
    base: str,
    path: str,
    path_options: Mapping[str, Any] | None = None,
    inner: str,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> IntArray:
    """Give the path through all records that `partition` cuts: compressed, ordered and unpacked.

    >>> records = np.array([[1.0], [9.0], [2.0], [8.0], [1.5], [9.5]])
    >>> order_of_records(records, c=3, base="mdav", path="greedy_edge", inner="oriented").tolist()
    [5, 1, 3, 2, 4, 0]
    """
    from microagg.partition import get_method
    from microagg.partition import partition as group

    if inner not in INNER:
        raise InvalidOption(f"inner must be one of {', '.join(INNER)}; got {inner!r}.")
    if check_count("c", c, 2) > len(X):
        raise InvalidOption(f"c must be between 2 and the number of records ({len(X)}); got c={c}.")
    if get_method(base, {}).per_column:
        raise InvalidOption(f"base must be a method that groups whole records; {base!r} groups each column on its own.")
    if base == "mdav" and len(X) > MANY_RECORDS:
        small = first_groups(X, c, None, threads=threads)
    else:
        small = group(X, c, method=base, seed=seed, threads=threads, progress=part_of(progress, 0.0, 0.4))
    centroids = group_means(X, small)
    tour = path_with(centroids, path, path_options, seed=seed, threads=threads, progress=part_of(progress, 0.4, 1.0))
    if inner == "rows":
        return _unpack(small, tour, np.zeros(len(X)))
    return _by_distance(X, small, tour) if inner == "distance" else _oriented(X, small, centroids, tour)


def _by_distance(X: FloatArray, labels: IntArray, tour: IntArray) -> IntArray:
    """Unpack the groups along the tour, inside a group the record nearest to the centroid of all first."""
    return _unpack(labels, tour, ((X - X.mean(axis=0)) ** 2).sum(axis=1))


def _oriented(X: FloatArray, labels: IntArray, centroids: FloatArray, tour: IntArray) -> IntArray:
    """Unpack the groups along the tour, inside a group along the direction in which the tour passes it."""
    along = centroids[np.concatenate([tour[:1], tour, tour[-1:]])]
    direction = np.empty_like(centroids)
    direction[tour] = along[2:] - along[:-2]
    return _unpack(labels, tour, np.einsum("ij,ij->i", X - centroids[labels], direction[labels]))


def _unpack(labels: IntArray, tour: IntArray, key: FloatArray) -> IntArray:
    """Order the records by the place of their group on the tour, then by a key, then by row number."""
    place = np.empty(len(tour), dtype=np.int64)
    place[tour] = np.arange(len(tour))
    return np.lexsort((key, place[labels])).astype(np.int64, copy=False)


METHOD = Method(
    name="compress",
    function=partition,
    title="Compress-TSP-MHM",
    summary="a short path through the centroids of small groups is unpacked and cut optimally",
    reference="Maya-Lopez, Martinez-Balleste and Casino 2023",
    steps="n^2 / c up to 100,000 records, else n log n, and those of the path for n / c",
    depends_on_row_order=True,
    deviations=(
        'inner="oriented" is ours. inner="rows" is not in the text, but in the scripts of its authors.',
        "The scripts standardise the centroids anew and round distances to two decimals; the text and ours do not.",
        "Of more than 100,000 records the small groups are made in cells that median cuts leave together, and so is a "
        "path of lk through more than 50,000 centroids.",
    ),
)
