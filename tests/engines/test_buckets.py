"""Cells: every record in one, neither too large nor too small, and what is alike stays together."""

from __future__ import annotations

from itertools import count, pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from microagg.engines.buckets import LEAST_LEAF, SMALL, Buckets, Cells, Sample, grow, leaves_of

SHAPES = {
    "spread": lambda rng, n, q: rng.normal(size=(n, q)),
    "few values": lambda rng, n, q: rng.integers(0, 3, (n, q)).astype(float),
    "all equal": lambda rng, n, q: np.full((n, q), 0.1),
    "nearly all equal": lambda rng, n, q: np.where(rng.random((n, 1)) < 0.003, rng.normal(size=(n, q)), 0.0),
    "heavy tails": lambda rng, n, q: rng.standard_cauchy((n, q)),
}


def cells_of(
    folder: Path, X: np.ndarray, *, k: int, most: int, strata: np.ndarray | None = None, sample: int = 64
) -> list[np.ndarray]:
    """Cut records into cells, fifty at a time."""
    n = len(X)
    strata = np.zeros(n, dtype=int) if strata is None else strata
    records = np.column_stack([np.arange(n), strata, np.ones(n), X])
    taken = Sample(sample, n, seed=0)
    for start in range(0, n, 50):
        taken.offer(records[start : start + 50])
    sizes = np.bincount(strata)
    cells = Cells(folder, lambda v: v, k=k, most=most, chunk=64, sizes=sizes, sample=taken.records())
    for start in range(0, n, 50):
        cells.add(records[start : start + 50])
    found = list(cells.take())
    assert not list(folder.iterdir()), "what was taken is gone from the disk"
    return found


@settings(max_examples=60)
@example(shape="nearly all equal", seed=991148, n=2349, q=2, k=2, room=16, n_strata=1)
@given(
    shape=st.sampled_from(list(SHAPES)),
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(2, 2500),
    q=st.integers(1, 3),
    k=st.integers(2, 6),
    room=st.integers(0, 150),
    n_strata=st.integers(1, 4),
)
def test_every_record_is_in_one_cell_of_the_right_size(tmp_path_factory, shape, seed, n, q, k, room, n_strata):
    rng = np.random.default_rng(seed)
    # Strata of very different sizes: some fit a cell together, some do not fit one alone.
    strata = np.unique(rng.choice(n_strata, n, p=rng.dirichlet(np.full(n_strata, 0.4))), return_inverse=True)[1]
    if np.bincount(strata).min() < k:
        strata = np.zeros(n, dtype=int)
    most = 8 * k + room
    X = SHAPES[shape](rng, n, q)
    found = cells_of(tmp_path_factory.mktemp("folder") / "cells", X, k=k, most=most, strata=strata)
    rows = np.concatenate([cell[:, 0] for cell in found])
    assert np.array_equal(np.sort(rows), np.arange(n))
    for cell in found:
        assert len(cell) <= most + max(k, most // SMALL)
        assert (np.diff(cell[:, 0]) > 0).all(), "in the order of the file"
        assert np.array_equal(cell[:, 3:], X[cell[:, 0].astype(int)]), "values stay with their rows"
        if n >= k:
            assert np.unique(cell[:, 1], return_counts=True)[1].min() >= k


def test_equal_records_are_never_divided_where_that_can_be_avoided(tmp_path):
    """A hundred values, twenty times each, and room for five of them in a cell: no value is in two cells."""
    X = np.repeat(np.arange(100.0), 20)[np.random.default_rng(0).permutation(2000)][:, None]
    found = cells_of(tmp_path / "cells", X, k=5, most=100, sample=2000)
    homes = [set(cell[:, 3].tolist()) for cell in found]
    assert len(found) > 10
    assert sum(len(values) for values in homes) == 100


def test_a_value_that_most_records_share_is_cut_off_from_the_others(tmp_path):
    """Nine of ten records are zero: some cells hold nothing else, and the others are not spread over all cells."""
    rng = np.random.default_rng(1)
    X = np.where(np.arange(3000)[:, None] % 10 == 0, rng.normal(5, 1, (3000, 2)), 0.0)
    found = cells_of(tmp_path / "cells", X, k=3, most=200, sample=3000)
    mixed = [cell for cell in found if 0 < (cell[:, 3] == 0).sum() < len(cell)]
    assert len(mixed) <= 1


def test_cells_are_filled(tmp_path):
    """Larger cells lose less: neighbours join as long as they fit, so that no two of them could be one."""
    X = np.random.default_rng(6).normal(size=(4000, 3))
    sizes = [len(cell) for cell in cells_of(tmp_path / "cells", X, k=3, most=300, sample=4000)]
    assert all(one + other > 300 for one, other in pairwise(sizes))


def test_small_strata_share_a_cell_and_large_ones_are_cut(tmp_path):
    strata = np.repeat([0, 1, 2, 3], [30, 30, 500, 30])
    X = np.random.default_rng(2).normal(size=(590, 2))
    found = cells_of(tmp_path / "cells", X, k=5, most=100, strata=strata)
    kinds = [tuple(np.unique(cell[:, 1]).astype(int).tolist()) for cell in found]
    assert kinds[0] == (0, 1, 3)
    assert kinds[1:] == [(2,)] * (len(kinds) - 1)
    assert len(kinds) >= 6


def test_a_sample_that_says_nothing_ends_in_halves(tmp_path):
    """No record of the sample: the table is one cell at first, which is cut again until all fits."""
    X = np.random.default_rng(3).normal(size=(1000, 2))
    records = np.column_stack([np.arange(1000), np.zeros(1000), np.ones(1000), X])
    cells = Cells(tmp_path / "cells", lambda v: v, k=3, most=50, chunk=1, sizes=np.array([1000]), sample=records[:0])
    cells.add(records)
    found = list(cells.take())
    assert sum(len(cell) for cell in found) == 1000
    assert max(len(cell) for cell in found) <= 50 + 50 // SMALL


def test_points_left_of_a_cut_are_below_it():
    X = np.random.default_rng(4).normal(size=(500, 3))
    tree = grow(X, np.arange(500.0), 100, count())
    leaves = leaves_of(tree, X, np.arange(500.0))
    assert np.bincount(leaves).max() <= 100
    below = X[:, tree.column] < tree.value
    assert leaves[below].max() < leaves[~below].min()


def test_the_same_cells_whatever_the_chunks(tmp_path):
    X = np.random.default_rng(5).normal(size=(800, 2))
    records = np.column_stack([np.arange(800), np.zeros(800), np.ones(800), X])
    found = []
    for name, step in (("a", 7), ("b", 800)):
        cells = Cells(tmp_path / name, lambda v: v, k=3, most=100, chunk=64, sizes=np.array([800]), sample=records[::3])
        for start in range(0, 800, step):
            cells.add(records[start : start + step])
        found.append([cell[:, 0].tolist() for cell in cells.take()])
    assert found[0] == found[1]
    assert len(found[0]) > 4


@pytest.mark.parametrize("size", [1, 3, 100])
def test_buckets_give_back_what_they_took(tmp_path, size):
    buckets = Buckets(tmp_path / "buckets", 2)
    records = np.arange(20.0).reshape(10, 2)
    buckets.add(np.array([0, 1, 0, 1, 0, 1, 0, 1, 0, 7]), records)
    buckets.add(np.array([7]), records[:1])
    assert buckets.sizes == {0: 5, 1: 4, 7: 2}
    assert np.array_equal(buckets.read(0), records[:9:2])
    assert np.array_equal(np.concatenate(list(buckets.chunks(7, size))), records[[9, 0]])
    assert (tmp_path / "buckets").stat().st_mode & 0o77 == 0, "nobody else may look"


def test_a_sample_is_as_large_as_asked_for_and_repeats():
    records = np.arange(60_000.0).reshape(-1, 2)
    first, second = Sample(1000, 30_000, seed=1), Sample(1000, 30_000, seed=1)
    for sample in (first, second):
        sample.offer(records)
    assert 850 < len(first.records()) < 1150
    assert np.array_equal(first.records(), second.records())
    assert len(first.records()) > LEAST_LEAF
