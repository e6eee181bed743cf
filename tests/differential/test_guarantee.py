"""What epsilon promises, tried out: on all neighbouring tables of few values, and by drawing releases many times."""

import itertools
import math
from collections import Counter
from fractions import Fraction
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from microagg.differential import noisy_means, sensitivity
from microagg.differential.task import ascending
from microagg.partition.insensitive import blocks, corner_order

EPSILON = Fraction(1)
N_STEPS = 4
DRAWS = 12_000
CONFIDENCE = 1e-6


def seeded(seed):
    """Give random numbers that are the same every time: the proof is about those of the operating system."""
    return Random(seed).randrange  # noqa: S311


def sums_of(steps, groups):
    return np.bincount(groups, weights=steps)


def groups_of(table, k, per_column):
    if per_column:
        return blocks(np.argsort(table[:, 0], kind="stable"), k)
    return blocks(corner_order(table / N_STEPS), k)


@pytest.mark.parametrize("per_column", [False, True])
@pytest.mark.parametrize(("n", "k", "columns"), [(4, 2, 1), (5, 2, 1), (4, 2, 2), (3, 3, 1)])
def test_sensitivity_of_all_neighbouring_tables(n, k, columns, per_column):
    """No record of any table of few values changes the sums by more than is said; some do by as much (sorted)."""
    values = range(3) if columns == 2 else range(N_STEPS + 1)
    top = max(values)
    worst = 0.0
    records = list(itertools.product(values, repeat=columns))
    for others in itertools.combinations_with_replacement(records, n - 1):
        tables = [np.array([*others, record], dtype=float) for record in records]
        sums = [sums_of(table[:, 0], groups_of(table, k, per_column)) for table in tables]
        worst = max(worst, *(np.abs(a - b).sum() for a, b in itertools.combinations(sums, 2)))
    said = sensitivity(top, n // k, sorted_by=per_column)
    assert worst <= said
    if per_column:
        assert worst == said


@given(st.integers(2, 5), st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=5, max_size=30), st.data())
def test_one_record_changes_each_group_by_one(k, rows, data):
    """Insensitive: every group loses at most one record and gains at most one."""
    table = np.array(rows, dtype=float)
    row = data.draw(st.integers(0, len(rows) - 1))
    other = table.copy()
    other[row] = data.draw(st.tuples(st.integers(0, 9), st.integers(0, 9)))
    before, after = (blocks(corner_order(t), k) for t in (table, other))
    for group in range(before.max() + 1):
        left, right = (Counter(map(tuple, t[g == group].tolist())) for t, g in ((table, before), (other, after)))
        assert sum((left - right).values()) <= 1
        assert sum((right - left).values()) <= 1


def least_epsilon(one, other):
    """Give the largest epsilon that draws from two tables refute with confidence: a lower bound of the real one."""
    events, n = set(one) | set(other), sum(one.values())
    worst = 0.0
    for event in events:
        for a, b in ((one[event], other[event]), (other[event], one[event])):
            low = stats.beta.ppf(CONFIDENCE, a, n - a + 1) if a else 0.0
            high = stats.beta.ppf(1 - CONFIDENCE, b + 1, n - b)
            if low > 0:
                worst = max(worst, math.log(low / high))
    return worst


def draws_of(table, k, per_column, below):
    """Draw what one column releases many times; in halves of the range, so that events are frequent."""
    groups = groups_of(table, k, per_column)
    steps = table[:, 0].astype(np.int64)
    releases = (noisy_means(steps, groups, N_STEPS, EPSILON, per_column, below) for _ in range(DRAWS))
    return Counter(tuple((means > N_STEPS // 2).tolist()) for means in releases)


NEIGHBOURS = {
    False: ([[0, 4], [4, 1], [0, 3], [4, 0]], [[0, 4], [4, 1], [0, 3], [0, 0]]),
    True: ([[0], [0], [4], [4]], [[0], [4], [4], [4]]),
}


@pytest.mark.parametrize("per_column", [False, True])
def test_draws_agree_with_epsilon(per_column):
    """What is drawn from neighbouring tables is never more different than epsilon allows."""
    below = seeded(11)
    one, other = (draws_of(np.array(t, dtype=float), 2, per_column, below) for t in NEIGHBOURS[per_column])
    assert least_epsilon(one, other) <= float(EPSILON)


@pytest.mark.parametrize("per_column", [False, True])
def test_a_wrong_sensitivity_is_caught(per_column, monkeypatch):
    """With a sensitivity that is too small, the same draws refute epsilon: the test above can fail."""
    monkeypatch.setattr("microagg.differential.task.sensitivity", lambda n_steps, n_groups, *, sorted_by: 1)
    below = seeded(11)
    one, other = (draws_of(np.array(t, dtype=float), 2, per_column, below) for t in NEIGHBOURS[per_column])
    assert least_epsilon(one, other) > float(EPSILON)


@pytest.mark.parametrize("linked", [True, False])
def test_rows_that_stay_linked_are_no_privacy(linked):
    """Individual ranking with rows left as they were tells of each record in which group it was, without any noise.

    The noise covers the means of the groups. Which row has which of them is covered by nothing: with little noise, one
    row tells whether its value was low or high. So each column gets an order of its own.
    """
    below, epsilon = seeded(5), Fraction(1)
    counts = []
    for last in (0, 4):
        steps = np.array([0] * 59 + [4] * 20 + [last])
        groups = blocks(np.argsort(steps, kind="stable"), 20)
        seen = Counter()
        for _ in range(DRAWS // 8):
            released = noisy_means(steps, groups, N_STEPS, epsilon, True, below)[groups]
            if not linked:
                released = released[np.random.default_rng(below(2**64)).permutation(len(released))]
            seen[bool(released[-1] > 2)] += 1
        counts.append(seen)
    assert (least_epsilon(*counts) > float(epsilon)) is linked


@given(st.lists(st.floats(-100, 100), min_size=1, max_size=12))
def test_ascending_is_the_nearest(values):
    """Pool adjacent violators equals the max-min formula of isotonic regression."""
    noisy, n = np.array(values), len(values)
    oracle = [max(min(noisy[i : j + 1].mean() for j in range(at, n)) for i in range(at + 1)) for at in range(n)]
    assert np.allclose(ascending(noisy, np.ones(n, dtype=np.int64)), oracle, atol=1e-9)
