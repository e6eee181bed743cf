"""Values that a release leaves blank, as measures and charts see them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from microagg.base.schema import Kind
from microagg.base.types import FloatArray
from microagg.semantic.attribute import Attribute


def guessed(released: FloatArray, attributes: Sequence[Attribute]) -> FloatArray:
    """Give released values with their blanks filled as a reader would: by the mean of what is there, or the mode.

    >>> from microagg.semantic.attribute import nominal, numeric
    >>> guessed(np.array([[1.0, 0], [np.nan, 1], [3.0, np.nan], [3.0, 1]]), [numeric(), nominal(["f", "m"])]).tolist()
    [[1.0, 0.0], [2.3333333333333335, 1.0], [3.0, 1.0], [3.0, 1.0]]
    """
    filled = released.copy()
    for j, attribute in enumerate(attributes):
        blank = np.isnan(released[:, j])
        known = released[~blank, j]
        if not blank.any():
            continue
        if not len(known):
            filled[:, j] = 0.0
        elif attribute.kind is Kind.NUMERIC:
            filled[blank, j] = known.mean()
        else:
            filled[blank, j] = np.bincount(known.astype(np.int64)).argmax()
    return filled
