"""Cells of records that lie together, by median cuts on the device."""

from __future__ import annotations

from typing import Any

import numpy as np

from microagg.gpu.device import Device


def median_cuts(device: Device, points: Any, size: int) -> Any:
    """Give the records in an order in which those that stand together lie together.

    All cells are cut in halves, level by level, along one column after the other, the widest first, until they have
    about `size` records. Equal values stay in the order of their rows.

    Parameters
    ----------
    device : Device
        Where the points are.
    points : array of shape (n, m), single precision
        The records.
    size : int
        How many records a cell has at least.

    Returns
    -------
    array of n int
        The rows.
    """
    xp = device.xp
    n = len(points)
    spreads = points.std(axis=0).tolist()
    columns = sorted((j for j in range(len(spreads)) if spreads[j] > 0), key=lambda j: -spreads[j])
    order = xp.arange(n, dtype=np.int64)
    if not columns:
        return order
    place = xp.arange(n, dtype=np.int64)
    for level in range(max(0, (n // size).bit_length() - 1)):
        bits = points[order, columns[level % len(columns)]].view(np.int32).astype(np.int64)
        bits = xp.where(bits < 0, bits ^ 0x7FFFFFFF, bits) + 2**31  # whole numbers in the order of the floats
        order = order[xp.argsort(((place << level) // n << 32) | bits, kind="stable")]
    return order


def cell_starts(n: int, size: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Give where cells of `size` to 2 `size` - 1 records begin, and the end.

    >>> cell_starts(11, 3).tolist()
    [0, 3, 6, 11]
    """
    starts = np.arange(max(1, n // size) + 1, dtype=np.int64) * size
    starts[-1] = n
    return starts
