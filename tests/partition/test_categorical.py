"""The methods for categories equal their oracles, ties included, on columns of every kind."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import semantic_oracles as oracles
from checks import assert_partition, groups
from hierarchies import random_hierarchy

import microagg as ma
from microagg.errors import InvalidOption
from microagg.partition import METHODS, mixed, partition
from microagg.semantic import Attribute, Hierarchy, hierarchical, nominal, numeric, ordinal

ORACLES = {
    "s_mdav": lambda X, k, a: oracles.semantic_mdav(X, k, a, whole=False, recompute=True),
    "sa_mdav": lambda X, k, a: oracles.semantic_mdav(X, k, a, whole=True, recompute=True),
    "sa_mdav_static": lambda X, k, a: oracles.semantic_mdav(X, k, a, whole=True, recompute=False),
    "mdav_generic": oracles.mdav_generic,
    "k_modes": oracles.k_modes,
    "simple_mondrian": lambda X, k, a: oracles.semantic_mondrian(X, k, a, "centroid"),
    "sa_mondrian": lambda X, k, a: oracles.semantic_mondrian(X, k, a, "gap"),
}
CATEGORICAL = [name for name, method in METHODS.items() if method.takes == "attributes"]


def sample(seed: int, n: int = 70, weight: float = 1.0) -> tuple[np.ndarray, list[Attribute]]:
    """Records of a hierarchy (a graph), a nominal and an ordinal column; few values, so ties and repeats abound."""
    rng = np.random.default_rng(seed)
    graph = random_hierarchy(seed, 14, extra=4)
    values = sorted(rng.choice(graph.names, 8, replace=False))
    attributes = [hierarchical(graph, values), nominal(["x", "y", "z"], weight=weight), ordinal(["a", "b", "c", "d"])]
    X = np.column_stack([rng.integers(0, a.n_values, n) ** 2 % a.n_values for a in attributes])
    return X.astype(float), attributes


@pytest.mark.parametrize("method", ORACLES)
@pytest.mark.parametrize("k", [2, 3, 5, 11])
@pytest.mark.parametrize("seed", range(6))
def test_equals_oracle(method: str, k: int, seed: int) -> None:
    X, attributes = sample(seed, weight=[1.0, 0.3, 2.5][seed % 3])
    labels = partition(X, k, method=method, attributes=attributes)
    assert_partition(labels, len(X), k)
    np.testing.assert_array_equal(labels, ORACLES[method](X, k, attributes))


@pytest.mark.parametrize("seed", range(4))
def test_median_cuts_equal_oracle(seed: int) -> None:
    X, attributes = sample(seed)
    labels = partition(X, 4, method="simple_mondrian", attributes=attributes, cut="median")
    np.testing.assert_array_equal(labels, oracles.semantic_mondrian(X, 4, attributes, "median"))


@pytest.mark.parametrize("k", [2, 4, 9])
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    ("method", "options", "rule"),
    [("simple_mondrian", {}, "centroid"), ("simple_mondrian", {"cut": "median"}, "median"), ("sa_mondrian", {}, "gap")],
)
def test_literal_rules_equal_oracle(method: str, options, rule: str, seed: int, k: int) -> None:
    X, attributes = sample(seed, n=150)
    labels = partition(X, k, method=method, attributes=attributes, literal=True, **options)
    assert_partition(labels, len(X), k)
    np.testing.assert_array_equal(labels, oracles.semantic_mondrian(X, k, attributes, rule, literal=True))


def test_literal_rule_of_simple_mondrian_gives_a_column_up_after_two_cuts() -> None:
    """The thesis' example is cut after the dogs; where neither cut at the mode is possible, the part stays whole.

    Ours then cuts between the next nearest values.
    """
    animals = [nominal(["wolf", "dog", "cat", "cow", "hen"])]

    def n_groups(codes: list[int], k: int, **options) -> int:
        X = np.array(codes, dtype=float)[:, None]
        return int(partition(X, k, method="simple_mondrian", attributes=animals, **options).max()) + 1

    assert n_groups([0, 1, 1, 1, 2, 2], 2, literal=True) == 2
    first_value_is_the_mode = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    assert n_groups(first_value_is_the_mode, 3, literal=True) == 1
    assert n_groups(first_value_is_the_mode, 3) == 2
    two_columns = np.array([[0, 0]] * 4 + [[1, 0]] + [[0, 1]] * 3, dtype=float)
    pair = [nominal(["a", "b"]), nominal(["c", "d"])]
    labels = partition(two_columns, 2, method="simple_mondrian", attributes=pair, literal=True)
    assert labels.tolist() == [0] * 5 + [1] * 3, "the second column is cut where the first cannot be"


@pytest.mark.parametrize("k", [2, 5, 11])
@pytest.mark.parametrize("seed", range(6))
def test_unweighted_joining_equals_oracle(seed: int, k: int) -> None:
    X, attributes = sample(seed, n=150)
    labels = partition(X, k, method="sa_mdav", attributes=attributes, weighted=False)
    expected = oracles.semantic_mdav(X, k, attributes, whole=True, recompute=True, weighted=False)
    np.testing.assert_array_equal(labels, expected)


def test_weight_makes_a_frequent_tuple_look_far() -> None:
    """The lone fish lacks a record: ten seals are nearer than the lone wolf, but not if each of them counts."""
    edges = [("wolf", "canine"), ("canine", "mammal"), ("seal", "mammal"), ("mammal", "animal"), ("fish", "animal")]
    animals = [hierarchical(Hierarchy.from_edges(edges))]
    names = ["wolf"] + ["seal"] * 10 + ["fish"]
    X = np.array([[animals[0].code[name]] for name in names], dtype=float)
    weighted = partition(X, 2, method="sa_mdav", attributes=animals)
    assert weighted[-1] == weighted[0] != weighted[1]
    plain = partition(X, 2, method="sa_mdav", attributes=animals, weighted=False)
    assert plain[-1] == plain[1]


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("side", [3, 9, 1000])
@pytest.mark.parametrize("k", [2, 5])
def test_mondrian_for_numbers_equals_oracle(strict: bool, side: int, k: int) -> None:
    X = np.random.default_rng(k).integers(0, side, size=(150, 3)).astype(float)
    labels = partition(X, k, method="mondrian", strict=strict)
    np.testing.assert_array_equal(labels, oracles.mondrian(X, k, strict))


@pytest.mark.parametrize("method", CATEGORICAL)
def test_order_of_records_does_not_matter_even_with_ties(method: str) -> None:
    X, attributes = sample(3)
    X = np.unique(X, axis=0)
    order = np.random.default_rng(0).permutation(len(X))
    plain = partition(X, 3, method=method, attributes=attributes)
    assert groups(plain[order]) == groups(partition(X[order], 3, method=method, attributes=attributes))


@pytest.mark.parametrize("method", [m for m in CATEGORICAL if m not in {"s_mdav", "mdav_generic", "mixed", "blank"}])
def test_equal_records_stay_together(method: str) -> None:
    X, attributes = sample(4, n=200)
    labels = partition(X, 5, method=method, attributes=attributes)
    for row in np.unique(X, axis=0):
        assert len(set(labels[(row == X).all(axis=1)])) == 1


@pytest.mark.parametrize("method", CATEGORICAL)
def test_numbers_beside_categories(method: str) -> None:
    X, attributes = sample(5)
    mixed = np.column_stack([X, np.random.default_rng(0).normal(size=len(X))])
    assert_partition(partition(mixed, 4, method=method, attributes=[*attributes, numeric()]), len(X), 4)


def test_unordered_control_uses_the_alphabet() -> None:
    X, attributes = sample(7, n=300)
    ordered = partition(X, 25, method="simple_mondrian", attributes=attributes)
    control = partition(X, 25, method="simple_mondrian", attributes=attributes, ordered=False)
    assert_partition(control, 300, 25)
    assert groups(ordered) != groups(control)


@pytest.mark.parametrize(
    ("method", "option", "message"),
    [
        ("simple_mondrian", {"cut": "mean"}, "cut must be one of centroid, median"),
        ("simple_mondrian", {"ordered": 1}, "True or False"),
        ("simple_mondrian", {"literal": "yes"}, "literal must be True or False"),
        ("sa_mondrian", {"literal": 1}, "literal must be True or False"),
        ("sa_mdav", {"weighted": 0}, "weighted must be True or False"),
        ("mondrian", {"strict": "no"}, "True or False"),
        ("mixed", {"objective": "least"}, "spread, semantic"),
        ("mixed", {"neighbours": 0}, "neighbours must be a whole number"),
        ("mixed", {"rounds": True}, "rounds must be a whole number"),
        ("sa_mdav", {"refine": "local"}, "refine must be None"),
    ],
)
def test_options_that_cannot_be(method: str, option, message: str) -> None:
    with pytest.raises(InvalidOption, match=message):
        partition(sample(0)[0], 3, method=method, **option)


def loss(X: np.ndarray, attributes: list[Attribute], labels: np.ndarray, joint: bool) -> float:
    """What mixed lowers, recomputed from the definition."""
    space = oracles.Space(X, [a.weighing(1.0) for a in attributes])

    def squares(rows: np.ndarray) -> np.ndarray:
        records = [(tuple(space.X[i]), 1) for i in rows]
        centre = space.centroid(records)
        gaps = np.array([[t[v, c] for t, v, c in zip(space.tables, r, centre, strict=True)] for r, _ in records])
        gaps = gaps / oracles.UNIT
        return (gaps.sum(axis=1) ** 2).sum(keepdims=True) if joint else (gaps**2).sum(axis=0)

    whole = squares(np.arange(len(X)))
    parts = sum(squares(np.flatnonzero(labels == g)) for g in np.unique(labels))
    return float((parts / np.where(whole > 0, whole, 1)).sum())


@pytest.mark.parametrize("objective", ["spread", "semantic"])
@pytest.mark.parametrize("seed", range(4))
def test_mixed_loses_less_than_every_other(objective: str, seed: int) -> None:
    X, attributes = sample(seed, n=120)
    joint = objective == "semantic"
    found = partition(X, 4, method="mixed", attributes=attributes, objective=objective)
    assert_partition(found, 120, 4)
    others = [partition(X, 4, method=m, attributes=attributes) for m in CATEGORICAL if m != "mixed"]
    assert loss(X, attributes, found, joint) <= min(loss(X, attributes, other, joint) for other in others)


@pytest.mark.parametrize("objective", ["spread", "semantic"])
def test_near_tuples_in_one_leaf_are_those_of_all_pairs(objective: str, monkeypatch) -> None:
    X, attributes = sample(1, n=300)
    exhaustive = partition(X, 4, method="mixed", attributes=attributes, objective=objective)
    monkeypatch.setattr(mixed, "EXHAUSTIVE", 0)
    np.testing.assert_array_equal(
        partition(X, 4, method="mixed", attributes=attributes, objective=objective), exhaustive
    )


def test_near_tuples_of_trees_cost_little_loss(monkeypatch) -> None:
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 50, (2500, 3)), rng.integers(0, 6, (2500, 2))]).astype(float)
    attributes = [ordinal([*map(str, range(50))])] * 3 + [nominal([*"abcdef"]), ordinal([*"abcdef"])]
    exhaustive = partition(X, 4, method="mixed", attributes=attributes)
    monkeypatch.setattr(mixed, "EXHAUSTIVE", 0)
    found = [partition(X, 4, method="mixed", attributes=attributes, threads=threads) for threads in (1, 2, 3)]
    assert_partition(found[0], 2500, 4)
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])
    assert loss(X, attributes, found[0], False) < 1.03 * loss(X, attributes, exhaustive, False)


def test_mixed_on_numbers_alone_is_no_worse_than_mdav() -> None:
    from microagg import information_loss

    X = np.random.default_rng(0).normal(size=(600, 3))
    X /= X.std(axis=0, ddof=1)
    assert information_loss(X, partition(X, 4, method="mixed")) < information_loss(X, partition(X, 4, method="mdav"))


def test_many_distinct_nominal_values() -> None:
    """10^5 names, most of them once: no matrix of their distances is made."""
    codes = np.random.default_rng(0).integers(0, 100_000, 100_000)
    names, codes = np.unique(codes, return_inverse=True)
    attributes = [nominal([*map(str, names)])]
    labels = partition(codes[:, None].astype(float), 50, method="simple_mondrian", attributes=attributes)
    assert_partition(labels, 100_000, 50)


@pytest.mark.parametrize("seed", range(5))
def test_mixed_loses_no_more_than_mdav_with_local_search(seed: int) -> None:
    """On a file of utilities with their states, k = 2, it lost 1.5 percent more: it begins from the lower of two."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.lognormal(size=(150, 3)), rng.integers(0, 6, 150)])
    attributes = [numeric(), numeric(), numeric(), nominal(list("abcdef"))]
    frame = pd.DataFrame(
        {f"x{j}": X[:, j] for j in range(3)} | {"state": np.array(list("abcdef"))[X[:, 3].astype(int)]}
    )
    for k in (2, 3, 5):
        points = ma.anonymize(frame, k, quasi=list(frame), method="mdav", refine="local")
        found = ma.anonymize(frame, k, quasi=list(frame))
        assert found.plan.method == "mixed"
        assert found.information_loss <= points.information_loss * (1 + 1e-9)
        assert mixed._loss(X, found.labels, attributes) <= mixed._loss(X, points.labels, attributes) * (1 + 1e-9)


@pytest.mark.parametrize("k", [2, 3, 5, 10])
@pytest.mark.parametrize("seed", [0, 1])
def test_mixed_loses_no_more_than_mdav_with_local_search_where_many_are_equal(k, seed):
    """Occupation and country of Adult: most records share theirs with many, and the rare ones decide the loss."""
    rng = np.random.default_rng(seed)
    weights = 1.0 / np.arange(1, 15) ** 2
    frame = pd.DataFrame(
        {
            "job": rng.choice([f"job {i}" for i in range(14)], 600, p=weights / weights.sum()),
            "country": rng.choice([f"country {i}" for i in range(12)], 600, p=np.r_[0.89, np.full(11, 0.01)]),
        }
    )
    searched = ma.anonymize(frame, k, quasi=["job", "country"])
    other = ma.anonymize(frame, k, quasi=["job", "country"], method="mdav", refine="local")
    assert searched.plan.method == "mixed"
    assert searched.information_loss <= other.information_loss * (1 + 1e-9)
