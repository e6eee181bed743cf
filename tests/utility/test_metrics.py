"""Losses against definitions, and what must hold of every metric."""

import numpy as np
import oracles
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microagg.errors import InvalidData
from microagg.measures import Change, summarise
from microagg.utility import METRICS, information_loss, measure, measure_change, sse, sst

seeds = st.integers(0, 2**32 - 1)


def example(seed: int, n: int = 40, m: int = 3) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Records, labels of groups of at least 4, and the release that they give."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, m))
    labels = rng.permutation(np.arange(n) // 4)
    released = np.array([X[labels == g].mean(axis=0) for g in labels])
    return X, labels, released


@given(seeds)
def test_sse_and_sst_equal_the_definitions(seed):
    X, labels, released = example(seed)
    assert sse(X, labels) == pytest.approx(oracles.sse(X, labels))
    assert measure(X, released)["sse"] == pytest.approx(oracles.sse(X, labels))
    assert sst(X) == pytest.approx(((X - X.mean(axis=0)) ** 2).sum())
    assert information_loss(X, labels) == pytest.approx(100 * sse(X, labels) / sst(X))
    assert measure(X, released)["information_loss"] == pytest.approx(information_loss(X, labels))


def test_one_group_loses_everything_and_groups_of_one_nothing():
    X = np.random.default_rng(0).normal(size=(10, 2))
    assert information_loss(X, np.zeros(10, dtype=int)) == pytest.approx(100)
    assert information_loss(X, np.arange(10)) == 0


def test_equal_records_lose_nothing():
    assert information_loss(np.full((6, 2), 0.1), np.array([0, 0, 0, 1, 1, 1])) == 0


def test_labels_of_columns_grouped_alone():
    X, labels, _ = example(3)
    both = np.column_stack([labels, np.arange(len(X)), np.zeros(len(X), dtype=int)])
    expected = sum(oracles.sse(X[:, [j]], both[:, j]) for j in range(3))
    assert sse(X, both) == pytest.approx(expected)


def test_il1s_by_hand():
    original, released = np.array([[0.0], [2.0]]), np.array([[1.0], [1.0]])
    assert measure(original, released)["il1s"] == pytest.approx(1 / np.sqrt(2))


def test_moments_by_hand():
    rng = np.random.default_rng(5)
    X, Y = rng.normal(size=(50, 3)), rng.normal(size=(50, 3)) * [1.0, 2.0, 3.0] + 1.0
    found = measure(X, Y)
    pairs = np.triu_indices(3, k=1)
    assert found["mean_change"] == pytest.approx(np.abs(Y.mean(0) - X.mean(0)).mean())
    assert found["variance_change"] == pytest.approx(100 * np.abs(Y.var(0, ddof=1) / X.var(0, ddof=1) - 1).mean())
    assert found["covariance_change"] == pytest.approx(np.abs(np.cov(Y.T)[pairs] - np.cov(X.T)[pairs]).mean())
    assert found["correlation_change"] == pytest.approx(
        np.abs(np.corrcoef(Y.T)[pairs] - np.corrcoef(X.T)[pairs]).mean()
    )
    before, after = np.linalg.eigvalsh(np.cov(X.T)), np.linalg.eigvalsh(np.cov(Y.T))
    assert found["eigenvalue_change"] == pytest.approx(100 * np.abs(after - before).sum() / before.sum())


@given(seeds)
def test_every_metric_ignores_the_order_of_records(seed):
    X, _, released = example(seed)
    order = np.random.default_rng(seed).permutation(len(X))
    for name, value in measure(X, released).items():
        assert measure(X[order], released[order])[name] == pytest.approx(value, abs=1e-12), name


@given(seeds)
def test_every_metric_stays_in_its_range_and_is_0_for_no_change(seed):
    X, _, released = example(seed)
    for name, metric in METRICS.items():
        assert metric.lowest <= measure(X, released)[name] <= metric.highest + 1e-9, name
        if name != "sst":
            assert measure(X, X)[name] == pytest.approx(0, abs=1e-12), name


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_takes_one_column_and_constant_columns(name):
    one = np.array([[0.0], [1.0], [2.0]])
    assert np.isfinite(measure(one, np.ones((3, 1)))[name])
    constant = np.column_stack([one, np.zeros(3)])
    assert np.isfinite(measure(constant, np.zeros((3, 2)))[name])


def test_columns_add_up():
    X, _, released = example(8)
    columns = measure_change(Change.of_numbers(summarise(X, released), ["a", "b", "c"]))[1]
    assert sum(columns["sse"].values()) == pytest.approx(measure(X, released)["sse"])
    assert np.mean(list(columns["il1s"].values())) == pytest.approx(measure(X, released)["il1s"])
    assert list(columns["information_loss"]) == ["a", "b", "c"]


@pytest.mark.parametrize("labels", [[0, 0, 2, 2], [0, 0, 0], [-1, 0, 0, 0], [0.5, 0, 0, 0]])
def test_bad_labels_are_refused(labels):
    with pytest.raises(InvalidData):
        information_loss(np.ones((4, 1)), np.array(labels))
