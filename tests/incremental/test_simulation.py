"""A survey replayed: what ran when, by clocks of our own, and with real ones."""

from __future__ import annotations

import numpy as np
import pytest

from microagg.errors import InvalidOption
from microagg.incremental import (
    Arrivals,
    MeasuredPrice,
    calibrate,
    measure_price,
    plan,
    running_time,
    second_stage,
    simulation,
    two_stage,
)
from microagg.incremental.arrivals import SHAPES
from microagg.incremental.simulation import CompressedClock, VirtualClock, simulate
from microagg.partition import partition
from microagg.utility import information_loss, sse


def gaussian(n: int, m: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, m))


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_of_arrivals(shape):
    """From none to all, within the time, and `time_of` and `count_at` are each other's inverse where it rises."""
    arrivals = Arrivals.shaped(shape, 500.0, 1000)
    assert (arrivals.n_records, arrivals.closes) == (1000, 500.0)
    assert arrivals.count_at(-1.0) == 0
    assert arrivals.count_at([0.0, 500.0, 600.0]).tolist() == [0.0, 1000.0, 1000.0]
    counts = np.linspace(1, 999, 37)
    np.testing.assert_allclose(arrivals.count_at(arrivals.time_of(counts)), counts)


def test_shapes_differ_as_their_names_say():
    half = {shape: float(Arrivals.shaped(shape, 2.0, 1000).count_at(1.0)) for shape in SHAPES}
    assert half["back"] < 200 < half["uniform"] == 500 < 800 < half["front"]
    steps = np.diff(Arrivals.shaped("bursts", 1.0, 1000).counts)
    assert np.sort(steps)[-25:].sum() > 750


def test_counts_at_a_burst():
    """All that come at one moment are there at that moment, and none of them before."""
    arrivals = Arrivals([5.0, 10.0, 10.0], [2, 4, 9])
    assert arrivals.count_at([4.0, 5.0, 7.5, 10.0]).tolist() == [0.0, 2.0, 3.0, 9.0]


def test_what_arrivals_do_not_allow():
    with pytest.raises(InvalidOption, match="arrivals must be one of uniform, front, back, bursts"):
        Arrivals.shaped("sideways", 1.0, 5)
    for wrong in (0.0, -1.0, float("inf"), float("nan")):
        with pytest.raises(InvalidOption, match="duration must be a positive number"):
            Arrivals.shaped("front", wrong, 5)


def test_measured_price_is_that_of_two_stages():
    X = gaussian(600, 4)
    price = measure_price(X, 5, rest="nearest", refine="local", ratios=[0.3, 0.1])
    assert price.ratios == (0.1, 0.3)
    one = sse(X, partition(X, 5, refine="local"))
    for ratio, n_base in ((0.1, 540), (0.3, 420)):
        both = sse(X, two_stage(X, 5, n_base, rest="nearest", refine="local"))
        assert price(ratio) == pytest.approx(100 * (both / one - 1))
    assert price(0.0) == 0.0
    assert price(0.9) == price(0.3)


def test_price_in_a_schedule():
    arrivals, times = Arrivals.uniform(100.0, 400), calibrate(gaussian(400, 2), 3, repeats=1)
    schedule = plan(arrivals, times, price=MeasuredPrice((1.0,), (50.0,)))
    assert schedule.expected_loss_increase == pytest.approx(50 * schedule.ratio)
    assert plan(arrivals, times).expected_loss_increase is None


def test_what_prices_do_not_allow():
    for wrong in (0.0, 1.0, 0.01):
        with pytest.raises(InvalidOption, match="ratios must leave at least k=5 of 100"):
            measure_price(gaussian(100, 2), 5, ratios=[wrong])


class Ticking:
    """Seconds that pass as fast as somebody sleeps or works."""

    def __init__(self) -> None:
        self.now = 100.0
        self.slept = 0.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept += seconds
        self.now += seconds


def test_virtual_clock():
    """It jumps where nothing runs, counts what runs several times, and never goes back."""
    ticking = Ticking()
    clock = VirtualClock(factor=10.0, seconds=ticking)
    clock.wait_until(50.0)
    assert clock.spent_on(lambda: ticking.sleep(2.0)) == (None, 50.0, 70.0)
    clock.wait_until(60.0)
    assert clock.spent_on(lambda: None) == (None, 70.0, 70.0)
    clock.restart()
    assert clock.spent_on(lambda: None)[1] == 0.0


def test_compressed_clock():
    """It sleeps, at the pace that was asked for."""
    ticking = Ticking()
    clock = CompressedClock(600.0, seconds=ticking, sleep=ticking.sleep)
    clock.wait_until(36_000.0)
    assert ticking.slept == pytest.approx(60.0)
    _, begin, end = clock.spent_on(lambda: ticking.sleep(1.0))
    assert (begin, end) == pytest.approx((36_000.0, 36_600.0))
    clock.wait_until(36_000.0)
    assert ticking.slept == pytest.approx(61.0)
    clock.restart()
    assert clock.now() == 0.0


@pytest.fixture
def quadratic(monkeypatch):
    """A clock by which every stage takes a time that is quadratic in its records; the stages run all the same."""
    ticking = Ticking()

    def partition_slowly(X, k, **options):
        ticking.now += 1e-6 * len(X) ** 2
        return partition(X, k, **options)

    def second_stage_slowly(X, labels, k, **options):
        ticking.now += 1e-6 * (len(X) - len(labels)) ** 2
        return second_stage(X, labels, k, **options)

    for module in (simulation, running_time):
        monkeypatch.setattr(module, "partition", partition_slowly)
        monkeypatch.setattr(module, "second_stage", second_stage_slowly)
    return VirtualClock(seconds=ticking)


def test_replay_of_section_vi_b(quadratic):
    """Ten hours, and two for one run: 14.6%, 1 h 27 min before closing, ready 153 s after; with an hour, 7.3%."""
    X, n = gaussian(5000, 3), 5000
    found = simulate(X, 10, Arrivals.uniform(36_000.0, n), one_run=7200.0, deadline=3600.0, clock=quadratic)
    traditional, optimal, deadline = found.timelines
    assert traditional.wait == pytest.approx(7200.0)
    assert optimal.planned.ratio == pytest.approx(0.146, abs=5e-4)
    assert optimal.phases[0].begin == pytest.approx(36_000 - 87.5 * 60, abs=30)
    assert optimal.wait == pytest.approx(153, abs=5)
    assert deadline.planned.ratio == pytest.approx(0.073, abs=5e-4)
    assert 3580 < deadline.wait <= 3600.1
    for line in (optimal, deadline):
        assert line.wait == pytest.approx(line.planned.wait, abs=1e-3)


@pytest.mark.parametrize(("rest", "refine"), [("mdav", None), ("nearest", "local")])
def test_replay_runs_the_stages(rest, refine, quadratic):
    """Each schedule ran on the records that were there, and the losses are those of the stages."""
    X, k = gaussian(1200, 4), 5
    arrivals = Arrivals.shaped("back", 36_000.0, 1200)
    found = simulate(X, k, arrivals, one_run=7200.0, deadline=5400.0, rest=rest, refine=refine, clock=quadratic)
    whole = partition(X, k, refine=refine)
    traditional, *others = found.timelines
    (run,) = traditional.phases
    assert (run.name, run.n_records, run.begin) == ("one run", 1200, 36_000.0)
    assert traditional.information_loss == information_loss(X, whole)
    assert traditional.loss_increase == 0.0
    assert [line.name for line in others] == ["optimal", "deadline"]
    for line in others:
        base, second = line.phases
        assert base.begin == line.planned.start == float(arrivals.time_of(line.planned.n_base))
        assert second.begin == max(base.end, 36_000.0)
        assert line.wait == line.ready - 36_000.0 == second.end - 36_000.0
        assert (base.n_records, second.n_records) == (line.planned.n_base, line.planned.n_rest)
        labels = two_stage(X, k, line.planned.n_base, rest=rest, refine=refine)
        assert line.information_loss == pytest.approx(information_loss(X, labels))
        assert line.loss_increase == pytest.approx(100 * (sse(X, labels) / sse(X, whole) - 1))


def test_replay_by_processor_time():
    """Real stages, measured as they are."""
    found = simulate(gaussian(1000, 4), 5, Arrivals.shaped("bursts", 36_000.0, 1000), one_run=7200.0, rest="nearest")
    for line in found.timelines:
        assert line.wait > 0
        assert all(phase.end >= phase.begin >= line.planned.start for phase in line.phases)


def test_one_run_sets_the_pace():
    """By a clock that ticks once for every question, any work takes one tick: here, an hour."""
    ticks = iter(range(10**6))
    X = gaussian(300, 2)
    found = simulate(
        X, 5, Arrivals.uniform(36_000.0, 300), one_run=3600.0, clock=VirtualClock(2.0, lambda: next(ticks))
    )
    assert found.factor == 3600.0
    assert found.timelines[0].wait == 3600.0


def test_compressed_replay():
    """Real time passes: here a thousandth of a second for each minute."""
    X = gaussian(400, 3)
    found = simulate(X, 5, Arrivals.uniform(3600.0, 400), clock=CompressedClock(60_000.0), rest="nearest")
    for line in found.timelines:
        assert line.ready > 3600.0
        assert line.phases[0].begin >= line.planned.start
    assert found.factor == 60_000.0


def test_records_that_are_all_equal():
    """Nothing can be lost, so that nothing more can be."""
    found = simulate(np.ones((200, 2)), 5, Arrivals.uniform(60.0, 200))
    assert [line.loss_increase for line in found.timelines] == [0.0, 0.0]
    assert measure_price(np.ones((200, 2)), 5)(0.3) == 0.0


def test_what_is_not_allowed():
    X = gaussian(200, 2)
    with pytest.raises(InvalidOption, match=r"as many as there are records \(200\); got 100"):
        simulate(X, 5, Arrivals.uniform(60.0, 100))
    with pytest.raises(InvalidOption, match="one_run needs a virtual clock"):
        simulate(X, 5, Arrivals.uniform(60.0, 200), one_run=5.0, clock=CompressedClock(10.0))
    with pytest.raises(InvalidOption, match="one_run must be a positive"):
        simulate(X, 5, Arrivals.uniform(60.0, 200), one_run=0.0)
    with pytest.raises(InvalidOption, match="deadline must be at least"):
        simulate(X, 5, Arrivals.uniform(36.0, 200), one_run=7200.0, deadline=1e-9)
