"""The first two principal components, for the map of records."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from microagg.base.types import FloatArray, IntArray
from microagg.report.moments import Moments


@dataclass(frozen=True)
class View:
    """The side from which records show most of their differences: two principal components of the varying columns."""

    varying: IntArray
    mean: FloatArray
    deviation: FloatArray
    vectors: FloatArray
    shares: tuple[float, float]

    def project(self, X: FloatArray) -> FloatArray:
        """Give the places of records on the components."""
        projected: FloatArray = (X[:, self.varying] / self.deviation - self.mean / self.deviation) @ self.vectors
        return projected


def principal_view(before: Moments) -> View | None:
    """Find the first two principal components of standardised records; None where no column varies.

    >>> from microagg.report.moments import moments
    >>> principal_view(moments(np.array([[0.0, 1.0], [1.0, 3.0], [2.0, 5.0]]))).shares
    (1.0, 0.0)
    """
    varying = np.flatnonzero(before.deviation > 0)
    if len(varying) == 0:
        return None
    values, vectors = np.linalg.eigh(before.correlation[np.ix_(varying, varying)])
    values, vectors = values[::-1].clip(0), vectors[:, ::-1][:, :2]
    vectors = vectors * np.sign(vectors[np.abs(vectors).argmax(axis=0), np.arange(vectors.shape[1])])
    total = float(values.sum())
    shares = (float(values[0]) / total, float(values[1]) / total if len(values) > 1 else 0.0)
    if shares[1] < 1e-9:
        shares = (1.0, 0.0)
    return View(varying, before.mean[varying], before.deviation[varying], vectors, shares)


def spread(n: int, most: int) -> IntArray:
    """Choose at most so many of 0..n-1, evenly spread and with both ends."""
    return np.arange(n) if n <= most else np.linspace(0, n - 1, most).round().astype(np.int64)
