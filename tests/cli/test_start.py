"""`microagg start`: a plan that a person reads, changes and runs."""

import contextlib
import json
import os
import pty
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import microagg as ma
from microagg.anonymize import choices
from microagg.plan import load_plan

N = 120


@pytest.fixture
def patients(tmp_path):
    rng = np.random.default_rng(0)
    path = tmp_path / "patients.csv"
    pd.DataFrame(
        {
            "patient_id": np.arange(N) + 5000,
            "age": rng.integers(18, 90, N),
            "sex": rng.integers(1, 3, N),
            "zip": [f"0{z}" for z in rng.integers(1000, 1009, N)],
            "diagnosis": [["flu", "gout"][i] for i in rng.integers(0, 2, N)],
        }
    ).to_csv(path, index=False)
    return path


def test_the_plan_is_written_and_runs(patients, tmp_path, monkeypatch, run):
    """From a file that nobody described to a release, by two commands."""
    monkeypatch.setenv("COLUMNS", "200")
    plan, released = tmp_path / "plan.toml", tmp_path / "out.csv"
    code, out, _ = run("start", patients, "-k", 4, "-o", plan)
    assert code == 0
    assert "left out" in out
    assert "its name says that it numbers them" in out
    assert f"microagg anonymize --plan {plan}" in out
    assert plan.stat().st_mode & 0o077 == 0
    assert load_plan(plan).kinds == {"age": "numeric", "sex": "nominal", "zip": "nominal"}
    assert run("anonymize", "--plan", plan, "-o", released)[0] == 0
    data = pd.read_csv(released, dtype=str)
    assert list(data.columns) == ["age", "sex", "zip", "diagnosis"]
    assert set(data["sex"]) <= {"1", "2"}
    assert all(z.startswith("0") for z in data["zip"])


def test_json_is_one_object_and_nothing_else(patients, tmp_path, run):
    code, out, err = run("start", patients, "-o", tmp_path / "plan.toml", "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["columns"][0]["role"] == "identifier"
    assert "5000" not in out


def test_a_plan_is_not_replaced_unasked(patients, tmp_path, run):
    plan = tmp_path / "plan.toml"
    plan.write_text("mine")
    code, _, err = run("start", patients, "-o", plan)
    assert (code, plan.read_text()) == (2, "mine")
    assert "--yes" in err
    assert run("start", patients, "-o", plan, "--yes")[0] == 0
    assert load_plan(plan).k == 5


def test_the_input_is_never_written_over(patients, run):
    before = patients.read_text()
    code, _, _ = run("start", patients, "-o", patients, "--yes")
    assert (code, patients.read_text()) == (2, before)


def test_a_person_is_asked(patients, tmp_path):
    """At a terminal, columns can be changed before the plan is written; a slip is told and asked again."""
    plan = tmp_path / "plan.toml"
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "microagg", "start", str(patients), "-o", str(plan)]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        os.write(ours, b"agge\nquasi\n\nage,zip\nconfidential\n\n3\n")
        said = b""
        with contextlib.suppress(OSError):  # the end of a terminal
            while part := os.read(ours, 65536):
                said += part
    os.close(ours)
    assert process.returncode == 0, said
    assert b"did you mean 'age'" in said
    chosen = load_plan(plan)
    assert (chosen.k, chosen.quasi, chosen.confidential) == (3, ("sex",), ("age", "zip", "diagnosis"))


def test_a_person_may_keep_a_column(patients, tmp_path):
    """What seems to be an identifier stays because somebody says so, and the plan runs."""
    plan = tmp_path / "plan.toml"
    kept = pd.read_csv(patients).columns[0]
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "microagg", "start", str(patients), "-o", str(plan)]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        os.write(ours, kept.encode() + b"\nkeep\n\n3\n")
        said = b""
        with contextlib.suppress(OSError):  # the end of a terminal
            while part := os.read(ours, 65536):
                said += part
    os.close(ours)
    assert process.returncode == 0, said
    assert load_plan(plan).keep == (kept,)
    release = ma.anonymize_file(patients, None, **choices(load_plan(plan)))
    assert kept in release.untouched
