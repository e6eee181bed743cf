"""`microagg survey simulate`: files and made-up records replayed, with a table, one JSON object, or a picture."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

from microagg.cli import cli
from microagg.errors import InvalidData, InvalidOption


def run(*arguments: str):
    return CliRunner(env={"COLUMNS": "160"}).invoke(cli, ["survey", "simulate", *arguments])


@pytest.fixture
def answers(tmp_path):
    """300 answers of two numbers, a category and a name."""
    random = np.random.default_rng(0)
    lines = ["name,age,income,job"]
    for i in range(300):
        lines.append(f"n{i},{random.integers(18, 90)},{random.normal(3e4, 1e4):.0f},{random.choice(['a', 'b', 'c'])}")
    path = tmp_path / "answers.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_table(answers):
    result = run(str(answers), "-k", "5", "--quasi", "age,income", "--drop", "name", "--one-run", "2h")
    assert result.exit_code == 0, result.output
    assert "answers.csv: 300 answers in 10 h, k = 5" in result.output
    assert "traditional" in result.output
    assert "optimal" in result.output
    assert "deadline" not in result.output


@pytest.mark.parametrize("arrivals", ["uniform", "front", "back", "bursts"])
def test_json(answers, arrivals):
    found = json.loads(
        run(
            *(str(answers), "-k", "5", "--quasi", "age,income", "--duration", "1h30m", "--deadline", "1d"),
            *("--arrivals", arrivals, "--rest", "nearest", "--refine", "local", "--json"),
        ).output
    )
    assert (found["records"], found["k"], found["closes"], found["deadline"]) == (300, 5, 5400.0, 86_400.0)
    assert [each["name"] for each in found["schedules"]] == ["traditional", "optimal", "deadline"]
    # A day is enough for one run on everything, which loses least.
    assert found["schedules"][2]["n_rest"] == 0
    for each in found["schedules"]:
        assert each["n_base"] + each["n_rest"] == 300
        assert each["phases"][-1]["end"] == pytest.approx(5400.0 + each["wait"])


def test_categories_take_part(answers):
    numbers, with_job = (
        json.loads(run(str(answers), "-k", "5", "--quasi", quasi, "--json").output)["schedules"][0]
        for quasi in ("age,income", "age,income,job")
    )
    assert with_job["information_loss"] > 1.2 * numbers["information_loss"]


def test_made_up_records_in_compressed_time():
    result = run("-k", "5", "--records", "400", "--columns", "3", "--duration", "60", "--compressed", "600x", "--json")
    found = json.loads(result.output)
    assert (found["input"], found["records"], found["factor"]) == (None, 400, 600.0)
    assert found["schedules"][0]["phases"][0]["begin"] >= 60.0


def test_shuffled_rows_have_the_same_loss_in_one_run(answers):
    plain, shuffled = (
        json.loads(run(str(answers), "-k", "5", "--quasi", "age,income", "--json", *more).output)["schedules"]
        for more in ((), ("--shuffle",))
    )
    assert plain[0]["information_loss"] == pytest.approx(shuffled[0]["information_loss"])


@pytest.mark.parametrize(("name", "begins"), [("timeline.svg", "<svg"), ("timeline.html", "<!doctype html>")])
def test_picture(answers, tmp_path, name, begins):
    result = run(str(answers), "-k", "5", "--quasi", "age,income", "--one-run", "600", "-o", str(tmp_path / name))
    assert result.exit_code == 0, result.output
    assert (tmp_path / name).read_text().startswith(begins)


def test_bad_use(answers, tmp_path):
    for arguments, message in (
        (("--compressed", "600x", "--virtual"), "lets real time pass"),
        (("--compressed", "600x", "--one-run", "2h"), "lets real time pass"),
        (("--compressed", "fast"), "such as 600x; got 'fast'"),
        (("--compressed", "-1x"), "such as 600x"),
        (("-o", "timeline.pdf"), "must end with .svg or .html"),
        (("--duration", "0"), "duration must be a positive number"),
    ):
        result = run(str(answers), "-k", "5", "--quasi", "age,income", *arguments)
        assert isinstance(result.exception, InvalidOption), arguments
        assert message in str(result.exception)
    for wrong in ("ten hours", "5w", "1.2.3h", ""):
        result = run(str(answers), "-k", "5", "--duration", wrong)
        assert result.exit_code == 2
        assert "is not a time such as 10h" in result.output
    target = tmp_path / "none.svg"
    result = run(
        *(str(answers), "-k", "5", "--quasi", "age,income", "--one-run", "2h", "--deadline", "0"), "-o", str(target)
    )
    assert "deadline must be at least" in str(result.exception)
    assert not target.exists()
    few = tmp_path / "few.csv"
    few.write_text("a,b\n" + "1,2\n" * 12)
    assert isinstance(run(str(few), "-k", "5").exception, InvalidOption | InvalidData)
