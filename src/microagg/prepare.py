"""From columns as they came to records that methods can group: complete, standardised, weighted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from microagg.arrays import FloatArray
from microagg.errors import InvalidOption


@dataclass(frozen=True)
class Scale:
    """Where the columns lie: their means and standard deviations (ddof=1), 0 for a constant column."""

    mean: FloatArray
    deviation: FloatArray

    def apply(self, X: FloatArray) -> FloatArray:
        """Standardise; a constant column becomes 0, so that it has no weight in any distance."""
        varying = self.deviation > 0
        Z = np.zeros_like(X)
        np.subtract(X, self.mean, out=Z, where=varying)
        np.divide(Z, self.deviation, out=Z, where=varying)
        return Z


def scale_of(X: FloatArray) -> Scale:
    """Give the means and standard deviations of the columns, also of very large and very small numbers.

    >>> scale_of(np.array([[1.0, 0.1], [3.0, 0.1]])).deviation.round(4).tolist()
    [1.4142, 0.0]
    """
    largest = np.abs(X).max(axis=0)
    unit = np.where(largest > 0, largest, 1.0)
    mean = (X / unit).mean(axis=0)
    deviation = (X / unit - mean).std(axis=0, ddof=1) if len(X) > 1 else np.zeros(X.shape[1])
    constant = X.max(axis=0) == X.min(axis=0)
    return Scale(np.where(constant, X[0], mean * unit), np.where(constant, 0.0, deviation * unit))


def standardise(X: FloatArray) -> FloatArray:
    """Bring every column to mean 0 and standard deviation 1 (ddof=1); a constant column becomes 0.

    >>> standardise(np.array([[1.0, 7.0], [2.0, 7.0], [3.0, 7.0]])).tolist()
    [[-1.0, 0.0], [0.0, 0.0], [1.0, 0.0]]
    """
    return scale_of(X).apply(X)


def weigh(Z: FloatArray, names: Sequence[str], column_weights: Mapping[str, float] | None) -> FloatArray:
    """Scale columns so that squared distances count each one as often as its weight says.

    >>> weigh(np.ones((1, 2)), ["age", "income"], {"income": 4.0}).tolist()
    [[1.0, 2.0]]
    """
    if not column_weights:
        return Z
    for name, weight in column_weights.items():
        if name not in names:
            raise InvalidOption(f"column_weights must name quasi-identifiers ({', '.join(names)}); got {name!r}.")
        if not (np.isfinite(weight) and weight >= 0):
            raise InvalidOption(f"the weight of column {name!r} must be a number of at least 0; got {weight!r}.")
    weights = np.array([column_weights.get(name, 1.0) for name in names])
    if not weights.any():
        raise InvalidOption("column_weights must leave at least one quasi-identifier a weight above 0; all are 0.")
    weighted: FloatArray = Z * np.sqrt(weights)
    return weighted
