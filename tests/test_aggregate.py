"""Common values of groups against definitions, weights included."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microagg.aggregate import group_medians, release_values
from microagg.errors import InvalidData, InvalidOption
from microagg.groups import group_means


@st.composite
def grouped(draw):
    """Random records and labels 0..G-1, every group inhabited."""
    n_groups = draw(st.integers(1, 5))
    extra = draw(st.lists(st.integers(0, n_groups - 1), max_size=20))
    labels = np.array([*range(n_groups), *extra])
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rng.shuffle(labels)
    X = rng.normal(size=(len(labels), draw(st.integers(1, 4)))) * 10.0 ** draw(st.integers(-12, 12))
    return X, labels, rng.uniform(0.1, 3.0, len(labels))


@given(grouped())
def test_means_equal_exact_sums(case):
    X, labels, weights = case
    means, weighted = group_means(X, labels), group_means(X, labels, weights)
    scale = np.abs(X).max() + 1e-300
    for g in range(labels.max() + 1):
        rows = labels == g
        for j in range(X.shape[1]):
            exact = math.fsum(X[rows, j]) / rows.sum()
            assert means[g, j] == pytest.approx(exact, rel=1e-12, abs=1e-12 * scale)
            exact = math.fsum(X[rows, j] * weights[rows]) / math.fsum(weights[rows])
            assert weighted[g, j] == pytest.approx(exact, rel=1e-12, abs=1e-12 * scale)


@given(grouped())
def test_medians_equal_numpy(case):
    X, labels, _ = case
    medians = group_medians(X, labels)
    for g in range(labels.max() + 1):
        np.testing.assert_allclose(medians[g], np.median(X[labels == g], axis=0), rtol=1e-12)


def test_a_value_that_is_constant_in_its_group_stays_exact():
    # sum([0.1, 0.1, 0.1]) / 3 is 0.10000000000000002.
    assert group_means(np.full((3, 1), 0.1), np.zeros(3, dtype=int)).item() == 0.1


def test_columns_grouped_alone():
    X = np.array([[1.0, 10.0], [3.0, 20.0], [7.0, 30.0], [9.0, 40.0]])
    labels = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    assert release_values(X, labels).tolist() == [[2.0, 20.0], [2.0, 30.0], [8.0, 20.0], [8.0, 30.0]]


def test_weights_with_a_median_are_an_error_not_ignored():
    with pytest.raises(InvalidOption, match="weights enter group means only"):
        release_values(np.ones((2, 1)), np.array([0, 0]), aggregate="median", weights=np.ones(2))


@pytest.mark.parametrize("weights", [[1.0, -1.0], [1.0, np.nan], [1.0], [0.0, 0.0]])
def test_bad_weights_are_refused(weights):
    with pytest.raises(InvalidData):
        group_means(np.ones((2, 1)), np.array([0, 0]), np.array(weights))


def test_unknown_aggregate():
    with pytest.raises(InvalidOption, match="mean, median"):
        release_values(np.ones((2, 1)), np.array([0, 0]), aggregate="mode")
