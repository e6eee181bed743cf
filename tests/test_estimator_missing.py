"""Missing values in `Microaggregator`: the policies of a release, as far as a transformer can keep them."""

import numpy as np
import pandas as pd
import pytest

from microagg import Microaggregator
from microagg.errors import InvalidData, InvalidOption


def numbers(n=60, share=0.15):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    X[rng.random(X.shape) < share] = np.nan
    return X


def test_missing_values_are_refused_by_default():
    assert not Microaggregator().__sklearn_tags__().input_tags.allow_nan
    with pytest.raises(ValueError, match="NaN"):
        Microaggregator(k=3).fit(numbers())


@pytest.mark.parametrize("method", ["auto", "mdav", "mixed"])
def test_missing_numbers_come_out_as_missing(method):
    X = numbers()
    estimator = Microaggregator(k=3, method=method, missing="value")
    assert estimator.__sklearn_tags__().input_tags.allow_nan
    out = estimator.fit_transform(X)
    assert np.isnan(out[np.isnan(X)]).all()
    assert np.unique(np.nan_to_num(out, nan=99.0), axis=0, return_counts=True)[1].min() >= 3
    again = estimator.transform(X)
    assert np.isnan(again[np.isnan(X)]).all(), "new records are not given what they lack either"


def test_medians_of_what_was_fitted_are_imputed():
    X = numbers()
    estimator = Microaggregator(k=3, missing="impute-any-share")
    assert np.isfinite(estimator.fit_transform(X)).all()
    assert np.isfinite(estimator.transform(np.array([[np.nan, 0.0, 0.0]]))).all()
    with pytest.raises(InvalidData, match="'0' lacks 50% of its values, and at most 20%"):
        Microaggregator(k=3, missing="impute").fit(np.array([[1.0], [np.nan]] * 5))


def test_rows_cannot_be_dropped():
    with pytest.raises(InvalidOption, match="a transformer gives a row for each row"):
        Microaggregator(k=3, missing="drop").fit(numbers())


def test_frames_with_categories():
    rng = np.random.default_rng(1)
    data = pd.DataFrame(
        {"age": rng.integers(20, 80, 90).astype(float), "job": rng.choice(["a", "b"], 90).astype(object)}
    )
    data.loc[:9, "job"] = None
    data.loc[5:14, "age"] = np.nan
    estimator = Microaggregator(k=4, missing="value")
    out = estimator.fit_transform(data)
    assert out.isna()[data.isna()].all(axis=None, skipna=True)
    assert out.groupby(["age", "job"], dropna=False).size().min() >= 4
    new = pd.DataFrame({"age": [30.0, np.nan], "job": [None, "a"]})
    assert estimator.transform(new).isna()[new.isna()].all(axis=None, skipna=True)
    mixed = Microaggregator(k=4, missing={"age": "impute", "job": "value"}).fit(data)
    assert mixed.transform(new)["age"].notna().all()
    with pytest.raises(InvalidData, match="lack a value"):
        Microaggregator(k=4, missing={"age": "impute"}).fit(data)
