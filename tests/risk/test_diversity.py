"""l-diversity and p-sensitivity against the definitions, and on the example of the paper."""

import numpy as np
import pytest
import risk_oracles
from hypothesis import given
from hypothesis import strategies as st
from risk_cases import case_of
from samples import classes_and_values

from microagg.errors import InvalidData, InvalidOption
from microagg.measures import compose
from microagg.risk import MEASURES
from microagg.risk.diversity import distinct_diversity, entropy_diversity, recursive_diversity


@given(classes_and_values())
def test_distinct_and_entropy_equal_the_definitions(table):
    assert distinct_diversity(*table).tolist() == risk_oracles.distinct_diversity(*table)
    assert entropy_diversity(*table) == pytest.approx(risk_oracles.entropy_diversity(*table))


@given(classes_and_values(), st.sampled_from([0.25, 0.5, 1.0, 2.0, 3.0]))
def test_recursive_equals_the_definition(table, c):
    assert recursive_diversity(*table, c=c).tolist() == risk_oracles.recursive_diversity(*table, c)


@given(classes_and_values())
def test_entropy_never_exceeds_distinct(table):
    assert (entropy_diversity(*table) <= distinct_diversity(*table) + 1e-9).all()


def test_the_inpatients_of_machanavajjhala_are_3_diverse():
    """Figure 3 of the paper: three blocks of four, each with three conditions."""
    blocks = ["heart viral cancer cancer", "cancer heart viral viral", "heart viral cancer cancer"]
    conditions = " ".join(blocks).split()
    classes = np.repeat([0, 1, 2], 4)
    assert MEASURES["distinct_diversity"](case_of(classes, conditions)).value == 3
    assert MEASURES["p_sensitivity"](case_of(classes, conditions)).value == 3
    assert MEASURES["entropy_diversity"](case_of(classes, conditions)).value == pytest.approx(2**1.5)


def test_a_class_of_one_value_is_not_recursively_diverse_for_c_of_1():
    assert recursive_diversity(np.zeros(3, dtype=int), [7, 7, 7], c=1.0).max() == 0
    assert MEASURES["recursive_diversity"](case_of(np.zeros(3, dtype=int), [7, 7, 7])).value == 1


def test_missing_numbers_are_one_value():
    assert distinct_diversity(np.zeros(3, dtype=int), [np.nan, np.nan, 1.0]).tolist() == [2, 2, 2]


def test_what_cannot_be_measured_is_refused():
    with pytest.raises(InvalidOption, match="c must be a finite number above 0; got -1"):
        recursive_diversity(np.zeros(2, dtype=int), [1, 2], c=-1)
    with pytest.raises(InvalidData, match="labels must hold one group number for each of 3 records"):
        distinct_diversity(np.zeros(2, dtype=int), [1, 2, 3])
    with pytest.raises(InvalidData, match=r"one value for each record; got shape \(0,\)"):
        compose(np.zeros(0, dtype=int), [])
    with pytest.raises(InvalidData, match="mixed"):
        compose(np.zeros(2, dtype=int), np.array([1, "a"], dtype=object))
