"""Means, standard deviations and correlations of columns, block by block."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from microagg.base.types import FloatArray

BLOCK = 2**20
"""Values worked on at a time, so that memory does not grow with the data."""


@dataclass(frozen=True)
class Moments:
    """Means, standard deviations (ddof=1) and correlations; a correlation with a constant column is NaN.

    What is missing tells nothing of means and deviations; in correlations it counts as the mean.
    """

    mean: FloatArray
    deviation: FloatArray
    correlation: FloatArray


def moments(X: FloatArray) -> Moments:
    """Measure the columns of X, block by block; columns are scaled first, so that nothing overflows.

    >>> moments(np.array([[1.0, 10.0], [2.0, 30.0], [3.0, 20.0]])).correlation.round(2).tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    """
    n_records, n_columns = X.shape
    known = np.full(n_columns, n_records)
    gaps = np.isnan(X)
    if gaps.any():
        known = known - gaps.sum(axis=0)
        largest = np.maximum(np.abs(np.where(gaps, 0.0, X)).max(axis=0), np.finfo(np.float64).tiny)
        mean = (np.where(gaps, 0.0, X / largest).sum(axis=0) / np.maximum(known, 1)) * largest
        X = np.where(gaps, np.where(known == n_records, 0.0, mean), X)
    highest, lowest = X.max(axis=0), X.min(axis=0)
    scale = np.maximum(np.abs(highest), np.abs(lowest))
    scale[scale == 0] = 1.0
    size = max(1, BLOCK // max(1, n_columns))
    blocks = range(0, n_records, size)
    mean = sum((X[i : i + size] / scale).sum(axis=0) for i in blocks) / n_records
    products = np.zeros((n_columns, n_columns))
    for i in blocks:
        centred = X[i : i + size] / scale - mean
        products += centred.T @ centred
    variance = np.diag(products) / np.maximum(known - 1, 1)
    deviation = np.where(highest == lowest, 0.0, np.sqrt(variance))
    with np.errstate(invalid="ignore", divide="ignore"):
        roots = np.sqrt(np.diag(products))
        correlation = products / np.outer(roots, roots)
    correlation[(deviation == 0), :] = np.nan
    correlation[:, (deviation == 0)] = np.nan
    return Moments(mean * scale, deviation * scale, correlation.clip(-1, 1))
