"""The sums that every metric follows from, gathered in one pass; parts of a table can be merged."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from microagg.base.types import BoolArray, FloatArray

AT_ONCE = 4096
"""Records that are looked at together: few enough to stay in the cache."""


@dataclass(frozen=True)
class Summary:
    """What is left of the original and the released records.

    Attributes
    ----------
    n : int
        How many records there are.
    first : tuple of two arrays of m float
        The first record before and after.
    constant : tuple of two arrays of m bool
        Whether all records have the value of the first, before and after.
    means : tuple of two arrays of m float
        Of the columns, before and after.
    products : tuple of two arrays of shape (m, m)
        The sums of the products of gaps to the mean, before and after.
    gaps, squares : array of m float
        The sums of the absolute and of the squared changes.
    """

    n: int
    first: tuple[FloatArray, FloatArray]
    constant: tuple[BoolArray, BoolArray]
    means: tuple[FloatArray, FloatArray]
    products: tuple[FloatArray, FloatArray]
    gaps: FloatArray
    squares: FloatArray

    @property
    def spread(self) -> FloatArray:
        """The squared gaps of the original to its mean, by column; exactly 0 where it is constant."""
        return np.where(self.constant[0], 0.0, np.diag(self.products[0]))

    def covariance(self, side: int) -> FloatArray:
        """Give the covariance matrix of the original (0) or the released (1) columns, ddof=1."""
        matrix: FloatArray = self.products[side] / max(1, self.n - 1)
        return matrix

    def correlation(self, side: int) -> FloatArray:
        """Give the correlation matrix; a constant column correlates with nothing (0)."""
        matrix = self.covariance(side)
        deviation = np.sqrt(np.diag(matrix))
        spread = np.where(self.constant[side] | (deviation == 0), np.inf, deviation)
        scaled: FloatArray = np.asarray(matrix / np.outer(spread, spread))
        np.fill_diagonal(scaled, 1.0)
        return scaled

    def standardised(self) -> Summary:
        """Give the summary of the same records, both sides standardised by the original; constant columns are 0."""
        deviation = np.sqrt(self.spread / max(1, self.n - 1))
        unit = np.where(deviation > 0, deviation, np.inf)
        sides = [
            ((self.first[s] - self.means[0]) / unit, (self.means[s] - self.means[0]) / unit, self.products[s])
            for s in (0, 1)
        ]
        return Summary(
            n=self.n,
            first=(sides[0][0], sides[1][0]),
            constant=(self.constant[0] | (deviation == 0), self.constant[1] | (deviation == 0)),
            means=(sides[0][1], sides[1][1]),
            products=(sides[0][2] / np.outer(unit, unit), sides[1][2] / np.outer(unit, unit)),
            gaps=self.gaps / unit,
            squares=self.squares / unit**2,
        )

    def merge(self, other: Summary) -> Summary:
        """Give the summary of both tables, one below the other [1]_.

        References
        ----------
        .. [1] T. F. Chan, G. H. Golub, R. J. LeVeque. Updating formulae and a pairwise algorithm for computing sample
           variances. COMPSTAT (1982) 30-41.

        Examples
        --------
        >>> X = np.array([[1.0], [2.0], [6.0]])
        >>> part, rest = summarise(X[:1], X[:1]), summarise(X[1:], X[1:])
        >>> part.merge(rest).spread.tolist(), summarise(X, X).spread.tolist()
        ([14.0], [14.0])
        """
        n = self.n + other.n
        means, products, constant = [], [], []
        for s in (0, 1):
            step = other.means[s] - self.means[s]
            means.append(self.means[s] + step * (other.n / n))
            products.append(self.products[s] + other.products[s] + np.outer(step, step) * (self.n * other.n / n))
            constant.append(self.constant[s] & other.constant[s] & (self.first[s] == other.first[s]))
        return Summary(
            n=n,
            first=self.first,
            constant=(constant[0], constant[1]),
            means=(means[0], means[1]),
            products=(products[0], products[1]),
            gaps=self.gaps + other.gaps,
            squares=self.squares + other.squares,
        )


def summarise(original: FloatArray, released: FloatArray) -> Summary:
    """Gather the sums of two tables of the same shape.

    >>> made = summarise(np.array([[1.0], [3.0]]), np.array([[2.0], [2.0]]))
    >>> made.n, made.squares.tolist(), made.covariance(0).tolist()
    (2, [2.0], [[2.0]])
    """
    whole = _part(original[:AT_ONCE], released[:AT_ONCE])
    for begin in range(AT_ONCE, len(original), AT_ONCE):
        whole = whole.merge(_part(original[begin : begin + AT_ONCE], released[begin : begin + AT_ONCE], whole))
    return whole


def _part(original: FloatArray, released: FloatArray, before: Summary | None = None) -> Summary:
    """The sums of a few records; whether they are constant matters only while all records before were."""
    n = len(original)
    ones = np.ones(n)
    means, products, constant = [], [], []
    for s, side in enumerate((original, released)):
        mean = side[0] + ones @ (side - side[0]) / n
        centred = side - mean
        means.append(mean)
        products.append(centred.T @ centred)
        varies = before is not None and not before.constant[s].any()
        constant.append(np.zeros(side.shape[1], dtype=np.bool_) if varies else (side == side[0]).all(axis=0))
    moved = np.abs(original - released)
    return Summary(
        n=n,
        first=(original[0], released[0]),
        constant=(constant[0], constant[1]),
        means=(means[0], means[1]),
        products=(products[0], products[1]),
        gaps=ones @ moved,
        squares=ones @ np.square(moved, out=moved),
    )
