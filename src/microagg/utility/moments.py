"""How far means, variances, covariances, correlations and eigenvalues moved."""

from __future__ import annotations

import numpy as np

from microagg.arrays import FloatArray
from microagg.utility.metric import Metric

_REFERENCE = "Domingo-Ferrer and Torra 2001"


def covariance(X: FloatArray) -> FloatArray:
    """Give the covariance matrix of the columns (ddof=1), also of a single column.

    >>> covariance(np.array([[1.0, 2.0], [3.0, 6.0]])).tolist()
    [[2.0, 4.0], [4.0, 8.0]]
    """
    centred = X - X.mean(axis=0)
    matrix: FloatArray = centred.T @ centred / (len(X) - 1)
    return matrix


def correlation(X: FloatArray) -> FloatArray:
    """Give the correlation matrix of the columns; a constant column correlates with nothing (0).

    >>> correlation(np.array([[1.0, 2.0, 5.0], [3.0, 6.0, 5.0]])).round(6).tolist()
    [[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    matrix = covariance(X)
    deviation = np.sqrt(np.diag(matrix))
    constant = (X.max(axis=0) == X.min(axis=0)) | (deviation == 0)
    spread = np.where(constant, np.inf, deviation)
    scaled: FloatArray = np.asarray(matrix / np.outer(spread, spread))
    np.fill_diagonal(scaled, 1.0)
    return scaled


def _mean_by_column(original: FloatArray, released: FloatArray) -> FloatArray:
    by_column: FloatArray = np.abs(released.mean(axis=0) - original.mean(axis=0))
    return by_column


def _variance_by_column(original: FloatArray, released: FloatArray) -> FloatArray:
    before: FloatArray = original.var(axis=0, ddof=1)
    after: FloatArray = released.var(axis=0, ddof=1)
    change: FloatArray = 100.0 * np.abs(after - before)
    return np.divide(change, before, out=np.zeros_like(change), where=before > 0)


def _pairs(matrix: FloatArray) -> FloatArray:
    off: FloatArray = matrix[np.triu_indices(len(matrix), k=1)]
    return off


def _mean_absolute(values: FloatArray) -> float:
    return float(np.abs(values).mean()) if values.size else 0.0


def _covariance_change(original: FloatArray, released: FloatArray) -> float:
    return _mean_absolute(_pairs(covariance(released)) - _pairs(covariance(original)))


def _correlation_change(original: FloatArray, released: FloatArray) -> float:
    return _mean_absolute(_pairs(correlation(released)) - _pairs(correlation(original)))


def _eigenvalue_change(original: FloatArray, released: FloatArray) -> float:
    before = np.linalg.eigvalsh(covariance(original))
    after = np.linalg.eigvalsh(covariance(released))
    total = before.sum()
    return float(100.0 * np.abs(after - before).sum() / total) if total > 0 else 0.0


MEAN_CHANGE = Metric(
    name="mean_change",
    function=lambda original, released: float(_mean_by_column(original, released).mean()),
    title="Change of means",
    summary="how far the mean of a column moved, on average over columns",
    reference=_REFERENCE,
    unit="standard deviations",
    per_column=_mean_by_column,
)
VARIANCE_CHANGE = Metric(
    name="variance_change",
    function=lambda original, released: float(_variance_by_column(original, released).mean()),
    title="Change of variances",
    summary="how much of its variance a column lost or won, on average over columns",
    reference=_REFERENCE,
    unit="percent",
    per_column=_variance_by_column,
)
COVARIANCE_CHANGE = Metric(
    name="covariance_change",
    function=_covariance_change,
    title="Change of covariances",
    summary="how far the covariance of two standardised columns moved, on average over pairs",
    reference=_REFERENCE,
)
CORRELATION_CHANGE = Metric(
    name="correlation_change",
    function=_correlation_change,
    title="Change of correlations",
    summary="how far the correlation of two columns moved, on average over pairs",
    reference=_REFERENCE,
    highest=2.0,
)
EIGENVALUE_CHANGE = Metric(
    name="eigenvalue_change",
    function=_eigenvalue_change,
    title="Change of eigenvalues",
    summary="how far the eigenvalues of the covariance matrix moved, in percent of their sum",
    reference="Templ, Kowarik and Meindl 2015",
    unit="percent",
)
