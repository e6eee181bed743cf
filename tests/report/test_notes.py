"""What is said of a release: lists are folded, and what is gone is said."""

import numpy as np
import pandas as pd
import pytest
from html_page import Page

import microagg as ma
from microagg.gate import Gate
from microagg.prepare.missing import Gaps
from microagg.report import notes
from microagg.report.page import render
from microagg.report.release import document_of

ENGINES = ["unlimited", "200MB"]
AGE_ALONE = {"column_weights": {"age": 1e6}}


def trades(n=300):
    """Eight bakers and two spies, of every age."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"age": rng.integers(20, 60, n), "job": rng.choice(["clerk", "nurse"], n)})
    frame.loc[:7, "job"] = "baker"
    frame.loc[8:9, "job"] = "spy"
    frame.loc[:9, "age"] = [20, 23, 27, 31, 35, 40, 44, 48, 52, 56]
    return frame


@pytest.mark.parametrize("memory", ENGINES)
def test_a_vanished_category_is_said(memory, tmp_path):
    """Which one is told only where k records had it; of spies, that there was something else."""
    trades().to_csv(tmp_path / "in.csv", index=False)
    release = ma.anonymize_file(
        tmp_path / "in.csv", tmp_path / "out.csv", 5, quasi=["age", "job"], memory=memory, **AGE_ALONE
    )
    assert set(pd.read_csv(tmp_path / "out.csv")["job"]) == {"clerk", "nurse"}
    (said,) = [warning for warning in release.warnings if "no released record has" in warning]
    assert "job 2 ('baker' and 1 that fewer than 5 had)" in said
    assert not any("spy" in warning for warning in release.warnings)


def test_nothing_is_said_where_all_categories_are_there():
    frame = pd.DataFrame({"sex": ["f", "m"] * 60, "age": np.arange(120) // 20})
    assert not any("categor" in warning for warning in ma.anonymize(frame, 5).warnings)


def test_of_few_records_no_count_is_told():
    counted = {"job": (("baker", "clerk"), np.array([20, 20]))}
    assert notes.of_vanished(Gate(40, 5), counted, [np.array([0, 40])]) == (
        "Some categories have no released record any more: job.",
    )


def test_many_columns_are_folded():
    """788 columns filled screens: each warning is a line that counts them and names the worst."""
    gate = Gate(1000, 5)
    names = [f"q{i}" for i in range(612)]
    said = [
        *notes.of_gaps(gate, Gaps(imputed={name: 10 + place for place, name in enumerate(names)})),
        *notes.of_untouched(dict.fromkeys(names, 0.9), ma.Plan(k=5, quasi=["x"])),
        *notes.of_untouched_together(dict.fromkeys(names, 0.1), 900, 1000),
        *notes.of_vanished(gate, {name: (("a", "b"), np.array([9, 9])) for name in names}, [np.array([0, 9])] * 612),
        *notes.of_homogeneous([{"column": name, "groups": 1, "records": 5} for name in names]),
    ]
    assert len(said) == 5
    assert all("612 columns" in text and "\n" not in text and len(text) < 400 for text in said)
    assert "the worst five q611: 621, q610: 620" in said[0]


def test_a_short_list_is_told_as_it_is():
    assert "(pay: 9, age: 7)" in notes.of_gaps(Gate(100, 5), Gaps(imputed={"age": 7, "pay": 9}))[0]
    assert len(notes.of_homogeneous([{"column": c, "groups": 2, "records": 9} for c in "abc"])) == 3


def test_the_page_lists_untouched_columns_with_how_unique_each_and_all_are():
    n = 200
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.integers(20, 60, n), "day": np.arange(n) % 25, "pay": rng.normal(size=n)})
    release = ma.anonymize(frame, 4, quasi=["age"])
    document = document_of(release, None, False)
    page = Page(render(document))
    assert "untouched" in page.ids
    assert "2 columns are released as they are, without a role" in page.text
    assert "All of them together single out 100% of the records" in page.text
    assert document.plain()["untouched"] == {"day": 0.0, "pay": 1.0}
    assert release.published["untouched_together"] == release.summary["untouched_together"] == 1.0
    assert "untouched" not in Page(render(document_of(ma.anonymize(frame[["age"]], 4), None, False))).ids


def test_long_lists_of_the_page_open_on_request():
    """A fold that opens: names of 150 columns, and more warnings than a screen holds."""
    n = 120
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.integers(20, 60, n)} | {f"x{i}": rng.integers(0, 9, n) for i in range(150)})
    roles = {"quasi": ["age"], "confidential": [f"x{i}" for i in range(20)]}
    text = render(document_of(ma.anonymize(frame, 4, **roles), None, False))
    assert "<summary>x20, x21, x22 and 127 more</summary>" in text
