"""Random cluster shuffling: what it keeps, what it improves, and the published table."""

from __future__ import annotations

import numpy as np
import pytest
from checks import assert_partition, groups

import microagg as ma
from microagg.errors import InfeasibleK, InvalidData, InvalidOption
from microagg.refine import rcs
from microagg.refine.changing_groups import ChangingGroups


def gaussian(n: int, m: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, m))


def sse_of(X: np.ndarray, groups: list[list[int]]) -> float:
    return sum(float(((X[g] - X[g].mean(axis=0)) ** 2).sum()) for g in groups if g)


def nearest(X: np.ndarray, record: int, groups: list[list[int]]) -> int:
    """The number of the group with the nearest centroid, the lower one on a tie; empty groups are nowhere."""
    away = [((X[record] - X[g].mean(axis=0)) ** 2).sum() if g else np.inf for g in groups]
    return int(np.argmin(away))


def algorithm_4(
    X: np.ndarray, labels: np.ndarray, k: int, probability: float, rounds: int, seed: int, literal: bool
) -> np.ndarray:
    """Algorithm 4 of the thesis with whole copies of the partition: to the letter, or keeping the best."""
    random = np.random.default_rng(seed)
    groups = [np.flatnonzero(labels == g).tolist() for g in range(labels.max() + 1)]
    best, before, events = groups, sse_of(X, groups), 0
    while True:
        events_before = events
        for record in range(len(X)):
            own = next(number for number, g in enumerate(groups) if record in g)
            of_k = len(groups[own]) == k
            leaving = list(groups[own]) if of_k else [record]
            if len(leaving) < len(X):
                without = [[i for i in g if i not in leaving] for g in groups]
                takers = [nearest(X, i, without) for i in leaving]
                after = [list(g) for g in without]
                for i, taker in zip(leaving, takers, strict=True):
                    after[taker].append(i)
                changed = {own, *takers}
                old, new = (sse_of(X, [p[g] for g in sorted(changed)]) for p in (groups, after))
                if new <= old or (literal and not of_k):
                    groups = after
            if events < rounds and random.random() < probability:
                events += 1
                groups = shuffled(X, groups, k, random)
        after_pass = sse_of(X, groups)
        if after_pass < sse_of(X, best):
            best = groups
        if before - after_pass < 1e-4 and (literal or events == events_before):
            break
        before = after_pass
    result = np.empty(len(X), dtype=np.int64)
    for number, rows in enumerate(g for g in (groups if literal else best) if g):
        result[rows] = number
    return result


def shuffled(X: np.ndarray, groups: list[list[int]], k: int, random: np.random.Generator) -> list[list[int]]:
    alive = [number for number, g in enumerate(groups) if g]
    if len(alive) < 2:
        return groups
    first = int(random.choice(np.array(alive)))
    here = X[groups[first]].mean(axis=0)
    others = [g for g in alive if g != first]
    second = min(others, key=lambda g: ((X[groups[g]].mean(axis=0) - here) ** 2).sum())
    rows = sorted(groups[first] + groups[second])
    middle = X[rows].mean(axis=0)
    rows.sort(key=lambda i: ((X[i] - middle) ** 2).sum())
    dealt = [list(g) for g in groups]
    dealt[first] = dealt[second] = []
    places = [first, second, *(number for number, g in enumerate(groups) if not g)]
    for number in range(len(rows) // k):
        run = rows[number * k :] if number == len(rows) // k - 1 else rows[number * k : (number + 1) * k]
        if number == len(places):
            places.append(len(dealt))
            dealt.append([])
        dealt[places[number]] = run
    return dealt


@pytest.mark.parametrize("literal", [False, True])
@pytest.mark.parametrize(("probability", "events"), [(0.0, 0), (0.02, 3), (0.2, 20)])
@pytest.mark.parametrize("k", [2, 3, 5])
def test_equals_the_algorithm_step_by_step(k: int, probability: float, events: int, literal: bool) -> None:
    for seed in range(3):
        X = gaussian(60, 2, seed=seed + 10 * k)
        labels = ma.partition(X, k, method="mdav")
        options = {"probability": probability, "rounds": events, "seed": seed, "literal": literal}
        expected = algorithm_4(X, labels, k, **options)
        assert groups(rcs(X, labels, k, **options)) == groups(expected)


def test_to_the_letter_a_record_moves_even_where_that_costs() -> None:
    """5 is nearer to the three than to the other two, but as one of four it costs more than as one of three."""
    X = np.array([[0.0], [0.0], [0.0], [5.0], [10.1], [10.1]])
    labels = [0, 0, 0, 1, 1, 1]
    assert rcs(X, labels, 2).tolist() == [0, 0, 0, 1, 1, 1]
    literal = rcs(X, labels, 2, literal=True)
    assert literal.tolist() == [0, 0, 0, 0, 1, 1]
    assert ma.sse(X, literal) > ma.sse(X, np.array(labels))


def test_to_the_letter_the_last_pass_is_returned() -> None:
    """With many shuffles a pass may end worse than one before it, and the listing has no memory."""
    X = gaussian(150, 2)
    labels = ma.partition(X, 3, method="mdav")
    pairs = [
        [ma.sse(X, rcs(X, labels, 3, probability=0.5, rounds=40, seed=s, literal=literal)) for literal in (False, True)]
        for s in range(5)
    ]
    assert all(kept <= last * (1 + 1e-12) for kept, last in pairs)
    assert any(last > ma.sse(X, labels) or kept < last for kept, last in pairs)


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
    state = ChangingGroups(X, labels)

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
        ([0, 0, 0, 0, 0], {"literal": 1}, InvalidOption, "literal must be True or False"),
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
