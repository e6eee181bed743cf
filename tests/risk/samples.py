"""Small tables with many ties, for tests of risk."""

import numpy as np
from hypothesis import strategies as st


@st.composite
def classes_and_values(draw):
    """Classes numbered without gaps, and a confidential value of each record."""
    n = draw(st.integers(1, 40))
    _, classes = np.unique(draw(st.lists(st.integers(0, 5), min_size=n, max_size=n)), return_inverse=True)
    values = draw(st.lists(st.integers(-3, 6), min_size=n, max_size=n))
    return classes.astype(np.int64), np.array(values)
