"""Cells: every record in one, neither too large nor too small, and what is alike stays together."""

from __future__ import annotations

import pickle
from itertools import count, pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from microagg.cell import Records
from microagg.engines.router import SMALL, grow, make_router
from microagg.prepare.scale import Scale
from microagg.prepare.space import Space
from microagg.semantic.attribute import numeric

SHAPES = {
    "spread": lambda rng, n, q: rng.normal(size=(n, q)),
    "few values": lambda rng, n, q: rng.integers(0, 3, (n, q)).astype(float),
    "all equal": lambda rng, n, q: np.full((n, q), 0.1),
    "nearly all equal": lambda rng, n, q: np.where(rng.random((n, 1)) < 0.003, rng.normal(size=(n, q)), 0.0),
    "heavy tails": lambda rng, n, q: rng.standard_cauchy((n, q)),
}


def cells_of(X, *, k, most, strata=None, sample=64, parts=None, n_parts=40):
    """Cut records into cells, of parts of the records in any order; give the rows of each cell."""
    n, q = X.shape
    strata = np.zeros(n, dtype=np.int64) if strata is None else strata
    parts = parts if parts is not None else np.array_split(np.arange(n), min(n, n_parts))
    names = tuple(f"x{j}" for j in range(q))
    space = Space(names, (numeric(),) * q, Scale(np.zeros(q), np.ones(q)), (np.nan,) * q, standardize=False)

    def fold(task, merge):
        sent = pickle.loads(pickle.dumps(task))  # noqa: S301
        whole = None
        for rows in parts:
            part = sent(Records(rows, X[rows], strata[rows]))
            whole = part if whole is None else merge(whole, part)
        return whole

    router = make_router(fold, space, np.bincount(strata), k=k, most=most, sample=sample, seed=0)
    cells = router.cells(Records(np.arange(n), X, strata))
    assert np.array_equal(np.bincount(cells, minlength=len(router.sizes)), router.sizes), "sizes are exact"
    return [np.flatnonzero(cells == number) for number in range(len(router.sizes))]


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
def test_every_record_is_in_one_cell_of_the_right_size(shape, seed, n, q, k, room, n_strata):
    rng = np.random.default_rng(seed)
    # Strata of very different sizes: some fit a cell together, some do not fit one alone.
    strata = np.unique(rng.choice(n_strata, n, p=rng.dirichlet(np.full(n_strata, 0.4))), return_inverse=True)[1]
    if np.bincount(strata).min() < k:
        strata = np.zeros(n, dtype=int)
    most = 8 * k + room
    X = SHAPES[shape](rng, n, q)
    for cell in cells_of(X, k=k, most=most, strata=strata):
        assert 0 < len(cell) <= most + max(k, most // SMALL)
        if n >= k:
            assert np.unique(strata[cell], return_counts=True)[1].min() >= k


@pytest.mark.parametrize("shape", SHAPES)
def test_the_same_cells_however_records_are_spread(shape):
    """Neither the number of parts, nor their order, nor the order of records in them is known to the router."""
    rng = np.random.default_rng(5)
    X = SHAPES[shape](rng, 1500, 2)
    strata = np.sort(rng.integers(0, 3, 1500))
    spread = [[np.arange(1500)], np.array_split(np.arange(1500), 7), np.array_split(rng.permutation(1500), 31)]
    first, *others = [cells_of(X, k=3, most=100, strata=strata, sample=300, parts=parts) for parts in spread]
    assert len(first) > 10
    for other in others:
        assert [rows.tolist() for rows in other] == [rows.tolist() for rows in first]


def test_equal_records_are_never_divided_where_that_can_be_avoided():
    """A hundred values, twenty times each, and room for five of them in a cell: no value is in two cells."""
    X = np.repeat(np.arange(100.0), 20)[np.random.default_rng(0).permutation(2000)][:, None]
    found = cells_of(X, k=5, most=100, sample=2000)
    assert len(found) > 10
    assert sum(len(np.unique(X[cell])) for cell in found) == 100


def test_a_value_that_most_records_share_is_cut_off_from_the_others():
    """Nine of ten records are zero: some cells hold nothing else, and the others are not spread over all cells."""
    rng = np.random.default_rng(1)
    X = np.where(np.arange(3000)[:, None] % 10 == 0, rng.normal(5, 1, (3000, 2)), 0.0)
    found = cells_of(X, k=3, most=200, sample=3000)
    mixed = [cell for cell in found if 0 < (X[cell, 0] == 0).sum() < len(cell)]
    assert len(mixed) <= 1


def test_cells_are_filled():
    """Larger cells lose less: neighbours join as long as they fit, so that no two of them could be one."""
    X = np.random.default_rng(6).normal(size=(4000, 3))
    sizes = [len(cell) for cell in cells_of(X, k=3, most=300, sample=4000)]
    assert all(one + other > 300 for one, other in pairwise(sizes))


def test_small_strata_share_a_cell_and_large_ones_are_cut():
    strata = np.repeat([0, 1, 2, 3], [30, 30, 500, 30])
    X = np.random.default_rng(2).normal(size=(590, 2))
    found = cells_of(X, k=5, most=100, strata=strata)
    kinds = [tuple(np.unique(strata[cell]).tolist()) for cell in found]
    assert kinds[0] == (0, 1, 3)
    assert kinds[1:] == [(2,)] * (len(kinds) - 1)
    assert len(kinds) >= 6


def test_a_sample_that_says_nothing_ends_in_halves():
    """Hardly a record in the sample: the table is one cell at first, which is cut again until all fits."""
    X = np.random.default_rng(3).normal(size=(1000, 2))
    found = cells_of(X, k=3, most=50, sample=1)
    assert max(len(cell) for cell in found) <= 50 + 50 // SMALL


def test_points_left_of_a_cut_are_below_it():
    X = np.random.default_rng(4).normal(size=(500, 3))
    tree = grow(X, np.arange(500.0), 100, count())
    below = X[:, tree.column] < tree.value
    assert 150 <= below.sum() <= 350
    assert tree.chance == -np.inf
