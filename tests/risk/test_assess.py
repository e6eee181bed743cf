"""Every measure of risk of one case, through one door."""

from dataclasses import replace

import numpy as np
import pytest
from risk_cases import case_of

from microagg.measures import Case, Confidential
from microagg.prepare.space import embed
from microagg.risk import (
    MEASURES,
    assess_all,
    class_sizes,
    equivalence_classes,
    keys_of,
    minimal_uniques,
    record_linkage,
    suda2,
    t_closeness,
)
from microagg.risk.points import both_as_points
from microagg.semantic import Hierarchy
from microagg.semantic.attribute import hierarchical, nominal, numeric, ordinal

ANIMALS = Hierarchy.from_edges([("wolf", "canine"), ("dog", "canine"), ("canine", "animal"), ("cat", "animal")])


def mixed_case(seed: int, n: int = 60, **changed) -> Case:
    """Groups of 4 of every kind of column, with confidential columns of every kind."""
    rng = np.random.default_rng(seed)
    age = rng.normal(40, 10, n)
    original = np.column_stack([age, rng.integers(0, 3, n), rng.integers(0, 4, n), rng.integers(0, 3, n)])
    labels = np.empty(n, dtype=np.int64)
    labels[np.argsort(age, kind="stable")] = np.arange(n) // 4
    released = original.copy()
    for g in range(labels.max() + 1):
        released[labels == g, 0] = original[labels == g, 0].mean()
        released[labels == g, 1:3] = original[labels == g, 1:3][0]
        released[labels == g, 3] = 3  # canine
    given = {
        "names": ("age", "town", "school", "pet"),
        "attributes": (numeric(), nominal(["a", "b", "c"]), ordinal(["0", "1", "2", "3"]), hierarchical(ANIMALS)),
        "original": original,
        "released": released,
        "labels": labels,
        "k": 4,
        "confidential": {
            "pay": Confidential((age * 2 + rng.normal(size=n)).round(), numeric()),
            "ill": Confidential((age > 40).astype(np.int64), nominal(["no", "yes"])),
            "fear": Confidential(rng.integers(0, 3, n), hierarchical(ANIMALS)),
        },
        "weights": rng.uniform(1, 9, n),
        "units": np.arange(n),
    }
    return Case(**{**given, **changed})


def named(case: Case) -> dict:
    return {result.name: result for result in assess_all(case)}


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_every_measure_is_in_its_range_and_says_what_it_is(seed):
    case = mixed_case(seed)
    results = named(case)
    assert list(results) == [name for name, risk in MEASURES.items() if not risk.extra]
    for name, result in results.items():
        assert result.lowest <= result.value <= result.highest * (1 + 1e-12), name
        assert result.lowest <= result.before <= result.highest * (1 + 1e-12), name
        assert result.better == ("lower" if MEASURES[name].lower_is_better else "higher")
        assert result.note == ""
        assert result.sampled is None
        if not name.startswith("inference"):
            assert result.records.shape == (case.n_records,)
    assert results["violations"].value == 0
    assert results["violations"].before == results["violations"].records.size


def test_results_are_what_the_measures_say():
    case = mixed_case(3)
    results = named(case)
    keys = keys_of(case.released)
    classes, sizes = equivalence_classes(keys), class_sizes(keys)
    assert results["smallest_class"].value == sizes.min() == 4
    assert results["smallest_class"].records.tolist() == sizes.tolist()
    ill = case.confidential["ill"].values
    assert results["homogeneity"].columns["ill"] == MEASURES["homogeneity"](case_of(classes, ill)).value
    assert results["global_risk"].value == MEASURES["global_risk"](case_of(classes, weights=case.weights)).value
    points = both_as_points(case.original, case.released, case.attributes)
    assert results["record_linkage"].records.tolist() == record_linkage(*points).tolist()
    assert results["record_linkage"].before == 100.0
    before = 100.0 * record_linkage(points[0], points[0]).mean()
    assert before == pytest.approx(results["record_linkage"].before)


def test_the_worst_confidential_attribute_counts():
    results = named(mixed_case(4))
    diversity, closeness = results["distinct_diversity"], results["t_closeness"]
    assert diversity.value == min(diversity.columns.values())
    assert closeness.value == max(closeness.columns.values())
    assert list(closeness.columns) == ["pay", "ill", "fear"]
    assert list(results["skewness"].columns) == ["ill", "fear"]


def test_closeness_is_by_steps_of_numbers_and_along_hierarchies():
    case = mixed_case(5)
    classes = equivalence_classes(keys_of(case.released))
    fear, pay = case.confidential["fear"], case.confidential["pay"]
    names = np.array(fear.attribute.names)[fear.values]
    along = t_closeness(classes, names, distance="hierarchical", hierarchy=fear.attribute.hierarchy)
    found = named(case)["t_closeness"].columns
    assert found["fear"] == pytest.approx(along.max())
    assert found["pay"] == pytest.approx(t_closeness(classes, pay.values, distance="ordered").max())
    gap = replace(fear, values=np.where(np.arange(60) == 0, -1, fear.values))
    found = named(replace(case, confidential={"fear": gap}))["t_closeness"].columns
    assert found["fear"] == pytest.approx(t_closeness(classes, gap.values, distance="equal").max())


@pytest.mark.parametrize("seed", [0, 1])
def test_the_order_of_the_rows_does_not_matter(seed):
    case = mixed_case(seed)
    order = np.random.default_rng(seed).permutation(case.n_records)
    for one, two in zip(assess_all(case), assess_all(case.take(order)), strict=True):
        assert two.value == pytest.approx(one.value, abs=1e-9), one.name
        assert two.before == pytest.approx(one.before, abs=1e-9), one.name
        if one.records is not None:
            assert two.records == pytest.approx(one.records[order], abs=1e-9)


def test_a_release_without_change_has_the_risk_of_the_original():
    case = mixed_case(6)
    for result in assess_all(replace(case, released=case.original)):
        assert result.value == pytest.approx(result.before), result.name


def test_columns_have_their_part():
    case = mixed_case(6)
    results = named(replace(case, released=case.original, strata=np.zeros(60, dtype=np.int64)))
    assert results["rank_interval"].columns == {"age": 100.0}
    found = suda2(np.column_stack([keys_of(case.original), np.zeros(60, dtype=np.int64)]), max_size=3)
    parts = 100 * found.contributions.mean(axis=0)
    assert list(results["suda"].columns.values()) == pytest.approx(parts[:4].tolist())
    assert parts.argmax() == 0
    released = named(case)
    assert released["rank_interval"].columns["age"] == pytest.approx(released["rank_interval"].value)
    assert set(released["suda"].columns.values()) == {0.0}


def test_strata_tell_records_apart():
    case = mixed_case(7)
    assert named(replace(case, strata=np.arange(60)))["uniques"].value == 60
    assert named(replace(case, strata=np.zeros((60, 2), dtype=np.int64)))["uniques"].value == 0


def test_weights_that_do_not_fit_are_explained():
    results = named(mixed_case(8, weights=np.full(60, 0.1)))
    assert results["global_risk"].value is None
    assert "weights of a class must add up" in results["global_risk"].note
    assert results["prosecutor_risk"].value == 25.0
    assert named(mixed_case(8, weights=None))["global_risk"].value == pytest.approx(25.0)


def test_large_tables_are_sampled_and_say_so():
    case = replace(mixed_case(9, n=400), most_records=100)
    results = named(case)
    linked = results["record_linkage"]
    assert linked.sampled == 100
    assert "sample" in linked.note
    assert np.isfinite(linked.records).sum() == 100
    rows = np.flatnonzero(np.isfinite(linked.records))
    whole = named(replace(case, most_records=None))
    assert linked.records[rows].tolist() == whole["record_linkage"].records[rows].tolist()
    assert results["smallest_class"].sampled is None
    # Nobody is alone in the release, so all of it can be looked at; not so the original.
    assert results["suda"].sampled is None
    assert results["suda"].value == 0.0
    assert results["suda"].note.startswith("the original was measured on a sample")


def test_who_is_not_alone_has_no_minimal_uniques():
    assert minimal_uniques(np.array([[1, 1], [1, 1], [2, 1], [2, 1]])) == ()


def test_without_confidential_columns_or_numbers_less_is_measured():
    codes = np.array([[0.0], [1.0], [0.0], [1.0]])
    case = Case(("sex",), (nominal(["f", "m"]),), codes, codes, np.array([0, 0, 1, 1]), 2)
    results = named(case)
    assert set(results) == {
        name
        for name, risk in MEASURES.items()
        if not any(n in risk.needs for n in ("confidential", "numbers", "units"))
    }


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_few_records_are_no_problem(n):
    for result in assess_all(mixed_case(10, n=8).take(np.arange(n))):
        assert result.value is not None or "at least 4 records" in result.note


def test_points_lie_as_the_embedding_puts_them():
    case = mixed_case(11)
    before, _ = both_as_points(case.original, case.original, case.attributes)
    embedded = embed(case.original, case.attributes)
    for i, j in ((0, 1), (5, 9), (20, 33)):
        assert ((before[i] - before[j]) ** 2).sum() == pytest.approx(((embedded[i] - embedded[j]) ** 2).sum())


def test_a_node_that_stands_for_a_group_lies_near_its_members():
    animals = hierarchical(ANIMALS)
    values = np.array([[0.0], [1.0], [2.0]])  # wolf, dog, cat
    assert animals.names[3] == "canine"
    before, after = both_as_points(values, np.full((3, 1), 3.0), [animals])
    apart = ((before - after) ** 2).sum(axis=1)
    assert max(apart[:2]) < apart[2]


def test_boosted_trees_where_they_are_asked_for():
    pytest.importorskip("sklearn")
    case = mixed_case(12, trees=True)
    ill = {"ill": case.confidential["ill"]}
    assert named(replace(case, confidential=ill))["inference_trees"].before > 50
