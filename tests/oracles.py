"""Slow, obvious versions of every kernel, from the definitions alone."""

from __future__ import annotations

import math

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


def distances(X: np.ndarray, rows: list[int], point: np.ndarray) -> np.ndarray:
    """Squared Euclidean distances of some rows to a point, the columns summed in order."""
    total = np.zeros(len(rows))
    for j in range(X.shape[1]):
        gap = X[rows, j] - point[j]
        total = total + gap * gap
    return total


def centroid(X: np.ndarray, rows: list[int]) -> np.ndarray:
    """The mean of some rows: exact sums, rounded once, divided by their number."""
    return np.array([math.fsum(X[rows, j]) / len(rows) for j in range(X.shape[1])])


def farthest(X: np.ndarray, rows: list[int], point: np.ndarray) -> int:
    """The row farthest from a point, the lower one on a tie."""
    return rows[int(np.argmax(distances(X, rows, point)))]


def take_nearest(X: np.ndarray, rest: list[int], seed: int, k: int) -> list[int]:
    """Take seed and its k-1 nearest, by (distance, row), out of the rest."""
    others = [i for i in rest if i != seed]
    order = np.argsort(distances(X, others, X[seed]), kind="stable")[: k - 1]
    group = [seed, *(others[t] for t in order)]
    rest[:] = [i for i in rest if i not in group]
    return group


def label(n_records: int, groups: list[list[int]]) -> np.ndarray:
    """Number the groups in the order in which they were made."""
    labels = np.full(n_records, -1)
    for number, group in enumerate(groups):
        labels[group] = number
    return labels


def spread(X: np.ndarray, rest: list[int], groups: list[list[int]]) -> None:
    """Let each of the rest join the group with the nearest centroid, the earlier one on a tie."""
    centres = np.array([centroid(X, group) for group in groups])
    for i in rest:
        groups[int(np.argmin(distances(centres, list(range(len(groups))), X[i])))].append(i)
    rest.clear()


def mdav(X: np.ndarray, k: int) -> np.ndarray:
    """MDAV: two groups a round, around r and the record farthest from r."""
    rest, groups = list(range(len(X))), []
    while len(rest) >= 3 * k:
        r = farthest(X, rest, centroid(X, rest))
        groups.append(take_nearest(X, rest, r, k))
        groups.append(take_nearest(X, rest, farthest(X, rest, X[r]), k))
    if len(rest) >= 2 * k:
        groups.append(take_nearest(X, rest, farthest(X, rest, centroid(X, rest)), k))
    return label(len(X), [*groups, rest])


def cbfs(X: np.ndarray, k: int) -> np.ndarray:
    """CBFS: one group a round, around the record farthest from the centroid of the rest."""
    rest, groups = list(range(len(X))), []
    while len(rest) >= 2 * k:
        groups.append(take_nearest(X, rest, farthest(X, rest, centroid(X, rest)), k))
    return label(len(X), [*groups, rest])


def md(X: np.ndarray, k: int) -> np.ndarray:
    """MD: two groups a round, around the most distant pair, found among all pairs."""
    rest, groups = list(range(len(X))), []
    while len(rest) >= 2 * k:
        reach = [distances(X, [j for j in rest if j != i], X[i]).max() for i in rest]
        r = rest[int(np.argmax(reach))]
        groups.append(take_nearest(X, rest, r, k))
        groups.append(take_nearest(X, rest, farthest(X, rest, X[r]), k))
    if len(rest) >= k:
        groups.append(rest)
    else:
        spread(X, rest, groups)
    return label(len(X), groups)


def grow(X: np.ndarray, rest: list[int], group: list[int], k: int, gamma: float) -> list[int]:
    """V-MDAV's extension of a group to at most 2k-1."""
    while len(group) < 2 * k - 1 and len(rest) >= 2:
        to_group = np.min([distances(X, rest, X[i]) for i in group], axis=0)
        e = rest[int(np.argmin(to_group))]
        others = [i for i in rest if i != e]
        if not np.sqrt(to_group.min()) < gamma * np.sqrt(distances(X, others, X[e]).min()):
            break
        group.append(e)
        rest.remove(e)
    return group


def vmdav(X: np.ndarray, k: int, gamma: float = 0.2, seeds: str = "single") -> np.ndarray:
    """V-MDAV: groups of k that grow, from single or moving seeds or from MDAV's pairs."""
    rest, groups = list(range(len(X))), []

    def make(seed: int) -> None:
        groups.append(grow(X, rest, take_nearest(X, rest, seed, k), k, gamma))

    if seeds != "pairs":
        centre = centroid(X, rest)
        while len(rest) >= k:
            make(farthest(X, rest, centroid(X, rest) if seeds == "moving" else centre))
    else:
        while len(rest) >= 3 * k:
            r = farthest(X, rest, centroid(X, rest))
            make(r)
            make(farthest(X, rest, X[r]))
        if len(rest) >= 2 * k:
            make(farthest(X, rest, centroid(X, rest)))
        if len(rest) >= k:
            groups.append(list(rest))
            rest.clear()
    spread(X, rest, groups)
    return label(len(X), groups)


def mst(X: np.ndarray, k: int, large: str = "cbfs") -> np.ndarray:
    """MST partitioning: Prim's tree over all pairs, and edges cut one by one in a tree that is walked through anew."""
    tree, edges = [0], []
    outside = list(range(1, len(X)))
    while outside:
        gaps = [distances(X, outside, X[i]) for i in tree]
        nearest = np.min(gaps, axis=0)
        place = int(np.argmin(nearest))
        through = tree[int(np.argmin([gap[place] for gap in gaps]))]
        edges.append((-nearest[place], outside[place], through))
        tree.append(outside.pop(place))

    def part(start: int, kept: list[tuple[float, int, int]]) -> list[int]:
        reached, waiting = {start}, [start]
        while waiting:
            here = waiting.pop()
            for _, a, b in kept:
                for there in (b,) if a == here else (a,) if b == here else ():
                    if there not in reached:
                        reached.add(there)
                        waiting.append(there)
        return sorted(reached)

    for edge in sorted(edges):
        without = [other for other in edges if other != edge]
        if min(len(part(end, without)) for end in edge[1:]) >= k:
            edges = without
    groups: list[list[int]] = []
    for parted in sorted({tuple(part(i, edges)) for i in range(len(X))}):
        rows = list(parted)
        if len(rows) < 2 * k or large == "keep":
            groups.append(rows)
        else:
            inside = {"cbfs": cbfs, "md": md}[large](X[rows], k)
            groups += [[rows[i] for i in np.flatnonzero(inside == g)] for g in range(inside.max() + 1)]
    return label(len(X), groups)


def squared_error(X: np.ndarray, rows: list[int]) -> float:
    return ((X[rows] - X[rows].mean(axis=0)) ** 2).sum()


def dissolve(X: np.ndarray, groups: list[list[int]], order: list[int]) -> None:
    """Each group in turn goes to the nearest centroids of the others, if that lowers the sum of squared errors."""
    for number in order:
        others = [g for g in range(len(groups)) if g != number and groups[g]]
        if not others:
            continue
        changed = {number: []}
        for i in groups[number]:
            away = [((X[i] - X[groups[g]].mean(axis=0)) ** 2).sum() for g in others]
            taker = others[int(np.argmin(away))]
            changed[taker] = [*changed.get(taker, groups[taker]), i]
        before = sum(squared_error(X, groups[g]) for g in changed)
        after = sum(squared_error(X, rows) for rows in changed.values() if rows)
        if before - after > 0:
            for g, rows in changed.items():
                groups[g] = rows


def tfrp(X: np.ndarray, k: int, second_stage: bool = True) -> np.ndarray:
    """TFRP: groups from the least and from the greatest values in turns; the costliest are dissolved where it pays."""
    rest, groups = list(range(len(X))), []
    while len(rest) >= k:
        point = X.max(axis=0) if len(groups) % 2 else X.min(axis=0)
        groups.append(sorted(take_nearest(X, rest, farthest(X, rest, point), k)))
    spread(X, rest, groups)
    if second_stage:
        groups = [sorted(group) for group in groups]
        errors = [squared_error(X, group) for group in groups]
        dissolve(X, groups, sorted(range(len(groups)), key=lambda g: -errors[g]))
    return label(len(X), [group for group in groups if group])


def dba(X: np.ndarray, k: int, second_stage: bool = True) -> np.ndarray:
    """DBA: the densest neighbourhood of all that are left, again and again; then some are dissolved, the last first."""
    rest, groups = list(range(len(X))), []
    while len(rest) >= k:
        neighbourhoods = [take_nearest(X, list(rest), i, k) for i in rest]
        errors = []
        for near in neighbourhoods:
            mean = sum(X[i] for i in near) / k
            errors.append(sum(distances(X, [i], mean)[0] for i in near))
        groups.append(neighbourhoods[int(np.argmin(errors))])
        rest = [i for i in rest if i not in groups[-1]]
    spread(X, rest, groups)
    if second_stage:
        groups = [sorted(group) for group in groups]
        dissolve(X, groups, list(reversed(range(len(groups)))))
        whole: list[list[int]] = []
        for group in groups:
            rows = sorted(group)
            inside = mdav(X[rows], k) if len(rows) >= 2 * k else np.zeros(len(rows), dtype=int)
            whole += [[rows[i] for i in np.flatnonzero(inside == g)] for g in range(inside.max(initial=-1) + 1)]
        groups = whole
    return label(len(X), groups)
