"""Classes of records that are too small."""

from __future__ import annotations

import numpy as np

from microagg.base.types import FloatArray, IntArray
from microagg.errors import NotKAnonymous


def violating_records(sizes: IntArray, k: int) -> IntArray:
    """Give the rows, from 0, of the records in classes of fewer than k.

    >>> violating_records(np.array([2, 1, 2, 1]), 2).tolist()
    [1, 3]
    """
    rows: IntArray = np.flatnonzero(sizes < k)
    return rows


def check_k_anonymous(sizes: IntArray, k: int, records: IntArray | FloatArray | None = None) -> None:
    """Raise NotKAnonymous unless every record is in a class of at least k.

    Takes the size of the class of each record; or the different sizes, and how many records are in classes of each.

    >>> check_k_anonymous(np.array([2, 2]), 2)
    """
    counts = np.ones(len(sizes), dtype=np.int64) if records is None else records
    exposed = round(float(counts[violating_records(sizes, k)].sum()))
    if exposed:
        raise NotKAnonymous(
            f"{exposed} of {round(float(counts.sum()))} records share their quasi-identifiers with fewer than {k} "
            f"records (the smallest class has {int(sizes.min())}). The release is refused and nothing was written."
        )
