"""Partitions to begin with: at random, and MDAV from its definition."""

from __future__ import annotations

import numpy as np


def random_groups(rng: np.random.Generator, n: int, k: int) -> np.ndarray:
    """Groups of k, the last larger, drawn at random."""
    labels = np.minimum(np.arange(n) // k, n // k - 1)
    return rng.permutation(labels)


def mdav(X: np.ndarray, k: int) -> np.ndarray:
    """Maximum distance to average vector, fixed size; ties to the lower row."""
    labels = np.full(len(X), -1)
    rest = np.arange(len(X))
    group = 0

    def gap(point: np.ndarray) -> np.ndarray:
        return ((X[rest] - point) ** 2).sum(axis=1)

    def take(seed: int) -> None:
        nonlocal rest, group
        near = np.argsort(gap(X[seed]), kind="stable")[:k]
        labels[rest[near]] = group
        group += 1
        rest = np.delete(rest, near)

    while len(rest) >= 3 * k:
        r = rest[np.argmax(gap(X[rest].mean(axis=0)))]
        s = rest[np.argmax(gap(X[r]))]
        take(r)
        take(s)
    if len(rest) >= 2 * k:
        take(rest[np.argmax(gap(X[rest].mean(axis=0)))])
    labels[rest] = group
    return labels
