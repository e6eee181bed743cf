"""Groups are numbered in order of first appearance, whatever their numbers were."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microagg.base.groups import equivalence_classes, in_order, keys_of, units_by_class
from microagg.errors import InvalidData


@given(st.lists(st.integers(-(2**62), 2**62) | st.integers(0, 4)))
def test_numbers_follow_the_first_appearance(labels):
    first = list(dict.fromkeys(labels))
    assert in_order(np.array(labels, dtype=np.int64)).tolist() == [first.index(label) for label in labels]


def test_rows_are_told_apart_in_matrices_alone():
    assert equivalence_classes(np.empty((0, 3), dtype=np.int64)).tolist() == []
    with pytest.raises(InvalidData, match="records x attributes"):
        equivalence_classes(np.array([1, 2]))


def test_keys_are_equal_where_floats_are():
    """Files are written with floats, and -0 is written as -0 by some: readers take both for the same number."""
    values = np.array([[0.0], [-0.0], [1e-300], [2e-300], [1.0]])
    keys = keys_of(values)[:, 0]
    assert keys[0] == keys[1]
    assert len(set(keys.tolist())) == 4


@given(st.lists(st.floats(allow_nan=True, allow_infinity=True) | st.sampled_from([0.0, -0.0, np.nan, -np.nan])))
def test_keys_tell_apart_what_differs(floats):
    values = np.array(floats, dtype=np.float64)
    keys = keys_of(values)
    same = (values[:, None] == values[None, :]) | (np.isnan(values[:, None]) & np.isnan(values[None, :]))
    assert ((keys[:, None] == keys[None, :]) == same).all()


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3))))
def test_units_are_counted_once_in_a_class(pairs):
    """A household of five is one household, wherever its members stand; a class without records has none."""
    classes, units = (np.array([pair[side] for pair in pairs], dtype=np.int64) for side in (0, 1))
    n_classes = max([-1, *(label for label, _ in pairs)]) + 1
    expected = [len({unit for label, unit in pairs if label == number}) for number in range(n_classes)]
    assert units_by_class(classes, units).tolist() == expected
