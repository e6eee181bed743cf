"""Comparing candidates: who beats whom, what limits choose, and the same result however it is run."""

from __future__ import annotations

import json
import math
import threading
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from checks import data_folder
from hypothesis import given
from hypothesis import strategies as st

import microagg as ma
from microagg.compare.candidates import Candidate, Comparison, choose, in_order, ranks, series_of
from microagg.compare.grid import plans_of
from microagg.compare.kept import Kept
from microagg.compare.limits import Limit
from microagg.errors import FileProblem, InfeasibleK, InvalidOption
from microagg.plan import Plan


@pytest.fixture
def people():
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 90, 90),
            "income": rng.lognormal(8, 0.5, 90),
            "ill": rng.choice(["flu", "gout", "none"], 90),
        }
    )


QUASI = {"quasi": ["age", "income"]}


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=12))
def test_ranks_count_the_layers_of_better_ones(points):
    def depth(point):
        better = [p for p in points if p != point and p[0] <= point[0] and p[1] <= point[1]]
        return 1 + max(map(depth, better)) if better else 0

    assert ranks(points) == [depth(point) for point in points]


def candidate(risk, loss, *, k_anonymous=True, **values):
    made = {"average_risk": risk, "information_loss": loss, "smallest_class": 3.0, **values}
    return Candidate(Plan(k=3), "", made, 9, 0, 3, 3, 3, k_anonymous, 0.0)


measures = st.sampled_from([1.0, 2.0, 3.0, math.nan])


@given(st.lists(st.builds(candidate, measures, measures, k_anonymous=st.booleans()), max_size=8), st.data())
def test_the_choice_is_the_best_within_the_limits(made, data):
    limits = data.draw(
        st.lists(
            st.builds(Limit, st.sampled_from(["average_risk", "information_loss"]), st.booleans(), measures), max_size=2
        )
    )
    rows = in_order(made, "average_risk", "information_loss", limits)
    chosen = choose(rows, "average_risk", "information_loss", limits)
    order = [math.inf if row.rank is None else row.rank for row in rows]
    assert order == sorted(order)
    fair = [
        row
        for row in rows
        if row.k_anonymous
        and not math.isnan(row.values["average_risk"] + row.values["information_loss"])
        and all(limit.keeps(row.values) for limit in limits)
    ]
    if not limits or not fair:
        assert chosen is None
    else:
        alone = all(limit.name == "information_loss" for limit in limits)
        key = "average_risk" if alone else "information_loss"
        assert chosen in fair
        assert chosen.values[key] == min(row.values[key] for row in fair)


def test_more_is_better_of_some_risks():
    rows = [candidate(9.0, 5.0, smallest_class=3.0), candidate(9.0, 5.0, smallest_class=5.0)]
    found = in_order(rows, "smallest_class", "information_loss", [])
    assert [(row.values["smallest_class"], row.rank) for row in found] == [(5.0, 0), (3.0, 1)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("average_risk", "NAME<=VALUE or NAME>=VALUE"),
        ("average_risk<5", "NAME<=VALUE"),
        ("average_risk<=low", "must be a number"),
        ("average_risk<=nan", "must be a number"),
        (
            "avrage_risk<=5",
            r"must name a loss \(information_loss, .*\) or a risk \(smallest_class, .*got 'avrage_risk'",
        ),
        ("smallest_class>=5%", "not measured in percent"),
    ],
)
def test_limits_that_cannot_be_read(text, message):
    with pytest.raises(InvalidOption, match=message):
        Limit.parse(text)


def test_limits_are_kept_or_not():
    assert Limit.parse("average_risk <= 5 %").keeps({"average_risk": 5.0})
    assert not Limit.parse("average_risk<=5").keeps({"average_risk": 5.1})
    assert Limit.parse("smallest_class>=5").keeps({"smallest_class": 5})
    assert not Limit.parse("average_risk<=5").keeps({"average_risk": math.nan})


def test_grid_tries_parts_of_an_option():
    grid = plans_of(3, ["hm2", "mdav"], options={"path": "nearest_neighbour", "path_options.dummy": ["last", "city"]})
    assert [(plan.method, dict(plan.options)) for plan in grid.plans] == [
        ("hm2", {"path": "nearest_neighbour", "path_options": {"dummy": "last"}}),
        ("hm2", {"path": "nearest_neighbour", "path_options": {"dummy": "city"}}),
        ("mdav", {}),
    ]
    assert series_of(grid.plans[1]) == "hm2 path=nearest_neighbour path_options.dummy=city"


def test_grid_gives_options_to_the_methods_that_have_them():
    grid = plans_of(
        [3, 5, 3], ["mdav", "vmdav", "best", "individual"], refine=[None, "local"], options={"gamma": [0.1, 0.2]}
    )
    found = [(plan.method, plan.k, plan.refine, dict(plan.options)) for plan in grid.plans]
    assert len(found) == 4 + 8 + 4 + 2
    assert ("vmdav", 5, "local", {"gamma": 0.2}) in found
    assert ("mdav", 3, None, {}) in found
    assert ("best", 3, None, {"iterations": 1}) in found, "nothing may depend on the clock unless that is asked for"
    assert any("best watches the clock" in note and "(iterations)" in note for note in grid.notes)
    assert any("individual cannot be improved by local" in note for note in grid.notes)
    timed = plans_of(3, "best", options={"time_limit": 0.5})
    assert timed.plans[0].options == {"time_limit": 0.5}


def test_grid_starts_from_a_plan():
    plan = Plan(k=9, quasi=("age",), method="vmdav", options={"gamma": 0.7}, by=("ill",), seed=4)
    grid = plans_of([3], ["mdav", "vmdav"], plan=plan, seed=6)
    assert [(p.k, p.by, p.seed, dict(p.options)) for p in grid.plans] == [
        (3, ("ill",), 6, {}),
        (3, ("ill",), 6, {"gamma": 0.7}),
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"k": [], "methods": "mdav"}, "at least one k"),
        ({"k": 3, "methods": "magic"}, "method must be one of"),
        ({"k": 1, "methods": "mdav"}, "k must be between 2"),
        ({"k": 3, "methods": "mdav", "options": {"gamma": 0.1}}, "'gamma'; those that have it: vmdav"),
        ({"k": 3, "methods": "mdav", "options": {"magic": 1}}, "those that have it: none at all"),
        ({"k": 3, "methods": "mdav", "refine": "magic"}, "refine must be one of local, search"),
        ({"k": 3, "methods": "individual", "refine": "local"}, "nothing to compare: individual cannot"),
        ({"k": 3, "methods": "mdav", "gamma": 0.1}, "takes no 'gamma'; candidates have in common quasi"),
    ],
)
def test_grids_that_cannot_be(arguments, message):
    with pytest.raises(InvalidOption, match=message):
        plans_of(**arguments)


def figures(found):
    return [{**row.summary, "seconds": 0} for row in found.rows]


def test_result_does_not_depend_on_jobs(people):
    arguments = {"k": [3, 5], "methods": ["mdav", "vmdav", "best", "individual"], "risk": "record_linkage", **QUASI}
    filters = list(warnings.filters)
    one, three = ma.compare(people, jobs=1, **arguments), ma.compare(people, jobs=3, **arguments)
    assert figures(one) == figures(three)
    assert warnings.filters == filters, "what threads do to the filters of warnings is undone"
    assert {row.plan.method for row in one.rows if not row.k_anonymous} == {"individual"}


def test_every_candidate_is_the_release_of_its_plan(people):
    found = ma.compare(
        people, k=[3, 5], methods=["vmdav", "mdav_mhm"], options={"gamma": [0.1, 0.5]}, refine=[None, "local"], **QUASI
    )
    assert len(found.rows) == 12
    for row in found.rows:
        release = ma.repeat(people, row.plan)
        assert row.values["information_loss"] == release.information_loss
        assert row.values["average_risk"] == release.risks["average_risk"]
        assert (row.groups, row.smallest, row.largest) == (len(release.sizes), release.sizes.min(), release.sizes.max())


def test_methods_that_fail_do_not_stop_the_others(people):
    found = ma.compare(people, k=[3, 500], methods=["mdav", "exact"], **QUASI)
    assert [row.label for row in found.rows] == ["mdav, k = 3"]
    assert sorted(found.failures) == ["exact, k = 3", "exact, k = 500", "mdav, k = 500"]
    assert "number of records (90)" in found.failures["mdav, k = 500"]
    with pytest.raises(InfeasibleK, match="number of records"):
        ma.compare(people, k=500, methods="mdav", **QUASI)


def test_measures_on_request(people):
    found = ma.compare(
        people,
        k=3,
        methods=["mdav"],
        confidential=["ill"],
        limits=["distinct_diversity>=1"],
        risk="record_linkage",
        **QUASI,
    )
    assert 0 < found.rows[0].values["record_linkage"] <= 100 / 3 + 1e-9
    assert found.chosen is found.rows[0]
    with pytest.raises(InvalidOption, match="distinct_diversity cannot be measured here"):
        ma.compare(people, k=3, methods=["mdav"], limits=["distinct_diversity>=2"], **QUASI)
    with pytest.raises(InvalidOption, match="risk must be one of smallest_class"):
        ma.compare(people, k=3, methods="mdav", risk="magic", **QUASI)
    with pytest.raises(InvalidOption, match="loss must be one of information_loss"):
        ma.compare(people, k=3, methods="mdav", loss="average_risk", **QUASI)


def test_limits_choose_and_say_so(people):
    found = ma.compare(people, k=[3, 5, 10], methods="mdav", limits=["average_risk<=21%"], **QUASI)
    assert found.chosen.plan.k == 5
    assert "choose mdav, k = 5: it has the lowest information loss" in found.verdict
    cautious = ma.compare(people, k=[3, 5, 10], methods="mdav", limits="information_loss<=99%", **QUASI)
    assert cautious.chosen.plan.k == 10
    assert "lowest average risk" in cautious.verdict
    none = ma.compare(people, k=3, methods="mdav", limits="average_risk<=1", **QUASI)
    assert none.chosen is None
    assert "No candidate is within the limits" in none.verdict
    assert [str(limit) for limit in none.rows[0].misses] == ["average_risk <= 1%"]
    assert "No limits were given" in ma.compare(people, k=3, methods="mdav", **QUASI).verdict


def test_comparison_shows_itself(people, tmp_path):
    found = ma.compare(people, k=[3, 5], methods="mdav", limits="average_risk<=21", **QUASI)
    assert isinstance(found, Comparison)
    assert found.frontier == found.rows
    found.plot(tmp_path / "map.html")
    assert (tmp_path / "map.html").read_text(encoding="utf-8") == found.page()
    assert found._repr_html_().startswith('<iframe srcdoc="&lt;!doctype html&gt;')
    json.dumps(found.summary)


class Refused(Exception):
    """What a progress function raises to stop the work."""


def test_an_interrupted_comparison_goes_on(people, tmp_path):
    """What is finished is kept, and not made again; what is made again is the same."""
    kept = tmp_path / "state.json"
    arguments = {"k": [3, 5], "methods": ["mdav", "vmdav"], **QUASI}
    done = []

    def stop_in_the_middle(fraction):
        if kept.exists():
            done.append(len(json.loads(kept.read_text())["candidates"]))
            raise Refused

    with pytest.raises(Refused):
        ma.compare(people, results=kept, jobs=1, progress=stop_in_the_middle, **arguments)
    assert threading.active_count() == 1
    assert done[0] >= 1
    entries = json.loads(kept.read_text())["candidates"]
    for entry in entries.values():
        entry["seconds"] = 1e6
    kept.write_text(json.dumps({"candidates": entries}))
    found = ma.compare(people, results=kept, **arguments)
    assert [row.seconds == 1e6 for row in found.rows].count(True) == len(entries)
    assert figures(found) == figures(ma.compare(people, **arguments))


def test_results_are_for_their_owner_alone(people, tmp_path):
    """Their keys are checksums of data and plan, and their losses are exact."""
    kept = tmp_path / "state.json"
    ma.compare(people, k=3, methods="mdav", results=kept, **QUASI)
    assert kept.stat().st_mode & 0o777 == 0o600
    assert "as private as the data" in json.loads(kept.read_text())["private"]


def test_few_records_are_compared_in_whole_percent(people, tmp_path):
    """Exact losses of a few records tell whether a guess of their values is right."""
    found = ma.compare(people.iloc[:40], k=3, methods="mdav", limits="average_risk<=50%", **QUASI)
    (row,) = found.published["releases"]
    assert row["information_loss"] == round(found.rows[0].information_loss)
    assert found.published["chosen"]["il1s"] == pytest.approx(found.rows[0].values["il1s"], rel=0.05)
    assert str(found.rows[0].information_loss)[:6] not in found.page() + found.verdict + repr(found)
    assert "whole percent" in found.published["notes"][-1]
    many = ma.compare(people, k=3, methods="mdav", **QUASI)
    assert many.rows[0].gate.tells_original
    assert not many.remarks


def test_other_data_and_other_choices_are_not_mixed_in(people, tmp_path):
    kept = tmp_path / "state.json"

    def count():
        return len(json.loads(kept.read_text())["candidates"])

    ma.compare(people, k=3, methods="mdav", results=kept, **QUASI)
    assert count() == 1
    ma.compare(people, k=3, methods="mdav", results=kept, **QUASI)
    assert count() == 1, "the same is not made again"
    other = people.assign(age=people["age"] + (people.index == 7))
    found = ma.compare(other, k=3, methods="mdav", results=kept, **QUASI)
    assert count() == 2
    assert found.rows[0].information_loss == ma.anonymize(other, k=3, method="mdav", **QUASI).information_loss
    ma.compare(people, k=3, methods="mdav", results=kept, missing="drop", **QUASI)
    assert count() == 3
    ma.compare(people, k=3, methods="mdav", results=kept, risk="record_linkage", **QUASI)
    assert count() == 3, "a measure that was not taken yet is taken, in the same place"


def test_a_changed_hierarchy_is_another_choice(tmp_path):
    path = tmp_path / "jobs.csv"
    kept = Kept(tmp_path / "state.json", "data")
    plan = Plan(k=3, kinds={"job": f"hierarchy:{path}"})
    outcome = {"method": "mixed", "values": {"information_loss": math.nan}, "seconds": 1.0}
    path.write_text("nurse,health\n")
    kept.put(plan, outcome)
    assert math.isnan(kept.get(plan, {"information_loss"})["values"]["information_loss"])
    assert kept.get(plan, {"average_risk"}) is None
    assert kept.get(replace(plan, k=4), set()) is None
    path.write_text("nurse,work\n")
    assert kept.get(plan, {"information_loss"}) is None


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"candidates": 3}', '{"candidates": {"a": {"values": {}}}}'])
def test_a_file_that_holds_something_else_is_left_alone(content, people, tmp_path):
    path = tmp_path / "state.json"
    path.write_text(content)
    with pytest.raises(FileProblem, match="does not hold results of a comparison"):
        ma.compare(people, k=3, methods="mdav", results=path, **QUASI)
    assert path.read_text() == content


def test_what_auto_chose_can_be_repeated(people):
    """Its plan says the method and the refinement that were meant; without the latter another release came out."""
    (row,) = ma.compare(people, k=3, methods="auto", refine="local", **QUASI).rows
    assert (row.plan.method, row.plan.refine) == ("mdav", "local")
    assert row.label == "mdav + local, k = 3"
    assert ma.repeat(people, row.plan).information_loss == row.information_loss


def test_a_search_has_an_effort_that_fits_the_file():
    """One round for a file of 1,000 records was less than what `auto` does: `best` lost against it."""
    grid = plans_of([3, 5], ["best", "mdav"], refine=[None, "search"])
    found = {(plan.method, plan.refine): plan for plan in grid.for_records(2_000).plans if plan.k == 3}
    assert found["best", None].options == {"iterations": 50}
    assert found["mdav", "search"].refine_options == {"iterations": 50}
    assert found["mdav", None].options == {}
    assert [plans_of(3, "best").for_records(n).plans[0].options["iterations"] for n in (10, 10**6)] == [200, 1]


@pytest.mark.parametrize("asked", [{"iterations": 7}, {"time_limit": 0.5}])
def test_an_effort_that_was_asked_for_stays(asked):
    grid = plans_of(3, "best", options=asked)
    assert grid.for_records(1_000).plans == grid.plans
    assert grid.plans[0].options == asked


@pytest.mark.parametrize("name", ["tarragona", "census"])
def test_best_is_the_lowest_of_the_default_candidates(name):
    """It is in every comparison, so it must be worth its name: shown with its rounds, and the same every time."""
    people = pd.read_csv(data_folder() / f"{name}.csv")
    comparison = ma.compare(people, 5, quasi=list(people.columns))
    lowest = min(comparison.rows, key=lambda row: row.information_loss)
    assert lowest.series == f"best iterations={100_000 // len(people)}"
    assert f"--option iterations={100_000 // len(people)}" in lowest.command
