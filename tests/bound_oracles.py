"""Slow, obvious versions of the bounds: every group listed, every partition tried."""

from __future__ import annotations

from itertools import combinations

import numpy as np


def cost(X: np.ndarray, group) -> float:
    """Squared distances to the mean of the group, summed."""
    points = X[list(group)]
    return float(((points - points.mean(axis=0)) ** 2).sum())


def every_group(X: np.ndarray, k: int) -> dict[tuple[int, ...], float]:
    """All groups of k to 2k-1 records, and what they cost."""
    rows, sizes = range(len(X)), range(k, min(2 * k - 1, len(X)) + 1)
    return {group: cost(X, group) for size in sizes for group in combinations(rows, size)}


def optimum(X: np.ndarray, k: int) -> float:
    """The least cost of any partition into groups of at least k, larger groups included, by trying them all."""

    def least(rows: tuple[int, ...]) -> float:
        if not rows:
            return 0.0
        if len(rows) < k:
            return np.inf
        first, others = rows[0], rows[1:]
        return min(
            cost(X, (first, *chosen)) + least(tuple(r for r in others if r not in chosen))
            for size in range(k - 1, len(others) + 1)
            for chosen in combinations(others, size)
        )

    return least(tuple(range(len(X))))


def relaxation(X: np.ndarray, k: int, *, cuts: bool = False) -> float:
    """The linear relaxation of set partitioning over all groups; with every cut of three records on request."""
    from scipy.optimize import linprog

    groups = every_group(X, k)
    member = np.array([[row in group for group in groups] for row in range(len(X))], dtype=float)
    unit = nearest(X, k).sum() or 1.0  # the solver's tolerances are absolute
    inside = {}
    if cuts:
        triples = list(combinations(range(len(X)), 3))
        inside["A_ub"] = np.array([[len({*triple} & {*group}) >= 2 for group in groups] for triple in triples], float)
        inside["b_ub"] = np.ones(len(triples))
    costs = np.array(list(groups.values())) / unit
    answer = linprog(costs, A_eq=member, b_eq=np.ones(len(X)), method="highs", **inside)
    assert answer.status == 0
    return float(answer.fun) * unit


def nearest(X: np.ndarray, k: int) -> np.ndarray:
    """Each record's least part in any group: 1/(2s) times its s-1 smallest squared distances, the least over s."""
    prices = []
    for i in range(len(X)):
        squares = np.sort([((X[i] - X[j]) ** 2).sum() for j in range(len(X)) if j != i])
        prices.append(min(squares[: s - 1].sum() / (2 * s) for s in range(k, min(2 * k - 1, len(X)) + 1)))
    return np.array(prices)
