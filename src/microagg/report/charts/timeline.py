"""The timeline of a survey: arrivals, and what ran before and after closing with each schedule."""

from __future__ import annotations

import numpy as np

from microagg.incremental.simulation import Phase, Simulation, Timeline
from microagg.report import svg
from microagg.report.templates import fill
from microagg.report.words import duration, percent, tidy

STYLE = (
    ".timeline text{font:12px system-ui,sans-serif;fill:#1c2530}.timeline .title{font-size:15px;font-weight:600}"
    ".timeline .soft{fill:#5b6673}.timeline .name{font-weight:600}.timeline .inside{fill:#fff}"
    ".timeline .said{paint-order:stroke;stroke:#fff;stroke-width:5px}"
    ".timeline .grid{stroke:#e2e0d8}.timeline .closing{stroke:#9a4a07;stroke-dasharray:4 3}"
    ".timeline .alarm{fill:#9a4a07}.timeline .window{fill:#efede6}.timeline .due{stroke:#b25c93;stroke-dasharray:2 3}"
    ".timeline .arrivals{fill:#b9bfc8;fill-opacity:.55;stroke:#5b6673}.timeline .open{fill:#efede6}"
    ".timeline .one-run{fill:#7a8491}.timeline .base-stage{fill:#0b6fa8}.timeline .second-stage{fill:#d55e00}"
)
STEPS = (
    *(power * digit for power in (1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1) for digit in (1, 2, 5)),
    *(1, 2, 5, 10, 20, 30),
    *(60 * minutes for minutes in (1, 2, 5, 10, 20, 30)),
    *(3600 * hours for hours in (1, 2, 3, 6, 12)),
    *(86_400 * days for days in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)),
)
"""Round steps of time, in seconds."""
MOST_TICKS = 8
WIDTH, LEFT, RIGHT = 960.0, 150.0, 24.0
LEAST_BAR = 2.0
"""What ran is drawn at least so wide."""


class TimeAxis:
    """From seconds to places across."""

    def __init__(self, begin: float, end: float) -> None:
        self.begin, self.end = begin, end

    def place(self, moment: float) -> float:
        """Give where a moment lies; those outside lie on the edge."""
        share = (min(max(moment, self.begin), self.end) - self.begin) / (self.end - self.begin)
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def ticks(self, origin: float) -> list[float]:
        """Give round times before and after a moment."""
        step = next((s for s in STEPS if (self.end - self.begin) / s <= MOST_TICKS), STEPS[-1])
        first, last = np.ceil((self.begin - origin) / step), np.floor((self.end - origin) / step)
        return [origin + step * i for i in range(int(first), int(last) + 1)]


def draw_timeline(simulation: Simulation, title: str) -> str:
    """Draw a simulation as one SVG that needs no style sheet.

    Above, the arrivals from opening to closing. Below, the time around closing in which something ran, with a row for
    each schedule.

    >>> from microagg.datasets import gaussian
    >>> from microagg.incremental import Arrivals
    >>> from microagg.incremental.simulation import simulate
    >>> simulation = simulate(gaussian(400, 3, seed=0), 5, Arrivals.uniform(3600.0, 400), one_run=600.0)
    >>> draw_timeline(simulation, "400 answers").startswith("<svg")
    True
    """
    arrivals, closes = simulation.arrivals, simulation.arrivals.closes
    phases = [phase for timeline in simulation.timelines for phase in timeline.phases]
    first, last = min(phase.begin for phase in phases), max(phase.end for phase in phases)
    due = None if simulation.deadline is None else closes + simulation.deadline
    last = last if due is None else max(last, due)
    margin = 0.06 * max(last - first, 1e-6)
    window = TimeAxis(first - margin, last + margin)
    opened = float(arrivals.times[0])
    whole = TimeAxis(min(opened, window.begin), window.end)
    body = [svg.text(16, 26, title, kind="title"), *_overview(simulation, whole, window)]
    top, row = 232.0, 74.0
    bottom = top + row * len(simulation.timelines)
    for tick in window.ticks(closes):
        x = window.place(tick)
        body.append(svg.line(x, top - 6, x, bottom, "grid"))
        body.append(svg.text(x, bottom + 18, _moment(tick - closes), anchor="middle", kind="soft"))
    bars: list[str] = []
    words: list[str] = []
    for i, timeline in enumerate(simulation.timelines):
        *its_bars, said = _row(timeline, window, top + row * i)
        bars += its_bars
        words.append(said)
    x = window.place(closes)
    body += [
        *bars,
        svg.line(x, top - 6, x, bottom, "closing"),
        svg.text(x, top - 12, "closing", anchor="middle", kind="alarm"),
    ]
    if due is not None:
        place = window.place(due)
        lift = 26 if abs(place - x) < 70 else 12
        body.append(svg.line(place, top - 6, place, bottom, "due"))
        body.append(svg.text(place, top - lift, "deadline", anchor="middle", kind="soft"))
    body += words
    body += _legend(bottom + 44)
    height = bottom + 64
    described = "; ".join(f"{each.name}: ready {duration(each.wait)} after closing" for each in simulation.timelines)
    return svg.alone(WIDTH, height, title, STYLE, body, description=described, kind="timeline")


def render_timeline(simulation: Simulation, title: str) -> str:
    """Make a page of a simulation: the drawing, and its numbers as a table."""
    rows = [
        {
            "name": each.name,
            "ratio": percent(100 * each.planned.ratio),
            "head_start": duration(each.planned.closes - each.phases[0].begin) if len(each.phases) > 1 else "none",
            "wait": duration(each.wait),
            "planned": duration(each.planned.wait),
            "loss": percent(each.information_loss),
            "increase": _signed(each.loss_increase),
            "expected": _signed(each.planned.expected_loss_increase or 0.0),
        }
        for each in simulation.timelines
    ]
    return fill("timeline.html", {"title": title, "drawing": draw_timeline(simulation, title), "rows": rows})


def _overview(simulation: Simulation, whole: TimeAxis, window: TimeAxis) -> list[str]:
    """Draw how many records were there at which time, and which part of the time is shown below."""
    arrivals = simulation.arrivals
    top, floor = 56.0, 166.0
    counts = arrivals.counts / arrivals.n_records
    corners = [
        f"{whole.place(float(time)):.1f},{floor - (floor - top) * float(count):.1f}"
        for time, count in zip(arrivals.times, counts, strict=True)
    ]
    ends = whole.place(arrivals.closes)
    area = " ".join([f"{whole.place(float(arrivals.times[0])):.1f},{floor:.1f}", *corners, f"{ends:.1f},{floor:.1f}"])
    begin = whole.place(window.begin)
    body = [svg.rect(begin, top, whole.place(window.end) - begin, 110, "window")]
    for tick in whole.ticks(float(arrivals.times[0])):
        x = whole.place(tick)
        body.append(svg.line(x, top, x, floor, "grid"))
        body.append(svg.text(x, floor + 18, duration(tick - float(arrivals.times[0])), anchor="middle", kind="soft"))
    body += [
        f'<polygon class="arrivals" points="{area}"/>',
        svg.line(ends, top, ends, floor, "closing"),
        svg.text(LEFT - 14, top + 12, "answers", anchor="end", kind="name"),
        svg.text(LEFT - 14, top + 30, f"{tidy(arrivals.n_records)}", anchor="end", kind="soft"),
        svg.text(LEFT - 14, floor, f"k = {simulation.k}", anchor="end", kind="soft"),
    ]
    return body


def _row(timeline: Timeline, window: TimeAxis, top: float) -> list[str]:
    """Draw a schedule; the last part is the line of words, which lies above everything."""
    body = [
        svg.text(LEFT - 14, top + 20, timeline.name, anchor="end", kind="name"),
        svg.rect(LEFT, top + 6, window.place(timeline.planned.closes) - LEFT, 22, "open"),
    ]
    for phase in timeline.phases:
        body += _bar(phase, window, top + 6)
    gained = f"ready {duration(timeline.wait)} after closing (planned: {duration(timeline.planned.wait)})"
    loss = f"loss {percent(timeline.information_loss)}"
    if timeline.name != "traditional":
        expected = _signed(timeline.planned.expected_loss_increase or 0.0)
        loss += f", {_signed(timeline.loss_increase)} (expected: {expected})"
        body.append(
            svg.text(LEFT - 14, top + 36, f"ν = {percent(100 * timeline.planned.ratio)}", anchor="end", kind="soft")
        )
    return [*body, svg.text(LEFT, top + 47, f"{gained}; {loss}", kind="said")]


def _bar(phase: Phase, window: TimeAxis, top: float) -> list[str]:
    x, end = window.place(phase.begin), window.place(phase.end)
    width = max(end - x, LEAST_BAR)
    words = f"{phase.name}: {tidy(phase.n_records)} records, {duration(phase.end - phase.begin)}"
    kind = phase.name.replace(" ", "-")
    body = [svg.rect(x, top, width, 22, kind, words)]
    label = f"{duration(phase.end - phase.begin)}"
    if width > 7.5 * len(label):
        body.append(svg.text(x + width / 2, top + 15, label, anchor="middle", kind="inside"))
    return body


def _legend(y: float) -> list[str]:
    body, x = [], LEFT
    for kind, words in (
        ("open", "answers arrive"),
        ("one-run", "one run on everything"),
        ("base-stage", "base stage"),
        ("second-stage", "second stage"),
    ):
        body += [svg.rect(x, y - 11, 14, 14, kind), svg.text(x + 20, y, words, kind="soft")]
        x += 34 + 7 * len(words)
    return body


def _signed(value: float) -> str:
    return ("+" if value >= 0 else "") + percent(round(value, 2))


def _moment(seconds: float) -> str:
    return "0" if seconds == 0 else ("+" if seconds > 0 else "") + duration(seconds)
