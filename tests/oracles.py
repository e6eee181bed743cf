"""Slow, obvious versions of every kernel, from the definitions alone."""

from __future__ import annotations

import numpy as np


def sse(X: np.ndarray, labels: np.ndarray) -> float:
    """Squared distances of the records to the mean of their group, summed."""
    return float(sum(((X[labels == g] - X[labels == g].mean(axis=0)) ** 2).sum() for g in np.unique(labels)))


def cut_order(X: np.ndarray, order: np.ndarray, k: int) -> float:
    """The least sum of squared errors of any cut of the order into runs of at least k."""
    n = len(order)
    best = np.full(n + 1, np.inf)
    best[0] = 0.0
    for j in range(k, n + 1):
        for i in range(j - k + 1):
            run = X[order[i:j]]
            best[j] = min(best[j], best[i] + ((run - run.mean(axis=0)) ** 2).sum())
    return float(best[n])
