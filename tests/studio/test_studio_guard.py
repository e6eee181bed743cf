"""Attacks on the studio: each of them would succeed without its guard, as the same request from our own page does."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import stat
from pathlib import Path

import pytest
from houses import OWN, PORT, TOKEN, InProcess, write_people
from starlette.datastructures import Headers

from microagg.plan import FileMark, Plan, PlanFile, dump
from microagg.studio import guard as guard_module
from microagg.studio.guard import Keys, PageGuard, Rules, rules_of

PAGE = {"accept": "text/html"}
NAVIGATION = {**PAGE, "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
STUDIO = Path(guard_module.__file__).parent


@pytest.fixture(scope="module")
def project(house, place):
    return house.open(place / "people.csv")


def test_a_rebound_name_is_not_ours(house, project):
    """A page of evil.example whose name now points to 127.0.0.1 is same-origin to the browser: Host tells."""
    address = f"/projects/{project.id}/data"
    assert house.client.get(address).status_code == 200
    for host in (f"evil.example:{PORT}", "127.0.0.1", f"127.0.0.1:{PORT + 1}", f"127.0.0.1:{PORT}.evil.example", ""):
        answer = house.client.get(address, headers={"host": host})
        assert answer.status_code == 421, host
        assert "people" not in answer.text


@pytest.mark.parametrize(
    "change",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": f"http://127.0.0.1:{PORT + 1}"},
        {"origin": None},
        {"x-studio": None},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_nothing_is_changed_from_a_strangers_page(house, project, change):
    """The browser adds the cookie to what another port of 127.0.0.1 sends: origin and our own header tell."""
    before = project.revision
    content = {"revision": before, "columns": [0], "role": "quasi"}
    headers = {name: value for name, value in {**OWN, **change}.items() if value is not None}
    assert house.client.post(f"/projects/{project.id}/columns", json=content, headers=headers).status_code == 403
    assert project.revision == before
    assert house.post(f"/projects/{project.id}/columns", content).status_code == 200
    assert project.revision == before + 1
    house.post(f"/projects/{project.id}/history", {"revision": project.revision, "by": -1})


def test_nothing_is_read_from_a_strangers_page(house, project):
    address = f"/projects/{project.id}/jobs"
    assert house.client.get(address, headers={"sec-fetch-site": "same-origin"}).status_code == 200
    assert house.client.get(address, headers={"sec-fetch-site": "cross-site"}).status_code == 403
    followed = house.client.get(f"/projects/{project.id}/data", headers={**NAVIGATION, "sec-fetch-site": "cross-site"})
    assert "people" not in followed.text
    assert "door.js" in followed.text


def test_nothing_without_a_key(house, project):
    stranger = house.new_client()
    for path in ("/", f"/projects/{project.id}/data", f"/projects/{project.id}/history/project.toml"):
        answer = stranger.get(path, headers=NAVIGATION)
        assert answer.status_code == 401
        assert "people" not in answer.text
    assert stranger.get(f"/projects/{project.id}/jobs").status_code == 401
    assert stranger.get(f"/?token={TOKEN}", headers=NAVIGATION).status_code == 401, "an address may be logged"
    stranger.cookies.set(house.keys.cookie, TOKEN)
    assert stranger.get("/", headers=NAVIGATION).status_code == 401, "the token itself is no key"
    assert stranger.post("/door", json={"token": TOKEN + "x"}, headers=OWN).status_code == 401
    assert stranger.post("/open", json={"path": "x"}, headers=OWN).status_code == 401


def test_a_key_of_odd_letters_is_another_key():
    """Comparing letters that are not ASCII raised an error, before anything was refused."""
    keys = Keys("token")
    assert keys.exchange("\udc80\u00e9") is None
    key = keys.exchange("token")
    assert keys.user_of(Headers(raw=[(b"cookie", b"studio=\xe9")])) is None
    assert keys.user_of(Headers({"cookie": f"studio={key}"})) == ""


def test_the_key_is_a_cookie_that_nobody_else_can_use(house):
    answer = house.new_client().post("/door", json={"token": TOKEN}, headers=OWN)
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert TOKEN not in answer.headers["set-cookie"]


def test_pages_let_nothing_foreign_run(house, project):
    """Whatever slipped through an escape could not run: no inline script or style, no foreign host."""
    answer = house.client.get(f"/projects/{project.id}/columns")
    policy = answer.headers["content-security-policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["cache-control"] == "no-store"
    for file in [*STUDIO.glob("templates/*.html"), *STUDIO.glob("static/*.js")]:
        text = file.read_text(encoding="utf-8")
        assert not re.search(r"\sstyle=|\son\w+=\"|<style|javascript:|innerHTML|eval\(|document\.write", text), (
            file.name
        )
        assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text), file.name


# ---- paths


def test_no_path_outside_the_folders(house, place, tmp_path):
    secret = write_people(tmp_path / "secret.csv")
    (place / "link.csv").symlink_to(secret)
    (place / "linked").symlink_to(tmp_path, target_is_directory=True)
    inside = str(place / "people.csv")
    assert house.post("/open", {"path": inside}).status_code == 200
    for path in (
        str(secret),
        f"{place}/../{tmp_path.name}/secret.csv",
        str(place / "link.csv"),
        str(place / "linked" / "secret.csv"),
        "../" * 12 + str(secret).lstrip("/"),
        f"{inside}\0{secret}",
    ):
        answer = house.post("/open", {"path": path})
        assert answer.status_code == 422, path
        assert "outside" in answer.json()["message"] or "no name" in answer.json()["message"]
    listed = house.post("/complete", {"path": f"{place}/"}).json()["entries"]
    assert [entry["name"] for entry in listed] == ["people.csv"]
    assert house.post("/complete", {"path": f"{tmp_path}/"}).json()["entries"] == []
    for link in ("link.csv", "linked"):
        (place / link).unlink()


def test_a_project_cannot_lead_outside(house, place, tmp_path):
    """A project file may come from somebody else: where it says that data and hierarchies are is not believed."""
    secret = write_people(tmp_path / "secret.csv")
    kinds = {"age": f"hierarchy:{secret}"}
    plans = {
        "data.toml": PlanFile(Plan(k=3, quasi=("age",)), FileMark(str(secret), "0")),
        "kind.toml": PlanFile(Plan(k=3, quasi=("age",), kinds=kinds), FileMark(str(place / "people.csv"), "0")),
    }
    for name, content in plans.items():
        (place / name).write_text(dump(content), encoding="utf-8")
        answer = house.post("/open", {"path": str(place / name)})
        assert answer.status_code == 422, name
        assert "outside" in answer.json()["message"]
    upload = dump(plans["data.toml"]) + '\n[studio]\norigin = "upload"\n'
    (place / "data.toml").write_text(upload, encoding="utf-8")
    project = house.open(place / "data.toml")
    assert not project.source.is_there, "uploaded data went with the studio that took them"
    for name in plans:
        (place / name).unlink()


def test_static_files_are_ours_alone(house):
    assert house.client.get("/static/studio.js").status_code == 200
    for name in ("..%2Fguard.py", "%2e%2e%2fguard.py", "studio.css", "nothing.js"):
        assert house.client.get(f"/static/{name}").status_code == 404


# ---- uploads


def upload(house, content, name="people.csv", **headers):
    return house.client.post("/upload", content=content, headers={**OWN, "x-file-name": name, **headers})


def test_an_upload_is_private_and_goes_with_the_studio(place, tmp_path):
    house = InProcess(place, tmp_path / "projects", upload=10_000)
    content = (place / "people.csv").read_bytes()
    answer = upload(house, content, name="..%2F..%2Fpeople.csv")
    assert answer.status_code == 200
    project = house.studio.project("", answer.json()["go"].split("/")[2])
    file = Path(project.source.path)
    assert house.studio.temporary in file.parents
    assert file.read_bytes() == content
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(house.studio.temporary.stat().st_mode) == 0o700
    house.wait(project)
    house.close()
    assert not file.exists()
    assert not house.studio.temporary.exists()


def test_an_upload_has_a_limit(place, tmp_path):
    """By what it says of itself, and by what it is: a body in pieces does not say how long it is."""
    house = InProcess(place, tmp_path / "projects", upload=1000)
    assert upload(house, b"a\n" * 501).status_code == 413
    assert upload(house, iter([b"a\n" * 300, b"a\n" * 300])).status_code == 413
    assert list((house.studio.temporary / "uploads").iterdir()) == [], "nothing of it is left"
    assert upload(house, b"", name="people.csv").status_code == 422
    assert upload(house, b"x", name="people.exe").status_code == 422
    assert upload(house, b"x", **{"origin": "https://evil.example"}).status_code == 403
    house.close()


def test_bodies_have_a_limit_and_a_time(house):
    assert house.post("/complete", {"path": "x" * (5 << 20)}).status_code == 413
    assert house.post("/complete", {"path": "x" * (1 << 20)}).status_code == 200


def test_a_body_that_never_comes_is_not_waited_for(house):
    """Who sends the head of a request and then nothing must not hold the studio."""
    rules = Rules(rules_of(PORT).hosts, rules_of(PORT).origins, seconds=0.05)
    guard = PageGuard(house.app.build_middleware_stack(), keys=house.keys, rules=rules)
    cookie = f"{house.keys.cookie}={house.keys.exchange(TOKEN)}"
    headers = {"host": f"127.0.0.1:{PORT}", "cookie": cookie, "content-type": "application/json", **OWN}
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/complete",
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "app": house.app,
    }
    sent = []

    async def silent():
        await asyncio.sleep(60)

    async def send(message):
        sent.append(message)

    asyncio.run(asyncio.wait_for(guard(scope, silent, send), 10))
    assert sent[0]["status"] == 408


# ---- what is told


def test_names_and_values_are_escaped(house, place):
    nasty = ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "</table><h1>x", "{{7*7}}", "a\u202eb"]
    write_people(place / "nasty.csv", more=nasty)
    project = house.open(place / "nasty.csv")
    assert [column.name for column in project.look.columns][5:] == nasty
    everything = list(range(len(project.look.columns)))
    house.post(
        f"/projects/{project.id}/columns", {"revision": project.revision, "columns": everything, "role": "quasi"}
    )
    for page in ("data", "columns", "candidates", "history"):
        text = house.client.get(f"/projects/{project.id}/{page}").text
        assert "<script>alert" not in text
        assert "<img" not in text
        assert "</table><h1>x" not in text
        assert ("{{7*7}}" in text) == (page in ("data", "columns", "history")), "no template is filled twice"
        assert "\u202e" not in text
    (place / "nasty.csv").unlink()


def test_addresses_say_nothing(house, project):
    """Names of files and columns are in no address: addresses are kept in histories and logs."""
    for page in ("", *(f"projects/{project.id}/{name}" for name in ("data", "columns", "candidates", "history"))):
        text = house.client.get(f"/{page}").text
        for link in re.findall(r'(?:href|src|action)="([^"]*)"', text):
            assert not re.search("people|person|age|region|diagnosis", link.replace("/pages", "")), link


def test_logs_hold_no_data(house, project, monkeypatch, caplog):
    def fail(*_):
        raise ValueError("record 7 holds 1954-02-03")

    monkeypatch.setattr("microagg.studio.pages.columns._rows", fail)
    with caplog.at_level(logging.DEBUG):
        answer = house.client.get(f"/projects/{project.id}/columns")
    assert answer.status_code == 500
    assert "1954" not in answer.text + caplog.text
    assert "ValueError" in caplog.text
    malformed = house.post(f"/projects/{project.id}/columns", {"revision": "1954-02-03"})
    assert malformed.status_code == 422
    assert "1954" not in malformed.text


def test_too_many_columns_are_refused(place, tmp_path):
    house = InProcess(place, tmp_path / "projects", columns=4)
    (job,) = house.studio.jobs.of(house.open(place / "people.csv").id, "look")
    assert job.message == "the data have 5 columns; the studio takes at most 4."
    house.close()


def test_files_of_projects_are_private(house, project):
    assert stat.S_IMODE(os.stat(project.path).st_mode) == 0o600
