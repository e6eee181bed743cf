"""The drawing of a survey: bars where something ran, marks at closing and deadline, and the numbers in words."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import numpy as np
import pytest

from microagg.incremental import Arrivals, Schedule
from microagg.incremental.simulation import Phase, Simulation, Timeline
from microagg.report import draw_timeline, render_timeline
from microagg.report.charts.timeline import TimeAxis

SVG = "{http://www.w3.org/2000/svg}"


def made(scale: float = 1.0, deadline: float | None = 3600.0) -> Simulation:
    """Ten hours with two for one run, in any unit of time."""
    closes = 36_000.0 * scale
    at_once = Schedule(100, 0, closes, closes + 7200 * scale, closes, closes + 7200 * scale, 7200 * scale, 0.0)
    early = Schedule(
        85, 15, closes - 5250 * scale, closes, closes, closes + 153 * scale, 7200 * scale, expected_loss_increase=6.0
    )
    lines = (
        Timeline("traditional", at_once, (Phase("one run", 100, closes, at_once.ready),), at_once.ready, 30.0, 0.0),
        Timeline(
            "optimal",
            early,
            (
                Phase("base stage", 85, early.start, closes),
                Phase("second stage", 15, closes, closes + 153 * scale),
            ),
            early.ready,
            32.0,
            6.5,
        ),
    )
    due = None if deadline is None else deadline * scale
    return Simulation(Arrivals.uniform(closes, 100), 10, 1.0, due, lines)


def parts(svg: str, kind: str) -> list[ET.Element]:
    return [each for each in ET.fromstring(svg).iter() if each.get("class") == kind]  # noqa: S314


def text(svg: str) -> str:
    return " | ".join("".join(each.itertext()) for each in ET.fromstring(svg).iter(f"{SVG}text"))  # noqa: S314


@pytest.mark.parametrize("scale", [1e-4, 1.0, 100.0])
def test_bars_lie_where_something_ran(scale):
    """Whatever the unit of time: the base stage ends where the second begins, at closing."""
    svg = draw_timeline(made(scale), "survey")
    (base,), (second,) = parts(svg, "base-stage")[:1], parts(svg, "second-stage")[:1]
    run = parts(svg, "one-run")[0]
    closing = parts(svg, "closing")[1]

    def edges(bar: ET.Element) -> tuple[float, float]:
        return float(bar.get("x")), float(bar.get("x")) + float(bar.get("width"))

    assert edges(base)[1] == pytest.approx(edges(second)[0], abs=0.2)
    assert edges(second)[0] == pytest.approx(float(closing.get("x1")), abs=0.2)
    assert edges(run)[0] == edges(second)[0]
    widths = [edges(bar)[1] - edges(bar)[0] for bar in (base, second, run)]
    assert widths[0] / widths[2] == pytest.approx(5250 / 7200, abs=0.01)
    assert widths[2] / widths[1] == pytest.approx(7200 / 153, rel=0.05)


def test_words():
    svg = draw_timeline(made(), "ten <hours>")
    said = text(svg)
    assert "ten <hours>" in said
    assert "ready 2 min 33 s after closing (planned: 2 min 33 s); loss 32%, +6.5% (expected: +6%)" in said
    assert "ready 2 h after closing" in said
    assert "ν = 15%" in said
    assert "deadline" in said
    assert "deadline" not in text(draw_timeline(made(deadline=None), "survey"))


def test_something_short_can_be_seen():
    """A second stage of a thousandth of the window has a bar all the same."""
    found = made()
    base, _ = found.timelines[1].phases
    short = Timeline(
        "optimal",
        found.timelines[1].planned,
        (base, Phase("second stage", 15, 36_000.0, 36_001.0)),
        36_001.0,
        32.0,
        6.5,
    )
    svg = draw_timeline(Simulation(found.arrivals, 10, 1.0, None, (found.timelines[0], short)), "survey")
    assert float(parts(svg, "second-stage")[0].get("width")) >= 2.0


@pytest.mark.parametrize("span", [1e-5, 0.3, 7.0, 3600.0, 50_000.0, 1e7])
def test_ticks_are_few_and_round(span):
    ticks = TimeAxis(1000.0 - span, 1000.0 + span).ticks(1000.0)
    assert 3 <= len(ticks) <= 9
    assert 1000.0 in ticks
    assert np.ptp(np.diff(ticks)) < 1e-6 * span


def test_page():
    page = render_timeline(made(), "A & B")
    assert page.startswith("<!doctype html>")
    assert "A &amp; B" in page
    assert page.count('scope="row"') == 2
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "").replace("http-equiv", "")
    assert "<script" not in page
