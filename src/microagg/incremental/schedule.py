"""A schedule for a survey: any curve of arrivals, any power of the number of records."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from microagg.base.checks import check_k
from microagg.base.types import FloatArray, IntArray
from microagg.errors import InvalidOption
from microagg.incremental.arrivals import Arrivals
from microagg.incremental.price import Price
from microagg.incremental.running_time import TwoStageTime

FINE = 1 << 16
"""How many sizes of the base stage are compared at a time."""


@dataclass(frozen=True)
class Schedule:
    """When to start the base stage, on how many records, and what follows from that.

    Attributes
    ----------
    n_base, n_rest : int
        Records of the base stage and of the second one; no second one: everything in one run.
    start, base_ends, closes, ready : float
        When the base stage starts and ends, when the survey closes, and when the release is ready, in the seconds of
        the arrivals. The second stage starts when the base stage has ended and the survey is closed.
    one_run : float
        Seconds that one run on everything would take, from closing on.
    expected_loss_increase : float, optional
        By how many percent the information loss of one run is expected to grow; None where no price was given.
    """

    n_base: int
    n_rest: int
    start: float
    base_ends: float
    closes: float
    ready: float
    one_run: float
    expected_loss_increase: float | None = None

    @property
    def ratio(self) -> float:
        """The share of the records in the second stage, the paper's nu."""
        return self.n_rest / (self.n_base + self.n_rest)

    @property
    def head_start(self) -> float:
        """Seconds from the start of the base stage to closing."""
        return self.closes - self.start

    @property
    def wait(self) -> float:
        """Seconds from closing to the release."""
        return self.ready - self.closes


def plan(
    arrivals: Arrivals,
    method: TwoStageTime,
    deadline: float | None = None,
    *,
    k: int = 2,
    price: Price | None = None,
) -> Schedule:
    """Decide when the base stage starts and on how many records.

    Without a deadline, the release is ready as early as can be. With one, the base stage takes as many records as
    the deadline allows, because fewer records in the second stage cost less loss. Nothing is assumed of the curves:
    sizes of the base stage are compared, all of them up to 65,536 records, and beyond that an even choice of them
    first and then all between the neighbours of the best. Where the time of the second stage depends on the base
    stage, because new records join its groups, they are at most half of all: with more, most groups would have to be
    split, and the time would be another.

    Parameters
    ----------
    arrivals : Arrivals
        When records arrive, as expected.
    method : TwoStageTime
        How long the stages take; `calibrate` measures it.
    deadline : float, optional
        Seconds allowed from closing to the release.
    k : int
        Least size of a group, and so of the base stage.
    price : callable, optional
        From the share of the second stage to the expected increase of the information loss, in percent;
        `measure_price` finds it on a sample.

    Returns
    -------
    Schedule

    Examples
    --------
    Ten hours of arrivals, and two hours for one run on everything:

    >>> from microagg.incremental import planner
    >>> arrivals = Arrivals.uniform(36_000, 50_000)
    >>> method = TwoStageTime.quadratic(one_run=7200, n_records=50_000)
    >>> best = plan(arrivals, method)
    >>> round(best.ratio, 3), round(best.head_start / 60, 1), round(best.wait)
    (0.146, 87.5, 153)
    >>> round(plan(arrivals, method, deadline=3600).ratio, 3)
    0.073

    With a price that was measured before, or estimated:

    >>> late = plan(arrivals, method, deadline=3600, price=lambda ratio: 100 * float(planner.loss_growth(ratio, 15)))
    >>> round(late.expected_loss_increase, 1)
    4.0
    """
    n = arrivals.n_records
    k = check_k(k, n)
    if deadline is not None and not deadline >= 0:
        raise InvalidOption(f"deadline must be a number of seconds from closing on, at least 0; got {deadline!r}.")

    def wait(n_base: IntArray) -> FloatArray:
        base_ends = arrivals.time_of(n_base) + method.base.seconds(n_base)
        rest = np.where(n_base < n, method.rest.seconds(np.maximum(n - n_base, 1), n_base), 0.0)
        return np.maximum(base_ends, arrivals.closes) + rest - arrivals.closes

    fewest = max(k, (n + 1) // 2) if method.rest.base_exponent else k
    coarse = np.unique(np.linspace(fewest, n, min(n - fewest + 1, FINE)).round().astype(np.int64))
    waits = wait(coarse)
    chosen = _around(coarse, _last_least(waits))
    n_base = int(chosen[_last_least(wait(chosen))])
    if deadline is not None:
        least = float(wait(np.array([n_base]))[0])
        if least > deadline:
            raise InvalidOption(
                f"deadline must be at least {least:.6g} seconds after closing, the earliest that two stages can "
                f"reach here; got {deadline:.6g}."
            )
        in_time = np.flatnonzero(waits <= deadline)
        if in_time.size:
            chosen = _around(coarse, int(in_time[-1]))
        n_base = int(chosen[np.flatnonzero(wait(chosen) <= deadline)[-1]])
    start = float(arrivals.time_of(n_base))
    return Schedule(
        n_base=n_base,
        n_rest=n - n_base,
        start=start,
        base_ends=start + float(method.base.seconds(n_base)),
        closes=arrivals.closes,
        ready=arrivals.closes + float(wait(np.array([n_base]))[0]),
        one_run=float(method.base.seconds(n)),
        expected_loss_increase=None if price is None else float(price((n - n_base) / n)),
    )


def _around(sizes: IntArray, place: int) -> IntArray:
    """Every size between the neighbours of one."""
    return np.arange(sizes[max(place - 1, 0)], sizes[min(place + 1, sizes.size - 1)] + 1)


def _last_least(values: FloatArray) -> int:
    """The place of the least value, the last one on a tie: more records in the base stage cost less loss."""
    return int(values.size - 1 - np.argmin(values[::-1]))
