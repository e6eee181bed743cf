"""Chains of records that take each other's places: those of a slow count, groups that stay groups, any threads."""

from __future__ import annotations

import numpy as np
import oracles
import pytest
from checks import assert_partition

from microagg import _core
from microagg.constraints import promise
from microagg.partition import partition

WAYS, ABREAST, AT_ONCE = 5, 5, 128


def error(X: np.ndarray, members: list[int]) -> float:
    return float(((X[members] - X[members].mean(axis=0)) ** 2).sum())


def exchanged(members: list[int], out: int, into: int) -> list[int]:
    return [into if member == out else member for member in members]


def chain_from(
    X: np.ndarray, groups: list[list[int]], near: np.ndarray, longest: int, first: int
) -> list[tuple[int, int]]:
    """Look for a chain by counting the errors of every group that it would make."""
    group_of = {member: g for g, members in enumerate(groups) for member in members}
    home = group_of[first]
    others = [member for member in groups[home] if member != first]

    def ways_on(chain: list[tuple[int, int]], leaving: int, gain: float) -> list[tuple[float, int, int]]:
        ways = []
        for g in dict.fromkeys(group_of[j] for j in near[leaving]):
            if g == home or g in [group for _, group in chain]:
                continue
            for y in groups[g]:
                left = gain + error(X, groups[g]) - error(X, exchanged(groups[g], y, leaving))
                without = error(X, groups[g]) - error(X, [member for member in groups[g] if member != y])
                if left - without > 1e-9:
                    ways.append((left, y, g))
        return sorted(ways, key=lambda way: -way[0])[:WAYS]

    open_chains: list[tuple[float, int, list[tuple[int, int]]]] = [
        (error(X, groups[home]) - error(X, others), first, [])
    ]
    for _ in range(longest):
        longer: dict[int, tuple[float, int, list[tuple[int, int]]]] = {}
        for gain, leaving, chain in open_chains:
            for left, y, g in ways_on(chain, leaving, gain):
                if left - (error(X, [*others, y]) - error(X, others)) > 1e-9:
                    return [*chain, (leaving, g), (y, home)]
                if y not in longer or left > longer[y][0]:
                    longer[y] = (left, y, [*chain, (leaving, g)])
        open_chains = sorted(longer.values(), key=lambda one: -one[0])[:ABREAST]
    return []


def chained(X: np.ndarray, labels: np.ndarray, longest: int, n_near: int) -> np.ndarray:
    """Make chains in rounds, as the kernel does: look, then make those whose groups nobody has changed meanwhile."""
    groups = [np.flatnonzero(labels == g).tolist() for g in range(labels.max() + 1)]
    gaps = ((X[:, None, :] - X[None, :, :]) ** 2).sum(axis=2)
    np.fill_diagonal(gaps, np.inf)
    near = np.argsort(gaps, axis=1)[:, :n_near]
    queue = list(range(len(X)))
    while queue:
        looking, queue = queue[:AT_ONCE], queue[AT_ONCE:]
        chains = [chain_from(X, groups, near, longest, record) for record in looking]
        changed: set[int] = set()
        for record, chain in zip(looking, chains, strict=True):
            if not chain:
                continue
            touched = [record]
            if not changed & {g for _, g in chain}:
                sources = [chain[-1][1], *(g for _, g in chain[:-1])]
                for (mover, _), source in zip(chain, sources, strict=True):
                    at, last = groups[source].index(mover), groups[source].pop()
                    if last != mover:
                        groups[source][at] = last
                for mover, g in chain:
                    groups[g].append(mover)
                touched = []
                for mover, g in chain:
                    changed.add(g)
                    touched += [*groups[g], *near[mover].tolist()]
            queue += [each for each in dict.fromkeys(touched) if each not in queue]
    result = np.empty(len(X), dtype=np.int64)
    for g, members in enumerate(groups):
        result[members] = g
    return result


def in_order(n: int, k: int) -> np.ndarray:
    return np.minimum(np.arange(n) // k, n // k - 1)


def improved(X: np.ndarray, labels: np.ndarray, k: int, **options: object) -> tuple[np.ndarray, float]:
    labels = labels.astype(np.int64)
    settings = {"longest": 6, "n_near": 8, "threads": 1, **options}
    return labels, _core.chains(X, k, labels=labels, **settings)


@pytest.mark.parametrize(
    ("n", "k", "longest"), [(40, 2, 5), (41, 2, 3), (45, 3, 4), (62, 4, 2), (33, 5, 1), (140, 2, 2)]
)
def test_the_chains_are_those_of_a_count(n: int, k: int, longest: int) -> None:
    """Where no two ways cost the same, every chain is that of the oracle, in the same order."""
    X = np.random.default_rng(n).normal(size=(n, 3))
    labels, _ = improved(X, in_order(n, k), k, longest=longest)
    assert np.array_equal(labels, chained(X, in_order(n, k), longest, 8))


@pytest.mark.parametrize(("n", "k"), [(400, 2), (401, 3), (1000, 7), (1010, 50)])
@pytest.mark.parametrize("with_ties", [False, True])
def test_groups_keep_their_sizes_and_lose_less(n: int, k: int, with_ties: bool) -> None:
    X = np.random.default_rng(n).normal(size=(n, 3))
    X = np.round(X) if with_ties else X
    start = in_order(n, k)
    labels, change = improved(X, start, k)
    assert_partition(labels, n, k)
    assert np.array_equal(np.bincount(labels), np.bincount(start))
    assert oracles.sse(X, labels) < 0.8 * oracles.sse(X, start)
    assert oracles.sse(X, labels) - oracles.sse(X, start) == pytest.approx(change)


@pytest.mark.parametrize("apart", [1e3, 1e6, 1e9])
def test_no_chain_loses_where_single_precision_would_round(apart: float) -> None:
    """Two clusters far apart: what is proposed in single precision is decided in double, or double proposes."""
    X = np.random.default_rng(11).normal(size=(600, 3))
    X[::2] += apart
    start = in_order(600, 4)
    first, _ = improved(X, start, 4)
    for labels in (start, first):
        after, change = improved(X, labels, 4, longest=3)
        difference = oracles.sse(X, after) - oracles.sse(X, labels)
        assert change <= 0.0
        assert difference == pytest.approx(change, rel=1e-6, abs=1e-9 * apart)


def test_longer_chains_find_more() -> None:
    X = np.random.default_rng(3).normal(size=(3000, 8))
    changes = [improved(X, in_order(3000, 2), 2, longest=longest)[1] for longest in (1, 4, 8)]
    assert changes[0] > changes[1] > changes[2]


def test_the_same_on_any_number_of_threads_for_chains() -> None:
    X = np.random.default_rng(5).normal(size=(9000, 4))
    one, _ = improved(X, in_order(9000, 3), 3, threads=1)
    assert np.array_equal(one, improved(X, in_order(9000, 3), 3, threads=3)[0])


def test_chains_keep_promises() -> None:
    X = np.random.default_rng(7).normal(size=(900, 3))
    ill = np.where(np.arange(900) % 3 == 0, "flu", "cold")
    promises = promise({"l": {"ill": 2}}, {"ill": ill.tolist()})
    labels, _ = improved(X, in_order(900, 6), 6, promises=promises.kernel)
    assert promises.kept(labels)
    assert oracles.sse(X, labels) < 0.8 * oracles.sse(X, in_order(900, 6))


@pytest.mark.parametrize(("n", "m", "levels", "k"), [(3000, 3, 5, 3), (10_000, 2, 3, 3)])
def test_records_that_are_nearly_equal_come_to_an_end(n: int, m: int, levels: int, k: int) -> None:
    """What centroids round off was a gain in one group and in another one by turns, and chains went on for ever."""
    random = np.random.default_rng(6)
    X = random.integers(0, levels, (n, m)) * 0.1 + random.integers(0, 2, (n, m)) * 1e-9
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    assert_partition(partition(X, k, method="fast", threads=1), n, k)
