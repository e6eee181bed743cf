"""p-sensitive microaggregation: MDAV's groups, each with enough different confidential values."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from microagg.base.checks import check_records
from microagg.base.progress import Progress
from microagg.base.types import FloatArray, IntArray
from microagg.constraints import Promises
from microagg.constraints.p import Distinct
from microagg.partition import mdav
from microagg.partition.method import Method


def partition(
    X: npt.ArrayLike,
    k: int,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
    promises: Promises | None = None,
) -> IntArray:
    """Form groups of k around the records at the far ends, and go on until each has p different values [1]_.

    A group is a record at the far end and its k - 1 nearest; then the nearest records with a value that the group does
    not have join it until it has p of them. Records that can form no more such groups join the group with the nearest
    centroid. Without a promise of p, or of l different values, this is MDAV.

    Parameters
    ----------
    X, k, threads, progress, promises
        As in `t_merge`; the first promise of different values counts.

    Returns
    -------
    array of n int
        The group of each record.

    References
    ----------
    .. [1] A. Solanas, F. Sebe, J. Domingo-Ferrer. Micro-aggregation-based heuristics for p-sensitive k-anonymity: one
       step beyond. PAIS (2008) 61-69.

    Examples
    --------
    >>> from microagg.constraints import promise
    >>> promises = promise({"p": {"ill": 2}}, {"ill": ["flu", "cold", "flu", "flu", "flu", "cold"]})
    >>> partition([[1.0], [2.0], [8.0], [9.0], [1.5], [9.5]], k=2, promises=promises).tolist()
    [1, 1, 1, 0, 1, 0]
    """
    asked = None if promises is None else _first_distinct(promises)
    if asked is None:
        return mdav.partition(X, k, threads=threads, progress=progress)
    X = check_records(X, k)
    p, codes = asked
    labels = np.full(len(X), -1, dtype=np.int64)
    left, group, far = np.arange(len(X)), 0, -1
    while len(left):
        centre = X[left].mean(axis=0) if group % 2 == 0 else X[far]
        far = int(left[np.argmax(_squares(X[left], centre))])
        order = left[np.argsort(_squares(X[left], X[far]), kind="stable")]
        chosen = _grown(order, k, p, codes)
        rest = np.setdiff1d(left, chosen)
        if len(chosen) == 0 or len(rest) < k:
            break
        labels[chosen] = group
        left = rest
        group += 1
        if progress is not None:
            progress(1.0 - len(left) / len(X))
    if group == 0 or len(np.unique(codes[left])) >= p:
        labels[left] = group
    elif len(left):
        inside = labels >= 0
        sizes = np.bincount(labels[inside])
        centroids = np.column_stack([np.bincount(labels[inside], column[inside]) / sizes for column in X.T])
        for row in left.tolist():
            labels[row] = int(np.argmin(_squares(centroids, X[row])))
    return labels


def _first_distinct(promises: Promises) -> tuple[int, IntArray] | None:
    for promise in promises.terms.promises:
        if isinstance(promise.constraint, Distinct):
            return promise.constraint.count, promises.codes[:, promise.column]
    return None


def _grown(order: IntArray, k: int, p: int, codes: IntArray) -> IntArray:
    """Take the first k, and the first of each value that is lacking until there are p; nothing where there are not."""
    if len(order) < k:
        return order[:0]
    group = order[:k]
    known = np.unique(codes[group])
    if len(known) >= p:
        return group
    values, first = np.unique(codes[order], return_index=True)
    first = np.sort(first[~np.isin(values, known)])[: p - len(known)]
    return order[:0] if len(known) + len(first) < p else np.append(group, order[first])


def _squares(X: FloatArray, centre: FloatArray) -> FloatArray:
    gaps = X - centre
    squares: FloatArray = np.einsum("ij,ij->i", gaps, gaps)
    return squares


METHOD = Method(
    name="p_sensitive",
    function=partition,
    title="p-sensitive microaggregation",
    summary="groups of k around the records at the far ends, which take in records of other values until there are p",
    reference="Solanas, Sebe and Domingo-Ferrer 2008",
    steps="n^2 / k",
    deviations=(
        "Follows the idea of the paper: a group grows until it has k records and p values. What is left joins the "
        "nearest groups.",
    ),
)
