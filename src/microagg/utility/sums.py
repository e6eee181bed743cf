"""What all losses are made of: sums over the records, which add up over parts of a table."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import numpy as np

from microagg.arrays import BoolArray, FloatArray


@dataclass(frozen=True)
class Side:
    """The original records, or the released ones.

    Attributes
    ----------
    n_records : int
        How many they are.
    mean, lowest, highest : array of m float
        Of each column.
    scatter : array of shape (m, m)
        Products of the gaps of two columns to their means, summed.
    """

    n_records: int
    mean: FloatArray
    lowest: FloatArray
    highest: FloatArray
    scatter: FloatArray

    @classmethod
    def of(cls, X: FloatArray) -> Side:
        """Sum over some records."""
        mean = X.mean(axis=0)
        centred = X - mean
        return cls(len(X), mean, X.min(axis=0), X.max(axis=0), centred.T @ centred)

    def plus(self, other: Side) -> Side:
        """Add the sums over other records, without cancellation (Chan, Golub and LeVeque 1979)."""
        n_records = self.n_records + other.n_records
        gap = other.mean - self.mean
        share = other.n_records / n_records
        return Side(
            n_records,
            self.mean + share * gap,
            np.minimum(self.lowest, other.lowest),
            np.maximum(self.highest, other.highest),
            self.scatter + other.scatter + self.n_records * share * np.outer(gap, gap),
        )

    @property
    def constant(self) -> BoolArray:
        """Which columns hold one value only."""
        same: BoolArray = self.highest == self.lowest
        return same

    @property
    def spread(self) -> FloatArray:
        """The squared gaps of each column to its mean, summed; exactly 0 for a constant column."""
        return np.where(self.constant, 0.0, np.diag(self.scatter))

    @property
    def covariance(self) -> FloatArray:
        """The covariance matrix of the columns (ddof=1)."""
        matrix: FloatArray = self.scatter / (self.n_records - 1)
        return matrix

    @property
    def correlation(self) -> FloatArray:
        """The correlation matrix of the columns; a constant column correlates with nothing (0)."""
        deviation = np.sqrt(np.diag(self.covariance))
        spread = np.where(self.constant | (deviation == 0), np.inf, deviation)
        scaled: FloatArray = np.asarray(self.covariance / np.outer(spread, spread))
        np.fill_diagonal(scaled, 1.0)
        return scaled


@dataclass(frozen=True)
class Sums:
    """Both sides, and the gaps between original and released values: squared and absolute, summed over each column.

    >>> before, after = np.array([[0.0], [2.0], [4.0], [6.0]]), np.array([[1.0], [1.0], [5.0], [5.0]])
    >>> whole = Sums.of(before, after)
    >>> parts = Sums.of(before[:1], after[:1]).plus(Sums.of(before[1:], after[1:]))
    >>> float(whole.original.spread[0]), float(parts.original.spread[0]), whole.squares.tolist()
    (20.0, 20.0, [4.0])
    """

    original: Side
    released: Side
    squares: FloatArray
    absolutes: FloatArray

    @classmethod
    def of(cls, original: FloatArray, released: FloatArray) -> Sums:
        """Sum over some records."""
        gaps = original - released
        squares: FloatArray = np.einsum("ij,ij->j", gaps, gaps)
        return cls(Side.of(original), Side.of(released), squares, np.abs(gaps).sum(axis=0))

    def plus(self, other: Sums) -> Sums:
        """Add the sums over other records."""
        return Sums(
            self.original.plus(other.original),
            self.released.plus(other.released),
            self.squares + other.squares,
            self.absolutes + other.absolutes,
        )

    @classmethod
    def total(cls, parts: list[Sums]) -> Sums:
        """Add several, in their order."""
        return reduce(cls.plus, parts)
