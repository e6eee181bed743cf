"""Columns standardised and weighted, so that distances between records mean something."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from microagg.base.checks import check_number
from microagg.base.ranges import within_range
from microagg.base.types import FloatArray
from microagg.errors import InvalidData, InvalidOption

FARTHEST = 1e100
"""So many standard deviations away, a value is as far as can be: what lies beyond counts as this."""


@dataclass(frozen=True)
class Scale:
    """Where the columns lie: their means and standard deviations (ddof=1), 0 for a constant column.

    A deviation beyond the largest number (1.8e308) counts as that number.
    """

    mean: FloatArray
    deviation: FloatArray

    def only(self, columns: Sequence[int]) -> Scale:
        """Give the scale of some of the columns."""
        return Scale(self.mean[list(columns)], self.deviation[list(columns)])

    def apply(self, X: FloatArray) -> FloatArray:
        """Standardise; a constant column becomes 0, so that it has no weight in any distance. So does what is missing.

        >>> Scale(np.array([2.0]), np.array([0.5])).apply(np.array([[3.0], [np.nan]])).ravel().tolist()
        [2.0, 0.0]
        """
        varying = self.deviation > 0
        Z = np.zeros_like(X)
        with np.errstate(over="ignore"):
            np.subtract(X, self.mean, out=Z, where=varying)
            np.divide(Z, self.deviation, out=Z, where=varying)
            if not (Z.max(initial=0.0) < FARTHEST and Z.min(initial=0.0) > -FARTHEST):
                # The gap of two numbers may be beyond the largest number: that of their quarters is not.
                unit = np.where(varying, np.maximum(self.deviation / 4, np.finfo(np.float64).smallest_subnormal), 1.0)
                quarters = np.where(varying, (X / 4 - self.mean / 4) / unit, 0.0)
                Z = np.clip(np.where(np.isfinite(Z), Z, quarters), -FARTHEST, FARTHEST)
                Z[np.isnan(X)] = 0.0
        return Z


@dataclass(frozen=True, eq=False)
class ScaleSums:
    """What parts of a table tell of its scale: merged, it is that of the whole.

    Attributes
    ----------
    known : array of float
        How many values of each column are known: what is missing tells nothing of the scale.
    mean, squares : array of float
        The means of the columns, and the summed squared gaps to them, in units of their largest numbers.
    """

    known: FloatArray
    mean: FloatArray
    squares: FloatArray

    @classmethod
    def of(cls, values: FloatArray, largest: FloatArray) -> ScaleSums:
        """Take the sums of some records; `largest` are the largest absolute values of the whole table, by column."""
        scaled = values / np.where(largest > 0, largest, 1.0)
        mean = scaled.mean(axis=0)
        known = np.full(scaled.shape[1], float(len(scaled)))
        if np.isnan(mean).any():
            gaps = np.isnan(scaled)
            known -= gaps.sum(axis=0)
            mean = np.where(gaps, 0.0, scaled).sum(axis=0) / np.maximum(known, 1.0)
            scaled = np.where(gaps, mean, scaled)
        scaled -= mean
        return cls(known, mean, np.einsum("ij,ij->j", scaled, scaled))

    def merge(self, other: ScaleSums) -> ScaleSums:
        """Give the sums of both.

        References
        ----------
        T. F. Chan, G. H. Golub, R. J. LeVeque. Updating formulae and a pairwise algorithm for computing sample
        variances. COMPSTAT (1982) 30-41.
        """
        known = self.known + other.known
        gap, share = other.mean - self.mean, other.known / np.maximum(known, 1.0)
        squares = self.squares + other.squares + self.known * share * gap * gap
        return ScaleSums(known, self.mean + share * gap, squares)

    def scale(self, lowest: FloatArray, highest: FloatArray) -> Scale:
        """Give the scale, once the least and greatest values of the whole table are known.

        >>> parts = [ScaleSums.of(np.array(part), np.array([3.0])) for part in ([[1.0]], [[2.0], [3.0]])]
        >>> parts[0].merge(parts[1]).scale(np.array([1.0]), np.array([3.0]))
        Scale(mean=array([2.]), deviation=array([1.]))
        """
        largest = np.maximum(np.abs(highest), np.abs(lowest))
        unit = np.where(largest > 0, largest, 1.0)
        deviation = np.sqrt(self.squares / np.maximum(self.known - 1, 1.0))
        constant = highest == lowest
        with np.errstate(over="ignore"):
            widths = np.minimum(deviation * unit, np.finfo(np.float64).max)
        return Scale(np.where(constant, lowest, self.mean * unit), np.where(constant, 0.0, widths))


def limits_of(X: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Give the least and the greatest known value of each column; 0 where none is known.

    >>> [ends.tolist() for ends in limits_of(np.array([[3.0, np.nan], [np.nan, np.nan], [1.0, np.nan]]))]
    [[1.0, 0.0], [3.0, 0.0]]
    """
    lowest, highest = X.min(axis=0), X.max(axis=0)
    for j in np.flatnonzero(np.isnan(lowest)).tolist():
        known = X[~np.isnan(X[:, j]), j]
        lowest[j], highest[j] = (known.min(), known.max()) if len(known) else (0.0, 0.0)
    return lowest, highest


def scale_of(X: FloatArray) -> Scale:
    """Give the means and standard deviations of the columns, also of very large and very small numbers.

    >>> scale_of(np.array([[1.0, 0.1], [3.0, 0.1]])).deviation.round(4).tolist()
    [1.4142, 0.0]
    """
    lowest, highest = limits_of(X)
    return ScaleSums.of(X, np.maximum(np.abs(highest), np.abs(lowest))).scale(lowest, highest)


def standardise(X: FloatArray) -> FloatArray:
    """Bring every column to mean 0 and standard deviation 1 (ddof=1); a constant column becomes 0.

    >>> standardise(np.array([[1.0, 7.0], [2.0, 7.0], [3.0, 7.0]])).tolist()
    [[-1.0, 0.0], [0.0, 0.0], [1.0, 0.0]]
    """
    return scale_of(X).apply(X)


def weights_of(names: Sequence[str], column_weights: Mapping[str, float]) -> FloatArray:
    """Give the weight of each column, 1 where none is given, or say what is wrong with one.

    >>> weights_of(["age", "income"], {"income": 4.0}).tolist()
    [1.0, 4.0]
    """
    for name, weight in column_weights.items():
        if name not in names:
            raise InvalidOption(f"column_weights must name quasi-identifiers ({', '.join(names)}); got {name!r}.")
        check_number(f"the weight of column {name!r}", weight, 0.0)
    weights = np.array([column_weights.get(name, 1.0) for name in names], dtype=np.float64)
    if not weights.any():
        raise InvalidOption("column_weights must leave at least one quasi-identifier a weight above 0; all are 0.")
    return weights


def weigh(Z: FloatArray, names: Sequence[str], column_weights: Mapping[str, float] | None) -> FloatArray:
    """Scale columns so that squared distances count each one as often as its weight says.

    Where a weight is so large that its squares would overflow, all weights are divided by one power of two.

    >>> weigh(np.ones((1, 2)), ["age", "income"], {"income": 4.0}).tolist()
    [[1.0, 2.0]]
    """
    if not column_weights:
        return Z
    factors = within_range(np.sqrt(weights_of(names, column_weights)))
    with np.errstate(over="ignore"):
        weighted: FloatArray = Z * factors
    beyond = ~np.isfinite(weighted).all(axis=0)
    if beyond.any():
        raise InvalidData(
            f"column {names[int(np.argmax(beyond))]!r}, multiplied by the root of its weight, is beyond the largest "
            "number that there is (1.8e308). Standardise the columns, or choose smaller weights."
        )
    return weighted
