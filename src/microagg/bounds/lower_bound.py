"""How low the information loss of any partition can be."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from microagg import _core
from microagg.base.checks import check_k, check_labels, check_matrix, check_number, check_seconds, check_threads
from microagg.base.progress import Progress
from microagg.base.ranges import in_units, scaled
from microagg.base.types import FloatArray, IntArray
from microagg.bounds.columns import column_bound, first_prices
from microagg.bounds.master import can_choose
from microagg.bounds.relaxation import CLOSED, group_cost, groups_of
from microagg.errors import InvalidData, InvalidOption

METHODS = ("auto", "nearest", "columns")
SAFETY = 1e-9
"""Bounds are lowered by this fraction, far more than rounding can have raised them."""
MOST_RECORDS = 6_000
"""`auto` takes column generation up to here, and up to MOST_K."""
MOST_K = 12
SSE = "the bound of the sum of squared errors"


@dataclass(frozen=True)
class LowerBound:
    """A bound that no partition into groups of at least k can be below.

    `float(bound)` is its loss, and `str(bound)` says what it means.

    Attributes
    ----------
    loss : float
        The least information loss there can be, in percent.
    sse : float
        The same as a sum of squared errors.
    method : str
        How it was found: "trivial", "nearest" or "columns".
    seconds : float
        How long it took.
    partition : array of n int or None
        A partition that was found on the way, with a lower loss than `upper`, where one was; any where `upper` was
        not given.
    proven_optimal : bool
        True where the loss of `partition` (of `upper` where that is None) equals the bound, up to 1e-7 of it.
    """

    loss: float
    sse: float
    method: str
    seconds: float
    partition: IntArray | None = field(repr=False)
    proven_optimal: bool

    def __float__(self) -> float:
        return self.loss

    def __str__(self) -> str:
        return f"{self.loss:.4f} %: optimal" if self.proven_optimal else f"no partition is below {self.loss:.4f} %"


def lower_bound(
    X: npt.ArrayLike,
    k: int,
    *,
    method: str = "auto",
    time_limit: float = 60.0,
    gap: float = 1e-4,
    cuts: bool = True,
    prove: bool = False,
    upper: npt.ArrayLike | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> LowerBound:
    r"""Bound the information loss of every partition into groups of at least k from below.

    Three facts carry all bounds [1]_ [2]_. A group of 2k or more can be split into parts of at least k without loss,
    so only groups of k to 2k-1 matter. The sum of squared errors of a group S of s records is
    :math:`c(S) = \frac{1}{2s} \sum_{i \in S} \sum_{j \in S} d_{ij}^2`, because the sum of squares about the mean is
    the sum of all squared differences divided by twice the size. And if every record i has a price :math:`\pi_i`
    such that no group costs less than the sum of its members' prices, then the groups of a partition, which hold
    every record once, cost at least :math:`\sum_i \pi_i`.

    - ``nearest``: a record in a group of s pays its part :math:`\frac{1}{2s} \sum_{j \in S} d_{ij}^2`, at least
      :math:`\frac{1}{2s}` times the sum of its s-1 smallest squared distances, and the least of that over
      s = k..2k-1 is its price. Then costs are moved between the two records of a pair, which changes no group's
      cost, so that the prices sum to more. Takes time in n log n to n^2, by the number of columns, and memory in n.
    - ``columns``: the best prices there are, by column generation (extra ``bounds``): the value of the linear
      relaxation of choosing groups, tightened by cuts. For thousands of records and small k, in seconds to minutes. A
      valid bound comes out whenever the time is over. At the end, an integer program makes the best partition of the
      groups found. With ``prove=True``, pairs of records are then decided one after the other, together or apart
      (branch and price), until the bound meets the best partition, which comes out too: the optimum. For up to a
      thousand records and k = 3 that can take seconds or hours.
    - ``auto``: ``columns`` for up to 6000 records and k up to 12 where HiGHS is installed, else ``nearest``.

    Parameters
    ----------
    X : array of shape (n, m)
        The records, prepared: this function does not standardise.
    k : int
        Least size of a group.
    method : {"auto", "nearest", "columns"}
        How to find the bound.
    time_limit : float
        Seconds after which to stop with the bound found so far.
    gap : float
        ``columns`` stops when its bound is this near to the value of the relaxation, relatively.
    cuts : bool
        ``columns`` then tightens the relaxation by cuts, round by round, as long as there is time and the bound rises
        by more than the gap in a round.
    prove : bool
        ``columns`` then branches on pairs of records until the bound meets the best partition, or time is over.
    upper : array of n int, optional
        The labels of a good partition that is known. It helps ``columns``, and is what `proven_optimal` speaks of.
    threads : int, optional
        How many threads to use; all processors by default.
    progress : callable, optional
        Told the fraction of the time that has passed.

    Returns
    -------
    LowerBound
        The bound, with how it was found.

    References
    ----------
    .. [1] J. Domingo-Ferrer, J. M. Mateo-Sanz. Practical data-oriented microaggregation for statistical disclosure
       control. IEEE Transactions on Knowledge and Data Engineering 14 (2002) 189-201.
    .. [2] D. Aloise, P. Hansen, C. Rocha, E. Santi. Column generation bounds for numerical microaggregation. Journal of
       Global Optimization 60 (2014) 165-182.

    Examples
    --------
    >>> X = [[1.0], [9.0], [2.0], [8.0], [1.5], [9.5]]
    >>> round(float(lower_bound(X, k=3, method="nearest")), 3)
    2.024
    >>> print(lower_bound(X, k=3, prove=True))
    2.0243 %: optimal
    """
    X, exponent = scaled(check_matrix(X))
    check_k(k, len(X))
    if method not in METHODS:
        raise InvalidOption(f"method must be one of {', '.join(METHODS)}; got {method!r}.")
    time_limit = check_seconds("time_limit", time_limit)
    gap = check_number("gap", gap, 0.0)
    n_threads = check_threads(threads)
    known = None if upper is None else check_upper(upper, len(X), k)

    start = time.monotonic()
    all_in_one = np.zeros(len(X), dtype=np.int64)
    sst = group_cost(X, np.arange(len(X)))
    if len(X) < 2 * k or sst == 0.0:
        better = all_in_one if known is None else None
        loss, sst = 100.0 if sst > 0.0 else 0.0, in_units(sst, 2 * exponent, SSE)
        return LowerBound(loss, sst, "trivial", time.monotonic() - start, better, True)

    by_columns = method == "columns" or (method == "auto" and suits_columns(len(X), k))
    sse, prices = first_prices(
        X,
        k,
        seconds=time_limit / 10 if by_columns else time_limit,
        threads=n_threads,
        progress=None if by_columns else progress,
    )
    better, cost = None, np.inf if known is None else partition_cost(X, known)
    if by_columns and sse > 0.0:
        labels = np.empty(len(X), dtype=np.int64)
        _core.mdav(X, k, labels, n_threads, None)
        partitions = [labels] if known is None else [known, labels]
        left = time_limit - (time.monotonic() - start)
        relaxed = column_bound(
            X,
            k,
            partitions,
            prices,
            gap=gap,
            cuts=cuts,
            chooses=True,
            proves=prove,
            seconds=left,
            threads=n_threads,
            progress=progress,
        )
        sse = max(sse, relaxed.sse)
        if relaxed.upper < cost * (1.0 - SAFETY):
            better, cost = relaxed.labels, relaxed.upper
    elif by_columns and cost > 0.0:
        equal = np.unique(X, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)
        if np.bincount(equal).min() >= k:
            better, cost = equal, 0.0
    sse = min(sse * (1.0 - SAFETY), cost)
    return LowerBound(
        loss=100.0 * sse / sst,
        sse=in_units(sse, 2 * exponent, SSE),
        method="columns" if by_columns else "nearest",
        seconds=time.monotonic() - start,
        partition=better,
        proven_optimal=bool(np.isfinite(cost) and cost - sse <= (CLOSED + 10.0 * SAFETY) * cost),
    )


def suits_columns(n_records: int, k: int) -> bool:
    """Say whether column generation can be expected to come to an end, and can be done at all."""
    return n_records <= MOST_RECORDS and k <= MOST_K and can_choose()


def check_upper(labels: npt.ArrayLike, n_records: int, k: int) -> IntArray:
    """Give the labels of a partition into groups of at least k."""
    checked = check_labels(labels, n_records)
    smallest = int(np.bincount(checked).min())
    if smallest < k:
        raise InvalidData(f"upper must have at least k={k} records in every group; its smallest has {smallest}.")
    return checked


def partition_cost(X: FloatArray, labels: IntArray) -> float:
    """Give the sum of squared errors of a partition."""
    return sum(group_cost(X, group) for group in groups_of(labels, len(X)))
