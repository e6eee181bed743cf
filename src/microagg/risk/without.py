"""What a single column does to a table: how large the classes of equal records would be without it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from microagg.base.groups import equivalence_classes
from microagg.base.types import IntArray
from microagg.errors import InvalidData


def sizes_without(keys: npt.NDArray[np.int64]) -> Iterator[IntArray]:
    """Give for each column, in turn, the sizes of the classes that there would be without it.

    Half of the columns are put together before the other half is looked at one by one, and so on: m log m walks over
    the records for m columns, and log m arrays at a time.

    Parameters
    ----------
    keys : array of shape (n, m)
        The quasi-identifiers as whole numbers that are equal where the values are.

    Yields
    ------
    array of int
        The sizes of the classes, in order of first appearance.

    Examples
    --------
    >>> [sizes.tolist() for sizes in sizes_without(np.array([[1, 1], [1, 2], [2, 2]]))]
    [[1, 2], [2, 1]]
    """
    if keys.ndim != 2 or keys.shape[1] == 0:
        raise InvalidData(f"keys must be a matrix, records x attributes; got shape {keys.shape}.")
    yield from _without(keys, list(range(keys.shape[1])), np.zeros(len(keys), dtype=np.int64))


def _without(keys: npt.NDArray[np.int64], columns: list[int], classes: IntArray) -> Iterator[IntArray]:
    """Leave out each of some columns; all others are in the classes already."""
    if len(columns) == 1:
        yield np.bincount(classes)
        return
    left, right = columns[: len(columns) // 2], columns[len(columns) // 2 :]
    yield from _without(keys, left, _finer(keys, right, classes))
    yield from _without(keys, right, _finer(keys, left, classes))


def _finer(keys: npt.NDArray[np.int64], columns: list[int], classes: IntArray) -> IntArray:
    """Tell records apart by some more columns."""
    for column in columns:
        if len(classes) and int(classes.max()) == len(classes) - 1:
            break  # everybody is alone already
        classes = equivalence_classes(np.column_stack([classes, keys[:, column]]))
    return classes
