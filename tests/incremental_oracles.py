"""Slow, obvious versions of the incremental kernels, from the definitions alone."""

from __future__ import annotations

import numpy as np
import oracles


def mean(X: np.ndarray, rows: list[int]) -> np.ndarray:
    """The mean of some rows as seen from the first of them, summed in their order."""
    total = np.zeros(X.shape[1])
    for i in rows:
        total = total + (X[i] - X[rows[0]])
    return X[rows[0]] + total / len(rows)


def nearest(
    X: np.ndarray,
    labels_base: np.ndarray,
    n_base: int,
    k: int,
    split: str = "end",
    inertia: bool = False,
    moving: bool = False,
) -> np.ndarray:
    """Each new record joins the group with the nearest mean; groups of 2k or more are split by MDAV.

    The mean is over the records that the group had before the new ones, or after it was split; or over all, if moving.
    """
    groups = [np.flatnonzero(labels_base == g).tolist() for g in range(labels_base.max() + 1)]
    known = [list(rows) for rows in groups]

    def cut(g: int) -> None:
        rows = groups[g]
        if len(rows) < 2 * k:
            return
        parts = oracles.mdav(X[rows], k)
        first, *others = ([rows[i] for i in np.flatnonzero(parts == p)] for p in range(parts.max() + 1))
        groups[g], known[g] = first, list(first)
        groups.extend(others)
        known.extend(list(part) for part in others)

    for i in range(n_base, len(X)):
        means = np.array([mean(X, rows) for rows in known])
        distances = oracles.distances(means, list(range(len(groups))), X[i])
        if inertia:
            sizes = np.array([len(rows) for rows in groups], dtype=float)
            distances = distances * (sizes / (sizes + 1.0))
        g = int(np.argmin(distances))
        groups[g].append(i)
        if moving:
            known[g].append(i)
        if split == "middle":
            cut(g)
    if split == "end":
        for g in range(len(groups)):
            cut(g)
    return oracles.label(len(X), groups)


def closest_groups(X: np.ndarray, labels: np.ndarray, new: int, count: int) -> np.ndarray:
    """The groups with the nearest means for each of the last records, the lower group first on a tie."""
    means = np.array([mean(X, np.flatnonzero(labels == g).tolist()) for g in range(labels.max() + 1)])
    rows = [oracles.distances(means, list(range(len(means))), x) for x in X[len(X) - new :]]
    return np.array([np.argsort(row, kind="stable")[:count] for row in rows], dtype=np.int64).reshape(new, count)
