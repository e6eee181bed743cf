"""Roles and kinds that are suggested: with reasons, shown in notebooks, written as a plan that can be run."""

import tomllib

import numpy as np
import pandas as pd
import polars as pl
import pytest

import microagg as ma
from microagg.errors import InvalidData, InvalidOption
from microagg.plan import parse

N = 200


def patients():
    rng = np.random.default_rng(0)
    age = rng.integers(18, 90, N)
    return {
        "patient_id": np.arange(N) + 5000,
        "name": [f"Person {i}" for i in range(N)],
        "age": age,
        "born": 2020 - age,
        "sex": rng.integers(1, 3, N),
        "zip": rng.integers(98100, 98110, N),
        "note": [f"came on day {i} with a bad cough and left again soon after that" for i in range(N)],
        "diagnosis": [["flu", "gout", "cough"][i] for i in rng.integers(0, 3, N)],
        "finalwt": rng.lognormal(5, 1, N),
        "site": ["north"] * N,
    }


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_every_column_has_a_role_and_a_reason(make):
    suggestion = ma.suggest(make(patients()))
    assert suggestion.roles == {
        "patient_id": "identifier",
        "name": "identifier",
        "age": "quasi",
        "born": "quasi",
        "sex": "quasi",
        "zip": "quasi",
        "note": "identifier",
        "diagnosis": "confidential",
        "finalwt": "weights",
        "site": "other",
    }
    assert suggestion.kinds == {"age": "numeric", "born": "numeric", "sex": "nominal", "zip": "nominal"}
    assert all(column.finding.reasons for column in suggestion.columns)


def test_the_plan_runs():
    frame = pd.DataFrame(patients())
    release = ma.repeat(frame, ma.suggest(frame).plan(k=4))
    assert release.k_anonymous
    assert list(release.data.columns) == ["age", "born", "sex", "zip", "diagnosis", "finalwt", "site"]
    assert set(release.data["zip"]) <= set(frame["zip"])


def test_the_file_says_why_behind_each_column():
    text = ma.suggest(pd.DataFrame(patients())).toml(7)
    assert parse(text).plan.k == 7
    (line,) = [line for line in text.splitlines() if line.startswith('  "name",')]
    assert "# identifier: its name says that it holds names" in line


def test_names_cannot_break_out_of_the_file_or_the_page():
    """The name of a column is a stranger's: no line of the plan, no tag of a page, no control of a terminal."""
    evil = 'a\n[release]\nk = 2 # "<script>' + chr(27) + "[31m"
    suggestion = ma.suggest(pd.DataFrame({evil: np.arange(40) % 7, "copy": np.arange(40) % 7, "b": np.arange(40) % 5}))
    text = suggestion.toml(5)
    assert tomllib.loads(text)["release"]["k"] == 5
    assert evil in parse(text).plan.quasi
    page = suggestion._repr_html_()
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    for shown in (page, repr(suggestion)):
        assert chr(27) not in shown
        assert "\n[release]" not in shown


def test_what_tells_a_quasi_identifier_does_not_stay():
    """Confidential by its name, but it gives the wage away that is grouped: it is grouped too."""
    rng = np.random.default_rng(0)
    sold = rng.lognormal(3, 1, N)
    roles = ma.suggest(pd.DataFrame({"sold": sold, "income": 2 * sold})).roles
    assert roles == {"sold": "quasi", "income": "quasi"}


def test_changes():
    suggestion = ma.suggest(pd.DataFrame(patients()))
    changed = suggestion.changed("site", "quasi").changed("age", "quasi", "ordinal").changed("born", "weights")
    assert (changed.roles["site"], changed.kinds["age"]) == ("quasi", "ordinal")
    assert (changed.roles["finalwt"], changed.roles["born"]) == ("other", "weights")
    with pytest.raises(InvalidOption, match="did you mean 'age'"):
        suggestion.changed("agee", "quasi")
    with pytest.raises(InvalidOption, match="the role of column 'age' must be one of quasi"):
        suggestion.changed("age", "king")


def test_gaps_decide_what_becomes_of_records():
    """A plan that is refused as soon as it runs would be no suggestion."""
    frame = pd.DataFrame({"age": [float(20 + i % 30) for i in range(N)], "size": np.arange(N) % 40})
    assert ma.suggest(frame).plan(k=3).missing == "refuse"
    frame.loc[0, "age"] = None
    assert ma.suggest(frame).plan(k=3).missing == "drop"
    frame.loc[:100, "age"] = None
    plan = ma.suggest(frame).plan(k=3)
    assert plan.missing == "value", "so many are neither left out nor made up"
    assert len(ma.repeat(frame, plan).data) == N


def test_many_columns_are_folded():
    frame = pd.DataFrame({f"c{i}": np.arange(30) % 7 for i in range(788)})
    suggestion = ma.suggest(frame)
    assert "... and 728 more columns" in repr(suggestion)
    assert suggestion._repr_html_().count("<tr>") == 61


def test_nothing_to_group():
    with pytest.raises(InvalidData, match="no column seems fit"):
        ma.suggest(pd.DataFrame({"id": range(40)})).plan()


def visits():
    rng = np.random.default_rng(0)
    person = np.repeat(np.arange(60), 3)
    return pd.DataFrame({"patient_id": person, "age": 20 + person % 40, "pulse": rng.integers(50, 120, 180)})


def test_persons_with_several_records_are_counted():
    """Every class had k records, and sometimes one person."""
    suggestion = ma.suggest(visits())
    assert suggestion.roles == {"patient_id": "unit", "age": "quasi", "pulse": "quasi"}
    assert "k counts these and not records" in suggestion.columns[0].note
    plan = suggestion.plan(k=4)
    assert (plan.unit, plan.shuffle) == ("patient_id", True)
    released = ma.repeat(visits(), suggestion.plan(k=4, shuffle=False)).data
    assert list(released.columns) == ["age", "pulse"]
    assert released.assign(person=visits()["patient_id"]).groupby(["age", "pulse"])["person"].nunique().min() >= 4


def test_one_column_is_counted_at_a_time():
    """The one that was counted before must not be released instead."""
    frame = visits().assign(doctor_id=np.arange(180) // 30)
    changed = ma.suggest(frame).changed("doctor_id", "unit")
    assert (changed.roles["doctor_id"], changed.roles["patient_id"]) == ("unit", "identifier")
    assert changed.plan(k=2).unit == "doctor_id"
