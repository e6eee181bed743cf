"""Columns standardised and weighted, so that distances between records mean something."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import add

import numpy as np

from microagg.base.checks import check_number
from microagg.base.ranges import within_range
from microagg.base.types import FloatArray, IntArray
from microagg.errors import InvalidData, InvalidOption

FARTHEST = 1e100
"""So many standard deviations away, a value is as far as can be: what lies beyond counts as this."""

STEP_BITS, HALF_BITS, SUMMED, AT_ONCE = 52, 26, 2**10, 2**18
"""How finely values are added up, and how many of them at a time, so that nothing overflows."""


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
    """What parts of a table tell of its scale: merged, it is that of the whole, to the last bit, however it was cut.

    Other last bits of a scale may give other groups. So values are rounded to a grid of 2^52 steps from the middle of
    their column to its farther end, finer than what floats can tell there, and whole numbers are added up.

    Attributes
    ----------
    known : tuple of int
        How many values of each column are known: what is missing tells nothing of the scale.
    sums, squares : tuple of int
        The sums of the steps of each column, and of their squares.
    """

    known: tuple[int, ...]
    sums: tuple[int, ...]
    squares: tuple[int, ...]

    @classmethod
    def of(cls, values: FloatArray, lowest: FloatArray, highest: FloatArray) -> ScaleSums:
        """Take the sums of some records; `lowest` and `highest` are the ends of the whole table, by column."""
        middle, half = _grid(lowest, highest)
        n_columns = values.shape[1]
        known, sums, squares = np.zeros(n_columns, dtype=np.int64), [0] * n_columns, [0] * n_columns
        for start in range(0, len(values), AT_ONCE):
            part = (values[start : start + AT_ONCE] - middle) / half
            gaps = np.isnan(part)
            known += len(part) - gaps.sum(axis=0)
            steps = np.rint(np.where(gaps, 0.0, part) * 2.0**STEP_BITS).astype(np.int64)
            high, low = steps >> HALF_BITS, steps & (2**HALF_BITS - 1)
            singles = zip(high.sum(axis=0).tolist(), low.sum(axis=0).tolist(), strict=True)
            products = zip(_products(high, high), _products(high, low), _products(low, low), strict=True)
            for j, (of_high, of_low) in enumerate(singles):
                sums[j] += (of_high << HALF_BITS) + of_low
            for j, (both_high, crossed, both_low) in enumerate(products):
                squares[j] += (both_high << 2 * HALF_BITS) + (crossed << HALF_BITS + 1) + both_low
        return cls(tuple(known.tolist()), tuple(sums), tuple(squares))

    def merge(self, other: ScaleSums) -> ScaleSums:
        """Give the sums of both."""
        return ScaleSums(
            tuple(map(add, self.known, other.known)),
            tuple(map(add, self.sums, other.sums)),
            tuple(map(add, self.squares, other.squares)),
        )

    def scale(self, lowest: FloatArray, highest: FloatArray) -> Scale:
        """Give the scale, once all records of the table were added up.

        >>> ends = np.array([1.0]), np.array([3.0])
        >>> parts = [ScaleSums.of(np.array(part), *ends) for part in ([[1.0]], [[2.0], [3.0]])]
        >>> parts[0].merge(parts[1]).scale(*ends)
        Scale(mean=array([2.]), deviation=array([1.]))
        """
        middle, half = _grid(lowest, highest)
        # Divisions of whole numbers are rounded once, correctly.
        mean = np.array([total / (max(n, 1) << STEP_BITS) for n, total in zip(self.known, self.sums, strict=True)])
        variance = np.array([
            (n * squares - total * total) / (max(n * (n - 1), 1) << 2 * STEP_BITS)
            for n, total, squares in zip(self.known, self.sums, self.squares, strict=True)
        ])  # fmt: skip
        constant = highest == lowest
        with np.errstate(over="ignore"):
            widths = np.minimum(np.sqrt(variance) * half, np.finfo(np.float64).max)
        return Scale(np.where(constant, lowest, middle + mean * half), np.where(constant, 0.0, widths))


def _grid(lowest: FloatArray, highest: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Give the middle of each column, and how far it is to the farther end."""
    middle = lowest / 2 + highest / 2
    half = np.maximum(highest - middle, middle - lowest)
    return middle, np.where(half > 0, half, 1.0)


def _products(one: IntArray, other: IntArray) -> list[int]:
    """Give the summed products of numbers up to 2^26: 2^10 of them at a time fit into 64 bits."""
    edges = np.arange(0, len(one), SUMMED)
    summed = np.add.reduceat(one * other, edges, axis=0)
    high, low = (summed >> 32).sum(axis=0).tolist(), (summed & 0xFFFFFFFF).sum(axis=0).tolist()
    return [(above << 32) + below for above, below in zip(high, low, strict=True)]


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
    return ScaleSums.of(X, lowest, highest).scale(lowest, highest)


def standardise(X: FloatArray) -> FloatArray:
    """Bring every column to mean 0 and standard deviation 1 (ddof=1); a constant column becomes 0.

    Sums are those of floats, rounded as they are added, and not `scale_of`: published losses of paths that were found
    with them hang on the last bit.

    >>> standardise(np.array([[1.0, 7.0], [2.0, 7.0], [3.0, 7.0]])).tolist()
    [[-1.0, 0.0], [0.0, 0.0], [1.0, 0.0]]
    """
    lowest, highest = limits_of(X)
    largest = np.maximum(np.abs(highest), np.abs(lowest))
    unit = np.where(largest > 0, largest, 1.0)
    scaled = X / unit
    gaps = np.isnan(scaled)
    known = len(scaled) - gaps.sum(axis=0)
    mean = scaled.mean(axis=0)
    if gaps.any():
        mean = np.where(gaps, 0.0, scaled).sum(axis=0) / np.maximum(known, 1.0)
        scaled = np.where(gaps, mean, scaled)
    scaled -= mean
    deviation = np.sqrt(np.einsum("ij,ij->j", scaled, scaled) / np.maximum(known - 1, 1.0))
    constant = highest == lowest
    with np.errstate(over="ignore"):
        widths = np.minimum(deviation * unit, np.finfo(np.float64).max)
    return Scale(np.where(constant, lowest, mean * unit), np.where(constant, 0.0, widths)).apply(X)


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
