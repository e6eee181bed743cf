"""Lower bounds: never above the optimum, and as high as they should be."""

from __future__ import annotations

import bound_oracles
import numpy as np
import pytest
from checks import Fractions, assert_partition
from hypothesis import given, settings
from hypothesis import strategies as st

import microagg
from microagg import _core
from microagg.bounds import LowerBound, lower_bound
from microagg.bounds import lower_bound as module_function
from microagg.bounds.relaxation import Relaxation, as_pairs, closure
from microagg.errors import InfeasibleK, InvalidData, InvalidOption, MissingExtra

KINDS = ("gaussian", "grid", "duplicates", "outliers", "clusters")


def records(kind: str, n: int, m: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, m))
    if kind == "grid":
        return rng.integers(0, 3, (n, m)).astype(float)
    if kind == "duplicates":
        return X[rng.integers(0, max(n // 3, 1), n)]
    if kind == "outliers":
        return np.where(rng.random((n, 1)) < 0.2, 100.0 * X, X)
    if kind == "clusters":
        return X * 1e-3 + rng.integers(0, 3, (n, 1))
    return X


NO_CUTS = (*[np.empty((0, 5), dtype=np.int64)] * 2, np.empty(0, dtype=np.int64), np.empty(0))
NO_PAIRS = np.empty((0, 2), dtype=np.int64)


def price(
    X: np.ndarray,
    k: int,
    prices: np.ndarray,
    cuts=NO_CUTS,
    *,
    together=NO_PAIRS,
    apart=NO_PAIRS,
    tolerance=0.0,
    per_seed=100,
    nodes=10**9,
    every=False,
    threads=1,
):
    names = ("members", "starts", "costs", "reduced_costs", "least", "cut_short")
    limits = (tolerance, per_seed, nodes, every, threads)
    priced = _core.price_groups(X, k, prices, *cuts, together, apart, *limits, None)
    return dict(zip(names, priced, strict=True))


def random_prices(X: np.ndarray, k: int, scale: float, rng: np.random.Generator) -> np.ndarray:
    """Above and below what groups cost; some negative."""
    n = len(X)
    return scale * bound_oracles.nearest(X, k) * rng.uniform(0.5, 2.0, n) * np.where(rng.random(n) < 0.1, -1.0, 1.0)


def random_cuts(n: int, count: int, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Cuts of up to five records with any multiples, and a penalty for each, some 0."""
    size = min(n, 5)
    rows = np.array([np.sort(rng.choice(n, size, replace=False)) for _ in range(count)], dtype=np.int64)
    multiples = rng.integers(0, 4, (count, size))
    return rows.reshape(-1, size), multiples, rng.integers(2, 6, count), np.maximum(rng.normal(size=count), 0.0)


def reduced_costs(X: np.ndarray, k: int, prices: np.ndarray, cuts: tuple[np.ndarray, ...]) -> dict:
    """Of every group there is, by the definition."""
    rows, multiples, divisors, penalties = cuts
    return {
        group: cost
        - prices[list(group)].sum()
        + (penalties * ((multiples * np.isin(rows, group)).sum(axis=1) // divisors)).sum()
        for group, cost in bound_oracles.every_group(X, k).items()
    }


def nearest_bound(X: np.ndarray, k: int, *, neighbours: int, rounds: int, threads: int = 1):
    prices = np.empty(len(X))
    return _core.nearest_bound(X, k, neighbours, rounds, 60.0, prices, threads, None), prices


tiny = given(
    kind=st.sampled_from(KINDS),
    n=st.integers(4, 10),
    m=st.integers(1, 3),
    k=st.integers(2, 4),
    seed=st.integers(0, 999),
)


@settings(max_examples=30, deadline=None)
@tiny
def test_never_above_the_optimum(kind: str, n: int, m: int, k: int, seed: int) -> None:
    """What a bound is for."""
    k = min(k, n)
    X = records(kind, n, m, seed)
    optimum = bound_oracles.optimum(X, k)
    for method in ("nearest", "columns"):
        bound = lower_bound(X, k, method=method, gap=1e-9, threads=1)
        assert bound.sse <= optimum * (1 + 1e-12) + 1e-300
        if bound.partition is not None:
            assert_partition(bound.partition, n, k)
            total = sum(bound_oracles.cost(X, np.flatnonzero(bound.partition == g)) for g in set(bound.partition))
            assert total >= optimum * (1 - 1e-9)
            if bound.proven_optimal:
                assert total == pytest.approx(optimum, rel=1e-6, abs=1e-12)


@settings(max_examples=40, deadline=None)
@tiny
def test_columns_give_the_relaxation_over_all_groups(kind: str, n: int, m: int, k: int, seed: int) -> None:
    """Groups that were never listed change nothing: the value is that of the program with all of them.

    It may be higher, though never above the optimum: a partition has one group at most with each seed, which the
    relaxation does not know (grid, n = 7, k = 3, seed 967: 2.6698 against 2.6667, with an optimum of 2.8333).
    """
    k = min(k, n // 2)
    X = records(kind, n, m, seed)
    bound = lower_bound(X, k, method="columns", gap=1e-7, cuts=False, threads=1)
    expected = bound_oracles.relaxation(X, k)
    noise = 1e-9 * ((X - X.mean(axis=0)) ** 2).sum() + 1e-20
    assert bound.sse >= expected * (1 - 1e-5) - noise
    if bound.sse > expected * (1 + 1e-5) + noise:
        assert bound.sse <= bound_oracles.optimum(X, k) * (1 + 1e-9)
    with_cuts = lower_bound(X, k, method="columns", gap=1e-7, threads=1)
    assert with_cuts.sse >= bound.sse * (1 - 1e-5) - noise


@pytest.mark.parametrize("kind", ["gaussian", "outliers"])
def test_searches_that_are_cut_short_end_at_the_same_bound(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """They look for less at first, in shorter steps; at the end nothing may be missing."""
    X = records(kind, 60, 6, 0)
    plain = lower_bound(X, 3, method="columns", gap=1e-7, cuts=False, threads=1)
    monkeypatch.setattr("microagg.bounds.relaxation.FIRST_NODES", 1)
    price_part, n_short = Relaxation._price, []

    def noted(*arguments, **options):
        priced = price_part(*arguments, **options)
        n_short.append(len(priced[-1]))
        return priced

    monkeypatch.setattr(Relaxation, "_price", noted)
    bound = lower_bound(X, 3, method="columns", gap=1e-7, cuts=False, threads=1)
    assert max(n_short) > 0
    assert bound.sse == pytest.approx(plain.sse, rel=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_cuts_tighten_the_relaxation_of_all_groups(seed: int) -> None:
    """At the end no set of three is violated by more than is looked for, over all groups there are."""
    X = records("outliers", 12, 2, 19 + seed)
    plain = lower_bound(X, 3, method="columns", gap=1e-9, cuts=False, threads=1)
    bound = lower_bound(X, 3, method="columns", gap=1e-9, threads=1)
    noise = 1e-6 * plain.sse
    assert plain.sse == pytest.approx(bound_oracles.relaxation(X, 3), rel=1e-5)
    assert bound.sse <= bound_oracles.relaxation(X, 3, cuts=True) + noise
    assert bound.sse <= bound_oracles.optimum(X, 3) + noise


def test_cuts_close_the_gap_between_relaxation_and_optimum() -> None:
    """Two far triangles: half of each of the three pairs is cheaper than the triangle, and no partition."""
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 0.8], [40.0, 0.0], [41.0, 0.0], [40.5, 0.8]])
    relaxed, bound = (lower_bound(X, 2, method="columns", gap=1e-9, cuts=cuts) for cuts in (False, True))
    optimum = bound_oracles.optimum(X, 2)
    assert relaxed.sse < 0.95 * optimum
    assert bound.sse == pytest.approx(optimum, rel=1e-6)


@settings(max_examples=100, deadline=None)
@given(
    kind=st.sampled_from(KINDS),
    n=st.integers(4, 11),
    m=st.integers(1, 3),
    k=st.integers(2, 4),
    scale=st.sampled_from([0.3, 1.0, 1.5, 4.0]),
    cuts=st.integers(0, 6),
    seed=st.integers(0, 999),
)
def test_pricing_finds_the_cheapest_group(
    kind: str, n: int, m: int, k: int, scale: float, cuts: int, seed: int
) -> None:
    """Over all groups there are: the least reduced cost, and for every group a seed that is at most its own."""
    k = min(k, n // 2)
    X = records(kind, n, m, seed)
    rng = np.random.default_rng(seed)
    prices = random_prices(X, k, scale, rng)
    *sets, penalties = random_cuts(n, cuts, rng)
    penalised = (*sets, penalties * np.abs(prices).mean())
    reduced = reduced_costs(X, k, prices, penalised)
    priced = price(X, k, prices, penalised)
    noise = 1e-12 * (np.abs(prices).sum() + 9.0 * penalised[-1].sum() + max(reduced.values()))
    least = min(reduced.values())
    assert priced["least"].min() == pytest.approx(min(least, 0.0), abs=noise)
    if least < -noise:
        assert priced["reduced_costs"].min() == pytest.approx(least, abs=noise)
    for group, value in reduced.items():
        assert priced["least"][list(group)].min() <= value + noise
    for members, cost, value in zip(
        np.split(priced["members"], priced["starts"][1:-1]), priced["costs"], priced["reduced_costs"], strict=False
    ):
        assert cost == pytest.approx(bound_oracles.cost(X, members), abs=noise)
        assert value == pytest.approx(reduced[tuple(members.tolist())], abs=noise)


@settings(max_examples=60, deadline=None)
@given(
    kind=st.sampled_from(KINDS),
    n=st.integers(6, 11),
    k=st.integers(2, 4),
    cuts=st.integers(0, 3),
    pairs=st.integers(0, 3),
    seed=st.integers(0, 999),
)
def test_pricing_lists_every_group_that_decisions_allow(
    kind: str, n: int, k: int, cuts: int, pairs: int, seed: int
) -> None:
    """No proof without it: a group that was left out could be the one of a better partition."""
    k = min(k, n // 2)
    X, rng = records(kind, n, 2, seed), np.random.default_rng(seed)
    prices, given_cuts = random_prices(X, k, 1.0, rng), random_cuts(n, cuts, rng)
    decided = [tuple(sorted(rng.choice(n, 2, replace=False).tolist())) for _ in range(2 * pairs)]
    together, apart = closure(tuple(decided[:pairs])), as_pairs(tuple(decided[pairs:]))
    room = 0.3 * np.abs(prices).sum()
    reduced = reduced_costs(X, k, prices, given_cuts)
    noise = 1e-12 * (np.abs(prices).sum() + 9.0 * given_cuts[-1].sum() + max(reduced.values()))
    allowed = {
        group: value
        for group, value in reduced.items()
        if all((first in group) == (second in group) for first, second in together.tolist())
        and not any(first in group and second in group for first, second in apart.tolist())
    }
    priced = price(
        X, k, prices, given_cuts, together=together, apart=apart, tolerance=-room, per_seed=10**4, every=True
    )
    listed = {tuple(group.tolist()) for group in np.split(priced["members"], priced["starts"][1:-1]) if len(group)}
    assert listed <= {group for group, value in allowed.items() if value < room + noise}
    assert listed >= {group for group, value in allowed.items() if value < room - noise}
    assert len(priced["cut_short"]) == 0


@pytest.mark.parametrize("nodes", [0, 1, 3])
@pytest.mark.parametrize("kind", ["gaussian", "outliers"])
def test_pricing_cut_short_stays_valid(kind: str, nodes: int) -> None:
    """Where the nodes run out, every group is still bounded at one of its members: the one that is its seed."""
    X = records(kind, 16, 12, 1)
    prices = 1.5 * bound_oracles.nearest(X, 3)
    cut = price(X, 3, prices, nodes=nodes)
    assert len(cut["cut_short"]) > 0
    for group, value in reduced_costs(X, 3, prices, NO_CUTS).items():
        assert cut["least"][list(group)].min() <= value + 1e-9


def test_pricing_is_equal_on_any_number_of_threads() -> None:
    X = records("gaussian", 300, 4, 2)
    prices = 1.5 * bound_oracles.nearest(X, 3)
    one = price(X, 3, prices)
    for threads in (2, 3):
        for name, values in price(X, 3, prices, threads=threads).items():
            np.testing.assert_array_equal(values, one[name])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("neighbours", [8, 20, 59])
def test_nearest_neighbours_without_ascent(kind: str, k: int, neighbours: int) -> None:
    X = records(kind, 60, 2, k)
    bound, prices = nearest_bound(X, k, neighbours=neighbours, rounds=0)
    np.testing.assert_allclose(prices, bound_oracles.nearest(X, k), rtol=1e-12, atol=1e-300)
    assert bound == pytest.approx(prices.sum(), rel=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("k", [2, 3, 4])
def test_no_group_costs_less_than_its_members_prices(kind: str, k: int) -> None:
    """After the ascent too, and with lists that leave most records out."""
    X = records(kind, 14, 2, k)
    plain, _ = nearest_bound(X, k, neighbours=2 * k - 2, rounds=0)
    raised, prices = nearest_bound(X, k, neighbours=2 * k - 2, rounds=200)
    assert raised >= plain
    for group, cost in bound_oracles.every_group(X, k).items():
        assert prices[list(group)].sum() <= cost * (1 + 1e-12) + 1e-12 * raised


def test_ascent_raises_the_bound() -> None:
    X = records("gaussian", 400, 3, 0)
    plain, _ = nearest_bound(X, 3, neighbours=12, rounds=0)
    raised, _ = nearest_bound(X, 3, neighbours=12, rounds=300)
    assert raised > 1.03 * plain


def test_ascent_is_equal_on_any_number_of_threads() -> None:
    X = records("gaussian", 2500, 3, 0)
    one = nearest_bound(X, 3, neighbours=12, rounds=30)
    for threads in (2, 3):
        bound, prices = nearest_bound(X, 3, neighbours=12, rounds=30, threads=threads)
        assert bound == one[0]
        np.testing.assert_array_equal(prices, one[1])


def test_columns_are_above_nearest_and_below_what_is_known() -> None:
    X = records("gaussian", 200, 3, 0)
    upper = microagg.partition(X, 3, method="mdav")
    nearest, columns = (lower_bound(X, 3, method=method, upper=upper) for method in ("nearest", "columns"))
    assert nearest.method == "nearest"
    assert columns.method == "columns"
    assert nearest.partition is None
    assert columns.partition is not None
    assert float(nearest) < float(columns) <= microagg.information_loss(X, columns.partition)
    assert microagg.information_loss(X, columns.partition) < microagg.information_loss(X, upper)


def test_far_clusters_are_proven_optimal() -> None:
    """Three far clusters of k: the relaxation has no gap, and a given optimum is recognised."""
    centres = np.repeat([[0.0, 0.0], [50.0, 0.0], [0.0, 50.0]], 4, axis=0)
    X = centres + np.random.default_rng(0).normal(size=centres.shape)
    found = lower_bound(X, 4, method="columns")
    assert found.proven_optimal
    assert found.partition is not None
    assert len(set(found.partition)) == 3
    again = lower_bound(X, 4, method="columns", upper=found.partition)
    assert again.proven_optimal
    assert again.partition is None


@pytest.mark.parametrize("n", [3, 5])
def test_fewer_than_two_groups(n: int) -> None:
    """Below 2k records there is one group only, and the bound is all there is to lose."""
    bound = lower_bound(records("gaussian", n, 2, 0), 3)
    assert (bound.loss, bound.method, bound.proven_optimal) == (100.0, "trivial", True)


@pytest.mark.parametrize("method", ["auto", "nearest", "columns"])
def test_all_records_equal(method: str) -> None:
    bound = lower_bound(np.ones((20, 2)), 3, method=method)
    assert bound.loss == 0.0
    assert bound.proven_optimal


@pytest.mark.parametrize("scale", [1e-100, 1e-9, 1e9, 1e100])
@pytest.mark.parametrize("method", ["nearest", "columns"])
def test_units_do_not_matter(method: str, scale: float) -> None:
    X = records("gaussian", 60, 2, 0)
    assert float(lower_bound(scale * X, 3, method=method)) == pytest.approx(
        float(lower_bound(X, 3, method=method)), rel=1e-3
    )


def test_time_limit_leaves_a_valid_bound() -> None:
    X = records("gaussian", 600, 4, 0)
    short = lower_bound(X, 4, method="columns", time_limit=0.01)
    plain = lower_bound(X, 4, method="nearest")
    assert 0.0 < short.loss <= microagg.information_loss(X, microagg.partition(X, 4))
    assert plain.loss > 0.0


@pytest.mark.parametrize("method", ["nearest", "columns"])
def test_progress_rises(method: str) -> None:
    told = Fractions()
    lower_bound(records("gaussian", 500, 3, 0), 3, method=method, progress=told)
    told.assert_rises()


def test_a_float_and_frozen() -> None:
    bound = lower_bound(records("gaussian", 30, 2, 0), 3, method="nearest")
    assert isinstance(bound, LowerBound)
    assert float(bound) == bound.loss
    with pytest.raises(AttributeError):
        bound.loss = 0.0


def test_without_highs(monkeypatch: pytest.MonkeyPatch) -> None:
    """`auto` does what it can; who asks for columns is told what to install."""
    import importlib.util
    import sys

    monkeypatch.setitem(sys.modules, "highspy", None)
    X = records("gaussian", 30, 2, 0)
    with pytest.raises(MissingExtra, match=r"microagg\[bounds\]"):
        lower_bound(X, 3, method="columns")
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == "highspy" else find(name, *rest)
    )
    assert lower_bound(X, 3).method == "nearest"


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"method": "guess"}, InvalidOption, "method must be one of auto, nearest, columns; got 'guess'"),
        ({"time_limit": 0.0}, InvalidOption, "time_limit must be"),
        ({"time_limit": float("nan")}, InvalidOption, "time_limit must be"),
        ({"gap": -1.0}, InvalidOption, "gap must be"),
        ({"threads": 0}, InvalidOption, "threads must be"),
        ({"upper": [0] * 29}, InvalidData, "one group number"),
        ({"upper": [0] * 28 + [1] * 2}, InvalidData, "at least k=3 records in every group; its smallest has 2"),
    ],
)
def test_options_that_cannot_be(options: dict, error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        module_function(records("gaussian", 30, 2, 0), 3, **options)


def test_k_that_cannot_be() -> None:
    with pytest.raises(InfeasibleK, match="k must be"):
        lower_bound(np.ones((5, 2)), 6)
