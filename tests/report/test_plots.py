"""Plots: whole drawings with their numbers, for notebooks and files."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from html_page import Page

import microagg as ma
from microagg.errors import InvalidOption
from microagg.report import CHARTS
from microagg.report.release import document_of

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def release():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"age": rng.normal(50, 10, 300), "pay": rng.lognormal(8, 1, 300), "job": ["a", "b", "c"] * 100}
    )
    return ma.anonymize(frame, k=3)


@pytest.mark.parametrize("what", [None, *CHARTS])
def test_every_plot_is_one_whole_drawing(release, what, tmp_path):
    plot = release.plot(what, details=True)
    assert plot.charts
    root = ET.fromstring(plot._repr_svg_())  # noqa: S314
    inner = [child for child in root if child.tag == f"{SVG}svg"]
    # Others are the marks of the legends; all lie apart.
    assert sum(child.get("role") == "img" for child in inner) == len(plot.charts)
    width, height = float(root.get("width")), float(root.get("height"))
    boxes = [tuple(float(svg.get(key)) for key in ("x", "y", "width", "height")) for svg in inner]
    for i, (x, y, w, h) in enumerate(boxes):
        assert x + w <= width
        assert y + h <= height
        for u, v, w2, h2 in boxes[:i]:
            assert x >= u + w2 or u >= x + w or y >= v + h2 or v >= y + h, "drawings lie side by side"
    plot.save(tmp_path / "p.svg")
    assert (tmp_path / "p.svg").read_text(encoding="utf-8") == plot.svg
    page = Page(plot._repr_html_())
    n_marks = sum(bool(mark) for chart in plot.charts for mark, _ in chart.key)
    assert page.tags.count("svg") - n_marks == page.tags.count("table") == len(plot.charts)
    assert len(page.ids) == len(set(page.ids))


def test_plots_of_one_notebook_share_no_names(release):
    ids = [set(Page(release.plot(what)._repr_html_()).ids) for what in ("sizes", "risk", None)]
    assert not ids[0] & ids[1]
    assert not ids[0] & ids[2]


def test_styles_touch_nothing_but_the_plot(release):
    """What stands before every rule is the class of the plot, so that a notebook keeps its own look."""
    for text in (release.plot("sizes")._repr_html_(), release._repr_html_()):
        style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)[1]
        for rule in re.findall(r"([^{}]+)\{", style):
            assert all(part.strip().startswith(".microagg") for part in rule.split(","))


def test_risk_marks_stand_where_their_values_are(release):
    root = ET.fromstring(release.plot("risk").charts[0].svg)  # noqa: S314
    marks = [circle for circle in root.iter("circle") if circle.get("class") == "dot"]
    shares = [
        result.value for result in release.assessment.risks if result.unit == "percent" and result.value is not None
    ]
    places = [float(mark.get("cx")) for mark in marks]
    grid = sorted({float(line.get("x1")) for line in root.iter("line") if line.get("class") in ("base", "grid")})
    expected = [grid[0] + min(max(share, 0), 100) / 100 * (grid[-1] - grid[0]) for share in shares]
    np.testing.assert_allclose(places, expected, atol=0.11)


def test_cells_of_the_map_count_every_record(release):
    document = document_of(release, None, False)
    density = document.numbers["density"]
    assert int(density.after.sum()) <= 300
    assert int(density.before.sum()) + density.held_back == 300
    rows = release.plot("map").charts[0].rows
    assert sum(int(row[2].replace(",", "")) for row in rows) == int(density.before.sum())


def test_what_does_not_exist_is_named(release, tmp_path):
    with pytest.raises(InvalidOption, match="there is no plot 'pie'"):
        release.plot("pie")
    with pytest.raises(InvalidOption, match=r"\.svg or \.html"):
        release.plot("sizes").save(tmp_path / "p.png")
    assert not list(tmp_path.iterdir())
    assert repr(release.plot("sizes")) == "<Plot of Release with k = 3: Sizes of the groups>"
