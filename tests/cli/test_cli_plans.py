"""Plans on the command line: a release is repeated from its plan, and what changed meanwhile is said."""

import json
import tomllib

import pytest

ROLES = ("--quasi", "age,income", "--drop", "name", "--confidential", "code")


@pytest.fixture
def planned(people, tmp_path, run):
    """A release with its plan."""
    target, plan = tmp_path / "out.csv", tmp_path / "plan.toml"
    choices = ("--method", "vmdav", "--option", "gamma=0.3", "--by", "region", "--round", "--seed", 5)
    code, out, err = run("anonymize", people, "-k", 3, *ROLES, *choices, "-o", target, "--save-plan", plan)
    assert (code, err) == (0, "")
    assert f"plan:     {plan}" in out
    return target, plan


def test_a_plan_repeats_the_release(planned, tmp_path, run):
    target, plan = planned
    written = tomllib.loads(plan.read_text(encoding="utf-8"))
    assert written["release"]["options"] == {"gamma": 0.3}
    assert written["release"]["kinds"] == {"age": "numeric", "income": "numeric"}
    assert (written["release"]["round"], written["release"]["seed"]) == (True, 5)
    assert written["results"]["records"] == 30
    again = tmp_path / "again.csv"
    code, out, err = run("anonymize", "--plan", plan, "-o", again, "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["warnings"] == [] or all("plan" not in text for text in found["warnings"])
    assert again.read_bytes() == target.read_bytes()


def test_the_command_line_goes_before_the_plan(planned, run):
    _, plan = planned
    code, out, _ = run("anonymize", "--plan", plan, "-k", 5, "--method", "mdav", "--json")
    found = json.loads(out)
    assert (code, found["k"], found["method"], found["roles"]["name"]) == (0, 5, "mdav", "identifier")
    code, out, _ = run("anonymize", "--plan", plan, "--quasi", "age", "--drop", "", "--keep", "name", "--json")
    roles = json.loads(out)["roles"]
    assert (roles["age"], roles["income"], roles["name"]) == ("quasi", "other", "other")


def test_defaults_do_not_go_before_the_plan(planned, run):
    """Also a value that equals its default counts when it is typed, and not when it is not."""
    _, plan = planned
    assert json.loads(run("anonymize", "--plan", plan, "--json")[1])["method"] == "vmdav"
    code, _, err = run("anonymize", "--plan", plan, "--option", "passes=3", "--json")
    assert code == 2
    assert "cannot honour the option 'passes'" in err


def test_another_input_is_noticed(planned, people, run):
    _, plan = planned
    people.write_text(people.read_text(encoding="utf-8") + "person 30,40,2000.00,N,030\n", encoding="utf-8")
    code, out, _ = run("anonymize", "--plan", plan, "--json")
    assert code == 0
    assert any("SHA-256 differs" in text for text in json.loads(out)["warnings"])
    assert "SHA-256 differs" in run("anonymize", "--plan", plan)[2]


def test_a_second_release_of_the_same_data_is_noticed(planned, people, tmp_path, run):
    _, plan = planned
    other = tmp_path / "other.csv"
    reports = tmp_path / "report.html", tmp_path / "report.json"
    written = ("--report", reports[0], "--report", reports[1])
    _, out, _ = run("anonymize", "--plan", plan, "-k", 5, "-o", other, *written, "--json")
    warning = next(text for text in json.loads(out)["warnings"] if "second, different release" in text)
    assert "second, different release" in reports[0].read_text(encoding="utf-8")
    told = json.loads(reports[1].read_text(encoding="utf-8"))["warnings"]
    assert warning in [caution["text"] for caution in told]
    _, out, _ = run("anonymize", people, "-k", 4, *ROLES, "-o", other, "--save-plan", plan, "--json")
    assert any("second, different release" in text for text in json.loads(out)["warnings"])
    _, out, _ = run("anonymize", "--plan", plan, "-o", tmp_path / "same.csv", "--json")
    assert not any("second" in text for text in json.loads(out)["warnings"])


def test_nothing_is_left_when_the_release_fails(people, tmp_path, run):
    before = sorted(path.name for path in tmp_path.iterdir())
    for bad in (("--quasi", "agee"), ("-o", tmp_path / "out.docx"), ("--save-plan", tmp_path / "no" / "plan.toml")):
        code, out, err = run("anonymize", people, "-k", 3, "--save-plan", tmp_path / "plan.toml", *bad)
        assert (code, out) == (2, "")
        assert err.count("\n") == 1
        assert sorted(path.name for path in tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["anonymize", "-k", "3"], "Missing argument 'FILE'"),
        (["anonymize", "--plan", "{bare}"], "the plan names no input"),
        (["anonymize", "--plan", "{broken}", "{people}"], "[release] has no 'quazi'"),
        (["anonymize", "{people}", "-k", "3", "--save-plan", "{people}"], "is the input itself"),
        (["anonymize", "{people}", "--plan", "nowhere.toml"], "does not exist"),
    ],
)
def test_bad_use(arguments, message, people, tmp_path, run):
    (tmp_path / "bare.toml").write_text("[release]\nk = 3\n")
    (tmp_path / "broken.toml").write_text("[release]\nk = 3\nquazi = []\n")
    named = {"people": people, "bare": tmp_path / "bare.toml", "broken": tmp_path / "broken.toml"}
    code, out, err = run(*[argument.format(**named) for argument in arguments])
    assert (code, out) == (2, "")
    assert message in err


def test_options_of_the_path_reach_it_from_the_command_line_and_from_a_plan(people, tmp_path, run):
    """The published nearest neighbour has a dummy city: another release than without it, which can be repeated."""
    first, second, again, plan = (tmp_path / name for name in ("first.csv", "second.csv", "again.csv", "plan.toml"))
    words = ("anonymize", people, "-k", 3, *ROLES, "--method", "hm2", "--option", "path=nearest_neighbour", "--seed", 1)
    part = ("--option", "path_options.dummy=city")
    assert run(*words, *part, "-o", first, "--save-plan", plan)[0] == 0
    assert run(*words, "-o", second)[0] == 0
    assert first.read_bytes() != second.read_bytes()
    assert tomllib.loads(plan.read_text(encoding="utf-8"))["release"]["options"]["path_options"] == {"dummy": "city"}
    assert run("anonymize", "--plan", plan, "-o", again)[0] == 0
    assert again.read_bytes() == first.read_bytes()
    code, _, err = run(*words, "--option", "path_options.dummi=city", "-o", second)
    assert code == 2
    assert "did you mean 'dummy'" in err
