"""Categories as points, so that methods for numbers can group them."""

from __future__ import annotations

import numpy as np

from microagg.base.schema import Kind
from microagg.base.types import FloatArray
from microagg.errors import InvalidData
from microagg.semantic.attribute import Attribute

MOST_POINTS = 2000
"""More distinct values than this of one column are not embedded."""


def places(attribute: Attribute) -> FloatArray:
    """Give a point for each value of an attribute."""
    n = attribute.n_values
    if attribute.kind is Kind.ORDINAL:
        ranks: FloatArray = np.arange(n, dtype=np.float64)[:, None] / max(1, n - 1)
        return ranks
    if n > MOST_POINTS:
        raise InvalidData(
            f"a column of {n} distinct categories is too many to be turned into points; at most {MOST_POINTS} are "
            "allowed. It may be an identifier; else choose method='mixed', or recode it."
        )
    if attribute.kind is Kind.NOMINAL or attribute.distance is None:
        corners: FloatArray = np.eye(n) / np.sqrt(2.0)
        return corners
    return scaling(attribute.distance[:, :n])[0]


def not_shown(attribute: Attribute) -> float:
    """Give the share of the spread of an attribute's values, 0 to 1, that points cannot show.

    >>> from microagg.semantic.attribute import nominal
    >>> not_shown(nominal(["f", "m"]))
    0.0
    """
    if attribute.kind is not Kind.HIERARCHY or attribute.distance is None:
        return 0.0
    return scaling(attribute.distance[:, : attribute.n_values])[1]


def scaling(distance: FloatArray) -> tuple[FloatArray, float]:
    """Place values by classical multidimensional scaling; also give the share of the spread that no points can show.

    References
    ----------
    W. S. Torgerson. Multidimensional scaling: I. Theory and method. Psychometrika 17 (1952) 401-419.

    Examples
    --------
    >>> points, error = scaling(np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 1.0], [2.0, 1.0, 0.0]]))
    >>> points.shape, round(error, 6)
    ((3, 1), 0.0)
    """
    squares = distance**2
    centred = squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean()
    eigenvalues, vectors = np.linalg.eigh(-centred / 2.0)
    total = np.abs(eigenvalues).sum()
    kept = eigenvalues > 1e-9 * max(total, 1e-300)
    error = float(np.abs(np.minimum(eigenvalues, 0.0)).sum() / total) if total > 0 else 0.0
    if not kept.any():
        return np.zeros((len(distance), 1)), error
    points: FloatArray = (vectors[:, kept] * np.sqrt(eigenvalues[kept]))[:, ::-1]
    # The sign of an eigenvector is free: let its largest part be positive.
    largest = points[np.abs(points).argmax(axis=0), np.arange(points.shape[1])]
    return points * np.where(largest < 0, -1.0, 1.0), error
