"""t-closeness against the definition, and on the example of the paper."""

import numpy as np
import pytest
import risk_oracles
from hypothesis import given
from hypothesis import strategies as st
from samples import classes_and_values

from microagg.errors import InvalidOption
from microagg.risk import MEASURES
from microagg.risk.closeness import DISTANCES, t_closeness


@given(classes_and_values(), st.sampled_from(DISTANCES))
def test_closeness_equals_the_definition(table, distance):
    expected = risk_oracles.t_closeness(*table, distance)
    assert t_closeness(*table, distance=distance) == pytest.approx(expected, abs=1e-12)


def test_one_class_is_as_everybody():
    for distance in DISTANCES:
        assert MEASURES["t_closeness"](np.zeros(5, dtype=int), [1, 2, 2, 3, 9], distance=distance) == pytest.approx(0)


def test_an_unknown_distance_is_refused():
    with pytest.raises(InvalidOption, match="distance must be one of equal, ordered; got 'far'"):
        t_closeness(np.zeros(2, dtype=int), [1, 2], distance="far")
