"""The page that compares candidates: who beats whom, and the same safety as the report."""

from __future__ import annotations

import math

import pytest
from html_page import Page
from hypothesis import given
from hypothesis import strategies as st

from microagg.report import render_comparison
from microagg.report.comparison import frontier


def row(method="mdav", k=5, risk=20.0, loss=9.0, k_anonymous=True):
    sizes = {"groups": 216, "smallest": k, "largest": 2 * k}
    measures = {"information_loss": loss, "average_risk": risk, "seconds": 0.123456789}
    return {"method": method, "k": k, "k_anonymous": k_anonymous, **sizes, **measures}


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.booleans()), max_size=12))
def test_frontier_is_what_nobody_beats(candidates):
    rows = [row(risk=risk, loss=loss, k_anonymous=valid) for risk, loss, valid in candidates]
    for i, (risk, loss, valid) in enumerate(candidates):
        beaten = any(
            other_valid and other_risk <= risk and other_loss <= loss and (other_risk, other_loss) != (risk, loss)
            for other_risk, other_loss, other_valid in candidates
        )
        assert (i in frontier(rows)) == (valid and not beaten)


def test_unbeaten_candidates_come_first():
    rows = [
        row("worse", loss=10.0),
        row("better"),
        row("alone", k_anonymous=False, risk=1.0),
        row("safer", 10, 10.0, 14.0),
    ]
    text = Page(render_comparison("people.csv", rows)).text
    table = text[text.index("The candidates") :]
    order = sorted(("worse", "better", "alone", "safer"), key=table.index)
    assert order == ["safer", "better", "alone", "worse"]
    assert table.count("not beaten") == 2
    assert table.count("not k-anonymous") == 1


@pytest.mark.parametrize(
    "rows",
    [
        [row()],
        [row(loss=0.0, risk=0.0)],
        [row(loss=math.nan)],
        [row(f"method {i}", k) for i in range(40) for k in (3, 5, 10)],
        [row("<script>alert(1)</script>"), row('"><img src=x onerror=alert(1)>')],
    ],
)
def test_page_is_closed_in_itself(rows):
    page = render_comparison("<b>people</b>.csv", rows)
    read = Page(page)
    read.assert_closed_in_itself()
    assert "<b>people</b>.csv" in read.text
    assert rows[0]["method"] in read.text
    assert "0.123456" not in page
    assert "nan" not in read.text
    assert page == render_comparison("<b>people</b>.csv", rows)
