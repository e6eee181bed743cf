"""SSE, SST and the information loss: what microaggregation minimises."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from microagg.base.checks import check_labels, check_matrix, check_points
from microagg.base.groups import group_means
from microagg.base.ranges import in_units, scaled
from microagg.base.types import FloatArray
from microagg.measures import Change, Finding
from microagg.utility.carried import by_name, carried


def sse(X: npt.ArrayLike, labels: npt.ArrayLike) -> float:
    """Sum the squared distances of the records to the mean of their group.

    Parameters
    ----------
    X : array of shape (n, m)
        The records, prepared.
    labels : array of n int
        The group of each record, 0 to G-1; of shape (n, m) where each column is grouped on its own.

    Examples
    --------
    >>> sse([[1.0], [3.0], [7.0], [9.0]], [0, 0, 1, 1])
    4.0
    """
    X, exponent = scaled(check_matrix(X))
    return in_units(_sse(X, labels), 2 * exponent, "the sum of squared errors")


def sst(X: npt.ArrayLike) -> float:
    """Sum the squared distances of the records to the mean of all: the SSE of one single group.

    >>> sst([[1.0], [3.0], [7.0], [9.0]])
    40.0
    """
    X, exponent = scaled(check_matrix(X))
    return in_units(_sst(X), 2 * exponent, "the sum of squares")


def information_loss(X: npt.ArrayLike, labels: npt.ArrayLike) -> float:
    """Give the information loss of a partition, 100 * SSE / SST, in percent.

    0 where no record moves, 100 where all are replaced by the mean of all. Where all records are equal nothing can
    be lost, and the loss is 0.

    Parameters
    ----------
    X : array of shape (n, m)
        The records, prepared: standardise them first, so that every column counts the same.
    labels : array of n int
        The group of each record, 0 to G-1; of shape (n, m) where each column is grouped on its own.

    References
    ----------
    J. Domingo-Ferrer, J. M. Mateo-Sanz. Practical data-oriented microaggregation for statistical disclosure control.
    IEEE Transactions on Knowledge and Data Engineering 14 (2002) 189-201.

    Examples
    --------
    >>> information_loss([[1.0], [3.0], [7.0], [9.0]], [0, 0, 1, 1])
    10.0
    """
    X = check_points(X)
    lost, whole = _sse(X, labels), _sst(X)
    return 100.0 * lost / whole if whole > 0 else 0.0


def _sse(X: FloatArray, labels: npt.ArrayLike) -> float:
    return float(_squares(X, _centres(X, np.asarray(labels))).sum())


def _sst(X: FloatArray) -> float:
    constant = X.max(axis=0) == X.min(axis=0)
    everybody = np.broadcast_to(X.mean(axis=0), X.shape)
    return float(np.where(constant, 0.0, _squares(X, everybody)).sum())


def _centres(X: FloatArray, labels: npt.NDArray[np.generic]) -> FloatArray:
    if labels.ndim == 2 and labels.shape == X.shape:
        return np.hstack([_centres(X[:, [j]], labels[:, j]) for j in range(X.shape[1])])
    checked = check_labels(labels, len(X))
    centres: FloatArray = group_means(X, checked)[checked]
    return centres


def _squares(X: FloatArray, centres: FloatArray) -> FloatArray:
    gaps = X - centres
    squares: FloatArray = np.einsum("ij,ij->j", gaps, gaps)
    return squares


def _lost(change: Change) -> Finding:
    total = float(change.spread.sum())
    by_column = np.divide(
        100.0 * change.squares, change.spread, out=np.zeros_like(change.spread), where=change.spread > 0
    )
    value = 100.0 * float(change.squares.sum()) / total if total > 0 else 0.0
    return Finding(value, columns=by_name(change.names, by_column))


_REFERENCE = "Domingo-Ferrer and Mateo-Sanz 2002"

SSE = carried(
    name="sse",
    of_change=lambda change: Finding(float(change.squares.sum()), columns=by_name(change.names, change.squares)),
    title="SSE",
    summary="squared distances between original and released records, summed",
    reference=_REFERENCE,
)
SST = carried(
    name="sst",
    of_change=lambda change: Finding(float(change.spread.sum()), columns=by_name(change.names, change.spread)),
    title="SST",
    summary="squared distances between the original records and their mean, summed: the most that SSE can be",
    reference=_REFERENCE,
)
INFORMATION_LOSS = carried(
    name="information_loss",
    of_change=_lost,
    title="Information loss",
    summary="SSE in percent of SST: 0 is no change, 100 is every record replaced by the overall mean",
    reference=_REFERENCE,
    unit="percent",
    highest=100.0,
)
