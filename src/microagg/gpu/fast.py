"""`fast` and local search on a device: how they start, and for how long they anneal."""

from __future__ import annotations

import math

import numpy as np

from microagg import _core
from microagg.base.checks import check_threads
from microagg.base.effort import NORMAL
from microagg.base.progress import Progress
from microagg.base.types import FloatArray, IntArray
from microagg.gpu.anneal import Cooling, first_cells, improve, why_not
from microagg.gpu.device import Device, on_processor

ROUNDS = {"quick": 1_600, "normal": 6_400, "thorough": 25_600}
"""How often groups are paired anew, by effort; a pass of local search on a device is of normal effort."""
FEW = 20_000
"""Up to so many records, MDAV on the processor gives the groups to start with, in a moment; else median cuts do."""
LEAST_HEAT = 0.3
"""How much worse a change may be at first, in squared errors of a record, for large k."""
REFRESHED = (0.1, 0.3, 0.6)
"""The shares of the rounds after which landmarks are found anew."""
ALL_LANDMARKS, MOST_LANDMARKS = 500_000, 250_000
"""Up to so many groups all are landmarks, which pairs groups best; else groups share so many landmarks."""


def cooling_of(rounds: int, k: int, n_records: int) -> Cooling:
    """Give the cooling of so many rounds: smaller groups want more heat, as a single record changes them more.

    >>> cooling_of(400, 4, 1000)
    Cooling(rounds=400, heat=0.5, steps=4, every=20, among=4, refreshes=(40, 120, 240), sharing=1)
    """
    n_groups = n_records // k
    return Cooling(
        rounds=rounds,
        heat=max(LEAST_HEAT, 1.0 / math.sqrt(k)),
        refreshes=tuple(int(share * rounds) for share in REFRESHED),
        sharing=1 if n_groups <= ALL_LANDMARKS else -(-n_groups // MOST_LANDMARKS),
    )


def fast_on(
    device: Device,
    X: FloatArray,
    k: int,
    effort: str,
    *,
    seed: int,
    threads: int | None = None,
    progress: Progress | None = None,
) -> IntArray | None:
    """Give the labels of `fast` on a device; None, with a warning, where the processor must do it."""
    if not _can_take(X, k):
        return None
    if len(X) <= FEW:
        start = np.empty(len(X), dtype=np.int64)
        _core.mdav(X, k, start, check_threads(threads), None)
    else:
        start = first_cells(device, X, k)
    return improve(device, X, start, k, cooling_of(ROUNDS[effort], k, len(X)), seed=seed, progress=progress)


def local_on(
    device: Device,
    X: FloatArray,
    labels: IntArray,
    k: int,
    passes: int,
    *,
    seed: int,
    progress: Progress | None = None,
) -> IntArray | None:
    """Give better labels, by annealing on a device; None, with a warning, where the processor must do it."""
    if not _can_take(X, k):
        return None
    return improve(device, X, labels, k, cooling_of(ROUNDS[NORMAL] * passes, k, len(X)), seed=seed, progress=progress)


def _can_take(X: FloatArray, k: int) -> bool:
    reason = why_not(X.shape[1], k, len(X))
    if reason is not None:
        on_processor(f"{reason}: the processor was used.")
    return reason is None
