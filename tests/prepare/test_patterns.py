"""Patterns of missingness: each ends up with k records, and few values are blanked for that."""

from functools import reduce
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microagg.prepare import patterns
from microagg.prepare.patterns import find_patterns, lacking_groups, merge_columns, merge_patterns


def slow_merge(masks, sizes, k):
    """The greedy as it is told: all costs anew at each step; gives the final masks, and the loans with their masks."""
    nodes = [
        {"mask": set(np.flatnonzero(mask)), "size": int(n), "own": int(n), "members": [i], "loans": [], "alive": True}
        for i, (mask, n) in enumerate(zip(masks, sizes, strict=True))
    ]
    n_loans = 0
    while True:
        steps = []
        for i, small in enumerate(nodes):
            if not small["alive"] or small["size"] >= k:
                continue
            need = k - small["size"]
            for j, other in enumerate(nodes):
                if j == i or not other["alive"]:
                    continue
                more, own = len(other["mask"] - small["mask"]), len(small["mask"] - other["mask"])
                join, lends = small["size"] * more + other["size"] * own, False
                if other["own"] >= need and other["size"] - need >= k:
                    lends = small["size"] * more + need * own < join
                    join = min(join, small["size"] * more + need * own)
                steps.append((join, i, j, lends))
        if not steps:
            break
        _, i, j, lends = min(steps)
        one, other = nodes[i], nodes[j]
        new = {**one, "mask": one["mask"] | other["mask"], "loans": list(one["loans"])}
        one["alive"] = False
        if lends:
            need = k - one["size"]
            new["loans"].append((n_loans, need))
            n_loans += 1
            new["size"] = k
            other["size"] -= need
            other["own"] -= need
        else:
            other["alive"] = False
            for part in ("size", "own", "members", "loans"):
                new[part] = one[part] + other[part]
        nodes.append(new)
    final = np.zeros_like(masks)
    loans = {}
    for node in nodes:
        if node["alive"]:
            for member in node["members"]:
                final[member, list(node["mask"])] = True
            loans |= {number: (count, sorted(node["mask"])) for number, count in node["loans"]}
    return final, [loans[number] for number in sorted(loans)]


@st.composite
def strata(draw):
    q = draw(st.integers(1, 4))
    bits = draw(st.lists(st.integers(0, 2**q - 1), min_size=1, max_size=9, unique=True))
    masks = np.array([[bool(bit >> j & 1) for j in range(q)] for bit in bits])
    sizes = np.array(draw(st.lists(st.integers(1, 12), min_size=len(bits), max_size=len(bits))))
    return masks, sizes, draw(st.integers(2, 6))


@given(strata())
def test_merging_is_the_greedy_that_looks_at_everything_each_time(stratum):
    masks, sizes, k = stratum
    if sizes.sum() < k:
        return
    merged = merge_patterns(masks, sizes, np.arange(len(masks)), k)
    final, loans = slow_merge(masks, sizes, k)
    np.testing.assert_array_equal(merged.masks, final)
    assert [(loan.count, np.flatnonzero(loan.mask).tolist()) for loan in merged.loans] == loans


def test_where_loans_are_used_up_patterns_are_merged_all_the_same(monkeypatch):
    """Past the limit nothing is looked for among all records; every pattern has k records even so."""
    monkeypatch.setattr(patterns, "MOST_LOANS", 1)
    masks = np.vstack([np.zeros((1, 5), dtype=bool), np.eye(5, dtype=bool)])
    merged = merge_patterns(masks, np.array([50, 1, 1, 1, 1, 1]), np.arange(6), 3)
    assert len(merged.loans) <= 1
    _, counts = np.unique(merged.masks[1:], axis=0, return_counts=True)
    assert counts.sum() == 5


def table(values, by=None):
    rows = np.arange(len(values))
    return SimpleNamespace(rows=rows, values=values, strata=np.zeros(len(values), dtype=np.int64) if by is None else by)


def folded(values, by=None, chunk=7):
    """A fold in chunks, as a file larger than memory has them."""
    whole = table(values, by)
    parts = [
        SimpleNamespace(**{name: part[start : start + chunk] for name, part in vars(whole).items()})
        for start in range(0, len(values), chunk)
    ]
    return lambda task, merge: reduce(merge, [task(part) for part in parts])


def points(values):
    return np.nan_to_num(values, nan=0.0)


@st.composite
def gappy(draw):
    n, q = draw(st.integers(12, 60)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    values = rng.integers(0, 5, (n, q)).astype(float)
    values[rng.random((n, q)) < draw(st.sampled_from([0.02, 0.1, 0.5]))] = np.nan
    by = np.arange(n) % draw(st.integers(1, 2))
    return values, by, draw(st.integers(2, 5))


@given(gappy(), st.booleans())
def test_patterns_have_k_records_and_nothing_that_is_missing_is_there_again(case, per_column):
    values, by, k = case
    opened = np.ones(values.shape[1], dtype=bool)
    found = find_patterns(folded(values, by), opened, points, k, per_column=per_column)
    if found is None:
        return
    numbers = found.divide(np.arange(len(values)), by, values)
    masks = found.masks[numbers]
    assert (masks | ~np.isnan(values)).all(), "a missing value is never made up"
    assert (found.parents[numbers] == by).all(), "patterns do not cross strata"
    np.testing.assert_array_equal(np.bincount(numbers, minlength=len(found.sizes)), found.sizes)
    if per_column:
        for stratum in np.unique(by):
            lacking = masks[by == stratum].sum(axis=0)
            known = (by == stratum).sum() - lacking
            assert (((lacking == 0) | (lacking >= k)) & ((known == 0) | (known >= k))).all()
    else:
        assert (found.sizes[found.sizes > 0] >= k).all()
    whole = find_patterns(folded(values, by, chunk=1000), opened, points, k, per_column=per_column)
    np.testing.assert_array_equal(numbers, whole.divide(np.arange(len(values)), by, values))


def test_a_column_that_one_record_lacks_costs_k_minus_one_values():
    """To merge both patterns would blank the column for everybody; the nearest records lend what is needed."""
    values = np.column_stack([np.arange(100.0), np.arange(100.0)])
    values[50, 0] = np.nan
    found = find_patterns(folded(values), np.ones(2, dtype=bool), points, 5, per_column=False)
    lacking = found.masks[found.divide(np.arange(100), np.zeros(100, dtype=np.int64), values)]
    assert np.flatnonzero(lacking[:, 0]).tolist() == [48, 49, 50, 51, 52]
    assert not lacking[:, 1].any()


def test_so_many_patterns_that_values_would_decide_nothing():
    values = np.random.default_rng(0).normal(size=(200, 60))
    values[np.random.default_rng(1).random(values.shape) < 0.05] = np.nan
    assert find_patterns(folded(values), np.ones(60, dtype=bool), points, 5, per_column=False) is None


def test_columns_that_something_else_stands_for_tell_no_records_apart():
    values = np.column_stack([np.arange(30.0), np.arange(30.0)])
    values[::2, 0] = np.nan
    found = find_patterns(folded(values), np.array([False, True]), points, 5, per_column=False)
    assert len(found.masks) == 1


def test_a_group_lacks_what_one_of_its_records_lacks():
    gaps = np.array([[True, False], [False, False], [False, True], [False, False]])
    assert lacking_groups(gaps, np.array([0, 0, 1, 1])).tolist() == [[True, False]] * 2 + [[False, True]] * 2
    by_column = np.array([[0, 1], [1, 1], [0, 0], [1, 0]])
    assert lacking_groups(gaps, by_column).tolist() == [[True, False], [False, False], [True, True], [False, True]]


def test_a_column_of_which_too_few_are_known_is_blanked_where_each_is_grouped_alone():
    masks = np.array([[False, False], [True, False]])
    merged = merge_columns(masks, np.array([2, 20]), np.array([0, 2]), 3)
    assert merged.masks.tolist() == [[True, False], [True, False]]


def test_fewer_records_than_k_have_no_pattern():
    with pytest.raises(Exception, match="fewer than k = 5 records"):
        merge_patterns(np.array([[True]]), np.array([3]), np.array([0]), 5)
