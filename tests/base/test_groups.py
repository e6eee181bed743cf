"""Groups are numbered in order of first appearance, whatever their numbers were."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microagg.base.groups import equivalence_classes, in_order
from microagg.errors import InvalidData


@given(st.lists(st.integers(-(2**62), 2**62) | st.integers(0, 4)))
def test_numbers_follow_the_first_appearance(labels):
    first = list(dict.fromkeys(labels))
    assert in_order(np.array(labels, dtype=np.int64)).tolist() == [first.index(label) for label in labels]


def test_rows_are_told_apart_in_matrices_alone():
    assert equivalence_classes(np.empty((0, 3), dtype=np.int64)).tolist() == []
    with pytest.raises(InvalidData, match="records x attributes"):
        equivalence_classes(np.array([1, 2]))
