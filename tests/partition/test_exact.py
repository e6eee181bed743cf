"""The optimum by dynamic programming."""

from __future__ import annotations

import bound_oracles
import numpy as np
import oracles
import pytest
from checks import Fractions, assert_partition, groups
from hypothesis import given, settings
from hypothesis import strategies as st

from microagg import datasets, information_loss
from microagg.errors import InfeasibleK, InvalidData
from microagg.partition import METHODS, exact, partition


def standardised(name: str) -> np.ndarray:
    data = datasets.load(name)
    X = np.column_stack([data.values[column] for column in data.values])
    return (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)


@pytest.mark.parametrize(
    ("name", "optimum", "loss"),
    [
        ("companies", [{1, 2, 3, 10}, {4, 5, 9}, {6, 7, 8, 11}], 34.0218),
        ("patients", [{1, 5, 9}, {2, 3, 6}, {4, 7, 8}], 36.4145),
    ],
)
def test_published_optima(name: str, optimum: list[set[int]], loss: float) -> None:
    """The small tables of the papers; the groups are numbered from 1 there."""
    X = standardised(name)
    labels = partition(X, 3, method="exact")
    assert groups(labels) == {frozenset(row - 1 for row in group) for group in optimum}
    assert information_loss(X, labels) == pytest.approx(loss, abs=5e-5)


@settings(max_examples=60, deadline=None)
@given(n=st.integers(2, 9), m=st.integers(1, 3), k=st.integers(2, 5), ties=st.booleans(), seed=st.integers(0, 999))
def test_no_partition_is_better(n: int, m: int, k: int, ties: bool, seed: int) -> None:
    """Against all partitions, groups of 2k and more included."""
    k = min(k, n)
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (n, m)).astype(float) if ties else rng.normal(size=(n, m))
    labels = exact.partition(X, k)
    assert_partition(labels, n, k)
    assert oracles.sse(X, labels) == pytest.approx(bound_oracles.optimum(X, k), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("k", [2, 3, 4])
def test_equals_the_optimum_of_one_column(k: int) -> None:
    """One column has an optimum that is found in another way."""
    X = np.random.default_rng(k).normal(size=(17, 1))
    assert groups(exact.partition(X, k)) == groups(partition(X, k, method="univariate"))


@pytest.mark.parametrize("method", [name for name in METHODS if name not in {"exact", "individual"}])
def test_no_method_is_better(method: str) -> None:
    X = np.random.default_rng(5).normal(size=(16, 2))
    best = oracles.sse(X, exact.partition(X, 3))
    assert best <= oracles.sse(X, partition(X, 3, method=method)) * (1 + 1e-12)


def test_groups_are_numbered_by_their_lowest_record() -> None:
    labels = exact.partition(np.random.default_rng(0).normal(size=(12, 2)), 2)
    first = [int(np.flatnonzero(labels == g)[0]) for g in range(labels.max() + 1)]
    assert first == sorted(first)


def test_all_records_equal() -> None:
    assert_partition(exact.partition(np.ones((13, 2)), 4), 13, 4)


def test_progress_rises() -> None:
    told = Fractions()
    exact.partition(np.random.default_rng(0).normal(size=(18, 2)), 5, progress=told)
    told.assert_rises()


def test_too_many_records() -> None:
    limit = METHODS["exact"].most_records
    with pytest.raises(InvalidData, match=rf"at most {limit} records; got {limit + 1}.*lower_bound"):
        exact.partition(np.ones((limit + 1, 1)), 3)


@pytest.mark.parametrize("k", [-1, 0, 1, 6, 2.0, True, "3"])
def test_k_that_cannot_be(k) -> None:
    with pytest.raises(InfeasibleK, match="k must be"):
        exact.partition(np.ones((5, 2)), k)
