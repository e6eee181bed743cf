"""The sums of one pass against NumPy, in parts and merged."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microagg.measures.summary import AT_ONCE
from microagg.utility import summarise


@given(st.integers(0, 2**32 - 1), st.integers(1, 30), st.integers(1, 4))
def test_sums_equal_numpy_and_merge(seed, n, m):
    rng = np.random.default_rng(seed)
    X, Y = rng.normal(1e3, 1.0, (n, m)), rng.normal(1e3, 2.0, (n, m))
    Y[:, 0] = 7.1
    cut = int(rng.integers(1, n + 1))
    whole = summarise(X, Y)
    merged = whole if cut == n else summarise(X[:cut], Y[:cut]).merge(summarise(X[cut:], Y[cut:]))
    for summary in (whole, merged):
        assert summary.n == n
        for s, side in enumerate((X, Y)):
            assert summary.means[s] == pytest.approx(side.mean(axis=0))
            gaps = side - side.mean(axis=0)
            assert summary.products[s] == pytest.approx(gaps.T @ gaps, abs=1e-7)
            assert summary.constant[s].tolist() == (side == side[0]).all(axis=0).tolist()
        assert summary.gaps == pytest.approx(np.abs(X - Y).sum(axis=0))
        assert summary.squares == pytest.approx(((X - Y) ** 2).sum(axis=0))


def test_tables_larger_than_one_part():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=2 * AT_ONCE + 17), np.full(2 * AT_ONCE + 17, 0.1)])
    Y = X.copy()
    Y[-1, 1] = 5.0
    summary = summarise(X, Y)
    assert summary.correlation(0)[0, 1] == 0.0
    assert [side.tolist() for side in summary.constant] == [[False, True], [False, False]]
    assert summary.spread == pytest.approx([((X[:, 0] - X[:, 0].mean()) ** 2).sum(), 0.0])


def test_standardised_is_the_summary_of_standardised_records():
    rng = np.random.default_rng(1)
    X, Y = rng.normal(50, 3, (40, 3)), rng.normal(49, 2, (40, 3))
    X[:, 2] = Y[:, 2] = 4.0
    unit = np.where(X.std(axis=0, ddof=1) > 0, X.std(axis=0, ddof=1), np.inf)
    direct = summarise((X - X.mean(axis=0)) / unit, (Y - X.mean(axis=0)) / unit)
    made = summarise(X, Y).standardised()
    for name in ("means", "products", "first"):
        for s in (0, 1):
            assert getattr(made, name)[s] == pytest.approx(getattr(direct, name)[s], abs=1e-9)
    assert made.gaps == pytest.approx(direct.gaps)
    assert made.squares == pytest.approx(direct.squares)
