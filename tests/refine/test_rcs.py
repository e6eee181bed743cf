"""Random cluster shuffling: what it keeps, what it improves, and the published table."""

from __future__ import annotations

import numpy as np
import pytest
from checks import assert_partition, groups

import microagg as ma
from microagg.errors import InfeasibleK, InvalidData, InvalidOption
from microagg.refine import rcs
from microagg.refine.rcs import _Groups


def gaussian(n: int, m: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, m))


@pytest.mark.parametrize("k", [2, 3, 7])
@pytest.mark.parametrize(("probability", "events"), [(0.0, 0), (0.01, 5), (1.0, 40)])
def test_groups_keep_k_and_never_get_worse(k: int, probability: float, events: int) -> None:
    X = gaussian(120, 3, seed=k)
    before = ma.partition(X, k, method="mdav")
    after = rcs(X, before, k, probability=probability, rounds=events, seed=1)
    assert_partition(after, 120, k)
    assert ma.sse(X, after) <= ma.sse(X, before) * (1 + 1e-12)


def test_without_events_nothing_is_random() -> None:
    X = gaussian(150, 2)
    labels = ma.partition(X, 3, method="mdav")
    np.testing.assert_array_equal(rcs(X, labels, 3, seed=1), rcs(X, labels, 3, seed=2))


def test_same_seed_gives_the_same_groups() -> None:
    X = gaussian(150, 2)
    labels = ma.partition(X, 3, method="mdav")
    first, again, other = (rcs(X, labels, 3, probability=0.01, rounds=2, seed=s) for s in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert groups(first) != groups(other)


def test_a_group_of_k_is_dissolved_whole() -> None:
    """The two records in the middle were a group of their own: each is nearer to another one."""
    X = np.array([[0.0], [0.1], [0.4], [9.6], [9.9], [10.0]])
    assert rcs(X, [0, 0, 1, 1, 2, 2], 2).tolist() == [0, 0, 0, 1, 1, 1]


def test_a_larger_group_gives_up_one_record() -> None:
    X = np.array([[0.0], [0.1], [9.0], [9.9], [10.0]])
    assert rcs(X, [0, 0, 0, 1, 1], 2).tolist() == [0, 0, 1, 1, 1]


def test_one_group_stays_one_group() -> None:
    X = gaussian(5, 2)
    assert rcs(X, np.zeros(5, dtype=int), 3, probability=1.0, rounds=9).tolist() == [0] * 5
    assert rcs(X, np.zeros(5, dtype=int), 5).tolist() == [0] * 5


def test_shuffling_cuts_both_groups_anew_by_the_distance_to_their_centroid() -> None:
    """Ten records of two groups, k = 3: runs of 3, 3 and 4 from the common centroid outwards."""
    X = np.vstack([gaussian(10, 2), gaussian(3, 2) + 100])
    labels = np.array([0] * 5 + [1] * 5 + [2] * 3)
    state = _Groups(X, labels)

    class First:
        def choice(self, alive: np.ndarray) -> int:
            return 0

    state.shuffle(First(), 3)  # type: ignore[arg-type]
    away = np.argsort(((X[:10] - X[:10].mean(axis=0)) ** 2).sum(axis=1))
    expected = {frozenset(away[:3]), frozenset(away[3:6]), frozenset(away[6:]), frozenset({10, 11, 12})}
    assert groups(state.labels) == expected
    assert state.sse() == pytest.approx(ma.sse(X, np.unique(state.labels, return_inverse=True)[1]))


@pytest.mark.parametrize(("k", "printed"), [(3, 5.483), (5, 8.450), (10, 12.774)])
def test_census_as_published(benchmark_data, k: int, printed: float) -> None:
    """Maya-Lopez 2023, Table 6.1, Census, MDAV-RCS with probability 0: within 2 percent."""
    X = benchmark_data("census")
    loss = ma.information_loss(X, rcs(X, ma.partition(X, k, method="mdav"), k))
    assert loss == pytest.approx(printed, rel=0.02)


@pytest.mark.parametrize(
    ("labels", "options", "error", "message"),
    [
        ([0, 0, 1, 1, 1], {}, InvalidData, "at least k=3 records; group 0 has 2"),
        ([0, 0, 0, 0, 0], {"probability": 1.5}, InvalidOption, "between 0 and 1"),
        ([0, 0, 0, 0, 0], {"probability": float("nan")}, InvalidOption, "between 0 and 1"),
        ([0, 0, 0, 0, 0], {"rounds": -1}, InvalidOption, "rounds must be"),
        ([0, 0, 0], {}, InvalidData, "one group number for each of 5"),
    ],
)
def test_input_that_cannot_be(labels, options, error, message: str) -> None:
    with pytest.raises(error, match=message):
        rcs(gaussian(5, 2), labels, 3, **options)


def test_k_that_cannot_be() -> None:
    with pytest.raises(InfeasibleK):
        rcs(gaussian(5, 2), [0] * 5, 1)


def test_progress_rises() -> None:
    seen: list[float] = []
    X = gaussian(100, 2)
    rcs(X, ma.partition(X, 3), 3, progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 1.0
