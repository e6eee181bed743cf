"""Records that join the groups that exist: equal to the oracle, ties included, and valid whatever comes."""

from __future__ import annotations

import incremental_oracles
import numpy as np
import oracles
import pytest
from checks import assert_partition, groups
from hypothesis import given, settings
from hypothesis import strategies as st

from microagg import _core
from microagg.errors import InfeasibleK, InvalidData, InvalidOption
from microagg.incremental import nearest, nearest_moving
from microagg.incremental.nearest import SPLITS
from microagg.partition import partition

every_split = pytest.mark.parametrize("split", ["none", "middle", "end"])
with_and_without_inertia = pytest.mark.parametrize("inertia", [False, True])
both = pytest.mark.parametrize("join", [nearest, nearest_moving])


def gaussian(n: int, m: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, m))


@both
@every_split
@with_and_without_inertia
@pytest.mark.parametrize(("n", "n_base", "m", "k"), [(300, 200, 3, 3), (400, 120, 15, 2), (260, 60, 1, 7)])
def test_equal_to_the_oracle(join, split, inertia, n, n_base, m, k):
    """More groups than fit one block of the scan, few groups that must be split into many, one column."""
    X = gaussian(n, m, seed=n)
    base = partition(X[:n_base], k)
    expected = incremental_oracles.nearest(X, base, n_base, k, split, inertia, join is nearest_moving)
    np.testing.assert_array_equal(join(X, base, n_base, k, split=split, inertia=inertia), expected)


@settings(deadline=None, max_examples=200)
@given(
    data=st.data(),
    k=st.integers(2, 4),
    m=st.integers(1, 3),
    split=st.sampled_from(["none", "middle", "end"]),
    inertia=st.booleans(),
    join=st.sampled_from([nearest, nearest_moving]),
)
def test_equal_to_the_oracle_with_ties(data, k, m, split, inertia, join):
    """On a coarse grid most distances tie, records repeat and columns may be constant."""
    n_base = data.draw(st.integers(k, 30))
    n = n_base + data.draw(st.integers(0, 25))
    seed = data.draw(st.integers(0, 2**32 - 1))
    X = np.random.default_rng(seed).integers(0, data.draw(st.integers(1, 4)), size=(n, m)) * 0.1
    base = oracles.mdav(X[:n_base], k)
    labels = join(X, base, n_base, k, split=split, inertia=inertia)
    expected = incremental_oracles.nearest(X, base, n_base, k, split, inertia, join is nearest_moving)
    np.testing.assert_array_equal(labels, expected)
    assert_partition(labels, n, k)
    if split == "end":
        assert np.bincount(labels).max() < 2 * k


@settings(deadline=None, max_examples=200)
@given(
    data=st.data(),
    m=st.integers(1, 4),
    grid=st.sampled_from([None, 2, 5]),
    split=st.sampled_from(["none", "middle", "end"]),
    inertia=st.booleans(),
    moving=st.booleans(),
)
def test_boxes_find_what_a_scan_finds(data, m, grid, split, inertia, moving):
    """Enough groups for several blocks and nodes of boxes, moves that make them build anew, and ties on a grid."""
    k, seed = 2, data.draw(st.integers(0, 2**32 - 1))
    n_groups = data.draw(st.integers(1, 1200))
    n = n_groups * k + data.draw(st.integers(0, 1500))
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, m)) if grid is None else random.integers(0, grid, size=(n, m)) * 0.1
    found = []
    for search in (_core.Search.scan, _core.Search.boxes, _core.Search.auto):
        labels = np.empty(n, dtype=np.int64)
        labels[: n_groups * k] = np.arange(n_groups * k) // k
        _core.adjoin(X, n_groups * k, k, SPLITS[split], inertia, moving, search, labels, None)
        found.append(labels)
    np.testing.assert_array_equal(found[1], found[0])
    np.testing.assert_array_equal(found[2], found[0])


@settings(deadline=None, max_examples=100)
@given(data=st.data(), m=st.integers(1, 3), grid=st.sampled_from([None, 2, 5]))
def test_closest_groups_equal_the_oracle(data, m, grid):
    seed, n_groups = data.draw(st.integers(0, 2**32 - 1)), data.draw(st.integers(1, 600))
    n_base, new, count = 2 * n_groups, data.draw(st.integers(0, 400)), data.draw(st.integers(1, min(n_groups, 5)))
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_base + new, m)) if grid is None else random.integers(0, grid, (n_base + new, m)) * 0.1
    closest = np.empty((new, count), dtype=np.int64)
    _core.closest_groups(X, np.arange(n_base) // 2, n_base, closest, None)
    np.testing.assert_array_equal(closest, incremental_oracles.closest_groups(X, np.arange(n_base) // 2, new, count))


@both
def test_ties_go_to_the_lower_group(join):
    X = np.array([[0.0], [0.0], [2.0], [2.0], [1.0]])
    assert join(X, [0, 0, 1, 1], 4, 2)[4] == 0
    assert join(X, [1, 1, 0, 0], 4, 2)[4] == 0


@both
def test_equal_records_tie_exactly(join):
    """The mean of equal records is that record, whatever their number: 0.1 three and seven times is 0.1."""
    X = np.full((11, 2), 0.1)
    assert join(X, [1] * 3 + [0] * 7, 10, 3, split="none")[10] == 0
    assert join(X, [0] * 3 + [1] * 7, 10, 3, split="none")[10] == 0


def test_centroids_move():
    """The second new record is nearer to the first group only because the first one has joined it."""
    X = np.array([[0.0], [0.0], [10.0], [10.0], [4.9], [5.5]])
    assert nearest_moving(X, [0, 0, 1, 1], 4, 2, split="none")[4:].tolist() == [0, 0]
    assert nearest_moving(X[[0, 1, 2, 3, 5]], [0, 0, 1, 1], 4, 2, split="none")[4:].tolist() == [1]


@pytest.mark.parametrize("split", ["none", "end"])
def test_published_centroids_stay_those_of_the_base_stage(split):
    """Section IV-D: new records go to "the centroids found by the base algorithm"; so their order does not matter."""
    X = gaussian(300, 3)
    base = partition(X[:180], 4)
    labels = nearest(X, base, 180, 4, split="none")
    means = np.array([X[:180][base == g].mean(axis=0) for g in range(base.max() + 1)])
    np.testing.assert_array_equal(labels[180:], ((X[180:, None] - means) ** 2).sum(axis=2).argmin(axis=1))
    order = np.concatenate([np.arange(180), np.random.default_rng(1).permutation(np.arange(180, 300))])
    again = nearest(X[order], base, 180, 4, split=split)
    assert groups(again) == groups(nearest(X, base, 180, 4, split=split)[order])


def test_parts_of_a_split_group_have_centroids_of_their_own():
    """Split in the middle: "more available centroids when adding the remaining incremental points" (section IV-D)."""
    X = np.array([[0.0], [0.0], [20.0], [20.0], [9.0], [9.0], [12.0]])
    base = [0, 0, 1, 1]
    assert nearest(X, base, 4, 2, split="none")[6] == 1
    labels = nearest(X, base, 4, 2, split="middle")
    assert labels[6] == labels[4] == labels[5] == 2


def test_moving_centroids_lose_less():
    """What the default of surveys rests on: half of the records join, and moving centroids cost less error."""
    X = gaussian(4000, 15)
    base = partition(X[:2000], 10)
    assert oracles.sse(X, nearest_moving(X, base, 2000, 10)) < oracles.sse(X, nearest(X, base, 2000, 10))


def test_inertia_is_the_growth_of_the_error():
    """n/(n+1) |x - mean|^2 is what the sum of squared errors grows by, so each step takes the least growth."""
    X = gaussian(61, 3)
    base = partition(X[:60], 4, method="vmdav")
    labels = nearest(X, base, 60, 4, split="none", inertia=True)
    growth = [oracles.sse(X, np.append(base, g)) for g in range(base.max() + 1)]
    assert labels[60] == np.argmin(growth)


def test_inertia_changes_the_choice():
    """A small group takes a record that is a little nearer to the centroid of a large one."""
    X = np.array([[0.0]] * 2 + [[2.0]] * 20 + [[1.05]])
    base = [0] * 2 + [1] * 20
    assert nearest(X, base, 22, 2, split="none")[22] == 1
    assert nearest(X, base, 22, 2, split="none", inertia=True)[22] == 0


@both
@every_split
def test_nothing_new_and_large_groups(join, split):
    """Without new records the groups stay, apart from those that the end splits."""
    X = gaussian(40, 2)
    base = np.repeat([0, 1], 20)
    labels = join(X, base, 40, 5, split=split)
    assert_partition(labels, 40, 5)
    assert (np.bincount(labels).max() < 10) == (split == "end")


@both
@every_split
def test_continues_from_its_own_labels(join, split):
    """Three stages: each call goes on where the last one stopped; moving and without splits, as if in one call."""
    X = gaussian(500, 4)
    base = partition(X[:300], 5)
    half = join(X[:400], base, 300, 5, split=split)
    whole = join(X, half, 400, 5, split=split)
    assert_partition(whole, 500, 5)
    if split == "none" and join is nearest_moving:
        np.testing.assert_array_equal(whole, join(X, base, 300, 5, split=split))


@both
@every_split
@pytest.mark.parametrize("scale", [2.0**-600, 2.0**600])
def test_tiny_and_huge_numbers(join, split, scale):
    """Squares would vanish or overflow; the groups are those of the same data in ordinary numbers."""
    X = gaussian(120, 3)
    base = partition(X[:80], 3)
    np.testing.assert_array_equal(join(X * scale, base, 80, 3, split=split), join(X, base, 80, 3, split=split))


def test_input_is_only_read():
    X = gaussian(90, 3)
    base = partition(X[:60], 3)
    expected = nearest(X, base, 60, 3)
    frozen, base_frozen = X.copy(), base.copy()
    frozen.setflags(write=False)
    base_frozen.setflags(write=False)
    for same in (frozen, np.asfortranarray(X), X.tolist()):
        np.testing.assert_array_equal(nearest(same, base_frozen, 60, 3), expected)
    np.testing.assert_array_equal(base, base_frozen)


def test_tells_progress_and_lets_interrupts_through():
    def stop(fraction):
        raise KeyboardInterrupt

    X = gaussian(200_000, 2)
    with pytest.raises(KeyboardInterrupt):
        nearest(X, partition(X[:20_000], 2, method="univariate"), 20_000, 2, progress=stop)


def test_what_is_not_allowed():
    X = gaussian(20, 2)
    base = np.repeat([0, 1], 5)
    with pytest.raises(InvalidOption, match=r"split must be one of none, middle, end; got 'start'"):
        nearest(X, base, 10, 3, split="start")
    for wrong in (2, 21, 10.0, True):
        with pytest.raises(InvalidOption, match="n_base must be a whole number between k=3 and"):
            nearest(X, base, wrong, 3)
    with pytest.raises(InvalidData, match="one group number for each of 12 records"):
        nearest(X, base, 12, 3)
    with pytest.raises(InvalidData, match="at least k=6 records"):
        nearest(X, base, 10, 6)
    with pytest.raises(InfeasibleK):
        nearest(X, base, 10, 1)


def test_same_groups_as_two_runs_when_one_cell_takes_all():
    """One base group of k takes everything, and is split at the end as MDAV splits the whole."""
    X = gaussian(200, 3)
    assert groups(nearest(X, [0] * 5, 5, 5, split="end")) == groups(partition(X, 5))
