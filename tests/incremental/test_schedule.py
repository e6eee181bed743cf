"""Schedules for any arrivals and any powers: the closed forms where they hold, brute force where they do not."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from microagg.errors import InfeasibleK, InvalidData, InvalidOption
from microagg.incremental import Arrivals, RunningTime, TwoStageTime, calibrate, plan, planner, running_time
from microagg.incremental.two_stage import JOINS

HOUR = 3600.0
N = 50_000
TEN_HOURS = Arrivals.uniform(10 * HOUR, N)
TWO_HOURS = TwoStageTime.quadratic(2 * HOUR, N)


def waiting(arrivals: Arrivals, method: TwoStageTime, n_base: int) -> float:
    """Seconds from closing to the release, step by step."""
    n = arrivals.n_records
    ends = float(arrivals.time_of(n_base)) + method.base.constant * n_base**method.base.exponent
    rest = method.rest
    second = rest.constant * (n - n_base) ** rest.exponent * n_base**rest.base_exponent if n_base < n else 0.0
    return max(ends, arrivals.closes) + second - arrivals.closes


def test_example_of_section_six():
    """Section VI-B again, now in records and seconds."""
    best = plan(TEN_HOURS, TWO_HOURS)
    assert best.n_base + best.n_rest == N
    assert best.ratio == pytest.approx(0.1459, abs=5e-5)
    assert best.head_start == pytest.approx(87.5 * 60, abs=5)
    assert best.base_ends == pytest.approx(best.closes, abs=2)
    assert best.wait == pytest.approx(153, abs=1)
    assert best.one_run == pytest.approx(2 * HOUR)
    hour = plan(TEN_HOURS, TWO_HOURS, deadline=HOUR)
    assert hour.ratio == pytest.approx(0.07295, abs=2e-5)
    assert HOUR - 1 < hour.wait <= HOUR


@pytest.mark.parametrize("zeta", [0.0, 0.1, planner.CRITICAL_ZETA, 0.5, 5.0, 40.0])
def test_closed_forms_are_the_special_case(zeta):
    """Uniform arrivals and quadratic stages: the optimum and the deadline ratio of the paper."""
    arrivals = Arrivals.uniform(zeta * 2 * HOUR, N)
    best = plan(arrivals, TWO_HOURS)
    assert best.ratio == pytest.approx(float(planner.optimal_ratio(zeta)), abs=1e-3)
    assert best.wait / best.one_run == pytest.approx(float(planner.earliest_deadline(zeta)), abs=1e-4)
    allowed = 0.5 + 0.5 * float(planner.earliest_deadline(zeta))
    late = plan(arrivals, TWO_HOURS, deadline=allowed * 2 * HOUR)
    assert late.ratio == pytest.approx(float(planner.deadline_ratio(allowed, zeta)), abs=1e-3)


@settings(deadline=None, max_examples=100)
@given(data=st.data(), k=st.integers(2, 5))
def test_no_size_is_better(data, k):
    """Bursts, pauses, any powers: the plan is the best of all sizes, and the largest that meets a deadline."""
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    n = int(rng.integers(k, 120))
    times = np.sort(rng.integers(0, 6, size=8)) * 10.0
    counts = np.append(np.sort(rng.integers(0, n, size=7)), n)
    arrivals = Arrivals(times, counts)
    base, rest, joins = rng.uniform(0.0, 3.0, size=3) * [1, 1, rng.integers(0, 2)]
    method = TwoStageTime(RunningTime(20 / n**base, base), RunningTime(20 / n ** (rest + joins), rest, joins))
    fewest = max(k, (n + 1) // 2) if joins else k
    every = np.array([waiting(arrivals, method, size) for size in range(fewest, n + 1)])
    best = plan(arrivals, method, k=k)
    assert best.wait == pytest.approx(every.min(), abs=1e-9)
    assert best.start == float(arrivals.time_of(best.n_base))
    assert best.ready >= max(best.base_ends, best.closes)
    deadline = best.wait + 1e-6 + float(rng.uniform(0, 10))
    late = plan(arrivals, method, deadline, k=k)
    assert late.wait <= deadline
    assert (every[late.n_base - fewest + 1 :] > deadline - 1e-9).all()


def test_more_sizes_than_are_compared_at_once():
    """Ten million records: a coarse choice first, then every size around the best."""
    n = 10_000_000
    best = plan(Arrivals.uniform(10 * HOUR, n), TwoStageTime.quadratic(2 * HOUR, n))
    assert best.ratio == pytest.approx(float(planner.optimal_ratio(5.0)), abs=2e-7)
    hour = plan(Arrivals.uniform(10 * HOUR, n), TwoStageTime.quadratic(2 * HOUR, n), deadline=HOUR)
    assert hour.ratio == pytest.approx(float(planner.deadline_ratio(0.5, 5.0)), abs=2e-7)


def test_nearest_as_second_stage():
    """tau_+ = alpha (1-nu) nu, section IV-D: it vanishes with the base stage too, which must not be the plan."""
    method = TwoStageTime(TWO_HOURS.base, RunningTime(0.3 * 2 * HOUR / N**2, 1.0, 1.0))
    best = plan(TEN_HOURS, method)
    assert best.wait == pytest.approx(0.3 * best.ratio * (1 - best.ratio) * 2 * HOUR, abs=2)
    assert best.ratio == pytest.approx(float(planner.critical_ratio(5.0)), abs=1e-3)


def test_late_arrivals_leave_more_to_the_second_stage():
    """The same ten hours, most answers in the last: little head start for the same share."""
    late = plan(Arrivals([0, 9 * HOUR, 10 * HOUR], [0, 0.2 * N, N]), TWO_HOURS)
    early = plan(Arrivals([0, HOUR, 10 * HOUR], [0, 0.8 * N, N]), TWO_HOURS)
    assert early.wait < plan(TEN_HOURS, TWO_HOURS).wait < late.wait


def test_linear_methods_need_no_long_head_start():
    """One run that takes a second: with a deadline of two, everything in one run."""
    quick = TwoStageTime(RunningTime(1 / N, 1.0), RunningTime(1 / N, 1.0))
    assert plan(TEN_HOURS, quick, deadline=2.0).n_rest == 0
    assert plan(TEN_HOURS, quick).wait < 1e-3


def test_time_of_bursts_and_pauses():
    """The first moment at which so many are there: a burst is one moment, a pause does not delay the last before it."""
    arrivals = Arrivals([0, 10, 10, 20, 30], [0, 5, 8, 8, 10])
    assert arrivals.time_of([0, 5, 6, 8, 9, 10]).tolist() == [0, 10, 10, 10, 25, 30]
    assert arrivals.closes == 30
    assert Arrivals.observed([5.0, 5.0, 1.0]).time_of([1, 2, 3]).tolist() == [1, 5, 5]


def test_schedules_and_arrivals_are_values():
    best = plan(TEN_HOURS, TWO_HOURS)
    assert best == plan(TEN_HOURS, TWO_HOURS)
    with pytest.raises(dataclasses.FrozenInstanceError):
        best.start = 0.0
    with pytest.raises(ValueError, match="read-only"):
        TEN_HOURS.times[0] = 1.0


@given(st.floats(1e-12, 1e-3), st.floats(0.5, 3.0), st.floats(-1.0, 2.0))
def test_fit_finds_what_made_the_times(constant, exponent, base_exponent):
    n, n_base = np.array([100, 400, 1600, 300]), np.array([500, 900, 700, 4000])
    known = RunningTime(constant, exponent, base_exponent)
    fitted = RunningTime.fit(n, known.seconds(n, n_base), n_base)
    assert fitted.constant == pytest.approx(constant, rel=1e-6)
    assert (fitted.exponent, fitted.base_exponent) == pytest.approx((exponent, base_exponent), abs=1e-6)


@pytest.mark.parametrize(
    ("rest", "refine"), [("mdav", None), ("vmdav", None), ("nearest", None), ("regroup", None), ("mdav", "local")]
)
def test_calibration_measures_each_stage(rest, refine, monkeypatch):
    """Stages that take exactly known times by a clock of our own: what they take is found again."""
    now = [0.0]
    per_method = {"mdav": (1e-6, 2.0), "vmdav": (3e-6, 1.5)}

    def partition(X, k, *, method, refine, refine_options, threads):
        constant, exponent = per_method[method]
        now[0] += constant * len(X) ** exponent
        return np.zeros(len(X), dtype=np.int64)

    def second_stage(X, labels, k, *, rest, rest_options, refine, refine_options, threads):
        now[0] += 2e-7 * (len(X) - len(labels)) ** 1.1 * len(labels) ** 0.9
        return np.zeros(len(X), dtype=np.int64)

    monkeypatch.setattr(running_time, "partition", partition)
    monkeypatch.setattr(running_time, "second_stage", second_stage)
    times = calibrate(np.zeros((1000, 1)), 3, rest=rest, refine=refine, clock=lambda: now[0])
    expected = RunningTime(2e-7, 1.1, 0.9) if refine or rest in JOINS else RunningTime(*per_method[rest])
    for found, known in ((times.base, RunningTime(1e-6, 2.0)), (times.rest, expected)):
        assert dataclasses.astuple(found) == pytest.approx(dataclasses.astuple(known), rel=1e-5)


@pytest.mark.parametrize("rest", ["mdav", "nearest"])
def test_calibration_on_this_machine(rest):
    """Real runs give a plan."""
    times = calibrate(np.random.default_rng(0).normal(size=(800, 3)), 3, rest=rest, repeats=1)
    assert plan(Arrivals.uniform(60.0, 1000), times).n_base >= 2


def test_what_is_not_allowed():
    with pytest.raises(InvalidOption, match=r"at least 153\.\d+ seconds after closing.*got 60"):
        plan(TEN_HOURS, TWO_HOURS, deadline=60)
    for wrong in (-1.0, float("nan")):
        with pytest.raises(InvalidOption, match="deadline must be a number of seconds"):
            plan(TEN_HOURS, TWO_HOURS, deadline=wrong)
    with pytest.raises(InfeasibleK):
        plan(Arrivals.uniform(1.0, 2), TWO_HOURS, k=3)
    for times, counts in (([0, -1], [0, 5]), ([0, 1], [5, 0]), ([], []), ([0, np.nan], [0, 5])):
        with pytest.raises(InvalidData, match="never fall"):
            Arrivals(times, counts)
    with pytest.raises(InvalidData, match="one count for each time"):
        Arrivals([0, 1], [5])
    with pytest.raises(InvalidData, match="whole number of at least 1"):
        Arrivals([0, 1], [0, 2.5])
    with pytest.raises(InvalidData, match="at most the number of all records"):
        TEN_HOURS.time_of(N + 1)
    with pytest.raises(InvalidData, match="never fall"):
        Arrivals.observed([1.0, 5.0], closes=3.0)
    with pytest.raises(InvalidData, match="positive numbers"):
        RunningTime.fit([1, 2], [0.0, 1.0])
    with pytest.raises(InvalidData, match="2 unknowns cannot be fitted"):
        RunningTime.fit([5, 5], [1.0, 2.0])
    with pytest.raises(InvalidOption, match="16k = 48 records"):
        calibrate(np.zeros((40, 1)), 3)
