"""What one command writes: every target its own file, and all of them in place or none."""

import os

import pytest

ROLES = ("--quasi", "age,income", "--drop", "name", "--confidential", "code", "--by", "region")


def targets(folder):
    return {
        "-o": folder / "out.csv",
        "--report": folder / "report.html",
        "--save-plan": folder / "plan.toml",
    }


def spelt(pairs):
    return [word for pair in pairs.items() for word in pair]


@pytest.mark.parametrize(("one", "other"), [("-o", "--report"), ("-o", "--save-plan"), ("--report", "--save-plan")])
@pytest.mark.parametrize("exists", [False, True])
def test_one_target_cannot_be_written_over_another(one, other, exists, people, tmp_path, run):
    """The report used to take the place of the release, and the command said that all was well."""
    chosen = targets(tmp_path)
    twin = tmp_path / "twin.csv"
    if exists:
        chosen[one].write_text("before")
        os.symlink(chosen[one], twin)
    else:
        twin = tmp_path / "." / chosen[one].name
    code, out, err = run("anonymize", people, "-k", 3, *ROLES, *spelt({**chosen, other: twin}))
    assert (code, out) == (2, "")
    assert "are the same file" in err
    assert chosen[one].exists() == exists
    assert not exists or chosen[one].read_text() == "before"


def test_two_reports_cannot_be_one_file(people, tmp_path, run):
    page = tmp_path / "report.html"
    code, _, err = run("anonymize", people, "-k", 3, *ROLES, "--report", page, "--report", page)
    assert (code, page.exists()) == (2, False)
    assert "are the same file" in err


def test_no_target_is_the_plan_that_is_followed(people, tmp_path, run):
    plan = tmp_path / "plan.toml"
    assert run("anonymize", people, "-k", 3, *ROLES, "--save-plan", plan)[0] == 0
    before = plan.read_text(encoding="utf-8")
    for flag in ("-o", "--report"):
        copy = tmp_path / "plan.csv"
        copy.unlink(missing_ok=True)
        os.symlink(plan, copy)
        code, _, err = run("anonymize", "--plan", plan, flag, copy)
        assert code == 2
        assert "is the input itself" in err
    assert plan.read_text(encoding="utf-8") == before


@pytest.mark.parametrize("memory", ["unlimited", "200MB"])
@pytest.mark.parametrize("existing", [False, True])
@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_what_fails_in_the_report_writes_nothing(memory, existing, error, people, tmp_path, monkeypatch, run):
    """An interruption during the report came after the release was in place, and said that nothing was written."""

    def fail(*arguments):
        raise error

    chosen = targets(tmp_path)
    if existing:
        for target in chosen.values():
            target.write_text("before")
    monkeypatch.setattr("microagg.report.release.facts_of", fail)
    before = {path.name: path.read_text() for path in tmp_path.iterdir()}
    code, out, err = run("anonymize", people, "-k", 3, *ROLES, "--memory", memory, *spelt(chosen))
    assert (code, out) == (130 if error is KeyboardInterrupt else 2, "")
    assert ("half-written" if error is KeyboardInterrupt else "No space left") in err
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == before


def test_all_targets_are_in_place(people, tmp_path, run):
    chosen = targets(tmp_path)
    assert run("anonymize", people, "-k", 3, *ROLES, *spelt(chosen))[0] == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.csv", "people.csv", "plan.toml", "report.html"]
    assert chosen["--save-plan"].stat().st_mode & 0o777 == 0o600
