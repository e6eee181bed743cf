"""Slow, obvious versions of every measure of risk, from the definitions alone."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations

import numpy as np
from scipy.optimize import linprog


def members(classes, record):
    """The records of the class of one record."""
    return [i for i in range(len(classes)) if classes[i] == classes[record]]


def counts(classes, values, record):
    """How often each value occurs in the class of one record, most frequent first."""
    return sorted(Counter(values[i] for i in members(classes, record)).values(), reverse=True)


def distinct_diversity(classes, values):
    return [len(counts(classes, values, i)) for i in range(len(classes))]


def entropy_diversity(classes, values):
    result = []
    for i in range(len(classes)):
        shares = [count / len(members(classes, i)) for count in counts(classes, values, i)]
        result.append(math.exp(-sum(share * math.log(share) for share in shares)))
    return result


def recursive_diversity(classes, values, c):
    result = []
    for i in range(len(classes)):
        r = counts(classes, values, i)
        result.append(max((level for level in range(1, len(r) + 1) if r[0] < c * sum(r[level - 1 :])), default=0))
    return result


def t_closeness(classes, values, distance):
    """The earth mover's distance from its closed forms, value by value."""
    names = sorted(set(values))
    result = []
    for i in range(len(classes)):
        inside = members(classes, i)
        gaps = [
            sum(values[j] == name for j in inside) / len(inside) - sum(v == name for v in values) / len(values)
            for name in names
        ]
        if distance == "equal":
            result.append(sum(abs(gap) for gap in gaps) / 2)
        else:
            result.append(float(np.abs(np.cumsum(gaps)).sum()) / max(1, len(names) - 1))
    return result


def frequencies(classes, weights):
    """Of each record: the records of its class, and the people they stand for."""
    inside = [members(classes, i) for i in range(len(classes))]
    return [len(rows) for rows in inside], [sum(weights[j] for j in rows) for rows in inside]


def expected_inverse(f, F):
    """The expectation of 1 / F' where F' - f failures come before success f, of chance f / F: added up term by term."""
    p = f / F
    chance, total, h = p**f, 0.0, f
    while h < 200 * F:
        total += chance / h
        chance *= (1 - p) * h / (h - f + 1)
        h += 1
    return total


def record_linkage(original, released):
    """The chance of each record to be linked: one over the number of nearest releases, if its own is among them."""
    result = []
    for i in range(len(original)):
        distances = []
        for j in range(len(released)):
            total = 0.0
            for a, b in zip(original[i], released[j], strict=True):
                total += (a - b) * (a - b)
            distances.append(total)
        result.append(1 / distances.count(distances[i]) if distances[i] == min(distances) else 0.0)
    return result


def rank_interval(original, released, width):
    """The share of values between the released ones that are so many ranks below and above, equal values together."""
    n, m = released.shape
    reach = int(width * n)
    result = []
    for i in range(n):
        hits = 0
        for j in range(m):
            ordered = sorted(released[:, j].tolist())
            ranks = [rank for rank in range(n) if ordered[rank] == released[i, j]]
            low, high = ordered[max(0, ranks[0] - reach)], ordered[min(n - 1, ranks[-1] + reach)]
            hits += low <= original[i, j] <= high
        result.append(hits / m)
    return result


def deviation_interval(original, released, width):
    n, m = released.shape
    result = []
    for i in range(n):
        near = 0
        for j in range(m):
            deviation = np.std(released[:, j], ddof=1) if n > 1 else 0.0
            near += abs(original[i, j] - released[i, j]) <= width * deviation
        result.append(near / m)
    return result


def homogeneity(classes, values):
    return [counts(classes, values, i)[0] / len(members(classes, i)) for i in range(len(classes))]


def skewness(classes, values):
    whole = Counter(values.tolist())
    result = []
    for i in range(len(classes)):
        inside = Counter(values[j] for j in members(classes, i))
        gains = [
            (count / len(members(classes, i))) / (whole[value] / len(values)) - 1 for value, count in inside.items()
        ]
        result.append(max(gains))
    return result


def minimal_uniques(keys, max_size):
    """The pairs (attributes, record) from every set of attributes and each of its parts."""

    def unique(record, attributes):
        return sum(all(row[j] == record[j] for j in attributes) for row in keys) == 1

    return {
        (attributes, i)
        for i, record in enumerate(keys)
        for size in range(1, max_size + 1)
        for attributes in combinations(range(len(keys[0])), size)
        if unique(record, attributes)
        and not any(unique(record, part) for less in range(1, size) for part in combinations(attributes, less))
    }


def suda_scores(keys, max_size):
    m, scores = len(keys[0]), [0] * len(keys)
    for attributes, i in minimal_uniques(keys, max_size):
        score = 1
        for size in range(len(attributes), max_size + 1):
            score *= max(1, m - size)
        scores[i] += score
    return scores


def dis_scores(scores, keys, fraction):
    """Elliot's and Skinner's DIS of the file, shared out as sdcMicro does."""
    sizes = [sum(row == other for other in keys) for row in keys]
    uniques, pairs = sizes.count(1), sizes.count(2)
    if not any(scores):
        return [0.0] * len(scores)
    dis = uniques * fraction / (uniques * fraction + pairs * (1 - fraction))
    power = 1 + (8 - len(keys[0])) / 20
    scale = sum(1 / score**power for score in scores if score)
    return [1 / (1 + (uniques / dis - uniques) / (score**power * scale)) if score else 0.0 for score in scores]


def hierarchical_closeness(classes, values, hierarchy):
    """The earth mover's distance as a linear program over all pairs of values."""
    above = {name: {name, *hierarchy.ancestors(name)} for name in hierarchy.names}
    steps = hierarchy.steps_up
    height = {name: steps[:, node].max() for node, name in enumerate(hierarchy.names)}
    names = sorted(set(values))
    costs = [
        0 if a == b else min(height[node] for node in above[a] & above[b]) / max(1, height[hierarchy.root])
        for a in names
        for b in names
    ]
    result = []
    for i in range(len(classes)):
        inside = members(classes, i)
        have = [sum(values[j] == name for j in inside) / len(inside) for name in names]
        want = [sum(v == name for v in values) / len(values) for name in names]
        flows = [np.repeat(np.eye(len(names))[a], len(names)) for a in range(len(names))]
        flows += [np.tile(np.eye(len(names))[b], len(names)) for b in range(len(names))]
        solved = linprog(costs, A_eq=np.array(flows), b_eq=have + want)
        assert solved.status == 0
        result.append(solved.fun)
    return result


def places(values, column):
    """The middle of the ranks that a value has among the values of a column."""
    return [(sum(v < x for v in column) + sum(v <= x for v in column)) / 2 for x in values]


def probabilistic_linkage(original, released, is_number, width, estimate):
    """Patterns of all pairs, what `estimate` makes of their counts, and the chance of each record to be linked."""
    n, m = original.shape
    before, after = original.T.tolist(), released.T.tolist()
    for j in range(m):
        if is_number[j]:
            before[j], after[j] = places(before[j], before[j]), places(after[j], before[j])
    reach = [width * n if number else 0.0 for number in is_number]
    patterns = [
        [tuple(abs(before[j][a] - after[j][b]) <= reach[j] for j in range(m)) for b in range(n)] for a in range(n)
    ]
    counts = Counter(pattern for row in patterns for pattern in row)
    m_chance, u_chance = estimate(counts, m, n)

    def weight(pattern):
        total = 0.0
        for j in range(m):
            if pattern[j]:
                total += math.log(m_chance[j] / u_chance[j])
            else:
                total += math.log((1 - m_chance[j]) / (1 - u_chance[j]))
        return round(total, 6)

    weights = {pattern: weight(pattern) for pattern in counts}
    result = []
    for a in range(n):
        found = [weights[pattern] for pattern in patterns[a]]
        best = max(found)
        result.append(1 / found.count(best) if found[a] == best else 0.0)
    return result


def agreement(counts, m, n, steps=200):
    """EM with the share of matches fixed at 1 / n."""

    def inside(chance):
        return min(max(chance, 1e-6), 1 - 1e-6)

    pairs = sum(counts.values())
    share = min(1 / n, 0.5)
    u = [inside(sum(c for p, c in counts.items() if p[j]) / pairs) for j in range(m)]
    matches = [max(0.9, u[j]) for j in range(m)]
    for _ in range(steps):
        belief = {}
        for p in counts:
            yes = share * math.prod(matches[j] if p[j] else 1 - matches[j] for j in range(m))
            no = (1 - share) * math.prod(u[j] if p[j] else 1 - u[j] for j in range(m))
            belief[p] = yes / (yes + no)
        weight = sum(c * belief[p] for p, c in counts.items())
        rest = sum(c * (1 - belief[p]) for p, c in counts.items())
        new_m = [inside(sum(c * belief[p] for p, c in counts.items() if p[j]) / max(weight, 1e-300)) for j in range(m)]
        new_u = [
            inside(sum(c * (1 - belief[p]) for p, c in counts.items() if p[j]) / max(rest, 1e-300)) for j in range(m)
        ]
        moved = max(abs(a - b) for a, b in zip(new_m + new_u, matches + u, strict=True))
        matches, u = new_m, new_u
        if moved < 1e-8:
            break
    return [max(a, b) for a, b in zip(matches, u, strict=True)], u
