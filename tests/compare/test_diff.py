"""Two releases of the same data: what differs, and how few records remain for somebody who holds both."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import microagg as ma
from microagg.errors import FileProblem, InvalidOption
from microagg.io import sha256

QUASI = {"quasi": ["age", "income"]}


@pytest.fixture
def people():
    rng = np.random.default_rng(2)
    return pd.DataFrame(
        {
            "id": np.arange(60) * 7 % 61,
            "age": rng.integers(18, 90, 60),
            "income": rng.lognormal(8, 0.5, 60).round(2),
            "ill": rng.choice(["flu", "gout", "none"], 60),
        }
    )


labels = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=14)


@settings(max_examples=40)
@given(labels)
def test_combined_classes_are_intersections(rows):
    """By the definition: who is in the class of the record in the first release, and in that of the second."""
    first = pd.DataFrame([(a, c) for a, _, c in rows], columns=["q", "c"])
    second = pd.DataFrame([(b, c) for _, b, c in rows], columns=["q", "c"])
    found = ma.diff(first, second, quasi=["q"], confidential=["c"], k=2)
    left = [sum(x == a and y == b for x, y, _ in rows) for a, b, _ in rows]
    assert found.alignment == "order"
    assert found.risks[2]["smallest_class"] == min(left)
    assert found.below == sum(size < 2 for size in left)
    together = [len({c for x, y, c in rows if (x, y) == (a, b)}) == 1 for a, b, _ in rows]
    first_alone = [len({c for x, _, c in rows if x == a}) == 1 for a, _, _ in rows]
    second_alone = [len({c for _, y, c in rows if y == b}) == 1 for _, b, _ in rows]
    alone = [one or other for one, other in zip(first_alone, second_alone, strict=True)]
    assert found.disclosed == {"c": sum(one and not before for one, before in zip(together, alone, strict=True))}


@settings(max_examples=40)
@given(labels, st.randoms())
def test_records_are_found_again_by_what_stayed(rows, random):
    """Of shuffled releases: records that are unique in the columns that stayed, against all that may be the same."""
    shuffled = random.sample(rows, len(rows))
    first = pd.DataFrame([(a, c) for a, _, c in rows], columns=["q", "c"])
    second = pd.DataFrame([(b, c) for _, b, c in shuffled], columns=["q", "c"])
    found = ma.diff(first, second, quasi=["q"], k=2)
    if [c for _, _, c in rows] == [c for _, _, c in shuffled]:
        assert found.alignment == "order"
        return
    counts = [c for _, _, c in rows]
    known = [(a, b) for a, b, c in rows if counts.count(c) == 1]
    left = [
        sum(
            min(
                sum(x == a and z == value for x, _, z in rows),
                sum(y == b and z == value for _, y, z in rows),
            )
            for value in set(counts)
        )
        for a, b in known
    ]
    assert (found.alignment, found.link, found.linked) == ("columns", ("c",), len(known))
    assert found.below == sum(size < 2 for size in left)
    if left:
        assert found.risks[2]["smallest_class"] == min(left)


def test_a_release_beside_itself_is_as_safe_as_alone(people):
    release = ma.anonymize(people, k=4, identifiers=["id"], confidential=["ill"], **QUASI)
    found = ma.diff(release, release)
    assert found.safe
    assert (found.k, found.below, found.linked) == (4, 0, 60)
    assert found.risks[0] == found.risks[1] == found.risks[2] == release.risks
    assert all(change.records == 0 for change in found.columns)
    assert found.choices == {}
    assert found.disclosed == {"ill": 0}


def test_two_releases_together_tell_more(people):
    one = ma.anonymize(people, k=4, confidential=["ill"], keep=["id"], **QUASI)
    other = ma.anonymize(people, k=5, method="univariate", confidential=["ill"], keep=["id"], **QUASI)
    found = ma.diff(one, other)
    assert found.k == 4
    assert not found.safe
    assert found.choices["k"] == (4, 5)
    assert found.losses[1]["information_loss"] == other.information_loss
    assert any("publish one of them only" in text for text in found.warnings)
    pairs = list(zip(one.labels.tolist(), other.labels.tolist(), strict=True))
    assert found.below == sum(pairs.count(pair) < 4 for pair in pairs)
    changed = {change.name: change for change in found.columns}
    assert changed["id"].records == changed["ill"].records == 0
    assert changed["age"].mean_change == pytest.approx((one.data["age"] - other.data["age"]).abs().mean())
    assert changed["ill"].mean_change is None


def test_a_key_finds_records_in_any_order(people):
    one = ma.anonymize(people, k=4, keep=["id"], **QUASI).data
    other = ma.anonymize(people, k=5, method="univariate", keep=["id"], **QUASI).data
    plain = ma.diff(one, other, **QUASI)
    mixed = other.sample(frac=1.0, random_state=3).drop(columns="ill")
    found = ma.diff(one, mixed, key="id", k=plain.k, **QUASI)
    assert (found.alignment, found.linked, found.missing) == ("key", 60, (("ill",), ()))
    assert (found.below, found.risks[2]) == (plain.below, plain.risks[2])
    part = ma.diff(one, mixed.head(40), key="id", **QUASI)
    assert part.linked == 40


def test_nothing_to_find_records_by(people):
    one = people[["age"]]
    found = ma.diff(one, one.head(30), quasi=["age"], k=2)
    assert (found.alignment, found.linked, found.risks[2]) == ("none", 0, {})
    assert any("Name a key" in text for text in found.warnings)
    assert any("same order" in text for text in ma.diff(one, one, quasi=["age"], k=2).warnings)


def test_missing_values_and_texts_are_compared_as_they_are():
    one = pd.DataFrame({"q": [1.0, 1.0, 2.0], "t": ["a", None, "b"], "n": [1.0, np.nan, 3.0]})
    other = pd.DataFrame({"q": [1.0, 1.0, 1.0], "t": ["a", None, "c"], "n": [1, None, 4]})
    found = ma.diff(one, other, quasi=["q", "t", "n"], k=2)
    assert [(change.name, change.records) for change in found.columns] == [("q", 1), ("t", 1), ("n", 1)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "the quasi-identifiers are not known"),
        ({"quasi": ["agee"]}, "first: there is no column 'agee'; did you mean 'age'"),
        ({"quasi": ["age"], "key": "idd"}, "key: the first release: there is no column 'idd'"),
        ({"quasi": ["age"], "key": "ill"}, "'ill' must tell records apart"),
        ({"quasi": ["age"], "k": 1}, "k must be a whole number of at least 2"),
        ({"quasi": ["age"], "confidential": ["pay"]}, "confidential: first: there is no column 'pay'"),
    ],
)
def test_bad_use(options, message, people):
    with pytest.raises(InvalidOption, match=message):
        ma.diff(people, people, **options)


def test_files_that_tell_nothing(tmp_path, people):
    people.to_csv(tmp_path / "a.csv", index=False)
    (tmp_path / "a.json").write_text("{}")
    with pytest.raises(FileProblem, match="is neither what microagg anonymize --json prints"):
        ma.diff(tmp_path / "a.json", tmp_path / "a.csv")
    (tmp_path / "b.json").write_text(json.dumps({"output": None, "roles": {}, "k": 3, "losses": {}}))
    with pytest.raises(InvalidOption, match="names no output"):
        ma.diff(tmp_path / "b.json", tmp_path / "a.csv")
    (tmp_path / "a.toml").write_text("[release]\nk = 3\n")
    with pytest.raises(InvalidOption, match="names no output"):
        ma.diff(tmp_path / "a.toml", tmp_path / "a.csv")


def test_reports_in_json_name_their_release(tmp_path, people):
    """They hold the name without its folder, the checksum, and the measures as a list."""
    release = ma.anonymize(people, k=4, confidential=["ill"], keep=["id"], **QUASI)
    release.write(tmp_path / "a.csv")
    report = {
        "sources": {"output": {"name": "a.csv", "sha256": sha256(tmp_path / "a.csv")}},
        "headline": {"k": 4},
        "losses": [{"name": "information_loss", "after": 7.5}, {"name": "il1s", "after": None}],
        "roles": {name: str(role) for name, role in release.roles.items()},
    }
    (tmp_path / "a.json").write_text(json.dumps(report))
    found = ma.diff(tmp_path / "a.json", release)
    assert (found.safe, found.k, found.losses[0], found.warnings) == (True, 4, {"information_loss": 7.5}, ())
    report["sources"]["output"]["sha256"] = "0" * 64
    (tmp_path / "a.json").write_text(json.dumps(report))
    assert "SHA-256 differs" in ma.diff(tmp_path / "a.json", release).warnings[0]


def test_notebooks_show_a_difference(people):
    """Key figures, what differs, what both tell together; names of columns and releases are escaped."""
    frame = people.rename(columns={"ill": "<b>ill"})
    one, other = (ma.anonymize(frame, k, quasi=["age"], keep=["id"]) for k in (3, 4))
    shown = ma.diff(one, other)._repr_html_()
    assert shown.startswith("<div")
    assert "&lt;b&gt;ill" in shown
    assert "<b>" not in shown
    assert "together 3-anonymous" in shown
    nothing = ma.diff(people[["age"]], people[["age"]].head(30), quasi=["age"], k=2)._repr_html_()
    assert "unknown" in nothing
    assert "could be found" in nothing
