"""What the charts draw equals slow, obvious counts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from microagg.gate import Gate
from microagg.report import moments as moments_module
from microagg.report.charts.categories import category_counts
from microagg.report.charts.histogram import count_bins
from microagg.report.charts.records import MOST_DOTS, principal_map, sample_groups
from microagg.report.charts.sizes import MOST_BARS, group_sizes
from microagg.report.moments import moments

OPEN = Gate(100, 2, details=True)
"""What lets everything pass."""

finite = st.floats(-1e15, 1e15, allow_subnormal=False)


@given(st.lists(st.integers(1, 60), min_size=1, max_size=80))
def test_group_sizes_count_every_group_and_record(sizes):
    labels = np.repeat(np.arange(len(sizes)), sizes)
    bars = group_sizes(labels)
    assert len(bars) <= MOST_BARS
    assert sum(bar.groups for bar in bars) == len(sizes)
    assert sum(bar.records for bar in bars) == sum(sizes)
    for bar in bars:
        assert bar.groups == sum(bar.low <= size <= bar.high for size in sizes)


def test_groups_of_every_column_are_counted_together():
    labels = np.array([[0, 0], [0, 0], [1, 0], [1, 0]])
    assert [(bar.label, bar.groups) for bar in group_sizes(labels)] == [("2", 2), ("3", 0), ("4", 1)]


@given(arrays(np.float64, st.integers(1, 60), elements=finite), st.integers(1, 5))
@example(np.array([5.84e-305, 0.0]), 1)
def test_histograms_hold_every_record(before, k):
    after = np.repeat([before[i : i + k].mean() for i in range(0, len(before), k)], k)[: len(before)]
    drawn = count_bins(before, after, OPEN)
    assert drawn.before.sum() == drawn.after.sum() == len(before)
    assert len(drawn.before) == len(drawn.after) == drawn.axis.bins <= 40
    assert np.isfinite(drawn.axis.edges).all()
    # What is below 1e-290 is drawn at 0.
    values = np.append(before, after)
    values[np.abs(values) < 1e-290] = 0
    assert drawn.is_constant == (values.min() == values.max())


def test_histogram_equals_numpy_on_the_same_edges():
    before = np.random.default_rng(0).normal(size=1000)
    drawn = count_bins(before, before.round(1), OPEN)
    assert not drawn.open_below
    assert not drawn.open_above
    assert drawn.before.tolist() == np.histogram(before, drawn.axis.edges)[0].tolist()


def test_bounds_of_bins_are_round():
    before = np.random.default_rng(1).uniform(17.3, 93.7, size=500)
    edges = count_bins(before, before, OPEN).axis.edges
    assert edges[0] <= before.min()
    assert edges[-1] >= before.max()
    np.testing.assert_allclose(edges / 2.5, np.round(edges / 2.5), atol=1e-9)


def test_whole_numbers_are_not_combed():
    """Bins narrower than 1 would leave every other bin of whole numbers empty."""
    before = np.random.default_rng(2).integers(0, 15, size=5000).astype(np.float64)
    drawn = count_bins(before, before, OPEN)
    assert drawn.axis.step == 1
    assert drawn.before.tolist() == np.bincount(before.astype(int)).tolist()


def test_heavy_tail_is_drawn_on_a_logarithmic_line():
    before = np.random.default_rng(3).lognormal(8, 2, size=3000)
    drawn = count_bins(before, before, OPEN)
    assert drawn.axis.threshold > 0
    assert np.count_nonzero(drawn.before) > 15
    for value, place in drawn.axis.ticks():
        assert 0 <= place <= 1
        assert value == 0 or abs(np.log10(value) % 1) < 1e-9 or abs(np.log10(value) % 1 - 1) < 1e-9


def test_single_outlier_does_not_squeeze_the_rest():
    before = np.append(np.random.default_rng(4).normal(size=999), 1e6)
    drawn = count_bins(before, before, OPEN)
    assert drawn.open_above
    assert drawn.before[-1] >= 1
    assert np.count_nonzero(drawn.before) > 10


def test_huge_beside_tiny():
    before = np.array([1e15, 1e-15] * 50)
    assert count_bins(before, before, OPEN).before[[0, -1]].tolist() == [50, 50]


def test_overflowing_range():
    before = np.array([-1.7e308, 1.7e308, 0.0])
    drawn = count_bins(before, before, OPEN)
    assert drawn.before.sum() == 3
    assert len(drawn.axis.ticks()) > 0


@given(arrays(np.float64, st.tuples(st.integers(2, 30), st.integers(1, 4)), elements=st.integers(-50, 50).map(float)))
def test_moments_equal_numpy(X):
    got = moments(X)
    np.testing.assert_allclose(got.mean, X.mean(axis=0), atol=1e-9)
    np.testing.assert_allclose(got.deviation, X.std(axis=0, ddof=1), atol=1e-9)
    varies = np.flatnonzero(np.ptp(X, axis=0) > 0)
    constant = np.flatnonzero(np.ptp(X, axis=0) == 0)
    if len(varies):
        expected = np.corrcoef(X[:, varies], rowvar=False).reshape(len(varies), -1)
        np.testing.assert_allclose(got.correlation[np.ix_(varies, varies)], expected, atol=1e-9)
    assert np.isnan(got.correlation[constant]).all()
    assert np.isnan(got.correlation[:, constant]).all()


def test_moments_do_not_depend_on_blocks(monkeypatch):
    X = np.random.default_rng(5).normal(size=(500, 3))
    whole = moments(X)
    monkeypatch.setattr(moments_module, "BLOCK", 100)
    parts = moments(X)
    np.testing.assert_allclose(parts.correlation, whole.correlation, atol=1e-12)
    np.testing.assert_allclose(parts.deviation, whole.deviation, rtol=1e-12)


def test_moments_of_huge_values_do_not_overflow():
    got = moments(np.array([[1e300, 1.0], [-1e300, 2.0], [5e299, 4.0]]))
    assert np.isfinite(got.deviation).all()
    assert np.isfinite(got.correlation).all()


def test_map_carries_the_variance_it_claims():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(300, 4)) @ rng.normal(size=(4, 4))
    labels = np.arange(300) // 3
    drawn = principal_map(X, X, labels, moments(X))
    assert drawn is not None
    assert len(drawn.before) == 300
    np.testing.assert_allclose(drawn.before.var(axis=0, ddof=1) / 4, drawn.shares)
    np.testing.assert_array_equal(drawn.before, drawn.after)
    np.testing.assert_array_equal(drawn.groups, labels)


def test_map_of_one_column_gives_each_group_its_own_height():
    X = np.arange(12.0)[:, None]
    drawn = principal_map(X, X, np.arange(12) // 3, moments(X))
    assert drawn is not None
    assert drawn.shares == (1.0, 0.0)
    assert len(np.unique(drawn.before[:, 1])) == 4


def test_map_of_constants_is_none():
    X = np.ones((6, 2))
    assert principal_map(X, X, np.arange(6) // 3, moments(X)) is None


@pytest.mark.parametrize("size", [2, 5, 40, 2500])
def test_sample_holds_whole_groups_and_few_records(size):
    labels = np.random.default_rng(7).permutation(np.arange(20_000) // size)
    rows = sample_groups(labels)
    assert len(np.unique(rows)) == len(rows) <= MOST_DOTS
    assert len(rows) >= MOST_DOTS // 2
    if size < MOST_DOTS:
        assert set(np.bincount(labels[rows]).tolist()) == {0, size}
    np.testing.assert_array_equal(rows, sample_groups(labels))


def test_categories_that_few_hold_are_not_named():
    """A name on the page must not point to fewer than k persons; the counts add up all the same."""
    original = np.array([0.0] * 49 + [1.0] * 5 + [2.0] * 2 + [3.0])
    released = np.array([0.0] * 49 + [1.0] * 8)
    counts = category_counts(original, released, ["oak", "elm", "yew", "fig"], Gate(len(original), 3))
    assert [(c.label, c.before, c.after) for c in counts] == [("oak", 49, 49), ("elm", 5, 8), ("others", 3, 0)]
    assert sum(c.before for c in counts) == sum(c.after for c in counts) == len(original)


def test_few_categories_are_drawn():
    codes = np.repeat(np.arange(30.0), 5)
    counts = category_counts(codes, codes, [f"v{i}" for i in range(30)], Gate(len(codes), 2), most=10)
    assert len(counts) == 11
    assert counts[-1].before == 100
