"""The search as a method: what it must reach, and the odd data it must stand."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import oracles
import pytest
from checks import Fractions, assert_partition

from microagg.bounds import GroupChoice, Region, choose_in
from microagg.partition import METHODS, best, choosing, partition


@pytest.mark.parametrize(
    ("name", "k", "loss"),
    [("census", 3, 4.82), ("census", 5, 7.45), ("census", 10, 11.80), ("tarragona", 3, 14.6294)],
)
def test_reaches_what_a_second_should(
    benchmark_data: Callable[[str], np.ndarray], name: str, k: int, loss: float
) -> None:
    """Below the best run of any paper, in about the work of two processors in one second."""
    X = benchmark_data(name)
    labels = partition(X, k, method="best", iterations=20)
    assert_partition(labels, len(X), k)
    assert 100 * oracles.sse(X, labels) / (X**2).sum() <= loss


@pytest.mark.parametrize("n", [2, 3, 4, 5, 7])
def test_tiny(n: int) -> None:
    X = np.arange(float(n))[:, None]
    for k in range(2, n + 1):
        assert_partition(partition(X, k, method="best", iterations=1), n, k)


def test_all_records_equal() -> None:
    assert_partition(partition(np.ones((50, 2)), 3, method="best", iterations=1), 50, 3)


def test_a_constant_column_does_not_matter() -> None:
    X = np.random.default_rng(0).normal(size=(80, 2))
    widened = np.column_stack([X, np.full(80, 3.0)])
    plain = METHODS["best"](X, 4, iterations=2)
    assert oracles.sse(X, METHODS["best"](widened, 4, iterations=2)) == pytest.approx(oracles.sse(X, plain), rel=0.02)


def test_time_limit_is_a_limit() -> None:
    """It searches for as long as it may, and no longer.

    A busy machine makes the clock run, but takes no processor time of ours: one thread has a fraction of the 5 seconds
    that a search without a limit would take.
    """
    X = np.random.default_rng(0).normal(size=(300, 2))
    told = Fractions()
    wall, processor = time.monotonic(), time.process_time()
    labels = partition(X, 3, method="best", time_limit=0.2, threads=1, progress=told)
    wall, processor = time.monotonic() - wall, time.process_time() - processor
    assert_partition(labels, 300, 3)
    assert wall >= 0.2
    assert processor < 2.0
    told.assert_rises()
    assert told[-1] == 1.0


@pytest.fixture
def chooses_early(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let choosing and pricing begin at once: it takes a second otherwise."""
    pytest.importorskip("highspy")
    monkeypatch.setattr(choosing, "FIRST_CHOICE", 1_000)
    monkeypatch.setattr(choosing, "FIRST_PRICES", 10_000)


@pytest.mark.parametrize("k", [2, 3, 7])
@pytest.mark.usefixtures("chooses_early")
def test_a_search_chooses_among_all_groups_seen(k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    X = np.random.default_rng(0).normal(size=(120, 2))
    choices: list[GroupChoice] = []

    def choose(region: Region, **options: Any) -> GroupChoice:
        choices.append(choose_in(region, **options))
        return choices[-1]

    monkeypatch.setattr(choosing, "choose_in", choose)
    told: list[float] = []
    labels = partition(X, k, method="best", time_limit=1.0, progress=told.append)
    assert_partition(labels, 120, k)
    assert len(choices) > 1
    assert told == sorted(told)
    assert told[-1] == 1.0
    assert list(dict.fromkeys(labels.tolist())) == list(range(labels.max() + 1))


@pytest.mark.usefixtures("chooses_early")
def test_without_the_solver_a_search_anneals_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(best, "can_choose", lambda: False)
    monkeypatch.setattr(choosing, "choose_in", None)  # not called
    X = np.random.default_rng(0).normal(size=(120, 2))
    assert_partition(partition(X, 3, method="best", time_limit=0.2), 120, 3)


@pytest.mark.parametrize("when", [0.0, 0.7])
@pytest.mark.usefixtures("chooses_early")
def test_a_search_that_is_interrupted_gives_what_there_is(when: float) -> None:
    X = np.random.default_rng(0).normal(size=(120, 2))

    def stop(fraction: float) -> None:
        if fraction >= when:
            raise KeyboardInterrupt

    assert_partition(partition(X, 3, method="best", time_limit=1.0, progress=stop), 120, 3)


@pytest.mark.parametrize("k", [3, 7])
def test_a_search_of_many_records_is_never_worse_than_fast_or_a_shorter_one(k: int) -> None:
    """It begins with what fast gives, does what a shorter one does, and goes on; the same on any number of threads."""
    X = np.random.default_rng(8).normal(size=(2_600, 3))
    first = oracles.sse(X, partition(X, k, method="fast"))
    shorter, longer = (partition(X, k, method="best", iterations=iterations, threads=1) for iterations in (1, 3))
    assert oracles.sse(X, longer) < oracles.sse(X, shorter) < first
    assert np.array_equal(longer, partition(X, k, method="best", iterations=3, threads=3))


def test_where_no_time_is_left_what_fast_gives_is_there() -> None:
    X = np.random.default_rng(8).normal(size=(600, 3))
    assert oracles.sse(X, partition(X, 4, method="best", time_limit=1e-9)) == pytest.approx(
        oracles.sse(X, partition(X, 4, method="fast")), rel=1e-12
    )


def test_few_records_get_the_optimum() -> None:
    X = np.random.default_rng(8).normal(size=(best.FEW, 2))
    assert np.array_equal(partition(X, 3, method="best"), partition(X, 3, method="exact"))
