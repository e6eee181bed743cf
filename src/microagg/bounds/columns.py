"""Column generation: the linear relaxation of choosing groups, solved without listing them all."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from microagg import _core
from microagg.base.progress import Progress
from microagg.base.types import FloatArray, IntArray
from microagg.bounds.branch import prove
from microagg.bounds.master import choose
from microagg.bounds.relaxation import OutOfTime, Relaxation

LINEAR_PART = 0.75
"""Of the time; the rest is kept for the integer program."""
ROUNDS = 300
"""Of moving costs between records, for the first prices."""


@dataclass(frozen=True)
class ColumnBound:
    """What column generation found.

    Attributes
    ----------
    sse : float
        No partition has a lower sum of squared errors.
    labels : array of n int
        The best partition known at the end.
    upper : float
        Its sum of squared errors.
    solved : bool
        True where the bound is as near to the value of the relaxation as was asked for.
    groups : list of arrays of int
        Those that a partition better than this one may take.
    """

    sse: float
    labels: IntArray
    upper: float
    solved: bool
    groups: list[IntArray]


def column_bound(
    X: FloatArray,
    k: int,
    partitions: Sequence[IntArray],
    prices: FloatArray,
    *,
    gap: float,
    cuts: bool,
    chooses: bool,
    proves: bool,
    seconds: float,
    threads: int,
    progress: Progress | None,
) -> ColumnBound:
    r"""Bound the sum of squared errors of every partition by the linear relaxation of set partitioning.

    With a variable for each group S of k to 2k-1 records, the relaxation is: minimise :math:`\sum c(S) x_S` so that
    every record lies in groups of total weight 1. Its dual gives every record a price :math:`\pi_i` so that no group
    costs less than its members pay. The master knows a few groups; for its prices, pricing finds the groups that
    cost less than they would pay, by branch and bound around every record (the seed), and adds them [1]_.

    For ANY prices, let :math:`w_i \le 0` be the least reduced cost :math:`c(S) - \pi(S)` of a group with seed i. A
    partition has at most n/k groups, each with another seed, so it costs at least :math:`\sum \pi_i` plus the n/k
    least :math:`w_i`. That bound holds after every pricing, however well or badly the master was solved.

    Prices of early masters are wild, and pricing is slow where prices are too high. So they start low, are held in
    boxes that only grow where a price is at the end of its box [2]_, and pricing steps back from the master's prices
    towards the best ones so far [3]_.

    Where pricing is cut short by its number of nodes, groups near known ones come in before it (`Neighbours`), at the
    master's own prices, and pricing is there for the proof.

    Where the relaxation is solved, cuts come in: of any three records, the groups that hold two or three may have a
    total weight of at most 1 [4]_; where there are none, cuts of four and five records [5]_. Penalties for such groups
    then enter the reduced cost, and the bound is lowered by their sum.

    Parameters
    ----------
    X : array of shape (n, m)
        The records; n >= 2k.
    k : int
        Least size of a group.
    partitions : sequence of labels
        Known partitions into groups of at least k; one at least.
    prices : array of n float
        To start from: no group may cost less than its members' prices. Their sum must be positive.
    gap : float
        Stop when the bound is this near to the value of the relaxation, relatively.
    cuts : bool
        Then tighten the relaxation by cuts, as long as they raise the bound by more than the gap.
    chooses : bool
        Then choose the best partition into the groups found, by an integer program; a quarter of the time is kept.
    proves : bool
        Then branch on pairs of records until the bound meets the best partition.
    seconds : float
        Stop after this long.
    threads : int
        For pricing.
    progress : callable, optional
        Told the fraction of the time that has passed.

    References
    ----------
    .. [1] D. Aloise, P. Hansen, C. Rocha, E. Santi. Column generation bounds for numerical microaggregation. Journal of
       Global Optimization 60 (2014) 165-182.
    .. [2] R. E. Marsten, W. W. Hogan, J. W. Blankenship. The boxstep method for large-scale optimization. Operations
       Research 23 (1975) 389-405.
    .. [3] P. Wentges. Weighted Dantzig-Wolfe decomposition for linear mixed-integer programming. International
       Transactions in Operational Research 4 (1997) 151-162.
    .. [4] M. Jepsen, B. Petersen, S. Spoorendonk, D. Pisinger. Subset-row inequalities applied to the vehicle-routing
       problem with time windows. Operations Research 56 (2008) 497-511.
    .. [5] D. Pecin, A. Pessoa, M. Poggi, E. Uchoa, H. Santos. Limited memory rank-1 cuts for vehicle routing problems.
       Operations Research Letters 45 (2017) 206-209.
    """
    start = time.monotonic()
    stop = start + (LINEAR_PART if chooses and not proves else 1.0) * seconds

    def tick(_: float) -> None:
        now = time.monotonic()
        if progress is not None:
            progress(min((now - start) / seconds, 1.0))
        if now > stop:
            raise OutOfTime

    scale = float(prices.mean())  # the solver's tolerances are absolute: let the mean record pay 1 to start with
    X, prices = X / np.sqrt(scale), prices / scale
    relaxation = Relaxation(X, k, partitions, threads=threads, tick=tick, seconds_left=lambda: stop - time.monotonic())
    whole = relaxation.whole(prices)
    with suppress(OutOfTime):
        relaxation.solve(whole, gap=gap, patience=0.0, cuts=cuts)

    # A group whose reduced cost exceeds what lies between the bound and the best partition is in no better one.
    useful = [
        (group, cost)
        for group, cost in zip(relaxation.columns.groups, relaxation.columns.costs, strict=True)
        if cost - whole.prices[group].sum() <= relaxation.upper - whole.bound
    ]
    groups, costs = [group for group, _ in useful], np.array([cost for _, cost in useful])
    left = min(start + seconds - time.monotonic(), (1.0 - LINEAR_PART) * seconds)
    if chooses and not proves and left > 0.0 and not relaxation.met(whole):
        chosen = choose(len(X), groups, costs, left).labels
        if chosen is not None:
            relaxation.learn(chosen)
    bound = prove(relaxation, whole) if proves else whole.bound
    return ColumnBound(bound * scale, relaxation.labels, relaxation.upper * scale, whole.solved, groups)


def first_prices(
    X: FloatArray, k: int, *, seconds: float, threads: int, progress: Progress | None
) -> tuple[float, FloatArray]:
    """Give prices that no group costs less than, from the nearest neighbours of every record, and their sum."""
    prices = np.empty(len(X))
    sse = _core.nearest_bound(X, k, min(len(X) - 1, 4 * k), ROUNDS, seconds, prices, threads, progress)
    return sse, prices


def priced_groups(
    X: FloatArray, k: int, labels: IntArray, *, seconds: float, threads: int, progress: Progress | None = None
) -> list[IntArray]:
    """Give the groups that column generation finds worth having in a partition better than this one."""
    start = time.monotonic()
    sse, prices = first_prices(X, k, seconds=seconds / 10, threads=threads, progress=progress)
    if not sse > 0.0:
        return []
    left = seconds - (time.monotonic() - start)
    return column_bound(
        X,
        k,
        [labels],
        prices,
        gap=1e-3,
        cuts=False,
        chooses=False,
        proves=False,
        seconds=left,
        threads=threads,
        progress=progress,
    ).groups
