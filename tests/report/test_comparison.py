"""The page that compares candidates, and its map: everything is where its numbers say, and nothing leads out."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from html_page import Page

from microagg.report.charts.trade_off import NARROW, WIDE, Axis, Line, Point, trade_off
from microagg.report.comparison import Row, render_comparison

RISK, LOSS = Axis("Average risk", "percent"), Axis("Information loss", "percent")
NASTY = "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "a\x00\u202eb"


def row(series="mdav", k=5, risk=20.0, loss=9.0, rank=0, **more):
    return Row(series, k, 216, k, 2 * k, risk, loss, 0.123456789, rank, **more)


def page_of(rows, **more):
    return render_comparison("<b>people</b>.csv", rows, risk=RISK, loss=LOSS, **more)


@pytest.mark.parametrize(
    "rows",
    [
        [row()],
        [row(loss=0.0, risk=0.0)],
        [row(loss=float("nan"), rank=None)],
        [row(f"method {i}", k) for i in range(40) for k in (3, 5, 10)],
        [row(name, command=name, remark=name) for name in NASTY],
    ],
)
def test_page_is_closed_in_itself(rows):
    more = {"verdict": NASTY[0], "failures": {NASTY[1]: NASTY[0]}, "notes": [NASTY[2]]}
    page = page_of(rows, **more)
    read = Page(page)
    read.assert_closed_in_itself()
    assert "<b>people</b>.csv" in read.text
    assert rows[0].series in read.text
    assert "0.123456" not in page
    assert "nan" not in read.text
    assert page == page_of(rows, **more)


def test_page_tells_the_choice_and_the_commands():
    rows = [
        row("mdav", is_chosen=True, remark="chosen", command="microagg anonymize a.csv -k 5"),
        row("hm2", rank=None),
    ]
    read = Page(page_of(rows, verdict="Choose mdav.", failures={"exact, k = 5": "too many records"}))
    for words in ("Choose mdav.", "chosen", "microagg anonymize a.csv -k 5", "too many records", "stands in the table"):
        assert words in read.text


def marks(svg):
    """The places of the marks, by the text that a pointer shows."""
    found = {}
    for group in ET.fromstring(svg).iter("g"):  # noqa: S314
        place = re.match(r"translate\(([\d.-]+) ([\d.-]+)\)$", group.get("transform", ""))
        for path in group.findall("path"):
            found[path.find("title").text.split(":")[0]] = (float(place[1]), float(place[2]), group)
    return found


def test_marks_lie_where_their_numbers_say():
    points = [Point(0, "a", 10.0, 5.0, True), Point(1, "b", 20.0, 10.0), Point(1, "c", 40.0, 0.0, True, is_chosen=True)]
    svg = trade_off("map", points, RISK, LOSS)
    found = marks(svg)
    (xa, ya, _), (xb, yb, _), (xc, yc, chosen) = found["a"], found["b"], found["c"]
    assert (xb - xa) / (xc - xa) == pytest.approx(1 / 3, abs=0.01)
    assert (ya - yc) / (yb - yc) == pytest.approx(0.5, abs=0.01)
    assert WIDE.left < xa < xb < xc < WIDE.width
    assert 0 < yb < ya < yc < WIDE.height
    assert chosen.find("circle") is not None
    assert svg.count('class="ring"') == 1
    frontier = re.search(r'class="frontier" fill="none" points="([^"]*)"', svg)[1]
    assert [tuple(map(float, corner.split(","))) for corner in frontier.split()] == [(xa, ya), (xc, yc)]


@pytest.mark.parametrize(("at_most", "shaded"), [(True, "right"), (False, "left")])
def test_a_limit_is_a_line_and_what_lies_beyond_is_shaded(at_most, shaded):
    points = [Point(0, "a", 10.0, 5.0), Point(0, "b", 30.0, 2.0)]
    svg = trade_off("map", points, RISK, LOSS, [Line(True, at_most, 20.0, "limit")])
    drawn = next(line for line in ET.fromstring(svg).iter("line") if line.get("class") == "limit")  # noqa: S314
    rect = next(rect for rect in ET.fromstring(svg).iter("rect") if rect.get("class") == "beyond")  # noqa: S314
    x, start, width = float(drawn.get("x1")), float(rect.get("x")), float(rect.get("width"))
    found = marks(svg)
    assert x == pytest.approx((found["a"][0] + found["b"][0]) / 2, abs=0.2)
    assert (start if shaded == "right" else start + width) == pytest.approx(x, abs=0.2)


def test_a_limit_far_beyond_all_does_not_squeeze_the_map():
    points = [Point(0, "a", 10.0, 5.0)]
    near, far = (trade_off("map", points, RISK, LOSS, [Line(False, True, v, "limit")]) for v in (8.0, 100.0))
    assert 'class="limit"' in near
    assert 'class="limit"' not in far
    assert marks(far)["a"][1] == marks(trade_off("map", points, RISK, LOSS))["a"][1]


def boxes_of(drawn, sheet):
    """The boxes of the names on a map and of its limits, and those of its marks."""
    svg = ET.fromstring(drawn)  # noqa: S314
    names = []
    for text in svg.iter("text"):
        if (text.get("class") or "").startswith("name") or "at most" in (text.text or ""):
            width, x, y = sheet.text_width(text.text), float(text.get("x")), float(text.get("y"))
            left = x - {"start": 0.0, "middle": 0.5, "end": 1.0}[text.get("text-anchor", "start")] * width
            names.append((text.text, (left, y - 11, left + width, y + 3)))
    marks = []
    for group in svg.iter("g"):
        place = re.fullmatch(r"translate\(([\d.-]+) ([\d.-]+)\)", group.get("transform", ""))
        if place:
            x, y = map(float, place.groups())
            marks.append((x - 6, y - 6, x + 6, y + 6))
    return names, marks


def apart(one, other):
    slack = 0.2  # coordinates are rounded
    return (
        one[2] <= other[0] + slack
        or other[2] <= one[0] + slack
        or one[3] <= other[1] + slack
        or other[3] <= one[1] + slack
    )


@pytest.mark.parametrize("sheet", [WIDE, NARROW], ids=["screen", "telephone"])
@pytest.mark.parametrize("seed", range(12))
def test_labels_do_not_cover_each_other(sheet, seed):
    """Nor marks, nor the names of limits; nor do they leave the sheet. The chosen one always has its name."""
    rng = np.random.default_rng(seed)
    crowded = rng.uniform(0.5, 30, (14, 2)) if seed % 2 else rng.normal(20, 1.5, (14, 2)).clip(1)
    points = [
        Point(i % 3, f"method {i}, k = {i}", *place, on_frontier=i % 2 == 0, is_chosen=i == 4)
        for i, place in enumerate(crowded.tolist())
    ]
    lines = [Line(True, True, 15.0, "average risk at most 15%"), Line(False, True, 18.0, "loss at most 18%")]
    names, marks = boxes_of(trade_off("map", points, RISK, LOSS, lines, sheet), sheet)
    assert any(text == "method 4, k = 4" for text, _ in names)
    for place, (text, box) in enumerate(names):
        assert all(apart(box, other) for _, other in names[place + 1 :])
        assert box[0] >= sheet.left - 1
        assert box[2] <= sheet.width
        if "at most" not in text:
            assert all(apart(box, mark) for mark in marks)


def test_the_page_has_a_map_for_telephones():
    """It is laid out for its own width, not shrunk until nothing can be read."""
    page = render_comparison("people.csv", [row("mdav", rank=0)], risk=RISK, loss=LOSS)
    assert page.count('class="narrow"') == 1
    assert f'viewBox="0 0 {NARROW.width:.0f} {NARROW.height:.0f}"' in page
