"""Interval disclosure against the definitions."""

import numpy as np
import pytest
import risk_oracles
from hypothesis import given
from hypothesis import strategies as st
from risk_cases import both

from microagg.errors import InvalidData, InvalidOption
from microagg.risk import MEASURES
from microagg.risk.interval import deviation_interval, rank_interval

seeds = st.integers(0, 2**32 - 1)
widths = st.sampled_from([0.0, 0.05, 0.25, 1.0])


def tables(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    shape = (int(rng.integers(1, 30)), int(rng.integers(1, 4)))
    if rng.random() < 0.5:
        return rng.integers(0, 6, shape).astype(float), rng.integers(0, 6, shape).astype(float)
    X = rng.normal(size=shape)
    return X, X + 0.2 * rng.normal(size=shape)


@given(seeds, widths)
def test_intervals_equal_the_definitions(seed, width):
    original, released = tables(seed)
    assert rank_interval(original, released, width=width).tolist() == risk_oracles.rank_interval(
        original, released, width
    )
    assert deviation_interval(original, released, width=width).tolist() == risk_oracles.deviation_interval(
        original, released, width
    )


@given(seeds)
def test_shuffled_rows_change_nothing(seed):
    original, released = tables(seed)
    order = np.random.default_rng(seed).permutation(len(original))
    for name in ("rank_interval", "deviation_interval"):
        shuffled = MEASURES[name](both(original[order], released[order])).value
        assert shuffled == pytest.approx(MEASURES[name](both(original, released)).value)


def test_what_was_not_changed_is_disclosed():
    X = np.random.default_rng(0).normal(size=(50, 3))
    assert MEASURES["rank_interval"](both(X, X)).value == 100
    assert deviation_interval(X, X, width=0.0).min() == 1
    assert MEASURES["deviation_interval"](both(X, X + 10)).value == 0


def test_widths_and_shapes_that_make_no_sense_are_refused():
    with pytest.raises(InvalidOption, match="width must be between 0 and 1, a share of the records; got 2"):
        rank_interval([[1.0]], [[1.0]], width=2)
    with pytest.raises(InvalidOption, match="width must be a finite number of at least 0"):
        deviation_interval([[1.0]], [[1.0]], width=float("nan"))
    with pytest.raises(InvalidData, match="same records and columns"):
        rank_interval([[1.0], [2.0]], [[1.0]])
