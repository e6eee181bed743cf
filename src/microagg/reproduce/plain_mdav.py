"""MDAV as it is written down: every distance that it asks for is computed, so that its time is quadratic."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from microagg.base.types import FloatArray, IntArray


def plain_mdav(X: FloatArray, k: int, *, told: Callable[[int], None] | None = None) -> IntArray:
    """Partition as `mdav` does, but without passing over any record: a yardstick of time for what assumes n^2.

    `told` hears how many distances are computed, each time that some are.

    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> from microagg.partition import partition
    >>> bool((plain_mdav(X, 3) == partition(X, 3)).all())
    True
    """
    labels = np.zeros(len(X), dtype=np.int64)
    left, rows = np.asfortranarray(X), np.arange(len(X))
    groups = 0

    def distances(point: FloatArray) -> FloatArray:
        if told is not None:
            told(len(left))
        total = np.zeros(len(left))
        for column, value in zip(left.T, point, strict=True):
            gap = column - value
            gap *= gap
            total += gap
        return total

    def take(members: IntArray) -> None:
        nonlocal left, rows, groups
        labels[rows[members]] = groups
        groups += 1
        stays = np.ones(len(rows), dtype=np.bool_)
        stays[members] = False
        left, rows = np.asfortranarray(left[stays]), rows[stays]

    def nearest(place: int) -> IntArray:
        apart = distances(left[place])
        apart[place] = -1.0
        among = np.flatnonzero(apart <= np.partition(apart, k - 1)[k - 1])
        return among[np.argsort(apart[among], kind="stable")[:k]]

    def farthest(point: FloatArray) -> int:
        return int(np.argmax(distances(point)))

    while len(rows) >= 3 * k:
        first = farthest(left.mean(axis=0))
        second = rows[farthest(left[first])]
        take(nearest(first))
        take(nearest(int(np.searchsorted(rows, second))))
    if len(rows) >= 2 * k:
        take(nearest(farthest(left.mean(axis=0))))
    take(np.arange(len(rows)))
    return labels
