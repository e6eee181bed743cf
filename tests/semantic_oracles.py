"""Slow and obvious: the categorical methods on lists of tuples, with distances as whole numbers."""

from __future__ import annotations

import numpy as np

from microagg.base.schema import Kind
from microagg.semantic import Attribute

UNIT = 1 << 30


class Space:
    """Distances and centroids of records, straight from the attributes."""

    def __init__(self, X: np.ndarray, attributes: list[Attribute]) -> None:
        self.X, self.attributes = X.astype(int), attributes
        most = max(a.weight for a in attributes)
        self.tables = [self.table(a, round(a.weight / most * UNIT)) for a in attributes]

    @staticmethod
    def table(attribute: Attribute, unit: int) -> np.ndarray:
        """Whole distances from each value (row) to each candidate."""
        n = attribute.n_values
        if attribute.kind is Kind.HIERARCHY:
            return np.round(attribute.distance * unit).astype(int)
        if attribute.kind is Kind.NOMINAL:
            return unit * (1 - np.eye(n, dtype=int))
        places = np.round(np.arange(n) / max(1, n - 1) * unit).astype(int)
        return np.abs(places[:, None] - places)

    def tuples(self) -> list[tuple[int, ...]]:
        return sorted({tuple(row) for row in self.X.tolist()})

    def distance(self, a: tuple[int, ...], centre: tuple[int, ...]) -> int:
        return sum(int(t[v, c]) for t, v, c in zip(self.tables, a, centre, strict=True))

    def centroid(self, members: list[tuple[tuple[int, ...], int]]) -> tuple[int, ...]:
        centre = []
        for j, (attribute, table) in enumerate(zip(self.attributes, self.tables, strict=True)):
            if attribute.kind is Kind.ORDINAL:
                ranks = sorted(v for t, n in members for v in [t[j]] * n)
                centre.append(ranks[(len(ranks) - 1) // 2])
            else:
                costs = [sum(n * int(table[t[j], c]) for t, n in members) for c in range(table.shape[1])]
                centre.append(int(np.argmin(costs)))
        return tuple(centre)


def label_tuples(space: Space, groups: list[list[tuple[int, ...]]]) -> np.ndarray:
    number = {t: g for g, group in enumerate(groups) for t in group}
    return np.array([number[tuple(row)] for row in space.X.tolist()])


def label_records(space: Space, events: list[tuple[tuple[int, ...], int]]) -> np.ndarray:
    """Records of equal tuples go to the groups in the order in which these took them."""
    taken = {t: [] for t in space.tuples()}
    for t, g in events:
        taken[t].append(g)
    return np.array([taken[tuple(row)].pop(0) for row in space.X.tolist()])


def semantic_mdav(X, k: int, attributes, *, whole: bool, recompute: bool, weighted: bool = True) -> np.ndarray:
    """Algorithm 1 of the thesis; whole tuples or single records."""
    space = Space(X, attributes)
    counts = {t: int((t == space.X).all(axis=1).sum()) for t in space.tuples()}
    rest, groups, centres, events = dict(counts), [], [], []

    def pick(centre, best):
        by_records = whole and (weighted or best is max)
        scored = [((counts[t] if by_records else 1) * space.distance(t, centre), t) for t in rest]
        wanted = best(score for score, _ in scored)
        return min(t for score, t in scored if score == wanted)

    def grow(seed) -> None:
        group, centre = [], seed
        while not group or sum(n for _, n in group) < k:
            t = pick(centre, min) if group else seed
            n = rest[t] if whole else 1
            group.append((t, n))
            events.append((t, len(groups)))
            rest[t] -= n
            if rest[t] == 0:
                del rest[t]
            if recompute and len(group) > 1:
                centre = space.centroid(group)
        groups.append([t for t, _ in group])
        centres.append(space.centroid(group))

    while sum(rest.values()) >= k:
        r = pick(space.centroid(list(rest.items())), max)
        grow(r)
        if sum(rest.values()) >= k:
            grow(pick(r, max))
    for t in sorted(rest):
        g = int(np.argmin([space.distance(t, centre) for centre in centres]))
        groups[g].append(t)
        events += [(t, g)] * rest[t]
    return label_tuples(space, groups) if whole else label_records(space, events)


def mdav_generic(X, k: int, attributes) -> np.ndarray:
    space = Space(X, attributes)
    rest, groups = sorted(tuple(row) for row in space.X.tolist()), []

    def farthest(centre):
        reach = [space.distance(t, centre) for t in rest]
        return rest[int(np.argmax(reach))]

    def make(seed) -> None:
        group = sorted(rest, key=lambda t: (space.distance(t, seed), t))[:k]
        groups.append(group)
        for t in group:
            rest.remove(t)

    def centre():
        return space.centroid([(t, 1) for t in rest])

    while len(rest) >= 3 * k:
        r = farthest(centre())
        make(r)
        make(farthest(r))
    if len(rest) >= 2 * k:
        make(farthest(centre()))
    return label_records(space, [(t, g) for g, group in enumerate([*groups, rest]) for t in group])


def k_modes(X, k: int, attributes, seed: int = 0) -> np.ndarray:
    """Nearest mode, centroid of what came, until nothing changes; then clusters of fewer than k are dissolved."""
    space = Space(X, attributes)
    tuples = space.tuples()
    counts = {t: int((t == space.X).all(axis=1).sum()) for t in tuples}
    n_clusters = min(len(X) // k, len(tuples))
    chosen = np.sort(np.random.default_rng(seed).choice(len(tuples), n_clusters, replace=False))
    modes = {g: tuples[i] for g, i in enumerate(chosen)}

    def nearest(t) -> int:
        return min(modes, key=lambda g: (space.distance(t, modes[g]), g))

    home = {}
    for _ in range(100):
        before, home = home, {t: nearest(t) for t in tuples}
        if home == before:
            break
        for g in set(home.values()):
            modes[g] = space.centroid([(t, counts[t]) for t in tuples if home[t] == g])
    modes = {g: mode for g, mode in modes.items() if g in home.values()}
    while True:
        size = {g: sum(counts[t] for t in tuples if home[t] == g) for g in modes}
        small = [g for g in modes if size[g] < k]
        if not small:
            break
        gone = min(small, key=lambda g: (size[g], g))
        del modes[gone]
        for t in tuples:
            if home[t] == gone:
                home[t] = nearest(t)
    order = list(dict.fromkeys(home[t] for t in tuples))
    return label_tuples(space, [[t for t in tuples if home[t] == g] for g in order])


def semantic_mondrian(X, k: int, attributes, rule: str, literal: bool = False) -> np.ndarray:
    """Cut at the centroid, the widest gap or the median; literally, only the first of these cuts in each column."""
    space = Space(X, attributes)
    counts = {t: int((t == space.X).all(axis=1).sum()) for t in space.tuples()}
    groups = []

    def split(part) -> None:
        total = sum(counts[t] for t in part)
        centre = space.centroid([(t, counts[t]) for t in part])
        width = []
        for j, table in enumerate(space.tables):
            summed = sum(counts[t] * int(table[t[j], centre[j]]) for t in part)
            width.append(summed / (len({t[j] for t in part}) if rule == "gap" and not literal else total))
        for j in sorted(range(len(width)), key=lambda j: -width[j]):
            values, table = sorted({t[j] for t in part}), space.tables[j]
            if rule == "centroid":
                near = sorted(range(len(values)), key=lambda i: (table[values[i], centre[j]], i))
                cuts = [cut for i in near for cut in (i, i + 1)]
            elif rule == "gap":
                cuts = sorted(range(1, len(values)), key=lambda i: (-table[values[i], values[i - 1]], i))
            else:
                cuts = sorted(
                    range(len(values)),
                    key=lambda i: abs(2 * sum(counts[t] for t in part if t[j] < values[i]) - total),
                )
            if literal:
                cuts = cuts[: 2 if rule == "centroid" else 1]
            for cut in cuts:
                if not 0 < cut < len(values):
                    continue
                left = [t for t in part if t[j] < values[cut]]
                size = sum(counts[t] for t in left)
                if size >= k and total - size >= k:
                    split(left)
                    split([t for t in part if t[j] >= values[cut]])
                    return
        groups.append(part)

    split(space.tuples())
    return label_tuples(space, groups)


def mondrian(X: np.ndarray, k: int, strict: bool = True) -> np.ndarray:
    labels, count = np.empty(len(X), dtype=int), 0

    def split(rows) -> None:
        nonlocal count
        n = len(rows)
        for j in np.argsort(-(X[rows].max(axis=0) - X[rows].min(axis=0)), kind="stable"):
            order = rows[np.lexsort((rows, X[rows, j]))]
            cuts = [c for c in range(k, n - k + 1) if not strict or X[order[c - 1], j] < X[order[c], j]]
            if cuts:
                cut = min(cuts, key=lambda c: (abs(c - n // 2), c))
                split(order[:cut])
                split(order[cut:])
                return
        labels[rows] = count
        count += 1

    split(np.arange(len(X)))
    return labels
