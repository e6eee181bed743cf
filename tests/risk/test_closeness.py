"""t-closeness against the definition, and on the example of the paper."""

import numpy as np
import pytest
import risk_oracles
from hypothesis import given
from hypothesis import strategies as st
from samples import classes_and_values

from microagg.errors import InvalidData, InvalidOption
from microagg.risk.closeness import DISTANCES, t_closeness
from microagg.semantic import Hierarchy

TREE = Hierarchy.from_edges(["sr", "tr", "fr", "as", "bs", "ut", "ct", "du", "eu"])


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from("abcdefstu")), min_size=1, max_size=25))
def test_hierarchical_closeness_equals_the_cheapest_way_to_move_the_values(rows):
    """Inner nodes are values too: they are parts of themselves."""
    _, classes = np.unique([row[0] for row in rows], return_inverse=True)
    values = [row[1] for row in rows]
    found = t_closeness(classes, values, distance="hierarchical", hierarchy=TREE)
    assert found == pytest.approx(risk_oracles.hierarchical_closeness(classes, values, TREE), abs=1e-9)


def test_many_classes_are_measured_in_parts(monkeypatch):
    rng = np.random.default_rng(0)
    table = (np.arange(60) % 20, rng.choice(list("abcdef"), 60))
    whole = t_closeness(*table, distance="hierarchical", hierarchy=TREE)
    monkeypatch.setattr("microagg.risk.closeness._MOST_AT_ONCE", 30)
    assert t_closeness(*table, distance="hierarchical", hierarchy=TREE).tolist() == whole.tolist()


@given(classes_and_values(), st.sampled_from(["equal", "ordered"]))
def test_closeness_equals_the_definition(table, distance):
    expected = risk_oracles.t_closeness(*table, distance)
    assert t_closeness(*table, distance=distance) == pytest.approx(expected, abs=1e-12)


def test_one_class_is_as_everybody():
    for distance in DISTANCES:
        options = {"distance": distance, "hierarchy": TREE if distance == "hierarchical" else None}
        assert t_closeness(np.zeros(4, dtype=int), list("aabf"), **options).max() == pytest.approx(0)


def test_an_unknown_distance_is_refused():
    with pytest.raises(InvalidOption, match="distance must be one of equal, ordered, hierarchical; got 'far'"):
        t_closeness(np.zeros(2, dtype=int), [1, 2], distance="far")


def test_hierarchies_that_cannot_be_used_are_refused():
    two_parents = Hierarchy.from_edges([("a", "s"), ("a", "t"), ("s", "r"), ("t", "r")])
    with pytest.raises(InvalidData, match=r"must be a tree; a node has several parents\. Make it one with `tree\(\)`"):
        t_closeness(np.array([0]), ["a"], distance="hierarchical", hierarchy=two_parents)
    for options in ({"distance": "hierarchical"}, {"hierarchy": TREE}):
        with pytest.raises(InvalidOption, match="distance 'hierarchical' and a hierarchy go together"):
            t_closeness(np.array([0]), ["a"], **options)
