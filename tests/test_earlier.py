"""What earlier versions wrote is read: plans, stores of surveys, reports. tests/earlier holds one of each.

`early` was written before 0.1.0, when a store had one table fewer; a folder for each version follows. Nothing in
these folders is ever changed: people have such files.
"""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import polars as pl
import pytest

import microagg as ma
from microagg.survey import Survey

VERSIONS = sorted(path for path in (Path(__file__).parent / "earlier").iterdir() if path.is_dir())
every_version = pytest.mark.parametrize("folder", VERSIONS, ids=lambda path: path.name)


@pytest.fixture
def at_home(folder, tmp_path, monkeypatch):
    """Files as whoever wrote them has them: in the folder where they work."""
    for path in folder.iterdir():
        shutil.copyfile(path, tmp_path / path.name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@every_version
def test_a_plan_makes_its_release_again(at_home):
    plan = ma.load_plan("plan.toml")
    assert (plan.k, plan.quasi, plan.method) == (4, ("age", "income"), "mdav")
    release = ma.repeat(pl.read_csv("people.csv"), "plan.toml")
    assert release.sizes.min() >= 4
    before, after = pl.read_csv("released.csv"), release.data
    assert before.columns == after.columns
    groups = [frame.select(pl.struct("age", "income").rank("dense")).to_series().to_list() for frame in (before, after)]
    assert groups[0] == groups[1]


@every_version
@pytest.mark.parametrize("written", ["plan.toml", "report.json"])
def test_what_tells_of_a_release_finds_it(at_home, written):
    difference = ma.diff(written, "released.csv", quasi=["age", "income"], k=4)
    assert difference.safe


@every_version
def test_a_survey_goes_on_and_is_released(at_home):
    """Somebody has collected answers with an earlier version, and installs this one before the survey closes."""
    with sqlite3.connect("surveys.db") as store:
        store.executescript(Path("surveys.sql").read_text(encoding="utf-8"))
    store.close()
    survey = Survey.open("surveys.db", "a")
    assert survey.status().received == 20
    survey.add([{"age": 33}])
    survey.close()
    survey.run()
    status = survey.status()
    assert (status.state, status.received) == ("closed", 21)
    released = survey.publication().content.decode().split()[1:]
    assert len(released) == 21
    assert min(released.count(value) for value in released) >= 3
