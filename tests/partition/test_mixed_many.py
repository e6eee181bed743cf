"""`mixed` on many records: its kernels against the definition, and forced on few."""

from __future__ import annotations

import numpy as np
import pytest
from checks import assert_partition
from hierarchies import ANIMALS

from microagg import _core
from microagg.aggregate import common_values
from microagg.base.schema import Kind
from microagg.constraints import promise
from microagg.partition import mixed, partition
from microagg.semantic import hierarchical, nominal, numeric, ordinal
from microagg.semantic.attribute import Attribute, compress
from microagg.semantic.loss import changes, total


def people(n: int, seed: int, values: int = 1000) -> tuple[np.ndarray, list[Attribute]]:
    """Records of all kinds; few `values` of the numbers make ties and equal records."""
    random = np.random.default_rng(seed)
    pets = hierarchical(ANIMALS)
    attributes = [
        *(numeric(), nominal(["a", "b", "c", "d"]), ordinal(["low", "middle", "high"], weight=0.5)),
        *(pets, numeric(weight=2.0), nominal(["constant"])),
    ]
    columns = [
        *(random.integers(values, size=n), random.integers(4, size=n), random.integers(3, size=n)),
        *(random.integers(pets.n_values, size=n), random.integers(values, size=n), np.zeros(n)),
    ]
    return np.column_stack(columns).astype(float), attributes


def kernel_input(X: np.ndarray, attributes: list[Attribute]) -> tuple:
    """Tuples of records, and weights and means of columns, as the kernels take them."""
    tuples = compress(X, 2, [attribute.weighing(1.0) for attribute in attributes])
    weights = np.array([attribute.weight for attribute in attributes])
    return tuples, weights, np.array([attribute.kind is Kind.NUMERIC for attribute in attributes])


def loss_of(X: np.ndarray, rows: list[int], attributes: list[Attribute]) -> float:
    """What one group of records adds to the loss, from the definition."""
    if not rows:
        return 0.0
    common = common_values(X[rows], np.zeros(len(rows), dtype=np.int64), attributes)
    loss = 0.0
    for j, attribute in enumerate(attributes):
        whole = total(X[:, j], attribute)
        moved = changes(X[rows, j], common[:, j], attribute)
        loss += attribute.weight * float(moved @ moved) / whole if whole > 0 else 0.0
    return loss


@pytest.mark.parametrize("values", [3, 1000])
@pytest.mark.parametrize(("n_home", "n_other"), [(1, 1), (2, 1), (1, 4), (3, 4), (6, 5), (9, 12)])
def test_costs_of_exchanges_are_those_of_the_definition(n_home: int, n_other: int, values: int) -> None:
    """Modes, medians and semantic centroids change with every swap: shortcuts must not miss one."""
    random = np.random.default_rng(n_home * 100 + n_other)
    X, attributes = people(60, seed=n_home + values, values=values)
    tuples, weights, means = kernel_input(X, attributes)
    for _ in range(25):
        home, other = (list(random.integers(60, size=size)) for size in (n_home, n_other))
        x = int(random.integers(n_home))
        cost, partner, move, loss = _core.mixed_costs(
            *tuples.space, weights, means, tuples.tuple_of[home], tuples.tuple_of[other], x
        )
        before = loss_of(X, home, attributes) + loss_of(X, other, attributes)
        rest = home[:x] + home[x + 1 :]
        swaps = [
            loss_of(X, [*rest, y], attributes) + loss_of(X, [*other[:i], *other[i + 1 :], home[x]], attributes)
            for i, y in enumerate(other)
        ]
        moved = loss_of(X, rest, attributes) + loss_of(X, [*other, home[x]], attributes)
        near = 1e-6 * (before + max(swaps) + moved) + 1e-12  # numbers are kept in single precision
        assert cost == pytest.approx(min(swaps) - before, abs=near)
        assert swaps[partner] - before == pytest.approx(cost, abs=near)
        assert move == pytest.approx(moved - before, abs=near)
        assert loss == pytest.approx(loss_of(X, home, attributes), rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("values", [1, 2, 1000])
@pytest.mark.parametrize(("n", "k"), [(2, 2), (5, 3), (7, 7), (60, 3), (600, 4), (3000, 2)])
def test_groups_to_start_with_hold_k_and_no_more_than_needed(n: int, k: int, values: int) -> None:
    """A larger group is of records that are all equal; the same on any number of threads."""
    X, attributes = people(n, seed=n, values=values)
    tuples, weights, means = kernel_input(X, attributes)
    slots = [np.empty(n, dtype=np.int64) for _ in range(3)]
    for threads, labels in enumerate(slots, start=1):
        _core.mixed_start(*tuples.space, k, threads, weights, means, labels, None)
    np.testing.assert_array_equal(slots[0], slots[1])
    np.testing.assert_array_equal(slots[0], slots[2])
    labels = tuples.hand_out(slots[0])
    assert_partition(labels, n, k)
    for group in np.flatnonzero(np.bincount(labels) >= 2 * k):
        assert len(np.unique(X[labels == group], axis=0)) == 1


def test_equal_records_beyond_2k_are_set_aside() -> None:
    X = np.repeat([[0.0, 0.0], [1.0, 1.0], [5.0, 0.0]], [100, 1, 2], axis=0)
    labels = annealed(X, 3, attributes=[numeric(), nominal(["a", "b"])])
    assert_partition(labels, 103, 3)
    assert len(set(labels[100:])) == 1


def annealed(X: np.ndarray, k: int, **options) -> np.ndarray:
    """Partition as if there were many records."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mixed, "MANY_TUPLES", 0)
        return mixed.partition(X, k, **options)


@pytest.mark.parametrize("values", [1, 2, 1000])
@pytest.mark.parametrize(("n", "k"), [(2, 2), (3, 2), (5, 5), (9, 4), (40, 3), (500, 5), (2000, 3)])
def test_the_way_of_many_records_serves_few_too(n: int, k: int, values: int) -> None:
    X, attributes = people(n, seed=n + k, values=values)
    labels = [annealed(X, k, attributes=attributes, threads=threads) for threads in (1, 2, 3)]
    assert_partition(labels[0], n, k)
    np.testing.assert_array_equal(labels[0], labels[1])
    np.testing.assert_array_equal(labels[0], labels[2])


@pytest.mark.parametrize("k", [2, 3, 10])
def test_annealing_loses_hardly_more_than_the_search_of_few_records_and_far_less_than_mdav_generic(k: int) -> None:
    """Where the one way takes over from the other, nobody should lose much by one record more."""
    X, attributes = people(3000, seed=k)  # of fewer, chance counts more
    ordinary = partition(X, k, method="mixed", attributes=attributes)
    generic = partition(X, k, method="mdav_generic", attributes=attributes)
    found = mixed._loss(X, annealed(X, k, attributes=attributes), attributes)
    assert found < 1.03 * mixed._loss(X, ordinary, attributes)
    assert found < 0.9 * mixed._loss(X, generic, attributes)


def test_more_effort_loses_less() -> None:
    X, attributes = people(2500, seed=5)
    losses = [mixed._loss(X, annealed(X, 4, attributes=attributes, effort=e), attributes) for e in mixed.SWEEPS]
    assert losses[0] > losses[1] > losses[2]


@pytest.mark.parametrize("asked", [{"l": {"ill": 3}}, {"p": {"ill": 2}, "t": {"pay": 0.4}}], ids=str)
def test_annealing_keeps_promises(asked: dict) -> None:
    """Every change is judged, and the groups to start with are repaired."""
    X, attributes = people(300, seed=3)
    random = np.random.default_rng(3)
    promises = promise(asked, {"ill": random.integers(4, size=300), "pay": random.integers(9, size=300)})
    labels = annealed(X, 4, attributes=attributes, promises=promises)
    assert_partition(labels, 300, 4)
    assert promises.kept(labels)
