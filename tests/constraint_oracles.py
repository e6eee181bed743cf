"""Slow, obvious versions of what groups must be like, and of the published ways to reach it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np


def distinct(values: list[int]) -> int:
    return len(set(values))


def entropy(values: list[int]) -> float:
    shares = [count / len(values) for count in Counter(values).values()]
    return math.exp(-sum(share * math.log(share) for share in shares))


def is_recursive(values: list[int], c: float, l: int) -> bool:  # noqa: E741
    counts = sorted(Counter(values).values(), reverse=True)
    return counts[0] < c * sum(counts[l - 1 :])


def distance(values: list[int], everybody: list[int], *, ordered: bool) -> float:
    """The earth mover's distance, value by value."""
    names = sorted(set(everybody))
    here = np.array([values.count(name) for name in names]) / len(values)
    there = np.array([everybody.count(name) for name in names]) / len(everybody)
    if not ordered:
        return float(np.abs(here - there).sum() / 2)
    return float(np.abs(np.cumsum(here - there))[:-1].sum() / max(1, len(names) - 1))


def keeps(said: Any, field: str, values: list[int], everybody: list[int], *, ordered: bool = True) -> bool:
    """Whether a group keeps what a user would write."""
    if field == "t":
        return distance(values, everybody, ordered=ordered) <= said + 1e-12
    word, _, rest = str(said).partition(":")
    if word == "entropy":
        return entropy(values) >= float(rest) - 1e-12
    if word == "recursive":
        c, count = rest.split(",")
        return is_recursive(values, float(c), int(count))
    return distinct(values) >= int(said)


def partitions(n: int, k: int) -> Iterator[list[list[int]]]:
    """Every partition of 0..n-1 into groups of at least k."""

    def grow(row: int, groups: list[list[int]]) -> Iterator[list[list[int]]]:
        if row == n:
            if all(len(group) >= k for group in groups):
                yield [list(group) for group in groups]
            return
        for group in groups:
            group.append(row)
            yield from grow(row + 1, groups)
            group.pop()
        if (len(groups) + 1) * k <= n:
            groups.append([row])
            yield from grow(row + 1, groups)
            groups.pop()

    yield from grow(0, [])


Lack = Callable[[list[int]], float]


def nearest_first(X: np.ndarray, rows: list[int], centre: np.ndarray) -> list[int]:
    return sorted(rows, key=lambda row: (((X[row] - centre) ** 2).sum(), row))


def farthest(X: np.ndarray, rows: list[int], centre: np.ndarray) -> int:
    return max(rows, key=lambda row: (((X[row] - centre) ** 2).sum(), -row))


def k_anonymity_first(X: np.ndarray, k: int, lack: Lack) -> list[list[int]]:
    """Algorithm 2 of Soria-Comas et al. 2015, without the merging at its end."""
    left, groups = list(range(len(X))), []

    def take(centre: int) -> None:
        nonlocal left
        if len(left) < 2 * k:
            groups.append(left)
            left = []
            return
        order = nearest_first(X, left, X[centre])
        group, others = order[:k], order[k:]
        for candidate in others:
            if lack(group) <= 0:
                break
            trials = [[*group[:place], candidate, *group[place + 1 :]] for place in range(k)]
            best = min(trials, key=lack)
            if lack(best) < lack(group):
                group = best
        groups.append(group)
        left = [row for row in left if row not in group]

    while left:
        one = farthest(X, left, X[left].mean(axis=0))
        take(one)
        if left:
            take(farthest(X, left, X[one]))
    return groups


def merged(X: np.ndarray, groups: list[list[int]], lack: Lack) -> list[list[int]]:
    """Algorithm 1 of Soria-Comas et al. 2015, from the groups on."""
    groups = [list(group) for group in groups]
    while len(groups) > 1 and max(map(lack, groups)) > 0:
        worst = max(range(len(groups)), key=lambda g: (lack(groups[g]), -g))
        centre = X[groups[worst]].mean(axis=0)
        others = [g for g in range(len(groups)) if g != worst]
        nearest = min(others, key=lambda g: (((X[groups[g]].mean(axis=0) - centre) ** 2).sum(), g))
        groups[worst] += groups[nearest]
        del groups[nearest]
    return groups


def one_of_each(X: np.ndarray, parts: np.ndarray) -> list[list[int]]:
    """Algorithm 3 of Soria-Comas et al. 2015, from the parts on: the nearest of each, and one to spare."""
    left, groups, end = list(range(len(X))), [], 0
    n_groups = int(np.bincount(parts).min())
    while left:
        end = farthest(X, left, X[left].mean(axis=0) if len(groups) % 2 == 0 else X[end])
        order = nearest_first(X, left, X[end])
        group = [next(row for row in order if parts[row] == part) for part in range(int(parts.max()) + 1)]
        rest = [row for row in order if row not in group]
        to_come = n_groups - len(groups) - 1
        sizes = Counter(int(parts[row]) for row in rest)
        group += [row for row in rest if sizes[int(parts[row])] > to_come][:1]
        groups.append(group)
        left = [row for row in left if row not in group]
    return groups
