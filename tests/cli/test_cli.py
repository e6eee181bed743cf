"""The command line as people use it: what it prints, what it writes, and one clear line when something is wrong."""

import csv
import hashlib
import json
import os
import subprocess
import sys

import pytest
from checks import data_folder

from microagg.partition import METHODS


def read(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


ROLES = ("--quasi", "age,income", "--drop", "name")


def test_anonymize_writes_a_k_anonymous_file(people, tmp_path, run):
    target, report = tmp_path / "out.csv", tmp_path / "report.html"
    code, out, err = run("anonymize", people, "-k", 3, *ROLES, "-o", target, "--report", report)
    assert code == 0
    assert err == ""
    assert "information loss" in out
    rows = read(target)
    assert list(rows[0]) == ["age", "income", "region", "code"]
    assert [row["code"] for row in rows] == [f"{i % 10:03d}" for i in range(30)]
    pairs = [(row["age"], row["income"]) for row in rows]
    assert min(pairs.count(pair) for pair in pairs) >= 3
    assert report.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_columns_that_are_kept_leave_as_they_were_written(people, tmp_path, run):
    """Also where every other column is a quasi-identifier: '003' must not become 3."""
    target = tmp_path / "out.csv"
    code, _, _ = run(
        "anonymize", people, "-k", 3, "--drop", "name", "--by", "region", "--confidential", "code", "-o", target
    )
    assert code == 0
    assert [row["code"] for row in read(target)] == [row["code"] for row in read(people)]


def test_json_is_one_object_and_nothing_else(people, tmp_path, run):
    code, out, err = run("anonymize", people, "-k", 3, *ROLES, "-o", tmp_path / "out.csv", "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    for key in ("method", "k", "records", "groups", "smallest", "largest", "information_loss", "seconds"):
        assert key in found
    assert (found["method"], found["k"], found["records"]) == ("fast", 3, 30)
    assert found["smallest"] >= 3


def test_census_with_mdav_loses_what_is_published(run, tmp_path):
    target = tmp_path / "out.csv"
    code, out, _ = run(
        "anonymize",
        data_folder() / "census.csv",
        "-k",
        3,
        "--quasi",
        "*",
        "--method",
        "mdav",
        "--seed",
        0,
        "-o",
        target,
        "--json",
    )
    assert code == 0
    assert json.loads(out)["information_loss"] == pytest.approx(5.6922, abs=5e-5)


def test_assess(people, run):
    code, out, _ = run("assess", people, "--quasi", "region", "--report-details", "--json")
    found = json.loads(out)
    assert code == 0
    assert (found["k"], found["uniques"], found["classes"]) == (15, 0, 2)
    code, out, _ = run("assess", people, "--quasi", "age,region,name", "-k", 5, "--report-details", "--json")
    found = json.loads(out)
    assert (found["k"], found["uniques"], found["violations"]["5"]) == (1, 30, 30)
    assert "row numbers" in run("assess", people, "--quasi", "region", "--report-details")[1]


def test_assess_tells_little_of_few_records_and_rows_of_none(people, run):
    """Fewer than 50 records: whether k holds, and no more; row numbers of the smallest groups only with details."""
    arguments = ("assess", people, "--quasi", "age,region,name", "-k", 5)
    found = json.loads(run(*arguments, "--json")[1])
    assert (found["k"], found["uniques"], found["k_anonymous"]) == (None, None, False)
    assert "smallest" not in found
    assert "sha256" not in found
    assert "row numbers" not in run(*arguments)[1]


def test_reports_are_pages_or_data(people, tmp_path, run):
    """The name says which, several may be asked for, and single records are drawn only on demand."""
    page, twin, detailed = tmp_path / "r.html", tmp_path / "r.json", tmp_path / "d.json"
    code, out, _ = run("anonymize", people, "-k", 3, *ROLES, "--report", page, "--report", twin, "--json")
    assert code == 0
    found = json.loads(out)
    assert found["report"] == [str(page), str(twin)]
    assert found["sha256"] == {}, "of the input nothing is told that a guess could be tried against"
    assert hashlib.sha256(people.read_bytes()).hexdigest() not in out + page.read_text() + twin.read_text()
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    told = json.loads(twin.read_text(encoding="utf-8"))
    assert (told["kind"], told["records"], told["sources"]["input"]["name"]) == ("release", None, "people.csv")
    assert run("anonymize", people, "-k", 3, *ROLES, "--report", detailed, "--report-details")[0] == 0
    assert len(json.loads(detailed.read_text(encoding="utf-8"))["records"]["before"]) == 30


def test_assess_takes_every_measure_and_reports(crowd, tmp_path, run):
    page, twin = tmp_path / "e.html", tmp_path / "e.json"
    arguments = ("assess", crowd, "--quasi", "age,region", "--drop", "name", "--confidential", "code")
    code, out, _ = run(*arguments, "--report", page, "--report", twin, "--json")
    found = json.loads(out)
    assert code == 0
    measures = {row["name"]: row["value"] for row in found["measures"]}
    assert measures["uniques"] == found["uniques"]
    assert {"distinct_diversity", "t_closeness", "global_risk", "suda"} <= measures.keys()
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert json.loads(twin.read_text(encoding="utf-8"))["headline"]["uniques"] == found["uniques"]
    code, out, _ = run(*arguments)
    assert code == 0
    assert "t-closeness" in out


def test_anonymize_warns_of_groups_that_agree(crowd, tmp_path, run):
    """On the terminal and in JSON, not in the report alone."""
    path = tmp_path / "alike.csv"
    lines = crowd.read_text().splitlines()
    path.write_text("\n".join([lines[0] + ",illness", *(f"{line},flu" for line in lines[1:])]) + "\n")
    arguments = ("anonymize", path, "-k", 3, "--quasi", "age,income", "--drop", "name", "--confidential", "illness")
    code, _, err = run(*arguments)
    assert code == 0
    assert "everybody has the same illness" in err
    found = json.loads(run(*arguments, "--json")[1])
    assert found["homogeneous"] == [{"column": "illness", "groups": found["groups"], "records": 60}]


def test_saved_plan_alone_holds_the_checksum_of_the_input(people, tmp_path, run):
    plan = tmp_path / "plan.toml"
    code, out, _ = run("anonymize", people, "-k", 3, *ROLES, "--save-plan", plan, "--json")
    checksum = hashlib.sha256(people.read_bytes()).hexdigest()
    assert code == 0
    assert checksum in plan.read_text(encoding="utf-8")
    assert checksum not in out
    assert plan.stat().st_mode & 0o777 == 0o600


def test_methods_lists_every_method(run):
    code, out, _ = run("methods")
    assert code == 0
    assert all(name in out for name in METHODS)
    code, out, _ = run("methods", "--json")
    assert set(json.loads(out)) == set(METHODS)


def test_datasets_lists_and_writes(run, tmp_path):
    assert "companies" in run("datasets")[1]
    assert "companies" in json.loads(run("datasets", "--json")[1])
    target = tmp_path / "companies.csv"
    code, _, _ = run("datasets", "companies", "-o", target)
    assert code == 0
    assert len(read(target)) == 11
    target = tmp_path / "large.csv"
    assert run("datasets", "census_like", "--records", 50, "-o", target)[0] == 0
    assert len(read(target)) == 50


def test_options_of_methods(people, run):
    code, _, _ = run("anonymize", people, "-k", 3, *ROLES, "--method", "vmdav", "--option", "gamma=auto", "--json")
    assert code == 0
    code, _, err = run("anonymize", people, "-k", 3, *ROLES, "--method", "mdav", "--option", "gamma=0.2")
    assert code == 2
    assert "cannot honour the option 'gamma'" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["anonymize", "{people}", "-k", "31", "--quasi", "age", "--drop", "name"],
            "k must be between 2 and the number of records",
        ),
        (["anonymize", "{people}", "-k", "three"], "is not a valid integer"),
        (["anonymize", "{people}"], "Missing option '-k'"),
        (["anonymize", "nowhere.csv", "-k", "3"], "does not exist"),
        (["anonymize", "{people}", "-k", "3", "--quasi", "agee"], "did you mean 'age'"),
        (["anonymize", "{people}", "-k", "3", "--quasi", "age", "--method", "magic"], "method must be one of"),
        (["anonymize", "{people}", "-k", "3", "--quasi", "name", "--method", "individual"], "numeric columns only"),
        (["anonymize", "{people}", "-k", "3", "--quasi", "age", "-o", "out.docx"], ".csv"),
        (["anonymize", "{people}", "-k", "3", "--quasi", "age", "-o", "{people}"], "is the input itself"),
        (["assess", "{people}", "--quasi", "age", "--report", "{people}"], "is the input itself"),
        (["trajectories", "{people}", "-k", "3", "-o", "{people}"], "is the input itself"),
        (["anonymize", "{people}", "-k", "3", "--quasi", "age", "-o", "no/such/folder/out.csv"], "folder"),
        (["anonymize", "{people}", "-k", "3", "--quasi", "age", "--option", "gamma"], "NAME=VALUE"),
        (["anonymize", "{people}", "-k", "3", "--quasi", "age", "--round", "--round-column", "age"], "together"),
        (
            [
                "anonymize",
                "{people}",
                "-k",
                "3",
                "--quasi",
                "age,income",
                "--drop",
                "name",
                "--method",
                "individual",
                "-o",
                "x.csv",
            ],
            "accept",
        ),
        (["compare", "{people}", "-k", "3,x", "--quasi", "age"], "whole numbers"),
        (["datasets", "nothing", "-o", "x.csv"], "nothing"),
        (["magic"], "No such command"),
    ],
)
def test_bad_use_is_one_line_and_exit_code_2(arguments, message, people, tmp_path, monkeypatch, run):
    monkeypatch.chdir(tmp_path)
    before = people.read_bytes()
    code, out, err = run(*[argument.format(people=people) for argument in arguments])
    assert code == 2
    assert out == ""
    assert err.count("\n") == 1
    assert message in err
    assert people.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.csv"]


@pytest.mark.parametrize("content", ["", "age,income\n", "age,income\n1,2\n", "age,age\n1,2\n3,4\n5,6\n"])
def test_files_that_cannot_be_released(content, tmp_path, run):
    path = tmp_path / "bad.csv"
    path.write_text(content)
    code, out, err = run("anonymize", path, "-k", 2, "--quasi", "*", "-o", tmp_path / "out.csv")
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert not (tmp_path / "out.csv").exists()


def test_as_a_program(people):
    """Start-up, entry point and exit code for real; an error must not show a traceback."""
    good = subprocess.run([sys.executable, "-m", "microagg", "methods"], capture_output=True, text=True, check=False)
    assert good.returncode == 0
    bad = subprocess.run(
        [sys.executable, "-m", "microagg", "anonymize", str(people), "-k", "99", "--quasi", "age"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "NO_COLOR": "1"},
    )
    assert bad.returncode == 2
    assert "Traceback" not in bad.stderr
    assert bad.stderr.startswith("microagg: ")


def test_import_is_light():
    """Importing the package loads no extra and nothing that only files or reports need."""
    code = (
        "import sys, microagg; "
        "heavy = {'pandas', 'polars', 'pyarrow', 'duckdb', 'sklearn', 'scipy', 'jinja2', 'rich', 'click'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
