"""Least squares."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from microagg.arrays import BoolArray, FloatArray
from microagg.errors import InvalidData

DEPENDENT = 1e-7
"""A column of which less than this share of its length is new, beside the columns before it, is left out."""


@dataclass(frozen=True)
class LinearFit:
    """A line through records.

    Attributes
    ----------
    coefficients : array of p + 1 float
        The intercept first; 0 where a column was left out.
    errors : array of p + 1 float
        The standard errors of the coefficients; infinite where a column was left out or no record is to spare.
    r_squared : float
        The share of the variance that the line explains; 0 where there is none.
    """

    coefficients: FloatArray
    errors: FloatArray
    r_squared: float

    def predict(self, X: FloatArray) -> FloatArray:
        """Give the value on the line of each record."""
        values: FloatArray = self.coefficients[0] + X @ self.coefficients[1:]
        return values


def least_squares(X: FloatArray, y: FloatArray) -> LinearFit:
    """Fit y by a constant and the columns of X; columns that depend on earlier ones are left out.

    >>> fit = least_squares(np.array([[0.0, 0.0], [1.0, 2.0], [2.0, 4.0], [3.0, 6.0]]), np.array([1.0, 3.0, 5.0, 7.0]))
    >>> fit.coefficients.round(9).tolist(), round(fit.r_squared, 9)
    ([1.0, 2.0, 0.0], 1.0)
    """
    n = len(y)
    if n == 0 or X.shape[0] != n:
        raise InvalidData(f"a model needs as many records as values, and at least one; got {X.shape[0]} and {n}.")
    columns = np.column_stack([np.ones(n), X])
    kept = independent(columns)
    q, r = np.linalg.qr(columns[:, kept])
    solved = np.linalg.solve(r, q.T @ y)
    gaps = y - columns[:, kept] @ solved
    inverse = np.linalg.inv(r)
    spare = n - len(solved)
    coefficients, errors = np.zeros(len(kept)), np.full(len(kept), np.inf)
    coefficients[kept] = solved
    left = float(gaps @ gaps)
    if spare > 0:
        errors[kept] = np.sqrt(left / spare * (inverse**2).sum(axis=1))
    whole = float(((y - y.mean()) ** 2).sum()) if y.max() > y.min() else 0.0
    return LinearFit(coefficients, errors, 1.0 - left / whole if whole > 0 else 0.0)


def independent(columns: FloatArray) -> BoolArray:
    """Say which columns do not depend on earlier ones.

    >>> independent(np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 1.0], [1.0, 1.0, 5.0]])).tolist()
    [True, False, True]
    """
    lengths = np.sqrt((columns**2).sum(axis=0))
    kept = np.zeros(columns.shape[1], dtype=np.bool_)
    basis = np.zeros((columns.shape[0], 0))
    for j in range(columns.shape[1]):
        rest = columns[:, j].copy()
        for _ in range(2):  # once more, against rounding
            rest -= basis @ (basis.T @ rest)
        length = float(np.sqrt(rest @ rest))
        if length > DEPENDENT * lengths[j] and length > 0:
            kept[j] = True
            basis = np.column_stack([basis, rest / length])
    return kept
