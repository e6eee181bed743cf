"""Quantiles and tails: how far they moved, since averaging pulls extreme values inwards."""

from __future__ import annotations

import numpy as np

from microagg.base.types import BoolArray, FloatArray
from microagg.measures import Case, Finding, Measure

LEVELS = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
TAIL = 0.05
"""The share of the records in each tail."""


def quantile_changes(original: FloatArray, released: FloatArray) -> FloatArray:
    """Give how far the quantiles of each column moved, in standard deviations of the original; 0 of a constant column.

    Parameters
    ----------
    original, released : array of shape (n, m)
        Numbers before and after.

    Returns
    -------
    array of shape (7, m)
        Released less original at 1, 5, 25, 50, 75, 95 and 99 percent, by linear interpolation (type 7).

    References
    ----------
    R. J. Hyndman, Y. Fan. Sample quantiles in statistical packages. The American Statistician 50 (1996) 361-365.

    Examples
    --------
    >>> X = np.arange(101.0)[:, None]
    >>> quantile_changes(X, X + X.std(ddof=1)).round(6).ravel().tolist()
    [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    """
    moved = _quantiles(released, LEVELS) - _quantiles(original, LEVELS)
    varies = original.max(axis=0) > original.min(axis=0)
    deviation = original.std(axis=0, ddof=1) if len(original) > 1 else np.zeros(original.shape[1])
    changes: FloatArray = moved / np.where(varies & (deviation > 0), deviation, np.inf)
    return changes


def tails_kept(original: FloatArray, released: FloatArray) -> FloatArray:
    """Give for each column the share of the records in its tails that the release still has there, from 0 to 1.

    The tails of a column are what is not above the 5 percent quantile of the original, or not below the 95 percent one.
    A record is kept where its released value is in the same tail.

    >>> X = np.arange(20.0)[:, None]
    >>> tails_kept(X, np.where(X < 10, X, 10.0)).tolist()
    [0.5]
    """
    low, high = _quantiles(original, (TAIL, 1.0 - TAIL))
    below, above = original <= low, original >= high
    kept: BoolArray = (below & (released <= low)) | (above & (released >= high))
    shares: FloatArray = kept.sum(axis=0) / (below | above).sum(axis=0)
    return shares


def _quantiles(X: FloatArray, levels: tuple[float, ...]) -> FloatArray:
    quantiles: FloatArray = np.quantile(np.ascontiguousarray(X.T), levels, axis=1)
    return quantiles


def _numbers(case: Case) -> tuple[FloatArray, FloatArray, list[str]]:
    places = case.numbers
    return case.original[:, places], case.released[:, places], [case.names[j] for j in places]


def _changes(case: Case) -> Finding | None:
    original, released, names = _numbers(case)
    if not names:
        return None
    by_column = np.abs(quantile_changes(original, released)).mean(axis=0)
    return Finding(float(by_column.mean()), columns=dict(zip(names, by_column.tolist(), strict=True)))


def _kept(case: Case) -> Finding | None:
    original, released, names = _numbers(case)
    if not names:
        return None
    by_column = 100.0 * tails_kept(original, released)
    return Finding(float(by_column.mean()), before=100.0, columns=dict(zip(names, by_column.tolist(), strict=True)))


QUANTILE_CHANGE = Measure(
    name="quantile_change",
    function=_changes,
    title="Change of quantiles",
    summary="how far the 1, 5, 25, 50, 75, 95 and 99 percent quantiles of a column moved, on average",
    reference="Hyndman and Fan 1996",
    unit="standard deviations",
    needs="numbers",
    at_most=200_000,
)
TAILS_KEPT = Measure(
    name="tails_kept",
    function=_kept,
    title="Tails kept",
    summary="share of the records in the lowest and highest 5 percent of a column that the release still has there",
    reference="Mateo-Sanz, Sebe and Domingo-Ferrer 2004",
    unit="percent",
    highest=100.0,
    lower_is_better=False,
    needs="numbers",
    at_most=200_000,
)
