"""Groups near known ones: by the definition, one record in the place of another at a time."""

from __future__ import annotations

import bound_oracles
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from microagg.bounds import lower_bound
from microagg.bounds.cuts import KINDS, Cuts
from microagg.bounds.neighbours import Neighbours


def reduced_cost(X: np.ndarray, prices: np.ndarray, cuts: Cuts, penalties: np.ndarray, group: set[int]) -> float:
    held = (cuts.multiples * np.isin(cuts.records, [*group])).sum(axis=1) // cuts.divisors
    return bound_oracles.cost(X, group) - prices[[*group]].sum() + float(held @ penalties)


@settings(max_examples=60, deadline=None)
@given(n=st.integers(6, 11), m=st.integers(1, 3), n_cuts=st.integers(0, 6), seed=st.integers(0, 999))
def test_the_best_change_after_the_other(n: int, m: int, n_cuts: int, seed: int) -> None:
    """All changes of a group tried, the best one made, and again; with cuts of all kinds, some of them free."""
    rng = np.random.default_rng(seed)
    X, prices = rng.normal(size=(n, m)), rng.uniform(-0.2, 2.0, n)
    cuts = Cuts.of([(rng.choice(n, 5, replace=False), *KINDS[rng.integers(len(KINDS))]) for _ in range(n_cuts)])
    penalties = np.maximum(rng.normal(size=n_cuts), 0.0)
    starts = [np.sort(rng.choice(n, size, replace=False)) for size in (3, 5, 3, 4)]
    groups, costs, reduced_costs = Neighbours(X, prices, cuts, penalties).of(starts)
    expected = []
    for start in sorted(starts, key=len):
        group, best = {*start.tolist()}, np.inf
        while True:
            tried = [(group - {out}) | {row} for out in group for row in range(n) if row not in group]
            values = [reduced_cost(X, prices, cuts, penalties, other) for other in tried]
            best = reduced_cost(X, prices, cuts, penalties, group)
            if min(values) >= best - 1e-9:
                break
            group = tried[int(np.argmin(values))]
        expected.append((sorted(group), bound_oracles.cost(X, group), best))
    assert [group.tolist() for group in groups] == [rows for rows, _, _ in expected]
    np.testing.assert_allclose(costs, [cost for _, cost, _ in expected], atol=1e-12)
    np.testing.assert_allclose(reduced_costs, [best for _, _, best in expected], atol=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_bounds_that_begin_with_them_are_proofs(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """They come in where a search was cut short, with cuts too, and the optimum stays the optimum."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(10, 2)) * np.where(rng.random((10, 1)) < 0.3, 50.0, 1.0)
    monkeypatch.setattr("microagg.bounds.relaxation.FIRST_NODES", 1)
    near, n_cuts = Neighbours.of, []

    def noted(self, groups):
        n_cuts.append(len(self.divisors))
        return near(self, groups)

    monkeypatch.setattr(Neighbours, "of", noted)
    bound = lower_bound(X, 3, method="columns", gap=1e-9, prove=True, time_limit=10.0, threads=1)
    assert max(n_cuts) > 0
    assert bound.proven_optimal
    assert bound.sse == pytest.approx(bound_oracles.optimum(X, 3), rel=1e-6)


def test_rounding_does_not_go_on_for_ever() -> None:
    """Records far from the mean of all, whose differences are lost in their squares."""
    X = np.concatenate([np.full((1, 2), -1e12), 1e9 + np.random.default_rng(0).normal(size=(30, 2))])
    groups, _, _ = Neighbours(X, np.ones(31), Cuts.of([]), np.zeros(0)).of([np.arange(1, 6)])
    assert len(groups[0]) == len({*groups[0].tolist()}) == 5
