"""Columns that nobody spoke of: a release in which one may name somebody, or gives another away, is refused."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

import microagg as ma
from microagg.errors import InvalidOption, LikelyIdentifier

N = 60
ENGINES = ["unlimited", "200MB"]


def patients():
    rng = np.random.default_rng(0)
    age = rng.integers(20, 60, N)
    return {
        "number": [f"P{7 * i:05d}" for i in range(N)],
        "age": age,
        "born": 2020 - age,
        "size": rng.normal(170, 9, N).round(1),
        "ward": ["north", "south"] * (N // 2),
    }


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_an_identifier_that_nobody_declared_is_refused(make):
    """Patient numbers were published, because nobody had said that they are identifiers."""
    with pytest.raises(LikelyIdentifier) as refused:
        ma.anonymize(make(patients()), 3, quasi=["age", "size"], identifiers=["born"])
    said = str(refused.value)
    assert refused.value.columns == ("number",)
    assert "Column 'number' seems to be an identifier" in said
    assert "nearly every record has a text of its own" in said
    for way in ("identifiers=[...], --drop number", "quasi=[...]", "keep=[...], --keep number"):
        assert way in said
    assert "\n" not in said
    assert not re.search(r"P\d{5}", said)


def test_a_column_that_gives_a_quasi_identifier_away_is_refused():
    """The year of birth beside a grouped age: k-anonymity of the age promises nothing."""
    with pytest.raises(LikelyIdentifier, match="'born' gives 'age' away"):
        ma.anonymize(pd.DataFrame(patients()), 3, quasi=["age"], identifiers=["number"])


def test_the_three_ways_out():
    frame = pd.DataFrame(patients())
    rest = {"identifiers": ["born"]}
    assert "number" not in ma.anonymize(frame, 3, quasi=["age", "size"], identifiers=["born", "number"]).data
    kept = ma.anonymize(frame, 3, quasi=["age", "size"], keep=["number"], **rest)
    assert kept.data["number"].tolist() == frame["number"].tolist()
    assert kept.plan.keep == ("number",)
    release = ma.anonymize(frame, 3, quasi=["age", "size", "number"], **rest)
    assert release.data["number"].value_counts().min() >= 3


def test_weights_are_among_them():
    frame = pd.DataFrame(patients()).assign(w=np.arange(N) + 1)
    roles = {"quasi": ["age", "size"], "identifiers": ["born", "number"], "weights": "w"}
    with pytest.raises(LikelyIdentifier, match="Column 'w' seems to be an identifier"):
        ma.anonymize(frame, 3, **roles)
    assert "w" in ma.anonymize(frame, 3, keep=["w"], **roles).data


def test_strata_and_what_the_release_is_about_were_spoken_of():
    frame = pd.DataFrame(patients())
    roles = {"quasi": ["age"], "identifiers": ["number", "born"], "confidential": ["size"], "by": ["ward"]}
    assert ma.anonymize(frame, 3, **roles).k_anonymous


def test_a_confidential_column_that_gives_a_quasi_identifier_away_is_refused():
    """It was named, but not that the age that is grouped can be read from it: that must be said (keep), and is warned
    of all the same.
    """
    roles = {"quasi": ["age", "size"], "identifiers": ["number"]}
    with pytest.raises(LikelyIdentifier, match=r"a confidential column would be released as it is.*'born' gives 'age'"):
        ma.anonymize(pd.DataFrame(patients()), 3, confidential=["born"], **roles)
    release = ma.anonymize(pd.DataFrame(patients()), 3, confidential=["born"], keep=["born"], **roles)
    assert release.roles["born"] == "confidential"
    assert any("Confidential columns tell what grouping hides: 'born' gives 'age' away" in w for w in release.warnings)
    quiet = ma.anonymize(pd.DataFrame(patients()).drop(columns="born"), 3, confidential=["ward"], **roles)
    assert not any("Confidential columns tell" in warning for warning in quiet.warnings)


@pytest.mark.parametrize("memory", ENGINES)
def test_the_command_line(memory, tmp_path, run):
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    pd.DataFrame(patients()).to_csv(source, index=False)
    command = ("anonymize", source, "-k", 3, "--quasi", "age,size", "--drop", "born", "--memory", memory, "-o", target)
    code, out, err = run(*command)
    assert (code, out, target.exists()) == (2, "", False)
    assert "'number' seems to be an identifier" in err
    assert err.count("\n") == 1
    assert run(*command, "--keep", "number")[0] == 0
    assert pd.read_csv(target)["number"].tolist() == patients()["number"]


def test_compare_takes_it_too(tmp_path, run):
    source = tmp_path / "in.csv"
    pd.DataFrame(patients()).to_csv(source, index=False)
    command = ("compare", source, "-k", "3,4", "--methods", "mdav", "--quasi", "age,size", "--drop", "born", "--json")
    code, _, err = run(*command)
    assert code == 2
    assert "--keep number" in err
    code, out, _ = run(*command, "--keep", "number")
    assert code == 0
    assert "--keep number" in out


@pytest.mark.parametrize("asked", [{}, {"quasi": None}, {"quasi": "*"}])
def test_every_column_means_every_one_that_is_fit(asked):
    """Never ids or names: those are refused, or left out where the others are, and that is said."""
    frame = pd.DataFrame(patients()).drop(columns="born")
    with pytest.raises(LikelyIdentifier, match="'number'"):
        ma.anonymize(frame, 3, **asked)
    release = ma.anonymize(frame, 3, others="drop", **asked)
    assert list(release.data.columns) == ["age", "size", "ward"]
    assert any("Column 'number' is left out: it seems to be an identifier" in note for note in release.warnings)
    kept = ma.anonymize(frame, 3, keep=["number"], **asked)
    assert kept.names == ("age", "size", "ward")
    assert "number" in kept.data


def test_many_such_columns_are_folded():
    frame = pd.DataFrame({"age": np.arange(N) % 9} | {f"id{i}": np.arange(N) + i for i in range(12)})
    with pytest.raises(LikelyIdentifier, match=r"12 columns that nobody spoke of .*\(and 7 more columns\)") as refused:
        ma.anonymize(frame, 3, quasi=["age"])
    assert len(refused.value.columns) == 12


def test_keep_is_a_role_like_others():
    with pytest.raises(InvalidOption, match="'age' is named in keep and as quasi"):
        ma.Plan(k=3, quasi=["age"], keep=["age"])
    with pytest.raises(InvalidOption, match="keep: there is no column 'agee'; did you mean 'age'"):
        ma.anonymize(pd.DataFrame(patients()), 3, quasi=["size"], keep=["agee"])
    plan = ma.Plan(k=3, quasi=["size"], keep=["number"], others="drop")
    assert plan.roles(["size", "number", "ward"])["number"] == "other"
    assert ma.Plan(k=3, quasi=["size"], keep=["x"], others="refuse").roles(["size", "x"])["x"] == "other"


def test_how_unique_untouched_columns_are_together():
    """Month, day, hour: each shared by many, and together they point to nearly every flight."""
    n = 300
    frame = pd.DataFrame(
        {
            "delay": np.random.default_rng(0).integers(0, 90, n),
            "month": np.arange(n) % 12,
            "day": np.arange(n) % 25,
            "hour": np.arange(n) // 12 % 24,
        }
    )
    counts = frame.groupby(["month", "day", "hour"]).size()
    expected = int((counts == 1).sum())
    assert expected > n / 2
    for table in (frame, pl.from_pandas(frame)):
        release = ma.anonymize(table, 3, quasi=["delay"])
        assert any(
            f"3 columns are released as they are ('month', 'day', 'hour'): {expected} of {n} records" in note
            for note in release.warnings
        )


def postcodes(n=400):
    rng = np.random.default_rng(1)
    area, sector = rng.integers(0, 8, n), rng.integers(0, 9, n)
    return pd.DataFrame({
        "area": [f"A{i}" for i in area],
        "sector": [f"S{i}" for i in sector],
        "postcode": [f"A{i} S{j}" for i, j in zip(area, sector, strict=True)],
        "age": rng.integers(20, 60, n),
    })  # fmt: skip


@pytest.mark.parametrize("make", [lambda frame: frame, pl.from_pandas])
def test_two_columns_that_together_give_one_away_are_refused(make):
    """The parts of a postcode beside the grouped postcode: neither tells it, both do."""
    frame, roles = make(postcodes()), {"quasi": ["postcode", "age"]}
    said = r"'area' and 'sector' together give 'postcode' away: it follows in 400 of 400 records.*--keep area,sector"
    with pytest.raises(LikelyIdentifier, match=said) as refused:
        ma.anonymize(frame, 3, **roles)
    assert refused.value.columns == ("area", "sector")
    assert "A1" not in str(refused.value)
    with pytest.raises(LikelyIdentifier, match="--keep sector"):
        ma.anonymize(frame, 3, keep=["area"], **roles)
    with pytest.raises(LikelyIdentifier, match="--keep sector"):
        ma.anonymize(frame, 3, by=["area"], **roles)
    assert ma.anonymize(frame, 3, identifiers=["sector"], **roles).k_anonymous
    release = ma.anonymize(frame, 3, keep=["area", "sector"], **roles)
    assert any("tell what grouping hides: 'area' and 'sector'" in warning for warning in release.warnings)


@pytest.mark.parametrize("memory", ENGINES)
def test_pairs_on_the_command_line(memory, tmp_path, run):
    postcodes().to_csv(tmp_path / "in.csv", index=False)
    command = ("anonymize", tmp_path / "in.csv", "-k", 3, "--quasi", "age,postcode", "--memory", memory)
    code, _, err = run(*command)
    assert code == 2
    assert "'area' and 'sector' together give 'postcode' away" in err
    assert err.count("\n") == 1
    assert run(*command, "--drop", "sector")[0] == 0


def test_an_index_that_may_name_somebody_is_refused():
    """keep_index=True says that there is an index, not that it holds addresses, or the age that is grouped."""
    frame = pd.DataFrame(patients())[["age", "size"]]
    mails = frame.set_index(pd.Index([f"p{i}@b.org" for i in range(N)], name="mail"))
    with pytest.raises(LikelyIdentifier, match=r"index .*'mail' seems to be an identifier .*keep_index='anyway'"):
        ma.anonymize(mails, 3, keep_index=True)
    born = frame.set_index(pd.Index(2020 - frame["age"]))
    with pytest.raises(LikelyIdentifier, match="gives 'age' away"):
        ma.anonymize(born, 3, keep_index=True)
    kept = ma.anonymize(mails, 3, keep_index="anyway")
    assert kept.data.index.tolist() == mails.index.tolist()
    wards = frame.set_index(pd.Index(patients()["ward"], name="ward"))
    assert ma.anonymize(wards, 3, keep_index=True).data.index.name == "ward"
    assert ma.anonymize(frame, 3, keep_index=True).k_anonymous
    with pytest.raises(InvalidOption, match="keep_index must be True, False or 'anyway'; got 'yes'"):
        ma.anonymize(frame, 3, keep_index="yes")


def test_an_index_of_levels_is_looked_at_level_by_level():
    frame = pd.DataFrame(patients())[["age", "size"]]
    frame.index = pd.MultiIndex.from_arrays([patients()["ward"], patients()["number"]], names=["age", None])
    with pytest.raises(LikelyIdentifier, match="'index' seems to be an identifier") as refused:
        ma.anonymize(frame, 3, keep_index=True)
    assert refused.value.columns == ("index",)


@pytest.mark.parametrize("memory", ENGINES)
def test_records_are_counted_where_persons_have_several(memory, tmp_path, run):
    """Somebody left the number of the patients out, as one should, and k counted visits."""
    rng = np.random.default_rng(0)
    person = np.repeat(np.arange(30), 3)
    frame = pd.DataFrame({"patient_id": person, "age": 20 + person % 40, "pulse": rng.integers(50, 120, 90)})
    path = tmp_path / "visits.csv"
    frame.to_csv(path, index=False)
    asked = ["anonymize", path, "-k", "3", "--drop", "patient_id", "-o", tmp_path / "out.csv", "--memory", memory]
    _, _, said = run(*asked)
    assert "k counts records" in said
    assert "Count them with --unit patient_id." in said
    counted = ma.anonymize(frame, 3, unit="patient_id")
    assert not any("k counts records" in warning for warning in counted.warnings)
    once = ma.anonymize(frame[::3], 3, identifiers=["patient_id"])
    assert not any("k counts records" in warning for warning in once.warnings)
