"""What every heuristic in PATHS must do, and what the bound must not."""

from __future__ import annotations

import numpy as np
import path_oracles
import pytest

from microagg.errors import InvalidData, InvalidOption
from microagg.paths import PATHS, path, path_bound, path_length
from microagg.paths.lk import default_kicks

BUILT_IN = [name for name in PATHS if not PATHS[name].needs]
SEEDED = ["nearest_neighbour", "nearest_insertion", "farthest_insertion", "cheapest_insertion", "arbitrary_insertion"]


def gaussian(n: int, m: int = 3, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((n, m))


def options(name: str) -> dict[str, int]:
    return {"kicks": 200} if name == "lk" else {}


@pytest.mark.parametrize("name", BUILT_IN)
def test_gives_a_permutation_and_leaves_the_data_alone(name):
    X = gaussian(300)
    X.flags.writeable = False
    order = path(X, name, **options(name))
    assert order.dtype == np.int64
    assert sorted(order) == list(range(300))
    assert path_length(X, order) >= path_bound(X, steps=30) * (1 - 1e-9)


@pytest.mark.parametrize("name", [name for name in BUILT_IN if "start" in PATHS[name].options])
def test_begins_where_it_is_told(name):
    X = gaussian(60)
    for start in (0, 31, 59):
        order = path(X, name, start=start, **options(name))
        assert order[0] == start
        assert sorted(order) == list(range(60))


@pytest.mark.parametrize("name", BUILT_IN)
def test_same_seed_same_order_on_any_number_of_threads(name):
    X = gaussian(700, 4)
    one, two = (path(X, name, seed=5, threads=threads, **options(name)) for threads in (1, 2))
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("name", [*SEEDED, "lk"])
def test_another_seed_gives_another_order(name):
    X = gaussian(200)
    assert not np.array_equal(path(X, name, seed=1, **options(name)), path(X, name, seed=2, **options(name)))


@pytest.mark.parametrize("name", ["two_opt", "three_opt", "lk"])
def test_improves_what_it_is_given(name):
    X = gaussian(200)
    initial = np.random.default_rng(1).permutation(200)
    order = path(X, name, initial=initial, **options(name))
    assert path_length(X, order) < 0.6 * path_length(X, initial)


def test_no_exchange_of_two_edges_is_left_in_the_neighbourhood():
    """two_opt stops at a local optimum: the lists of 9 records hold all others."""
    X = gaussian(9, 2)
    order = path(X, "two_opt")
    shorter = [
        path_length(X, np.concatenate([order[:i], order[i:j][::-1], order[j:]]))
        for i in range(9)
        for j in range(i + 2, 10)
    ]
    assert min(shorter) >= path_length(X, order) - 1e-9


def test_equal_records_follow_each_other():
    points = gaussian(40, 2)
    X = np.repeat(points, 50, axis=0)[np.random.default_rng(0).permutation(2000)]
    order = path(X, "lk", kicks=500)
    assert sorted(order) == list(range(2000))
    assert path_length(X, order) == pytest.approx(path_length(points, path(points, "exact")), rel=1e-9)


@pytest.mark.parametrize("start", [None, 1])
@pytest.mark.parametrize("n", [3, 4, 7])
def test_exact_and_bound_against_all_orders(n, start):
    X = gaussian(n, 2, seed=n)
    shortest = path_oracles.shortest(X, start)
    order = path(X, "exact", start=start)
    assert start is None or order[0] == start
    assert path_length(X, order) == pytest.approx(shortest, rel=1e-9)
    assert path_bound(X, start=start) <= shortest * (1 + 1e-9)
    assert path_bound(X, start=start, upper=10 * shortest) <= shortest * (1 + 1e-9)


def test_bound_lies_close_below_the_shortest():
    X = gaussian(60, 3)
    shortest = path_length(X, path(X, "exact"))
    assert 0.98 * shortest <= path_bound(X) <= shortest * (1 + 1e-9)
    assert path_length(X, path(X, "lk", kicks=2000)) == pytest.approx(shortest, rel=0.005)


@pytest.mark.parametrize(("data", "best"), [("census", 1169.61), ("tarragona", 770.65), ("eia", 713.14)])
def test_lk_is_within_one_percent_of_the_best_known(benchmark_data, data, best):
    X = benchmark_data(data)
    assert best * (1 - 1e-5) <= path_length(X, path(X, "lk")) <= 1.01 * best


def test_length_is_that_of_the_definition():
    X = gaussian(20)
    order = np.random.default_rng(3).permutation(20)
    assert path_length(X, order) == pytest.approx(path_oracles.length(X, order), rel=1e-12)


def test_time_limit_stops_the_search():
    X = gaussian(400)
    assert sorted(path(X, "lk", time_limit=0.05)) == list(range(400))


@pytest.mark.parametrize(
    ("name", "wrong", "message"),
    [
        ("no_such", {}, "heuristic must be one of"),
        ("repetitive_nearest_neighbour", {"start": 1}, "cannot honour the option 'start'"),
        ("greedy_edge", {"time_limit": 1.0}, "cannot honour the option 'time_limit'"),
        ("lk", {"start": 10}, "start must be a row number"),
        ("lk", {"kicks": -1}, "kicks must be"),
        ("lk", {"time_limit": 0}, "time_limit must be"),
        ("lk", {"seed": -1}, "seed must be"),
        ("nearest_insertion", {"dummy": "first"}, "dummy must be one of"),
        ("space_filling_curve", {"components": 40}, "components must be at most"),
    ],
)
def test_wrong_options_are_named(name, wrong, message):
    with pytest.raises(InvalidOption, match=message):
        path(gaussian(10), name, **wrong)


@pytest.mark.parametrize("order", [[0, 1], [0, 1, 1], [0, 1, 3], [-1, 0, 1], [0.0, 1.0, 2.0]])
def test_an_order_that_is_none_is_refused(order):
    with pytest.raises(InvalidData, match="order must"):
        path_length(gaussian(3), order)


def test_exact_refuses_what_it_cannot_prove():
    with pytest.raises(InvalidOption, match="at most 200"):
        path(gaussian(201), "exact")


@pytest.mark.parametrize("upper", [1e6, 1e308, 10**30])
def test_an_upper_end_far_too_high_gives_a_bound_all_the_same(upper):
    """Prices followed from it without limit, were infinite, and the kernel wrote beyond the end of its memory."""
    X = gaussian(40)
    for start in (None, 7):
        shortest = path_length(X, path(X, "lk", start=start, kicks=200))
        assert 0.5 * shortest < path_bound(X, start=start, upper=upper) <= shortest * (1 + 1e-9)


def test_an_upper_end_that_is_no_length():
    for upper in (np.nan, np.inf, -1.0, True, "far"):
        with pytest.raises(InvalidOption, match="upper must be a number of at least 0"):
            path_bound(gaussian(10), upper=upper)


@pytest.mark.parametrize(("n", "kicks"), [(40, 800), (300, 6000)])
def test_the_effort_of_lk_follows_the_number_of_cities(n, kicks):
    """Equal records are one city; an option says otherwise."""
    X = gaussian(n)
    expected = path(X, "lk", kicks=kicks)
    np.testing.assert_array_equal(path(X, "lk"), expected)
    twice = path(np.repeat(X, 2, axis=0), "lk")
    np.testing.assert_array_equal(twice[::2] // 2, expected)
    assert default_kicks(n) == kicks


def test_with_a_cap_long_steps_do_not_matter():
    """How far the next record lies beyond the cap makes no difference, so that the rest of the path can be shorter."""
    X = gaussian(200, 2)
    cap = float(np.quantile(np.linalg.norm(np.diff(X[path(X, "lk")], axis=0), axis=1), 0.5))

    def capped(order):
        return np.minimum(np.linalg.norm(np.diff(X[order], axis=0), axis=1), cap).sum()

    assert capped(path(X, "lk", cap=cap)) < capped(path(X, "lk"))
    np.testing.assert_array_equal(path(X, "lk", cap=1e9), path(X, "lk"))
    np.testing.assert_array_equal(path(X * 2.0**900, "lk", cap=cap * 2.0**900), path(X, "lk", cap=cap))


@pytest.mark.parametrize("name", ["two_opt", "three_opt", "lk"])
def test_the_path_through_many_cities_is_nearly_as_short(name, monkeypatch):
    """Where the one way takes over from the other the path becomes hardly longer."""
    X = gaussian(1500)
    ordinary = path(X, name, **({"kicks": 0} if name == "lk" else {}))
    monkeypatch.setattr("microagg.paths.lk.MANY_CITIES", 100)
    monkeypatch.setattr("microagg.paths.lk.CELL", 400)
    orders = [path(X, name, threads=threads) for threads in (1, 2, 3)]
    np.testing.assert_array_equal(orders[0], orders[1])
    np.testing.assert_array_equal(orders[0], orders[2])
    assert sorted(orders[0]) == list(range(1500))
    assert path_length(X, orders[0]) < 1.04 * path_length(X, ordinary)


def test_options_of_lk_hold_for_many_cities(monkeypatch):
    X = np.repeat(gaussian(300), 2, axis=0)
    ordinary = path(X, "lk")
    monkeypatch.setattr("microagg.paths.lk.MANY_CITIES", 100)
    monkeypatch.setattr("microagg.paths.lk.CELL", 100)
    assert default_kicks(300) == 0
    from_start = path(X, "lk", start=7)
    assert from_start[0] == 7
    assert sorted(from_start) == list(range(600))
    order = path(X, "lk")
    assert (order[::2] // 2 == order[1::2] // 2).all()  # equal records follow each other
    assert path_length(X, path(X, "lk", initial=ordinary)) <= path_length(X, ordinary) * (1 + 1e-9)
    assert path_length(X, path(X, "lk", kicks=3000)) < path_length(X, order)
    assert sorted(path(X, "lk", time_limit=0.05)) == list(range(600))
