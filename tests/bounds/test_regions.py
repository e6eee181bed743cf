"""Choosing among groups that were seen: the best of them, and never worse than before."""

from __future__ import annotations

import numpy as np
import oracles
import pytest
from checks import assert_partition
from hypothesis import given, settings
from hypothesis import strategies as st

from microagg import _core
from microagg.base.groups import in_order
from microagg.bounds import choose_in, lower_bound, priced_groups, regions_of
from microagg.bounds.regions import balls
from microagg.partition import partition


def groups_of(labels: np.ndarray) -> set[frozenset[int]]:
    return {frozenset(np.flatnonzero(labels == label).tolist()) for label in np.unique(labels)}


def choose_in_regions(X: np.ndarray, labels: np.ndarray, seen: _core.SeenGroups, *, size: int, seed: int = 0):
    """Choose in all regions; give the labels, and whether all choices are proven."""
    seen.note(labels)
    better, proven = labels.copy(), True
    for region in regions_of(X, labels, seen, size=size, count=3, random=np.random.default_rng(seed)):
        choice = choose_in(region, seconds=60.0)
        proven &= choice.proven
        if choice.labels is not None:
            better[region.rows] = len(X) * (1 + region.rows[0]) + choice.labels
    return in_order(better), proven


def some_labels(n: int, k: int, count: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Random partitions into groups of k and a little more."""
    found = []
    for _ in range(count):
        labels = np.empty(n, dtype=np.int64)
        labels[rng.permutation(n)] = np.minimum(np.arange(n) // k, n // k - 1)
        found.append(labels)
    return found


def noted(X: np.ndarray, all_labels: list[np.ndarray], most: int = 10**6) -> _core.SeenGroups:
    seen = _core.SeenGroups(X, most)
    for labels in all_labels:
        seen.note(labels)
    return seen


def everything(seen: _core.SeenGroups, n: int) -> set[frozenset[int]]:
    members, starts, _ = seen.within(np.arange(n))
    return {frozenset(group.tolist()) for group in np.split(members, starts[1:-1])}


@given(n=st.integers(4, 30), k=st.integers(2, 4), count=st.integers(1, 5), seed=st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_seen_groups_are_those_of_the_partitions_each_once(n: int, k: int, count: int, seed: int) -> None:
    k = min(k, n // 2)
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    all_labels = some_labels(n, k, count, rng)
    seen = noted(X, all_labels + all_labels[:1])
    expected = set().union(*map(groups_of, all_labels))
    inside = np.sort(rng.permutation(n)[: rng.integers(1, n + 1)])
    for rows in (np.arange(n), inside):
        members, starts, costs = seen.within(rows)
        groups = np.split(members, starts[1:-1]) if len(costs) else []
        kept = set(rows.tolist())
        assert [frozenset(group.tolist()) for group in groups].count(frozenset()) == 0
        assert {frozenset(group.tolist()) for group in groups} == {group for group in expected if group <= kept}
        assert len(groups) == len(costs) == len({frozenset(group.tolist()) for group in groups})
        for group, cost in zip(groups, costs, strict=True):
            assert list(group) == sorted(group)
            assert cost == pytest.approx(((X[group] - X[group].mean(axis=0)) ** 2).sum(), rel=1e-9, abs=1e-12)
    assert len(seen) == len(expected)


def test_the_older_half_is_forgotten_and_can_come_again() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    first, second = some_labels(40, 4, 2, rng)
    seen = noted(X, [first, second], most=15)  # the sixteenth group makes it forget the first eight
    assert everything(seen, 40) == {group for group in groups_of(first) if first[min(group)] >= 8} | groups_of(second)
    forgotten = np.flatnonzero(first == 0)
    seen.add(forgotten)
    assert frozenset(forgotten.tolist()) in everything(seen, 40)


@given(n=st.integers(8, 60), count=st.integers(1, 4), size=st.integers(1, 60), seed=st.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_regions_share_no_group_and_are_as_large_as_asked(n: int, count: int, size: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    labels = in_order(some_labels(n, 3, 1, rng)[0])
    regions = list(balls(rng.normal(size=(n, 2)), labels, size, count, rng))
    every = np.concatenate(regions)
    assert 1 <= len(regions) <= count
    assert len(every) == len(set(every.tolist()))
    for region in regions:
        assert len(region) == 1 or np.bincount(labels)[region].sum() <= size


@pytest.mark.parametrize("seed", range(4))
def test_chooses_the_best_of_two_partitions_that_are_good_in_different_places(seed: int) -> None:
    pytest.importorskip("highspy")
    rng = np.random.default_rng(seed)
    X = np.concatenate([rng.normal(size=(24, 2)), 100 + rng.normal(size=(24, 2))])
    good = partition(X, 3, method="best", iterations=3)
    bad = in_order(np.concatenate([some_labels(24, 3, 1, rng)[0], 8 + some_labels(24, 3, 1, rng)[0]]))
    left_good, right_good = np.where(np.arange(48) < 24, good, 50 + bad), np.where(np.arange(48) < 24, bad, 50 + good)
    left_good, right_good = in_order(left_good), in_order(right_good)
    labels, solved = choose_in_regions(X, left_good, noted(X, [right_good]), size=48)
    assert solved
    assert_partition(labels, 48, 3)
    assert oracles.sse(X, labels) <= oracles.sse(X, good) * (1 + 1e-9)
    assert oracles.sse(X, labels) < min(oracles.sse(X, left_good), oracles.sse(X, right_good))


@given(n=st.integers(12, 40), size=st.integers(6, 40), seed=st.integers(0, 2**32))
@settings(max_examples=15, deadline=None)
def test_is_never_worse_whatever_was_seen(n: int, size: int, seed: int) -> None:
    pytest.importorskip("highspy")
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, 2)), 1)
    first, *others = map(in_order, some_labels(n, 3, 6, rng))
    labels, _ = choose_in_regions(X, first, noted(X, others), size=size, seed=seed)
    assert_partition(labels, n, 3)
    assert oracles.sse(X, labels) <= oracles.sse(X, first) * (1 + 1e-9)


def test_groups_beyond_the_most_are_left_out_where_they_cost_most(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("highspy")
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 2))
    good, start = partition(X, 3, method="best", iterations=2), in_order(some_labels(60, 3, 1, rng)[0])
    seen = noted(X, [good, *some_labels(60, 3, 30, rng)])
    monkeypatch.setattr("microagg.bounds.regions.MOST_GROUPS", 40)
    labels, _ = choose_in_regions(X, start, seen, size=60)
    assert oracles.sse(X, labels) <= oracles.sse(X, good) * (1 + 1e-9)


def test_where_all_records_are_equal_nothing_is_chosen() -> None:
    pytest.importorskip("highspy")
    X, labels = np.ones((12, 2)), np.repeat(np.arange(4), 3)
    same, solved = choose_in_regions(X, labels, noted(X, []), size=12)
    assert same.tolist() == labels.tolist()
    assert solved
    assert priced_groups(X, 3, labels, seconds=1.0, threads=1) == []


@pytest.mark.parametrize("seed", range(3))
def test_the_relaxation_over_priced_groups_is_as_low_as_over_all(seed: int) -> None:
    pytest.importorskip("highspy")
    optimize = pytest.importorskip("scipy.optimize")
    X = np.random.default_rng(seed).normal(size=(40, 2))
    start = partition(X, 3, method="mdav")
    groups = priced_groups(X, 3, start, seconds=20.0, threads=1)
    assert all(3 <= len(group) <= 5 for group in groups)
    holds = np.array([np.isin(np.arange(40), group) for group in groups], dtype=float).T
    costs = [((X[group] - X[group].mean(axis=0)) ** 2).sum() for group in groups]
    value = optimize.linprog(costs, A_eq=holds, b_eq=np.ones(40)).fun
    bound = lower_bound(X, 3, method="columns", cuts=False, time_limit=20.0).sse
    assert bound * (1 - 1e-6) <= value <= bound * (1 + 2e-3)
    assert value < oracles.sse(X, start)


def test_a_choice_of_few_looks_says_how_much_it_took_and_whether_time_was_up() -> None:
    pytest.importorskip("highspy")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    seen = noted(X, [partition(X, 3, method="best", iterations=1, seed=seed) for seed in range(12)])
    labels = in_order(some_labels(200, 3, 1, rng)[0])
    seen.note(labels)
    [region] = regions_of(X, labels, seen, size=200, count=1, random=rng)
    choice = choose_in(region, seconds=600.0, looks=50)
    again = choose_in(region, seconds=600.0, looks=50)
    assert choice.steps == again.steps > 0
    assert np.array_equal(choice.labels, again.labels)
    assert not choice.out_of_time
    assert choose_in(region, seconds=0.0, looks=50).out_of_time
