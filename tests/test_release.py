"""What a release tells of itself: lazily, in full, with hashes that hold, and never more than it should."""

from __future__ import annotations

import hashlib
import json

import numpy as np
import pandas as pd
import pytest
from html_page import Page

import microagg as ma
from microagg.errors import InvalidOption

ATTACK = "</script><img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def people():
    """Ninety people, with a confidential column that is the same in some groups."""
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 90, 90),
            "income": rng.lognormal(8, 0.5, 90).round(2),
            "job": rng.choice(["clerk", "nurse", "farmer"], 90),
            "region": ["north", "south"] * 45,
            "illness": rng.choice(["none", "flu"], 90, p=[0.8, 0.2]),
        }
    )


@pytest.fixture(scope="module")
def release(people):
    return ma.anonymize(people, k=3, quasi=["age", "income", "job"], confidential=["illness"], by="region")


def test_what_takes_long_waits_until_it_is_asked_for(people):
    fresh = ma.anonymize(people, k=3, quasi=["age", "income"])
    assert not {"assessment"} & set(vars(fresh))
    assert fresh.risks["smallest_class"] >= 3
    assert fresh.assessment is fresh.assessment


def test_risks_before_are_those_of_the_original(people, release):
    groups = people.groupby(["age", "income", "job", "region"]).size()
    assert release.risks_before["uniques"] == int((groups == 1).sum())
    assert release.risks_before["smallest_class"] == int(groups.min())


def test_assessment_agrees_with_the_cheap_measures(release):
    for name, value in release.risks.items():
        assert release.assessment[name].value == pytest.approx(value)
        assert release.assessment[name].before == pytest.approx(release.risks_before[name])
    for result in release.assessment.losses:
        if result.name in release.losses:
            assert result.value == pytest.approx(release.losses[result.name])


def test_homogeneous_groups_are_named(people, release):
    alike = people.groupby(release.labels)["illness"].nunique()
    (found,) = release.assessment.homogeneous
    assert found.column == "illness"
    assert list(found.groups) == alike.index[alike == 1].tolist()
    assert found.records == int(np.isin(release.labels, found.groups).sum())


def test_values_that_are_missing_disclose_nothing():
    frame = pd.DataFrame({"age": [1, 1, 1, 9, 9, 9], "pay": [None, None, None, 5.0, 5.0, 5.0]})
    (found,) = ma.anonymize(frame, k=3, quasi=["age"], confidential=["pay"]).assessment.homogeneous
    assert found.records == 3


def test_dates_are_told_as_dates(tmp_path):
    when = pd.date_range("2020-01-01", periods=60)
    made = ma.anonymize(pd.DataFrame({"when": when, "age": np.arange(60.0)}), k=5)
    made.report(tmp_path / "r.html", tmp_path / "r.json")
    column = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))["columns"][0]
    assert column["is_date"]
    assert column["moments"]["mean_before"] == pytest.approx(18262 + 29.5)
    text = Page((tmp_path / "r.html").read_text(encoding="utf-8")).text
    assert "when numeric 2020-01-30 2020-01-30" in text
    assert "2020-02-0" in made.plot("distributions").svg


def test_report_is_a_page_or_its_twin_or_both(release, tmp_path):
    release.report(tmp_path / "r.html", tmp_path / "r.JSON", title="Ours")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    twin = json.loads((tmp_path / "r.JSON").read_text(encoding="utf-8"))
    Page(page).assert_closed_in_itself()
    assert twin["title"] == "Ours"
    assert {row["name"] for row in twin["risks"]} == {result.name for result in release.assessment.risks}
    losses = {result.name for result in release.assessment.losses}
    assert {row["name"] for row in twin["losses"]} == losses - {"quantile_change"}, "1 % of 90 records are below k"
    for row in (*twin["risks"], *twin["losses"]):
        assert row["title"] in Page(page).text
    assert "records" not in {key for row in twin["risks"] for key in row}, "values of single records stay inside"
    assert [warning["kind"] for warning in twin["warnings"]].count("homogeneous_groups") == 1
    with pytest.raises(InvalidOption, match="at least one file"):
        release.report()


def test_report_holds_no_value_that_few_share(release, people, tmp_path):
    release.report(tmp_path / "r.html", tmp_path / "r.json")
    both = (tmp_path / "r.html").read_text(encoding="utf-8") + (tmp_path / "r.json").read_text(encoding="utf-8")
    for value in people["income"]:
        assert f"{value}" not in both
        assert f"{value:,}" not in both


def test_single_records_are_drawn_only_when_asked(release, tmp_path):
    release.report(tmp_path / "plain.json")
    release.report(tmp_path / "open.json", details=True)
    plain, opened = (json.loads((tmp_path / f"{name}.json").read_text(encoding="utf-8")) for name in ("plain", "open"))
    assert plain["records"] is None
    assert len(opened["records"]["before"]) == 90
    with pytest.raises(InvalidOption, match="details=True"):
        release.plot("records")
    assert "<svg" in release.plot("records", details=True).svg


def test_files_are_told_by_their_hashes(people, tmp_path):
    source, target = tmp_path / "people.csv", tmp_path / "out.csv"
    people.to_csv(source, index=False)
    made = ma.anonymize_file(
        source, target, k=3, quasi=["age", "income"], report=[tmp_path / "r.html", tmp_path / "r.json"]
    )
    for what, path in (("input", source), ("output", target)):
        content = path.read_bytes()
        assert made.sources[what].sha256 == hashlib.sha256(content).hexdigest()
        assert made.sources[what].size == len(content)
        assert made.sources[what].name == path.name
    page, told = (tmp_path / "r.html").read_text(encoding="utf-8"), (tmp_path / "r.json").read_text(encoding="utf-8")
    assert made.sources["output"].sha256 in page
    assert made.sources["input"].sha256 not in page + told, "a checksum of the input tells whether a guess is right"
    twin = json.loads(told)
    unknown = dict.fromkeys(("size", "sha256", "sheet", "header_row"))
    assert twin["sources"]["input"] == {"name": "people.csv", **unknown}
    assert twin["sources"]["output"]["sha256"] == made.sources["output"].sha256
    assert str(tmp_path) not in (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "microagg anonymize people.csv -k 3" in twin["reproduce"]["Command line"]


def test_released_frames_are_told_by_the_hash_of_their_numbers(release, tmp_path):
    release.report(tmp_path / "r.json")
    told = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))["sources"]
    assert list(told) == ["output"]
    assert told["output"]["sha256"] == hashlib.sha256(release.released.astype("<f8").tobytes()).hexdigest()


def test_report_over_the_input_is_refused(people, tmp_path):
    source = tmp_path / "people.csv"
    people.to_csv(source, index=False)
    before = source.read_bytes()
    with pytest.raises(ma.MicroaggError, match="is the input itself"):
        ma.anonymize_file(source, None, k=3, quasi=["age"], report=[tmp_path / "r.html", source])
    assert source.read_bytes() == before
    assert not (tmp_path / "r.html").exists()


def test_notebooks_show_a_card(release):
    card = release._repr_html_()
    assert "90" in Page(card).text
    assert f"{release.information_loss:.3g} %" in card
    assert repr(release).startswith("<Release of 90 records in ")
    assert "\n" not in repr(release)


def test_names_from_the_data_are_escaped_everywhere(tmp_path):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            ATTACK: rng.normal(size=40),
            "x" + ATTACK: rng.normal(size=40),
            "job": ["a" + ATTACK, "b" + ATTACK] * 20,
            "ill" + ATTACK: ["same" + ATTACK] * 40,
        }
    )
    source = tmp_path / "p<img src=x>.csv"
    frame.to_csv(source, index=False)
    quasi = [ATTACK, "x" + ATTACK, "job"]
    made = ma.anonymize_file(
        source, None, k=4, quasi=quasi, confidential=["ill" + ATTACK], report=tmp_path / "r.html", details=True
    )
    pages = [(tmp_path / "r.html").read_text(encoding="utf-8"), made._repr_html_(), made.plot()._repr_html_()]
    exposure = ma.assess_file(source, quasi=quasi, confidential=["ill" + ATTACK])
    exposure.report(tmp_path / "e.html", title=source.name)
    pages += [(tmp_path / "e.html").read_text(encoding="utf-8"), exposure._repr_html_()]
    for page in pages:
        assert "<img" not in page
        assert "</script" not in page
        assert not {"img", "script"} & set(Page(page).tags)


@pytest.mark.parametrize("order", ["ordinal:low,middle,high,noble", ["low", "middle", "high", "noble"]])
def test_an_order_of_values_does_not_name_what_few_hold(order, tmp_path):
    """The command that repeats the release held the whole order, with values that the release does not have."""
    frame = pd.DataFrame({"class": ["low", "middle", "high"] * 20 + ["noble"], "age": [30 + i % 9 for i in range(61)]})
    release = ma.anonymize(frame, k=5, kinds={"class": order})
    page, twin = tmp_path / "report.html", tmp_path / "report.json"
    release.report(page, twin)
    assert "noble" not in set(release.data["class"])
    assert "noble" not in page.read_text(encoding="utf-8") + twin.read_text(encoding="utf-8")
    assert "ordinal:FIRST,...,LAST" in twin.read_text(encoding="utf-8")
    release.report(twin, details=True)
    assert "noble" in twin.read_text(encoding="utf-8")
    assert (
        "low,middle,high"
        in ma.anonymize(frame[:60], k=5, kinds={"class": "ordinal:low,middle,high"}).plan.kinds["class"]
    )
