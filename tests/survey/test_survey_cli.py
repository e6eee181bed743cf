"""`microagg survey` as an operator uses it."""

from __future__ import annotations

import csv
import json

import polars as pl
import pytest
from answers import records

from microagg.cli import main
from microagg.survey import Survey

DEFINITION = """
name = "wellbeing"
k = 3
[[fields]]
name = "age"
type = "integer"
[[fields]]
name = "pay"
type = "number"
[[fields]]
name = "number"
type = "integer"
role = "other"
[[fields]]
name = "who"
type = "text"
role = "identifier"
required = false
"""


@pytest.fixture
def run(capsys):
    """Run a command: exit code, standard output, standard error."""

    def call(*arguments):
        with pytest.raises(SystemExit) as stopped:
            main(["survey", *(str(argument) for argument in arguments)])
        captured = capsys.readouterr()
        return stopped.value.code, captured.out, captured.err

    return call


@pytest.fixture
def store(tmp_path, run):
    (tmp_path / "wellbeing.toml").write_text(DEFINITION)
    path = tmp_path / "surveys.db"
    code, out, err = run("create", tmp_path / "wellbeing.toml", "--store", path)
    assert (code, err) == (0, "")
    assert "open until it is closed" in out
    return path


def write(path, answers):
    if path.suffix == ".csv":
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(answers[0]))
            writer.writeheader()
            writer.writerows(answers)
    elif path.suffix == ".jsonl":
        path.write_text("".join(f"{json.dumps(answer)}\n" for answer in answers))
    else:
        pl.DataFrame(answers).write_parquet(path)
    return path


def test_from_the_first_answer_to_the_release(store, tmp_path, run):
    given = ("--store", store)
    for start, suffix in ((0, "csv"), (20, "jsonl"), (40, "parquet")):
        path = write(tmp_path / f"answers.{suffix}", records(20, start))
        code, out, err = run("add", "wellbeing", path, "--batch", 7, *given)
        assert (code, err, out) == (0, "", "survey wellbeing: 20 answers added\n")
        assert "20 were there already" in run("add", "wellbeing", path, *given)[1]
    status = json.loads(run("status", "wellbeing", "--json", *given)[1])
    assert (status["state"], status["received"]) == ("open", 60)
    assert "60" in run("status", *given)[1]
    code, _, err = run("release", "wellbeing", "-o", tmp_path / "out.csv", *given)
    assert (code, "still open" in err) == (2, True)
    assert run("close", "wellbeing", *given)[1] == "survey wellbeing: closing, 60 answers\n"
    assert json.loads(run("close", "wellbeing", "--wait", "--json", *given)[1])["state"] == "closed"
    code, out, err = run("release", "wellbeing", "-o", tmp_path / "out.csv", "--report", tmp_path / "r.html", *given)
    assert (code, err) == (0, "")
    again = json.loads(run("release", "wellbeing", "-o", tmp_path / "again.csv", "--json", *given)[1])
    assert again["sha256"] in out
    assert (tmp_path / "out.csv").read_bytes() == (tmp_path / "again.csv").read_bytes()
    with (tmp_path / "out.csv").open() as file:
        assert sorted(int(row["number"]) for row in csv.DictReader(file)) == list(range(60))
    assert "released" in run("status", "wellbeing", *given)[1]
    code, _, err = run("add", "wellbeing", tmp_path / "answers.csv", *given)
    assert (code, "closed" in err) == (2, True)


def test_keys_of_a_column(store, tmp_path, run, monkeypatch):
    monkeypatch.setenv("MICROAGG_STORE", str(store))
    answers = [{"id": f"{i:03d}", "extra": 1, **answer} for i, answer in enumerate(records(10))]
    path = write(tmp_path / "answers.csv", answers)
    code, _, err = run("add", "wellbeing", path)
    assert (code, "no field of the survey" in err) == (2, True)
    assert "10 answers added" in run("add", "wellbeing", path, "--key-column", "id", "--drop", "extra")[1]
    path = write(tmp_path / "more.jsonl", [{"id": f"{i:03d}", **answer} for i, answer in enumerate(records(12))])
    code, out, _ = run("add", "wellbeing", path, "--key-column", "id", "--json")
    assert json.loads(out) == {"name": "wellbeing", "accepted": 2, "repeated": 10, "ignored": []}
    with Survey.open(str(store), "wellbeing") as survey:
        assert survey.status().received == 12


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "age,pay,number\n30,1.5,1\nx,2.5,2\n", "'age' must hold numbers; record 2"),
        ("a.csv", "age,pay,number\n30,1.5,1\n30.5,2.5,2\n", "answer 2, field 'age': must be a whole number"),
        ("a.csv", "age,pay\n30,1.5\n", "answer 1, field 'number': is required"),
        ("a.jsonl", '{"age": 30, "pay": 1, "number": 1}\n[1]\n', "line 2: there must be one JSON object"),
        ("a.jsonl", '{"age": 30, "pay": 1, "number": 1}\n{"age"\n', "line 2: this is no JSON"),
        ("a.jsonl", '{"age": 30, "pay": NaN, "number": 1}\n', "field 'pay': must be a finite number"),
        ("a.what", "", "must end in one of"),
    ],
)
def test_bad_files_leave_nothing(store, tmp_path, run, name, text, message):
    path = tmp_path / name
    path.write_text(text)
    code, out, err = run("add", "wellbeing", path, "--store", store)
    assert (code, out) == (2, "")
    assert message in err
    with Survey.open(str(store), "wellbeing") as survey:
        assert survey.status().received == 0


def test_few_answers_and_wrong_names(store, tmp_path, run):
    write(tmp_path / "two.csv", records(2))
    run("add", "wellbeing", tmp_path / "two.csv", "--store", store)
    code, _, err = run("close", "wellbeing", "--wait", "--store", store)
    assert (code, "2 answers, fewer than k = 3" in err) == (2, True)
    assert "fewer than k" in run("status", "wellbeing", "--store", store)[1]
    assert run("status", "other", "--store", store)[0] == 2
    assert "already" in run("create", tmp_path / "wellbeing.toml", "--store", store)[2]
    (tmp_path / "bad.toml").write_text("name = ")
    assert "no TOML" in run("create", tmp_path / "bad.toml", "--store", store)[2]


def test_closing_is_moved(store, run):
    moment = "2090-09-03T20:00:00+02:00"
    code, out, err = run("reschedule", "wellbeing", "--closes", moment, "--store", store)
    assert (code, err) == (0, "")
    assert "open, 0 answers, closes 2090-09-03T18:00:00+00:00" in out
    told = json.loads(run("reschedule", "wellbeing", "--closes", "2091-01-01T00:00Z", "--store", store, "--json")[1])
    assert [move["closes"] for move in told["moves"]] == ["2090-09-03T18:00:00+00:00", "2091-01-01T00:00:00+00:00"]
    shown = run("status", "wellbeing", "--store", store)[1]
    assert "closes 2091-01-01T00:00:00+00:00" in shown
    assert shown.count("closing moved to") == 2


@pytest.mark.parametrize(
    ("moment", "message"),
    [("soon", "cannot be read"), ("2090-09-03T20:00:00", "time zone"), ("2020-01-01T00:00:00Z", "in the future")],
)
def test_moments_that_closing_cannot_be_moved_to(moment, message, store, run):
    code, out, err = run("reschedule", "wellbeing", "--closes", moment, "--store", store)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_a_closed_survey_cannot_be_rescheduled(store, run):
    run("close", "wellbeing", "--store", store)
    code, _, err = run("reschedule", "wellbeing", "--closes", "2090-09-03T20:00:00Z", "--store", store)
    assert code != 0
    assert "does not open again" in err


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_surplus_columns_and_ones_for_yes(suffix, tmp_path, run):
    """Files of statistics programs hold more than was asked for, and write yes as 1."""
    (tmp_path / "works.toml").write_text(
        'name = "works"\nk = 3\n[[fields]]\nname = "age"\ntype = "integer"\n[[fields]]\nname = "works"\n'
        'type = "boolean"\nrole = "other"\n'
    )
    given = ("--store", tmp_path / "surveys.db")
    run("create", tmp_path / "works.toml", *given)
    answers = [{"age": 20 + i, "works": i % 2, "browser": "x", "colour": "red"} for i in range(6)]
    path = write(tmp_path / f"answers.{suffix}", answers)
    code, _, err = run("add", "works", path, *given)
    assert code == 2
    assert "has a column 'browser' (and 1 more), which is no field of the survey" in err
    assert "--ignore-surplus" in err
    code, out, err = run("add", "works", path, "--ignore-surplus", *given)
    assert (code, err) == (0, "")
    assert "6 answers added\nnot read, because no field has the name: browser, colour" in out
    run("close", "works", *given)
    assert run("release", "works", "-o", tmp_path / "out.csv", *given)[0] == 0
    released = pl.read_csv(tmp_path / "out.csv")
    assert released.columns == ["age", "works"]
    assert sorted(map(str, released["works"].to_list())) == ["False"] * 3 + ["True"] * 3
