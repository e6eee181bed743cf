"""The part of a partition that new records touch: which groups it has, and how to change these alone."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from microagg import _core
from microagg.base.ranges import within_range
from microagg.base.types import BoolArray, FloatArray, IntArray

AROUND = 3
"""How many nearest groups of a new record count as touched: its own and two more."""


def touched_groups(X: FloatArray, labels: IntArray, n_base: int, around: int = AROUND) -> BoolArray:
    """Say which groups have a new record, or are among the nearest ones of a new record.

    Parameters
    ----------
    X : array of shape (n, m)
        All records, prepared.
    labels : array of n int
        The group of each record, 0 to G-1.
    n_base : int
        The records from here on are new.
    around : int
        How many groups with the nearest centroids count for each new record.

    Returns
    -------
    array of G bool

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [5.0], [6.0], [20.0], [21.0], [2.0]])
    >>> touched_groups(X, np.array([0, 0, 1, 1, 2, 2, 0]), n_base=6, around=2).tolist()
    [True, True, False]
    """
    n_groups = int(labels.max()) + 1
    closest = np.empty((len(X) - n_base, min(around, n_groups)), dtype=np.int64)
    _core.closest_groups(within_range(X), labels, n_base, closest, None)
    touched = np.zeros(n_groups, dtype=np.bool_)
    touched[closest] = True
    touched[labels[n_base:]] = True
    return touched


def change_groups(labels: IntArray, chosen: BoolArray, change: Callable[[IntArray, IntArray], IntArray]) -> IntArray:
    """Put other groups in the place of some, and leave the rest as it is.

    Parameters
    ----------
    labels : array of n int
        The group of each record, 0 to G-1.
    chosen : array of G bool
        The groups to change.
    change : callable
        Given the rows of their records and the labels of these, 0 to the number of chosen groups - 1; gives new labels.

    Returns
    -------
    array of n int
        The groups that stay come first, in their order.

    Examples
    --------
    >>> labels = np.array([0, 0, 1, 1, 2, 2])
    >>> change_groups(labels, np.array([True, False, True]), lambda rows, its: 1 - its).tolist()
    [2, 2, 0, 0, 1, 1]
    """
    if not chosen.any():
        return labels
    rows = np.flatnonzero(chosen[labels])
    number = np.where(chosen, np.cumsum(chosen), np.cumsum(~chosen)) - 1
    changed = number[labels]
    changed[rows] = change(rows, changed[rows]) + np.count_nonzero(~chosen)
    return changed
