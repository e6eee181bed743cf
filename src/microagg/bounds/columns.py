"""Column generation: the linear relaxation of choosing groups, solved without listing them all."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from microagg import _core
from microagg.base.progress import Progress
from microagg.base.types import FloatArray, IntArray
from microagg.bounds.master import Columns, Master, choose

TOLERANCE = 1e-7
"""A group enters the master if it costs less than its prices by more than this times the mean price at the start."""
FACTOR = 1.3
"""By which the upper ends of boxes grow."""
INERTIA = 0.3
"""How far to step back from the master's prices towards the best ones, while many groups are still missing."""
GROUPS_PER_SEED = 10
FIRST_NODES = 3_000
CUTS_AT_ONCE = 300
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


class OutOfTime(Exception):
    """Raised through a kernel to leave it at the time limit."""


def column_bound(
    X: FloatArray,
    k: int,
    partitions: Sequence[IntArray],
    prices: FloatArray,
    *,
    gap: float,
    cuts: bool,
    chooses: bool,
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

    Where the relaxation is solved, cuts come in: of any three records, the groups that hold two or three may have a
    total weight of at most 1 [4]_. Penalties for such groups then enter the reduced cost, and the bound is lowered by
    their sum.

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
    """
    start = time.monotonic()
    n_records, stop = len(X), start + (LINEAR_PART if chooses else 1.0) * seconds

    def tick(_: float = 0.0) -> None:
        now = time.monotonic()
        if progress is not None:
            progress(min((now - start) / seconds, 1.0))
        if now > stop:
            raise OutOfTime

    scale = float(prices.mean())  # the solver's tolerances are absolute: let the mean record pay 1 to start with
    X, prices = X / np.sqrt(scale), prices / scale
    columns = Columns()
    labels, upper = np.zeros(0, dtype=np.int64), np.inf
    for known in partitions:
        groups = groups_of(known, k)
        known_costs = [group_cost(X, group) for group in groups]
        columns.add(groups, known_costs)
        if sum(known_costs) < upper:
            labels, upper = known, sum(known_costs)

    low, high = np.minimum(prices, 0.0), FACTOR * np.maximum(prices, 0.0) + 0.01
    master = Master(n_records)
    penalties = np.zeros(0)
    best, centre, nodes, n_new, solved = float(prices.sum()), (prices, penalties), FIRST_NODES, n_records, False
    relaxed = 0.0  # the bound when the last cuts were made
    try:
        while upper - best > 1e-9 * upper:
            master.box(low, high)
            master.extend(columns)
            answer = master.solve(stop - time.monotonic())
            tick()
            if answer is None:
                break
            value, prices, penalties, held = answer.value, answer.prices, answer.penalties, answer.held
            at_end = not held.any() and value - best <= gap * value + TOLERANCE
            if not at_end:
                stepped_back = n_new > n_records / 20
                if stepped_back:
                    prices = INERTIA * centre[0] + (1.0 - INERTIA) * prices
                    before = np.append(centre[1], np.zeros(len(penalties) - len(centre[1])))  # new cuts had none
                    penalties = INERTIA * before + (1.0 - INERTIA) * penalties
                members, starts, costs, _, least, cut_short = _core.price_groups(
                    X, k, prices, master.triples, penalties, TOLERANCE, GROUPS_PER_SEED, nodes, threads, tick
                )
                wanting = float(np.partition(least, n_records // k - 1)[: n_records // k].sum())
                bound = float(prices.sum() - penalties.sum()) + wanting
                if bound > best:
                    best, centre = bound, (prices, penalties)
                n_new = columns.add(np.split(members, starts[1:-1]) if len(costs) else [], costs)
                if n_new < n_records / 20 and len(cut_short):
                    nodes *= 4
                complete = not n_new and not stepped_back and not len(cut_short)
                at_end = complete and master.precise and not held.any()
                master.precise = master.precise or complete
                if complete or value - best <= 0.2 * value:
                    high[held[0]] *= FACTOR
                if complete or value - best <= 0.05 * value:
                    low[held[1]] = 2.0 * low[held[1]] - 0.3
            if at_end:
                solved = True
                if not cuts or best - relaxed <= gap * best:
                    break
                triples = master.violated(columns, CUTS_AT_ONCE)
                if not len(triples):
                    break
                relaxed = best
                master.cut(triples, columns)
                master.precise = False
    except OutOfTime:
        pass

    # A group whose reduced cost exceeds what lies between the bound and the best partition is in no better one.
    useful = [
        (group, cost)
        for group, cost in zip(columns.groups, columns.costs, strict=True)
        if cost - centre[0][group].sum() <= upper - best
    ]
    left = min(start + seconds - time.monotonic(), (1.0 - LINEAR_PART) * seconds)
    if chooses and left > 0.0 and upper - best > 1e-9 * upper:
        chosen = choose(n_records, [group for group, _ in useful], np.array([cost for _, cost in useful]), left).labels
        if chosen is not None:
            total = sum(group_cost(X, group) for group in groups_of(chosen, k))
            if total < upper:
                labels, upper = chosen, total
    return ColumnBound(best * scale, labels, float(upper) * scale, solved, [group for group, _ in useful])


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
        X, k, [labels], prices, gap=1e-3, cuts=False, chooses=False, seconds=left, threads=threads, progress=progress
    ).groups


def groups_of(labels: IntArray, k: int) -> list[IntArray]:
    """Give the rows of each group, ascending; groups of 2k or more in parts of k to 2k-1, which cost no more."""
    order = np.argsort(labels, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(labels[order])) + 1)
    return [part for group in groups for part in np.array_split(group, max(len(group) // k, 1))]


def group_cost(X: FloatArray, group: IntArray) -> float:
    """Give the sum of squared errors of one group."""
    return float(((X[group] - X[group].mean(axis=0)) ** 2).sum())
