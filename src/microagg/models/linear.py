"""Least squares."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from microagg.base.types import BoolArray, FloatArray
from microagg.errors import InvalidData

DEPENDENT = 1e-10
"""A column is left out whose squared gap to the columns before it is at most this share of its squared length."""


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


def check_values(X: FloatArray, y: FloatArray) -> int:
    """Give how many records a model has to explain, or say what does not fit.

    >>> check_values(np.zeros((3, 2)), np.zeros(3))
    3
    """
    n = len(y)
    if n == 0 or X.shape[0] != n:
        raise InvalidData(f"a model needs as many records as values, and at least one; got {X.shape[0]} and {n}.")
    return n


def least_squares(X: FloatArray, y: FloatArray) -> LinearFit:
    """Fit y by a constant and the columns of X; columns that depend on earlier ones are left out.

    >>> fit = least_squares(np.array([[0.0, 0.0], [1.0, 2.0], [2.0, 4.0], [3.0, 6.0]]), np.array([1.0, 3.0, 5.0, 7.0]))
    >>> fit.coefficients.round(9).tolist(), round(fit.r_squared, 9)
    ([1.0, 2.0, 0.0], 1.0)
    """
    n = check_values(X, y)
    # From the first record on, so that a constant column is exactly 0.
    columns, values = X - X[0], y - y[0]
    middle, centre = columns.mean(axis=0), float(values.mean())
    columns -= middle
    values -= centre
    middle, centre = middle + X[0], centre + float(y[0])
    lengths = np.sqrt((columns**2).sum(axis=0))
    columns /= np.where(lengths > 0, lengths, 1.0)
    products = columns.T @ columns
    kept = independent(products)
    inverse = np.linalg.inv(products[np.ix_(kept, kept)])
    columns = columns[:, kept]
    solved = inverse @ (columns.T @ values)
    solved += inverse @ (columns.T @ (values - columns @ solved))  # once more, against rounding
    gaps = values - columns @ solved
    left, spare = float(gaps @ gaps), n - 1 - len(solved)
    coefficients, errors = np.zeros(1 + len(kept)), np.full(1 + len(kept), np.inf)
    scale = 1.0 / lengths[kept]
    coefficients[1:][kept] = solved * scale
    coefficients[0] = centre - middle @ coefficients[1:]
    if spare > 0:
        variance = left / spare
        errors[1:][kept] = np.sqrt(variance * np.diag(inverse)) * scale
        shift = middle[kept] * scale
        errors[0] = np.sqrt(variance * (1.0 / n + shift @ inverse @ shift))
    whole = float(values @ values) if y.max() > y.min() else 0.0
    return LinearFit(coefficients, errors, 1.0 - left / whole if whole > 0 else 0.0)


def independent(products: FloatArray) -> BoolArray:
    """Say which columns of length 1 do not depend on earlier ones, from the products of all pairs: Cholesky's way.

    >>> independent(np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])).tolist()
    [True, False, True]
    """
    n = len(products)
    kept = np.zeros(n, dtype=np.bool_)
    factor, rank = np.zeros((n, n)), 0
    for j in range(n):
        gaps = products[j:, j] - factor[j:, :rank] @ factor[j, :rank]
        if gaps[0] > DEPENDENT:
            kept[j] = True
            factor[j:, rank] = gaps / np.sqrt(gaps[0])
            rank += 1
    return kept
