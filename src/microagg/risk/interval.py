"""Interval disclosure: how often an original value lies close to the released one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from microagg.base.types import BoolArray, FloatArray
from microagg.errors import InvalidOption
from microagg.measures import Case, Finding, Measure
from microagg.risk.both_sides import check_both_sides
from microagg.risk.findings import percent


def rank_interval(original: npt.ArrayLike, released: npt.ArrayLike, *, width: float = 0.05) -> FloatArray:
    """Give the share of attributes of each record whose original value is within some ranks of the released one [1]_.

    The interval of a released value reaches `width` times the number of records down and up in the order of the
    released values of the attribute; equal values reach as far as the lowest and the highest of them do.

    Parameters
    ----------
    original, released : array of shape (n, m)
        The same records before and after, row by row.
    width : float
        How far the interval reaches, as a share of the records, from 0 to 1.

    Returns
    -------
    array of n float

    References
    ----------
    .. [1] J. Domingo-Ferrer, V. Torra. Disclosure control methods and information loss for microdata. Confidentiality,
       Disclosure and Data Access (2001) 91-110.

    Examples
    --------
    >>> rank_interval([[1.0], [2.0], [3.0], [9.0]], [[1.5], [1.5], [6.0], [6.0]], width=0.25).tolist()
    [0.0, 1.0, 1.0, 0.0]
    """
    return _share(_within_ranks(original, released, width=width))


def deviation_interval(original: npt.ArrayLike, released: npt.ArrayLike, *, width: float = 0.05) -> FloatArray:
    """Give the share of attributes of each record whose original value is near the released one [1]_.

    Near is at most `width` standard deviations (ddof=1) of the released attribute away.

    Parameters
    ----------
    original, released : array of shape (n, m)
        The same records before and after, row by row.
    width : float
        How far the interval reaches down and up, in standard deviations.

    Returns
    -------
    array of n float

    References
    ----------
    .. [1] J. M. Mateo-Sanz, F. Sebe, J. Domingo-Ferrer. Outlier protection in continuous microdata masking. Privacy in
       Statistical Databases (2004) 201-215.

    Examples
    --------
    >>> deviation_interval([[1.0, 5.0], [3.0, 5.0]], [[1.1, 7.0], [2.0, 5.0]], width=0.5).tolist()
    [0.5, 0.5]
    """
    return _share(_within_deviations(original, released, width=width))


def _within_ranks(original: npt.ArrayLike, released: npt.ArrayLike, *, width: float = 0.05) -> BoolArray:
    before, after = check_both_sides(original, released)
    if not 0 <= width <= 1:
        raise InvalidOption(f"width must be between 0 and 1, a share of the records; got {width!r}.")
    n = len(before)
    reach = int(width * n)
    inside = np.empty(before.shape, dtype=np.bool_)
    for j in range(before.shape[1]):
        values, place, counts = np.unique(after[:, j], return_inverse=True, return_counts=True)
        last = np.cumsum(counts) - 1
        ordered = np.repeat(values, counts)
        lowest = ordered[np.maximum(last - counts + 1 - reach, 0)][place]
        highest = ordered[np.minimum(last + reach, n - 1)][place]
        inside[:, j] = (lowest <= before[:, j]) & (before[:, j] <= highest)
    return inside


def _within_deviations(original: npt.ArrayLike, released: npt.ArrayLike, *, width: float = 0.05) -> BoolArray:
    before, after = check_both_sides(original, released)
    if not (np.isfinite(width) and width >= 0):
        raise InvalidOption(f"width must be a finite number of at least 0, in standard deviations; got {width!r}.")
    deviation = after.std(axis=0, ddof=1) if len(after) > 1 else np.zeros(after.shape[1])
    near: BoolArray = np.abs(before - after) <= width * deviation
    return near


def _share(inside: BoolArray) -> FloatArray:
    shares: FloatArray = inside.mean(axis=1)
    return shares


def _disclosed(case: Case, within: Callable[[FloatArray, FloatArray], BoolArray]) -> Finding | None:
    numbers = case.numbers
    if not numbers:
        return None
    inside = within(case.original[:, numbers], case.released[:, numbers])
    records, by_column = _share(inside), (100.0 * inside.mean(axis=0)).tolist()
    columns = {case.names[j]: value for j, value in zip(numbers, by_column, strict=True)}
    return Finding(percent(records), before=100.0, columns=columns, records=records)


RANK_INTERVAL = Measure(
    name="rank_interval",
    function=lambda case: _disclosed(case, _within_ranks),
    title="Rank interval disclosure",
    summary="share of original values within 5 percent of the records, by rank, of the released one",
    reference="Domingo-Ferrer and Torra 2001",
    unit="percent",
    highest=100.0,
    needs="numbers",
    at_most=50_000,
)
DEVIATION_INTERVAL = Measure(
    name="deviation_interval",
    function=lambda case: _disclosed(case, _within_deviations),
    title="Standard deviation interval disclosure",
    summary="share of original values within 0.05 standard deviations of the released one",
    reference="Mateo-Sanz, Sebe and Domingo-Ferrer 2004",
    unit="percent",
    highest=100.0,
    needs="numbers",
    at_most=50_000,
)
