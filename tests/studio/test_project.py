"""Projects: nothing is lost, every step can be undone, and the file runs without the studio."""

from __future__ import annotations

import tomllib

import pytest
from houses import write_people
from hypothesis import given, settings
from hypothesis import strategies as st

from microagg.errors import FileProblem, InvalidOption
from microagg.plan import Plan
from microagg.studio.project import Project, Stale, roles_of
from microagg.studio.source import DataSource
from microagg.studio.steps import changes_of, followed

COLUMNS = ("age", "pay", "sex", "zip", 'näme\n"x"')
names = st.lists(st.sampled_from(COLUMNS), unique=True)


@st.composite
def plans(draw):
    order = draw(st.permutations(COLUMNS))
    cut, end = sorted(draw(st.tuples(st.integers(0, 5), st.integers(0, 5))))
    quasi = tuple(order[:cut])
    return Plan(
        k=draw(st.integers(2, 9)),
        quasi=draw(st.sampled_from([quasi, quasi, None])),
        identifiers=tuple(order[cut:end]),
        kinds={name: draw(st.sampled_from(["numeric", "nominal", ["low", "high"]])) for name in quasi},
        recode={name: draw(st.sampled_from(["top:9", ["bottom:1", "round:10"]])) for name in quasi[:2]},
        unit=draw(st.sampled_from([None, *order[end:]])),
        missing=draw(st.sampled_from(["drop", {"*": "value"}])),
        round=draw(st.sampled_from([True, False, {"age": 2}])),
        beyond=draw(st.sampled_from([0.5, 0.25])),
        refine=draw(st.sampled_from([None, "local"])),
        others="refuse",
    )


@settings(max_examples=15)
@given(st.lists(plans(), min_size=1, max_size=4), st.data())
def test_the_file_gives_back_every_step(tmp_path_factory, tried, data):
    """The file tells only what changed from step to step; read again, all plans are what they were."""
    source = DataSource("/data/people.csv", 'pe"ople.csv', reading={"delimiter": "\t"}, sha256="ab")
    folder = tmp_path_factory.mktemp("projects")
    project = Project.begin(folder, source)
    for plan in tried:
        project.change(plan, 'a step\n"', project.revision)
    project.go_to(data.draw(st.integers(0, len(project.steps) - 1)), project.revision)
    read = Project.load(project.path)
    assert read.steps == project.steps
    assert (read.at, read.plan, read.source, read.title) == (project.at, project.plan, source, 'pe"ople.csv')
    assert tomllib.loads(project.text)["release"]["k"] == project.plan.k


@given(plans(), plans())
def test_changes_lead_from_one_plan_to_the_next(one, other):
    assert followed(one, changes_of(one, other)) == other
    assert followed(None, changes_of(None, other)) == other
    assert changes_of(one, one) == {}


def test_undo_and_redo(tmp_path):
    project = Project.begin(tmp_path, DataSource("people.csv", "people.csv"))
    for k in range(6, 36):
        project.change(project.plan.changed(k=k), f"k = {k}", project.revision)
    for _ in range(30):
        project.go_to(project.at - 1, project.revision)
    assert (project.plan.k, project.can_undo, project.can_redo) == (5, False, True)
    with pytest.raises(InvalidOption):
        project.go_to(project.at - 1, project.revision)
    project.go_to(20, project.revision)
    assert project.plan.k == 25
    project.change(project.plan.changed(k=2), "another way", project.revision)
    assert (len(project.steps), project.can_redo) == (22, False)


def test_who_has_not_seen_the_last_change_is_told_so(tmp_path):
    project = Project.begin(tmp_path, DataSource("people.csv", "people.csv"))
    seen = project.revision
    project.change(project.plan.changed(k=7), "one tab", seen)
    with pytest.raises(Stale, match="another tab"):
        project.change(project.plan.changed(k=9), "another tab", seen)
    with pytest.raises(Stale):
        project.go_to(0, seen)
    assert project.plan.k == 7


def test_two_studios_do_not_write_one_project(tmp_path):
    """The second one would not see what the first one does, and write over it."""
    project = Project.begin(tmp_path, DataSource("people.csv", "people.csv"))
    project.hold()
    other = Project.load(project.path)
    with pytest.raises(FileProblem, match="another studio"):
        other.hold()
    project.let_go()
    other.hold()
    other.delete()
    assert list(tmp_path.iterdir()) == []


def test_a_change_that_cannot_be_written_is_none(tmp_path, as_ordinary_user):
    """Otherwise the page would show what is lost at the next start."""
    project = Project.begin(tmp_path / "p", DataSource("people.csv", "people.csv"))
    before = project.path.read_text(encoding="utf-8")
    project.path = tmp_path / "gone" / "people.toml"
    with pytest.raises(Exception, match="does not exist"):
        project.change(project.plan.changed(k=7), "lost", project.revision)
    assert (project.plan.k, project.revision, len(project.steps)) == (5, 0, 1)
    assert next((tmp_path / "p").glob("*.toml")).read_text(encoding="utf-8") == before


def test_what_somebody_changed_in_the_file_counts(tmp_path):
    project = Project.begin(tmp_path, DataSource("people.csv", "people.csv"))
    text = project.path.read_text(encoding="utf-8")
    project.path.write_text(text.replace("k = 5 ", "k = 8 ", 1), encoding="utf-8")
    read = Project.load(project.path)
    assert (read.plan.k, [step.title for step in read.steps]) == (8, ["Opened the data", "Changed in the file"])
    project.path.write_text(text.replace('"set" = {', '"set" = {"nothing" = 1, '), encoding="utf-8")
    with pytest.raises(InvalidOption, match="damaged"):
        Project.load(project.path)


def test_results_outlive_the_studio_and_damage_does_no_harm(tmp_path):
    project = Project.begin(tmp_path, DataSource("people.csv", "people.csv"))
    project.keep_result("a", {"loss": 1.5})
    assert Project.load(project.path).results == {"a": {"loss": 1.5}}
    project.results_path.write_text('{"a": {"lo', encoding="utf-8")
    assert Project.load(project.path).results == {}


def test_the_command_line_runs_a_project(house, place, run, tmp_path):
    """The decisions of the page, and how the file is read, are in the project: it is repeated without the studio."""
    odd = place / "odd.csv"
    text = write_people(place / "plain.csv").read_text(encoding="utf-8").replace(",", "|")
    odd.write_bytes(text.replace("flu", "Erkölcső").encode("cp1250"))
    project = house.open(odd)
    reading = {"encoding": "cp1250", "delimiter": "|"}
    house.post(f"/projects/{project.id}/data", {"revision": project.revision, "reading": reading})
    house.wait(project)
    assert [column.name for column in project.look.columns] == ["person_id", "age", "height", "region", "diagnosis"]
    everything = {"revision": project.revision, "columns": [0, 1, 2, 3, 4], "role": "suggested"}
    assert house.post(f"/projects/{project.id}/columns", everything).json()["counts"][""] == 0
    assert set(roles_of(project.plan).values()) == {"identifiers", "quasi", "confidential"}
    code, _, said = run("anonymize", "--plan", project.path, "-o", tmp_path / "released.csv")
    assert code == 0, said
    released = (tmp_path / "released.csv").read_text(encoding="utf-8")
    assert released.splitlines()[0] == "age|height|region|diagnosis"
    assert "Erkölcső" in released
