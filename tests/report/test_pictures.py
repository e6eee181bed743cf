"""Pictures: uniques stand alone, codes are bars with their labels, marks are explained, cards tell of groups."""

import itertools
import re

import numpy as np
import pandas as pd
import pyreadstat
import pytest
from html_page import Page

import microagg as ma
from microagg.report.charts.sizes import group_sizes
from microagg.report.exposure import told_sizes
from microagg.report.release import document_of

N = 300


def people(n=N):
    rng = np.random.default_rng(4)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 90, n),
            "sex": rng.integers(1, 3, n).astype(float),
            "pay": rng.lognormal(8, 0.5, n).round(),
            "ill": rng.choice(["flu", "none"], n, p=[0.1, 0.9]),
        }
    )


@pytest.mark.parametrize("largest", [5, 40, 3000])
def test_the_first_bar_is_the_uniques(largest):
    """Where classes have many sizes, uniques were counted with those of 2 to 30: nobody saw how many stand alone."""
    classes = np.concatenate([np.arange(25), np.repeat([25, 26, 27], [2, 17 if largest > 17 else 3, largest])])
    bars = group_sizes(classes, uniques=True)
    assert (bars[0].low, bars[0].high, bars[0].groups, bars[0].records) == (1, 1, 25, 25)
    assert bars[1].low == 2
    assert bars[-1].high == largest
    assert sum(bar.groups for bar in bars) == 28
    assert sum(bar.records for bar in bars) == len(classes)
    assert len(bars) <= 16
    assert all(left.high + 1 == right.low for left, right in itertools.pairwise(bars))


def test_a_release_has_no_such_bar():
    assert [bar.label for bar in group_sizes(np.repeat([0, 1], [3, 4]), uniques=True)] == ["3", "4"]
    assert [bar.label for bar in group_sizes(np.arange(3), uniques=True)] == ["1"]


def test_a_few_uniques_are_still_not_counted():
    """The gate goes before the picture: three records that are alone are counted with others."""
    frame = pd.DataFrame({"sex": [*[1] * 60, *[2] * 60, 7, 8, 9]})
    exposure = ma.assess(frame, k=5, quasi=["sex"])
    bars, below = told_sizes(exposure.classes, exposure.violations, exposure.gate)
    assert below[2] is None
    assert all(bar.records == 0 or bar.records >= 5 for bar in bars)


def test_the_page_shows_them_in_a_colour_of_their_own(tmp_path):
    frame = pd.DataFrame({"code": [*range(100, 140), *np.repeat(np.arange(20), np.arange(20) + 9)]})
    ma.assess(frame, k=5, quasi=["code"]).report(tmp_path / "exposure.html")
    page = (tmp_path / "exposure.html").read_text()
    assert page.count('class="fill-lost"') == 1
    assert "40 records that are alone" in page


def test_coded_columns_are_bars_with_their_labels(tmp_path):
    """1 and 2 were drawn as a histogram from 0.8 to 2.2; the file says that they are men and women."""
    labels = {"sex": {1.0: "men", 2.0: "women"}}
    pyreadstat.write_sav(people(), tmp_path / "in.sav", variable_value_labels=labels)
    release = ma.anonymize_file(
        tmp_path / "in.sav", None, 5, quasi=["age", "sex", "pay"], confidential=["ill"], report=tmp_path / "report.html"
    )
    column = {column.name: column for column in document_of(release, None, False).columns}["sex"]
    assert column.histogram is None
    assert {count.label for count in column.categories} == {"men (1)", "women (2)"}
    assert "women (2)" in Page((tmp_path / "report.html").read_text()).text


def test_codes_without_labels_are_bars_too_and_ordered_ones_stand_in_order():
    rng = np.random.default_rng(0)
    frame = people().assign(answer=rng.choice([1, 2, 3, 4, 5], N, p=[0.1, 0.3, 0.05, 0.35, 0.2]))
    release = ma.anonymize(frame, 5, quasi=["age", "answer"], confidential=["ill"], others="drop")
    column = {column.name: column for column in document_of(release, None, False).columns}["answer"]
    assert (column.kind, column.histogram) == ("ordinal", None)
    labels = [count.label for count in column.categories if count.label != "others"]
    assert labels == sorted(labels)


def test_a_plot_says_what_its_marks_mean(tmp_path):
    release = ma.anonymize(people(), 5, quasi=["age", "sex", "pay"], confidential=["ill"])
    plot = release.plot()
    shown = plot._repr_html_()
    assert shown.count('<div class="key">') == 3  # risks, map and distributions; group sizes have one kind of mark
    for text in (Page(shown).text, re.sub("<[^>]+>", " ", plot.svg)):
        assert "before" in text
        assert "after" in text
        assert "many records" in text
    assert plot.svg.count("<svg") == plot.svg.count("</svg>")
    alone = release.plot("distributions")
    assert [bool(chart.key) for chart in alone.charts] == [True, False, False]


def test_the_card_tells_in_how_many_groups_all_agree():
    roles = {"quasi": ["age", "pay"], "others": "drop"}
    release = ma.anonymize(people(), 5, confidential=["ill"], **roles)
    (alike,) = release.homogeneous
    text = Page(release._repr_html_()).text
    assert f"groups that agree in ill {alike.n_groups} of {sum(release.groups.values())}" in " ".join(text.split())
    varied = people().assign(ill=np.arange(N) % 50)
    assert "none of" in Page(ma.anonymize(varied, 5, confidential=["ill"], **roles)._repr_html_()).text
    assert "agree" not in ma.anonymize(people(), 5, **roles)._repr_html_()
    several = ma.anonymize(people().assign(well=lambda f: f["ill"] == "none"), 5, confidential=["ill", "well"], **roles)
    assert "confidential columns with such groups" in several._repr_html_()
