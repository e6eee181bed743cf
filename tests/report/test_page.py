"""The page: whole, closed in itself, safe against names from the data, and true in its words."""

from __future__ import annotations

import dataclasses
import re
import subprocess
import sys

import numpy as np
import pytest
from html_page import Page

from microagg.errors import InvalidData
from microagg.report import Facts, render
from microagg.report.words import tidy

SECTIONS = [
    "summary",
    "groups",
    "losses",
    "risks",
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
        losses={"information_loss": 12.3456789012345, "sse": 1234.5678901234},
        column_losses={"information_loss": dict.fromkeys(names, 3.0), "il1s": dict.fromkeys(names, float("nan"))},
        loss_notes={"sse": "Lower is better."},
        risks={"prosecutor": 1 / 3},
        risk_notes={"prosecutor": "Chance to re-identify."},
        roles=dict.fromkeys(names, "quasi"),
        warnings=("Look <here>.",),
        reproduce={"Python": "ma.anonymize(df, k=3)"},
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
        settings={}, headline={}, losses={}, column_losses={}, risks={}, roles={}, warnings=(), reproduce={}
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_page_is_whole_and_closed_in_itself(case):
    page = render(CASES[case]())
    read = Page(page)
    assert page.startswith("<!doctype html>")
    assert set(read.ids) >= set(SECTIONS) - ({"risks"} if case == "little to tell" else set())
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


@pytest.mark.parametrize(
    "field", ["title", "settings", "headline", "loss_notes", "risks", "roles", "warnings", "reproduce"]
)
def test_every_text_is_escaped(field):
    attack = "<script>alert(1)</script>"
    values = {
        "title": attack,
        "settings": {attack: attack},
        "headline": {"method": attack, attack: attack},
        "loss_notes": {"sse": attack, "information_loss": attack},
        "risks": {attack: 1.0},
        "roles": {attack: attack},
        "warnings": (attack,),
        "reproduce": {attack: attack},
    }
    page = render(make(**{field: values[field]}))
    assert "<script" not in page
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


def test_summary_does_not_promise_what_columns_alone_cannot_keep():
    text = Page(render(CASES["per column"]())).text
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


def test_group_smaller_than_k_is_a_warning():
    assert "The smallest group has 3 records, fewer than the k of 5" in Page(render(make(headline={"k": 5}))).text
    assert "fewer than the k of" not in Page(render(make(headline={"k": 3}))).text


def test_release_that_is_not_k_anonymous_is_not_praised():
    text = Page(render(make(headline={"k_anonymous": False}))).text
    assert "not k-anonymous, and should not be published" in text
    assert "1 in 3" not in text


def test_measures_have_their_titles_and_units():
    facts = make(
        loss_notes={"sse": "Squared error: summed over all.", "information_loss": "lower is better"},
        risks_before={"prosecutor": 1.0},
        units={"information_loss": "percent", "sse": "units"},
    )
    text = Page(render(facts)).text
    assert "Squared error Summed over all. 1,235 units" in text
    assert "Information loss Lower is better 12.3%" in text
    assert "Measure Before After" in text


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
    assert len(page.encode()) < 200_000
    assert "1,500 of 1,000,000 records are drawn" in Page(page).text


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"names": ("a",)}, "a column for each of 1 names"),
        ({"released": np.zeros((2, 3))}, "released must have the shape"),
        ({"labels": np.zeros(2, dtype=np.int64)}, "labels must hold one group"),
        ({"original": np.full((60, 3), np.nan)}, "finite"),
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
