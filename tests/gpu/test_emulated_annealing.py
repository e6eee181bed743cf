"""The kernels of annealing, run on the processor, beside slow and obvious ways to the same."""

import itertools

import numpy as np
import pytest

import microagg as ma
from microagg.base.groups import in_order, squared_error
from microagg.errors import OnProcessorWarning
from microagg.gpu import fast
from microagg.gpu.anneal import N_NEAREST, Annealer, Cooling, Partition, first_cells, improve, split, why_not
from microagg.gpu.cells import cell_starts, median_cuts
from microagg.gpu.random import stream

rng = np.random.default_rng(11)
DATA = {
    "gaussian": rng.standard_normal((120, 3)),
    "duplicates": np.round(rng.standard_normal((120, 3))),
    "clusters": rng.standard_normal((12, 3))[rng.integers(0, 12, 120)] * 9 + rng.standard_normal((120, 3)),
    "constant": np.ones((60, 3)),
}
LONG = Cooling(60, heat=0.5, refreshes=(6, 18), among=1, every=5)


def loss_of(X, *groups):
    return sum(((X[list(g)] - X[list(g)].mean(axis=0)) ** 2).sum() for g in groups)


def check_tables(groups: Partition, k: int) -> None:
    """Every record is in one group, both tables agree, and sizes are k to 2k - 1."""
    sizes = groups.sizes[groups.sizes > 0]
    assert sizes.min() >= k
    assert sizes.max() <= 2 * k - 1
    members = [groups.members[g, : groups.sizes[g]] for g in range(len(groups.sizes))]
    assert sorted(np.concatenate(members).tolist()) == list(range(len(groups.group_of)))
    for g, rows in enumerate(members):
        assert (groups.group_of[rows] == g).all()


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("k", [2, 3, 12])
def test_annealing_keeps_sizes_and_is_never_worse(emulated, name, k):
    """Up to 8, 16 and 64 records of a pair: LANES and EACH differ."""
    X = DATA[name]
    start = first_cells(emulated, X, k)
    labels = improve(emulated, X, start, k, LONG, seed=5)
    sizes = np.bincount(labels)
    assert sizes.min() >= k
    assert sizes.max() <= 2 * k - 1
    assert (labels == in_order(labels)).all()
    assert squared_error(X, labels) <= squared_error(X, start)
    assert (labels == improve(emulated, X, start, k, LONG, seed=5)).all(), "the same seed gives the same labels"


def test_it_anneals(emulated):
    """Lower than MDAV, of which `fast` must never be worse, and another seed finds other groups."""
    X = DATA["gaussian"]
    start, cooling = ma.partition(X, 3, method="mdav"), Cooling(200, heat=0.6, refreshes=(20, 60, 120))
    one, other = (improve(emulated, X, start, 3, cooling, seed=seed) for seed in (1, 2))
    assert max(squared_error(X, one), squared_error(X, other)) < 0.95 * squared_error(X, start)
    assert (one != other).any()


def test_where_records_lie_and_in_what_units_does_not_matter(emulated):
    """Single precision is of gaps, not of coordinates."""
    X = DATA["gaussian"]
    start = first_cells(emulated, X, 3)
    moved = improve(emulated, X * 1e12 + 1e15, start, 3, LONG, seed=1)
    assert squared_error(X, moved) < 0.8 * squared_error(X, start)


def best_change(X, A, B, k):
    """Try every swap and every move of a record between two groups; give the lowest loss of the two."""
    best = loss_of(X, A, B)
    for a, b in itertools.product(A, B):
        best = min(best, loss_of(X, (A - {a}) | {b}, (B - {b}) | {a}))
    for from_, to in ((A, B), (B, A)):
        if len(from_) > k and len(to) < 2 * k - 1:
            best = min(best, *(loss_of(X, from_ - {x}, to | {x}) for x in from_))
    return best


@pytest.mark.parametrize(("name", "k"), [("gaussian", 3), ("clusters", 3), ("duplicates", 2), ("gaussian", 12)])
def test_a_step_is_the_best_change_of_a_pair(emulated, name, k):
    """Without heat, of all swaps and moves: none that is left out would have been better."""
    X = DATA[name]
    annealer = Annealer(emulated, X, k)
    labels = np.minimum(np.arange(120) // (k + 1), 120 // (k + 1) - 1)[rng.permutation(120)]
    before = annealer.partition(labels)
    after = annealer.anneal(before, Cooling(1, heat=0.0, steps=1), 3)
    check_tables(after, k)
    changed = np.flatnonzero(before.group_of != after.group_of)
    pairs = {tuple(sorted((before.group_of[i], after.group_of[i]))) for i in changed.tolist()}
    assert pairs
    assert len({g for pair in pairs for g in pair}) == 2 * len(pairs), "a group is in one pair"
    for pair in pairs:
        A, B = (set(np.flatnonzero(before.group_of == g).tolist()) for g in pair)
        now = loss_of(X, *(np.flatnonzero(after.group_of == g) for g in pair))
        assert now == pytest.approx(best_change(X, A, B, k), rel=1e-4)


def regrouped(annealer, labels, **changes):
    groups = annealer.partition(labels)
    marks = annealer.landmarks(groups)
    near = (marks.near, marks.first, marks.order, np.int32(N_NEAREST))
    best = np.zeros(len(groups.sizes), dtype=np.uint64)
    cooling = Cooling(1, heat=0.0, among=1, **changes)
    annealer._regroup(groups, near, best, np.uint32(1), 1, cooling, np.float32(0), 7)
    return groups


def test_a_group_between_others_dissolves(emulated):
    """Three clusters and a group of one record of each: all are better off in their clusters."""
    centres = np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]])
    X = np.repeat(centres, 4, axis=0) + rng.standard_normal((12, 2))
    labels = np.array([0, 0, 0, 3, 1, 1, 1, 3, 2, 2, 2, 3])
    groups = regrouped(Annealer(emulated, X, 3), labels)
    check_tables(groups, 3)
    assert groups.sizes.tolist() == [4, 4, 4, 0]
    assert in_order(groups.group_of.astype(np.int64)).tolist() == [0] * 4 + [1] * 4 + [2] * 4


def test_records_to_spare_found_a_group(emulated):
    """Three clusters in two groups, of which both can spare records: there is room for a third one."""
    centres = np.array([[0.0, 0.0], [10.0, 0.0], [5.0, 8.0]])
    X = np.repeat(centres, 3, axis=0) + 0.1 * rng.standard_normal((9, 2))
    labels = np.array([0, 0, 0, 1, 1, 1, 0, 0, 1])
    annealer = Annealer(emulated, X, 3)
    groups = regrouped(annealer, labels)
    check_tables(groups, 3)
    assert groups.sizes.tolist() == [3, 3, 3]
    assert annealer.error(groups) < annealer.error(annealer.partition(labels))


@pytest.mark.parametrize("name", ["gaussian", "duplicates", "clusters"])
@pytest.mark.parametrize("k", [2, 3])
def test_dissolving_and_founding_never_raise_the_loss_without_heat(emulated, name, k):
    X = DATA[name]
    annealer = Annealer(emulated, X, k)
    labels = split(X, np.minimum(np.arange(120) // (2 * k - 1), 120 // (2 * k - 1) - 1), k)
    groups = regrouped(annealer, labels)
    check_tables(groups, k)
    assert (groups.group_of != annealer.partition(labels).group_of).any()
    assert annealer.error(groups) < annealer.error(annealer.partition(labels))


def test_loss_is_counted_in_double_precision(emulated):
    X = DATA["gaussian"] + 1e7
    labels = ma.partition(X, 3, method="mdav")
    annealer = Annealer(emulated, X, 3)
    assert annealer.error(annealer.partition(labels)) == pytest.approx(squared_error(X, labels), rel=1e-12)


@pytest.mark.parametrize("m", [5, 40])
def test_the_nearest_are_the_nearest(emulated, m):
    """Several records of a thread, one, and landmarks of more than one tile."""
    X, C = rng.standard_normal((150, m)), rng.standard_normal((70, m))
    annealer = Annealer(emulated, X, 2)
    padded = np.zeros((70, annealer.pad), dtype=np.float32)
    padded[:, :m] = C
    points = np.zeros((150, annealer.pad), dtype=np.float32)
    points[:, :m] = X
    distances = ((X[:, None, :] - C[None, :, :]) ** 2).sum(axis=2)
    assert (annealer.nearest(points, padded) == np.argsort(distances, axis=1)[:, :N_NEAREST]).mean() > 0.999


def test_groups_that_share_landmarks_are_all_found(emulated):
    X = DATA["gaussian"]
    annealer = Annealer(emulated, X, 3)
    marks = annealer.landmarks(annealer.partition(first_cells(emulated, X, 3)), sharing=4)
    assert len(marks.first) == 11
    assert sorted(marks.order.tolist()) == list(range(120))


def test_cuts_are_medians(emulated):
    """The lower half of the widest column comes first, and the cells of a level are halves."""
    X = (rng.standard_normal((64, 2)) * [3, 1]).astype(np.float32)
    order = median_cuts(emulated, X, 8)
    assert X[order[:32], 0].max() <= X[order[32:], 0].min()
    assert X[order[:16], 1].max() <= X[order[16:32], 1].min()
    assert cell_starts(5, 3).tolist() == [0, 5]


def test_streams_differ():
    """Also where a seed is the number of a round."""
    streams = [stream(seed, turn, purpose) for seed in range(9) for turn in range(9) for purpose in range(3)]
    assert len(set(streams)) == len(streams)


@pytest.fixture
def few_rounds(monkeypatch):
    monkeypatch.setattr(fast, "ROUNDS", {"quick": 5, "normal": 20})


def test_large_groups_are_split_first(emulated, few_rounds):
    X = DATA["gaussian"]
    labels = fast.local_on(emulated, X[:40], np.zeros(40, dtype=np.int64), 3, 1, seed=0)
    assert np.bincount(labels).max() <= 5


@pytest.mark.parametrize(("n", "k"), [(3, 3), (5, 3), (6, 3), (9, 2)])
def test_few_records(emulated, few_rounds, n, k):
    sizes = np.bincount(fast.fast_on(emulated, DATA["gaussian"][:n], k, "quick", seed=0))
    assert sizes.min() >= k


@pytest.mark.parametrize(("m", "k", "message"), [(65, 3, "at most 64 columns"), (2, 61, "at most k = 60")])
def test_what_the_kernels_cannot_take_is_told(emulated, m, k, message):
    with pytest.warns(OnProcessorWarning, match=message):
        assert fast.fast_on(emulated, rng.standard_normal((130, m)), k, "quick", seed=0) is None
    assert why_not(64, 60, 10**9) is None
    assert "groups" in str(why_not(2, 2, 2**31))
