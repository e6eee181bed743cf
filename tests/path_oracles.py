"""Slow, obvious versions of the path kernels, from the definitions alone."""

from __future__ import annotations

import itertools

import numpy as np


def squared_distances(X: np.ndarray) -> np.ndarray:
    """All pairs, the columns added in order, as the kernels add them."""
    total = np.zeros((len(X), len(X)))
    for column in X.T:
        total += (column[:, None] - column[None, :]) ** 2
    return total


def distances_with_dummy(X: np.ndarray) -> np.ndarray:
    """All pairs, and a last city at distance 0 from every record."""
    n = len(X)
    D = np.zeros((n + 1, n + 1))
    D[:n, :n] = np.sqrt(squared_distances(X))
    return D


def length(X: np.ndarray, order: np.ndarray) -> float:
    return float(sum(np.sqrt(((X[a] - X[b]) ** 2).sum()) for a, b in itertools.pairwise(order)))


def shortest(X: np.ndarray, start: int | None = None) -> float:
    """The length of the shortest path, by trying all."""
    orders = itertools.permutations(range(len(X)))
    return min(length(X, order) for order in orders if start is None or order[0] == start)


def neighbours(X: np.ndarray, count: int) -> np.ndarray:
    D = squared_distances(X)
    np.fill_diagonal(D, np.inf)
    return np.argsort(D, axis=1, kind="stable")[:, :count]


def nearest_neighbour(X: np.ndarray, start: int) -> list[int]:
    D = squared_distances(X)
    order = [start]
    while len(order) < len(X):
        left = [r for r in range(len(X)) if r not in order]
        order.append(min(left, key=lambda r: (D[order[-1], r], r)))
    return order


def greedy_edge(X: np.ndarray) -> list[int]:
    n = len(X)
    D = squared_distances(X)
    path_of = list(range(n))
    beside: list[list[int]] = [[] for _ in range(n)]
    for a, b in sorted(itertools.combinations(range(n), 2), key=lambda e: (D[e], e)):
        if len(beside[a]) < 2 and len(beside[b]) < 2 and path_of[a] != path_of[b]:
            beside[a].append(b)
            beside[b].append(a)
            path_of = [path_of[a] if p == path_of[b] else p for p in path_of]
    order = [next(r for r in range(n) if len(beside[r]) < 2)]
    while len(order) < n:
        order.append(next(r for r in beside[order[-1]] if r not in order))
    return order


def insertion(X: np.ndarray, rule: str, dummy: str, start: int, priority: np.ndarray) -> list[int]:
    """`dummy` is "city", "last" or "end", as the kernel says."""
    n = len(X)
    D = distances_with_dummy(X)
    tour = [start, n] if dummy == "end" else [start]
    left = [c for c in range(n + 1) if c not in tour and (dummy == "city" or c != n)]

    def places(city: int) -> list[float]:
        costs = [D[a, city] + D[city, b] - D[a, b] for a, b in zip(tour, tour[1:] + tour[:1], strict=True)]
        return costs[:-1] if dummy == "end" else costs

    while left:
        seen = [c for c in tour if dummy != "end" or c != n]
        liking = {
            "nearest": lambda c, seen=seen: min(D[c, seen]),
            "farthest": lambda c, seen=seen: -min(D[c, seen]),
            "cheapest": lambda c: min(places(c)),
            "arbitrary": lambda _: 0.0,
        }[rule]
        city = min(left, key=lambda c: (liking(c), priority[c]))
        left.remove(city)
        tour.insert(int(np.argmin(places(city))) + 1, city)
    if dummy == "last":
        tour.insert(int(np.argmin(places(n))) + 1, n)
    cut = tour.index(n)
    return tour[cut + 1 :] + tour[:cut]
