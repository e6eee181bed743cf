"""Optimal univariate microaggregation, and the projection of several columns."""

from __future__ import annotations

import numpy as np
import oracles
import pytest
from checks import assert_partition
from hypothesis import given, settings
from hypothesis import strategies as st

from microagg.base.projection import principal_components
from microagg.errors import InvalidOption
from microagg.partition import partition, univariate
from microagg.partition.mhm import cut_order


@settings(max_examples=100, deadline=None)
@given(n=st.integers(2, 50), k=st.integers(2, 15), ties=st.booleans(), seed=st.integers(0, 999))
def test_no_partition_into_runs_is_better(n: int, k: int, ties: bool, seed: int) -> None:
    k = min(k, n)
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, (n, 1)).astype(float) if ties else rng.normal(size=(n, 1)) ** 3
    labels = univariate.partition(X, k)
    assert_partition(labels, n, k)
    best = oracles.cut_order(X, np.argsort(X[:, 0], kind="stable"), k)
    assert oracles.sse(X, labels) == pytest.approx(best, rel=1e-9, abs=1e-12)


def test_groups_are_runs_of_the_sorted_values() -> None:
    X = np.random.default_rng(0).normal(size=(1000, 1))
    labels = univariate.partition(X, 3)
    assert (np.diff(labels[np.argsort(X[:, 0])]) >= 0).all()


@pytest.mark.parametrize("k", [2, 9, 64, 500, 1999])
def test_agrees_with_the_cut_of_an_order(k: int) -> None:
    """Two kernels, one optimum, also for large k."""
    X = np.random.default_rng(k).lognormal(size=(4000, 1))
    order = np.argsort(X[:, 0], kind="stable")
    by_column, by_order = univariate.partition(X, k), cut_order(X, order, k)
    assert_partition(by_column, 4000, k)
    assert oracles.sse(X, by_column) == pytest.approx(oracles.sse(X, by_order), rel=1e-9)


@pytest.mark.parametrize("k", [5, 100])
def test_dense_columns_keep_their_digits(k: int) -> None:
    """10^5 values spaced 1e-6 at 1e6: nearly equal gaps make runs of exactly k the only optimum."""
    X = 1e6 + 1e-6 * np.arange(100_000)[:, None]
    labels = univariate.partition(np.random.default_rng(0).permutation(X), k)
    assert np.bincount(labels).max() == k


@pytest.mark.parametrize("projection", univariate.PROJECTIONS)
def test_several_columns_are_cut_along_their_projection(projection: str) -> None:
    X = np.random.default_rng(0).normal(size=(300, 3)) * [5.0, 1.0, 1.0]
    labels = univariate.partition(X, 4, projection=projection)
    line = principal_components(X, 1)[:, 0] if projection == "first_component" else X.sum(axis=1)
    assert_partition(labels, 300, 4)
    assert (np.diff(labels[np.argsort(line)]) >= 0).all()


def test_first_component_is_the_direction_of_the_greatest_spread() -> None:
    X = np.random.default_rng(0).normal(size=(500, 3)) * [1.0, 9.0, 1.0]
    assert abs(np.corrcoef(principal_components(X, 1)[:, 0], X[:, 1])[0, 1]) > 0.99


def test_unknown_projection() -> None:
    with pytest.raises(InvalidOption, match="projection must be one of first_component, sum"):
        univariate.partition(np.ones((4, 2)), 2, projection="diagonal")


@pytest.mark.parametrize("method", ["fast", "best"])
@pytest.mark.parametrize("k", [2, 3, 7, 50, 199])
def test_methods_that_search_give_the_optimum_of_one_column(method: str, k: int) -> None:
    """Annealing 100,000 numbers took half a minute, and for k = 50 ended above MDAV. Constants change nothing."""
    values = np.random.default_rng(k).standard_t(3, size=(200, 1)).round(1)
    optimum = oracles.sse(values, partition(values, k, method="univariate"))
    for X in (values, np.hstack([np.full((200, 1), 0.1), values, np.zeros((200, 1))])):
        labels = partition(X, k, method=method, seed=3)
        assert_partition(labels, 200, k)
        assert oracles.sse(X, labels) == pytest.approx(optimum, rel=1e-12, abs=1e-12)
        assert labels[np.sort(np.unique(labels, return_index=True)[1])].tolist() == list(range(labels.max() + 1))
    assert optimum <= oracles.sse(values, partition(values, k, method="mdav")) + 1e-12
