"""Branch and price: the optimum, with its proof."""

from __future__ import annotations

import bound_oracles
import numpy as np
import pytest
from checks import Fractions, assert_partition
from hypothesis import given, settings
from hypothesis import strategies as st

import microagg
from microagg import _core
from microagg.bounds import branch, lower_bound
from microagg.bounds.cuts import KINDS, SIZE, Cuts, violated

RECORDS = {
    "gaussian": lambda rng, n: rng.normal(size=(n, 2)),
    "ties": lambda rng, n: rng.integers(0, 3, (n, 2)).astype(float),
    "duplicates": lambda rng, n: rng.normal(size=(n, 2))[rng.integers(0, max(n // 2, 1), n)],
    "outliers": lambda rng, n: rng.normal(size=(n, 2)) * np.where(rng.random((n, 1)) < 0.3, 50.0, 1.0),
}


def cost(X: np.ndarray, labels: np.ndarray) -> float:
    return sum(bound_oracles.cost(X, np.flatnonzero(labels == group)) for group in set(labels.tolist()))


@settings(max_examples=25, deadline=None)
@given(kind=st.sampled_from([*RECORDS]), n=st.integers(4, 10), k=st.integers(2, 3), seed=st.integers(0, 999))
def test_the_optimum_of_all_partitions(kind: str, n: int, k: int, seed: int) -> None:
    """Against every partition there is: the bound is its loss, and the labels reach it."""
    k = min(k, n // 2)
    X = RECORDS[kind](np.random.default_rng(seed), n)
    bound = lower_bound(X, k, method="columns", prove=True, threads=1)
    optimum = bound_oracles.optimum(X, k)
    noise = 1e-12 * ((X - X.mean(axis=0)) ** 2).sum()
    assert bound.proven_optimal
    assert bound.partition is not None
    assert_partition(bound.partition, n, k)
    assert cost(X, bound.partition) == pytest.approx(optimum, rel=1e-6, abs=noise)
    assert bound.sse == pytest.approx(optimum, rel=1e-6, abs=noise)
    assert bound.sse <= optimum * (1 + 1e-12) + noise


def test_branching_alone_closes_the_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without cuts, dives and lists of groups, pairs must be decided, and the optimum comes out all the same."""
    monkeypatch.setattr(branch, "MOST_LISTED", -1)
    monkeypatch.setattr(branch, "dive", lambda relaxation, part: None)
    monkeypatch.setattr("microagg.bounds.master.violated", lambda groups, weights, most, prices: Cuts.of([]))
    decided = []
    best_pair = branch.best_pair

    def noted(relaxation, part):
        decided.append(best_pair(relaxation, part))
        return decided[-1]

    monkeypatch.setattr(branch, "best_pair", noted)
    for seed in range(4):
        X = np.random.default_rng(seed).normal(size=(9, 3))
        bound = lower_bound(X, 2, method="columns", prove=True, threads=1)
        assert bound.proven_optimal
        assert bound.sse == pytest.approx(bound_oracles.optimum(X, 2), rel=1e-6)
    assert any(pair is not None for pair in decided)


@pytest.mark.parametrize("seed", range(2))
def test_a_hundred_records(seed: int) -> None:
    """What `best` finds is never below what is proven, and a known optimum is recognised."""
    X = np.random.default_rng(seed).normal(size=(100, 3))
    bound = lower_bound(X, 3, method="columns", prove=True, threads=1)
    assert bound.proven_optimal
    assert bound.partition is not None
    searched = microagg.partition(X, 3, method="best", time_limit=1.0, seed=seed)
    assert cost(X, searched) >= bound.sse
    again = lower_bound(X, 3, method="columns", prove=True, upper=bound.partition, threads=1)
    assert again.proven_optimal
    assert again.partition is None
    assert again.sse == pytest.approx(bound.sse, rel=1e-6)
    assert str(again) == f"{again.loss:.4f} %: optimal"


def test_equal_on_any_number_of_threads() -> None:
    X = np.random.default_rng(7).normal(size=(90, 4))
    one, two = (lower_bound(X, 3, method="columns", prove=True, threads=threads) for threads in (1, 2))
    assert one.sse == two.sse
    np.testing.assert_array_equal(one.partition, two.partition)


def test_time_that_runs_out_leaves_a_bound() -> None:
    X = np.random.default_rng(3).normal(size=(600, 5))
    told = Fractions()
    bound = lower_bound(X, 4, method="columns", prove=True, time_limit=2.0, progress=told)
    assert not bound.proven_optimal
    assert 0.0 < bound.loss <= microagg.information_loss(X, bound.partition)
    assert str(bound).startswith("no partition is below")
    told.assert_rises()


def test_an_interrupt_ends_it() -> None:
    """What is raised while progress is told comes out."""

    def interrupt(_: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        lower_bound(np.random.default_rng(0).normal(size=(80, 3)), 3, method="columns", prove=True, progress=interrupt)


@settings(max_examples=100, deadline=None)
@given(kind=st.sampled_from(KINDS), n=st.integers(SIZE, 12), seed=st.integers(0, 999))
def test_cuts_hold_for_every_partition(kind: tuple, n: int, seed: int) -> None:
    multiples, divisor = kind
    rng = np.random.default_rng(seed)
    cut = Cuts.of([(rng.choice(n, SIZE, replace=False).tolist(), multiples, divisor)])
    labels = rng.integers(0, 4, n)
    parts = [
        int((cut.multiples * np.isin(cut.records, np.flatnonzero(labels == group))).sum()) // divisor
        for group in range(4)
    ]
    assert sum(parts) <= cut.most[0]


def test_larger_cuts_where_no_three_records_are_violated() -> None:
    """Five records in a ring, each with both neighbours for one half: 2.5 pairs of at most 2."""
    ring = [np.array(sorted([place, (place + 1) % 5])) for place in range(5)]
    cuts = violated(ring, np.full(5, 0.5), 10, np.ones(5))
    parts = [int((cuts.multiples[0] * np.isin(cuts.records[0], pair)).sum()) // cuts.divisors[0] for pair in ring]
    assert 0.5 * sum(parts) > cuts.most[0]


def test_divisors_that_cannot_be() -> None:
    X, rows = np.zeros((6, 1)), np.zeros((1, 5), dtype=np.int64)
    no_pairs = np.empty((0, 2), dtype=np.int64)
    with pytest.raises(ValueError, match="divisors"):
        _core.price_groups(
            X,
            2,
            np.ones(6),
            rows,
            rows,
            np.zeros(1, dtype=np.int64),
            np.ones(1),
            no_pairs,
            no_pairs,
            *(0.0, 1, 1),
            False,
            1,
            None,
        )
