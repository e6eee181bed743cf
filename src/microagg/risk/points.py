"""The original and the released records of any kinds as points, for measures of distance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from microagg.base.schema import Kind
from microagg.base.types import FloatArray
from microagg.semantic.attribute import Attribute
from microagg.semantic.embedding import places
from microagg.semantic.loss import spread

BLOCK = 2**18
"""Values worked on at a time."""


def both_as_points(
    original: FloatArray, released: FloatArray, attributes: Sequence[Attribute], everybody: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """Give both sides as points, every column in units of its spread among the originals, as `semantic.embed` does.

    A node of a hierarchy that stands for a group, but is no value, is placed by its distances to the values [1]_.

    Parameters
    ----------
    original, released : array
        Records before and after, any number of either.
    attributes : sequence of Attribute
        What the columns mean.
    everybody : array, optional
        All originals, whose spread counts, where `original` holds some of them.

    References
    ----------
    .. [1] J. C. Gower. Adding a point to vector diagrams in multivariate analysis. Biometrika 55 (1968) 582-585.

    Examples
    --------
    >>> from microagg.semantic.attribute import nominal, numeric
    >>> X = np.array([[0, 1.0], [1, 1.0], [1, 4.0]])
    >>> [side.shape for side in both_as_points(X, X, [nominal(["f", "m"]), numeric()])]
    [(3, 3), (3, 3)]
    """
    numbers = [j for j, attribute in enumerate(attributes) if attribute.kind is Kind.NUMERIC]
    everybody = original if everybody is None else everybody
    before, after = original[:, numbers], released[:, numbers]
    mean, deviation = _mean_and_deviation(everybody, numbers)
    scale = 1.0 / np.where(deviation == 0, np.inf, deviation)
    before -= mean
    after -= mean
    before *= scale
    after *= scale
    sides = [before], [after]
    for j, attribute in enumerate(attributes):
        if attribute.kind is not Kind.NUMERIC:
            apart = spread(everybody[:, j], attribute)
            table = _all_places(attribute) * (1.0 / np.sqrt(apart) if apart > 0 else 0.0)
            sides[0].append(table[original[:, j].astype(np.int64)])
            sides[1].append(table[released[:, j].astype(np.int64)])
    before, after = (side[0] if len(side) == 1 else np.hstack(side) for side in sides)
    return np.ascontiguousarray(before), np.ascontiguousarray(after)


def _mean_and_deviation(records: FloatArray, columns: list[int]) -> tuple[FloatArray, FloatArray]:
    """Give mean and standard deviation (ddof=1) of some columns, block by block: a copy would take as long again."""
    size = max(1, BLOCK // max(1, len(columns)))
    starts = range(0, len(records), size)
    mean = np.sum([records[start : start + size, columns].sum(axis=0) for start in starts], axis=0) / len(records)
    squares, constant = np.zeros(len(columns)), np.ones(len(columns), dtype=np.bool_)
    for start in starts:
        block = records[start : start + size, columns]
        constant &= (block == records[0, columns]).all(axis=0)
        gaps = block - mean
        squares += np.einsum("ij,ij->j", gaps, gaps)
    return mean, np.where(constant, 0.0, np.sqrt(squares / max(1, len(records) - 1)))


def _all_places(attribute: Attribute) -> FloatArray:
    """Points of the values, then of the further nodes."""
    points = places(attribute)
    if attribute.distance is None or len(attribute.names) == attribute.n_values:
        return points
    stretch = (points**2).sum(axis=0)
    gaps = (points**2).sum(axis=1)[:, None] - attribute.distance[:, attribute.n_values :] ** 2
    further = gaps.T @ points / np.where(stretch > 0, 2.0 * stretch, np.inf)
    return np.vstack([points, further])
