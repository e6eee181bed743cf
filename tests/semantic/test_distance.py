"""Wu and Palmer's similarity, and the attributes made of it."""

from __future__ import annotations

import numpy as np
import pytest
from hierarchies import ANIMALS, PERSON, random_hierarchy

from microagg.base.schema import Kind
from microagg.errors import InvalidData, InvalidOption
from microagg.semantic import Hierarchy, distances, hierarchical, nominal, numeric, ordinal, similarity
from microagg.semantic.attribute import UNIT, compress


def slow_similarity(graph: Hierarchy, a: str, b: str) -> float:
    """The definition, from sets of ancestors."""

    def steps(name: str, target: str) -> float:
        if name == target:
            return 0
        return 1 + min((steps(graph.names[p], target) for p in graph.parents[graph.position[name]]), default=np.inf)

    return max(
        2 * graph.depth(s) / (steps(a, s) + steps(b, s) + 2 * graph.depth(s))
        for s in graph.least_common_subsumers(a, b)
    )


@pytest.mark.parametrize("form", ["steps", "depths"])
def test_both_forms_by_hand(form: str) -> None:
    assert similarity(ANIMALS, "wolf", "dog", form=form) == pytest.approx(2 * 2 / 6)
    assert similarity(ANIMALS, "wolf", "tabby", form=form) == pytest.approx(2 * 1 / 6)
    assert similarity(ANIMALS, "wolf", "canine", form=form) == pytest.approx(2 * 2 / 5)
    assert similarity(ANIMALS, "cat", "cat", form=form) == 1.0


@pytest.mark.parametrize("seed", range(4))
def test_both_forms_agree_on_trees(seed: int) -> None:
    tree = random_hierarchy(seed, 20)
    np.testing.assert_allclose(
        distances(tree, tree.names, form="steps"), distances(tree, tree.names, form="depths"), atol=1e-12
    )


@pytest.mark.parametrize("seed", range(4))
def test_distances_of_graphs_equal_the_definition(seed: int) -> None:
    graph = random_hierarchy(seed, 18, extra=9)
    found = distances(graph, graph.names)
    expected = [[1 - slow_similarity(graph, a, b) for b in graph.names] for a in graph.names]
    np.testing.assert_allclose(found, expected, atol=1e-12)
    np.testing.assert_allclose(found, found.T, atol=1e-12)
    assert (found[~np.eye(18, dtype=bool)] > 0).all()
    assert found.max() < 1


def test_depths_are_cut_at_one_in_graphs() -> None:
    found = distances(PERSON, PERSON.names, form="depths")
    assert found.min() >= 0
    assert found[PERSON.find("person"), PERSON.find("organism")] == 0.0
    assert distances(PERSON, ["person"], ["organism"])[0, 0] > 0


def test_form_that_does_not_exist() -> None:
    with pytest.raises(InvalidOption, match="steps, depths"):
        similarity(ANIMALS, "wolf", "dog", form="third")


def test_too_many_values_for_a_matrix() -> None:
    wide = Hierarchy(("root", *map(str, range(10_000))), ((), *[(0,)] * 10_000))
    with pytest.raises(InvalidData, match="at most 50,000,000 are allowed"):
        distances(wide, wide.names)


def test_values_may_be_inner_nodes_but_must_be_known() -> None:
    attribute = hierarchical(ANIMALS, ["cat", "tabby", "wolf"])
    assert attribute.names == ("wolf", "tabby", "cat", "canine", "animal")
    assert attribute.n_values == 3
    with pytest.raises(InvalidData, match="lacks 1 of 2 values, the first is 'bird'"):
        hierarchical(ANIMALS, ["bird", "cat"])
    with pytest.raises(InvalidData, match="at least one value"):
        hierarchical(ANIMALS, [])


def test_values_of_plain_attributes() -> None:
    with pytest.raises(InvalidData, match="named twice"):
        nominal(["a", "a"])
    with pytest.raises(InvalidData, match="at least one value"):
        ordinal([])
    with pytest.raises(InvalidOption, match="weight"):
        numeric(weight=-1.0)
    assert nominal(["a"]).weighing(2.0).weight == 2.0


def test_compressed_tuples() -> None:
    attributes = [hierarchical(ANIMALS), nominal(["x", "y"], weight=0.5), ordinal(["1", "2", "3"]), numeric()]
    X = np.array([[0, 1, 2, 5.0], [2, 0, 0, 1.0], [0, 1, 2, 5.0], [1, 1, 1, 2.0]])
    tuples = compress(X, 2, attributes)
    assert tuples.counts.tolist() == [2, 1, 1]
    assert tuples.tuple_of.tolist() == [0, 2, 0, 1]
    assert tuples.codes.tolist() == [[0, 1, 2], [1, 1, 0], [2, 1, 0], [2, 1, 0]]
    assert tuples.shapes.tolist() == [[2, 3, 6], [0, 2, 2], [1, 3, 3], [1, 3, 3]]
    table, unequal, ranks, places = np.split(tuples.tables, [18, 19, 22])
    assert attributes[0].distance is not None
    np.testing.assert_allclose(table.reshape(6, 3).T / UNIT, attributes[0].distance, atol=1e-9)
    assert unequal.tolist() == [UNIT // 2]
    assert ranks.tolist() == [0, UNIT // 2, UNIT]
    assert places.tolist() == [0, UNIT // 4, UNIT]


def test_many_distinct_values_in_many_columns() -> None:
    """More combinations than a whole number can count."""
    X = np.random.default_rng(0).integers(0, 10_000, size=(5000, 8)).astype(float)
    X[1] = X[0]
    tuples = compress(X, 2, None)
    assert tuples.n_tuples == 4999
    np.testing.assert_array_equal(np.unique(X, axis=0, return_inverse=True)[1].ravel(), tuples.tuple_of)


@pytest.mark.parametrize("bad", [3.0, -1.0, 0.5])
def test_codes_that_are_none(bad: float) -> None:
    with pytest.raises(InvalidData, match="column 0 must hold codes from 0 to 1; record 1"):
        compress([[0.0], [bad], [1.0]], 2, [nominal(["a", "b"])])


def test_attributes_that_do_not_fit() -> None:
    with pytest.raises(InvalidOption, match="each of 2 columns; got 1"):
        compress([[0.0, 1.0], [0.0, 1.0]], 2, [nominal(["a", "b"])])
    assert numeric().kind is Kind.NUMERIC
