"""Common values of groups against definitions, weights included."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import microagg as ma
from microagg.aggregate import Rounded, check_digits, group_medians, release_values, round_values
from microagg.base.groups import group_means
from microagg.errors import InvalidData, InvalidOption


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
            share = weights[rows] if 2 * weights[rows].max() <= weights[rows].sum() else np.ones(rows.sum())
            exact = math.fsum(X[rows, j] * share) / math.fsum(share)
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


@pytest.mark.parametrize("weights", [[1.0, -1.0], [1.0, np.nan], [1.0, np.inf], [1.0]])
def test_bad_weights_are_refused(weights):
    with pytest.raises(InvalidData):
        group_means(np.ones((2, 1)), np.array([0, 0]), np.array(weights))


def test_unknown_aggregate():
    with pytest.raises(InvalidOption, match="mean, median"):
        release_values(np.ones((2, 1)), np.array([0, 0]), aggregate="mode")


@pytest.mark.parametrize("digits", [400, -400, 10**30, 1.5, True, None, "2", np.nan])
def test_digits_that_no_column_can_be_rounded_to(digits):
    """10 to the power of 400 is infinite, and what it is multiplied by was released as NaN."""
    with pytest.raises(InvalidOption, match="column 'age' must be a whole number from -300 to 300"):
        check_digits("age", digits)
    with pytest.raises(InvalidOption, match="column 'age'"):
        ma.anonymize(pd.DataFrame({"age": [1.0, 2.0, 3.0]}), 3, round={"age": digits})


@pytest.mark.parametrize("digits", [-300, -20, 0, 2, 22, 300])
def test_rounded_values_are_near_and_finite(digits):
    """Rounding moves a number by half a unit at the most, or not at all where it has no such digits."""
    values = np.array([0.0, 1.25, -1234.5678, 1e-200, 1e17, -1e200, 1.7e308])
    rounded = round_values(values, digits)
    assert np.isfinite(rounded).all()
    with np.errstate(over="ignore"):
        assert (np.abs(rounded - values) <= 0.5 * 10.0**-digits + 1e-9 * np.abs(values)).all()
    assert round_values(values, None) is values


def test_nothing_that_is_not_finite_is_released(tmp_path, monkeypatch):
    """Whatever a kernel or an option may do: one check stands before the release, in both engines."""
    data = pd.DataFrame({"age": np.arange(8.0), "pay": np.arange(8.0)})
    monkeypatch.setattr(Rounded, "apply", lambda self, values: values * np.nan)
    with pytest.raises(InvalidData, match="the released value of column 'age' is not a finite number"):
        ma.anonymize(data, 3)
    data.to_parquet(tmp_path / "in.parquet")
    with pytest.raises(InvalidData, match="the released value of column 'age' is not a finite number"):
        ma.anonymize_file(tmp_path / "in.parquet", tmp_path / "out.parquet", 3, memory="1KB")
    assert not (tmp_path / "out.parquet").exists()


def test_numbers_that_no_float_can_hold_are_refused():
    """Whole numbers of any length are numbers to Python."""
    with pytest.raises(InvalidData, match=r"Column 'age' holds a number beyond 1.8e308"):
        ma.anonymize(pd.DataFrame({"age": [10**400, 1, 2, 3]}), 2)
