"""Search: never worse, repeatable, and it stops when told to."""

from __future__ import annotations

import itertools

import numpy as np
import oracles
import pytest
from checks import assert_partition, groups
from starts import random_groups

from microagg.errors import InvalidData, InvalidOption
from microagg.refine import local, search


def all_partitions(rows: list[int], k: int) -> list[list[list[int]]]:
    """Every partition of the rows into groups of at least k: feasible for a dozen rows."""
    if not rows:
        return [[]]
    found = []
    for size in range(k, len(rows) + 1):
        for mates in itertools.combinations(rows[1:], size - 1):
            rest = [row for row in rows[1:] if row not in mates]
            found += [[[rows[0], *mates], *others] for others in all_partitions(rest, k)]
    return found


@pytest.mark.parametrize("seed", range(5))
def test_finds_the_optimum_of_tiny_data(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, k = rng.normal(size=(11, 2)), 3
    least = min(
        sum(((X[rows] - X[rows].mean(axis=0)) ** 2).sum() for rows in parts)
        for parts in all_partitions(list(range(11)), k)
    )
    labels = search(X, random_groups(rng, 11, k), k, iterations=5)
    assert oracles.sse(X, labels) == pytest.approx(least, rel=1e-12)


def test_better_than_local_search() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    start = random_groups(rng, 300, 4)
    found = search(X, start, 4, iterations=3)
    assert_partition(found, 300, 4)
    assert oracles.sse(X, found) < 0.99 * oracles.sse(X, local(X, start, 4))


@pytest.mark.parametrize("n", [300, 2600])
def test_iterations_repeat_on_any_number_of_threads(n: int) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, 3))
    start = random_groups(rng, n, 5)
    one = search(X, start, 5, iterations=2, seed=7, threads=1)
    assert_partition(one, n, 5)
    assert np.array_equal(one, search(X, start, 5, iterations=2, seed=7, threads=3))
    assert not np.array_equal(one, search(X, start, 5, iterations=2, seed=8, threads=1))


def test_more_iterations_are_better() -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(400, 5))
    start = random_groups(rng, 400, 5)
    assert oracles.sse(X, search(X, start, 5, iterations=30)) < oracles.sse(X, search(X, start, 5, iterations=1))


def test_the_optimum_that_comes_in_is_kept() -> None:
    X = np.repeat(np.arange(5.0), 4)[:, None]
    start = np.repeat(np.arange(5), 4)
    assert groups(search(X, start, 4, iterations=2)) == groups(start)


def test_interrupting_gives_the_best_so_far() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(500, 3))
    start = random_groups(rng, 500, 3)

    def interrupt(fraction: float) -> None:
        if fraction > 0:
            raise KeyboardInterrupt

    found = search(X, start, 3, time_limit=600, progress=interrupt)
    assert_partition(found, 500, 3)
    assert oracles.sse(X, found) < oracles.sse(X, start)


def test_other_errors_of_progress_pass_through() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(500, 3))

    def fail(fraction: float) -> None:
        raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        search(X, random_groups(rng, 500, 3), 3, time_limit=600, threads=2, progress=fail)


@pytest.mark.parametrize("n", [500, 7000])
def test_progress_grows(n: int) -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, 3))
    seen: list[float] = []
    search(X, random_groups(rng, n, 3), 3, time_limit=1.0, progress=seen.append)
    assert seen
    assert seen == sorted(seen)
    assert 0 <= seen[0] <= seen[-1] <= 1


def test_starting_anew_keeps_the_best() -> None:
    """Long after a small problem is solved, searches start anew: still the optimum, on any number of threads."""
    rng = np.random.default_rng(4)
    X, k = rng.normal(size=(11, 2)), 3
    least = min(
        sum(((X[rows] - X[rows].mean(axis=0)) ** 2).sum() for rows in parts)
        for parts in all_partitions(list(range(11)), k)
    )
    start = random_groups(rng, 11, k)
    found = [search(X, start, k, iterations=30, threads=threads) for threads in (1, 2)]
    assert oracles.sse(X, found[0]) == pytest.approx(least, rel=1e-9)
    assert np.array_equal(*found)


class Listener:
    """A progress that wants to know the loss."""

    def __init__(self) -> None:
        self.fractions: list[float] = []
        self.losses: list[float] = []

    def __call__(self, fraction: float) -> None:
        self.fractions.append(fraction)

    def tell_loss(self, percent: float) -> None:
        self.losses.append(percent)


def test_the_loss_is_told_and_falls() -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(400, 3))
    start = random_groups(rng, 400, 4)
    listener = Listener()
    found = search(X, start, 4, time_limit=1.0, progress=listener)
    assert listener.fractions
    assert listener.losses == sorted(listener.losses, reverse=True)
    total = ((X - X.mean(axis=0)) ** 2).sum()
    assert 100 * oracles.sse(X, found) / total <= listener.losses[-1] + 1e-9
    assert listener.losses[-1] < 100 * oracles.sse(X, start) / total


def test_what_hears_of_the_loss_may_interrupt() -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(400, 3))
    start = random_groups(rng, 400, 4)

    class Impatient(Listener):
        def tell_loss(self, percent: float) -> None:
            raise KeyboardInterrupt

    found = search(X, start, 4, time_limit=600, progress=Impatient())
    assert_partition(found, 400, 4)
    assert oracles.sse(X, found) < oracles.sse(X, start)


def test_bad_options_are_named() -> None:
    X = np.zeros((6, 1))
    with pytest.raises(InvalidOption, match="not both"):
        search(X, [0] * 6, 3, time_limit=1.0, iterations=1)
    with pytest.raises(InvalidOption, match="iterations must be"):
        search(X, [0] * 6, 3, iterations=0)
    with pytest.raises(InvalidOption, match="time_limit must be"):
        search(X, [0] * 6, 3, time_limit=float("nan"))
    with pytest.raises(InvalidData, match="at least k=3"):
        search(X, [0, 0, 0, 0, 1, 1], 3)
