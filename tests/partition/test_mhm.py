"""The optimal cut of an order."""

from __future__ import annotations

import numpy as np
import oracles
import pytest
from checks import assert_partition
from hypothesis import given, settings
from hypothesis import strategies as st

from microagg.errors import InvalidData
from microagg.partition.mhm import cut_order


def assert_runs(labels: np.ndarray, order: np.ndarray, k: int) -> None:
    """Groups are runs of the order, numbered along it, and at most 2k-1 long."""
    assert_partition(labels, len(order), k)
    assert (np.diff(labels[order]) >= 0).all()
    assert np.bincount(labels).max() < 2 * k


@settings(max_examples=80, deadline=None)
@given(n=st.integers(2, 40), m=st.integers(1, 4), k=st.integers(2, 12), ties=st.booleans(), seed=st.integers(0, 999))
def test_no_cut_is_better(n: int, m: int, k: int, ties: bool, seed: int) -> None:
    k = min(k, n)
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (n, m)).astype(float) if ties else rng.normal(size=(n, m))
    order = rng.permutation(n)
    labels = cut_order(X, order, k)
    assert_runs(labels, order, k)
    assert oracles.sse(X, labels) == pytest.approx(oracles.cut_order(X, order, k), rel=1e-9, abs=1e-12)


def test_long_orders_cross_chunks_without_loss() -> None:
    """The kernel sums chunk by chunk: an order far longer than a chunk is still cut optimally."""
    rng = np.random.default_rng(0)
    X = np.cumsum(rng.normal(size=(1500, 2)), axis=0)
    order, k = np.arange(1500), 4
    squares = np.vstack([np.zeros(1), np.cumsum((X**2).sum(axis=1))[:, None]]).ravel()
    sums = np.vstack([np.zeros(2), np.cumsum(X, axis=0)])
    best = np.full(1501, np.inf)
    best[0] = 0.0
    for j in range(k, 1501):
        starts = np.arange(max(0, j - 2 * k + 1), j - k + 1)
        cost = squares[j] - squares[starts] - ((sums[j] - sums[starts]) ** 2).sum(axis=1) / (j - starts)
        best[j] = (best[starts] + cost).min()
    labels = cut_order(X, order, k)
    assert_runs(labels, order, k)
    assert oracles.sse(X, labels) == pytest.approx(best[-1], rel=1e-9)


def test_dense_orders_keep_their_digits() -> None:
    """10^5 records spaced 1e-6, far from zero: equal gaps make runs of exactly k the only optimum."""
    n, k = 100_000, 5
    X = np.column_stack([1e6 + 1e-6 * np.arange(n), -1e6 + 1e-6 * np.arange(n)])
    labels = cut_order(X, np.arange(n), k)
    assert_runs(labels, np.arange(n), k)
    assert np.bincount(labels).max() == k


@pytest.mark.parametrize("k", [300, 700, 1000])
def test_large_k(k: int) -> None:
    X = np.sort(np.random.default_rng(0).normal(size=(1400, 1)), axis=0)
    labels = cut_order(X, np.arange(1400), k)
    assert_runs(labels, np.arange(1400), k)
    if k == 700:
        assert np.bincount(labels).tolist() == [700, 700]


@pytest.mark.parametrize("order", [[0, 1, 2], [0, 1, 2, 2], [1, 2, 3, 4], [[0, 1, 2, 3]]])
def test_order_that_is_no_permutation(order: list) -> None:
    with pytest.raises(InvalidData, match="row numbers"):
        cut_order(np.ones((4, 1)), order, 2)
