"""The pages of exposure, comparison, release, recoding and surveys, as a browser without a screen sees them."""

from __future__ import annotations

import csv
import json
import os
import re
import shlex
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from houses import InProcess, wait_for

import microagg as ma
from microagg.studio.roles import suggested, with_roles
from microagg.survey import Definition, Field, Survey

HOSTILE = "</td><script>alert(1)</script>\"'"
PAGES = ("data", "columns", "recode", "exposure", "candidates", "compare", "release", "history")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder that is allowed, with a file whose names and values are hostile."""
    folder = tmp_path_factory.mktemp("allowed")
    rng = np.random.default_rng(3)
    table = pd.DataFrame({
        "person_id": [f"A{1000 + i}" for i in range(160)],
        "age": rng.integers(18, 90, 160),
        HOSTILE: rng.integers(0, 6, 160),
        "job": rng.choice(["baker", "nurse", "<script>alert(2)</script>"], 160),
        "illness": rng.choice(["flu", "gout", "none"], 160),
    })  # fmt: skip
    table.to_csv(folder / "people.csv", index=False)
    return folder


@pytest.fixture(scope="module")
def project(house, place):
    """A project in which every column is decided."""
    opened = house.open(place / "people.csv")
    decide(opened)
    return opened


def decide(project):
    roles = {**suggested(project.look), "person_id": "identifiers", "age": "quasi", HOSTILE: "quasi", "job": "quasi"}
    roles["illness"] = "confidential"
    project.change(with_roles(project.plan, project.look, roles, {}), "decided", project.revision)


def ready(house, project, path):
    """Give a page once nothing runs for it."""
    house.client.get(f"/projects/{project.id}/{path}")
    house.wait(project)
    answer = house.client.get(f"/projects/{project.id}/{path}")
    assert answer.status_code == 200, answer.text
    assert "data-wait" not in answer.text
    return answer.text


class Tags(HTMLParser):
    """Every tag of a page, with its attributes."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def handle_starttag(self, tag, attributes):
        self.seen.append((tag, attributes))


def told(html):
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


@pytest.mark.parametrize("page", PAGES)
def test_names_and_values_are_escaped_on_every_page(house, project, page):
    """A column that is called like a picture with a script is shown, and is nothing but text."""
    for path in (page, "recode?column=2") if page == "recode" else (page,):
        html = ready(house, project, path)
        read = Tags()
        read.feed(html)
        scripts = [dict(attributes) for tag, attributes in read.seen if tag == "script"]
        assert all(each.get("src", "").startswith("/static/") or each["type"] == "application/json" for each in scripts)
        names = {name for _, attributes in read.seen for name, _ in attributes}
        assert not [name for name in names if name.startswith("on") or name == "style"]


def test_exposure_counts_what_pandas_counts(house, project, place):
    found = found_exposure(house, project, exact=True)
    people = pd.read_csv(place / "people.csv")
    quasi = ["age", HOSTILE, "job"]
    k = project.plan.k

    def counts(columns):
        sizes = people.groupby(columns).size()
        return int((sizes == 1).sum()), int(sizes[sizes < k].sum())

    assert (found.document.headline["uniques"], found.document.headline["violations"]) == counts(quasi)
    for column in found.columns:
        assert (column.uniques, column.below) == counts([name for name in quasi if name != column.name])
    least = [column.below for column in found.columns]
    assert least == sorted(least)
    alone_on_one = sum(bool((people.groupby(name)[name].transform("size") == 1).any()) for name in quasi)
    assert bool(dict(found.special)[1]) == bool(alone_on_one)


def found_exposure(house, project, exact):
    ready(house, project, f"exposure?exact={str(exact).lower()}")
    jobs = house.studio.jobs.of(project.id, "exposure")
    return next(job.result for job in jobs if job.arguments["exact"] is exact)


def test_exposure_withholds_small_counts(house, project):
    """Counts of 1 to k - 1, and those that differ from another one by so few."""
    found, k = found_exposure(house, project, exact=False), project.plan.k
    exact = found_exposure(house, project, exact=True)
    alone, below = exact.document.headline["uniques"], exact.document.headline["violations"]
    for column in found.columns:
        for count, of_all in ((column.uniques, alone), (column.below, below)):
            assert count is None or (count == 0 or count >= k)
            assert count is None or not 0 < abs(count - of_all) < k
    assert all(records >= k for _, records in found.sets)
    assert all(records is None or records == 0 or records >= k for _, records in found.special)


def test_compare_shows_a_candidate_beside_another(house, project):
    """Both sides are what their reports tell; the better one of each measure is marked."""
    content = {"revision": project.revision, "ks": [3, 8], "methods": ["mdav"], "effort": "quick"}
    answer = house.post(f"/projects/{project.id}/candidates", content)
    assert answer.status_code == 200, answer.text
    house.wait(project)
    rows = house.client.get(f"/projects/{project.id}/candidates/map").json()["rows"]
    one, other = (row["key"] for row in rows[:2])
    html = ready(house, project, f"compare?candidate={one}&beside={other}")
    assert html.count('class="number better"') > 5
    assert "Groups that lost most: A" in told(html)
    documents = [job.result.document for job in house.studio.jobs.of(project.id, "compare")]
    assert {document.headline["k"] for document in documents} >= {3, 8}
    assert all(document.least == document.headline["k"] for document in documents)
    strange = ready(house, project, "compare?candidate=nothing")
    assert "The plan that stands" in strange


@pytest.fixture(scope="module")
def second(house, place):
    """Another project of the same data, in which nothing is decided yet."""
    return house.open(place / "people.csv")


def test_nothing_is_released_before_every_column_is_decided(house, second):
    undecided = second
    answer = house.post(f"/projects/{undecided.id}/release", {"name": "out", "suffix": ".csv"})
    assert answer.status_code == 422
    assert "every column is decided" in answer.json()["message"]
    assert "Decide on the columns" in ready(house, undecided, "release")


@pytest.fixture(scope="module")
def made(house, project):
    """The release of the project, made and not yet confirmed."""
    answer = house.post(f"/projects/{project.id}/release", {"name": "out", "suffix": ".csv"})
    assert answer.status_code == 200, answer.text
    house.wait(project)
    (job,) = (job for job in house.studio.jobs.of(project.id, "release") if job.result is not None)
    return job


def confirm(house, project, job, yes=True):
    for number in range(len(job.result.warnings)):
        said = {"job": job.id, "warning": number, "yes": yes}
        assert house.post(f"/projects/{project.id}/release/confirm", said).status_code == 200


def test_nothing_is_published_before_every_warning_is_confirmed(house, project, made, place):
    assert made.result.warnings
    target = {"job": made.id, "folder": str(place)}
    for number in range(len(made.result.warnings)):
        assert house.post(f"/projects/{project.id}/release/publish", target).status_code == 422
        for file in range(4):
            assert house.client.get(f"/projects/{project.id}/release/files/{made.id}/{file}").status_code == 422
        house.post(f"/projects/{project.id}/release/confirm", {"job": made.id, "warning": number, "yes": True})
    assert not (place / "out.csv").exists()
    answer = house.client.get(f"/projects/{project.id}/release/files/{made.id}/0")
    assert answer.status_code == 200
    assert "attachment" in answer.headers["content-disposition"]
    confirm(house, project, made, yes=False)
    assert house.post(f"/projects/{project.id}/release/publish", target).status_code == 422


def test_what_is_published_keeps_its_certificate_and_is_what_the_command_makes(
    house, project, made, place, run, tmp_path
):
    """Release, page and twin come together; `verify` holds; the command that is shown makes the same file."""
    confirm(house, project, made)
    target = {"job": made.id, "folder": str(place)}
    answer = house.post(f"/projects/{project.id}/release/publish", target)
    assert answer.status_code == 200, answer.text
    assert sorted(p.name for p in place.iterdir()) == ["out.csv", "out.report.html", "out.report.json", "people.csv"]
    assert ma.verify(place / "out.csv", place / "out.report.json").holds
    again = house.post(f"/projects/{project.id}/release/publish", target).json()
    assert again["exists"] == ["out.csv", "out.report.html", "out.report.json"]
    assert house.post(f"/projects/{project.id}/release/publish", {**target, "replace": True}).status_code == 200
    words = shlex.split(made.result.command)
    words[words.index("-o") + 1] = str(tmp_path / "same.csv")
    del words[words.index("--report") :]
    code, _, err = run(*words[1:])
    assert code == 0, err
    assert (tmp_path / "same.csv").read_bytes() == (place / "out.csv").read_bytes()
    assert made.result.certificate.plan["k"] == project.plan.k


@pytest.mark.parametrize("folder", ["/etc", "../..", "link", "people.csv", "nowhere", "\0"])
def test_a_release_is_written_to_allowed_folders_only(house, project, made, place, tmp_path, folder):
    """By whatever name: a link inside that leads outside is outside."""
    if not (place / "link").exists():
        os.symlink(tmp_path, place / "link")
    confirm(house, project, made)
    target = {"job": made.id, "folder": folder if folder.startswith("/") else str(place / folder), "replace": True}
    assert house.post(f"/projects/{project.id}/release/publish", target).status_code == 422
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["../out", "a/b", "", ".hidden", "a\\b", "x" * 200, "a\nb"])
def test_names_of_releases_are_plain(house, project, made, name):
    assert house.post(f"/projects/{project.id}/release", {"name": name, "suffix": ".csv"}).status_code == 422
    assert house.post(f"/projects/{project.id}/release", {"name": "out", "suffix": ".exe"}).status_code == 422


def test_a_second_release_of_the_same_data_is_warned_of(house, project, made, place):
    """Each is k-anonymous, both together may not be: the warning must be confirmed like all others."""
    confirm(house, project, made)
    target = {"job": made.id, "folder": str(place), "replace": True}
    assert house.post(f"/projects/{project.id}/release/publish", target).status_code == 200
    project.change(project.plan.changed(k=project.plan.k + 2), "k", project.revision)
    house.post(f"/projects/{project.id}/release", {"name": "second", "suffix": ".csv"})
    house.wait(project)
    job = next(job for job in house.studio.jobs.of(project.id, "release") if job.result is not None)
    assert job.result.warnings[0].startswith("This is a second, different release of the same data")
    assert "out.csv" in job.result.warnings[0]
    project.go_to(project.at - 1, project.revision)
    assert house.client.get(f"/projects/{project.id}/release/files/{job.id}/0").status_code == 422


def test_a_release_never_replaces_its_source(house, second, place):
    """Whoever calls the release like the data is stopped, even with the word to replace."""
    project = second
    decide(project)
    house.post(f"/projects/{project.id}/release", {"name": "people", "suffix": ".csv"})
    house.wait(project)
    (job,) = house.studio.jobs.of(project.id, "release")
    confirm(house, project, job)
    before = (place / "people.csv").read_bytes()
    target = {"job": job.id, "folder": str(place), "replace": True}
    assert house.post(f"/projects/{project.id}/release/publish", target).status_code == 422
    assert (place / "people.csv").read_bytes() == before
    # Another plan stands: what was made before is void, and its files are not given out.
    project.change(project.plan.changed(k=project.plan.k + 1), "k", project.revision)
    assert house.client.get(f"/projects/{project.id}/release/files/{job.id}/0").status_code == 422
    assert house.post(f"/projects/{project.id}/release/publish", target).status_code == 422


# ---- recoding and hierarchies


@pytest.fixture(scope="module")
def recoded(house, second):
    if not second.is_decided:
        decide(second)
    house.client.get(f"/projects/{second.id}/recode?column=1")
    ready(house, second, "recode?column=3")
    return second


def test_steps_change_the_plan_and_its_kind_and_can_be_undone(house, recoded):
    address = f"/projects/{recoded.id}/recode"
    content = {"revision": recoded.revision, "column": 1, "steps": ["top:80", "bands:10"]}
    assert house.post(address, content).status_code == 200
    assert recoded.plan.recode["age"] == ("top:80", "bands:10")
    assert recoded.plan.kinds["age"] == "ordinal"
    values = ready(house, recoded, "recode?column=1")
    assert "bands:10" in values
    shown = house.client.get(f"{address}/values?column=1").json()
    assert "80-89" in shown["values"]
    assert shown["spread"]["edges"][0] <= 18
    recoded.go_to(recoded.at - 1, recoded.revision)
    assert recoded.plan.kinds["age"] == "numeric"
    bad = {"revision": recoded.revision, "column": 1, "steps": ["tpo:80"]}
    assert "Did you mean 'top'" in house.post(address, bad).json()["message"]
    stale = {"revision": recoded.revision - 1, "column": 1, "steps": []}
    assert house.post(address, stale).status_code == 409
    assert house.post(address, {"revision": recoded.revision, "column": 0, "steps": ["top:1"]}).status_code == 422


def test_a_tree_is_kept_beside_the_project_and_each_step_of_it_comes_back(house, recoded):
    """Undo leads to the tree before: files are named by what they hold, and none is written over."""
    address = f"/projects/{recoded.id}/recode"
    odd = "<script>alert(2)</script>"
    files = recoded.path.with_suffix(".hierarchies")
    first = [["baker", "*"], ["nurse", "*"], [odd, "*"]]
    second = [["baker", "craft"], ["craft", "*"], ["nurse", "*"], [odd, "*"]]
    for edges in (first, second):
        content = {"revision": recoded.revision, "column": 3, "edges": edges}
        assert house.post(f"{address}/tree", content).status_code == 200
    tree = house.client.get(f"{address}/values?column=3").json()["tree"]
    assert [child["name"] for child in tree["children"]] == ["craft", "nurse", odd]
    recoded.go_to(recoded.at - 1, recoded.revision)
    tree = house.client.get(f"{address}/values?column=3").json()["tree"]
    assert [child["name"] for child in tree["children"]] == ["baker", "nurse", odd]
    assert len(list(files.iterdir())) == 2
    assert all(file.stat().st_mode & 0o777 == 0o600 for file in files.iterdir())
    # The command line runs the project with its tree.
    release = ma.repeat(pd.read_csv(recoded.source.path), recoded.path)
    assert str(release.kinds["job"]) == "hierarchy"


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ([["a", "b"], ["b", "a"]], "cycle"),
        ([["a", "b"], ["c", "d"]], "one root"),
        ([["a", "b"], ["a", "c"], ["b", "*"], ["c", "*"]], "twice"),
        ([["a"]], "pairs"),
        ([["", "b"]], "empty"),
    ],
)
def test_what_is_no_tree_is_refused(house, recoded, edges, message):
    content = {"revision": recoded.revision, "column": 3, "edges": edges}
    answer = house.post(f"/projects/{recoded.id}/recode/tree", content)
    assert answer.status_code == 422
    assert message in answer.json()["message"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("edges.csv", "child,parent\nbaker,craft\nnurse,care\ncraft,work\ncare,work\n"),
        ("arx.csv", "baker;craft;work\nnurse;care;work\n"),
        ("tree.json", json.dumps({"work": {"craft": ["baker"], "care": ["nurse"]}})),
        ("tree.yaml", "work:\n  craft: [baker]\n  care: [nurse]\n"),
    ],
)
def test_hierarchies_are_imported_in_every_form(house, recoded, name, text):
    answer = house.post(f"/projects/{recoded.id}/recode/import", {"name": name, "text": text})
    assert answer.status_code == 200, answer.text
    tree = answer.json()["tree"]
    assert tree["name"] == "work"
    assert {child["name"] for child in tree["children"]} == {"craft", "care"}


def test_what_cannot_be_imported_is_told_without_a_path(house, recoded):
    for name, text in (("x.csv", "child,parent\na,b\nb,a\n"), ("x.json", "{"), ("x.exe", "a"), ("x.yaml", "&a [*a]")):
        answer = house.post(f"/projects/{recoded.id}/recode/import", {"name": name, "text": text})
        assert answer.status_code == 422
        assert os.sep not in answer.json()["message"]


def test_trees_follow_from_rules(house, recoded):
    made = house.post(f"/projects/{recoded.id}/recode/generate", {"column": 3, "rule": "prefix:1"})
    assert {child["name"] for child in made.json()["tree"]["children"]} == {"b*", "n*", "<*"}
    assert house.post(f"/projects/{recoded.id}/recode/generate", {"column": 3, "rule": "bands:5"}).status_code == 422
    content = {"revision": recoded.revision, "column": 3, "rule": "prefix:1"}
    assert house.post(f"/projects/{recoded.id}/recode/tree", content).status_code == 200
    assert recoded.plan.kinds["job"] == "prefix:1"


# ---- surveys


@pytest.fixture(scope="module")
def survey_house(tmp_path_factory):
    folder = tmp_path_factory.mktemp("surveys")
    url = str(folder / "surveys.db")
    fields = [Field("age", "integer"), Field("pay", "number")]
    with Survey.create(url, Definition("wellbeing", k=3, fields=fields)) as survey:
        rng = np.random.default_rng(0)
        survey.add([{"age": int(age), "pay": 10.0 * int(age)} for age in rng.integers(18, 80, 40)])
    made = InProcess(folder, tmp_path_factory.mktemp("projects"), processes=1, surveys=url)
    yield made, url
    made.close()


def test_a_survey_is_closed_published_once_and_downloaded(survey_house):
    """Neither without its name typed; a download publishes nothing by itself."""
    house, url = survey_house
    assert "wellbeing" in house.client.get("/surveys").text
    assert "40" in told(house.client.get("/surveys/wellbeing").text)
    assert house.client.get("/surveys/wellbeing/files/release").status_code == 422
    assert house.post("/surveys/wellbeing/close", {"name": "well"}).status_code == 422
    assert house.post("/surveys/wellbeing/publish", {"name": "wellbeing"}).status_code == 422
    assert house.post("/surveys/wellbeing/close", {"name": "wellbeing"}).status_code == 200
    wait_for(lambda: house.client.get("/surveys/wellbeing/status").json()["state"] == "closed")
    assert house.client.get("/surveys/wellbeing/files/release").status_code == 422
    assert house.post("/surveys/wellbeing/publish", {"name": "wellbeing"}).status_code == 200
    answer = house.client.get("/surveys/wellbeing/files/release")
    rows = list(csv.DictReader(answer.text.splitlines()))
    assert len(rows) == 40
    with Survey.open(url, "wellbeing") as survey:
        assert answer.content == survey.publication().content
    assert house.client.get("/surveys/nobody", headers={"accept": "text/html"}).status_code == 303


def test_surveys_need_a_key_like_everything_else(survey_house, house):
    stranger = survey_house[0].new_client()
    assert stranger.get("/surveys/wellbeing/status").status_code == 401
    assert "No surveys here" in house.client.get("/surveys").text
    assert house.client.get("/surveys/wellbeing/status").status_code == 404
