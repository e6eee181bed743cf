"""Rearrangement clustering against its definition, by trying all orders, and what is ours afterwards."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import microagg as ma
from microagg.errors import InvalidOption
from microagg.partition.rearrangement import between_dummies, large_enough, length_with_dummies, order_with_dummies


def with_dummies(X: np.ndarray, clusters: int) -> float:
    """The least length of a path through the records and dummy cities, from the definition.

    Dummies are far from each other and as far from each record, so that each has a record on either side: the path
    loses the steps on which they lie.
    """
    best = np.inf
    for order in itertools.permutations(range(len(X))):
        steps = [float(np.linalg.norm(X[a] - X[b])) for a, b in itertools.pairwise(order)]
        for places in itertools.combinations(range(len(steps)), clusters - 1):
            best = min(best, sum(step for i, step in enumerate(steps) if i not in places))
    return best


@pytest.mark.parametrize("clusters", [1, 2, 3])
@pytest.mark.parametrize("kind", ["gaussian", "grid", "duplicates"])
def test_the_path_is_hardly_longer_than_the_shortest_with_dummies(kind, clusters):
    """Lin-Kernighan is a heuristic: never shorter than the shortest, and nearly always as short where n is small."""
    as_short = 0
    for seed in range(8):
        random = np.random.default_rng(seed)
        X = random.standard_normal((7, 2))
        X = np.round(X) if kind == "grid" else X[[0, 0, 1, 1, 2, 3, 4]] if kind == "duplicates" else X
        found = length_with_dummies(X, order_with_dummies(X, clusters), clusters)
        shortest = with_dummies(X, clusters)
        assert found >= shortest - 1e-9
        as_short += found <= shortest + 1e-9
    assert as_short >= 6


def test_dummies_make_the_path_shorter_where_they_may_lie():
    X = np.random.default_rng(0).standard_normal((400, 3))
    plain = ma.path(X, "lk")
    assert length_with_dummies(X, order_with_dummies(X, 80), 80) < length_with_dummies(X, plain, 80)


def test_clusters_far_apart_are_found():
    random = np.random.default_rng(1)
    true = np.repeat(np.arange(6), 8)
    X = np.eye(6)[true] * 100 + random.standard_normal((48, 6))
    labels = between_dummies(X, order_with_dummies(X, 6), 6)
    assert len(set(zip(labels.tolist(), true.tolist(), strict=True))) == 6
    found = ma.partition(X, 5, method="rearrangement", clusters=6)
    assert len(set(zip(found.tolist(), true.tolist(), strict=True))) == 6


def joined(X: np.ndarray, labels: np.ndarray, k: int) -> set[frozenset[int]]:
    """Clusters as lists of rows, in the order of their numbers; the smallest, and first, goes to the nearest."""
    clusters = [np.flatnonzero(labels == label).tolist() for label in range(labels.max() + 1)]
    while min(map(len, clusters)) < k:
        small = clusters.pop(min(range(len(clusters)), key=lambda i: (len(clusters[i]), i)))
        centre = X[small].mean(axis=0)
        nearest = min(range(len(clusters)), key=lambda i: (((X[clusters[i]].mean(axis=0) - centre) ** 2).sum(), i))
        clusters[nearest] = clusters[nearest] + small
    return {frozenset(cluster) for cluster in clusters}


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("seed", range(4))
def test_small_clusters_join_the_nearest(k, seed):
    random = np.random.default_rng(seed)
    X = random.standard_normal((40, 3))
    labels = np.unique(random.integers(0, 15, 40), return_inverse=True)[1]
    found = large_enough(X, labels, k)
    assert {frozenset(np.flatnonzero(found == g).tolist()) for g in range(found.max() + 1)} == joined(X, labels, k)


def test_large_clusters_are_cut():
    X = np.random.default_rng(2).standard_normal((100, 2))
    labels = ma.partition(X, 4, method="rearrangement", clusters=1)
    np.testing.assert_array_equal(labels, ma.cut_order(X, ma.path(X, "lk"), 4))


def test_options_that_cannot_be():
    X = np.zeros((6, 1))
    for options, message in (
        ({"clusters": 0}, "clusters must be a whole number of at least 1"),
        ({"clusters": 7}, r"number of records \(6\)"),
        ({"path_options": {"kick": 3}}, "did you mean 'kicks'"),
        ({"path_options": 3}, "path_options must map names"),
    ):
        with pytest.raises(InvalidOption, match=message):
            ma.partition(X, 2, method="rearrangement", **options)
