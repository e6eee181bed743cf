"""Orders of the records: their length, the checks at the door, and where a path begins."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from microagg.base.checks import check_matrix
from microagg.base.ranges import in_units, scaled
from microagg.base.types import FloatArray, IntArray
from microagg.errors import InvalidData, InvalidOption
from microagg.paths.distances import Metric, check_distances, check_metric

Dummy = Literal["city", "last"]
DUMMIES = ("city", "last")
"""Whether the dummy city, where a tour is cut, is chosen like any record or left out until the end."""


def path_length(X: npt.ArrayLike, order: npt.ArrayLike, *, metric: Metric = "euclidean") -> float:
    """Sum the distances from each record to the next along an open path.

    Parameters
    ----------
    X : array of shape (n, m)
        The records, prepared; a matrix of distances with metric "precomputed".
    order : array of n int
        A permutation of the row numbers.
    metric : {"euclidean", "precomputed"}
        What X holds, as for `path`.

    Returns
    -------
    float
        The length of the path; it does not return to its start.

    Examples
    --------
    >>> path_length([[0.0], [2.0], [1.0]], [0, 2, 1])
    2.0
    >>> path_length([[0, 7, 2], [7, 0, 3], [2, 3, 0]], [0, 2, 1], metric="precomputed")
    5.0
    """
    check_metric(metric)
    if metric == "precomputed":
        D, exponent = scaled(check_distances(X))
        along = check_order(order, D.shape[0])
        length = float(D[along[1:], along[:-1]].sum())
    else:
        X, exponent = scaled(check_matrix(X))
        length = float(steps_along(X, check_order(order, X.shape[0])).sum())
    return in_units(length, exponent, "the length of the path")


def steps_along(X: FloatArray, order: IntArray) -> FloatArray:
    """Give the Euclidean distance from each record along an order to the next one.

    >>> steps_along(np.array([[0.0], [2.0], [1.0]]), np.array([0, 2, 1])).tolist()
    [1.0, 1.0]
    """
    along = X[order]
    steps: FloatArray = np.sqrt(((along[1:] - along[:-1]) ** 2).sum(axis=1))
    return steps


def check_order(order: npt.ArrayLike, n_records: int) -> IntArray:
    """Give order as int64 if it is a permutation of the row numbers.

    >>> check_order([2, 0, 1], 3).tolist()
    [2, 0, 1]
    """
    array = np.ascontiguousarray(order)
    if array.shape != (n_records,) or array.dtype.kind not in "iu":
        raise InvalidData(f"order must be {n_records} row numbers; got {array.dtype} of shape {array.shape}.")
    array = array.astype(np.int64, copy=False)
    inside = (array >= 0) & (array < n_records)
    if not inside.all() or np.bincount(array, minlength=n_records).max() > 1:
        raise InvalidData(f"order must hold each of the row numbers 0..{n_records - 1} once.")
    return array


def check_dummy(dummy: str) -> None:
    """Refuse what is no way to treat the dummy city.

    >>> check_dummy("last")
    """
    if dummy not in DUMMIES:
        raise InvalidOption(f"dummy must be one of {', '.join(DUMMIES)}; got {dummy!r}.")


def check_start(start: int, n_records: int) -> int:
    """Give start as an int if it is a row number.

    >>> check_start(2, 3)
    2
    """
    if isinstance(start, bool) or not isinstance(start, int | np.integer) or not 0 <= start < n_records:
        raise InvalidOption(f"start must be a row number, 0 to {n_records - 1}, or None; got {start!r}.")
    return int(start)


def begin_at(X: FloatArray, order: IntArray, start: int) -> IntArray:
    """Turn a path into one that begins at a record, by cutting it there and joining the pieces.

    Of the joins that are possible (either piece from either end) the shortest is taken.

    >>> begin_at(np.array([[0.0], [1.0], [2.0], [9.0]]), np.array([0, 1, 2, 3]), 1).tolist()
    [1, 0, 2, 3]
    """
    at = int(np.flatnonzero(order == start)[0])
    before, after = order[:at], order[at + 1 :]
    here = order[at : at + 1]
    joins = (
        np.concatenate([here, before[::-1], after]),
        np.concatenate([here, before[::-1], after[::-1]]),
        np.concatenate([here, after, before[::-1]]),
        np.concatenate([here, after, before]),
    )
    return min(joins, key=lambda join: path_length(X, join))
