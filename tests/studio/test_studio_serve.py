"""A studio for several users behind a proxy: all have projects of their own, and nobody can pass for somebody else."""

from __future__ import annotations

import pytest
from houses import InProcess

from microagg.studio.app import create_app
from microagg.studio.guard import served_rules

ORIGIN = "https://studio.example.org"
SENT = {"host": "studio.example.org", "origin": ORIGIN, "x-studio": "1"}


@pytest.fixture(scope="module")
def served(place, tmp_path_factory):
    house = InProcess(place, tmp_path_factory.mktemp("projects"))
    house.keys.token = ""
    rules = served_rules([ORIGIN], "X-Remote-User", ["127.0.0.1"])
    house.app = create_app(house.studio, house.keys, rules)
    house.client = house.new_client()
    yield house
    house.close()


def begin(served, user, name="clinic"):
    answer = served.client.post("/example", json={"name": name}, headers={**SENT, "x-remote-user": user})
    assert answer.status_code == 200, answer.text
    return answer.json()["go"]


def test_nobody_sees_the_projects_of_others(served):
    ada, bob = begin(served, "ada", "patients"), begin(served, "bob", "companies")
    for user, own, other in (("ada", ada, bob), ("bob", bob, ada)):
        headers = {**SENT, "x-remote-user": user}
        assert served.client.get(own, headers=headers).status_code == 200
        assert served.client.get(other, headers=headers).status_code == 404
        assert served.client.get(other.replace("data", "history/project.toml"), headers=headers).status_code == 404
        change = {"job": "*look", "do": "cancel"}
        assert served.client.post(other.replace("data", "jobs"), json=change, headers=headers).status_code == 404
    shown = served.client.get("/", headers={**SENT, "x-remote-user": "ada"}).text
    assert "patients.toml" in shown
    assert "companies.toml" not in shown
    stolen = served.client.post("/project", json={"name": "companies.toml"}, headers={**SENT, "x-remote-user": "ada"})
    assert stolen.status_code == 422
    file = next(project.path for project in served.studio.projects_of("bob"))
    served.studio.folders.roots += (served.studio.settings.projects,)  # a folder that is allowed by mistake
    stolen = served.client.post("/open", json={"path": str(file)}, headers={**SENT, "x-remote-user": "ada"})
    assert stolen.status_code == 422
    for project in (*served.studio.projects_of("ada"), *served.studio.projects_of("bob")):
        served.wait(project)


@pytest.mark.parametrize("user", ["", "   "])
def test_who_is_nobody_does_not_enter(served, user):
    assert served.client.get("/", headers={**SENT, "x-remote-user": user}).status_code == 401
    assert served.client.get("/", headers=SENT).status_code == 401


def test_a_user_is_said_once_and_by_the_proxy(served):
    """Somebody who adds a header of their own to that of the proxy, or who goes around the proxy, is not believed."""
    twice = [*SENT.items(), ("x-remote-user", "bob"), ("x-remote-user", "ada")]
    assert served.client.get("/", headers=twice).status_code == 401
    rules = served_rules([ORIGIN], "X-Remote-User", ["10.0.0.9"])
    around = type(served.client)(create_app(served.studio, served.keys, rules))
    assert around.get("/", headers={**SENT, "x-remote-user": "ada"}).status_code == 403


def test_names_of_users_lead_nowhere(served):
    """A name such as ../bob must not become a path."""
    folder = served.studio.settings.projects
    for user in ("../bob", "/etc", "a/b", "."):
        own = served.studio.folder_of(user)
        assert own.parent == folder
        assert own != served.studio.folder_of("bob")


def test_a_token_is_asked_for_beside_the_user(place, tmp_path):
    house = InProcess(place, tmp_path / "projects")
    rules = served_rules([ORIGIN], "X-Remote-User", ["127.0.0.1"])
    house.client = type(house.client)(create_app(house.studio, house.keys, rules))
    headers = {**SENT, "x-remote-user": "ada"}
    assert house.client.get("/", headers=headers).status_code == 401
    assert house.client.post("/door", json={"token": house.keys.token}, headers=headers).status_code == 200
    assert house.client.get("/", headers=headers).status_code == 200
    house.close()


def test_the_command_refuses_what_strangers_could_enter(run, tmp_path):
    code, _, said = run("studio", "--serve", "--origin", ORIGIN)
    assert (code, "who comes" in said) == (2, True)
    code, _, said = run("studio", "--serve", "--user-header", "X-Remote-User")
    assert (code, "--origin" in said) == (2, True)
    code, _, said = run("studio", "--user-header", "X-Remote-User")
    assert (code, "--serve" in said) == (2, True)
    code, _, said = run("studio", "--serve", "--user-header", "X", "--origin", "studio.example.org")
    assert (code, "https://studio.example.org" in said) == (2, True)
    code, _, said = run("studio", "--limit", "much")
    assert (code, "500MB" in said) == (2, True)
