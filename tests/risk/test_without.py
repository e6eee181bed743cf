"""Classes without a column: as if it had been left out from the beginning."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from microagg.errors import InvalidData
from microagg.risk import equivalence_classes
from microagg.risk.without import sizes_without


@given(arrays.arrays(np.int64, st.tuples(st.integers(0, 12), st.integers(1, 6)), elements=st.integers(0, 2)))
def test_sizes_are_those_of_the_table_without_the_column(keys):
    for column, sizes in enumerate(sizes_without(keys)):
        rest = np.delete(keys, column, axis=1)
        classes = equivalence_classes(rest) if rest.shape[1] else np.zeros(len(keys), dtype=np.int64)
        assert sorted(sizes.tolist()) == sorted(np.bincount(classes).tolist())


def test_no_columns_are_refused():
    with pytest.raises(InvalidData, match="attributes"):
        list(sizes_without(np.empty((3, 0), dtype=np.int64)))
