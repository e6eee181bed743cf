"""Logistic regression by iteratively reweighted least squares."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from microagg.base.types import FloatArray
from microagg.models.linear import check_values

RIDGE = 1e-6
"""Added per record to the curvature of every coefficient but the constant: keeps them finite where sides separate."""
STEPS = 50
CLOSE_ENOUGH = 1e-10


@dataclass(frozen=True)
class LogisticFit:
    """The fitted chances.

    Attributes
    ----------
    coefficients : array of p + 1 float
        The constant first.
    chances : array of n float
        The chance of 1 of each record.
    """

    coefficients: FloatArray
    chances: FloatArray


def logistic(X: FloatArray, y: FloatArray) -> LogisticFit:
    """Fit the chance that y is 1 rather than 0 by a constant and the columns of X.

    Newton's steps on the likelihood with a trace of a ridge, halved while they do not improve it.

    References
    ----------
    P. J. Green. Iteratively reweighted least squares for maximum likelihood estimation, and some robust and resistant
    alternatives. Journal of the Royal Statistical Society B 46 (1984) 149-192.

    Examples
    --------
    >>> logistic(np.array([[0.0], [0.0], [1.0], [1.0]]), np.array([0.0, 1.0, 0.0, 1.0])).chances.round(6).tolist()
    [0.5, 0.5, 0.5, 0.5]
    """
    n = check_values(X, y)
    columns = np.column_stack([np.ones(n), X])
    ridge = np.full(columns.shape[1], RIDGE * n)
    ridge[0] = 0.0
    # A constant must not run away where all values are the same.
    floor = np.diag(np.maximum(ridge, 1e-9 * n))
    coefficients = np.zeros(columns.shape[1])
    loss = _loss(columns, y, coefficients, ridge)
    for _ in range(STEPS):
        chances = _chances(columns @ coefficients)
        slope = columns.T @ (y - chances) - ridge * coefficients
        curvature = columns.T @ (columns * (chances * (1.0 - chances))[:, None]) + floor
        step = np.linalg.solve(curvature, slope)
        for _ in range(30):
            tried = _loss(columns, y, coefficients + step, ridge)
            if tried <= loss:
                break
            step = step / 2.0
        else:
            break
        coefficients, gained, loss = coefficients + step, loss - tried, tried
        if gained <= CLOSE_ENOUGH * max(1.0, abs(loss)) and np.abs(step).max() < 1e-6:
            break
    return LogisticFit(coefficients, _chances(columns @ coefficients))


def _chances(scores: FloatArray) -> FloatArray:
    half = np.tanh(scores / 2.0)
    chances: FloatArray = (1.0 + half) / 2.0
    return chances


def _loss(columns: FloatArray, y: FloatArray, coefficients: FloatArray, ridge: FloatArray) -> float:
    scores = columns @ coefficients
    return float((np.logaddexp(0.0, scores) - y * scores).sum() + (ridge * coefficients**2).sum() / 2.0)
