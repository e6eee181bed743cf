"""What every refinement in REFINEMENTS must do, and that its options are reachable from everywhere."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import oracles
import pandas as pd
import pytest
from checks import assert_partition
from click.testing import CliRunner

import microagg as ma
from microagg.cli import cli
from microagg.compare import plans_of
from microagg.errors import InvalidOption
from microagg.incremental import second_stage, two_stage
from microagg.partition import partition
from microagg.plan import Plan, PlanFile, command_of, dump, parse
from microagg.refine import REFINEMENTS, Refinement, rcs
from microagg.survey import Definition, Field
from microagg.trajectory import release_tracks, street_trips

SHUFFLING = {"probability": 0.1, "rounds": 5}
every_refinement = pytest.mark.parametrize("name", REFINEMENTS)


def records(n: int = 90, m: int = 3) -> np.ndarray:
    return np.random.default_rng(2).normal(size=(n, m))


@every_refinement
def test_entries_tell_all_that_others_need(name: str) -> None:
    """Whoever lists or checks refinements reads the entry; options stand once, in the signature of the function."""
    entry = REFINEMENTS[name]
    assert isinstance(entry, Refinement)
    assert entry.name == name
    assert entry.title
    assert entry.summary
    assert entry.reference
    checked = {option: p.default for option, p in inspect.signature(entry.check).parameters.items()}
    assert checked == entry.options
    assert set(entry.repeatable) <= set(entry.options)


@every_refinement
def test_never_worse_and_k_stays(name: str) -> None:
    X = records()
    before = partition(X, 4, method="univariate")
    after = partition(X, 4, method="univariate", refine=name, refine_options=REFINEMENTS[name].repeatable)
    assert_partition(after, len(X), 4)
    assert oracles.sse(X, after) < oracles.sse(X, before)


@every_refinement
def test_misspelt_options_are_answered_with_the_nearest(name: str) -> None:
    option = next(iter(REFINEMENTS[name].options))
    with pytest.raises(InvalidOption, match=f"cannot honour the option '{option}s'.*did you mean '{option}'"):
        partition(records(), 4, refine=name, refine_options={f"{option}s": 1})


@pytest.mark.parametrize(
    ("refine", "options", "message"),
    [
        ("rcs", {"probability": 2}, "probability must be a number between 0 and 1"),
        ("rcs", {"rounds": -1}, "rounds must be"),
        ("local", {"max_passes": 0}, "max_passes must be"),
        ("search", {"time_limit": 1, "iterations": 1}, "not both"),
        ("rcs", "probability", "refine_options must map names"),
        (None, {"rounds": 5}, "none is asked for; got rounds. Say refine, one of local"),
        ("lokal", {}, "Did you mean 'local'"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_grouped(refine: str | None, options: Any, message: str) -> None:
    def grouped(fraction: float) -> None:
        raise AssertionError("the method ran")

    with pytest.raises(InvalidOption, match=message):
        partition(records(60_000), 4, refine=refine, refine_options=options, progress=grouped)
    with pytest.raises(InvalidOption, match=message):
        ma.anonymize(pd.DataFrame(records()), 4, refine=refine, refine_options=options)


def test_rcs_shuffles_where_it_is_told_to() -> None:
    """Its probability and its rounds could not be set through `partition` once, so that it never did."""
    X = records()
    plain = partition(X, 4)
    shuffled = partition(X, 4, refine="rcs", refine_options=SHUFFLING, seed=1)
    assert np.array_equal(shuffled, rcs(X, plain, 4, seed=1, **SHUFFLING))
    assert not np.array_equal(shuffled, partition(X, 4, refine="rcs", seed=1))


def test_a_release_carries_the_options_into_plan_command_and_report(tmp_path) -> None:
    frame = pd.DataFrame(records(), columns=list("abc"))
    release = ma.anonymize(frame, 4, refine="rcs", refine_options=SHUFFLING, seed=1)
    X = records()
    Z = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    assert np.array_equal(release.labels, partition(Z, 4, refine="rcs", refine_options=SHUFFLING, seed=1))
    assert release.plan.refine_options == SHUFFLING
    assert "--refine rcs --refine-option probability=0.1 --refine-option rounds=5" in command_of(release.plan)
    release.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Random cluster shuffling (rcs, probability = 0.1, rounds = 5, literal = False)" in page
    again = parse(dump(PlanFile(release.plan))).plan
    assert again.refine_options == SHUFFLING
    assert ma.repeat(frame, again).data.equals(release.data)


def test_another_refinement_does_not_inherit_options() -> None:
    plan = Plan(k=3, refine="rcs", refine_options=SHUFFLING)
    assert plan.changed(refine="local").refine_options == {}
    assert plan.changed(refine_options={"rounds": 9}).refine_options == {**SHUFFLING, "rounds": 9}


def test_the_command_line_takes_them(tmp_path) -> None:
    source = tmp_path / "people.csv"
    pd.DataFrame(records(), columns=list("abc")).to_csv(source, index=False)
    asked = ["-k", "4", "--refine", "rcs", "--refine-option", "probability=0.1", "--refine-option", "rounds=5"]
    saved = ["-o", str(tmp_path / "out.csv"), "--save-plan", str(tmp_path / "plan.toml")]
    done = CliRunner().invoke(cli, ["anonymize", str(source), *asked, *saved])
    assert done.exit_code == 0, done.output
    assert ma.load_plan(tmp_path / "plan.toml").refine_options == {**REFINEMENTS["rcs"].options, **SHUFFLING}
    wrong = CliRunner().invoke(
        cli, ["anonymize", str(source), "-k", "4", "--refine", "rcs", "--refine-option", "round=5"]
    )
    assert isinstance(wrong.exception, InvalidOption)
    assert "did you mean 'rounds'?" in str(wrong.exception)


def test_a_comparison_tries_them_all() -> None:
    grid = plans_of(3, "mdav", refine=[None, "rcs", "search"], refine_options={"rounds": [5, 9], "probability": 0.1})
    assert [(plan.refine, dict(plan.refine_options)) for plan in grid.plans] == [
        (None, {}),
        ("rcs", {"rounds": 5, "probability": 0.1}),
        ("rcs", {"rounds": 9, "probability": 0.1}),
        ("search", {"iterations": 1}),
    ]
    assert any("search watches the clock" in note for note in grid.notes)
    with pytest.raises(InvalidOption, match=r"no refinement that is compared has the option 'rounds'; .*: rcs"):
        plans_of(3, "mdav", refine="local", refine_options={"rounds": 5})


def test_stages_tracks_and_surveys_take_them() -> None:
    X = records()
    both = two_stage(X, 4, 70, refine="rcs", refine_options=SHUFFLING)
    base = partition(X[:70], 4, refine="rcs", refine_options=SHUFFLING)
    assert np.array_equal(both, second_stage(X, base, 4, refine="rcs", refine_options=SHUFFLING))
    with pytest.raises(InvalidOption, match="did you mean 'rounds'"):
        two_stage(X, 4, 70, refine="rcs", refine_options={"round": 5})
    tracks = street_trips(40, seed=1)
    plain = release_tracks(tracks, 4, points=5)
    better = release_tracks(tracks, 4, points=5, refine="local", refine_options={"max_passes": 2})
    assert better.information_loss < plain.information_loss
    described = {"name": "a", "k": 3, "fields": [{"name": "age", "type": "integer"}]}
    survey = Definition.from_dict({**described, "refine": "rcs", "refine_options": SHUFFLING})
    assert Definition.from_dict(survey.to_dict()).refine_options == SHUFFLING
    with pytest.raises(InvalidOption, match="cannot honour the option 'rounds'"):
        Definition("a", 3, [Field("age", "integer")], refine="local", refine_options={"rounds": 5})
