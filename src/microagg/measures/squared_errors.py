"""The losses of columns of any kinds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from microagg.base.ranges import columns_within_range
from microagg.base.types import FloatArray
from microagg.semantic.attribute import Attribute
from microagg.semantic.loss import changes, spread, total


def squared_errors(
    original: FloatArray, released: FloatArray, attributes: Sequence[Attribute]
) -> tuple[FloatArray, FloatArray]:
    """Give SSE and SST of each column, in units of its spread; both 0 where all records agree.

    In these units the SST of every column is n - 1, as it is for standardised numbers, so that the information loss is
    the mean of the losses of the columns, whatever they hold.

    >>> from microagg.semantic.attribute import nominal
    >>> codes = np.array([[0.0], [0.0], [1.0], [1.0]])
    >>> [part.tolist() for part in squared_errors(codes, np.zeros((4, 1)), [nominal(["f", "m"])])]
    [[3.0], [3.0]]
    """
    original, released = columns_within_range(original, released)
    sse, sst = np.zeros(len(attributes)), np.zeros(len(attributes))
    for j, attribute in enumerate(attributes):
        unit = spread(original[:, j], attribute)
        if unit > 0:
            sse[j] = float((changes(original[:, j], released[:, j], attribute) ** 2).sum()) / unit
            sst[j] = total(original[:, j], attribute) / unit
    return sse, sst
