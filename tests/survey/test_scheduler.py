"""The scheduler: the right stage at the right moment, whatever the clock does and whoever dies."""

from __future__ import annotations

import datetime
import threading

import numpy as np
import pytest
from answers import K, assert_released, keys, records, small

from microagg.incremental import RunningTime, TwoStageTime
from microagg.survey import Survey, worker
from microagg.survey.scheduler import LEAST_SAMPLE, Scheduler, Times, sane
from microagg.survey.store import BASE, REST

OPENED, CLOSES = 1_000_000.0, 1_000_600.0
ENOUGH = LEAST_SAMPLE * K


class Ended:
    """A worker that has ended with a code; one without a code is still at work."""

    def __init__(self, code: int | None) -> None:
        self.code = code

    def poll(self) -> int | None:
        return self.code

    def wait(self) -> int | None:
        return self.code


@pytest.fixture
def scene(tmp_path):
    """A survey with a clock of our own; workers run in this process, and say which stage they were asked for."""
    clock, asked = [OPENED], []
    url = str(tmp_path / "surveys.db")
    closes = datetime.datetime.fromtimestamp(CLOSES, datetime.UTC)

    def start(url, name, stage, n_records):
        asked.append((stage, n_records))
        worker.work(url, name, stage, n_records)
        return Ended(0)

    class Scene:
        def __init__(self, **more):
            self.clock, self.asked, self.url = clock, asked, url
            definition = small(**{"closes": closes, **more})
            self.survey = Survey.create(url, definition, clock=lambda: clock[0])

        def scheduler(self, start=start):
            self.last = Scheduler(url, "small", clock=lambda: clock[0], start=start)
            return self.last

    made = []

    def make(**more):
        made.append(Scene(**more))
        return made[-1]

    yield make
    for scene in made:
        scene.survey.disconnect()
        scene.last.survey.disconnect()


def test_plans_and_does_both_stages(scene):
    scene = scene(expected=2 * ENOUGH)
    scheduler = scene.scheduler()
    assert scheduler.step() is None
    assert scene.survey.status().plan is None
    scene.survey.add(records(ENOUGH), keys(ENOUGH))
    scene.clock[0] += 300.0
    # The stages take no time at all, so the best moment is right before closing.
    assert scheduler.step() is None
    plan = scene.survey.status().plan
    assert plan["n_base"] + plan["n_rest"] == 2 * ENOUGH
    assert plan["n_base"] > ENOUGH
    assert plan["made"] < plan["start"] <= plan["base_ends"] <= plan["ready"]
    assert plan["start"] <= plan["closes"] < plan["ready"]
    assert plan["closes"].startswith(datetime.datetime.fromtimestamp(CLOSES, datetime.UTC).isoformat()[:19])
    scene.survey.add(records(ENOUGH - 1, ENOUGH), keys(ENOUGH - 1, ENOUGH))
    for moment in np.linspace(CLOSES - 2.0, CLOSES - 1e-3, 400):
        scene.clock[0] = float(moment)
        if stage := scheduler.step():
            break
    assert stage == BASE
    assert scheduler.step() is None
    scene.survey.add(records(1, 2 * ENOUGH - 1), keys(1, 2 * ENOUGH - 1))
    scene.clock[0] = CLOSES
    assert scheduler.step() == REST
    assert scheduler.step() is None
    assert [stage for stage, _ in scene.asked] == [BASE, REST]
    assert scene.survey.status().state == "closed"
    assert_released(scene.survey.publication().content, range(2 * ENOUGH))


def test_follows_a_closing_that_was_moved(scene):
    scene = scene(expected=2 * ENOUGH)
    scheduler = scene.scheduler()
    scene.survey.add(records(ENOUGH), keys(ENOUGH))
    scene.clock[0] += 300.0
    assert scheduler.step() is None
    moved = datetime.datetime.fromtimestamp(CLOSES + 500.0, datetime.UTC)
    scene.survey.reschedule(moved)
    scene.clock[0] = CLOSES
    assert scheduler.step() is None
    assert scene.survey.status().state == "open"
    assert scene.survey.status().plan["closes"].startswith(moved.isoformat()[:19])
    scene.survey.add(records(ENOUGH, ENOUGH), keys(ENOUGH, ENOUGH))
    scene.clock[0] = CLOSES + 500.0
    assert scheduler.step() == REST
    assert_released(scene.survey.publication().content, range(2 * ENOUGH))


def test_starts_at_once_where_time_is_short(scene, monkeypatch):
    """A base stage that would take minutes must begin with what is there."""
    scene = scene(expected=100)
    scene.survey.add(records(60))
    scene.clock[0] += 300.0
    scheduler = scene.scheduler()
    monkeypatch.setattr(scheduler, "_measure", lambda: Times(TwoStageTime.quadratic(900.0, 100), 0.0, 60))
    assert scheduler.step() == BASE
    # 300 s are left until closing; all of n = 100 would take 900 s, and n answers take 900 s * (n/100)^2.
    ready = {n: max(0.09 * n**2, 300.0) + 0.09 * (100 - n) ** 2 for n in range(K, 61)}
    assert scene.asked == [(BASE, min(ready, key=ready.get))]


def test_a_deadline_that_cannot_be_met_is_said_and_done_without(scene):
    scene = scene(expected=10 * ENOUGH, deadline=0.0)
    scene.survey.add(records(ENOUGH))
    scene.clock[0] += 60.0
    scene.scheduler().step()
    plan = scene.survey.status().plan
    assert "deadline cannot be met" in plan["note"]


def test_a_wide_deadline_takes_everything_in_one_run(scene):
    scene = scene(expected=10 * ENOUGH, deadline=3600.0)
    scene.survey.add(records(ENOUGH))
    scene.clock[0] += 60.0
    scene.scheduler().step()
    plan = scene.survey.status().plan
    assert (plan["n_base"], plan["n_rest"]) == (10 * ENOUGH, 0)


def test_measured_powers_are_bounded():
    """Short runs on a busy machine can seem to take any power of the number of records."""
    wild = RunningTime.fit([24, 48], [1e-5, 1e-1])
    assert wild.exponent > 10
    tame = sane(wild, 48, 24)
    assert tame.exponent == 2.5
    assert tame.seconds(48, 24) == pytest.approx(1e-1)
    assert tame.seconds(480, 24) == pytest.approx(1e-1 * 10**2.5)
    fine = RunningTime(2e-6, 2.0, 1.0)
    assert sane(fine, 48, 24).seconds(480, 240) == pytest.approx(fine.seconds(480, 240))


def test_without_an_hour_nothing_happens_before_closing(scene):
    scene = scene(closes=None)
    scene.survey.add(records(ENOUGH))
    scheduler = scene.scheduler()
    assert scheduler.step() is None
    scene.clock[0] += 1e6
    assert scheduler.step() is None
    scene.survey.close()
    assert scheduler.step() == REST
    assert scene.asked == [(REST, None)]
    assert scene.survey.status().stages[0]["state"] == "skipped"


def test_more_answers_than_expected(scene):
    """The pace so far goes on; where nobody comes any more, what is there is grouped at once."""
    scene = scene(expected=ENOUGH)
    scene.survey.add(records(2 * ENOUGH))
    scene.clock[0] += 300.0
    scheduler = scene.scheduler()
    assert scheduler.step() is None
    assert scene.survey.status().plan["n_base"] + scene.survey.status().plan["n_rest"] == 4 * ENOUGH
    scene.clock[0] = CLOSES - 1.5
    assert scheduler.step() == BASE
    assert scene.asked == [(BASE, 2 * ENOUGH)]


def test_closes_in_time_while_a_worker_is_busy(scene):
    scene = scene(expected=200)
    scene.survey.add(records(60))
    busy = Ended(None)
    scheduler = scene.scheduler(lambda *asked: busy)
    scene.clock[0] = CLOSES - 0.5
    assert scheduler.step() == BASE
    assert scheduler.step() is None
    scene.clock[0] = CLOSES
    assert scheduler.step() is None
    assert scene.survey.status().state == "closing"
    busy.code = 0
    assert scheduler.step() == REST


def test_a_clock_that_is_put_back_changes_nothing(scene):
    scene = scene()
    scene.survey.add(records(10))
    scheduler = scene.scheduler()
    scene.clock[0] = CLOSES - 1.0
    scheduler.step()
    scene.clock[0] = OPENED - 5000.0
    assert scheduler.now() == CLOSES - 1.0
    scheduler.step()
    assert scene.survey.status().state == "open"
    scene.clock[0] = CLOSES
    assert scheduler.step() == REST
    scene.clock[0] = OPENED
    assert scheduler.step() is None
    assert scene.survey.status().state == "closed"


def test_a_worker_that_was_killed_is_started_again(scene, monkeypatch):
    scene = scene()
    scene.survey.add(records(10))
    scene.survey.close()
    # Killed, its store away, it did nothing, and all is well.
    codes = [-9, 75, 0, 0]

    def start(url, name, stage, n_records):
        if len(codes) == 1:
            worker.work(url, name, stage, n_records)
        return Ended(codes.pop(0))

    scheduler = scene.scheduler(start)
    now = [0.0]
    monkeypatch.setattr("microagg.survey.scheduler.time.monotonic", lambda: now[0])
    for pause in (0.5, 1.0, 2.0):
        assert scheduler.step() == REST
        assert scheduler.step() is None
        now[0] += pause - 0.1
        assert scheduler.step() is None
        now[0] += 0.1
    assert scheduler.step() == REST
    assert scheduler.step() is None
    assert scene.survey.status().state == "closed"


def test_a_worker_with_a_bug_fails_the_stage(scene):
    scene = scene()
    scene.survey.add(records(10))
    scene.survey.close()
    scheduler = scene.scheduler(lambda *asked: Ended(1))
    assert scheduler.step() == REST
    assert scheduler.step() is None
    assert scene.survey.status().state == "failed"
    assert "code 1" in scene.survey.status().message
    # Whoever looks into it may try again.
    scene.survey.run()
    assert scene.survey.status().state == "closed"


def test_real_processes_to_the_end(url):
    """Two schedulers look after one survey that closes in a moment, and start workers of their own."""
    closes = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=1.5)
    with Survey.create(url, small(closes=closes, expected=4 * ENOUGH)) as survey:
        stop = threading.Event()
        schedulers = [Scheduler(url, "small") for _ in range(2)]
        threads = [threading.Thread(target=scheduler.run, args=(stop,)) for scheduler in schedulers]
        for thread in threads:
            thread.start()
        survey.add(records(2 * ENOUGH), keys(2 * ENOUGH))
        for thread in threads:
            thread.join()
        for scheduler in schedulers:
            scheduler.join()
            scheduler.survey.disconnect()
        assert survey.status().state == "closed"
        assert_released(survey.publication().content, range(2 * ENOUGH))


def test_stops_when_told(tmp_path):
    with Survey.create(str(tmp_path / "surveys.db"), small()) as survey:
        scheduler = Scheduler(str(tmp_path / "surveys.db"), "small")
        stop = threading.Event()
        thread = threading.Thread(target=scheduler.run, args=(stop,))
        thread.start()
        stop.set()
        thread.join()
        scheduler.survey.disconnect()
        assert survey.status().state == "open"
