"""Array types, and the checks at the door of every function that takes arrays."""

from __future__ import annotations

import math
import os
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from microagg.errors import InfeasibleK, InvalidData, InvalidOption

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

Progress = Callable[[float], None]
"""Told the fraction done, between 0 and 1, every now and then.

A search that knows the loss it has reached tells it, in percent, to the attribute `tell_loss`, where there is one.
"""


def part_of(progress: Progress | None, begin: float, end: float, *, tells_loss: bool = False) -> Progress | None:
    """Give what one step of several tells its progress to: its 0..1 becomes begin..end of the whole.

    A step that works on all records may tell the loss it has reached too.

    >>> told = []
    >>> half = part_of(told.append, 0.5, 1.0)
    >>> half(0.5), told
    (None, [0.75])
    """
    if progress is None or (begin, end) == (0.0, 1.0):
        return progress

    def part(fraction: float) -> None:
        progress(begin + fraction * (end - begin))

    if tells_loss and hasattr(progress, "tell_loss"):
        part.tell_loss = progress.tell_loss  # type: ignore[attr-defined]
    return part


def check_matrix(X: npt.ArrayLike, name: str = "X") -> FloatArray:
    """Give X as a finite float64 matrix in row order, or say what is wrong with it.

    >>> check_matrix([[1, 2], [3, 4]]).dtype
    dtype('float64')
    """
    try:
        matrix = np.ascontiguousarray(X, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidData(f"{name} must hold numbers only; it cannot be converted: {error}.") from error
    if matrix.ndim != 2:
        raise InvalidData(f"{name} must have 2 dimensions, records x columns; got {matrix.ndim}.")
    if matrix.shape[0] == 0:
        raise InvalidData(f"{name} must have at least one record; got none.")
    if matrix.shape[1] == 0:
        raise InvalidData(f"{name} must have at least one column; got none.")
    if not np.isfinite(matrix).all():
        row, column = (int(i) for i in np.argwhere(~np.isfinite(matrix))[0])
        raise InvalidData(
            f"{name} must hold finite numbers; record {row}, column {column} is {matrix[row, column]}. "
            "Drop or impute missing values first."
        )
    return matrix


def check_k(k: int, n_records: int) -> int:
    """Give k as an int if groups of k can be made of n records.

    >>> check_k(3, 11)
    3
    """
    if isinstance(k, bool) or not isinstance(k, int | np.integer):
        raise InfeasibleK(f"k must be a whole number; got {k!r}.")
    if not 2 <= k <= n_records:
        raise InfeasibleK(f"k must be between 2 and the number of records ({n_records}); got k={k}.")
    return int(k)


def check_count(name: str, value: int, least: int = 1) -> int:
    """Give a whole number that is not too small.

    >>> check_count("kicks", 10, 0)
    10
    """
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise InvalidOption(f"{name} must be a whole number of at least {least}; got {value!r}.")
    return int(value)


def check_records(X: npt.ArrayLike, k: int) -> FloatArray:
    """Check what every partition method needs: finite numbers, and at least k records.

    >>> check_records([[1.0], [2.0]], 2).shape
    (2, 1)
    """
    matrix = check_matrix(X)
    check_k(k, matrix.shape[0])
    return matrix


def check_labels(labels: npt.ArrayLike, n_records: int) -> IntArray:
    """Give labels as int64, numbered 0..G-1 without gaps, one for each record.

    >>> check_labels([0, 1, 0], 3).tolist()
    [0, 1, 0]
    """
    array = np.ascontiguousarray(labels)
    if array.ndim != 1 or array.shape[0] != n_records:
        raise InvalidData(
            f"labels must hold one group number for each of {n_records} records; got shape {array.shape}."
        )
    if array.dtype.kind not in "iu":
        raise InvalidData(f"labels must be whole numbers; got {array.dtype}.")
    array = array.astype(np.int64, copy=False)
    if array.min() < 0 or np.bincount(array).min() == 0:
        raise InvalidData("labels must number the groups 0, 1, 2, ... without gaps.")
    return array


def check_groups(labels: npt.ArrayLike, n_records: int, k: int) -> IntArray:
    """Give labels of groups of at least k records, or say which group is too small.

    >>> check_groups([0, 1, 0, 1], 4, 2).tolist()
    [0, 1, 0, 1]
    """
    array = check_labels(labels, n_records)
    sizes = np.bincount(array)
    if sizes.min() < k:
        raise InvalidData(
            f"every group of labels must have at least k={k} records; group {int(sizes.argmin())} has {sizes.min()}."
        )
    return array


def check_seed(seed: int) -> int:
    """Give the seed as 64 bits.

    >>> check_seed(7)
    7
    """
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or not 0 <= seed < 2**64:
        raise InvalidOption(f"seed must be a whole number from 0 to 2^64 - 1; got {seed!r}.")
    return int(seed)


def generator(seed: int) -> np.random.Generator:
    """Give the random generator of a seed.

    >>> int(generator(0).integers(10)) == int(generator(0).integers(10))
    True
    """
    return np.random.default_rng(check_seed(seed))


def check_time_limit(time_limit: float | None) -> float:
    """Give the limit in seconds, infinite for none.

    >>> check_time_limit(None)
    inf
    """
    if time_limit is None:
        return math.inf
    if isinstance(time_limit, bool) or not isinstance(time_limit, int | float | np.number) or not time_limit > 0:
        raise InvalidOption(f"time_limit must be a positive number of seconds, or None; got {time_limit!r}.")
    return float(time_limit)


def check_threads(threads: int | None) -> int:
    """Give the number of threads to use: what was asked for, else one per processor that we may use.

    >>> check_threads(2)
    2
    """
    if threads is None:
        affinity = getattr(os, "sched_getaffinity", None)
        return len(affinity(0)) if affinity else os.cpu_count() or 1
    if isinstance(threads, bool) or not isinstance(threads, int | np.integer) or threads < 1:
        raise InvalidOption(f"threads must be a whole number of at least 1, or None for all; got {threads!r}.")
    return int(threads)


def principal_components(X: FloatArray, count: int) -> FloatArray:
    """Project on the directions of the greatest variance; the largest coefficient of each is positive.

    >>> principal_components(np.array([[0.0, 0.0], [3.0, 0.0]]), 1).tolist()
    [[-1.5], [1.5]]
    """
    centred = X - X.mean(axis=0)
    _, vectors = np.linalg.eigh(centred.T @ centred)
    leading = vectors[:, ::-1][:, :count]
    largest = leading[np.argmax(np.abs(leading), axis=0), np.arange(leading.shape[1])]
    projected: FloatArray = centred @ (leading * np.where(largest < 0, -1.0, 1.0))
    return projected
