"""Promises on confidential values: every method keeps them, and ours at less loss than the published ones."""

from __future__ import annotations

from typing import Any

import constraint_oracles as oracles
import numpy as np
import pytest
from checks import assert_partition, groups
from hypothesis import given, settings
from hypothesis import strategies as st

from microagg import _core
from microagg.base.groups import squared_error
from microagg.constraints import Promises, promise
from microagg.errors import InvalidData, InvalidOption
from microagg.partition import METHODS, partition
from microagg.partition.t_first import parts_of, size_for
from microagg.refine import REFINEMENTS, local, repair, search

SLOW = {"mf_tsp", "exact", "individual"}
"""Paths from each record; few records only; no groups of whole records."""
PROMISING = [name for name in METHODS if name not in SLOW]
WHAT: list[dict[str, dict[str, Any]]] = [
    {"l": {"ill": 3}},
    {"l": {"ill": "entropy:2"}},
    {"l": {"ill": "recursive:3,2"}},
    {"p": {"ill": 2}, "t": {"pay": 0.25}},
    {"t": {"ill": 0.3}},
]
every_promise = pytest.mark.parametrize("asked", WHAT, ids=str)


def table(n: int, seed: int = 0, *, ties: bool = False) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Records, an illness that most do not have, and a pay that goes with the first column."""
    random = np.random.default_rng(seed)
    X = random.integers(0, 4, (n, 3)).astype(float) if ties else random.normal(size=(n, 3))
    ill = random.choice(["no", "flu", "cold", "cancer"], n, p=[0.6, 0.2, 0.15, 0.05])
    return X, {"ill": ill, "pay": np.round(X[:, 0] + random.normal(size=n), 1)}


def loss(X: np.ndarray, labels: np.ndarray) -> float:
    return squared_error(X, labels)


def assert_kept(X: np.ndarray, labels: np.ndarray, k: int, promises: Promises) -> None:
    assert_partition(labels, len(X), k)
    assert promises.kept(labels)


@pytest.mark.parametrize("method", PROMISING)
@every_promise
@pytest.mark.parametrize("ties", [False, True])
def test_no_method_breaks_a_promise(method, asked, ties):
    X, columns = table(150, ties=ties)
    promises = promise(asked, columns)
    labels = partition(X, 3, method=method, promises=promises, **METHODS[method].repeatable)
    assert_kept(X, labels, 3, promises)


@pytest.mark.parametrize("refine", list(REFINEMENTS))
@every_promise
def test_no_refinement_breaks_a_promise(refine, asked):
    X, columns = table(200, seed=3)
    promises = promise(asked, columns)
    options = REFINEMENTS[refine].repeatable
    assert_kept(X, partition(X, 3, refine=refine, refine_options=options, promises=promises), 3, promises)


@settings(max_examples=60)
@given(
    n=st.integers(4, 40),
    k=st.integers(2, 4),
    seed=st.integers(0, 10**6),
    said=st.sampled_from([("l", 2), ("l", "entropy:1.4"), ("l", "recursive:2,2"), ("t", 0.2), ("t", 0.0), ("p", 3)]),
    method=st.sampled_from(["mdav", "fast", "mixed", "t_merge", "t_swap", "t_first", "p_sensitive"]),
    refine=st.sampled_from([None, "local"]),
    values=st.integers(2, 4),
)
def test_whatever_can_be_kept_is_kept(n, k, seed, said, method, refine, values):
    """Few records, many ties: where all of them together keep a promise, every method ends with groups that do."""
    random = np.random.default_rng(seed)
    X = random.integers(0, 3, (n, 2)).astype(float)
    field, level = said
    promises = promise({field: {"ill": level}}, {"ill": random.integers(0, values, n)})
    if k > n or not promises.kept(np.zeros(n, dtype=np.int64)):
        return
    refine = None if METHODS[method].takes == "attributes" else refine
    assert_kept(X, partition(X, k, method=method, refine=refine, promises=promises), k, promises)


@every_promise
def test_local_search_only_lowers_the_loss(asked):
    X, columns = table(600, seed=1)
    promises = promise(asked, columns)
    start = repair(X, partition(X, 4, method="mdav"), 4, promises=promises)
    improved = local(X, start, 4, promises=promises)
    assert_kept(X, improved, 4, promises)
    assert loss(X, improved) < loss(X, start)
    annealed = search(X, start, 4, iterations=1, promises=promises)
    assert_kept(X, annealed, 4, promises)
    assert loss(X, annealed) < loss(X, start)


def test_local_search_stops_where_no_move_or_swap_helps():
    """A slow look at every move of a record and every swap of two: none lowers the loss and keeps the promise."""
    for seed in range(6):
        X, columns = table(24, seed=seed)
        promises = promise({"l": {"ill": 2}}, columns)
        labels = local(X, partition(X, 3), 3, promises=promises)
        best = loss(X, labels)
        for one in range(24):
            for group in range(int(labels.max()) + 1):
                moved = labels.copy()
                moved[one] = group
                if np.bincount(moved, minlength=labels.max() + 1).min() >= 3 and promises.kept(moved):
                    assert loss(X, moved) >= best - 1e-9
            for other in range(one):
                swapped = labels.copy()
                swapped[[one, other]] = labels[[other, one]]
                near = abs(loss(X, swapped) - best) < 1e-9
                assert near or not promises.kept(swapped) or loss(X, swapped) >= best


def test_search_comes_near_to_the_best_of_all_partitions():
    """Exhaustive over all partitions of nine records: annealing finds the best one that keeps the promise."""
    for seed in range(4):
        X, columns = table(9, seed=seed + 10)
        promises = promise({"l": {"ill": 2}}, columns)
        if not promises.kept(np.zeros(9, dtype=np.int64)):
            continue
        least = np.inf
        for parts in oracles.partitions(9, 2):
            labels = np.empty(9, dtype=np.int64)
            for number, rows in enumerate(parts):
                labels[rows] = number
            if promises.kept(labels):
                least = min(least, loss(X, labels))
        found = partition(X, 2, method="best", iterations=3, promises=promises)
        assert loss(X, found) == pytest.approx(least)


@pytest.mark.parametrize("method", ["fast", "mixed", "best"])
@every_promise
def test_equal_on_any_number_of_threads_with_promises(method, asked):
    X, columns = table(1500, seed=2)
    promises = promise(asked, columns)
    options = METHODS[method].repeatable
    one, two = (partition(X, 4, method=method, promises=promises, threads=n, **options) for n in (1, 2))
    np.testing.assert_array_equal(one, two)


def test_many_records_are_repaired_block_by_block():
    """More than one block: the same on any number of threads, and no promise is left broken at a border."""
    X, columns = table(30_000, seed=5)
    promises = promise({"l": {"ill": 3}}, columns)
    start = np.empty(len(X), dtype=np.int64)
    _core.start_groups(X, 5, 2, start)
    one, two = (repair(X, start, 5, promises=promises, threads=n) for n in (1, 2))
    np.testing.assert_array_equal(one, two)
    assert_kept(X, one, 5, promises)
    improved = local(X, one, 5, promises=promises, threads=2)
    assert_kept(X, improved, 5, promises)
    assert loss(X, improved) < loss(X, one)


def lack_of(promises: Promises) -> oracles.Lack:
    return lambda rows: float(promises.take(np.array(rows)).lacks(np.zeros(len(rows), dtype=np.int64))[0])


@every_promise
@pytest.mark.parametrize("n", [12, 31, 60])
def test_published_algorithms_equal_their_listing(asked, n):
    """Algorithm 2, and the merging of algorithm 1 that ends it, step by step."""
    X, columns = table(n, seed=n)
    promises = promise(asked, columns)
    lack = lack_of(promises)
    first = oracles.k_anonymity_first(X, 3, lack)
    labels = np.empty(n, dtype=np.int64)
    _core.k_anonymity_first(X, 3, promises.kernel, labels, None)
    assert groups(labels) == {frozenset(group) for group in first}
    _core.merge_until_kept(X, promises.kernel, labels, None)
    assert groups(labels) == {frozenset(group) for group in oracles.merged(X, sorted(first, key=min), lack)}


@pytest.mark.parametrize("n", [12, 31, 40, 61])
@pytest.mark.parametrize("ties", [False, True])
def test_one_of_each_equals_its_listing(n, ties):
    X, columns = table(n, seed=n, ties=ties)
    promises = promise({"t": {"pay": 0.12}}, columns)
    parts = parts_of(promises.codes[:, 0], size_for(n, 2, 0.12))
    labels = METHODS["t_first"](X, 2, promises=promises)
    assert groups(labels) == {frozenset(group) for group in oracles.one_of_each(X, parts)}


@pytest.mark.parametrize("t", [0.02, 0.05, 0.1, 0.3])
@pytest.mark.parametrize("n", [100, 101, 137])
def test_t_first_keeps_t_by_its_size_alone(n, t):
    """The bound of the paper: with records that all differ, one of each part is close enough without any repair."""
    X, _ = table(n)
    promises = promise({"t": {"pay": t}}, {"pay": np.random.default_rng(1).permutation(n)})
    labels = METHODS["t_first"](X, 2, promises=promises)
    sizes = np.bincount(labels)
    assert sizes.min() == size_for(n, 2, t)
    assert sizes.max() <= sizes.min() + 1
    even = promise({"t": {"pay": (n - sizes.min()) / (2 * (n - 1) * sizes.min())}}, {"pay": np.arange(n)})
    assert even.terms.promises[0].constraint.level <= t + 1e-12
    if n % sizes.min() == 0:
        assert promises.kept(labels)
    assert_kept(X, partition(X, 2, method="t_first", promises=promises), 2, promises)


@pytest.mark.parametrize("method", ["t_merge", "t_swap", "t_first", "p_sensitive"])
def test_without_promises_they_are_mdav(method):
    X, _ = table(80)
    np.testing.assert_array_equal(partition(X, 4, method=method), partition(X, 4, method="mdav"))


@pytest.mark.parametrize("asked", [{"t": {"pay": 0.05}}, {"t": {"pay": 0.13}}, {"t": {"pay": 0.25}}, {"l": {"ill": 3}}])
@pytest.mark.parametrize("k", [3, 10])
def test_ours_lose_less_than_the_published_ones(asked, k):
    """On a pay that goes with a quasi-identifier, and an illness that few have."""
    X, columns = table(500, seed=7)
    promises = promise(asked, columns)
    published = [
        loss(X, partition(X, k, method=method, promises=promises))
        for method in ("t_merge", "t_swap", "t_first", "p_sensitive")
    ]
    for method, options in (("mdav", {"refine": "local"}), ("fast", {}), ("best", {"iterations": 2})):
        assert loss(X, partition(X, k, method=method, promises=promises, **options)) < min(published)


def test_promises_must_be_on_the_records_that_are_grouped():
    X, columns = table(20)
    with pytest.raises(InvalidData, match="each of 20 records; got 10"):
        partition(X, 3, promises=promise({"l": {"ill": 2}}, columns).take(np.arange(10)))
    with pytest.raises(InvalidOption, match="got a float"):
        local(X, partition(X, 3), 3, promises=float("nan"))


def test_columns_that_are_grouped_alone_promise_nothing():
    X, columns = table(20)
    with pytest.raises(InvalidOption, match="nothing can be promised"):
        partition(X, 3, method="individual", promises=promise({"l": {"ill": 2}}, columns))
