"""Kernels against their oracles: random records, grids full of ties, duplicates."""

from __future__ import annotations

import numpy as np
import path_oracles
import pytest

from microagg import _core
from microagg.paths import PATHS, path, path_length

KINDS = ("gaussian", "grid", "duplicates", "equal")


def records(kind: str, n: int, m: int, seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    if kind == "gaussian":
        return random.standard_normal((n, m))
    if kind == "grid":
        return random.integers(0, 4, (n, m)).astype(float)
    if kind == "duplicates":
        return np.repeat(random.standard_normal((n // 3 + 1, m)), 3, axis=0)[:n]
    return np.ones((n, m))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n", "m"), [(2, 1), (7, 2), (33, 3), (150, 2), (150, 6)])
def test_neighbours_are_exact(kind, n, m):
    X = records(kind, n, m, seed=n + m)
    count = min(n - 1, 9)
    rows, distances = np.empty((n, count), np.int64), np.empty((n, count))
    _core.nearest_neighbours(X, count, 2, rows, distances, None)
    expected = path_oracles.neighbours(X, count)
    np.testing.assert_array_equal(rows, expected)
    np.testing.assert_allclose(distances, np.linalg.norm(X[expected] - X[:, None, :], axis=2), rtol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n", "m"), [(1, 1), (2, 1), (7, 2), (40, 3), (90, 2)])
def test_nearest_neighbour(kind, n, m):
    X = records(kind, n, m, seed=n)
    for start in (0, n // 2, n - 1):
        assert path(X, "nearest_neighbour", start=start).tolist() == path_oracles.nearest_neighbour(X, start)


def test_nearest_neighbour_with_a_dummy_city_leaves_its_first_record_to_the_end():
    X = records("gaussian", 40, 3, seed=1)
    order = path(X, "nearest_neighbour", dummy="city", seed=3)
    others = np.delete(np.arange(40), order[-1])
    walk = path_oracles.nearest_neighbour(X[others], int(np.flatnonzero(others == order[0])[0]))
    assert order.tolist() == [*others[walk], order[-1]]


def test_repetitive_nearest_neighbour_is_the_shortest_of_all():
    X = records("gaussian", 40, 3, seed=1)
    every = [path_oracles.nearest_neighbour(X, start) for start in range(40)]
    shortest = min(every, key=lambda order: path_oracles.length(X, order))
    assert path(X, "repetitive_nearest_neighbour").tolist() == shortest


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [1, 2, 3, 25])
def test_repetitive_nearest_neighbour_with_a_dummy_city(kind, n):
    """From each record to the dummy, on from a random one, back to the record; and once from the dummy."""
    X = records(kind, n, 3, seed=n)
    random = np.random.default_rng(7)
    tours = [[0]]
    if n > 1:
        after = random.integers(n - 1, size=n)
        tours = []
        for first in range(n):
            others = np.delete(np.arange(n), first)
            walk = path_oracles.nearest_neighbour(X[others], int(after[first]))
            tours.append([*others[walk].tolist(), first])
        tours.append(path_oracles.nearest_neighbour(X, int(random.integers(n))))
    lengths = [path_oracles.length(X, tour) for tour in tours]
    found = path(X, "repetitive_nearest_neighbour", dummy="city", seed=7).tolist()
    assert found in tours
    assert path_oracles.length(X, np.array(found)) == pytest.approx(min(lengths), rel=1e-12)


def test_nearest_point_next_begins_farthest_out():
    X = records("gaussian", 50, 3, seed=2)
    farthest = int(np.argmax(np.linalg.norm(X - X.mean(axis=0), axis=1)))
    assert path(X, "nearest_point_next").tolist() == path_oracles.nearest_neighbour(X, farthest)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n", "m"), [(1, 1), (2, 1), (7, 2), (60, 3), (120, 2)])
def test_greedy_edge(kind, n, m):
    X = records(kind, n, m, seed=n)
    assert path(X, "greedy_edge").tolist() == path_oracles.greedy_edge(X)


@pytest.mark.parametrize("rule", ["nearest", "farthest", "cheapest", "arbitrary"])
@pytest.mark.parametrize("dummy", ["city", "last", "end"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [1, 2, 3, 12, 45])
def test_insertion(rule, dummy, kind, n):
    # One column of whole numbers: every cost is exact, so that ties are ties in the oracle too.
    X = records(kind, n, 3, seed=n) if kind == "gaussian" else records("grid", n, 1, seed=n)
    random = np.random.default_rng(n)
    priority, start = random.permutation(n + 1), int(random.integers(n))
    order = np.empty(n, np.int64)
    rules, dummies = ("nearest", "farthest", "cheapest", "arbitrary"), ("city", "last", "end")
    _core.insertion_path(X, rules.index(rule), dummies.index(dummy), start, priority, order, None)
    expected = path_oracles.insertion(X, rule, dummy, start, priority)
    if rule == "cheapest":  # equal places are found in another order: the tours are equally long where costs tie
        assert sorted(order) == list(range(n))
        if kind == "gaussian":
            assert order.tolist() == expected
    else:
        assert order.tolist() == expected


def test_hilbert_curve_steps_to_the_next_cell():
    """Every cell of a grid once, each beside the one before: that is what makes it a Hilbert curve."""
    from microagg.paths.space_filling_curve import hilbert_key

    for dimensions, side in ((1, 16), (2, 16), (3, 8), (4, 4)):
        cells = np.stack(np.meshgrid(*[np.arange(side)] * dimensions), axis=-1).reshape(-1, dimensions)
        along = cells[np.argsort(hilbert_key(cells + 0.5), kind="stable")]
        assert (np.abs(np.diff(along, axis=0)).sum(axis=1) == 1).all()


@pytest.mark.parametrize("start", [None, 3])
@pytest.mark.parametrize("seed", range(5))
def test_lk_finds_the_shortest_of_seven(seed, start):
    X = records("gaussian", 7, 2, seed)
    order = path(X, "lk", start=start, kicks=300)
    assert path_length(X, order) == pytest.approx(path_oracles.shortest(X, start), rel=1e-12)


@pytest.mark.parametrize("name", [name for name in PATHS if not PATHS[name].needs])
@pytest.mark.parametrize("kind", KINDS)
def test_two_records_and_one(name, kind):
    for n in (1, 2, 3):
        assert sorted(path(records(kind, n, 2, 0), name)) == list(range(n))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n", "m"), [(1, 1), (2, 1), (3, 2), (7, 2), (17, 3)])
def test_near_neighbours_of_few_records_give_the_path_of_the_nearest(kind, n, m):
    """All others are candidates then, so the shortest edges, their ties and all moves are the same."""
    X = records(kind, n, m, seed=n)
    X = X[np.sort(np.unique(X, axis=0, return_index=True)[1])]
    orders = [np.empty(len(X), dtype=np.int64) for _ in range(2)]
    for near, order in enumerate(orders):
        _core.improve_path(X, 10, 3, 2, 20, 0, np.inf, np.inf, True, False, 2, order, None, near=bool(near))
    np.testing.assert_array_equal(orders[1], orders[0])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n", "m"), [(1, 1), (2, 1), (3, 2), (40, 3), (700, 2)])
@pytest.mark.parametrize("cell", [2, 9, 1000])
def test_a_path_in_cells_meets_every_record_once_on_any_number_of_threads(kind, n, m, cell):
    """Cells of one or two records leave all the work to joining; equal records are no hindrance."""
    X = records(kind, n, m, seed=n)
    orders = [np.empty(n, dtype=np.int64) for _ in range(3)]
    for threads, order in enumerate(orders, start=1):
        _core.path_in_cells(X, 8, 3, 2, 5, 0, np.inf, np.inf, cell, threads, order, None)
        np.testing.assert_array_equal(order, orders[0])
    assert sorted(orders[0]) == list(range(n))
