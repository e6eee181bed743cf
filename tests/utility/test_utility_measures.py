"""Measures that need more than numbers: against definitions, and what must hold of each of them."""

from collections import Counter
from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest
import utility_oracles
from hypothesis import given, settings
from hypothesis import strategies as st

from microagg.measures import Case, Confidential
from microagg.models import design_of, least_squares, logistic
from microagg.semantic import Hierarchy
from microagg.semantic.attribute import hierarchical, nominal, numeric, ordinal
from microagg.utility import (
    MEASURES,
    METRICS,
    assess_all,
    compare_coefficients,
    cramers_v,
    group_losses,
    interval_overlap,
    mutual_information,
    propensity,
    quantile_changes,
    record_losses,
    tails_kept,
)
from microagg.utility.quantiles import LEVELS

seeds = st.integers(0, 2**32 - 1)
ANIMALS = Hierarchy.from_edges([("wolf", "canine"), ("dog", "canine"), ("canine", "animal"), ("cat", "animal")])


def mixed_case(seed: int, n: int = 60, **changed) -> Case:
    """A release of every kind of column in groups of 4, with confidential columns of every kind."""
    rng = np.random.default_rng(seed)
    age = rng.normal(40, 10, n)
    original = np.column_stack(
        [
            age,
            rng.normal(size=n) + age / 10,
            np.full(n, 3.5),
            rng.integers(0, 3, n),
            rng.integers(0, 4, n),
            rng.integers(0, 3, n),
        ]
    )
    labels = np.empty(n, dtype=np.int64)
    labels[np.argsort(age, kind="stable")] = np.arange(n) // 4
    released = original.copy()
    for g in range(labels.max() + 1):
        released[labels == g, :2] = original[labels == g, :2].mean(axis=0)
        released[labels == g, 3:5] = original[labels == g, 3:5][0]
        released[labels == g, 5] = 3  # canine
    animals = hierarchical(ANIMALS)
    return Case(
        names=("age", "height", "constant", "town", "school", "pet"),
        attributes=(
            numeric(),
            numeric(),
            numeric(),
            nominal(["a", "b", "c"]),
            ordinal(["0", "1", "2", "3"]),
            animals,
        ),
        original=original,
        released=released,
        labels=labels,
        k=4,
        confidential={
            "pay": Confidential(age * 2 + rng.normal(size=n), numeric()),
            "ill": Confidential((age > 40).astype(np.int64), nominal(["no", "yes"])),
        },
        **changed,
    )


@given(seeds, st.booleans())
def test_association_and_information_equal_the_definitions(seed, corrected):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 60))
    a, b = rng.integers(0, rng.integers(1, 5), n), rng.integers(0, 4, n)
    b = np.where(rng.random(n) < 0.5, a, b)
    expected = utility_oracles.cramers_v(a.tolist(), b.tolist(), corrected)
    # A root: what is rounded in the sixteenth digit below it shows in the eighth.
    assert cramers_v(a, b, corrected=corrected) == pytest.approx(expected, abs=1e-7)
    assert mutual_information(a, b) == pytest.approx(
        utility_oracles.mutual_information(a.tolist(), b.tolist()), abs=1e-9
    )


def test_cramers_v_of_a_published_table():
    """Hair and eyes of 592 students (Snee 1974): chi square 138.29, V 0.279."""
    table = np.array([[68, 20, 15, 5], [119, 84, 54, 29], [26, 17, 14, 14], [7, 94, 10, 16]])
    hair, eyes = (np.repeat(codes.ravel(), table.ravel()) for codes in np.indices(table.shape))
    assert cramers_v(hair, eyes, corrected=False) == pytest.approx(0.279, abs=5e-4)
    assert cramers_v(hair, eyes, corrected=False) ** 2 * 3 * 592 == pytest.approx(138.29, abs=5e-3)


def test_quantiles_of_a_constant_column_do_not_change():
    """There is no spread to measure a change in: random records never made such a column."""
    X = np.column_stack([np.full(9, 2.0), np.arange(9.0)])
    changes = quantile_changes(X, X + 1.0)
    assert changes[:, 0].tolist() == [0.0] * len(LEVELS)
    assert changes[:, 1] == pytest.approx(1.0 / X[:, 1].std(ddof=1))


@given(seeds)
def test_quantiles_and_tails_equal_the_definitions(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 80))
    X = rng.normal(size=(n, 2)).round(int(rng.integers(0, 4)))
    Y = np.where(rng.random((n, 2)) < 0.5, X, rng.normal(size=(n, 2)))
    deviation = X.std(axis=0, ddof=1)
    for j in range(2):
        before, after = X[:, j].tolist(), Y[:, j].tolist()
        expected = [utility_oracles.quantile(after, q) - utility_oracles.quantile(before, q) for q in LEVELS]
        if X[:, j].max() > X[:, j].min():
            assert quantile_changes(X, Y)[:, j] * deviation[j] == pytest.approx(expected, abs=1e-9)
    # A hair's breadth inside the quantile decides: use values that are not between two records.
    whole = rng.permutation(np.arange(41.0))
    moved = np.where(rng.random(41) < 0.5, whole, rng.permutation(whole))
    assert tails_kept(whole[:, None], moved[:, None])[0] == pytest.approx(utility_oracles.tails_kept(whole, moved))


@settings(max_examples=30)
@given(seeds)
def test_least_squares_equals_the_textbook(seed):
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(8, 40)), int(rng.integers(1, 4))
    X, y = rng.normal(5, 2, (n, m)), rng.normal(3, 1, n)
    fit = least_squares(X, y)
    coefficients, errors = utility_oracles.regression(X, y)
    assert fit.coefficients == pytest.approx(coefficients, abs=1e-8)
    assert fit.errors == pytest.approx(errors, abs=1e-8)


def test_dependent_and_constant_columns_are_left_out():
    rng = np.random.default_rng(0)
    x = rng.normal(size=20)
    fit = least_squares(np.column_stack([np.full(20, 0.1), x, 3 * x + 1, np.zeros(20)]), 2 * x)
    assert fit.coefficients == pytest.approx([0, 0, 2, 0, 0], abs=1e-9)
    assert np.isinf(fit.errors).tolist() == [False, True, False, True, True]


@settings(max_examples=20)
@given(seeds)
def test_overlap_equals_the_definition(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 2))
    Y = X + rng.normal(size=(30, 2)) * 0.3
    y = X @ [1.0, -2.0] + rng.normal(size=30)
    found = compare_coefficients(X, Y, y, y, ("a", "b"))
    (b, b_errors), (a, a_errors) = utility_oracles.regression(X, y), utility_oracles.regression(Y, y)
    for j in (0, 1):
        half, other = 1.959963984540054 * b_errors[j + 1], 1.959963984540054 * a_errors[j + 1]
        expected = utility_oracles.overlap(b[j + 1] - half, b[j + 1] + half, a[j + 1] - other, a[j + 1] + other)
        assert found.overlap[j] == pytest.approx(expected, abs=1e-7)
        assert found.change[j] == pytest.approx(abs(a[j + 1] - b[j + 1]) / b_errors[j + 1], abs=1e-7)


def test_overlap_by_hand():
    half = np.array([1 / 1.959963984540054])
    at = [interval_overlap(np.zeros(1), half, np.array([shift]), half)[0] for shift in (0.0, 0.5, 1.0, 2.0, 5.0)]
    assert at == pytest.approx([1.0, 0.75, 0.5, 0.0, 0.0])
    assert interval_overlap(np.zeros(1), half, np.zeros(1), np.array([np.inf])).tolist() == [0.0]


@settings(max_examples=20)
@given(seeds)
def test_logistic_regression_is_the_most_likely(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(80, 2))
    y = (rng.random(80) < 1 / (1 + np.exp(-X[:, 0]))).astype(float)
    assert logistic(X, y).chances == pytest.approx(utility_oracles.logistic_chances(X, y), abs=2e-4)


def test_propensity_by_hand():
    """With categories alone the fitted chance of a category is the share of its records that were released."""
    original, released = np.repeat([0.0, 1.0], [30, 10])[:, None], np.repeat([0.0, 1.0], [20, 20])[:, None]
    found = propensity(design_of(original, released, [nominal(["f", "m"])], ["sex"]))
    expected = (50 * (20 / 50 - 0.5) ** 2 + 30 * (20 / 30 - 0.5) ** 2) / 80
    assert found.pmse == pytest.approx(expected, abs=1e-5)
    assert found.ratio == pytest.approx(found.pmse / (1 * 0.5**2 * 0.5 / 80))


def test_the_ratio_is_about_one_for_records_drawn_anew():
    """What Snoke et al. derive, for data drawn from the distribution of the originals themselves."""
    rng = np.random.default_rng(0)
    ratios = []
    for _ in range(60):
        X = rng.normal(size=(300, 3))
        made = design_of(X, X[rng.integers(0, 300, 300)], [numeric()] * 3, ["a", "b", "c"])
        ratios.append(propensity(made).ratio)
    assert np.mean(ratios) == pytest.approx(1.0, abs=0.15)


def test_interactions_see_what_columns_alone_do_not():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    X[:, 1] = X[:, 0] + 0.1 * X[:, 1]
    made = design_of(X, np.column_stack([X[:, 0], rng.permutation(X[:, 1])]), [numeric()] * 2, ["a", "b"])
    assert propensity(made, interactions=True).pmse > propensity(made).pmse + 0.05


def test_sides_that_separate_are_told_apart():
    X = np.arange(30.0)[:, None]
    assert propensity(design_of(X, X + 100, [numeric()], ["x"])).pmse == pytest.approx(0.25, abs=0.01)


def test_group_losses_add_up_to_the_loss():
    case = mixed_case(1)
    losses = record_losses(case.original, case.released, case.attributes)
    assert group_losses(losses, case.labels).sum(axis=0) == pytest.approx(losses.sum(axis=0))
    results = {result.name: result for result in assess_all(case)}
    assert losses.sum() == pytest.approx(results["sse"].value)
    by_group = group_losses(losses, case.labels).sum(axis=1)
    worst = sorted(by_group, reverse=True)[: int(np.ceil(len(by_group) / 10))]
    assert results["worst_groups"].value == pytest.approx(100 * sum(worst) / by_group.sum())
    assert sum(results["worst_groups"].columns.values()) == pytest.approx(100)


def test_the_semantic_loss_squares_the_mean_over_columns():
    """By hand: four records of two columns; the common record is (f, low), distances 0 or 1 and 0, 1/2 or 1."""
    original = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 2.0], [0.0, 1.0]])
    released = np.array([[0.0, 0.0], [0.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    attributes = (nominal(["f", "m"]), ordinal(["low", "middle", "high"]))
    case = Case(("sex", "grade"), attributes, original, released, np.array([0, 0, 1, 1]), 2)
    found = MEASURES["semantic_loss"](case)
    assert found.value == pytest.approx(100 * 0.75**2 / (1.0**2 + 0.25**2))
    assert found.columns == pytest.approx({"sex": 100.0, "grade": 100 * 0.5**2 / (1.0**2 + 0.5**2)})
    assert MEASURES["semantic_loss"](mixed_case(1)) is None


BEST = {
    "worst_groups": 0.0,
    "quantile_change": 0.0,
    "values_kept": 100.0,
    "tails_kept": 100.0,
    "pair_correlation": 0.0,
    "pair_association": 0.0,
    "pair_information": 0.0,
    "propensity_mse": 0.0,
    "propensity_ratio": 0.0,
    "interval_overlap": 100.0,
    "coefficient_change": 0.0,
}


@pytest.mark.parametrize("seed", [0, 1])
def test_a_release_without_change_has_the_best_value(seed):
    case = mixed_case(seed)
    results = {result.name: result for result in assess_all(replace(case, released=case.original))}
    for name, best in BEST.items():
        assert results[name].value == pytest.approx(best, abs=1e-9), name
    assert results["classification"].value == results["classification"].before
    assert results["information_loss"].value == 0.0


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_every_measure_is_in_its_range_and_says_what_it_is(seed):
    case = mixed_case(seed)
    results = {result.name: result for result in assess_all(case)}
    expected = {name for name, measure in MEASURES.items() if not measure.extra} - {"semantic_loss"}
    assert set(results) == expected | set(METRICS)
    for name, result in results.items():
        assert result.lowest - 1e-9 <= result.value <= result.highest + 1e-9, name
        assert result.title, name
        assert result.summary, name
        assert result.reference, name
        assert result.better == (
            "higher" if name in {"values_kept", "tails_kept", "interval_overlap", "classification"} else "lower"
        )
        assert result.sampled is None
        assert result.records is None or result.records.shape == (case.n_records,)


@pytest.mark.parametrize("seed", [0, 1])
def test_the_order_of_the_rows_does_not_matter(seed):
    case = mixed_case(seed)
    order = np.random.default_rng(seed).permutation(case.n_records)
    for one, two in zip(assess_all(case), assess_all(case.take(order)), strict=True):
        assert two.value == pytest.approx(one.value, abs=1e-7), one.name
        assert two.columns == (None if one.columns is None else pytest.approx(dict(one.columns), abs=1e-7))
        if one.records is not None:
            assert two.records == pytest.approx(one.records[order], abs=1e-9)


def test_large_tables_are_sampled_and_say_so():
    case = replace(mixed_case(3, n=200), most_records=50)
    results = {result.name: result for result in assess_all(case)}
    assert results["propensity_mse"].sampled == 50
    assert "sample" in results["propensity_mse"].note
    assert results["worst_groups"].sampled is None
    again = {result.name: result for result in assess_all(case)}
    other = {result.name: result for result in assess_all(replace(case, seed=1))}
    assert again["classification"].value == results["classification"].value
    assert other["propensity_mse"].value != results["propensity_mse"].value


@pytest.mark.parametrize("most_records", [None, 50])
def test_measures_of_one_model_fit_it_once(monkeypatch, most_records):
    fits = []
    models = {"propensity": "logistic", "regression": "least_squares"}
    for file, name in models.items():
        module = import_module(f"microagg.utility.{file}")
        fit = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *a, fit=fit, name=name: fits.append(name) or fit(*a))
    case = replace(mixed_case(3, n=200), most_records=most_records)
    assess_all(case)
    # Of each confidential column of numbers, one model before and one after.
    numbers = sum(column.is_number for column in case.confidential.values())
    assert Counter(fits) == {"logistic": 1, "least_squares": 2 * numbers}


def test_what_does_not_apply_is_left_out():
    codes = np.array([[0.0], [1.0], [0.0], [1.0]])
    case = Case(("sex",), (nominal(["f", "m"]),), codes, codes, np.array([0, 0, 1, 1]), 2)
    assert {result.name for result in assess_all(case)} == {
        "information_loss",
        "sse",
        "sst",
        "values_kept",
        "semantic_loss",
        "worst_groups",
        "propensity_mse",
        "propensity_ratio",
    }


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_few_records_are_no_problem(n):
    results = assess_all(mixed_case(4, n=8).take(np.arange(n)))
    assert results
    assert all(result.value is None or np.isfinite(result.value) for result in results)


@pytest.mark.parametrize("target", ["height", "town", "ill"])
def test_a_target_may_be_any_column(target):
    results = {result.name: result for result in assess_all(mixed_case(5, target=target))}
    assert list(results["classification"].columns) == [target]
    assert ("interval_overlap" in results) == (target == "height")
    if target == "height":
        assert all(name.startswith("height ~ ") for name in results["interval_overlap"].columns)


def test_boosted_trees_where_they_are_asked_for():
    pytest.importorskip("sklearn")
    found = MEASURES["classification_trees"](mixed_case(6, n=80, target="ill"))
    assert found.before > 80


def test_columns_grouped_alone_have_no_groups_of_records():
    case = mixed_case(7)
    case = replace(case, labels=np.column_stack([case.labels] * 6))
    assert "worst_groups" not in {result.name for result in assess_all(case)}
