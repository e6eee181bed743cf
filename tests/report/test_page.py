"""The page: whole, closed in itself, safe against names from the data, and true in its words."""

from __future__ import annotations

import dataclasses
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from html_page import Page

from microagg import report
from microagg.errors import InvalidData
from microagg.measures import Result
from microagg.report import Caution, Facts, Source, WholeFacts, build
from microagg.report.charts.correlation import correlation_text
from microagg.report.moments import moments
from microagg.report.words import measure, percent, tidy

SECTIONS = [
    "summary",
    "groups",
    "losses",
    "risks",
    "linkage",
    "distributions",
    "map",
    "correlation",
    "roles",
    "settings",
    "reproduce",
]
NASTY = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "größe 身長 🙂",
    "x" * 200,
    "",
    "a\x00\u202eb\ud800",
)


def render(facts):
    return report.render(build(facts))


def result(name, value, before=None, **about):
    about = {"title": name.capitalize(), "summary": "", "reference": "", **about}
    return Result(name=name, value=value, before=before, **about)


def group_means(X, labels):
    return np.stack([X[labels == group].mean(axis=0) for group in range(labels.max() + 1)])[labels]


def make(X=None, labels=None, names=None, **changes) -> Facts:
    X = np.random.default_rng(0).normal(50.123456, 10, size=(60, 3)) if X is None else X
    labels = np.arange(len(X)) // 3 if labels is None else labels
    names = tuple(f"column {j}" for j in range(X.shape[1])) if names is None else names
    if labels.ndim == 1:
        released = group_means(X, labels)
    else:
        released = np.column_stack([group_means(X[:, [j]], labels[:, j]) for j in range(X.shape[1])])
    facts = Facts(
        title="people.csv, k = 3",
        settings={"method": "mdav", "seed": "0"},
        headline={"records": len(X), "k": 2, "information_loss": 12.3456789012345, "method": "mdav", "seconds": 0.5},
        names=names,
        original=X,
        released=released,
        labels=labels,
        losses=(result("information_loss", 12.3456789012345, unit="percent"), result("sse", 1234.5678901234)),
        column_losses={"information_loss": dict.fromkeys(names, 3.0), "il1s": dict.fromkeys(names, float("nan"))},
        risks=(result("highest_risk", 100 / 3, 100.0, unit="percent"), result("record_linkage", 20.0, 100.0)),
        roles=dict.fromkeys(names, "quasi"),
        warnings=(Caution("note", "Look <here>."),),
        reproduce={"Python": "ma.anonymize(df, k=3)"},
        sources={"input": Source("people.csv", 12, "ab" * 32)},
    )
    return dataclasses.replace(facts, **changes)


CASES = {
    "usual": lambda: make(),
    "nasty names": lambda: make(np.random.default_rng(1).normal(size=(30, len(NASTY))), names=NASTY),
    "one column": lambda: make(np.arange(20.0)[:, None]),
    "constant column": lambda: make(np.column_stack([np.arange(9.0), np.full(9, 7.0)])),
    "all constant": lambda: make(np.full((9, 2), 7.0)),
    "two records": lambda: make(np.array([[1.0, 2.0], [3.0, 5.0]]), np.zeros(2, dtype=np.int64)),
    "one record": lambda: make(np.array([[1.0, 2.0]]), np.zeros(1, dtype=np.int64)),
    "huge beside tiny": lambda: make(np.tile([[1e15, 1e-15], [1e-15, -1e-15], [-1e15, 3e-15]], (5, 1))),
    "extreme": lambda: make(np.array([[1e300, 5e-324], [-1e300, 0.0], [2e299, 1e-310]])),
    "per column": lambda: make(labels=np.column_stack([np.arange(60) // 3, np.arange(60) // 4, np.arange(60) // 5])),
    "per column, one": lambda: make(np.arange(9.0)[:, None], np.arange(9)[:, None] // 3),
    "hundred columns": lambda: make(np.random.default_rng(2).normal(size=(40, 100))),
    "little to tell": lambda: make(
        settings={}, headline={}, losses=(), column_losses={}, risks=(), roles={}, warnings=(), reproduce={}
    ),
    "details": lambda: make(details=True),
    "details, one column": lambda: make(np.arange(20.0)[:, None], details=True),
    "large k": lambda: make(headline={"k": 50}),
}


@pytest.mark.parametrize("case", CASES)
def test_page_is_whole_and_closed_in_itself(case):
    page = render(CASES[case]())
    read = Page(page)
    assert page.startswith("<!doctype html>")
    few = len(CASES[case]().original) < 50 and "details" not in case
    left_out = {"risks", "linkage"} if case == "little to tell" else {"linkage"} if few else set()
    assert set(read.ids) >= set(SECTIONS) - left_out
    read.assert_closed_in_itself()
    assert not re.search(r"https?://|@import|url\((?!#)", page)
    page.encode("utf-8")
    assert len(page) < 1_000_000


@pytest.mark.parametrize("case", CASES)
def test_numbers_are_tidy(case):
    """No NaN, no Infinity and nothing with seven decimals, neither in words nor in drawings."""
    page = render(CASES[case]())
    assert not re.search(r"\bnan\b|\binf\b|\d\.\d{7}|\de[+-]\d", page)


def test_same_facts_give_the_same_page():
    assert render(make()) == render(make())


def test_names_from_the_data_are_text():
    read = Page(render(CASES["nasty names"]()))
    assert "<script>alert(1)</script>" in read.text
    assert '"><img src=x onerror=alert(1)>' in read.text
    assert "größe 身長 🙂" in read.text
    assert "(no name)" in read.text
    assert "x" * 79 + "…" in read.text
    assert not set("\x00\u202e\ud800") & set(read.text)


ATTACK = "</script><img src=x onerror=alert(1)>"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("title", ATTACK),
        ("settings", {ATTACK: ATTACK}),
        ("headline", {"method": ATTACK, ATTACK: ATTACK}),
        ("losses", (result(ATTACK, 1.0, title=ATTACK, summary=ATTACK, reference=ATTACK, note=ATTACK, unit=ATTACK),)),
        ("risks", (result("highest_risk", 1.0, 2.0, columns={ATTACK: 1.0, ATTACK + "2": 2.0}, title=ATTACK),)),
        ("risks", (result("homogeneity", 1.0, 2.0, title=ATTACK, columns={ATTACK: 1.0}, unit="percent"),)),
        ("column_losses", {ATTACK: dict.fromkeys(["column 0", "column 1"], 1.0)}),
        ("column_losses", {ATTACK: {"column 0": 1.0, "column 1": 2.0}}),
        ("roles", {ATTACK: ATTACK}),
        ("kinds", {"column 0": ATTACK}),
        ("warnings", (Caution(ATTACK, ATTACK, ATTACK),)),
        ("reproduce", {ATTACK: ATTACK}),
        ("sources", {ATTACK: Source(ATTACK, 1, ATTACK)}),
        ("version", ATTACK),
    ],
)
def test_every_text_is_escaped(field, value):
    page = render(make(**{field: value}))
    assert "<img" not in page
    assert "</script" not in page
    assert "alert(1)" in Page(page).text


def test_categories_are_escaped():
    facts = make(np.repeat([[0.0], [1.0]], 10, axis=0), np.zeros(20, dtype=np.int64), names=(ATTACK,))
    facts = dataclasses.replace(
        facts, released=np.zeros((20, 1)), categories={ATTACK: (ATTACK, "b")}, column_losses={}, roles={}
    )
    page = render(facts)
    assert "<img" not in page
    assert "alert(1)" in Page(page).text


def test_no_value_of_a_record_stands_in_words():
    facts = make(np.random.default_rng(3).uniform(1000, 9000, size=(60, 3)).round(2))
    page = render(facts)
    for value in facts.original.ravel():
        assert f"{value:.2f}".rstrip("0") not in page
        assert f"{value:,.2f}".rstrip("0") not in page


def test_summary_says_what_holds():
    text = Page(render(make())).text
    assert "60 records were put into 20 groups of at least 3 similar records" in text
    assert "at most 1 in 3 (33.3%)" in text
    assert "12.3% of the variation" in text
    assert "The averages of the columns stayed the same." in text


def test_lower_bound_is_told():
    headline = {"k": 3, "information_loss": 12.0, "lower_bound": 8.5}
    text = Page(render(make(headline=headline))).text
    assert "No way of forming such groups can lose less than 8.5%." in text
    assert "into groups of at least 3 can lose less than 8.5%" in text
    assert "No partition below 8.5%" in text


def test_summary_does_not_promise_what_columns_alone_cannot_keep():
    text = " ".join(build(CASES["per column"]()).summary.values())
    assert "not k-anonymous" in text
    assert "1 in 3" not in text


def test_summary_bounds_are_bounds():
    facts = make()
    change = np.corrcoef(facts.released, rowvar=False) - np.corrcoef(facts.original, rowvar=False)
    said = re.search(r"No correlation between two columns changed by more than ([\d.]+)\.", Page(render(facts)).text)
    assert said is not None
    assert np.abs(change).max() <= float(said[1]) <= np.abs(change).max() * 1.1


def test_summary_tells_removed_and_kept_columns():
    roles = {"name": "identifier", "salary": "confidential", "city": "other", **dict.fromkeys(make().names, "quasi")}
    text = Page(render(make(roles=roles))).text
    assert "The column name, which names people outright, was removed." in text
    assert "2 other columns were left as they are." in text
    assert "agree in salary" in text


def test_nothing_is_told_that_fewer_than_k_share():
    """A value that one record alone holds moves no bar, no cell and no axis; with details, it does."""
    rng = np.random.default_rng(7)
    X = np.vstack([rng.normal(0, 1, size=(400, 2)), [[9.0, -9.0]]])
    document = build(make(X, np.arange(401) // 5 % 80, headline={"k": 5}))
    for column in document.columns:
        assert set(range(1, 5)).isdisjoint(column.histogram.before.tolist())
        assert column.histogram.before.sum() + column.histogram.held_back == 401
        assert column.histogram.axis.edges[0] > -9
        assert column.histogram.axis.edges[-1] < 9
    assert set(range(1, 5)).isdisjoint(document.numbers["density"].before.tolist())
    assert document.numbers["records"] is None
    open_book = build(make(X, np.arange(401) // 5 % 80, headline={"k": 5}, details=True))
    assert open_book.columns[0].histogram.before.sum() == 401
    assert len(open_book.numbers["records"].before) == 401


def test_every_fact_passes_the_gate_or_is_public():
    """Who adds a fact decides here whether it may be told as it is."""
    public = {"title", "settings", "names", "released", "labels", "roles", "warnings", "reproduce", "kinds", "dates"}
    public |= {"version", "details", "sealed", "masked", "promises", "untouched", "untouched_together", "value_labels"}
    public |= {"gaps", "certificate"}
    X = np.random.default_rng(0).normal(size=(12, 2))
    measured = moments(X)
    facts = make(X, categories={"column 1": ("a", "b")}, whole=WholeFacts(12, {3: 4}, measured, moments(X + 1)))
    facts = dataclasses.replace(facts, original=np.abs(X).round() % 2, released=np.zeros((12, 2)))
    passed = facts.gated()
    gated = {field.name for field in dataclasses.fields(facts)} - public
    unchanged = {name for name in gated if getattr(passed, name) is getattr(facts, name)}
    assert not unchanged
    assert passed.original is facts.released
    assert passed.whole.before is facts.whole.after


def test_page_says_whether_it_shows_records():
    assert "tells nothing that fewer than 2 records share" in Page(render(make())).text
    assert "draws single records" in Page(render(make(details=True))).text
    assert "records-t" in Page(render(make(details=True))).ids
    assert "records-t" not in Page(render(make())).ids


def test_every_chart_has_its_numbers_in_a_table():
    losses = {"il1s": {"column 0": 1.0, "column 1": 2.0}}
    for name, chart_of in report.CHARTS.items():
        charts = chart_of.draw(build(make(details=True, column_losses=losses)), "")
        assert charts, name
        for chart in charts:
            assert chart.rows, name
            assert {len(row) for row in chart.rows} == {len(chart.heads)}


def test_group_smaller_than_k_is_a_warning():
    assert "The smallest group has 3 records, fewer than the k of 5" in Page(render(make(headline={"k": 5}))).text
    assert "fewer than the k of" not in Page(render(make(headline={"k": 3}))).text


def test_release_that_is_not_k_anonymous_is_not_praised():
    text = " ".join(build(make(headline={"k_anonymous": False})).summary.values())
    assert "not k-anonymous, and should not be published" in text
    assert "1 in 3" not in text


def test_measures_have_their_titles_units_and_meanings():
    facts = make(
        losses=(result("sse", 1234.5, title="Squared error", summary="summed over all", unit="units"),),
        risks=(
            result(
                "highest_risk", 20.0, 100.0, title="Highest risk", summary="chance", reference="X 1", unit="percent"
            ),
            result("t_closeness", 0.5, 0.6, sampled=500, note="measured on a sample of the records; beware"),
            result("suda", None, note="too many columns"),
        ),
    )
    text = Page(render(facts)).text
    assert "Squared error Summed over all 1,230 units" in text, "three digits with 60 records"
    assert "Highest risk Nobody can be found with a chance above 20% (1 in 5). Chance. X 1 100% 20%" in text
    assert "Computed on a sample of 500 records: beware." in text
    assert "could not be measured with these data – –" in text
    assert "too many columns" not in text, "an error may name values"


def test_measures_beyond_limits_are_marked():
    bad = build(make(risks=(result("highest_risk", 50.0, 100.0, unit="percent"),)))
    assert bad.risks[0].beyond
    assert [warning.kind for warning in bad.warnings] == ["note", "beyond_limit"]
    good = build(make(risks=(result("highest_risk", 20.0, 100.0, unit="percent"),)))
    assert good.risks[0].beyond is None
    assert [warning.kind for warning in good.warnings] == ["note"]


def test_groups_that_stand_out_are_named():
    X = np.append(np.random.default_rng(8).normal(size=(117, 2)), np.full((3, 2), 40.0), axis=0)
    warning = build(make(X, np.arange(120) // 3, headline={"k": 3}, details=True)).warnings[-1]
    assert (warning.kind, warning.groups) == ("outliers", (39,))
    assert "1 group (3 records) stands far apart from all others" in warning.text
    assert "whether groups of 3 are enough" in warning.text


def _numbers(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return {number for item in value for number in _numbers(item)}
    return {value} if isinstance(value, int | float) and not isinstance(value, bool) else set()


@pytest.mark.parametrize("case", ["usual", "per column", "details", "constant column"])
def test_page_shows_no_number_that_the_twin_lacks(case):
    document = build(CASES[case]())
    twin = json.loads(report.to_json(document))
    written = {"", "–", "undefined"}
    for number in _numbers(twin) | {100 - number for number in _numbers(twin["headline"])}:
        written |= {tidy(number), tidy(number, 3), percent(number), measure(number), correlation_text(number)}
    shown = re.findall(r'<td class="number">(.*?)</td>', report.render(document))
    assert len(shown) > 20
    assert not set(shown) - written


@pytest.mark.parametrize("case", CASES)
def test_twin_is_strict_json_with_its_schema(case):
    def refuse(name):
        raise AssertionError(f"{name} is no JSON")

    twin = json.loads(report.to_json(build(CASES[case]())), parse_constant=refuse)
    assert (twin["schema"], twin["schema_version"], twin["kind"]) == ("microagg-report", 2, "release")
    fields = [field.name for field in dataclasses.fields(report.Document) if field.name != "numbers"]
    keys = [chart.numbers_key or name for name, chart in report.CHARTS.items() if chart.numbers is not None]
    assert list(twin)[3:] == [*fields, *keys]


def test_tooltips_do_not_name_the_extremes():
    """Bins end at round numbers, also on a logarithmic line, where the ends would be the extremes."""
    X = np.random.default_rng(6).lognormal(8, 2, size=(300, 1))
    page = render(make(X))
    assert "logarithmic scale" in page
    for value in (X.min(), X.max()):
        assert tidy(float(value)) not in page


def test_what_is_not_drawn_is_said():
    read = Page(render(CASES["hundred columns"]()))
    assert "The first 24 of 100 columns are drawn" in read.text
    assert "column 99" in read.text
    assert "hist23-t" in read.ids
    assert "hist24-t" not in read.ids


def test_page_stays_small():
    """Many records, many columns, and names that grow when they are escaped."""
    rng = np.random.default_rng(4)
    many = make(rng.normal(size=(20_000, 5)), np.arange(20_000) // 2000)
    assert len(render(many).encode()) < 200_000
    names = tuple(f"{j}" + '"' * 200 for j in range(1000))
    assert len(render(make(rng.normal(size=(30, 1000)), names=names)).encode()) < 1_000_000


def test_million_records():
    rng = np.random.default_rng(5)
    X = rng.lognormal(size=(1_000_000, 2))
    labels = np.empty(len(X), dtype=np.int64)
    labels[np.argsort(X[:, 0])] = np.arange(len(X)) // 5
    released = np.column_stack([np.bincount(labels, weights=column)[labels] / 5 for column in X.T])
    facts = dataclasses.replace(make(), names=("a", "b"), original=X, released=released, labels=labels)
    page = render(facts)
    assert len(page.encode()) < 400_000
    assert "records of the data before are not counted here" in Page(page).text


def test_documentation_names_every_key_of_the_twin():
    text = (Path(__file__).parents[2] / "docs" / "report.md").read_text(encoding="utf-8")
    table = re.search(r"\| key \| holds \|\n(.*?)\n\n", text, re.DOTALL)[1]
    named = [key for line in table.splitlines() for key in re.findall(r"`(\w+)`", line.split("|")[1])]
    twin = json.loads(report.to_json(build(make())))
    assert named == list(twin)
    row = next(line for line in table.splitlines() if line.startswith("| `risks`"))
    assert sorted(re.findall(r"`(\w+)`", row.split("|")[2])) == sorted(twin["risks"][0])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"names": ("a",)}, "a column for each of 1 names"),
        ({"released": np.zeros((2, 3))}, "released must have the shape"),
        ({"labels": np.zeros(2, dtype=np.int64)}, "labels must hold one group"),
        ({"original": np.full((60, 3), np.inf)}, "finite"),
        ({"names": (), "original": np.zeros((0, 0))}, "at least 1 x 1"),
    ],
)
def test_facts_that_do_not_fit_are_refused(changes, message):
    facts = make()
    with pytest.raises(InvalidData, match=message):
        dataclasses.replace(facts, **changes)


def test_importing_the_report_does_not_import_its_template_engine():
    code = "import sys, microagg.report; sys.exit('jinja2' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
