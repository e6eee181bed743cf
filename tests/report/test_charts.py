"""The drawings are in proportion to what they draw, and hold nothing but drawings."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from microagg.gate import Gate
from microagg.report.charts.correlation import change_heatmap, split_heatmap
from microagg.report.charts.histogram import count_bins, draw_histogram
from microagg.report.charts.losses import column_bars
from microagg.report.charts.records import principal_map, scatter
from microagg.report.charts.share import share_bar
from microagg.report.charts.sizes import group_sizes, size_bars
from microagg.report.moments import moments

OPEN = Gate(100, 2, details=True)
"""What lets everything pass."""

NASTY = ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "größe 身長 🙂", "x" * 200, "", "a\x00\u202eb"]


def parse(svg: str) -> ET.Element:
    return ET.fromstring(svg)  # noqa: S314


def rects(svg: str, kind: str) -> list[ET.Element]:
    return [element for element in parse(svg).iter("rect") if element.get("class") == kind]


def numbers(path: str) -> list[float]:
    return [float(number) for number in re.findall(r"-?\d+\.?\d*", path)]


def test_bars_are_as_tall_as_their_counts():
    bars = group_sizes(np.repeat(np.arange(7), [3, 3, 3, 3, 4, 4, 5]))
    heights = [float(rect.get("height")) for rect in rects(size_bars("b", bars, 7), "fill-after")]
    np.testing.assert_allclose(np.array(heights) / heights[0], [1, 0.5, 0.25], atol=0.01)


def test_column_bars_are_as_long_as_their_values():
    svg = column_bars("b", "Loss", {"a": 10.0, "b": 5.0, "c": -5.0, "d": float("nan"), "e": 0.0})
    found = rects(svg, "fill-after")
    widths = [float(rect.get("width")) for rect in found]
    np.testing.assert_allclose(np.array(widths) / widths[0], [1, 0.5, 0.5, 0], atol=0.01)
    starts = [float(rect.get("x")) for rect in found]
    assert starts[0] == starts[1] == pytest.approx(starts[2] + widths[2], abs=0.11)
    assert "undefined" in svg


def test_share_bar_is_as_wide_as_the_loss():
    svg = share_bar("s", 25.0)
    kept, lost = float(rects(svg, "fill-after")[0].get("width")), float(rects(svg, "fill-lost")[0].get("width"))
    assert lost / (kept + lost) == pytest.approx(0.25)


def test_histogram_is_as_tall_as_its_counts():
    drawn = count_bins(np.array([0.0, 0.0, 0.0, 0.0, 1.0, 1.0]), np.array([0.0, 0.0, 1.0, 1.0, 1.0, 1.0]), OPEN)
    svg = draw_histogram("h", "a", drawn)
    area = next(path for path in parse(svg).iter("path") if path.get("class") == "area-before")
    heights = numbers("".join(re.findall(r"V[\d.]+ ?", area.get("d"))).replace("V", " "))
    floor = max(heights)
    assert (floor - heights[0]) / (floor - heights[1]) == pytest.approx(2, abs=0.02)


def test_map_draws_every_record_inside_the_frame_once():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    labels = np.arange(300) // 5
    drawn = principal_map(X, X, labels, moments(X))
    svg, outside = scatter("m", drawn)
    paths = dict.fromkeys(("speck", "hub", "tie"), "")
    for path in parse(svg).iter("path"):
        paths[path.get("class").split()[0]] += path.get("d")
    assert paths["speck"].count("M") == 300 - outside
    assert paths["tie"] == "", "records that did not move are joined to nothing"


def test_map_cuts_off_what_lies_far_outside():
    X = np.append(np.random.default_rng(1).normal(size=(199, 2)), [[400.0, 300.0]], axis=0)
    drawn = principal_map(X, X, np.arange(200) // 2, moments(X))
    _, outside = scatter("m", drawn)
    assert 1 <= outside <= 20


def test_heatmap_shades_by_strength_and_sign():
    before = np.array([[1.0, -0.5], [-0.5, 1.0]])
    after = np.array([[1.0, 0.25], [0.25, 1.0]])
    split = split_heatmap("c", ["a", "b"], before, after)
    assert [rect.get("fill-opacity") for rect in rects(split, "negative")] == ["0.50"]
    assert [rect.get("fill-opacity") for rect in rects(split, "positive")] == ["0.25"]
    change = change_heatmap("d", ["a", "b"], before, after, 1.5)
    assert [rect.get("fill-opacity") for rect in rects(change, "positive")] == ["0.50", "0.50"]


def test_heatmap_says_where_a_correlation_is_undefined():
    X = np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0]])
    correlation = moments(X).correlation
    assert len(rects(split_heatmap("c", ["a", "b"], correlation, correlation), "undefined")) == 2


@pytest.mark.parametrize("name", NASTY)
def test_names_are_escaped_and_described(name):
    values = np.array([0.0, 1.0, 2.0])
    correlation = np.eye(2)
    for svg in (
        column_bars("a", "Loss", {name: 1.0}),
        draw_histogram("b", name, count_bins(values, values, OPEN)),
        split_heatmap("c", [name, "b"], correlation, correlation),
    ):
        root = parse(svg)
        assert {element.tag for element in root.iter()} <= {"svg", "title", "desc", "g", "rect", "path", "line", "text"}
        assert root[0].tag == "title"
        assert root[0].text
        assert root[1].tag == "desc"
        assert root[1].text
        assert root.get("aria-labelledby") == f"{root[0].get('id')} {root[1].get('id')}"
