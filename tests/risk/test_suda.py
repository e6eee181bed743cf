"""Minimal sample uniques and their scores against every set of attributes."""

import numpy as np
import pytest
import risk_oracles
from hypothesis import given
from hypothesis import strategies as st
from risk_cases import both

from microagg.errors import InvalidData, InvalidOption
from microagg.risk import MEASURES
from microagg.risk.suda import minimal_uniques, suda2

tables = st.integers(1, 4).flatmap(lambda m: st.lists(st.tuples(*[st.integers(0, 2)] * m), min_size=1, max_size=20))
sizes = st.integers(1, 5)


@given(tables, sizes)
def test_minimal_uniques_equal_the_definition(rows, max_size):
    found = minimal_uniques(np.array(rows), max_size=max_size)
    pairs = [(unique.attributes, i) for unique in found for i in unique.records.tolist()]
    assert len(pairs) == len(set(pairs))
    assert set(pairs) == risk_oracles.minimal_uniques(rows, min(max_size, len(rows[0])))


@given(tables, sizes, st.sampled_from([0.01, 0.1, 1.0]))
def test_scores_equal_the_definition(rows, max_size, fraction):
    result = suda2(np.array(rows), max_size=max_size, fraction=fraction)
    scores = risk_oracles.suda_scores(rows, min(max_size, len(rows[0])))
    assert result.scores.tolist() == scores
    assert result.dis == pytest.approx(risk_oracles.dis_scores(scores, rows, fraction))


@given(tables)
def test_contributions_count_each_unique_once_for_each_of_its_attributes(rows):
    result = suda2(np.array(rows))
    assert ((result.contributions >= 0) & (result.contributions <= 1)).all()
    for i, score in enumerate(result.scores):
        attributes = [u.attributes for u in result.minimal_uniques if i in u.records]
        assert (score > 0) == bool(attributes)
        assert set(np.flatnonzero(result.contributions[i])) == {j for part in attributes for j in part}


def test_an_unknown_sample_of_the_population_is_refused():
    keys = np.array([[1], [2]])
    for fraction in (0, 1.5, float("nan")):
        with pytest.raises(InvalidOption, match="fraction must be above 0 and at most 1"):
            suda2(keys, fraction=fraction)
    with pytest.raises(InvalidOption, match="max_size must be a whole number of at least 1; got 0"):
        suda2(keys, max_size=0)
    with pytest.raises(InvalidData, match=r"1 to 27 attributes; got shape \(2, 28\)"):
        suda2(np.zeros((2, 28), dtype=int))


def test_records_that_are_never_alone_score_nothing():
    assert MEASURES["suda"](both(sides := np.array([[1, 2], [1, 2], [3, 3], [3, 3]]), sides)).value == 0


def test_a_file_without_pairs_is_certain_to_be_matched():
    assert MEASURES["suda"](both(sides := np.array([[1, 1], [2, 2]]), sides)).value == 100


def test_the_contributions_that_sdcmicro_checks():
    """Three records of its test of suda2: the attributes contribute 50, 37.5 and 37.5 percent."""
    result = suda2(np.array([[2, 0, 0], [1, 3, 6], [1, 0, 0]]))
    whole = (result.contributions * result.scores[:, None]).sum(axis=0) / result.scores.sum()
    assert (100 * whole).tolist() == [50, 37.5, 37.5]
