"""Question marks in files such as Adult: they stand for missing text too, once somebody says what to do with gaps."""

import numpy as np
import pandas as pd
import pytest

import microagg as ma


@pytest.fixture
def people(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 80, 300),
            "job": rng.choice(["baker", "clerk", "?"], 300, p=[0.5, 0.3, 0.2]),
            "note": rng.choice(["?", "a"], 300),
        }
    )
    frame.to_csv(tmp_path / "people.csv", index=False)
    return tmp_path / "people.csv", frame


@pytest.mark.parametrize("memory", ["unlimited", "200MB"])
def test_unknown_jobs_stay_unknown(people, memory):
    """They are missing in the release where they were, and nowhere is a job made up; what is not grouped stays."""
    path, frame = people
    out = path.with_name("out.csv")
    release = ma.anonymize_file(path, out, 5, quasi=["age", "job"], missing="value", memory=memory)
    released = pd.read_csv(out, keep_default_na=False)
    assert (released.loc[frame["job"] == "?", "job"] == "").all()
    assert (released["note"] == frame["note"]).all()
    assert release.gaps.missing["job"] == (frame["job"] == "?").sum()


def test_records_with_unknown_jobs_are_dropped(people):
    """As the well-known file of 30,162 records came about."""
    path, frame = people
    out = path.with_name("out.csv")
    ma.anonymize_file(path, out, 5, quasi=["age", "job"], missing="drop")
    assert len(pd.read_csv(out)) == (frame["job"] != "?").sum()


def test_without_a_word_they_are_a_category(people):
    """Nobody said that anything is missing: a question mark is what it was."""
    path, _ = people
    out = path.with_name("out.csv")
    ma.anonymize_file(path, out, 5, quasi=["age", "job"])
    assert "?" in set(pd.read_csv(out)["job"])
