"""The sequence of a search: a longer one is never worse, and threads change nothing."""

from __future__ import annotations

import numpy as np
import oracles
import pytest
from checks import assert_partition
from starts import random_groups

from microagg import _core
from microagg.partition import choosing
from microagg.partition.choosing import Choosing
from microagg.refine.in_order import NumberedTask, do_in_order
from microagg.refine.sequence import Sequence


def partitions(X: np.ndarray, start: np.ndarray, k: int, n_tasks: int, threads: int, *, chooses: bool) -> list[bytes]:
    """Give the best partition before each task, and at the end."""
    extra = Choosing(X, k, prices=True, seconds=600.0) if chooses else None
    sequence = Sequence(X, start, k, 7, None, extra)
    bests: list[bytes] = []

    def next_task(number: int) -> NumberedTask:
        bests.append(sequence.best.tobytes())
        return sequence.next_task(number)

    do_in_order(next_task, n_tasks=n_tasks, seconds=600.0, threads=threads, stop=sequence.stop)
    assert sequence.decrease == pytest.approx(oracles.sse(X, start) - oracles.sse(X, sequence.best), rel=1e-9)
    return [*bests, sequence.best.tobytes()]


@pytest.mark.parametrize("chooses", [False, True])
def test_a_longer_search_goes_through_what_a_shorter_one_gives(chooses: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted in tasks, with coolings, choices and pricing under way at every end, on any number of threads."""
    if chooses:
        pytest.importorskip("highspy")
        monkeypatch.setattr(choosing, "FIRST_CHOICE", 100 * 300)
        monkeypatch.setattr(choosing, "FIRST_PRICES", 1_000 * 300)
    rng = np.random.default_rng(0)
    X, k = rng.normal(size=(300, 5)), 4
    start = random_groups(rng, 300, k)
    longest = partitions(X, start, k, 300, 3, chooses=chooses)
    for n_tasks in (17, 210):
        assert partitions(X, start, k, n_tasks, 1, chooses=chooses) == longest[: n_tasks + 1]
    reached = [np.frombuffer(best, dtype=np.int64) for best in dict.fromkeys(longest)]
    assert len(reached) > 5
    losses = [oracles.sse(X, labels) for labels in reached]
    assert losses == sorted(losses, reverse=True)
    assert_partition(reached[-1], 300, k)


@pytest.mark.parametrize("k", [2, 3, 6])
def test_chains_after_annealing_find_what_annealing_leaves(k: int) -> None:
    """From the same random numbers: chains only lower what they are given, and look where groups have changed."""
    X = np.random.default_rng(k).normal(size=(900, 6))
    labels = np.minimum(np.arange(900) // k, 900 // k - 1)
    annealer = _core.Annealer(X, k, labels, 1)
    (alone, n_compared, n_steps), (chained, n_again, n_steps_of_chains) = (
        annealer.anneal(labels, 0.1, 20.0, longest, 5) for longest in (0, 8)
    )
    assert n_compared == n_again > 900
    assert n_steps == 0 < n_steps_of_chains
    assert oracles.sse(X, chained) < oracles.sse(X, alone)
    assert_partition(chained, 900, k)
    still, _, n_steps_again = annealer.anneal(chained, 0.01, 1.0, 8, 5)
    assert n_steps_again < 0.5 * n_steps_of_chains
    assert oracles.sse(X, still) <= oracles.sse(X, chained) * (1 + 1e-9)


def test_an_annealer_of_many_records_looks_along_a_graph() -> None:
    """More than 20,000 records are never all compared; the threads that are there change nothing."""
    rng = np.random.default_rng(1)
    X = np.round(rng.normal(size=(20_100, 2)), 1)
    labels = np.arange(20_100) // 5
    results = []
    for threads in (1, 3):
        start = labels.copy()
        annealer = _core.Annealer(X, 5, start, threads)
        annealed, *_ = annealer.anneal(start, 0.1, 2.0, 4, 3)
        results.append(annealer.combine(start, annealed)[0])
    assert np.array_equal(*results)
    assert_partition(results[0], 20_100, 5)
    assert oracles.sse(X, results[0]) < 0.5 * oracles.sse(X, labels)


def test_an_annealer_refuses_groups_that_do_not_fit() -> None:
    X = np.random.default_rng(0).normal(size=(12, 2))
    labels = np.repeat(np.arange(4), 3)
    annealer = _core.Annealer(X, 3, labels, 1)
    with pytest.raises(ValueError, match="labels must hold 12"):
        annealer.anneal(labels[:6], 0.1, 10.0, 6, 0)
    with pytest.raises(ValueError, match="at least 3"):
        annealer.anneal(np.repeat(np.arange(6), 2), 0.1, 10.0, 6, 0)
    with pytest.raises(ValueError, match="size of a group"):
        annealer.combine(labels, np.repeat(np.arange(2), 6))


def test_large_groups_are_split_and_a_stopped_annealer_gives_nothing() -> None:
    X = np.random.default_rng(0).normal(size=(12, 2))
    labels = np.zeros(12, dtype=np.int64)
    annealer = _core.Annealer(X, 3, labels, 1)
    assert np.bincount(labels).max() <= 5
    annealed, *_ = annealer.anneal(labels, 0.3, 200.0, 6, 1)
    better, decrease = annealer.combine(labels, annealed)
    assert decrease == pytest.approx(oracles.sse(X, labels) - oracles.sse(X, better))
    assert oracles.sse(X, better) <= min(oracles.sse(X, labels), oracles.sse(X, annealed)) * (1 + 1e-12)
    annealer.stop()
    assert annealer.anneal(labels, 0.3, 200.0, 6, 1) is None
