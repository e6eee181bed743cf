"""The method for many records: better than MDAV, the same on any number of threads."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import oracles
import pytest
from checks import assert_partition

from microagg.errors import InvalidOption
from microagg.partition import partition

MDAV_LOSS = {("census", 3): 5.6922, ("census", 10): 14.1559, ("tarragona", 3): 16.9326, ("eia", 5): 1.6667}
"""Published: see the tables of the papers."""


@pytest.mark.parametrize(("name", "k"), MDAV_LOSS)
def test_loses_at_least_8_percent_less_than_mdav(
    benchmark_data: Callable[[str], np.ndarray], name: str, k: int
) -> None:
    X = benchmark_data(name)
    labels = partition(X, k, method="fast")
    assert_partition(labels, len(X), k)
    assert 100 * oracles.sse(X, labels) / (X**2).sum() <= 0.92 * MDAV_LOSS[name, k]


def test_equal_on_any_number_of_threads() -> None:
    X = np.random.default_rng(0).normal(size=(9000, 4))
    one = partition(X, 6, method="fast", passes=2, threads=1)
    assert_partition(one, 9000, 6)
    assert np.array_equal(one, partition(X, 6, method="fast", passes=2, threads=3))


def test_more_passes_are_better() -> None:
    X = np.random.default_rng(1).normal(size=(5000, 5))
    losses = [oracles.sse(X, partition(X, 5, method="fast", passes=passes)) for passes in (1, 3, 6)]
    assert losses[0] > losses[1] > losses[2]


@pytest.mark.parametrize("k", [2, 3, 50, 399, 400])
def test_any_k(k: int) -> None:
    X = np.random.default_rng(2).normal(size=(400, 2))
    assert_partition(partition(X, k, method="fast"), 400, k)


def test_duplicates_stay_together() -> None:
    """Five values, four times each: groups of four cost nothing."""
    X = np.tile(np.arange(5.0), 4)[:, None]
    assert oracles.sse(X, partition(X, 4, method="fast")) == 0


def test_passes_must_be_counted() -> None:
    with pytest.raises(InvalidOption, match="passes"):
        partition(np.zeros((6, 1)), 3, method="fast", passes=0)
