"""Classes of records that look the same on their quasi-identifiers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from microagg.arrays import FloatArray, IntArray
from microagg.errors import NotKAnonymous
from microagg.groups import equivalence_classes

_MINUS_ZERO = np.iinfo(np.int64).min


def keys_of(values: FloatArray) -> IntArray:
    """Give whole numbers that are equal where the floats are equal: 0 equals -0, and missing equals missing.

    They are the bits of the floats; nothing is copied, and nothing can be written, where those need no tidying.

    >>> keys_of(np.array([0.0, -0.0, 1.5])).tolist() == keys_of(np.array([0.0, 0.0, 1.5])).tolist()
    True
    """
    tidy = np.ascontiguousarray(values, dtype=np.float64)
    with np.errstate(all="ignore"):
        some_missing = np.isnan(tidy.sum())  # infinities of either sign may add up to the same
    if some_missing or (tidy.view(np.int64) == _MINUS_ZERO).any():
        tidy = tidy + 0.0
        tidy[np.isnan(tidy)] = np.nan
    keys = tidy.view(np.int64)
    keys.flags.writeable = False
    return keys


def class_sizes(keys: npt.NDArray[np.int64]) -> IntArray:
    """Give for each record the number of records, itself included, whose row of keys is the same.

    >>> class_sizes(np.array([[1, 2], [1, 3], [1, 2]])).tolist()
    [2, 1, 2]
    """
    classes = equivalence_classes(keys)
    sizes: IntArray = np.bincount(classes)[classes]
    return sizes


def violating_records(sizes: IntArray, k: int) -> IntArray:
    """Give the rows, from 0, of the records in classes of fewer than k.

    >>> violating_records(np.array([2, 1, 2, 1]), 2).tolist()
    [1, 3]
    """
    rows: IntArray = np.flatnonzero(sizes < k)
    return rows


def check_k_anonymous(sizes: IntArray, k: int, records: IntArray | None = None) -> None:
    """Raise NotKAnonymous unless every record is in a class of at least k.

    Takes the size of the class of each record; or the different sizes, and how many records are in classes of each.

    >>> check_k_anonymous(np.array([2, 2]), 2)
    """
    counts = np.ones(len(sizes), dtype=np.int64) if records is None else records
    exposed = int(counts[violating_records(sizes, k)].sum())
    if exposed:
        raise NotKAnonymous(
            f"{exposed} of {int(counts.sum())} records share their quasi-identifiers with fewer than {k} records "
            f"(the smallest class has {int(sizes.min())}). The release is refused and nothing was written."
        )
