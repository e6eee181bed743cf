"""Cities of which only the distances are known: points at these distances, all longer by the same constant."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from microagg.base.checks import check_matrix
from microagg.base.ranges import within_range
from microagg.base.types import FloatArray
from microagg.errors import InvalidData, InvalidOption

Metric = Literal["euclidean", "precomputed"]
METRICS = ("euclidean", "precomputed")
"""Whether a matrix holds records, whose distances are Euclidean, or the distances themselves."""
MOST_CITIES = 2_000
EQUAL = 1e-7
"""Distances that differ by less than this part of the largest one count as equal."""
FIRST_CONSTANT = 2.0**-16
"""The smallest constant to try, as a part of the largest distance."""


class Embedding(NamedTuple):
    """Points whose distances are the given ones plus a constant."""

    points: FloatArray
    constant: float


def check_metric(metric: str) -> None:
    """Refuse what is no way to read a matrix.

    >>> check_metric("euclidean")
    """
    if metric not in METRICS:
        raise InvalidOption(f"metric must be one of {', '.join(METRICS)}; got {metric!r}.")


def check_distances(distances: npt.ArrayLike) -> FloatArray:
    """Give a matrix of distances if it is one: square, symmetric, not negative, 0 from a city to itself.

    >>> check_distances([[0, 2], [2, 0]]).tolist()
    [[0.0, 2.0], [2.0, 0.0]]
    """
    D = check_matrix(distances, "the matrix of distances")
    if D.shape[0] != D.shape[1]:
        raise InvalidData(f"the matrix of distances must be square, a row for each column; got shape {D.shape}.")
    if (np.diagonal(D) != 0).any():
        raise InvalidData("the matrix of distances must have zeros on its diagonal, from each city to itself.")
    if (D < 0).any():
        raise InvalidData("the matrix of distances must not hold negative numbers.")
    if not np.array_equal(D, D.T):
        raise InvalidData(
            "the matrix of distances must be symmetric: the way back must be as long as the way there. "
            "Take the mean of both where they differ."
        )
    return D


def embed_distances(distances: npt.ArrayLike) -> Embedding:
    """Find points whose Euclidean distances are the given ones, all of them longer by one constant [1]_.

    Any symmetric distances, such as those along roads, become Euclidean when a large enough constant is added to each.
    Every path through n cities has n - 1 steps, so all paths get longer by the same: the shortest one stays the
    shortest, the nearest city the nearest, and inserting a city costs the same everywhere but for the constant.

    Points are known up to rounding only. So that equal distances go to the lower row all the same, those to later rows
    are made longer by less than 1e-7 of the largest distance.

    Parameters
    ----------
    distances : array of shape (n, n)
        Symmetric, with zeros on the diagonal; at most 2,000 cities.

    Returns
    -------
    Embedding
        The points, and the constant.

    References
    ----------
    .. [1] F. Cailliez. The analytical solution of the additive constant problem. Psychometrika 48 (1983) 305-308.

    Examples
    --------
    >>> points, constant = embed_distances([[0, 1, 5], [1, 0, 1], [5, 1, 0]])
    >>> [round(float(np.linalg.norm(points[a] - points[b]) - constant), 5) for a, b in ((0, 1), (0, 2), (1, 2))]
    [1.0, 5.0, 1.0]
    """
    D = within_range(check_distances(distances))
    n = len(D)
    if n > MOST_CITIES:
        raise InvalidOption(f"a matrix of distances may have at most {MOST_CITIES:,} cities; got {n:,}.")
    largest = float(D.max())
    if largest == 0.0:
        return Embedding(np.zeros((n, 1)), 0.0)
    rows = np.arange(n)
    D = D + EQUAL * largest * (rows[:, None] + rows[None, :]) / (2 * n)
    constant = FIRST_CONSTANT * largest
    while True:
        squares = (D + constant) ** 2
        np.fill_diagonal(squares, 0.0)
        products = -0.5 * (squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean())
        values, vectors = np.linalg.eigh(products)
        if values[0] >= -1e-13 * values[-1]:
            return Embedding(np.ascontiguousarray(vectors * np.sqrt(np.maximum(values, 0.0))), constant)
        constant *= 2.0
