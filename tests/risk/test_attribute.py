"""Groups that give confidential values away, against the definitions."""

import numpy as np
import pytest
import risk_oracles
from hypothesis import given
from hypothesis import strategies as st
from risk_cases import case_of
from samples import classes_and_values

from microagg.errors import InvalidOption
from microagg.risk import MEASURES
from microagg.risk.attribute import DisclosingGroup, disclosing_groups, homogeneity, skewness


@given(classes_and_values())
def test_homogeneity_and_skewness_equal_the_definitions(table):
    assert homogeneity(*table) == pytest.approx(risk_oracles.homogeneity(*table))
    assert skewness(*table) == pytest.approx(risk_oracles.skewness(*table), abs=1e-12)


@given(classes_and_values(), st.sampled_from([0.3, 0.5, 1.0]), st.sampled_from([0.5, 2.0, float("inf")]))
def test_the_groups_named_are_those_that_reach_a_limit(table, share, gain):
    alike, gains = homogeneity(*table), skewness(*table)
    named = disclosing_groups(*table, most_homogeneity=share, most_skewness=gain)
    assert {group.group for group in named} == set(table[0][(alike >= share) | (gains >= gain)].tolist())
    for group in named:
        rows = np.flatnonzero(table[0] == group.group)
        assert (group.size, group.homogeneity, group.skewness) == (len(rows), alike[rows[0]], gains[rows[0]])
    assert [group.homogeneity for group in named] == sorted((g.homogeneity for g in named), reverse=True)


def test_a_rare_disease_in_one_group():
    """Half of group 1 has what one in ten has: the group is not homogeneous, but it tells."""
    classes, sick = np.repeat([0, 1], [8, 2]), [False] * 8 + [True, False]
    assert disclosing_groups(classes, sick, most_skewness=4)[1] == DisclosingGroup(1, 2, 0.5, pytest.approx(4.0))
    assert MEASURES["homogeneity"](case_of(classes, sick)).value == 80
    assert MEASURES["skewness"](case_of(classes, sick)).value == pytest.approx(4)


def test_a_limit_below_zero_is_refused():
    with pytest.raises(InvalidOption, match="most_skewness must be a number of at least 0; got -1"):
        disclosing_groups(np.array([0]), [1], most_skewness=-1)
