"""MF-TSP: the running examples of both papers, and counts against an obvious oracle."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from checks import assert_partition, groups

from microagg import datasets
from microagg.errors import InvalidOption
from microagg.partition import partition
from microagg.partition.mf_tsp import Counts, count_neighbours, group_by_counts
from microagg.paths.nearest_neighbour import nearest_neighbour, nearest_neighbour_paths

THESIS_PATHS = """
1 9 5 7 8 3 4 6 2
2 6 3 4 7 1 9 5 8
3 8 4 7 9 1 5 6 2
4 8 3 7 1 9 5 6 2
5 9 1 7 3 6 2 4 8
6 2 3 1 9 5 7 4 8
7 6 3 8 4 1 9 5 2
8 3 5 9 1 7 4 6 2
9 1 5 2 6 7 4 3 8
"""
"""Maya-Lopez 2023, equation (3.1): nine paths through the patients, one from each."""

THESIS_COUNTS = """
0 0 0 0 2 0 2 0 5
0 0 1 1 0 2 0 0 0
1 0 0 2 1 1 1 3 0
1 0 1 0 0 2 2 3 0
0 2 0 0 0 2 2 1 2
0 6 2 0 0 0 1 0 0
2 0 1 3 0 1 0 1 1
0 0 3 2 0 0 0 0 0
4 0 0 0 5 0 0 0 0
"""
"""Maya-Lopez 2023, equation (3.2)."""

COMPANY_COUNTS = """
 0 11 11  8 11  0  1  0  1  1  1
11  0 10  2 10  3  2  0  4  1  1
11 10  0  9  3  5  1  1  1  0  3
 8  2  9  0  3  8  4  1  4  2  3
11 10  3  3  0  6  2  1  6  1  2
 0  3  5  8  6  0  7  4  7  1  3
 1  2  1  4  2  7  0  6  5 10  9
 0  0  1  1  1  4  6  0 10 11  8
 1  4  1  4  6  7  5 10  0  6  3
 1  1  0  2  1  1 10 11  6  0 11
 1  1  3  3  2  3  9  8  3 11  0
"""
"""Maya-Lopez and Solanas, Table V: neighbours at a distance of at most k-1 = 2 in eleven paths."""


def matrix(text: str) -> np.ndarray:
    return np.array([line.split() for line in text.strip().splitlines()], dtype=np.int64)


def sparse(counts: np.ndarray) -> Counts:
    rows, columns = np.nonzero(counts)
    values = counts[rows, columns]
    largest_first = np.lexsort((columns, rows, -values))
    return Counts(rows[largest_first], columns[largest_first], values[largest_first], len(counts))


def dense(counts: Counts) -> np.ndarray:
    full = np.zeros((counts.n_records, counts.n_records), dtype=np.int64)
    full[counts.rows, counts.columns] = counts.values
    return full


def one_based(labels: np.ndarray) -> set[frozenset[int]]:
    return {frozenset(record + 1 for record in group) for group in groups(labels)}


def test_counts_of_the_thesis_follow_from_its_paths() -> None:
    counts = count_neighbours(matrix(THESIS_PATHS) - 1, 9, 1, directed=True)
    np.testing.assert_array_equal(dense(counts), matrix(THESIS_COUNTS))


def test_groups_of_the_thesis_follow_from_its_counts() -> None:
    X = datasets.load("patients").X
    labels = group_by_counts(X, sparse(matrix(THESIS_COUNTS)), 3, "counts")
    assert one_based(labels) == {frozenset({1, 5, 9}), frozenset({2, 3, 6}), frozenset({4, 7, 8})}


def test_groups_of_the_companies_follow_from_their_counts() -> None:
    """The paper's Table VI makes a third group of the last five; its rule (stop at 2k-1) makes them one group."""
    X = datasets.load("companies").X
    labels = group_by_counts(X, sparse(matrix(COMPANY_COUNTS)), 3, "nearest")
    assert one_based(labels) == {frozenset({1, 2, 3}), frozenset({8, 10, 11}), frozenset({4, 5, 6, 7, 9})}
    assert labels[0] == 0
    assert labels[7] == 1


@pytest.mark.parametrize("reach", [1, 2, 4])
@pytest.mark.parametrize("directed", [True, False])
def test_counts_equal_counting_one_by_one(reach: int, directed: bool) -> None:
    random = np.random.default_rng(reach)
    paths = [random.permutation(12) for _ in range(7)]
    expected = np.zeros((12, 12), dtype=np.int64)
    for path in paths:
        for at, i in enumerate(path):
            for j in path[at + 1 : at + 1 + reach]:
                expected[i, j] += 1
                if not directed:
                    expected[j, i] += 1
    counts = count_neighbours(paths, 12, reach, directed=directed)
    np.testing.assert_array_equal(dense(counts), expected)
    in_order = list(zip(-counts.values, counts.rows, counts.columns, strict=True))
    assert in_order == sorted(in_order)


def test_counts_in_many_batches_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [np.random.default_rng(i).permutation(30) for i in range(20)]
    whole = count_neighbours(paths, 30, 2, directed=True)
    monkeypatch.setattr(sys.modules[Counts.__module__], "PAIRS_AT_ONCE", 50)
    np.testing.assert_array_equal(dense(count_neighbours(paths, 30, 2, directed=True)), dense(whole))


def test_leftovers_join_by_counts_up_to_2k_less_1() -> None:
    """Records 4 and 5 have counts with no one that is left but the first group, which has room for one more."""
    counts = np.zeros((6, 6), dtype=np.int64)
    counts[0, 1], counts[2, 3], counts[4, 0], counts[0, 5] = 9, 8, 3, 2
    X = np.array([[0.0], [1.0], [10.0], [11.0], [0.5], [0.6]])
    labels = group_by_counts(X, sparse(counts), 2, "counts")
    assert labels.tolist() == [0, 0, 1, 1, 0, 0]
    far = np.array([[0.0], [1.0], [10.0], [11.0], [0.5], [12.0]])
    assert group_by_counts(far, sparse(counts), 2, "counts").tolist() == [0, 0, 1, 1, 0, 1]


@pytest.mark.parametrize("version", ["adjacent", "window"])
@pytest.mark.parametrize("leftovers", ["counts", "nearest"])
@pytest.mark.parametrize("path", ["nearest_neighbour", "farthest_insertion"])
def test_every_combination_keeps_k(version: str, leftovers: str, path: str) -> None:
    X = np.random.default_rng(0).normal(size=(101, 3))
    labels = partition(X, 4, method="mf_tsp", version=version, leftovers=leftovers, path=path)
    assert_partition(labels, 101, 4)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"version": "both"}, "version must be one of adjacent, window"),
        ({"leftovers": "none"}, "leftovers must be one of counts, nearest"),
        ({"path": "repetitive_nearest_neighbour"}, "can begin at a given record"),
        ({"path": "nosuch"}, "heuristic must be one of"),
    ],
)
def test_options_that_cannot_be(options: dict[str, str], message: str) -> None:
    with pytest.raises(InvalidOption, match=message):
        partition(np.zeros((9, 2)), 3, method="mf_tsp", **options)


@pytest.mark.parametrize("threads", [1, 3])
def test_paths_from_many_records_are_those_from_each(threads: int) -> None:
    X = np.round(np.random.default_rng(2).normal(size=(150, 3)), 1)
    many = nearest_neighbour_paths(X, range(20, 90), threads=threads)
    np.testing.assert_array_equal(many, [nearest_neighbour(X, start=start) for start in range(20, 90)])


@pytest.mark.parametrize("starts", [range(0, 4, 2), range(2, 2), range(0, 10), range(-1, 2)])
def test_starts_that_cannot_be(starts: range) -> None:
    with pytest.raises(InvalidOption, match="starts must be consecutive row numbers"):
        nearest_neighbour_paths(np.zeros((9, 2)), starts)
