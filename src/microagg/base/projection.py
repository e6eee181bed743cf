"""Principal components: projections of records on the directions in which they vary most."""

from __future__ import annotations

import numpy as np

from microagg.base.types import FloatArray


def principal_components(X: FloatArray, count: int) -> FloatArray:
    """Project on the directions of the greatest variance; the largest coefficient of each is positive.

    >>> principal_components(np.array([[0.0, 0.0], [3.0, 0.0]]), 1).tolist()
    [[-1.5], [1.5]]
    """
    centred = X - X.mean(axis=0)
    _, vectors = np.linalg.eigh(centred.T @ centred)
    leading = vectors[:, ::-1][:, :count]
    largest = leading[np.argmax(np.abs(leading), axis=0), np.arange(leading.shape[1])]
    projected: FloatArray = centred @ (leading * np.where(largest < 0, -1.0, 1.0))
    return projected
