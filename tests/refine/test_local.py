"""Local search: never worse, exact in its bookkeeping, the same on any number of threads."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import oracles
import pytest
from checks import assert_partition, groups
from hypothesis import given, settings
from hypothesis import strategies as st
from starts import mdav, random_groups

from microagg import _core
from microagg.errors import InfeasibleK, InvalidData, InvalidOption
from microagg.partition import partition
from microagg.refine import REFINEMENTS, local


def loss(X: np.ndarray, labels: np.ndarray) -> float:
    return 100 * oracles.sse(X, labels) / ((X - X.mean(axis=0)) ** 2).sum()


def squares(points: np.ndarray) -> float:
    return float(((points - points.mean(axis=0)) ** 2).sum())


@pytest.mark.parametrize("k", [2, 3, 5, 10])
@pytest.mark.parametrize("n", [20, 61, 400])
def test_result_is_a_partition_and_not_worse(n: int, k: int) -> None:
    rng = np.random.default_rng(n + k)
    X = rng.normal(size=(n, 3))
    start = random_groups(rng, n, k)
    improved = local(X, start, k)
    assert_partition(improved, n, k)
    assert np.bincount(improved).max() < 2 * k
    assert oracles.sse(X, improved) < 0.8 * oracles.sse(X, start)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 5), st.integers(5, 40), st.integers(1, 3), st.sampled_from([1, 3, 1000]))
def test_never_worse_with_ties_and_duplicates(seed: int, k: int, n: int, m: int, values: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, values, size=(n, m)).astype(float)
    start = random_groups(rng, n, k)
    improved = local(X, start, k)
    assert_partition(improved, n, k)
    assert oracles.sse(X, improved) <= oracles.sse(X, start) * (1 + 1e-12) + 1e-9


@pytest.mark.parametrize("seed", range(4))
def test_no_single_move_or_swap_lowers_the_loss(seed: int) -> None:
    """A local optimum: with every record a neighbour of every other, no change of two records helps."""
    rng = np.random.default_rng(seed)
    X, k = rng.normal(size=(13, 2)), 3
    labels = local(X, random_groups(rng, 13, k), k)
    least = oracles.sse(X, labels)
    for i in range(13):
        for g in range(labels.max() + 1):
            moved = labels.copy()
            moved[i] = g
            if np.bincount(moved, minlength=labels.max() + 1).min() >= k:
                assert oracles.sse(X, moved) >= least - 1e-9
        for j in range(i):
            swapped = labels.copy()
            swapped[[i, j]] = labels[[j, i]]
            assert oracles.sse(X, swapped) >= least - 1e-9


@pytest.mark.parametrize(("n", "k"), [(11, 2), (13, 3), (17, 4), (17, 5)])
@pytest.mark.parametrize("seed", range(3))
def test_no_two_groups_can_be_cut_better(n: int, k: int, seed: int) -> None:
    """Of all ways to cut the records of two groups in two, none is better, up to ten records."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, size=(n, 2)).astype(float) if seed == 0 else rng.normal(size=(n, 2))
    labels = local(X, random_groups(rng, n, k), k)
    for a, b in itertools.combinations(range(labels.max() + 1), 2):
        rows = np.flatnonzero((labels == a) | (labels == b))
        now = oracles.sse(X[rows], (labels[rows] == b).astype(int))
        for size in range(k, len(rows) - k + 1) if len(rows) <= 10 else ():
            for chosen in itertools.combinations(range(len(rows)), size):
                sides = np.isin(np.arange(len(rows)), chosen).astype(int)
                assert oracles.sse(X[rows], sides) >= now - 1e-9


def cuts(rows: tuple[int, ...], parts: int, k: int) -> Iterator[list[tuple[int, ...]]]:
    """Every way to cut rows into so many groups of k to 2k-1."""
    if parts == 1:
        if k <= len(rows) < 2 * k:
            yield [rows]
        return
    for size in range(k, 2 * k):
        for others in itertools.combinations(rows[1:], size - 1):
            first = (rows[0], *others)
            for rest in cuts(tuple(row for row in rows if row not in first), parts - 1, k):
                yield [first, *rest]


@pytest.mark.parametrize(("n", "k"), [(9, 2), (11, 2), (9, 3), (10, 3), (13, 3)])
@pytest.mark.parametrize("seed", range(4))
def test_no_three_groups_can_be_cut_better(n: int, k: int, seed: int) -> None:
    """Of all ways to cut the records of three groups in three, none is better, up to ten records."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, size=(n, 2)).astype(float) if seed == 0 else rng.normal(size=(n, 2))
    labels = local(X, random_groups(rng, n, k), k)
    for three in itertools.combinations(range(labels.max() + 1), 3):
        rows = tuple(np.flatnonzero(np.isin(labels, three)).tolist())
        now = sum(squares(X[labels == g]) for g in three)
        if len(rows) <= 10:
            assert min(sum(squares(X[list(part)]) for part in cut) for cut in cuts(rows, 3, k)) >= now - 1e-9


def test_three_groups_are_cut_where_two_are_not_enough() -> None:
    """Cutting two groups at a time ends at 28.5 here."""
    X = np.array([[8.0, 2.0], [1.0, 2.0], [4.0, 8.0], [4.0, 0.0], [3.0, 6.0], [8.0, 7.0]])
    assert min(sum(squares(X[list(part)]) for part in cut) for cut in cuts(tuple(range(6)), 3, 2)) == 21.5
    assert oracles.sse(X, local(X, [0, 0, 1, 1, 2, 2], 2)) == 21.5


@pytest.mark.parametrize("k", [3, 5, 10])
def test_census_after_mdav_loses_at_least_8_percent_less(benchmark_data: Callable[[str], np.ndarray], k: int) -> None:
    X = benchmark_data("census")
    before = mdav(X, k)
    after = local(X, before, k)
    assert 100 * (1 - loss(X, after) / loss(X, before)) >= 8


def test_many_blocks_equal_on_any_number_of_threads() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(13000, 4))
    start = random_groups(rng, 13000, 4)
    one = local(X, start, 4, threads=1)
    assert_partition(one, 13000, 4)
    assert np.array_equal(one, local(X, start, 4, threads=2))
    assert np.array_equal(one, local(X, start, 4, threads=3))
    assert oracles.sse(X, one) < 0.5 * oracles.sse(X, start)


@pytest.mark.parametrize("n", [5000, 13000])
def test_more_passes_find_more(n: int) -> None:
    """Across the borders of blocks, and in one block what has come near since."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, 3))
    start = random_groups(rng, n, 5)
    losses = [oracles.sse(X, local(X, start, 5, max_passes=passes)) for passes in (1, 2, 4)]
    assert losses[0] > losses[1] > losses[2]


@pytest.mark.parametrize(("n", "k"), [(300, 4), (300, 10), (3500, 3), (3500, 7), (7000, 4)])
@pytest.mark.parametrize("max_passes", [1, 2, 5])
@pytest.mark.parametrize("scale", [1.0, 1e6])
def test_books_equal_a_recount_at_every_stop(n: int, k: int, max_passes: int, scale: float) -> None:
    """The changes that the search adds up, one by one, are what a count from the records says."""
    rng = np.random.default_rng(n)
    X = np.exp(2 * rng.normal(size=(n, 4))) * scale
    start = random_groups(rng, n, k)
    labels = start.copy()
    booked = _core.refine_local(X, k, max_passes, 0, 2, math.inf, labels, None)
    assert booked > 0
    assert oracles.sse(X, start) - booked == pytest.approx(oracles.sse(X, labels), rel=1e-9)


def test_large_groups_are_split() -> None:
    X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2], [9.0], [9.1], [9.2]])
    assert groups(local(X, np.zeros(9, dtype=int), 3)) == {
        frozenset({0, 1, 2}),
        frozenset({3, 4, 5}),
        frozenset({6, 7, 8}),
    }


def test_input_is_not_touched() -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(50, 2))
    start = random_groups(rng, 50, 3)
    X.flags.writeable = start.flags.writeable = False
    before = start.copy()
    local(X, start, 3)
    assert np.array_equal(start, before)


def test_one_group_stays_one_group() -> None:
    assert local([[1.0], [2.0], [3.0]], [0, 0, 0], 2).tolist() == [0, 0, 0]


def test_wide_range_of_magnitudes() -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(90, 3)) * np.array([1e15, 1.0, 1e-15])
    start = random_groups(rng, 90, 3)
    improved = local(X, start, 3)
    assert_partition(improved, 90, 3)
    assert oracles.sse(X, improved) < oracles.sse(X, start)


def test_progress_may_interrupt() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60000, 6))

    def interrupt(fraction: float) -> None:
        assert 0 <= fraction <= 1
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        local(X, random_groups(rng, 60000, 5), 5, threads=2, max_passes=50, progress=interrupt)


def test_time_limit_gives_a_partition() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20000, 4))
    start = random_groups(rng, 20000, 5)
    improved = local(X, start, 5, max_passes=1000, time_limit=0.05)
    assert_partition(improved, 20000, 5)
    assert oracles.sse(X, improved) < oracles.sse(X, start)


def test_bad_input_is_named() -> None:
    X = np.zeros((6, 1))
    with pytest.raises(InvalidData, match="group 1 has 2"):
        local(X, [0, 0, 0, 0, 1, 1], 3)
    with pytest.raises(InvalidData, match="labels must hold one group number"):
        local(X, [0, 0, 0], 3)
    with pytest.raises(InfeasibleK):
        local(X, [0] * 6, 7)
    with pytest.raises(InvalidOption, match="max_passes"):
        local(X, [0] * 6, 3, max_passes=0)
    with pytest.raises(InvalidOption, match="time_limit"):
        local(X, [0] * 6, 3, time_limit=-1)
    with pytest.raises(InvalidOption, match="seed"):
        local(X, [0] * 6, 3, seed=-1)


def test_front_door_refines_what_a_method_gives() -> None:
    X = np.random.default_rng(4).normal(size=(200, 3))
    plain = partition(X, 4, method="univariate")
    refined = partition(X, 4, method="univariate", refine="local")
    assert np.array_equal(refined, REFINEMENTS["local"](X, plain, 4))
    assert oracles.sse(X, refined) < oracles.sse(X, plain)
    with pytest.raises(InvalidOption, match="refine must be one of local"):
        partition(X, 4, method="univariate", refine="lokal")


@pytest.mark.parametrize("values", [1, 2, 3])
@pytest.mark.parametrize("k", [3, 4, 5])
def test_many_equal_records_are_cut_into_groups_that_are_not_too_large(values: int, k: int) -> None:
    """Three groups of equal records, merged and cut anew, are three groups still."""
    for seed in range(200):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, values, size=(40, 1)).astype(float)
        improved = local(X, random_groups(rng, 40, k), k)
        assert_partition(improved, 40, k)
        assert np.bincount(improved).max() < 2 * k


def test_progress_of_a_method_and_its_refinement_runs_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """As the first half and the second half of the whole, whatever the two tell."""

    def improve(X: np.ndarray, labels: np.ndarray, k: int, *, progress: Callable[[float], None]) -> np.ndarray:
        progress(0.2)
        progress(1.0)
        return labels

    monkeypatch.setitem(REFINEMENTS, "local", replace(REFINEMENTS["local"], function=improve))
    told: list[float] = []
    partition(np.random.default_rng(0).normal(size=(60_000, 2)), 3, method="mdav", refine="local", progress=told.append)
    assert told == sorted(told)
    assert told[-2:] == [0.6, 1.0]
    assert all(fraction <= 0.5 for fraction in told[:-2])
