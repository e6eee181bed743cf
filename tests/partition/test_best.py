"""The search as a method: what it must reach, and the odd data it must stand."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import oracles
import pytest
from checks import assert_partition

from microagg.partition import METHODS, partition


@pytest.mark.parametrize(
    ("name", "k", "loss"),
    [("census", 3, 4.82), ("census", 5, 7.45), ("census", 10, 11.80), ("tarragona", 3, 14.6294)],
)
def test_reaches_what_a_second_should(
    benchmark_data: Callable[[str], np.ndarray], name: str, k: int, loss: float
) -> None:
    """Below the best run of any paper, in about the work of two processors in one second."""
    X = benchmark_data(name)
    labels = partition(X, k, method="best", iterations=30)
    assert_partition(labels, len(X), k)
    assert 100 * oracles.sse(X, labels) / (X**2).sum() <= loss


@pytest.mark.parametrize("n", [2, 3, 4, 5, 7])
def test_tiny(n: int) -> None:
    X = np.arange(float(n))[:, None]
    for k in range(2, n + 1):
        assert_partition(partition(X, k, method="best", iterations=1), n, k)


def test_all_records_equal() -> None:
    assert_partition(partition(np.ones((50, 2)), 3, method="best", iterations=1), 50, 3)


def test_a_constant_column_does_not_matter() -> None:
    X = np.random.default_rng(0).normal(size=(80, 2))
    widened = np.column_stack([X, np.full(80, 3.0)])
    plain = METHODS["best"](X, 4, iterations=2)
    assert oracles.sse(X, METHODS["best"](widened, 4, iterations=2)) == pytest.approx(oracles.sse(X, plain), rel=0.02)


def test_time_limit_is_a_limit() -> None:
    X = np.random.default_rng(0).normal(size=(300, 2))
    assert_partition(partition(X, 3, method="best", time_limit=0.2), 300, 3)
