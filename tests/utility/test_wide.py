"""Files of hundreds of columns: samples of columns and of pairs are as good, and are told."""

from itertools import combinations

import numpy as np
import pytest

from microagg.measures import Case, Confidential
from microagg.models import left_out, predict_left_out
from microagg.models.linear import DEPENDENT, independent
from microagg.semantic.attribute import nominal, numeric
from microagg.utility import MEASURES, dependence


def wide_case(n: int = 120, numbers: int = 130, codes: int = 70, seed: int = 0) -> Case:
    """Columns that follow a few common causes, in groups of 4; two confidential columns."""
    rng = np.random.default_rng(seed)
    causes = rng.normal(size=(n, 3))
    X = causes @ rng.normal(size=(3, numbers)) + rng.normal(size=(n, numbers))
    C = rng.integers(0, 4, (n, codes)).astype(float)
    original = np.hstack([X, C])
    labels = np.empty(n, dtype=np.int64)
    labels[np.argsort(causes[:, 0])] = np.arange(n) // 4
    released = original.copy()
    for group in range(n // 4):
        released[labels == group, :numbers] = X[labels == group].mean(axis=0)
        released[labels == group, numbers:] = C[labels == group][0]
    return Case(
        names=tuple(f"x{j}" for j in range(numbers + codes)),
        attributes=(numeric(),) * numbers + (nominal(list("abcd")),) * codes,
        original=original,
        released=released,
        labels=labels,
        k=4,
        confidential={"ill": Confidential((causes[:, 0] > 0).astype(np.int64), nominal(["no", "yes"]))},
    )


@pytest.mark.parametrize("name", ["pair_information", "pair_association"])
def test_many_pairs_are_sampled_and_the_mean_is_about_that_of_all(monkeypatch, name):
    """1,000 of 20,000 pairs give the mean as well as all of them do, in a twentieth of the time."""
    case = wide_case()
    sampled = MEASURES[name](case)
    assert len(sampled.columns) == dependence.MOST_PAIRS
    n_columns = 71 if name == "pair_association" else 201
    assert sampled.note == f"of a sample of 1,000 of {n_columns * (n_columns - 1) // 2:,} pairs of columns"
    assert MEASURES[name](case).columns == sampled.columns
    monkeypatch.setattr(dependence, "MOST_PAIRS", 10**6)
    every = MEASURES[name](case)
    assert every.note == ""
    assert sampled.value == pytest.approx(every.value, rel=0.05)
    assert sampled.columns == {pair: every.columns[pair] for pair in sampled.columns}


def test_all_correlations_count_and_those_that_moved_most_are_told(monkeypatch):
    """They all follow from one matrix, so that a sample would save nothing; a page of 20,000 pairs helps nobody."""
    monkeypatch.setattr(dependence, "MOST_PAIRS", 50)
    case = wide_case(numbers=30, codes=0)
    finding = MEASURES["pair_correlation"](case)
    before, after = (np.corrcoef(side.T) for side in (case.original, case.released))
    moved = {f"x{a} x x{b}": abs(after[a, b] - before[a, b]) for a, b in combinations(range(30), 2)}
    assert finding.value == pytest.approx(np.mean(list(moved.values())))
    assert list(finding.columns) == sorted(moved, key=lambda pair: -moved[pair])[:50]
    assert "50 of 435 pairs" in finding.note


def test_the_propensity_of_many_columns_is_that_of_a_sample_of_them():
    """A model of 200 columns and their squares would explain 240 records whatever had been done to them."""
    case = wide_case(n=400)
    few = MEASURES["propensity_mse"](case)
    assert few.note == MEASURES["propensity_ratio"](case).note == "of a sample of 100 of 200 columns"
    assert 0 < few.value < 0.25
    assert MEASURES["propensity_mse"](wide_case(numbers=50, codes=50)).note == ""


def test_linear_models_take_the_columns_that_tell_most(monkeypatch):
    """With more columns than records a model of them all tells nothing of anybody else; one of the right ones does."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 400))
    pay, ill = 3.0 * X[:, 317] + 0.1 * rng.normal(size=150), (X[:, 317] > 0).astype(np.int64)
    monkeypatch.setattr(left_out, "MOST_TERMS", 10)
    assert predict_left_out(X, X, pay, is_number=True).skill > 0.99
    guess = predict_left_out(X, X, ill, is_number=False)
    assert guess.skill > 0.6
    assert guess.note == "each model took the 10 of 400 terms that tell most"
    noise = rng.integers(0, 2, 150)
    assert predict_left_out(X, X, noise, is_number=False).skill < 0.2, "chosen among the records left out too"


def test_folds_do_not_depend_on_columns_where_the_first_differ():
    """Rows are put in order by as many columns as it takes; all of them give the same order."""
    rng = np.random.default_rng(0)
    for values in (2, 3, 1000):
        rows = rng.integers(0, values, (40, 30)).astype(float)
        rows[7] = rows[3]
        order = np.lexsort(rows.T[::-1])
        parts = np.empty(40, dtype=int)
        parts[order] = np.random.default_rng(5).permutation(40) % 4
        assert left_out._parts(rows, 4, 5)[order].tolist() == parts[order].tolist()


def test_independent_columns_equal_those_by_elimination():
    """The first column of each set of dependent ones is kept, however the factor is computed."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        X = rng.normal(size=(30, 12))
        X[:, 4], X[:, 9] = X[:, 1] + X[:, 2], 2 * X[:, 0]
        X[:, 6] = 0.0
        X /= np.where(lengths := np.sqrt((X**2).sum(axis=0)), lengths, 1.0)
        rest, kept = X.T @ X, []
        for j in range(12):
            kept.append(rest[j, j] > DEPENDENT)
            if kept[-1]:
                rest = rest - np.outer(rest[:, j], rest[j]) / rest[j, j]
        assert independent(X.T @ X).tolist() == kept
