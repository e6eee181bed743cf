"""The original and the released records of any kinds as points, for measures of distance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from microagg.arrays import FloatArray
from microagg.schema import Kind
from microagg.semantic.attribute import Attribute
from microagg.semantic.embedding import places
from microagg.semantic.loss import spread


def both_as_points(
    original: FloatArray, released: FloatArray, attributes: Sequence[Attribute]
) -> tuple[FloatArray, FloatArray]:
    """Give both sides as points, every column in units of its spread among the originals, as `semantic.embed` does.

    A node of a hierarchy that stands for a group, but is no value, is placed by its distances to the values [1]_.

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
    tables = [None if attribute.kind is Kind.NUMERIC else _all_places(attribute) for attribute in attributes]
    width = sum(1 if table is None else table.shape[1] for table in tables)
    sides = np.empty((len(original), width)), np.empty((len(original), width))
    at = 0
    for j, (attribute, table) in enumerate(zip(attributes, tables, strict=True)):
        before = np.ascontiguousarray(original[:, j])
        unit = spread(before, attribute)
        scale = 1.0 / np.sqrt(unit) if unit > 0 else 0.0
        for side, column in zip(sides, (before, released[:, j]), strict=True):
            if table is None:
                side[:, at] = (column - before.mean()) * scale
            else:
                side[:, at : at + table.shape[1]] = table[column.astype(np.int64)] * scale
        at += 1 if table is None else table.shape[1]
    return sides


def _all_places(attribute: Attribute) -> FloatArray:
    """Points of the values, then of the further nodes."""
    points = places(attribute)
    if attribute.distance is None or len(attribute.names) == attribute.n_values:
        return points
    stretch = (points**2).sum(axis=0)
    gaps = (points**2).sum(axis=1)[:, None] - attribute.distance[:, attribute.n_values :] ** 2
    further = gaps.T @ points / np.where(stretch > 0, 2.0 * stretch, np.inf)
    return np.vstack([points, further])
