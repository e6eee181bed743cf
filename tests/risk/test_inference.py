"""Inference: predictions of records left out against models fitted one by one, and the published example."""

import csv

import numpy as np
import pytest
from checks import data_folder
from hypothesis import given, settings
from hypothesis import strategies as st

from microagg.errors import InvalidData, InvalidOption
from microagg.models import MODELS, least_squares
from microagg.risk import inference
from microagg.semantic.attribute import nominal, numeric

PLAIN = [model for model in MODELS if model != "trees"]


def example(seed: int, n: int = 40) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Quasi-identifiers before and after, a number and a class that follow from them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    labels = np.empty(n, dtype=int)
    labels[np.argsort(X[:, 0])] = np.arange(n) // 4
    released = np.array([X[labels == g].mean(axis=0) for g in labels])
    pay = 3.0 * X[:, 0] - X[:, 1] + 0.1 * rng.normal(size=n)
    return X, released, pay, (pay > 0).astype(np.int64) + (pay > 3)


def test_the_estimate_of_the_thesis():
    """Disclosure by regression in the thesis, listings 2.1 and 2.2: R2 0.2847402, 9977.568 for a capital of 10000."""
    with (data_folder() / "tarragona.csv").open(newline="", encoding="utf-8") as file:
        header, *rows = list(csv.reader(file))
    X = np.array(rows, dtype=float)
    capital = header.index("PAID.UP.CAPITAL")
    used = [j for j, name in enumerate(header) if name not in {"PAID.UP.CAPITAL", "FIXED.ASSETS"}]
    others = np.delete(X, 9, axis=0)
    others = others[others[:, capital] > 0]
    fit = least_squares(others[:, used], np.log(others[:, capital]))
    assert fit.r_squared == pytest.approx(0.2847402, abs=1e-7)
    assert np.exp(fit.predict(X[[9]][:, used])) == pytest.approx([9977.568], abs=1e-3)


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1))
def test_with_a_fold_for_each_record_it_is_what_the_others_say(seed):
    X, released, pay, _ = example(seed, n=12)
    found = inference(X, released, None, pay, folds=12)
    scale = X.mean(axis=0), X.std(axis=0, ddof=1)
    known, seen = (X - scale[0]) / scale[1], (released - scale[0]) / scale[1]
    for i in range(12):
        rest = np.arange(12) != i
        columns = np.column_stack([np.ones(11), seen[rest]])
        solved, *_ = np.linalg.lstsq(columns, pay[rest], rcond=None)
        assert found.predicted[i] == pytest.approx(solved[0] + known[i] @ solved[1:], abs=1e-8)
        near = ((seen[rest] - known[i]) ** 2).sum(axis=1)
        nearest = near <= near.min() + 1e-9
        by_group = inference(X, released, None, pay, folds=12, model="nearest")
        assert by_group.predicted[i] == pytest.approx(pay[rest][nearest].mean())
        assert found.guessed[i] == pytest.approx(pay[rest].mean())
    assert found.skill == pytest.approx(
        max(0.0, 1 - ((found.predicted - pay) ** 2).mean() / ((found.guessed - pay) ** 2).mean())
    )


@pytest.mark.parametrize("model", PLAIN)
@pytest.mark.parametrize("is_number", [True, False])
def test_it_tells_what_there_is_to_tell(model, is_number):
    X, released, pay, band = example(3, n=400)
    values, meaning = (pay, numeric()) if is_number else (band, nominal(["low", "middle", "high"]))
    told = inference(X, X, None, values, meaning, model=model)
    assert told.skill > 0.7
    assert inference(X, released, None, values, meaning, model=model).skill <= told.skill + 0.02
    nothing = inference(X, np.zeros_like(X), None, values, meaning, model=model)
    assert nothing.predicted.tolist() == pytest.approx(nothing.guessed.tolist())
    assert nothing.skill == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("model", PLAIN)
@pytest.mark.parametrize("is_number", [True, False])
def test_the_order_of_the_rows_does_not_matter(model, is_number):
    X, released, pay, band = example(5)
    X[:10], released[:10] = X[0], released[0]
    values, meaning = (pay, numeric()) if is_number else (band, nominal(["low", "middle", "high"]))
    order = np.random.default_rng(1).permutation(len(X))
    found = inference(X, released, None, values, meaning, seed=2, model=model)
    again = inference(X[order], released[order], None, values[order], meaning, seed=2, model=model)
    assert again.predicted == pytest.approx(found.predicted[order], abs=1e-9)


def test_the_seed_decides_who_is_left_out_together():
    X, released, pay, _ = example(6)
    one, same, other = (inference(X, released, None, pay, seed=seed).predicted.tolist() for seed in (1, 1, 2))
    assert one == same != other


@pytest.mark.parametrize("is_number", [True, False])
def test_boosted_trees_learn_what_a_line_cannot(is_number):
    pytest.importorskip("sklearn")
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(300, 2))
    values = (X[:, 0] * X[:, 1] > 0).astype(np.int64)
    meaning = numeric() if is_number else nominal(["no", "yes"])
    asked = (X, X, [numeric()] * 2, values.astype(float) if is_number else values, meaning, 0)
    trees, linear = (inference(*asked, model=model, folds=3).skill for model in ("trees", "linear"))
    assert trees > 0.6 > 0.3 > linear


def test_without_the_extra_it_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "sklearn", None)
    X, released, pay, _ = example(7)
    with pytest.raises(ImportError, match=r"microagg\[sklearn\]"):
        inference(X, released, None, pay, model="trees")


def test_gaps_are_left_aside_and_what_is_constant_tells_nothing():
    X, released, pay, band = example(8)
    pay[:5], band[:5] = np.nan, -1
    assert len(inference(X, released, None, pay).predicted) == 35
    assert len(inference(X, released, None, band, nominal(["low", "middle", "high"])).predicted) == 35
    assert inference(X, released, None, np.full(40, 0.1)).skill == 0.0


def test_what_cannot_be_done_is_said():
    X, released, pay, _ = example(9)
    with pytest.raises(InvalidOption, match="model must be one of linear, nearest, trees"):
        inference(X, released, None, pay, model="oracle")
    with pytest.raises(InvalidData, match="at least 4 records"):
        inference(X[:3], released[:3], None, pay[:3])
