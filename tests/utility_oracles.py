"""Slow, obvious versions of the measures of utility, from the definitions alone."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
from scipy.optimize import minimize


def cramers_v(a, b, corrected):
    """From the expected counts of every cell."""
    n, rows, columns = len(a), sorted(set(a)), sorted(set(b))
    if min(len(rows), len(columns)) < 2:
        return 0.0
    together, left, right = Counter(zip(a, b, strict=True)), Counter(a), Counter(b)
    chi = sum((together[i, j] - left[i] * right[j] / n) ** 2 / (left[i] * right[j] / n) for i in rows for j in columns)
    phi, r, c = chi / n, len(rows), len(columns)
    if corrected:
        phi = max(0.0, phi - (r - 1) * (c - 1) / (n - 1))
        r, c = r - (r - 1) ** 2 / (n - 1), c - (c - 1) ** 2 / (n - 1)
    return min(1.0, math.sqrt(phi / (min(r, c) - 1))) if min(r, c) > 1 else 0.0


def entropy(values):
    return -sum(count / len(values) * math.log2(count / len(values)) for count in Counter(values).values())


def mutual_information(a, b):
    return entropy(a) + entropy(b) - entropy(list(zip(a, b, strict=True)))


def quantile(values, level):
    """Between the two records that the level falls between."""
    ordered = sorted(values)
    place = level * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


def tails_kept(original, released):
    low, high = quantile(original, 0.05), quantile(original, 0.95)
    inside = [i for i in range(len(original)) if original[i] <= low or original[i] >= high]
    kept = [
        i
        for i in inside
        if (original[i] <= low and released[i] <= low) or (original[i] >= high and released[i] >= high)
    ]
    return len(kept) / len(inside)


def regression(X, y):
    """Coefficients and standard errors by the textbook."""
    columns = np.column_stack([np.ones(len(y)), X])
    inverse = np.linalg.inv(columns.T @ columns)
    solved = inverse @ columns.T @ y
    gaps = y - columns @ solved
    return solved, np.sqrt(gaps @ gaps / (len(y) - columns.shape[1]) * np.diag(inverse))


def overlap(low_a, high_a, low_b, high_b):
    common = max(0.0, min(high_a, high_b) - max(low_a, low_b))
    return (common / (high_a - low_a) + common / (high_b - low_b)) / 2


def logistic_chances(X, y):
    """The most likely chances, by a minimiser that knows nothing of the problem."""
    columns = np.column_stack([np.ones(len(y)), X])

    def loss(b):
        scores = columns @ b
        return (np.logaddexp(0, scores) - y * scores).sum()

    def slope(b):
        return columns.T @ (1 / (1 + np.exp(-(columns @ b))) - y)

    found = minimize(loss, np.zeros(columns.shape[1]), jac=slope, method="BFGS", options={"gtol": 1e-9})
    return 1 / (1 + np.exp(-(columns @ found.x)))
