"""The original and the released records of any kinds as points, for measures of distance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from microagg.base.schema import Kind
from microagg.base.types import FloatArray
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
    numbers = [j for j, attribute in enumerate(attributes) if attribute.kind is Kind.NUMERIC]
    before, after = original[:, numbers], released[:, numbers]
    mean, constant = before.mean(axis=0), (before == before[0]).all(axis=0)
    before -= mean
    after -= mean
    deviation = np.sqrt(np.einsum("ij,ij->j", before, before) / max(1, len(before) - 1))
    scale = 1.0 / np.where(constant | (deviation == 0), np.inf, deviation)
    before *= scale
    after *= scale
    sides = [before], [after]
    for j, attribute in enumerate(attributes):
        if attribute.kind is not Kind.NUMERIC:
            apart = spread(original[:, j], attribute)
            table = _all_places(attribute) * (1.0 / np.sqrt(apart) if apart > 0 else 0.0)
            sides[0].append(table[original[:, j].astype(np.int64)])
            sides[1].append(table[released[:, j].astype(np.int64)])
    before, after = (side[0] if len(side) == 1 else np.hstack(side) for side in sides)
    return np.ascontiguousarray(before), np.ascontiguousarray(after)


def _all_places(attribute: Attribute) -> FloatArray:
    """Points of the values, then of the further nodes."""
    points = places(attribute)
    if attribute.distance is None or len(attribute.names) == attribute.n_values:
        return points
    stretch = (points**2).sum(axis=0)
    gaps = (points**2).sum(axis=1)[:, None] - attribute.distance[:, attribute.n_values :] ** 2
    further = gaps.T @ points / np.where(stretch > 0, 2.0 * stretch, np.inf)
    return np.vstack([points, further])
