"""The limits of a column: stated, never taken from the data."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microagg.base.limits import ColumnLimits, check_limits, spell_limits
from microagg.errors import InvalidOption


def test_steps_of_limits():
    """Whole numbers stay whole where limits say so; any other range has a thousand steps; a step can be stated."""
    assert ColumnLimits.of("age", (0, 120)).step == 1
    assert ColumnLimits.of("age", (0, 120)).whole
    assert ColumnLimits.of("share", (0, 1)).n_steps == 1000
    assert ColumnLimits.of("share", (0, 1, 0.25)).n_steps == 4
    assert ColumnLimits.of("pay", "-100:100:0.5").n_steps == 400


@pytest.mark.parametrize(
    "stated", [(1,), (0, 1, 2, 3), (5, 5), (9, 1), (0, float("inf")), ("a", 2), "0-120", None, 7, (True, 2), (0, "nan")]
)
def test_what_is_no_limits(stated):
    """Two numbers in order, or three."""
    with pytest.raises(InvalidOption, match="must have its lowest and its highest value"):
        check_limits("age", stated)


@pytest.mark.parametrize("step", [0, -1, 200, 1e-300])
def test_impossible_steps(step):
    """A step divides the range into at least one and not too many."""
    with pytest.raises(InvalidOption, match="the step of column 'age'"):
        ColumnLimits.of("age", (0, 120, step))


@given(
    st.floats(-1e6, 1e6, allow_nan=False), st.floats(0.01, 1e6), st.lists(st.floats(-1e7, 1e7), min_size=1, max_size=20)
)
def test_values_are_the_nearest_steps(low, width, values):
    """Clipped, and at most half a step away; and what is spelt is read again."""
    stated = (low, low + width)
    limits = ColumnLimits.of("x", stated)
    given_values = np.array(values)
    back = limits.values(limits.steps(given_values))
    clipped = np.clip(given_values, float(limits.low), float(limits.low) + limits.width)
    assert (np.abs(back - clipped) <= limits.width / limits.n_steps / 2 * (1 + 1e-6) + 1e-9 * abs(low)).all()
    assert check_limits("x", spell_limits(stated)) == stated
