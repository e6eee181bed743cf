"""Standardising and weighing."""

import numpy as np
import pytest

from microagg.errors import InvalidOption
from microagg.prepare.scale import ScaleSums, limits_of, scale_of, standardise, weigh


def test_standardise_gives_mean_0_and_deviation_1():
    X = np.random.default_rng(0).lognormal(size=(200, 3)) * [1.0, 1e9, 1e-9]
    Z = standardise(X)
    np.testing.assert_allclose(Z.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(Z.std(axis=0, ddof=1), 1)


def test_a_constant_column_has_no_weight_even_where_its_mean_is_not_exact():
    # The mean of three 0.1 is not 0.1 in floating point: a deviation of 1e-17 must not be blown up to 1.
    Z = standardise(np.array([[0.1, 1.0], [0.1, 2.0], [0.1, 3.0]]))
    assert (Z[:, 0] == 0).all()


@pytest.mark.parametrize("unit", [1e-300, 1e-15, 1e15, 1e300])
def test_numbers_of_any_size_standardise_alike(unit):
    X = np.random.default_rng(1).normal(size=(50, 2))
    np.testing.assert_allclose(standardise(X * unit), standardise(X), rtol=1e-9, atol=1e-9)


def test_large_beside_small():
    X = np.array([[1e15, 1e-15], [2e15, 3e-15], [4e15, 2e-15]])
    scale = scale_of(X)
    np.testing.assert_allclose(scale.deviation, X.std(axis=0, ddof=1))


def test_weights_scale_squared_distances():
    Z = np.array([[0.0, 0.0], [1.0, 1.0]])
    weighted = weigh(Z, ["a", "b"], {"a": 3.0, "b": 0.0})
    assert ((weighted[0] - weighted[1]) ** 2).sum() == pytest.approx(3.0)


@pytest.mark.parametrize("weights", [{"c": 1.0}, {"a": -1.0}, {"a": np.nan}, {"a": 0.0, "b": 0.0}])
def test_bad_column_weights_are_refused(weights):
    with pytest.raises(InvalidOption):
        weigh(np.zeros((2, 2)), ["a", "b"], weights)


@pytest.mark.parametrize("cuts", [[1, 40], [50], list(range(1, 3000, 7))])
def test_the_scale_of_parts_is_that_of_all(cuts):
    """To the last bit, however records are cut into parts and in whatever order they come: other bits, other groups."""
    X = np.random.default_rng(7).normal(size=(3000, 4)) * [1.0, 1e-200, 0.0, 1e307] + [1e6, 0.0, 3.0, 1e307]
    X[::9, 0] = np.nan
    ends = limits_of(X)
    first, *others = [ScaleSums.of(part, *ends) for part in np.split(X, cuts)][::-1]
    for part in others:
        first = part.merge(first)
    whole, found = scale_of(X), first.scale(*ends)
    assert np.array_equal(found.mean, whole.mean)
    assert np.array_equal(found.deviation, whole.deviation)
    assert found.deviation[2] == 0
    with np.errstate(over="ignore"):
        np.testing.assert_allclose(whole.mean[:3], np.nanmean(X, axis=0)[:3])
        np.testing.assert_allclose(whole.deviation[[0, 2]], np.nanstd(X, axis=0, ddof=1)[[0, 2]])


def test_the_scale_is_that_of_what_is_known():
    # A gap counted as 0, or as the median, would pull means and shrink deviations.
    X = np.random.default_rng(3).normal(5, 2, size=(60, 2))
    X[::7, 0] = np.nan
    lowest, highest = np.nanmin(X, axis=0), np.nanmax(X, axis=0)
    ends = lowest, highest
    scale = ScaleSums.of(X[:20], *ends).merge(ScaleSums.of(X[20:], *ends)).scale(*ends)
    np.testing.assert_allclose(scale.mean, np.nanmean(X, axis=0))
    np.testing.assert_allclose(scale.deviation, np.nanstd(X, axis=0, ddof=1))
    assert (scale.apply(X)[::7, 0] == 0).all()
