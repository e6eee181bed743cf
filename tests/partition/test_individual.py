"""Individual ranking: each column optimal, and a warning that this is not k-anonymity."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from checks import groups

from microagg.errors import NotKAnonymousWarning
from microagg.partition import METHODS, partition, univariate


def test_each_column_is_cut_as_if_alone() -> None:
    X = np.random.default_rng(0).normal(size=(200, 3))
    with pytest.warns(NotKAnonymousWarning, match="not k-anonymous on the combination of columns"):
        labels = partition(X, 4, method="individual")
    assert labels.shape == (200, 3)
    for j in range(3):
        assert groups(labels[:, j]) == groups(univariate.partition(X[:, j : j + 1], 4))


def test_one_column_is_k_anonymous_and_needs_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert partition([[1.0], [2.0], [9.0], [8.0]], 2, method="individual").tolist() == [[0], [0], [1], [1]]


def test_it_is_the_only_method_with_labels_per_column() -> None:
    assert [name for name, method in METHODS.items() if method.per_column] == ["individual"]
