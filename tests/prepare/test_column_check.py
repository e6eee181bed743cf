"""What a column seems to be: made-up twins of files in which names, numbers and codes went out unnoticed."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest

from microagg import io
from microagg.base.schema import Kind
from microagg.prepare.check import Bond, Seems, check_columns, look
from microagg.prepare.check.repeated import numbering_column

N = 400


def findings(frame):
    return {finding.name: finding for finding in check_columns(io.wrap(frame))}


def seems(**columns):
    (found,) = findings(pd.DataFrame(columns)).values()
    return found.seems


def iban(account):
    """A bank account number with the right check digits: ISO 13616."""
    digits = f"{account:018d}"
    check = 98 - int(digits + "131400") % 97
    return f"DE{check:02d}{digits}"


@pytest.fixture
def rng():
    return np.random.default_rng(1)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("contact", [f"p{i}@example.org" for i in range(N)]),
        ("contact", ["info@example.org", "office@example.org"] * (N // 2)),
        ("reach", [f"+49 30 {i:07d}" for i in range(N)]),
        ("reach", [f"(030) 555-{i:04d}" for i in range(N)]),
        ("bank", [iban(i) for i in range(N)]),
        ("field7", [f"{100 + i}-{10 + i % 80}-{1000 + i}" for i in range(N)]),
        ("host", [f"10.0.{i // 250}.{i % 250}" for i in range(N)]),
        ("x", [f"{i:08x}-0000-4000-8000-{i:012x}" for i in range(N)]),
        ("person", [f"Ada{chr(97 + i % 26)} Love{chr(97 + i // 26)}lace" for i in range(N)]),
        ("lives", [f"{i} Main Street" for i in range(1, N + 1)]),
        ("last_name", [f"Miller{i % 90}" for i in range(N)]),
        ("Nachname", [f"Meier{i % 90}" for i in range(N)]),
        ("name", [f"n{i}" for i in range(N)]),
        ("patient_number", [5 * i + 3 for i in range(N)]),
        ("PatientID", [f"P{i // 4:05d}" for i in range(N)]),
        ("ssn", [100_000_000 + 37 * i for i in range(N)]),
        ("id", [i // 8 for i in range(N)]),
        ("UTILITYID", [1000 + 3 * i for i in range(N)]),
        ("pidnum", [10_000 + 7 * i for i in range(N)]),
        ("seqn", [200 + 9 * i for i in range(N)]),
        ("userId", [i % 25 for i in range(10 * N)]),
        ("lname", [f"Miller{i % 90}" for i in range(N)]),
        ("business_name", [f"Shop {i % 30}" for i in range(N)]),
        ("CompanyName", [f"Firm {i % 30}" for i in range(N)]),
        ("rownames", list(range(1, N + 1))),
        ("Unnamed: 0", list(range(N))),
        ("whatever", list(range(1, N + 1))),
        ("whatever", np.random.default_rng(0).permutation(N).tolist()),
        ("whatever", [1_000_003 + 7919 * i for i in range(N)]),
        ("ticket", [f"A{i}/{i % 7}" for i in range(N)]),
    ],
)
def test_identifiers_are_seen_by_pattern_by_name_and_by_being_different(name, values):
    """Names and patient numbers were published, because nobody had said that they are identifiers."""
    assert seems(**{name: values}) is Seems.IDENTIFIER


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("age", list(range(100)) * 4),
        ("income", np.random.default_rng(0).permutation(10 * N)[:N].tolist()),
        ("income", np.random.default_rng(0).lognormal(10, 1, N).round().tolist()),
        ("year", list(range(1600, 1600 + N))),
        ("amount", np.random.default_rng(0).lognormal(10, 1, N).tolist()),
        ("paid", [0, 1] * (N // 2)),
        ("education_num", [i % 16 for i in range(N)]),
        ("company", ["mine", "yours"] * (N // 2)),
        ("aluminum", np.random.default_rng(0).permutation(10 * N)[:N].tolist()),
        ("school_id", [i % 12 for i in range(N)]),
        ("product_name", ["one", "two", "three", "four"] * (N // 4)),
        ("name", ["Biscoe", "Dream", "Torgersen", "Dream"] * (N // 4)),
        ("job", ["tinker", "tailor", "soldier", "spy"] * (N // 4)),
        ("job", ["Head of Sales", "Chief Clerk", "Farm Hand", "Old Spy"] * (N // 4)),
        ("version", [f"1.{i % 5}.0" for i in range(N)]),
        ("day", [f"{1 + i % 28:02d}.{1 + i % 12:02d}.2019" for i in range(N)]),
        ("dose", [0.5, 1.0, 2.0, 4.0] * (N // 4)),
    ],
)
def test_what_is_no_identifier_is_not_called_one(name, values):
    """A check that cries at every column would be switched off."""
    assert seems(**{name: values}) not in (Seems.IDENTIFIER, Seems.FREE_TEXT)


def test_few_records_say_nothing_by_their_numbers():
    """Six people have six ages: that is no row number."""
    assert seems(x=[1, 2, 3, 4, 5, 6]) is Seems.NUMBER
    assert seems(word=list("abcdef")) is Seems.CATEGORY
    assert seems(email=[f"a{i}@b.org" for i in range(6)]) is Seems.IDENTIFIER


def test_sentences_are_free_text(rng):
    words = np.array(["the", "patient", "said", "that", "pain", "came", "back", "after", "work", "and", "went", "away"])
    texts = [" ".join(rng.permutation(words)[:9]) for _ in range(N)]
    assert seems(note=texts) is Seems.FREE_TEXT


@pytest.mark.parametrize(
    ("name", "values", "expected", "kind"),
    [
        ("sex", [1, 2] * (N // 2), Seems.CODE, Kind.NOMINAL),
        ("smokes", [0, 1] * (N // 2), Seems.CODE, Kind.NOMINAL),
        ("race", [1, 2, 3, 4] * (N // 4), Seems.CODE, Kind.NOMINAL),
        ("q7", [1, 2, 3, 4, 5] * (N // 5), Seems.CODE, Kind.ORDINAL),
        ("q8", [1, 2, 3, 99] * (N // 4), Seems.CODE, Kind.ORDINAL),
        ("children", [0, 1, 2, 3] * (N // 4), Seems.NUMBER, Kind.NUMERIC),
        ("zip", [98100 + i % 20 for i in range(N)], Seems.GEOGRAPHY, Kind.NOMINAL),
        ("villnum", [i % 60 for i in range(N)], Seems.GEOGRAPHY, Kind.NOMINAL),
        ("ctryname", ["North", "South", "West", "East"] * (N // 4), Seems.GEOGRAPHY, Kind.NOMINAL),
        ("cowcode2", [2 + 5 * (i % 70) for i in range(N)], Seems.CODE, Kind.NOMINAL),
        ("naics", [1100 + 7 * (i % 90) for i in range(N)], Seems.CODE, Kind.NOMINAL),
        ("area_code", [f"{i % 30:03d}" for i in range(N)], Seems.CODE, Kind.NOMINAL),
        ("state", ["WA", "OR", "CA", "NV"] * (N // 4), Seems.GEOGRAPHY, Kind.NOMINAL),
        ("lat", np.linspace(47, 48, N).tolist(), Seems.GEOGRAPHY, Kind.NUMERIC),
        ("fnlwgt", [1000.5 + i % 90 for i in range(N)], Seems.WEIGHT, Kind.NUMERIC),
        ("survey_weight", [0.5, 1.5] * (N // 2), Seems.WEIGHT, Kind.NUMERIC),
        ("weight", [50.0 + i % 60 for i in range(N)], Seems.NUMBER, Kind.NUMERIC),
        ("country", ["x"] * N, Seems.CONSTANT, Kind.NOMINAL),
        ("remark", [None] * (N - 2) + ["a", "b"], Seems.EMPTY, None),
        ("visit", ["2019-08-29", "2019-09-01"] * (N // 2), Seems.DATE, Kind.NUMERIC),
        ("visit", ["29.08.2019", "01.09.2019"] * (N // 2), Seems.DATE, Kind.NUMERIC),
        ("visit", [datetime.date(2019, 8, 1), datetime.date(2020, 1, 1)] * (N // 2), Seems.DATE, Kind.NUMERIC),
        ("visit_date", [20190829, 20190901] * (N // 2), Seems.DATE, Kind.ORDINAL),
        ("happy", [True, False] * (N // 2), Seems.CATEGORY, Kind.NOMINAL),
    ],
)
def test_codes_dates_weights_and_places(name, values, expected, kind):
    """Codes were averaged: sex 0.2, postcode 98107.4."""
    (found,) = findings(pd.DataFrame({name: pd.Series(values)})).values()
    assert (found.seems, found.kind) == (expected, kind)
    assert found.reasons


def test_an_order_that_the_frame_knows_is_believed():
    grades = pd.Categorical(["low", "high", "middle", "low"] * 10, ["low", "middle", "high"], ordered=True)
    (found,) = findings(pd.DataFrame({"grade": grades})).values()
    assert found.kind is Kind.ORDINAL


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_columns_that_give_another_one_away(make, rng):
    """`lwage` gives `wage` exactly; one column per value gives the region; copies and functions do too."""
    wage = rng.lognormal(3, 1, N).round(2)
    region = rng.integers(0, 4, N)
    frame = {
        "wage": wage,
        "lwage": np.log(wage),
        "debt": -2 * wage,
        "age": rng.integers(18, 80, N),
        "region": [f"r{r}" for r in region],
        "wide": ["n" if r < 2 else "s" for r in region],
        "noise": rng.normal(size=N),
    }
    frame |= {f"is{r}": (region == r).astype(int) for r in range(3)}
    frame["born"] = 2020 - frame["age"]
    frame["copy"] = np.where(np.arange(N) % 100 == 0, 18, frame["age"])
    found = findings(make(frame))
    ties = {name: {tie.other: tie.bond for tie in finding.ties} for name, finding in found.items()}
    assert ties["lwage"] == {"wage": Bond.SAME_ORDER, "debt": Bond.SAME_ORDER}
    assert ties["born"]["age"] is Bond.SAME_ORDER
    assert ties["copy"]["age"] is Bond.NEARLY
    assert ties["region"]["wide"] is Bond.DETERMINES
    assert "region" not in ties["wide"]
    assert ties["noise"] == {}
    assert {name: ties[name].get("region") for name in ("is0", "is1", "is2")} == dict.fromkeys(
        ("is0", "is1", "is2"), Bond.INDICATES
    )
    assert f"({N} of {N} records)" in found["lwage"].why


def test_ties_equal_a_slow_and_obvious_count(rng):
    """Every exact dependence of random columns with few values, and no other, where there is enough to see."""
    n, matrix = 300, {}
    for place in range(12):
        base = rng.integers(0, rng.integers(2, 7), n)
        matrix[f"c{2 * place:02d}"] = base
        matrix[f"c{2 * place + 1:02d}"] = base // 2
    frame = pd.DataFrame({name: [f"v{v}" for v in values] for name, values in matrix.items()})
    expected = set()
    for a in frame:
        for b in frame:
            varies = frame[b].nunique() > 1
            if a != b and varies and frame.groupby(a)[b].nunique().max() == 1:
                expected.add((a, b))
    seen = {
        (name, tie.other)
        for name, finding in findings(frame).items()
        for tie in finding.ties
        if tie.bond is Bond.DETERMINES
    }
    assert expected
    assert seen == expected


def test_chance_is_not_taken_for_dependence(rng):
    """With few records, a column of many values seems to determine everything: nothing is said of that."""
    frame = pd.DataFrame({f"c{i}": rng.integers(0, 25, 30) for i in range(30)})
    assert all(not finding.ties for finding in findings(frame).values())


def test_records_that_are_twice_in_the_table_prove_nothing(rng):
    numbers = rng.normal(size=(60, 8))
    frame = pd.DataFrame(np.vstack([numbers, numbers[:6]])).rename(columns=str)
    assert all(not finding.ties for finding in findings(frame).values())


def test_many_equal_columns_are_bounded():
    """788 equal columns are 620,000 pairs: each is told of a few others only, and takes no longer for it."""
    frame = pd.DataFrame({f"c{i}": np.arange(60) % 20 for i in range(300)})
    assert all(1 <= len(finding.ties) <= 40 for finding in findings(frame).values())


def test_a_large_table_is_looked_at_in_a_sample(rng, monkeypatch):
    """What is near-unique is counted in all records; ties are verified in more records than were looked at first."""
    n = 150_000
    frame = pd.DataFrame({"key": rng.permutation(n), "group": np.arange(n) % 9000, "size": np.arange(n) % 9000 // 30})
    found = findings(frame)
    assert found["key"].seems is Seems.IDENTIFIER
    assert "150,000 different values in 150,000 records" in found["key"].why
    (tie,) = [tie for tie in found["group"].ties if tie.other == "size"]
    assert (tie.n_seen, tie.n_records) == (100_000, n)
    assert "sampled" in tie.words


def test_text_files_and_frames_are_judged_alike(tmp_path, rng):
    frame = pd.DataFrame(
        {
            "id": np.arange(N),
            "zip": [f"{i % 40:05d}" for i in range(N)],
            "sex": rng.integers(0, 2, N),
            "wage": rng.lognormal(3, 1, N).round(2),
            "mail": [f"p{i}@b.org" for i in range(N)],
            "gaps": [None if i % 3 else i % 5 for i in range(N)],
            "day": [f"2019-08-{1 + i % 28:02d}" for i in range(N)],
        }
    )
    frame.to_csv(tmp_path / "people.csv", index=False)
    expected = {name: (finding.seems, finding.kind) for name, finding in findings(frame).items()}
    for hints in ({}, {"numeric": ["wage", "sex"]}):
        table = io.read(tmp_path / "people.csv", **hints)
        assert {f.name: (f.seems, f.kind) for f in check_columns(table)} == expected


def test_no_value_of_a_record_is_told():
    """Findings stand on terminals and in logs: counts may be told, values may not."""
    frame = pd.DataFrame(
        {"name": [f"Zebedee{i}" for i in range(N)], "mail": [f"zebedee{i}@secret.org" for i in range(N)]}
    )
    said = " ".join(finding.why for finding in findings(frame).values())
    assert "ebedee" not in said
    assert "secret" not in said


def test_odd_tables():
    """No records, nothing but gaps, lists and structures: the check has no opinion, and does not fall."""
    assert findings(pd.DataFrame({"a": []}))["a"].seems is Seems.EMPTY
    assert findings(pd.DataFrame({"a": [None] * 30}))["a"].seems is Seems.EMPTY
    assert findings(pd.DataFrame({"a": [[1], [2]] * 20}))["a"].seems is Seems.CATEGORY
    assert findings(pd.DataFrame({"a": [1, "x", None] * 20}))["a"].seems is Seems.CATEGORY
    assert findings(pd.DataFrame({"a": [10**400, 1] * 20}))["a"].seems is Seems.CATEGORY
    assert findings(pd.DataFrame({"a": [np.inf, 1.0] * 20}))["a"].seems is Seems.NUMBER
    assert findings(pl.DataFrame({"": list(range(40))}))[""].seems is Seems.IDENTIFIER


@pytest.mark.parametrize(
    ("columns", "counted"),
    [
        ({"id": [i // 3 for i in range(N)]}, "id"),
        ({"id": list(range(N))}, None),
        ({"visit_id": list(range(N)), "patient_id": [i // 3 for i in range(N)]}, "patient_id"),
        ({"person_id": list(range(N)), "doctor_id": [i // 30 for i in range(N)]}, None),
        ({"person_id": [i // 2 for i in range(N)], "doctor_id": [i // 20 for i in range(N)]}, "person_id"),
        ({"userId": [i // 20 for i in range(N)], "movieId": [i % 90 for i in range(N)]}, "userId"),
        ({"id": [i // 3 if i % 9 else None for i in range(N)]}, None),
        ({"hhid": [i // 3 for i in range(N)]}, None),
        ({"school_id": [i % 12 for i in range(N)]}, None),
        ({"age": [i // 3 for i in range(N)]}, None),
    ],
)
def test_what_numbers_persons_with_several_records_is_found(columns, counted):
    """Five records of one patient look alike, and hide nobody."""
    column = numbering_column(findings(pd.DataFrame(columns)).values())
    assert (column and column.name) == counted
    if column is not None:
        assert column.n_units == len(set(columns[column.name]))


def test_what_numbers_persons_is_found_in_a_sample(monkeypatch):
    monkeypatch.setattr(look, "MOST_ROWS", 200)
    found = findings(pd.DataFrame({"patient_id": [i // 2 for i in range(4 * N)]}))["patient_id"]
    assert found.n_units
