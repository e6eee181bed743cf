"""Constraints: what groups reach and lack, in NumPy and in the kernels, and what can be kept at all."""

from __future__ import annotations

import itertools
from typing import Any

import constraint_oracles as oracles
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microagg import _core
from microagg.constraints import CONSTRAINTS, OF_COLUMNS, Promises, Sensitive, promise
from microagg.constraints.p import most_groups
from microagg.constraints.promises import check_promises
from microagg.errors import BrokenPromise, InfeasiblePromise, InvalidOption
from microagg.plan import Plan

ASKED: list[tuple[str, Any]] = [
    ("l", 2),
    ("l", 3),
    ("l", "entropy:1.5"),
    ("l", "entropy:2.5"),
    ("l", "recursive:1,2"),
    ("l", "recursive:2,3"),
    ("l", "recursive:0.7,1"),
    ("p", 2),
    ("t", 0.0),
    ("t", 0.15),
    ("t", 0.4),
]
every_promise = pytest.mark.parametrize(("field", "said"), ASKED)
values_of = st.lists(st.integers(0, 5), min_size=4, max_size=24)


def promised(field: str, said: Any, values: list[int], *, ordered: bool = True) -> Promises:
    return promise({field: {"ill": said}}, {"ill": values if ordered else [f"v{value}" for value in values]})


def test_every_constraint_is_a_field_of_the_plan():
    """A constraint that no plan can ask for would never be kept."""
    assert set(CONSTRAINTS) <= set(Plan.__dataclass_fields__)
    assert set(OF_COLUMNS) == set(CONSTRAINTS) - {"k", "unit"}
    for name, kind in CONSTRAINTS.items():
        assert kind.name == name
        assert kind.title
        assert kind.summary
        assert kind.reference
        assert kind.stops


@every_promise
@pytest.mark.parametrize("ordered", [True, False])
@given(values=values_of, data=st.data())
def test_a_group_keeps_it_where_the_definition_says_so(field, said, ordered, values, data):
    labels = np.array(data.draw(st.lists(st.integers(0, 2), min_size=len(values), max_size=len(values))))
    labels = np.unique(labels, return_inverse=True)[1]
    promises = promised(field, said, values, ordered=ordered)
    groups = [
        [value for value, g in zip(values, labels, strict=True) if g == group] for group in range(labels.max() + 1)
    ]
    expected = [oracles.keeps(said, field, group, values, ordered=ordered) for group in groups]
    lacks = promises.lacks(labels)
    assert (lacks == 0).tolist() == expected
    assert promises.kept(labels) == all(expected)
    np.testing.assert_allclose(promises.kernel.lacks(labels), lacks, atol=1e-9)


def test_k_counts_the_records_of_a_class():
    least = CONSTRAINTS["k"].read("", 3)
    promises = promised("p", 2, [1, 1, 2, 2, 3, 3, 3])
    made = promises.composition(np.array([0, 0, 0, 0, 1, 2, 2]), 0)
    column = Sensitive("ill", False, made.value_sizes)
    assert least.level == 3.0
    assert least.reached(made, column).tolist() == [4.0, 1.0, 2.0]
    assert least.lacks(made, column).tolist() == [0.0, 2.0, 1.0]
    assert least.keeps(made, column).tolist() == [True, False, False]
    with pytest.raises(NotImplementedError):  # kernels take k by itself
        least.kernel(column)


@every_promise
@pytest.mark.parametrize("ordered", [True, False])
@given(values=values_of, data=st.data())
def test_merged_groups_never_lack_more(field, said, ordered, values, data):
    """What repair by merging, and every refusal, stands on."""
    promises = promised(field, said, values, ordered=ordered)
    cut = data.draw(st.integers(1, len(values) - 1))
    labels = (np.arange(len(values)) >= cut).astype(np.int64)
    assert promises.lacks(np.zeros_like(labels)).sum() <= promises.lacks(labels).sum() + 1e-9


@every_promise
@pytest.mark.parametrize("k", [2, 3])
def test_what_is_refused_cannot_be_kept(field, said, k):
    """Exhaustive: a partition of all records keeps it if, and only if, all of them as one group do."""
    random = np.random.default_rng(0)
    seen = set()
    for _ in range(12):
        values = random.integers(0, random.integers(2, 5), 7).tolist()
        promises = promised(field, said, values)
        possible = any(
            all(oracles.keeps(said, field, [values[row] for row in group], values) for group in groups)
            for groups in oracles.partitions(len(values), k)
        )
        whole = [promises.composition(np.zeros(7, dtype=np.int64), 0)]
        try:
            promises.terms.check_possible(whole, ["all records"])
            refused = False
        except InfeasiblePromise:
            refused = True
        assert refused is not possible
        seen.add(refused)
    assert seen


def test_a_refusal_names_the_best_there_is():
    """And what it names can be kept, but not one step more."""
    values = [1, 1, 1, 2, 2, 3]
    whole = np.zeros(6, dtype=np.int64)
    for field, said, better in [
        ("l", 4, 3),
        ("l", "entropy:3", "entropy:2.749"),
        ("l", "recursive:2,3", "recursive:2,2"),
        ("p", 9, 3),
    ]:
        promises = promised(field, said, values)
        with pytest.raises(InfeasiblePromise, match=str(better)):
            promises.terms.check_possible([promises.composition(whole, 0)], ["all records"])
        promises = promised(field, better, values)
        promises.terms.check_possible([promises.composition(whole, 0)], ["all records"])


@every_promise
@pytest.mark.parametrize("ordered", [True, False])
def test_no_smaller_group_keeps_it(field, said, ordered):
    """The least size that a search counts on is a true bound, over all groups of few records."""
    random = np.random.default_rng(1)
    for _ in range(10):
        values = random.integers(0, 4, 8).tolist()
        least = promised(field, said, values, ordered=ordered).least
        for size in range(1, min(least, 8)):
            for rows in itertools.combinations(range(8), size):
                assert not oracles.keeps(said, field, [values[row] for row in rows], values, ordered=ordered)


@given(counts=st.lists(st.integers(1, 9), min_size=1, max_size=5), distinct=st.integers(2, 4))
def test_the_most_groups_that_share_out_the_values(counts, distinct):
    """As many as a greedy hand can deal: each group takes the values of which most is left."""
    left, dealt = sorted(counts, reverse=True), 0
    while sum(count > 0 for count in left) >= distinct:
        left = sorted([count - (place < distinct) for place, count in enumerate(left)], reverse=True)
        dealt += 1
    assert most_groups(np.array(counts), distinct) == dealt


def test_missing_values_are_a_value_of_their_own():
    assert promise({"l": {"x": 2}}, {"x": [1.0, np.nan]}).kept(np.array([0, 0]))
    assert promise({"l": {"x": 2}}, {"x": ["a", None]}).kept(np.array([0, 0]))
    assert not promise({"l": {"x": 2}}, {"x": [None, None, "a"]}).kept(np.array([0, 0, 1]))


def test_a_broken_promise_is_refused():
    """The check of a release is not the one that grouped it: it can fail."""
    promises = promised("l", 2, [1, 1, 2, 2])
    broken = [promises.composition(np.array([0, 0, 1, 1]), 0)]
    kept = [promises.composition(np.array([0, 1, 0, 1]), 0)]
    with pytest.raises(BrokenPromise, match="2 classes of the release break the promise l = 2 of column 'ill'"):
        promises.terms.kept([broken], [broken])
    (told,) = promises.terms.kept([kept], [broken])
    assert (told.column, told.promise, told.asked, told.reached, told.before) == ("ill", "l", "2", 2.0, 1.0)


NOTHING = [
    "entropy:1",
    "entropy:0.5",
    "entropy:inf",
    "recursive:0,2",
    "recursive:-1,2",
    "recursive:inf,2",
    "recursive:2,0",
]
"""What can be read, and would promise nothing or what nobody can keep."""


@pytest.mark.parametrize(
    "said", ["", "3.5", "entropy", "entropy:x", "recursive:2", "recursive:x,2", "magic:3", None, *NOTHING]
)
def test_what_cannot_be_read_is_refused(said):
    with pytest.raises(InvalidOption, match="l of column 'ill' must be"):
        CONSTRAINTS["l"].read("ill", said)


@pytest.mark.parametrize("said", [True, 1, "1", 0, -2, 2.5, "two", "٣", ""])
def test_a_count_that_promises_nothing_is_refused(said):
    """p = 1 would hold of any file, and somebody would believe that something is promised."""
    with pytest.raises(InvalidOption, match="must be a whole number of at least 2; got"):
        promised("p", said, [1, 1, 2, 2])
    assert promised("p", "2", [1, 1, 2, 2]).kept(np.zeros(4, dtype=np.int64))


def test_kernels_check_what_they_are_given():
    codes = np.array([[0], [3]])
    one, two = np.array([2]), np.array([1, 1])
    with pytest.raises(ValueError, match="codes"):
        _core.Promises(codes, one, two, np.array([[0, 0]]), np.array([[2.0, 0.0]]))
    promises = promised("l", 2, [1, 2]).kernel
    with pytest.raises(ValueError, match="labels"):
        promises.lacks(np.array([0, 0, 0]))


def test_closeness_needs_groups_of_some_size():
    column = Sensitive("pay", True, np.ones(1080, dtype=np.int64))
    assert CONSTRAINTS["t"].read("pay", 0.05).least_size(column) == 6
    assert CONSTRAINTS["t"].read("pay", 0.0).least_size(Sensitive("pay", True, np.array([5]))) == 1


@pytest.mark.parametrize(
    ("promises", "message"),
    [({"l": 3}, "got a dict"), (promise({"l": {"ill": 2}}, {"ill": ["flu", "cold"]}), "each of 6 records; got 2")],
    ids=["kind", "length"],
)
def test_promises_on_other_records_are_refused(promises, message):
    """Kernels read the codes of every record: promises on fewer would be read beyond their end."""
    with pytest.raises(ValueError, match=message):
        check_promises(promises, 6)
