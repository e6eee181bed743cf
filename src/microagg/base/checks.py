"""Checks of arguments that many functions take: arrays, k, counts, seeds, times, threads."""

from __future__ import annotations

import math
import os
import sys

import numpy as np
import numpy.typing as npt

from microagg.base.ranges import within_range
from microagg.base.types import FloatArray, IntArray
from microagg.errors import InfeasibleK, InvalidData, InvalidOption

MOST_COUNT = 10**9
"""The most that can be asked for of anything that is counted: rounds, passes, kicks, neighbours."""
MOST_SECONDS = 365 * 24 * 3600
"""The longest time limit: a year."""
MOST_THREADS = 1024


def check_matrix(X: npt.ArrayLike, name: str = "X") -> FloatArray:
    """Give X as a finite float64 matrix in row order, or say what is wrong with it.

    >>> check_matrix([[1, 2], [3, 4]]).dtype
    dtype('float64')
    """
    try:
        matrix = np.ascontiguousarray(X, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
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


def check_points(X: npt.ArrayLike) -> FloatArray:
    """Give X as a finite matrix whose distances can be computed: a power of two of its own units, where need be.

    >>> check_points([[1.0], [3.0]]).tolist(), check_points([[2.0**900], [0.0]]).tolist()
    ([[1.0], [3.0]], [[0.5], [0.0]])
    """
    return within_range(check_matrix(X))


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


def check_count(name: str, value: int, least: int = 1, most: int = MOST_COUNT) -> int:
    """Give a whole number that is neither too small nor too large.

    >>> check_count("kicks", 10, 0)
    10
    """
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise InvalidOption(f"{name} must be a whole number of at least {least}; got {value!r}.")
    if value > most:
        raise InvalidOption(f"{name} must be at most {most:,}; got {value!r}.")
    return int(value)


def check_number(name: str, value: object, least: float, most: float = sys.float_info.max) -> float:
    """Give a number between two ends, both allowed.

    >>> check_number("beyond", 1, 0.0, 1.0)
    1.0
    """
    is_number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not is_number or not least <= value <= most:  # type: ignore[operator]
        allowed = (
            f"between {least:g} and {most:g}" if most < sys.float_info.max else f"of at least {least:g}, and finite"
        )
        raise InvalidOption(f"{name} must be a number {allowed}; got {value!r}.")
    return float(value)  # type: ignore[arg-type]


def check_records(X: npt.ArrayLike, k: int) -> FloatArray:
    """Check what every partition method needs: finite numbers, and at least k records.

    Numbers too large or too small to be squared are scaled by a power of two, all alike: see `within_range`.

    >>> check_records([[1.0], [2.0]], 2).shape
    (2, 1)
    """
    matrix = check_points(X)
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


def check_seed(seed: int, name: str = "seed") -> int:
    """Give the seed as 64 bits.

    >>> check_seed(7)
    7
    """
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or not 0 <= seed < 2**64:
        raise InvalidOption(f"{name} must be a whole number from 0 to 2^64 - 1; got {seed!r}.")
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
    return math.inf if time_limit is None else check_seconds("time_limit", time_limit)


def check_seconds(name: str, value: object) -> float:
    """Give a number of seconds above 0 that people live to see the end of.

    >>> check_seconds("bound", 10)
    10.0
    """
    is_number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not is_number or not 0 < value <= MOST_SECONDS:  # type: ignore[operator]
        raise InvalidOption(
            f"{name} must be a positive number of seconds, at most {MOST_SECONDS:,} (a year), or None; got {value!r}."
        )
    return float(value)  # type: ignore[arg-type]


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
    if threads > MOST_THREADS:
        raise InvalidOption(f"threads must be at most {MOST_THREADS:,}, or None for all; got {threads!r}.")
    return int(threads)
