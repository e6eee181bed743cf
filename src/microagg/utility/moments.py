"""How far means, variances, covariances, correlations and eigenvalues moved."""

from __future__ import annotations

import numpy as np

from microagg.base.types import FloatArray
from microagg.measures import Summary
from microagg.utility.carried import NUMBERS, carried, of_numbers

_REFERENCE = "Domingo-Ferrer and Torra 2001"


def _mean_by_column(summary: Summary) -> FloatArray:
    by_column: FloatArray = np.abs(summary.means[1] - summary.means[0])
    return by_column


def _variance_by_column(summary: Summary) -> FloatArray:
    before, after = (np.where(summary.constant[s], 0.0, np.diag(summary.covariance(s))) for s in (0, 1))
    change: FloatArray = 100.0 * np.abs(after - before)
    return np.divide(change, before, out=np.zeros_like(change), where=before > 0)


def _pairs(matrix: FloatArray) -> FloatArray:
    off: FloatArray = matrix[np.triu_indices(len(matrix), k=1)]
    return off


def _mean_absolute(values: FloatArray) -> float:
    return float(np.abs(values).mean()) if values.size else 0.0


def _covariance_change(summary: Summary) -> float:
    return _mean_absolute(_pairs(summary.covariance(1) - summary.covariance(0)))


def _correlation_change(summary: Summary) -> float:
    return _mean_absolute(_pairs(summary.correlation(1) - summary.correlation(0)))


def _eigenvalue_change(summary: Summary) -> float:
    before, after = (np.linalg.eigvalsh(summary.covariance(s)) for s in (0, 1))
    total = before.sum()
    return float(100.0 * np.abs(after - before).sum() / total) if total > 0 else 0.0


MEAN_CHANGE = carried(
    name="mean_change",
    of_change=of_numbers(lambda summary: float(_mean_by_column(summary).mean()), _mean_by_column),
    needs=NUMBERS,
    title="Change of means",
    summary="how far the mean of a column moved, on average over columns",
    reference=_REFERENCE,
    unit="standard deviations",
)
VARIANCE_CHANGE = carried(
    name="variance_change",
    of_change=of_numbers(lambda summary: float(_variance_by_column(summary).mean()), _variance_by_column),
    needs=NUMBERS,
    title="Change of variances",
    summary="how much of its variance a column lost or won, on average over columns",
    reference=_REFERENCE,
    unit="percent",
)
COVARIANCE_CHANGE = carried(
    name="covariance_change",
    of_change=of_numbers(_covariance_change),
    needs=NUMBERS,
    title="Change of covariances",
    summary="how far the covariance of two standardised columns moved, on average over pairs",
    reference=_REFERENCE,
)
CORRELATION_CHANGE = carried(
    name="correlation_change",
    of_change=of_numbers(_correlation_change),
    needs=NUMBERS,
    title="Change of correlations",
    summary="how far the correlation of two columns moved, on average over pairs",
    reference=_REFERENCE,
    highest=2.0,
)
EIGENVALUE_CHANGE = carried(
    name="eigenvalue_change",
    of_change=of_numbers(_eigenvalue_change),
    needs=NUMBERS,
    title="Change of eigenvalues",
    summary="how far the eigenvalues of the covariance matrix moved, in percent of their sum",
    reference="Templ, Kowarik and Meindl 2015",
    unit="percent",
)
