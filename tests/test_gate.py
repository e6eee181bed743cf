"""The gate: what it withholds, what it rounds, and that nothing goes past it."""

from __future__ import annotations

import dataclasses
import math
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import microagg as ma
from microagg import risk
from microagg.gate import DOMINANCE, FEWEST, SUMMARY, Gate, is_named, of_the_release, significant, significant_all
from microagg.measures import Result

counts = arrays(np.int64, st.integers(1, 30), elements=st.integers(0, 40))
finite = st.floats(-1e12, 1e12, allow_nan=False, allow_subnormal=False)


def result(name, value=None, before=None, **more):
    return Result(name, name, "", "", value, before, **more)


@given(counts, st.integers(2, 10))
def test_withheld_cells_hide_among_k(cells, k):
    """What is told and the number of all records together tell nothing of 1 to k - 1 records."""
    told = Gate(1000, k).cells(cells)
    assert set(cells[told].tolist()).isdisjoint(range(1, k))
    missing = int(cells[~told].sum())
    assert missing == 0 or missing >= k or told[cells > 0].sum() == 0
    if (cells[cells > 0] >= k).all():
        assert told.all()


@given(st.lists(st.integers(1, 12), min_size=1, max_size=40), st.integers(2, 8))
def test_no_two_told_counts_differ_by_a_few(sizes_of_classes, k):
    sizes = np.repeat(sizes_of_classes, sizes_of_classes)
    gate = Gate(1000, k)
    below = [int((sizes < size).sum()) for size in gate.cuts(sizes, [2, 3, 5, 10, k])]
    known = sorted({0, len(sizes), *below})
    assert all(later - earlier >= k for earlier, later in pairwise(known)) or not below


@given(st.integers(0, 400), st.integers(2, 20))
def test_counts_and_what_is_left_are_zero_or_k(count, k):
    told = Gate(400, k).count(count, of=400)
    assert (told is None) == (0 < count < k or 0 < 400 - count < k)


@given(finite, st.integers(FEWEST, 10**7))
def test_figures_are_rounded_and_bounds_stay_bounds(value, n):
    gate = Gate(n, 5)
    assert gate.figure(value) == pytest.approx(value, rel=0.5 * 10.0 ** (1 - gate.digits))
    assert len(f"{gate.figure(value):e}".split("e")[0].strip("-0").replace(".", "")) <= max(gate.digits, 7)
    bound = gate.lower_bound(value)
    assert bound <= value
    assert bound == pytest.approx(value, rel=10.0 ** (1 - gate.digits))


@given(finite, st.floats(1e-3, 1e6), st.integers(FEWEST, 10**6))
def test_means_are_rounded_in_units_of_the_deviation(value, deviation, n):
    gate = Gate(n, 5)
    assert abs(gate.mean(value, deviation) - value) <= max(deviation * 10.0 ** (1 - gate.digits), abs(value))
    if abs(value) > deviation:
        assert abs(gate.mean(value, deviation) - value) <= deviation * 10.0 ** (2 - gate.digits)


@given(finite)
def test_of_few_records_no_figure_passes_and_with_details_every_one(value):
    assert Gate(FEWEST - 1, 3).figure(value) is None
    assert Gate(FEWEST - 1, 3, details=True).figure(value) == value
    assert Gate(FEWEST - 1, 3).count(7) is None


@given(counts, st.integers(2, 10))
def test_categories_are_named_that_the_release_holds_or_k_share(before, k):
    after = np.roll(before, 1) // 5
    named = Gate(1000, k).names(before, after)
    assert (named == ((after > 0) | (before >= k))).all()
    assert (Gate(10, k).names(before, after) == (after > 0)).all()


def test_sums_that_a_few_decide_are_found():
    ordinary = np.random.default_rng(0).normal(size=200)
    assert not Gate(200, 5).dominated(ordinary)
    assert Gate(200, 5).dominated(np.append(ordinary, 1e6))
    assert Gate(200, 5).dominated(np.append(ordinary, [1e300, -1e300]))
    assert not Gate(200, 5, details=True).dominated(np.append(ordinary, 1e6))
    assert 0.5 < DOMINANCE < 1


def test_measures_of_the_release_are_public_and_no_others():
    """Anybody can count classes; linkage, inference and every loss take the original."""
    assert of_the_release("smallest_class")
    assert of_the_release("homogeneity")
    for name in ("record_linkage", "rank_interval", "inference_linear", "information_loss", "interval_overlap"):
        assert not of_the_release(name), name
    told = {row.name: row for row in Gate(20, 3).results([result(name, 1.5, 2.5) for name in risk.MEASURES], ())}
    assert set(told) == {name for name in risk.MEASURES if of_the_release(name)}
    assert all((row.value, row.before) == (1.5, None) for row in told.values())


def test_parts_that_few_hold_are_left_out_and_cannot_be_worked_out():
    """The mean of all terms less the told ones would be the one that is withheld."""
    parts = {"pay ~ age": 10.0, "pay ~ job=baker": 20.0, "pay ~ job=spy": 90.0}
    row = result("interval_overlap", 40.0, 100.0, columns=parts)
    (told,) = Gate(100, 5).results([row], ["pay", "age", "job"], {"job": ["baker"]})
    assert told.columns == {"pay ~ age": 10.0, "pay ~ job=baker": 20.0}
    assert told.value == 15.0
    assert "fewer than 5" in told.note
    (open_book,) = Gate(100, 5, details=True).results([row], [])
    assert open_book is row


def test_messages_of_measures_that_failed_do_not_pass():
    (told,) = Gate(100, 5).results([result("suda", note="record 17 holds 'spy'")], [])
    assert "17" not in told.note
    assert told.note


def test_counts_of_a_few_do_not_pass_as_measures():
    rows = [result("uniques", 0, 90), result("violations", 0, 92)]
    told = {row.name: row.before for row in Gate(200, 5).results(rows, [])}
    assert told == {"uniques": 90, "violations": None}, "2 records more would be told"
    (alone,) = Gate(200, 5).results([result("uniques", 0, 3)], [])
    assert alone.before is None
    (linked,) = Gate(200, 5).results([result("record_linkage", 1.0, 100.0)], [])
    assert (linked.value, linked.before) == (None, 100.0), "1 % of 200 records are 2"
    assert linked.note == "withheld after: fewer than 5 records"


def test_ends_of_columns_pass_only_where_enough_lie_beyond():
    row = result("quantile_change", 0.1)
    assert Gate(400, 5).results([row], []) == ()
    assert len(Gate(500, 5).results([row], [])) == 1


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("age", True),
        ("spy", False),
        ("age x a x b", True),
        ("age x spy", False),
        ("pay ~ a x b", True),
        ("pay ~ job=a=b", True),
        ("pay ~ job=spy", False),
        ("spy ~ age", False),
        ("", False),
    ],
)
def test_parts_name_columns_and_categories_that_may_be_named(text, named):
    columns = ["age", "pay", "job", "a x b"]
    assert is_named(text, columns, {"job": {"a=b"}}) is named


def test_every_key_of_a_summary_has_a_rule():
    """A key without one does not pass: who adds one decides here whether it is public."""
    frame = pd.DataFrame({"age": np.arange(60.0), "ill": ["a", "b"] * 30})
    release = ma.anonymize(frame, k=3, quasi=["age"], confidential=["ill"])
    assert set(release.summary) - set(SUMMARY) == {"seconds_by_step"}
    assert set(SUMMARY) - set(release.summary) == {"homogeneous"}
    told = release.published
    assert list(told)[-1] == "withheld"
    assert told["information_loss"] == significant(release.information_loss, 3)
    assert told["risks"] == release.risks
    assert told["sha256"] == {}
    assert "x" not in release.gate.summary({"x": 1})


def test_homogeneous_groups_are_known_without_the_other_measures():
    frame = pd.DataFrame({"age": np.repeat([1.0, 9.0], 30), "ill": ["a"] * 30 + ["a", "b", "c"] * 10})
    release = ma.anonymize(frame, k=30, quasi=["age"], confidential=["ill"])
    assert release.published["homogeneous"] == [{"column": "ill", "groups": 1, "records": 30}]
    assert "assessment" not in vars(release)
    assert release.homogeneous == release.assessment.homogeneous


def test_the_gate_says_what_it_withholds():
    assert Gate(100, 5, details=True).withheld == ()
    assert str(FEWEST) in Gate(10, 5).withheld[0].why
    withheld = Gate(100, 5).withheld
    assert withheld
    assert all(all(dataclasses.astuple(what)) for what in withheld)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 0.0])
def test_numbers_without_digits_pass(value):
    told = Gate(100, 5).figure(value)
    assert told == value or (math.isnan(told) and math.isnan(value))


@given(arrays(np.float64, st.integers(0, 20), elements=st.floats()), st.integers(1, 10))
def test_many_figures_are_rounded_as_one(values, digits):
    """A page with a matrix of correlations rounds them all at once, to the same digits."""
    one_by_one = [significant(value, digits) for value in values.tolist()]
    assert significant_all(values, digits) == pytest.approx(np.array(one_by_one), rel=0, abs=0, nan_ok=True)


def test_halves_are_rounded_as_python_rounds_them():
    values = np.array([0.5, 1.5, 2.5, 12.5, 2.675, 1.005, 99999.5, 0.000125, -1250.0, 1e22, 5e-324])
    for digits in (1, 2, 3):
        assert significant_all(values, digits).tolist() == [significant(value, digits) for value in values.tolist()]
