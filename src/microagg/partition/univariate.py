"""Optimal univariate microaggregation, and projections of several columns to one."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from microagg import _core
from microagg.base.checks import check_records
from microagg.base.groups import in_order
from microagg.base.progress import Progress
from microagg.base.projection import principal_components
from microagg.base.types import FloatArray, IntArray
from microagg.errors import InvalidOption
from microagg.partition.method import Method
from microagg.partition.mhm import cut_order

PROJECTIONS = ("first_component", "sum")


def partition(
    X: npt.ArrayLike, k: int, *, projection: str = "first_component", progress: Progress | None = None
) -> IntArray:
    """Sort the records along one line and cut that order optimally.

    For one column this is the optimal partition [1]_, found in O(n log n): an optimal group of numbers holds
    neighbours in sorted order, and the costs of cutting it are Monge, so that the best cut for k consecutive ends
    at a time is found by divide and conquer. Records of several columns are ordered by their projection (the
    classic single-axis sorting [2]_), and the cut is the best one of that order for all columns together.

    Parameters
    ----------
    X : array of shape (n, m)
        The records, prepared.
    k : int
        Least size of a group.
    projection : {"first_component", "sum"}
        What to sort several columns by: the first principal component, or the sum of the columns.
    progress : callable, optional
        Told the fraction done.

    Returns
    -------
    array of n int
        The group of each record, numbered along the line.

    References
    ----------
    .. [1] S. L. Hansen, S. Mukherjee. A polynomial algorithm for optimal univariate microaggregation. IEEE
       Transactions on Knowledge and Data Engineering 15 (2003) 1043-1044.
    .. [2] J. Domingo-Ferrer, J. M. Mateo-Sanz. Practical data-oriented microaggregation for statistical disclosure
       control. IEEE Transactions on Knowledge and Data Engineering 14 (2002) 189-201.

    Examples
    --------
    >>> partition([[1.0], [9.0], [2.0], [8.0], [1.5], [9.5]], k=3).tolist()
    [0, 1, 0, 1, 0, 1]
    """
    X = check_records(X, k)
    if projection not in PROJECTIONS:
        raise InvalidOption(f"projection must be one of {', '.join(PROJECTIONS)}; got {projection!r}.")
    if X.shape[1] > 1:
        line = principal_components(X, 1)[:, 0] if projection == "first_component" else X.sum(axis=1)
        return cut_order(X, np.argsort(line, kind="stable"), k, progress=progress)
    return cut_column(X[:, 0], k)


def cut_column(values: FloatArray, k: int) -> IntArray:
    """Give the optimal groups of at least k of one column of numbers."""
    order = np.argsort(values, kind="stable")
    runs = np.empty(len(values), dtype=np.int64)
    _core.cut_sorted(np.ascontiguousarray(values[order]), k, runs)
    labels = np.empty_like(runs)
    labels[order] = runs
    return labels


def optimum_on_a_line(X: FloatArray, k: int) -> IntArray | None:
    """Give the optimal groups of records that differ in one column only; None where they differ in several.

    Groups are numbered in the order of first appearance.

    >>> optimum_on_a_line(np.array([[7.0, 9.0], [7.0, 1.0], [7.0, 8.0], [7.0, 2.0]]), 2).tolist()
    [0, 1, 0, 1]
    >>> optimum_on_a_line(np.array([[6.0, 9.0], [7.0, 1.0]]), 2) is None
    True
    """
    differs = np.flatnonzero((X[0] != X).any(axis=0)) if X.shape[1] > 1 else np.zeros(1, dtype=np.int64)
    if len(differs) > 1:
        return None
    return in_order(cut_column(X[:, differs[0]] if len(differs) else X[:, 0], k))


METHOD = Method(
    name="univariate",
    function=partition,
    title="Optimal univariate microaggregation",
    summary="one column: the optimum; several: sorted by a projection, then cut optimally",
    reference="Hansen and Mukherjee 2003; Domingo-Ferrer and Mateo-Sanz 2002",
    steps="n log n + n k",
)
