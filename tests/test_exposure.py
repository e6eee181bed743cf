"""How exposed data are before a release: counts that anybody can check, in every form that tells them."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from html_page import Page

import microagg as ma
from microagg.errors import InvalidData, InvalidOption
from microagg.exposure import assess_file


@pytest.fixture
def people():
    rng = np.random.default_rng(2)
    return pd.DataFrame(
        {
            "name": [f"p{i}" for i in range(200)],
            "age": rng.integers(20, 40, 200),
            "sex": rng.choice(["f", "m", None], 200),
            "weight": rng.uniform(2, 9, 200),
            "illness": rng.choice(["none", "flu"], 200),
        }
    )


def test_counts_equal_those_of_pandas(people):
    found = ma.assess(people, k=4, quasi=["age", "sex"], identifiers=["name"], confidential=["illness"])
    groups = people.groupby(["age", "sex"], dropna=False)
    sizes = groups["name"].transform("size")
    assert sorted(found.sizes.tolist()) == sorted(groups.size().tolist())
    assert found.violations == {bound: int((sizes < bound).sum()) for bound in (2, 3, 4, 5, 10)}
    assert found.summary["uniques"] == int((groups.size() == 1).sum())
    alike = groups["illness"].nunique()
    assert found.assessment["distinct_diversity"].value == alike.min()
    assert found.assessment["highest_risk"].value == pytest.approx(100 / groups.size().min())


def test_the_k_of_the_data_and_the_k_asked_about_have_names_of_their_own(people):
    """`k` of the object is what was asked, "k" of its JSON what the data have: each has a name that says so."""
    found = ma.assess(people, k=4, quasi=["sex"])
    smallest = int(people.groupby("sex", dropna=False).size().min())
    assert (found.k, found.smallest_class) == (4, smallest)
    for told in (found.summary, found.published):
        assert (told["k"], told["asked_k"]) == (smallest, 4)


def test_no_measure_compares_the_data_with_themselves(people):
    found = ma.assess(people, quasi=["age", "sex"], confidential=["illness"])
    names = {result.name for result in found.assessment.risks}
    assert {"uniques", "t_closeness", "global_risk", "suda"} <= names
    assert not {"record_linkage", "rank_interval"} & names
    assert found.assessment.losses == ()


def test_weights_lower_the_risk_of_a_sample(people):
    plain = ma.assess(people, quasi=["age", "sex"])
    weighted = ma.assess(people, quasi=["age", "sex"], weights="weight")
    assert weighted.assessment["global_risk"].value < plain.assessment["global_risk"].value


def test_report_and_twin(people, tmp_path):
    source = tmp_path / "people.csv"
    people.to_csv(source, index=False)
    found = ma.assess_file(source, quasi=["age", "sex"], identifiers=["name"], k=5)
    found.report(tmp_path / "e.html", tmp_path / "e.json", title="people.csv")
    page = Page((tmp_path / "e.html").read_text(encoding="utf-8"))
    page.assert_closed_in_itself()
    twin = json.loads((tmp_path / "e.json").read_text(encoding="utf-8"))
    assert (twin["schema"], twin["kind"]) == ("microagg-report", "exposure")
    assert twin["violations"]["5"] == found.violations[5]
    assert f"{found.violations[5]:,} records" in page.text
    unknown = dict.fromkeys(("size", "sha256", "sheet", "header_row"))
    assert twin["sources"]["input"] == {"name": "people.csv", **unknown}
    assert {row["name"] for row in twin["risks"]} == {result.name for result in found.assessment.risks}
    assert all(row["after"] is None for row in twin["risks"])
    with pytest.raises(InvalidOption, match="at least one file"):
        found.report()


def test_data_that_are_anonymous_already_are_not_blamed(tmp_path):
    frame = pd.DataFrame({"sex": ["f", "m"] * 30})
    found = ma.assess(frame, k=5)
    found.report(tmp_path / "e.html")
    text = Page((tmp_path / "e.html").read_text(encoding="utf-8")).text
    assert "the table is 5-anonymous already" in text
    assert repr(found) == "<Exposure of 60 records: k = 30, 0 unique, average risk 3.33 %>"


def test_no_records_are_an_error():
    with pytest.raises(InvalidData, match="no records"):
        ma.assess(pd.DataFrame({"age": np.array([], dtype=float)}))


def test_progress_is_told_until_the_last_measure(people, tmp_path):
    path = tmp_path / "people.csv"
    people.to_csv(path, index=False)
    told: list[float] = []
    assess_file(path, progress=told.append)
    assert told == sorted(told)
    assert len(told) > 1
    assert told[-1] == 1.0
