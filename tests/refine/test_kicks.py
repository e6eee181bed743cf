"""Kicks: what is no better is taken back, wherever it began, and promises are kept."""

from __future__ import annotations

import itertools

import numpy as np
import oracles
import pytest
from checks import assert_partition

from microagg import _core
from microagg.constraints import promise
from microagg.refine import local


def in_rows(n: int, k: int) -> np.ndarray:
    return np.minimum(np.arange(n) // k, n // k - 1)


@pytest.mark.parametrize(("n", "k"), [(300, 2), (301, 3), (500, 7)])
@pytest.mark.parametrize("with_ties", [False, True])
def test_each_kick_lowers_the_error_or_leaves_no_trace(n: int, k: int, with_ties: bool) -> None:
    """The first kicks are those of a longer search, so the errors of one kick, two, three and so on never rise."""
    X = np.random.default_rng(n).normal(size=(n, 3))
    X = np.round(X) if with_ties else X
    start = local(X, in_rows(n, k), k)
    annealer = _core.Annealer(X, k, start, 1)
    errors = []
    for count in (0, 1, 2, 3, 50, 51, 3000):
        kicked, _, n_steps = annealer.kick(start, count, 0.0, 0.0, 1.0, 0, 5)
        assert_partition(kicked, n, k)
        assert n_steps == 0
        errors.append(oracles.sse(X, kicked))
    assert errors[0] == pytest.approx(oracles.sse(X, start), rel=1e-12)
    assert all(later <= earlier * (1 + 1e-12) for earlier, later in itertools.pairwise(errors))
    assert errors[-1] < errors[0]


def test_kicks_do_not_reach_from_one_cluster_to_another() -> None:
    """Two clusters far apart: no group is of both, however warm it is."""
    rng = np.random.default_rng(1)
    X = np.concatenate([rng.normal(size=(200, 3)), rng.normal(size=(200, 3)) + 1000.0])
    start = in_rows(400, 4)
    kicked, *_ = _core.Annealer(X, 4, start, 1).kick(start, 1000, 0.5, 0.0, 1.0, 0, 1)
    assert len(np.intersect1d(kicked[:200], kicked[200:])) == 0
    assert oracles.sse(X, kicked) < 0.8 * oracles.sse(X, start)


@pytest.mark.parametrize(("n", "k"), [(1_500, 2), (2_001, 3), (2_000, 9)])
@pytest.mark.parametrize("heat", [0.0, 0.3, 5.0])
def test_kicks_are_the_same_on_any_number_of_threads(n: int, k: int, heat: float) -> None:
    """Also with ties, and where groups are founded and dissolved all the time; what a thread takes back leaves no
    trace, and all threads hold the same groups."""
    X = np.round(np.random.default_rng(k).normal(size=(n, 3)), 1)
    start = local(X, in_rows(n, k), k)
    results = []
    for threads in (1, 2, 5):
        kicked, n_compared, n_steps = _core.Annealer(X, k, start, threads).kick(start, 4 * n, heat, 0.0, 0.7, 4, 3)
        assert_partition(kicked, n, k)
        results.append((kicked.tobytes(), n_compared, n_steps))
    assert results[0] == results[1] == results[2]
    assert n_compared > n


def test_what_is_worse_is_kept_while_it_is_warm_and_made_good_until_it_is_cold() -> None:
    """The first part of a cooling ends above where it began, and the whole of it below."""
    X = np.random.default_rng(2).normal(size=(1_200, 5))
    annealer = _core.Annealer(X, 6, in_rows(1_200, 6), 2)
    start, *_ = annealer.kick(in_rows(1_200, 6), 6_000, 0.0, 0.0, 1.0, 0, 5)
    warm, whole = (annealer.kick(start, count, 2.0, 0.0, end, 0, 8)[0] for count, end in ((3_000, 0.05), (60_000, 1.0)))
    assert oracles.sse(X, whole) < oracles.sse(X, start) < oracles.sse(X, warm)
    cold, *_ = annealer.kick(warm, 3_000, 2.0, 0.8, 1.0, 0, 8)
    assert oracles.sse(X, cold) < oracles.sse(X, warm)


def test_kicks_keep_promises() -> None:
    """On any number of threads, each of which judges groups of its own."""
    X = np.random.default_rng(7).normal(size=(1_800, 3))
    ill = np.where(np.arange(1_800) % 3 == 0, "flu", "cold")
    promises = promise({"l": {"ill": 2}}, {"ill": ill.tolist()})
    start = in_rows(1_800, 6)
    results = []
    for threads in (1, 3):
        annealer = _core.Annealer(X, 6, start, threads, promises.kernel)
        kicked, *_ = annealer.kick(start, 6_000, 0.5, 0.0, 1.0, 6, 1)
        assert promises.kept(kicked)
        assert oracles.sse(X, kicked) < 0.8 * oracles.sse(X, start)
        results.append(kicked)
    assert np.array_equal(*results)
