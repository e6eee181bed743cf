"""How often each confidential value occurs in each class."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from microagg.base.checks import check_labels
from microagg.base.types import FloatArray, IntArray
from microagg.errors import InvalidData

FEW_CELLS = 4
"""Classes and values are counted as a table of all pairs, where it has at most so many cells for each record."""


@dataclass(frozen=True)
class Composition:
    """The values that occur in each class, as pairs (class, value) sorted by class, then value.

    Attributes
    ----------
    classes : array of n int
        The class of each record.
    of_class, of_value : array of int
        The class and the value of each pair; values are numbered in their order.
    counts : array of int
        How many records have the pair.
    class_sizes, value_sizes : array of int
        How many records each class and each value has.
    values : array
        The different values, in their order.
    """

    classes: IntArray
    of_class: IntArray
    of_value: IntArray
    counts: IntArray
    class_sizes: IntArray
    value_sizes: IntArray
    values: npt.NDArray[Any]

    @cached_property
    def starts(self) -> IntArray:
        """The first pair of each class."""
        starts: IntArray = np.searchsorted(self.of_class, np.arange(len(self.class_sizes)))
        return starts

    @cached_property
    def shares(self) -> FloatArray:
        """The share of its class that each pair has."""
        shares: FloatArray = self.counts / self.class_sizes[self.of_class]
        return shares

    def sum_by_class(self, values: FloatArray) -> FloatArray:
        """Add up a number of each pair within its class."""
        sums: FloatArray = np.bincount(self.of_class, values, len(self.class_sizes)).astype(np.float64, copy=False)
        return sums

    def highest_by_class(self, values: FloatArray) -> FloatArray:
        """Give the highest number of any pair of each class."""
        highest: FloatArray = np.maximum.reduceat(values, self.starts)
        return highest


def _numbered(values: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], IntArray]:
    """Give the different values in their order, and the number of that of each record; quickly for few codes."""
    if values.dtype.kind == "i":
        lowest = int(values.min())
        if int(values.max()) - lowest < len(values):
            there = np.bincount(values - lowest) > 0
            names = np.flatnonzero(there) + lowest
            return names.astype(values.dtype), (np.cumsum(there) - 1)[values - lowest]
    try:
        return np.unique(values, return_inverse=True)
    except TypeError as error:
        raise InvalidData("confidential must hold values of one kind; numbers and texts are mixed.") from error


def compose(classes: IntArray, confidential: npt.ArrayLike) -> Composition:
    """Count the values of a confidential attribute in each class; a missing number equals a missing number.

    Parameters
    ----------
    classes : array of n int
        The class of each record, 0 to C-1, as `equivalence_classes` gives them.
    confidential : array of n
        The value of each record: numbers, texts or codes.

    Examples
    --------
    >>> made = compose(np.array([0, 0, 1, 0]), ["flu", "cold", "flu", "flu"])
    >>> made.of_class.tolist(), made.of_value.tolist(), made.counts.tolist()
    ([0, 0, 1], [0, 1, 1], [1, 2, 1])
    """
    values = np.asarray(confidential)
    if values.ndim != 1 or len(values) == 0:
        raise InvalidData(f"confidential must hold one value for each record; got shape {values.shape}.")
    classes = check_labels(classes, len(values))
    names, codes = _numbered(values)
    return replace(compose_codes(classes, codes, np.bincount(codes, minlength=len(names))), values=names)


def compose_codes(classes: IntArray, codes: IntArray, value_sizes: IntArray) -> Composition:
    """Count the codes of values in each class: 0 to V-1.

    Parameters
    ----------
    classes, codes : array of n int
        The class of each record, 0 to C-1, and the code of its value.
    value_sizes : array of V int
        How many of all records have each value; these may be a part of them.
    """
    class_sizes = np.bincount(classes)
    pairs = classes * len(value_sizes) + codes
    if len(class_sizes) * len(value_sizes) <= FEW_CELLS * len(codes):
        counts = np.bincount(pairs)
        pairs = np.flatnonzero(counts)
        counts = counts[pairs]
    else:
        pairs, counts = np.unique(pairs, return_counts=True)
    of_class, of_value = np.divmod(pairs, len(value_sizes))
    return Composition(
        classes=classes,
        of_class=of_class,
        of_value=of_value,
        counts=counts,
        class_sizes=class_sizes,
        value_sizes=value_sizes,
        values=np.arange(len(value_sizes)),
    )


def compose_counts(of_class: IntArray, of_value: IntArray, counts: IntArray, value_sizes: IntArray) -> Composition:
    """Give the composition of pairs (class, value) that were counted already, each once; no record is known by itself.

    >>> compose_counts(np.array([1, 0]), np.array([0, 0]), np.array([2, 3]), np.array([5])).class_sizes.tolist()
    [3, 2]
    """
    order = np.lexsort((of_value, of_class))
    return Composition(
        classes=np.empty(0, dtype=np.int64),
        of_class=of_class[order],
        of_value=of_value[order],
        counts=counts[order],
        class_sizes=np.bincount(of_class, counts).astype(np.int64),
        value_sizes=value_sizes,
        values=np.arange(len(value_sizes)),
    )
