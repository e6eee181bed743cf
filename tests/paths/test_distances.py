"""Paths from a matrix of distances: the embedding keeps what every heuristic looks at."""

from __future__ import annotations

import itertools

import numpy as np
import path_oracles
import pytest

from microagg.errors import InvalidData, InvalidOption
from microagg.paths import PATHS, path, path_length
from microagg.paths.distances import embed_distances

BUILT_IN = [name for name in PATHS if not PATHS[name].needs]


def roads(n: int, seed: int, most: int = 1000) -> np.ndarray:
    """Whole numbers that no points in a space have as their distances: triangles do not even close."""
    upper = np.triu(np.random.default_rng(seed).integers(1, most, (n, n)), 1).astype(float)
    return upper + upper.T


@pytest.mark.parametrize("n", [2, 3, 12, 40])
def test_embedded_distances_are_the_given_ones_but_for_a_constant(n):
    D = roads(n, seed=n)
    points, constant = embed_distances(D)
    found = np.linalg.norm(points[:, None] - points[None, :], axis=2)
    expected = D + constant * (1 - np.eye(n))
    np.testing.assert_allclose(found, expected, atol=2e-7 * D.max())


@pytest.mark.parametrize("most", [1000, 5])
@pytest.mark.parametrize("seed", range(4))
def test_nearest_neighbour_walks_by_the_distances_and_equal_ones_go_to_the_lower_row(most, seed):
    D = roads(30, seed, most)
    for start in (0, 17):
        order = [start]
        while len(order) < 30:
            left = [city for city in range(30) if city not in order]
            order.append(min(left, key=lambda city: (D[order[-1], city], city)))
        assert path(D, "nearest_neighbour", metric="precomputed", start=start).tolist() == order


@pytest.mark.parametrize("start", [None, 2])
def test_exact_finds_the_shortest_of_all_orders(start):
    D = roads(7, seed=3)
    orders = [o for o in itertools.permutations(range(7)) if start is None or o[0] == start]
    shortest = min(sum(D[a, b] for a, b in itertools.pairwise(o)) for o in orders)
    order = path(D, "exact", metric="precomputed", start=start)
    assert path_length(D, order, metric="precomputed") == pytest.approx(shortest, rel=1e-6)


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_heuristic_takes_distances(name):
    """Of points they give a path of the points' own; greedy edge, in which nothing is random, the very same one."""
    X = np.random.default_rng(5).standard_normal((60, 2))
    D = np.sqrt(path_oracles.squared_distances(X))
    order = path(D, name, metric="precomputed")
    assert sorted(order) == list(range(60))
    assert path_length(D, order, metric="precomputed") == pytest.approx(path_length(X, order), rel=1e-12)
    if name in ("greedy_edge", "nearest_point_next", "repetitive_nearest_neighbour"):
        assert path_length(X, order) <= 1.3 * path_length(X, path(X, "lk"))
    if name == "greedy_edge":
        assert order.tolist() == path(X, name).tolist()


def test_all_distances_equal_or_zero():
    for D in (np.zeros((4, 4)), 1 - np.eye(4), np.zeros((1, 1))):
        assert path(D, "nearest_neighbour", metric="precomputed", start=0).tolist() == list(range(len(D)))


@pytest.mark.parametrize("factor", [1e-200, 1e200])
def test_distances_of_any_size(factor):
    D = roads(15, seed=1)
    expected = path(D, "nearest_neighbour", metric="precomputed", start=4)
    np.testing.assert_array_equal(path(D * factor, "nearest_neighbour", metric="precomputed", start=4), expected)
    assert path_length(D * factor, expected, metric="precomputed") == pytest.approx(
        factor * path_length(D, expected, metric="precomputed")
    )


@pytest.mark.parametrize(
    ("D", "message"),
    [
        ([[0.0, 1.0]], "must be square"),
        ([[0.0, 1.0], [2.0, 0.0]], "must be symmetric"),
        ([[1.0, 1.0], [1.0, 0.0]], "zeros on its diagonal"),
        ([[0.0, -1.0], [-1.0, 0.0]], "negative"),
        ([[0.0, np.inf], [np.inf, 0.0]], "finite"),
    ],
)
def test_what_is_no_matrix_of_distances_is_refused(D, message):
    with pytest.raises(InvalidData, match=message):
        path(D, "greedy_edge", metric="precomputed")


def test_other_metrics_and_too_many_cities_are_refused():
    with pytest.raises(InvalidOption, match="metric must be one of euclidean, precomputed"):
        path([[0.0]], metric="road")
    with pytest.raises(InvalidOption, match="metric must be one of"):
        path_length([[0.0]], [0], metric="road")
    with pytest.raises(InvalidOption, match="at most 2,000 cities"):
        path(np.zeros((2001, 2001)), metric="precomputed")
    with pytest.raises(InvalidOption, match="cap is for records"):
        path(roads(5, 0), "lk", metric="precomputed", cap=1.0)
