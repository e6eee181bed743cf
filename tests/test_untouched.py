"""Columns that leave as they came without anybody having said so: listed, and said where they point to persons."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

import microagg as ma

ENGINES = ["unlimited", "200MB"]


def patients(n=40):
    return {
        "number": [f"P{i:05d}" for i in range(n)],
        "age": [20 + i % 50 for i in range(n)],
        "ward": ["north", "south"] * (n // 2),
        "weight": (1 + np.arange(n) * 7 % n / n).tolist(),
        "illness": ["flu"] * 20 + ["flu", "gout"] * (n // 2 - 10),
    }


ROLES = {"quasi": ["age"], "confidential": ["illness"], "weights": "weight", "keep": ["number"]}


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_frames(make):
    """A patient number that may stay is counted, and warned of, all the same."""
    release = ma.anonymize(make(patients()), 4, **ROLES)
    assert release.untouched == {"number": 1.0, "ward": 0.0, "weight": 1.0}
    assert release.summary["untouched"] == release.untouched
    said = [warning for warning in release.warnings if "released as it is" in warning]
    assert any("'number'" in warning and "100%" in warning for warning in said)
    assert not any("'ward'" in warning for warning in said)


def test_roles_that_were_given_are_not_untouched():
    release = ma.anonymize(pd.DataFrame(patients()), 4, quasi=["age"], identifiers=["number"], by=["ward"])
    assert set(release.untouched) == {"weight", "illness"}


@pytest.mark.parametrize("memory", ENGINES)
def test_the_command_line_lists_them(memory, tmp_path, monkeypatch, run):
    source = tmp_path / "patients.csv"
    pd.DataFrame(patients()).to_csv(source, index=False)
    arguments = ("anonymize", source, "-k", 4, "--quasi", "age", "--confidential", "illness")
    arguments += ("--keep", "number", "--memory", memory)
    monkeypatch.setenv("COLUMNS", "160")
    code, out, err = run(*arguments)
    assert code == 0
    assert "number (100% alone), ward (0% alone), weight (100% alone)" in " ".join(out.split())
    assert "Column 'number' is released as it is" in err
    found = json.loads(run(*arguments, "--json")[1])
    assert found["untouched"] == {"number": 1.0, "ward": 0.0, "weight": 1.0}
    assert any("'number'" in warning for warning in found["warnings"])


def test_records_that_are_left_out_do_not_count(tmp_path):
    """What is alone is counted in what is released: dropping one of two equals leaves the other alone."""
    data = patients()
    data["number"] = [f"P{i // 2}" for i in range(40)]
    data["age"][0] = None
    frame = pl.DataFrame(data, strict=False)
    frame.write_csv(tmp_path / "in.csv")
    assert ma.anonymize(frame, 4, missing="drop", **ROLES).untouched["number"] == 1 / 39
    for memory in ENGINES:
        release = ma.anonymize_file(tmp_path / "in.csv", None, 4, missing="drop", memory=memory, **ROLES)
        assert release.untouched["number"] == 1 / 39


def test_many_quasi_identifiers_are_refused(tmp_path, run):
    """Twelve thousand columns that nobody chose from took hours, and memory for every pair of them."""
    source = tmp_path / "wide.csv"
    source.write_text("\n".join([",".join(f"c{i}" for i in range(2100)), *[",".join("1" * 2100)] * 4]) + "\n")
    code, _, err = run("anonymize", source, "-k", 2, "-o", tmp_path / "out.csv")
    assert (code, (tmp_path / "out.csv").exists()) == (2, False)
    assert "at most 2,000 quasi-identifiers; there are 2,100" in err
    assert run("anonymize", source, "-k", 2, "--quasi", "c1,c2", "-o", tmp_path / "out.csv")[0] == 0
