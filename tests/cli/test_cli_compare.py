"""`microagg compare`: the table, the choice, and commands that make what they stand beside."""

import json
import shlex
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

ROLES = ("--quasi", "age,income", "--drop", "name")


def test_table_and_page(people, tmp_path, run):
    plot = tmp_path / "map.html"
    arguments = ("compare", people, "-k", "3,5", "--methods", "mdav,univariate", *ROLES, "--plot", plot)
    code, out, err = run(*arguments, "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    rows = found["releases"]
    assert sorted((row["method"], row["k"]) for row in rows) == [
        ("mdav", 3),
        ("mdav", 5),
        ("univariate", 3),
        ("univariate", 5),
    ]
    assert [row["rank"] for row in rows] == sorted(row["rank"] for row in rows)
    assert found["chosen"] is None
    assert plot.read_text(encoding="utf-8").startswith("<!doctype html>")
    code, out, _ = run(*arguments)
    assert code == 0
    assert out.count("univariate") == 2
    assert "No limits were given" in out


def test_the_fixed_command_line_of_the_readme(people, run):
    quick = ("--option", "path=nearest_neighbour")
    code, out, _ = run("compare", people, "-k", "3,5,10", "--methods", "mdav,hm2,best", *quick, *ROLES, "--json")
    assert code == 0
    assert {row["method"] for row in json.loads(out)["releases"]} == {"mdav", "hm2", "best"}


def test_every_command_makes_what_it_stands_beside(crowd, tmp_path, run):
    tried = ("--methods", "vmdav,mdav_mhm,individual", "--option", "gamma=0.1,1.5", "--refine", "none,local")
    more = ("--by", "region", "--missing", "drop", "--seed", 3, "--kind", "age=ordinal", "--confidential", "code")
    _, out, _ = run("compare", crowd, "-k", "3,4", *tried, *ROLES, "--json", *more[:4])
    rows = json.loads(out)["releases"]
    assert len(rows) == 2 * (4 + 2 + 1)
    target = tmp_path / "out put.csv"
    for row in rows:
        words = [str(target) if word == "OUTPUT" else word for word in shlex.split(row["command"])]
        assert words[0] == "microagg"
        code, out, _ = run(*words[1:], "--json")
        made = json.loads(out)
        assert code == 0
        for name in ("information_loss", "k", "method", "groups", "smallest", "largest"):
            assert made[name] == row[name]
        assert made["risks"]["average_risk"] == row["average_risk"]
    _, out, _ = run("compare", crowd, "-k", "3", "--methods", "mixed", *ROLES, "--json", *more)
    row = json.loads(out)["releases"][0]
    assert json.loads(run(*shlex.split(row["command"])[1:-2], "--json")[1])["losses"]["sse"] == row["sse"]


def test_commands_hold_for_names_that_a_comma_would_tear_apart(tmp_path, run):
    path = tmp_path / "odd names.csv"
    path.write_text('"pay, net","a ""b""",c\n' + "".join(f"{i},{i * i % 7},{i % 4}\n" for i in range(60)))
    _, out, _ = run("compare", path, "-k", "3", "--methods", "mdav", "--quasi", '"pay, net",a "b"', "--json")
    row = json.loads(out)["releases"][0]
    code, out, _ = run(*shlex.split(row["command"])[1:-2], "--json")
    assert code == 0
    assert json.loads(out)["roles"] == {"pay, net": "quasi", 'a "b"': "quasi", "c": "other"}
    assert json.loads(out)["information_loss"] == row["information_loss"]


def test_limits_choose_and_the_plan_makes_it(crowd, tmp_path, run):
    plan = tmp_path / "plan.toml"
    arguments = ("compare", crowd, "-k", "3,5", "--methods", "mdav", *ROLES)
    code, out, _ = run(*arguments, "--max-risk", "25%", "--limit", "smallest_class>=4", "--save-plan", plan, "--json")
    chosen = json.loads(out)["chosen"]
    assert (code, chosen["k"]) == (0, 5)
    _, out, _ = run("anonymize", crowd, "--plan", plan, "--json")
    assert json.loads(out)["information_loss"] == chosen["information_loss"]
    code, out, _ = run(*arguments, "--max-loss", "90")
    assert code == 0
    assert "choose mdav, k = 5: it has the lowest average risk" in out
    assert "make it: microagg anonymize" in out
    code, out, _ = run(*arguments, "--max-risk", "1%")
    assert code == 1
    assert "No candidate is within the limits" in out
    code, out, _ = run(*arguments, "--max-risk", "1%", "--json")
    assert code == 1
    assert [row["misses"] for row in json.loads(out)["releases"]] == [["average_risk <= 1%"]] * 2


def test_wide_prints_commands(people, run):
    code, out, _ = run("compare", people, "-k", "3", "--methods", "mdav,univariate", *ROLES, "--wide")
    assert code == 0
    assert out.count("microagg anonymize") == 2


def test_results_are_kept(people, tmp_path, run):
    kept = tmp_path / "state.json"
    arguments = ("compare", people, "-k", "3,5", "--methods", "mdav", *ROLES, "--results", kept, "--json")
    first = json.loads(run(*arguments)[1])["releases"]
    content = json.loads(kept.read_text())
    for entry in content["candidates"].values():
        entry["seconds"] = 77.0
    kept.write_text(json.dumps(content))
    again = json.loads(run(*arguments)[1])["releases"]
    assert [{**row, "seconds": 77.0} for row in first] == again
    people.write_text(people.read_text(encoding="utf-8") + "person 30,40,2000.00,N,030\n", encoding="utf-8")
    assert all(row["seconds"] != 77.0 for row in json.loads(run(*arguments)[1])["releases"])


def test_an_interruption_says_what_is_kept(people, tmp_path, monkeypatch, run):
    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(sys.modules["microagg.cli.compare"], "compare_table", interrupted)
    arguments = ("compare", people, "-k", "3", "--methods", "mdav", *ROLES)
    code, out, err = run(*arguments, "--results", tmp_path / "state.json")
    assert (code, out) == (130, "")
    assert "what is finished is kept" in err
    code, out, err = run(*arguments)
    assert (code, out) == (130, "")
    assert "no file was left half-written" in err


def test_a_run_that_was_killed_goes_on(people, tmp_path, run):
    """Whatever was finished when the process died is there, whole, and is not made again."""
    kept = tmp_path / "state.json"
    arguments = [
        "compare",
        people,
        "-k",
        "3,4,5,6,7,8",
        "--methods",
        "mdav,hm2",
        *ROLES,
        "--results",
        kept,
        "--jobs",
        1,
    ]
    process = subprocess.Popen([sys.executable, "-m", "microagg", *map(str, arguments)], stdout=subprocess.DEVNULL)
    while not kept.exists() and process.poll() is None:
        time.sleep(0.01)
    process.kill()
    process.wait()
    content = json.loads(kept.read_text())
    done = len(content["candidates"])
    assert done >= 1
    for entry in content["candidates"].values():
        entry["seconds"] = 77.0
    kept.write_text(json.dumps(content))
    quick = [word if word != "mdav,hm2" else "mdav" for word in arguments]
    rows = json.loads(run(*quick, "--json")[1])["releases"]
    assert [row["seconds"] for row in rows].count(77.0) == min(done, 6)


def test_a_plan_says_what_all_have_in_common(people, tmp_path, run):
    plan = tmp_path / "plan.toml"
    run("anonymize", people, "-k", 3, *ROLES, "--by", "region", "--save-plan", plan)
    code, out, _ = run("compare", people, "-k", "3,4", "--methods", "mdav", "--plan", plan, "--json")
    rows = json.loads(out)["releases"]
    assert code == 0
    assert all("--by region" in row["command"] and "--drop name" in row["command"] for row in rows)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--limit", "average_risk<5"], "NAME<=VALUE"),
        (["--limit", "averge_risk<=5"], "must name a loss"),
        (["--max-risk", "low"], "must be a number"),
        (["--risk", "smallest_class", "--max-risk", "5"], "--limit 'smallest_class>=VALUE'"),
        (["--risk", "magic", "--max-risk", "5"], "risk must be one of"),
        (["--risk", "magic"], "risk must be one of"),
        (["--option", "gamma"], "NAME=VALUE"),
        (["--option", "gamma=0.1"], "no method that is compared has the option 'gamma'"),
        (["--refine", "magic"], "refine must be one of"),
        (["--methods", ""], "at least one"),
        (["--jobs", "0"], "must be a whole number"),
        (["--quasi", "agee"], "did you mean 'age'"),
        (["--plot", "{people}"], "is the input itself"),
        (["--results", "{people}"], "is the input itself"),
    ],
)
def test_bad_use(arguments, message, people, run):
    named = [argument.replace("{people}", str(people)) for argument in arguments]
    code, out, err = run("compare", people, "-k", "3", "--methods", "mdav", "--quasi", "age", *named)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("method", ["auto", "mdav", "vmdav", "best", "mixed"])
def test_a_plan_that_compare_saved_can_be_run(method, people, tmp_path, run):
    """By itself: it names the file that it is for. The release is the one that was compared."""
    plan, released = tmp_path / "plan.toml", tmp_path / "out.csv"
    more = ("--limit", "smallest_class>=2", "--save-plan", plan)
    code, out, _ = run("compare", people, "-k", "3,4", "--methods", method, *ROLES, *more, "--json")
    assert code == 0
    chosen = json.loads(out)["chosen"]
    code, out, err = run("anonymize", "--plan", plan, "-o", released, "--json")
    assert (code, err) == (0, "")
    made = json.loads(out)
    assert released.exists()
    for name in ("method", "k", "groups", "smallest", "largest"):
        assert made[name] == chosen[name]


def test_it_is_said_how_to_run_a_saved_plan_and_why_none_was_saved(people, tmp_path, run):
    plan = tmp_path / "plan.toml"
    command = ("compare", people, "-k", 3, "--methods", "mdav", *ROLES, "--save-plan", plan)
    code, out, _ = run(*command)
    assert (code, plan.exists()) == (0, False)
    assert "no plan was saved: without limits none is chosen" in out
    code, out, _ = run(*command, "--max-risk", "1%")
    assert (code, plan.exists()) == (1, False)
    assert "no plan was saved: no candidate is within the limits" in out
    _, out, _ = run(*command, "--max-risk", "50%")
    assert f"next: microagg anonymize --plan {plan} -o RELEASED.csv" in out


def test_a_command_of_hundreds_of_columns_is_not_printed_unasked(tmp_path, run):
    """788 columns filled the screen with the command that makes the release; plans hold it as well."""
    names = [f"column_{i:03d}" for i in range(200)]
    rng = np.random.default_rng(0)
    pd.DataFrame(rng.integers(0, 99, (30, 200)), columns=names).to_csv(tmp_path / "wide.csv", index=False)
    command = ("compare", tmp_path / "wide.csv", "-k", 3, "--methods", "mdav", "--quasi", ",".join(names))
    command += ("--max-risk", "50%", "--plot", tmp_path / "map.html")
    code, out, _ = run(*command)
    assert code == 0
    assert "--save-plan FILE writes its plan; its command has" in out
    assert "column_100" not in out
    assert "column_100" in run(*command, "--wide")[1]
    page = (tmp_path / "map.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "characters)</summary><pre>microagg anonymize" in page
