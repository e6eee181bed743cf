"""Record linkage against every pair of records, ties included."""

import numpy as np
import pytest
import risk_oracles
from hypothesis import given
from hypothesis import strategies as st
from risk_cases import both

from microagg.errors import InvalidData
from microagg.risk import MEASURES
from microagg.risk.linkage import record_linkage


def tables(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Originals and releases: on a grid, where many are equally near, or anywhere."""
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(1, 150)), int(rng.integers(1, 5))
    if rng.random() < 0.5:
        return rng.integers(0, 4, (n, m)).astype(float), rng.integers(0, 4, (n, m)).astype(float)
    X = rng.normal(size=(n, m))
    return X, X + rng.choice([0.0, 0.1, 1.0]) * rng.normal(size=(n, m))


@given(st.integers(0, 2**32 - 1), st.integers(1, 2))
def test_linkage_equals_the_definition(seed, threads):
    original, released = tables(seed)
    assert record_linkage(original, released, threads=threads).tolist() == risk_oracles.record_linkage(
        original, released
    )


@given(st.integers(0, 2**32 - 1))
def test_shuffled_rows_give_shuffled_chances(seed):
    original, released = tables(seed)
    order = np.random.default_rng(seed).permutation(len(original))
    assert (
        record_linkage(original[order], released[order]).tolist() == record_linkage(original, released)[order].tolist()
    )


def test_groups_of_equal_releases_link_with_one_over_their_size():
    X = np.repeat(np.arange(100.0), 7)[:, None]
    assert MEASURES["record_linkage"](both(X, X)).value == pytest.approx(100 / 7)
    assert MEASURES["record_linkage"](both(X, np.zeros_like(X))).value == pytest.approx(100 / 700)


def test_zeros_of_either_sign_are_one_release():
    assert record_linkage([[1.0], [1.0]], [[0.0], [-0.0]]).tolist() == [0.5, 0.5]


def test_tables_of_different_shape_are_refused():
    with pytest.raises(InvalidData, match=r"same records and columns; got \(2, 1\) and \(1, 1\)"):
        record_linkage([[1.0], [2.0]], [[1.0]])
