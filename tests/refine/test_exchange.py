"""Annealing of all groups at once: costs by a count of all squared errors, groups that stay groups, any threads."""

from __future__ import annotations

import numpy as np
import oracles
import pytest
from checks import assert_partition

from microagg import _core
from microagg.constraints import promise


def error(rows: np.ndarray) -> float:
    return float(((rows - rows.mean(axis=0)) ** 2).sum())


def cost_of_swap(own: np.ndarray, others: np.ndarray, x: int, y: int) -> float:
    """By making it, and counting the squared errors of both groups before and after."""
    before = error(own) + error(others)
    own, others = own.copy(), others.copy()
    own[x], others[y] = others[y].copy(), own[x].copy()
    return error(own) + error(others) - before


@pytest.mark.parametrize("in_single", [False, True])
@pytest.mark.parametrize("m", [1, 4, 13])
@pytest.mark.parametrize("draw", ["normal", "ties", "far"])
def test_the_cheapest_swap_is_that_of_a_count(draw: str, m: int, in_single: bool) -> None:
    random = np.random.default_rng(m)
    for _ in range(40):
        own, others = (random.normal(size=(int(random.integers(2, 9)), m)) for _ in range(2))
        if draw == "ties":
            own, others = np.round(own), np.round(others)
        if draw == "far":
            others += 30.0
        x = int(random.integers(len(own)))
        costs = [cost_of_swap(own, others, x, y) for y in range(len(others))]
        y, cost = _core.cheapest_swap(own, others, x, in_single)
        tolerance = (1e-4 if in_single else 1e-10) * max(1.0, max(map(abs, costs)))
        assert cost == pytest.approx(min(costs), abs=tolerance)
        assert costs[y] == pytest.approx(min(costs), abs=tolerance)


def annealed(X: np.ndarray, labels: np.ndarray, k: int, **options: object) -> np.ndarray:
    improved = labels.astype(np.int64)
    settings = {"sweeps": 60, "heat": 0.2, "n_near": 12, "seed": 0, "threads": 1, **options}
    _core.exchange(X, k, labels=improved, **settings)
    return improved


def in_order(n: int, k: int) -> np.ndarray:
    return np.minimum(np.arange(n) // k, n // k - 1)


@pytest.mark.parametrize(("n", "k"), [(400, 2), (401, 3), (1000, 7), (1010, 50)])
def test_groups_stay_groups_and_lose_less(n: int, k: int) -> None:
    X = np.random.default_rng(n).normal(size=(n, 3))
    start = in_order(n, k)
    labels = annealed(X, start, k)
    assert_partition(labels, n, k)
    assert np.bincount(labels).max() < 2 * k
    assert labels.max() == start.max(), "their number stays"
    assert oracles.sse(X, labels) < 0.6 * oracles.sse(X, start)


@pytest.mark.parametrize(("n", "m", "k"), [(9000, 4, 3), (2000, 20, 16)])
def test_the_same_on_any_number_of_threads(n: int, m: int, k: int) -> None:
    X = np.random.default_rng(5).normal(size=(n, m))
    one = annealed(X, in_order(n, k), k, threads=1)
    assert np.array_equal(one, annealed(X, in_order(n, k), k, threads=3))
    assert not np.array_equal(one, annealed(X, in_order(n, k), k, seed=1))


@pytest.mark.parametrize("size", [1.0, 1e150])
def test_large_groups_in_many_columns_know_their_neighbours_by_centroids(size: float) -> None:
    """One near record, in place of twelve, tells next to nothing, and need not: groups are listed."""
    X = np.random.default_rng(8).normal(size=(1600, 20)) * size
    start = in_order(1600, 16)
    by_one, by_twelve = (oracles.sse(X / size, annealed(X, start, 16, n_near=count)) for count in (1, 12))
    assert by_one < 1.01 * by_twelve
    assert by_twelve < 0.65 * oracles.sse(X / size, start)


@pytest.mark.parametrize("n", [20, 33, 64])
def test_few_large_groups_in_many_columns(n: int) -> None:
    """Fewer groups than a list may hold, down to one."""
    X = np.random.default_rng(n).normal(size=(n, 20))
    labels = annealed(X, in_order(n, 16), 16)
    assert_partition(labels, n, 16)
    assert oracles.sse(X, labels) <= oracles.sse(X, in_order(n, 16))


def test_it_is_never_worse_than_what_came_in() -> None:
    """So hot and so short that it ends far above an optimum: then nothing is changed."""
    X = np.repeat(np.arange(100.0), 3)[:, None]
    start = in_order(300, 3)
    assert np.array_equal(annealed(X, start, 3, sweeps=1, heat=1e6), start)


@pytest.mark.parametrize("shift", [0.0, 1e9])
@pytest.mark.parametrize("size", [1e-150, 1.0, 1e150])
def test_any_size_of_numbers(size: float, shift: float) -> None:
    """What single precision would round off is worked out in double precision."""
    X = np.random.default_rng(6).normal(size=(600, 2))
    X = (X + shift) * size
    labels = annealed(X, in_order(600, 5), 5)
    assert_partition(labels, 600, 5)
    Z = X / size
    assert oracles.sse(Z, labels) < 0.5 * oracles.sse(Z, in_order(600, 5))


def test_promises_are_kept() -> None:
    X = np.random.default_rng(7).normal(size=(900, 3))
    ill = np.where(np.arange(900) % 3 == 0, "flu", "cold")
    promises = promise({"l": {"ill": 2}}, {"ill": ill.tolist()})
    labels = annealed(X, in_order(900, 6), 6, promises=promises.kernel)
    assert promises.kept(labels)
    assert oracles.sse(X, labels) < 0.6 * oracles.sse(X, in_order(900, 6))
