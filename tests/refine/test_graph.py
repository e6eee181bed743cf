"""Near neighbours of very many records: exact where all fit one cell, near everywhere, the same on any threads."""

from __future__ import annotations

import numpy as np
import pytest

from microagg import _core


def near(X: np.ndarray, count: int, *, seed: int = 0, threads: int = 1) -> np.ndarray:
    rows = np.empty(len(X) * min(count, len(X) - 1), dtype=np.int64)
    _core.near_neighbours(X, count, seed, threads, rows)
    return rows.reshape(len(X), -1)


def squared_distances(X: np.ndarray) -> np.ndarray:
    gaps = ((X[:, None, :] - X[None, :, :]) ** 2).sum(axis=2)
    np.fill_diagonal(gaps, np.inf)
    return gaps


@pytest.mark.parametrize(("n", "count"), [(2, 5), (13, 12), (60, 12), (400, 18)])
def test_exact_where_one_cell_holds_all(n: int, count: int) -> None:
    X = np.random.default_rng(n).normal(size=(n, 3))
    assert np.array_equal(near(X, count), np.argsort(squared_distances(X), axis=1)[:, : min(count, n - 1)])


def test_different_records_nearest_first_and_none_its_own() -> None:
    X = np.random.default_rng(1).integers(0, 4, (3000, 3)).astype(float)
    found = near(X, 14)
    assert (np.sort(found, axis=1)[:, 1:] != np.sort(found, axis=1)[:, :-1]).all()
    assert (found != np.arange(3000)[:, None]).all()
    gaps = ((X[found] - X[:, None, :]) ** 2).sum(axis=2)
    assert (np.diff(gaps, axis=1) >= 0).all()


@pytest.mark.parametrize(("m", "share"), [(2, 0.97), (4, 0.9), (13, 0.5), (50, 0.95)])
def test_most_of_the_nearest_are_found(m: int, share: float) -> None:
    X = np.random.default_rng(2).normal(size=(5000, m))
    found, nearest = near(X, 18), np.argsort(squared_distances(X), axis=1)[:, :18]
    hits = np.mean([len(set(a) & set(b)) / 18 for a, b in zip(found.tolist(), nearest.tolist(), strict=True)])
    assert hits > share


def test_the_same_on_any_number_of_threads() -> None:
    X = np.random.default_rng(3).normal(size=(2500, 5))
    assert np.array_equal(near(X, 18), near(X, 18, threads=3))
    assert not np.array_equal(near(X, 18), near(X, 18, seed=1))


def test_equal_records_and_very_large_numbers() -> None:
    assert (near(np.ones((900, 2)), 12) != np.arange(900)[:, None]).all()
    X = np.random.default_rng(4).normal(size=(300, 2))
    assert np.array_equal(near(X * 1e99, 12), near(X, 12))
