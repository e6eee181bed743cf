"""MDAV on a device: the labels of the processor, bit for bit."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from microagg import _core
from microagg.base.progress import Progress
from microagg.base.types import FloatArray, IntArray
from microagg.gpu.device import Device, on_processor, our_words, to_host

MOST_COLUMNS = 16
"""A record that is measured lies in registers."""
MOST_K = 128
"""The members of a group lie in the memory that a block shares."""
MOST_BLOCKS = 160
"""Each tells all others its least and its greatest distance."""
THREADS = 1024
CAPACITY = 96
"""How many records of a block may matter in a step, at most."""
LEFT = 1024
"""With so few records left, the processor goes on: a device waits for memory longer than it measures them."""
LEAST, LARGEST = 2.0**-107, 2.0**60
"""Sums are kept as whole numbers of 256 bits, in units of 2^-160: no other numbers fit, save 0."""
HEAD = 23_552
"""Bytes of a block's shared memory that no records lie in."""
REGISTERS = 2048
"""Up to so many fours of records of a block are kept in registers between two looks at them."""
UNIT, LIMB, LIMBS = 160, 64, 4
_IDS_SHARED = 8192
_PARTS = 128


def why_not(device: Device, X: FloatArray, k: int) -> str | None:
    """Say why the kernel cannot take these records; None where it can, as far as their shape tells."""
    n, m = X.shape
    if m > MOST_COLUMNS:
        return f"MDAV takes at most {MOST_COLUMNS} columns on a device, and there are {m}"
    most = min(MOST_K, _blocks(device))
    if k >= most:
        return f"MDAV takes k below {most} on this device, and k is {k}"
    if n >= 2**31 - 1:
        return "MDAV takes fewer than 2,147,483,647 records on a device"
    return None


def mdav(
    device: Device, X: FloatArray, k: int, *, threads: int = 1, progress: Progress | None = None, left: int = LEFT
) -> IntArray:
    """Group the records on a device as `microagg.partition.mdav` does on the processor.

    What the kernel cannot take is grouped on the processor, with the same labels; a warning says so.

    Parameters
    ----------
    device : Device
        Where to do it.
    X : array of shape (n, m)
        The records.
    k : int
        Least size of a group.
    threads : int
        How many threads the processor uses for what is left to it.
    progress : callable, optional
        Told the fraction done.
    left : int
        With fewer records left, the processor goes on.
    """
    reason = why_not(device, X, k)
    labels, n_groups = np.full(len(X), -1, dtype=np.int64), 0
    if reason is None and len(X) >= max(left, 3 * k):
        with our_words():
            labels, n_groups, reason = _on_device(device, X, k, left)
    rest = np.flatnonzero(labels < 0)
    if reason is not None:
        share = "" if len(rest) == len(X) else f" for the last {len(rest):,} of {len(X):,} records"
        on_processor(f"{reason}: the processor was used{share}. The labels are the same.")
    last = np.empty(len(rest), dtype=np.int64)
    _core.mdav(X[rest] if n_groups else X, k, last, threads, progress)
    labels[rest] = last + n_groups
    return labels


def _blocks(device: Device) -> int:
    return min(device.n_multiprocessors, MOST_BLOCKS)


def _on_device(device: Device, X: FloatArray, k: int, left: int) -> tuple[IntArray, int, str | None]:
    """Give the labels, -1 for records that are left, the number of groups, and why the kernel ended early."""
    xp, (n, m), blocks = device.xp, X.shape, _blocks(device)
    records = xp.asarray(X)
    magnitudes = abs(records)
    if float(magnitudes.max()) >= LARGEST or float(xp.where(magnitudes == 0, 1.0, magnitudes).min()) < LEAST:
        return np.full(n, -1, dtype=np.int64), 0, "MDAV takes numbers of 2^-107 to 2^60 on a device, and 0"
    del magnitudes
    each = -(-n // blocks)
    each += -each % 4
    fours = -(-each // (4 * THREADS))
    kept = fours if fours * THREADS <= REGISTERS else 0
    names = ("mdav", "init_sums")
    macros = {"COLS": m, "THREADS": THREADS, "ITER": kept, "CAP": CAPACITY, "HEAD": HEAD}
    run = device.kernels(("mdav.cu",), names, macros, together=True)

    sums = _exact_sums(device, run["init_sums"], records)
    centroid = [_rounded(total) / n for total in sums]
    gaps = xp.zeros(n)
    for j in range(m):
        gap = records[:, j] - centroid[j]
        gap *= gap
        gaps += gap
    first = int(xp.argmax(gaps))
    origin = xp.asarray(np.array(centroid))
    reach = math.sqrt(float(gaps.max()))
    scale = 2.0 ** -math.frexp(reach)[1] if reach > 0 else 1.0
    columns = xp.zeros((each * blocks, m), dtype=np.float32)
    columns[:n] = (records - origin) * scale
    columns = xp.ascontiguousarray(columns.reshape(each, blocks, m).transpose(1, 2, 0))
    ids = xp.ascontiguousarray(xp.arange(each * blocks, dtype=np.int32).reshape(each, blocks).T)
    labels = xp.full(n, -1, dtype=np.int32)
    words = (2 * blocks * 16, blocks * 16, blocks * CAPACITY * 6)  # minima and maxima, counts, candidates
    exchanged = [xp.zeros(count, dtype=np.uint64) for count in words]
    outcome = xp.zeros(4, dtype=np.int32)
    n_ids = each if each <= _IDS_SHARED else 0
    n_shared = min(each, (device.shared_bytes - HEAD - 4 * n_ids) // (4 * m) // 4 * 4)
    run["mdav"](
        blocks,
        THREADS,
        (
            *(records, columns, ids, labels, *exchanged, xp.asarray(_limbs(sums)), origin, np.float64(scale)),
            *map(np.int32, (n, each, n_shared, n_ids, k, left, first)),
            np.float32(reach * scale * 1.00001),
            outcome,
        ),
        HEAD + 4 * m * n_shared + 4 * n_ids,
    )
    error, n_groups, halfway = (int(value) for value in outcome.tolist()[:3])
    result = to_host(labels).astype(np.int64)
    if not error:
        return result, n_groups, None
    n_groups -= halfway  # a round is begun anew
    result[result >= n_groups] = -1
    return result, n_groups, "too many records are equally near or far for MDAV on a device"


def _exact_sums(device: Device, kernel: Any, records: Any) -> list[int]:
    """Sum each column without rounding, in units of 2^-160."""
    n, m = records.shape
    partial = device.xp.zeros((_PARTS, m, LIMBS), dtype=np.uint64)
    kernel(_PARTS, (32, m), (records, np.int32(n), partial))
    totals = [
        sum(int(value) << (LIMB * limb) for part in column for limb, value in enumerate(part))
        for column in to_host(partial).transpose(1, 0, 2).tolist()
    ]
    return [_signed(total % 2 ** (LIMB * LIMBS)) for total in totals]


def _signed(total: int) -> int:
    return total - 2 ** (LIMB * LIMBS) if total >> (LIMB * LIMBS - 1) else total


def _rounded(total: int) -> float:
    return float(Fraction(total, 2**UNIT))


def _limbs(sums: list[int]) -> Any:
    mask = 2**LIMB - 1
    return np.array([[total >> (LIMB * limb) & mask for limb in range(LIMBS)] for total in sums], dtype=np.uint64)
