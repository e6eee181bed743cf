"""Methods that cut a path: what each promises about its order and its loss."""

from __future__ import annotations

import numpy as np
import pytest
from checks import assert_partition

import microagg as ma
from microagg.base.groups import group_means
from microagg.errors import InvalidOption
from microagg.partition import compress
from microagg.partition.compress import order_of_records
from microagg.partition.group_order import order_of_groups

FAST_PATHS = ["nearest_neighbour", "farthest_insertion", "greedy_edge", "space_filling_curve"]


def gaussian(n: int, m: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, m))


@pytest.mark.parametrize("path", FAST_PATHS)
def test_hm2_is_the_optimal_cut_of_the_path(path: str) -> None:
    X = gaussian(200, 3)
    order = ma.path(X, path, seed=5)
    np.testing.assert_array_equal(ma.partition(X, 4, method="hm2", path=path, seed=5), ma.cut_order(X, order, 4))


def test_hm2_with_another_seed_takes_another_path() -> None:
    X = gaussian(200, 3)
    first, second = (ma.partition(X, 4, method="hm2", path="nearest_neighbour", seed=s) for s in (0, 1))
    assert not np.array_equal(first, second)


def test_path_options_reach_the_heuristic() -> None:
    """The published nearest neighbour, with its dummy city, can be had of every method that takes a path."""
    X = gaussian(120, 3)
    own = {"dummy": "city"}
    order = ma.path(X, "nearest_neighbour", seed=5, **own)
    labels = ma.partition(X, 4, method="hm2", path="nearest_neighbour", path_options=own, seed=5)
    np.testing.assert_array_equal(labels, ma.cut_order(X, order, 4))
    plain = ma.partition(X, 4, method="hm2", path="nearest_neighbour", seed=5)
    assert not np.array_equal(labels, plain)
    few, many = (
        ma.partition(X, 3, method="compress", path_options={"kicks": kicks}, inner="oriented") for kicks in (0, 2000)
    )
    assert not np.array_equal(few, many)


def test_a_time_limit_is_said_once() -> None:
    with pytest.raises(InvalidOption, match="given twice"):
        ma.partition(gaussian(9, 2), 3, method="hm2", time_limit=1.0, path_options={"time_limit": 2.0})


@pytest.mark.parametrize("method", ["hm2", "compress"])
def test_path_options_that_cannot_be(method: str) -> None:
    X = gaussian(9, 2)
    for options, message in (
        ({"path_options": {"dummi": "city"}, "path": "nearest_neighbour"}, "did you mean 'dummy'"),
        ({"path_options": {"seed": 3}}, "cannot honour the option 'seed'"),
        ({"path_options": "dummy=city"}, r"write path_options.NAME=VALUE"),
    ):
        with pytest.raises(InvalidOption, match=message):
            ma.partition(X, 3, method=method, **options)


def test_npn_mhm_is_the_optimal_cut_of_nearest_point_next() -> None:
    X = gaussian(200, 3)
    order = ma.path(X, "nearest_point_next")
    assert order[0] == np.argmax(((X - X.mean(axis=0)) ** 2).sum(axis=1))
    np.testing.assert_array_equal(ma.partition(X, 4, method="npn_mhm"), ma.cut_order(X, order, 4))


@pytest.mark.parametrize("base", ["md", "cbfs", "mdav"])
@pytest.mark.parametrize("k", [2, 3, 7])
def test_cut_of_a_partition_loses_no_more_than_the_partition(base: str, k: int) -> None:
    """The groups of the base are runs of the path, so the optimal cut can always fall back on them."""
    X = np.repeat(gaussian(90, 2, seed=k), 2, axis=0) + gaussian(180, 2, seed=k + 1) / 9
    before = ma.sse(X, ma.partition(X, k, method=base))
    assert ma.sse(X, ma.partition(X, k, method=f"{base}_mhm")) <= before * (1 + 1e-12)


def test_mdav_lk_mhm_shortens_the_order_of_mdav_and_cuts_it() -> None:
    X = gaussian(300, 3)
    order = order_of_groups(X, ma.partition(X, 4, method="mdav"))
    shorter = ma.path(X, "lk", initial=order, kicks=0)
    assert ma.path_length(X, shorter) < 0.5 * ma.path_length(X, order)
    np.testing.assert_array_equal(ma.partition(X, 4, method="mdav_lk_mhm"), ma.cut_order(X, shorter, 4))


def test_order_of_groups_walks_to_the_nearest() -> None:
    """Against the definition, one step at a time; rounded numbers make ties."""
    X = np.round(gaussian(60, 2), 1)
    labels = ma.partition(X, 5, method="mdav")
    order = order_of_groups(X, labels)
    np.testing.assert_array_equal(np.sort(order), np.arange(60))
    assert (np.diff(labels[order]) >= 0).all()
    first_group = np.flatnonzero(labels == 0)
    away = ((X[first_group] - X.mean(axis=0)) ** 2).sum(axis=1)
    assert order[0] == first_group[np.argmax(away)]
    for at in range(1, 60):
        left = [r for r in range(60) if labels[r] == labels[order[at]] and r not in order[:at]]
        distances = [((X[r] - X[order[at - 1]]) ** 2).sum() for r in left]
        assert order[at] == left[int(np.argmin(distances))]


@pytest.mark.parametrize("inner", ["distance", "rows", "oriented"])
def test_compress_unpacks_along_the_tour(inner: str) -> None:
    X = gaussian(120, 3)
    small = ma.partition(X, 4, method="mdav")
    centroids = np.array([X[small == g].mean(axis=0) for g in range(small.max() + 1)])
    np.testing.assert_allclose(group_means(X, small), centroids, atol=1e-14)
    tour = ma.path(centroids, "greedy_edge")
    expected: list[int] = []
    for at, group in enumerate(tour):
        rows = np.flatnonzero(small == group)
        if inner == "distance":
            key = ((X[rows] - X.mean(axis=0)) ** 2).sum(axis=1)
        elif inner == "rows":
            key = rows
        else:
            before, after = tour[max(at - 1, 0)], tour[min(at + 1, len(tour) - 1)]
            key = X[rows] @ (centroids[after] - centroids[before])
        expected += rows[np.argsort(key, kind="stable")].tolist()
    order = order_of_records(X, c=4, base="mdav", path="greedy_edge", inner=inner)
    assert order.tolist() == expected
    labels = ma.partition(X, 3, method="compress", c=4, path="greedy_edge", inner=inner)
    np.testing.assert_array_equal(labels, ma.cut_order(X, expected, 3))


def test_compress_with_c_equal_to_k_loses_no_more_than_its_base() -> None:
    X = gaussian(300, 4)
    for inner in ("distance", "rows", "oriented"):
        labels = ma.partition(X, 5, method="compress", c=5, path="greedy_edge", inner=inner)
        assert ma.sse(X, labels) <= ma.sse(X, ma.partition(X, 5, method="mdav")) * (1 + 1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"c": 1}, "c must be a whole number of at least 2"),
        ({"c": 10}, r"number of records \(9\)"),
        ({"inner": "random"}, "inner must be one of distance, rows, oriented"),
        ({"base": "individual"}, "groups each column on its own"),
        ({"base": "nosuch"}, "method must be one of"),
        ({"path": "nosuch"}, "heuristic must be one of"),
    ],
)
def test_compress_options_that_cannot_be(options: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidOption, match=message):
        ma.partition(gaussian(9, 2), 3, method="compress", **options)


@pytest.mark.parametrize("method", ["hm2", "compress"])
@pytest.mark.parametrize("k", [3, 10])
def test_the_way_of_many_records_loses_little_more_on_few(method: str, k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the one way takes over from the other the loss hardly changes, and stays far below that of one line."""
    X = gaussian(1200, 5)
    ordinary = ma.information_loss(X, ma.partition(X, k, method=method))
    one_line = ma.information_loss(X, ma.partition(X, k, method="univariate"))
    monkeypatch.setattr("microagg.paths.lk.MANY_CITIES", 100)
    monkeypatch.setattr("microagg.paths.lk.CELL", 400)
    monkeypatch.setattr(compress, "MANY_RECORDS", 100)
    labels = [ma.partition(X, k, method=method, threads=threads) for threads in (1, 2, 3)]
    np.testing.assert_array_equal(labels[0], labels[1])
    np.testing.assert_array_equal(labels[0], labels[2])
    assert_partition(labels[0], 1200, k)
    assert ma.information_loss(X, labels[0]) < min(1.1 * ordinary, 0.5 * one_line)


@pytest.mark.parametrize("method", ["hm2", "compress"])
@pytest.mark.parametrize("n", [2, 3, 5, 40])
def test_the_way_of_many_records_serves_a_handful_and_equal_ones(
    method: str, n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("microagg.paths.lk.MANY_CITIES", 0)
    monkeypatch.setattr("microagg.paths.lk.CELL", 4)
    monkeypatch.setattr(compress, "MANY_RECORDS", 0)
    for X in (gaussian(n, 2), np.ones((n, 2)), np.round(gaussian(n, 2))):
        assert_partition(ma.partition(X, 2, method=method), n, 2)
