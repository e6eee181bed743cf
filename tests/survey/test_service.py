"""The service over HTTP, on each kind of store: what it takes, what it refuses, and how it says so."""

from __future__ import annotations

import contextlib
import datetime
import http.client
import json
import logging
import re
import socket
import threading
import time

import pytest
from answers import assert_released, keys, records, small

from microagg.errors import InfeasibleK, StoreUnavailable
from microagg.survey import Survey
from microagg.survey.limits import Limits

pytest.importorskip("uvicorn", reason="FastAPI and uvicorn are not installed")
pytest.importorskip("httpx", reason="httpx is not installed")

from running import Running

from microagg.survey.service import create_app

TOKEN, INTAKE_TOKEN = "operator-" + "x" * 20, "intake-" + "y" * 20
SECRET = "Zacharias"  # noqa: S105 - a name
"""A value that must not show up anywhere."""


@pytest.fixture
def url(request, tmp_path):
    """An empty store: a file, where the test does not ask for both kinds."""
    if getattr(request, "param", "sqlite") == "sqlite":
        return str(tmp_path / "surveys.db")
    return request.getfixturevalue("server").new_database()


on_both_stores = pytest.mark.parametrize("url", ["sqlite", "postgres"], indirect=True)


@pytest.fixture
def serve(url):
    """Start the service of a store that holds the survey `small`; `serve(limits=...)` starts it."""
    Survey.create(url, small()).disconnect()
    with contextlib.ExitStack() as stack:

        def start(**options):
            app = create_app(url, TOKEN, intake_token=INTAKE_TOKEN, **{"schedule": False, **options})
            running = stack.enter_context(Running(app, TOKEN))
            running.client.event_hooks["response"] = [lambda response: assert_declared(app, response)]
            return running

        yield start


def assert_declared(app, response):
    """Whatever comes back is among what the interface says may come back, with the content type it says."""
    for path, methods in app.openapi()["paths"].items():
        operation = methods.get(response.request.method.lower())
        if operation and re.fullmatch(re.sub(r"\{name\}", "[^/]+", path), response.request.url.path):
            declared = operation["responses"][str(response.status_code)]
            content_type = response.headers["content-type"].partition(";")[0]
            assert content_type in declared["content"] or "application/octet-stream" in declared["content"]
            assert set(declared.get("headers", ())) <= {name.title() for name in response.headers}


@pytest.fixture
def client(serve):
    return serve().client


def send(client, content, **headers):
    return client.post("/surveys/small/answers", json=content, headers=headers)


def assert_refused(response, status, error):
    """Every refusal is told alike."""
    assert response.status_code == status, response.text
    body = response.json()
    assert body["error"] == error
    assert all(isinstance(body[part], str) and body[part] for part in ("wrong", "allowed", "do"))
    assert SECRET not in response.text
    return body


def received(client):
    return client.get("/surveys/small/status").json()["received"]


# ---- answers


@on_both_stores
def test_one_answer(client):
    response = send(client, records(1)[0])
    assert response.status_code == 201
    assert response.json() == {"accepted": 1, "repeated": 0}
    assert received(client) == 1


@on_both_stores
def test_the_same_key_counts_once(client):
    first, second = records(2)
    assert send(client, first, **{"Idempotency-Key": "a"}).json() == {"accepted": 1, "repeated": 0}
    assert send(client, second, **{"Idempotency-Key": "a"}).json() == {"accepted": 0, "repeated": 1}
    assert send(client, second).json() == {"accepted": 1, "repeated": 0}
    assert send(client, second).json() == {"accepted": 1, "repeated": 0}, "without a key, each one counts"
    assert received(client) == 3


@on_both_stores
def test_a_batch(client):
    batch = {"answers": records(500), "keys": keys(500)}
    assert send(client, batch).json() == {"accepted": 500, "repeated": 0}
    batch = {"answers": records(500, 250), "keys": keys(500, 250)}
    assert send(client, batch).json() == {"accepted": 250, "repeated": 250}
    assert send(client, {"answers": records(3)}).json() == {"accepted": 3, "repeated": 0}
    assert received(client) == 753


def test_a_large_batch_is_read_beside_the_loop(client):
    batch = {"answers": records(5000), "keys": keys(5000)}
    assert len(json.dumps(batch)) > 1 << 18
    assert send(client, batch).json() == {"accepted": 5000, "repeated": 0}


@on_both_stores
def test_keys_hold_across_a_restart(serve):
    assert send(serve().client, {"answers": records(10), "keys": keys(10)}).json()["accepted"] == 10
    assert send(serve().client, {"answers": records(10), "keys": keys(10)}).json()["repeated"] == 10


@on_both_stores
def test_many_at_once(client):
    receipts = []

    def sender(number):
        # Two senders send the same answers.
        for i, record in enumerate(records(20, number // 2)):
            receipts.append(send(client, record, **{"Idempotency-Key": f"{number // 2}-{i}"}).json())

    threads = [threading.Thread(target=sender, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(receipt["accepted"] for receipt in receipts) == 80 == received(client)
    assert sum(receipt["repeated"] for receipt in receipts) == 80


# ---- what is refused


@pytest.mark.parametrize(
    ("change", "field", "rule"),
    [
        ({"age": SECRET}, "age", "whole number"),
        ({"age": 1.5}, "age", "whole number"),
        ({"age": True}, "age", "whole number"),
        ({"pay": None}, "pay", "required"),
        ({"pay": [1]}, "pay", "number"),
        ({"who": {"name": SECRET}}, "who", "text"),
        ({"unknown": SECRET}, "unknown", "not a field"),
    ],
)
def test_a_broken_rule_is_named_with_its_field(client, change, field, rule):
    batch = records(3)
    batch[1] |= change
    body = assert_refused(send(client, {"answers": batch}), 422, "invalid_answers")
    assert [(p["index"], p["field"]) for p in body["problems"]] == [(1, field)]
    assert rule in body["problems"][0]["rule"]
    assert received(client) == 0, "none of the batch is taken"


def test_a_missing_field(client):
    body = assert_refused(send(client, {"age": 31}), 422, "invalid_answers")
    assert {p["field"] for p in body["problems"]} == {"pay", "who", "number"}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"nonsense",
        b'{"age": 31',
        b'{"age": NaN, "pay": 1.0}',
        b'{"age": Infinity}',
        b"\xff\xfe",
        b"[1, 2]",
        b'"text"',
        b"null",
        b'{"answers": []}',
        b'{"answers": [], "more": 1}',
        b'{"answers": [{}], "keys": []}',
        b'{"answers": [{}], "keys": {"a": 1}}',
        b"[" * 100_000,
        b'{"age": ' + b"9" * 5000 + b"}",
    ],
)
def test_a_body_that_is_no_answer(client, content):
    response = client.post("/surveys/small/answers", content=content, headers={"Content-Type": "application/json"})
    assert_refused(response, 422, "malformed")
    assert received(client) == 0


@pytest.mark.parametrize("key", [1, None, "", "x" * 201, "new\nline", ["a"], "größe"])
def test_a_key_that_is_none(client, key):
    body = assert_refused(send(client, {"answers": records(2), "keys": ["a", key]}), 422, "invalid_answers")
    assert body["problems"] == [
        {"index": 1, "field": None, "rule": "its key must be 1 to 200 printable ASCII characters"}
    ]
    assert received(client) == 0


def test_a_header_key_belongs_to_a_single_answer(client):
    assert_refused(send(client, {"answers": records(2)}, **{"Idempotency-Key": "a"}), 422, "malformed")


def test_another_content_type(client):
    content = json.dumps(records(1)[0]).encode()
    for headers in ({"Content-Type": "text/plain"}, {"Content-Type": "application/x-www-form-urlencoded"}, {}):
        assert_refused(client.post("/surveys/small/answers", content=content, headers=headers), 415, "not_json")
    headers = {"Content-Type": "Application/JSON; charset=utf-8"}
    assert client.post("/surveys/small/answers", content=content, headers=headers).status_code == 201


def test_no_token_or_a_wrong_one(client):
    calls = [
        ("POST", "/surveys/small/answers"),
        ("GET", "/surveys"),
        ("GET", "/surveys/small"),
        ("GET", "/surveys/other"),
        ("GET", "/surveys/small/status"),
        ("POST", "/surveys/small/close"),
        ("GET", "/surveys/small/release"),
        ("GET", "/surveys/small/report"),
    ]
    for method, path in calls:
        for header in ("", TOKEN, f"Basic {TOKEN}", f"Bearer {TOKEN}x", "Bearer größe".encode("latin-1")):
            response = client.request(method, path, headers={"Authorization": header})
            assert_refused(response, 401, "token")
            assert response.headers["www-authenticate"] == "Bearer"
        in_query = client.request(method, path, headers={"Authorization": ""}, params={"token": TOKEN})
        assert_refused(in_query, 401, "token")
    assert client.get("/surveys/small/status").json()["state"] == "open"


def test_the_name_of_the_scheme_is_written_in_any_case(client):
    assert client.get("/surveys", headers={"Authorization": f"bearer {TOKEN}"}).status_code == 200


def test_the_intake_token_sends_answers_and_nothing_else(client):
    intake = {"Authorization": f"Bearer {INTAKE_TOKEN}"}
    assert send(client, records(1)[0], **intake).status_code == 201
    for method, path in [("GET", "/surveys"), ("GET", "/surveys/small/release"), ("POST", "/surveys/small/close")]:
        assert_refused(client.request(method, path, headers=intake), 403, "not_allowed")
    assert client.get("/surveys/small/status").json()["state"] == "open"


def test_an_unknown_survey(client):
    for name in ("other", "SMALL", "a" * 65, "..", "%00"):
        assert client.get(f"/surveys/{name}/status").status_code == 404
    assert_refused(client.get("/surveys/other"), 404, "unknown_survey")
    assert_refused(client.post("/surveys/other/answers", json=records(1)[0]), 404, "unknown_survey")
    assert_refused(client.get("/nowhere"), 404, "no_such_call")
    assert_refused(client.delete("/surveys/small"), 405, "no_such_call")


@on_both_stores
def test_a_survey_that_is_created_later_is_found(client, url):
    assert client.get("/surveys/later").status_code == 404
    Survey.create(url, small("later")).disconnect()
    assert client.get("/surveys/later").status_code == 200
    assert client.get("/surveys").json() == {"surveys": [{"name": "later"}, {"name": "small"}]}


def test_too_many_bytes_or_answers(serve):
    client = serve(limits=Limits(body=20_000, answers=50)).client
    assert_refused(send(client, {"answers": records(51)}), 413, "too_large")
    assert_refused(send(client, records(1)[0] | {"who": "x" * 20_000}), 413, "too_large")
    assert send(client, {"answers": records(50)}).status_code == 201

    def without_length():
        for _ in range(100):
            yield b" " * 1000

    json_type = {"Content-Type": "application/json"}
    response = client.post("/surveys/small/answers", content=without_length(), headers=json_type)
    assert_refused(response, 413, "too_large")
    assert received(client) == 50


def test_a_body_that_takes_too_long(serve):
    running = serve(limits=Limits(body_seconds=0.2))
    with socket.create_connection(("127.0.0.1", running.port), timeout=30) as connection:
        head = f"POST /surveys/small/answers HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {TOKEN}\r\n"
        connection.sendall(f"{head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{{".encode())
        response = http.client.HTTPResponse(connection)
        response.begin()
        assert response.status == 408
        assert json.loads(response.read())["error"] == "too_slow"


def test_too_fast(serve):
    client = serve(limits=Limits(rate=0.5, burst=20, answers=20)).client
    assert send(client, {"answers": records(18)}).status_code == 201
    body = send(client, {"answers": records(18)})
    assert_refused(body, 429, "too_fast")
    assert 1 <= int(body.headers["retry-after"]) <= 36
    assert client.get("/surveys").status_code == 200
    assert_refused(client.get("/surveys"), 429, "too_fast")


def test_requests_without_a_token_count_too(serve):
    client = serve(limits=Limits(rate=0.01, burst=5, answers=5)).client
    wrong = {"Authorization": "Bearer wrong"}
    assert [client.get("/surveys", headers=wrong).status_code for _ in range(6)] == [401] * 5 + [429]


# ---- from closing to the release


@on_both_stores
def test_close_and_release(client, url):
    assert_refused(client.get("/surveys/small/release"), 409, "not_ready")
    send(client, {"answers": records(40), "keys": keys(40)})
    status = client.post("/surveys/small/close").json()
    assert (status["state"], status["received"]) == ("closing", 40)
    assert_refused(send(client, records(1)[0]), 409, "closed")
    assert client.post("/surveys/small/close").json()["state"] == "closing", "closing twice is closing once"
    assert_refused(client.get("/surveys/small/report"), 409, "not_ready")
    with Survey.open(url, "small") as survey:
        survey.run()
    release = client.get("/surveys/small/release")
    assert release.headers["content-disposition"] == 'attachment; filename="small.csv"'
    assert release.headers["content-type"] == "text/csv; charset=utf-8"
    assert_released(release.content, range(40))
    assert client.get("/surveys/small/release").content == release.content
    report = client.get("/surveys/small/report")
    assert report.headers["content-type"] == "text/html; charset=utf-8"
    assert report.text.startswith("<!doctype html>")
    assert client.get("/surveys/small/status").json()["state"] == "released"


@on_both_stores
def test_fewer_than_k_answers(client, url):
    send(client, {"answers": records(2)})
    client.post("/surveys/small/close")
    with Survey.open(url, "small") as survey, pytest.raises(InfeasibleK, match="fewer than k"):
        survey.run()
    body = assert_refused(client.get("/surveys/small/release"), 409, "not_ready")
    assert "fewer than k" in body["wrong"]
    assert client.get("/surveys/small/status").json()["state"] == "failed"


@on_both_stores
def test_the_service_runs_the_stages(serve):
    client = serve(schedule=True).client
    send(client, {"answers": records(40), "keys": keys(40)})
    client.post("/surveys/small/close")
    wait = threading.Event()
    for _ in range(600):
        if client.get("/surveys/small/status").json()["state"] == "closed":
            break
        wait.wait(0.1)
    assert_released(client.get("/surveys/small/release").content, range(40))


def test_the_definition(client):
    described = client.get("/surveys/small").json()["definition"]
    assert described["name"] == "small"
    assert [field["name"] for field in described["fields"]] == ["age", "pay", "who", "number"]


def test_the_status_has_what_the_document_says(client):
    send(client, {"answers": records(5)})
    status = client.get("/surveys/small/status").json()
    schema = client.get("/openapi.json").json()["components"]["schemas"]["Status"]
    assert set(status) == set(schema["properties"])
    stage = schema["properties"]["stages"]["items"]["properties"]
    assert all(set(each) == set(stage) for each in status["stages"])
    moment, count = status["arrivals"][-1]
    assert datetime.datetime.fromisoformat(moment).utcoffset() is not None
    assert count == status["received"] == 5


# ---- when things go wrong


def test_a_store_that_is_gone_and_comes_back(serve, monkeypatch):
    running = serve()
    client, desk = running.client, running.app.state.desks.open("small")
    send(client, records(1)[0])
    add, gone = desk.survey.store.add, True

    def sometimes(*arguments):
        if gone:
            raise StoreUnavailable("the store could not be reached.")
        return add(*arguments)

    monkeypatch.setattr(desk.survey.store, "add", sometimes)
    response = send(client, records(1)[0], **{"Idempotency-Key": "a"})
    assert_refused(response, 503, "unavailable")
    assert int(response.headers["retry-after"]) >= 1
    gone = False
    assert send(client, records(1)[0], **{"Idempotency-Key": "a"}).json() == {"accepted": 1, "repeated": 0}
    assert received(client) == 2


def test_a_database_server_that_is_gone_for_a_while(server):
    """While it is gone nothing is acknowledged; when it is back, everything goes on without a restart."""
    url = server.new_database()
    Survey.create(url, small()).disconnect()
    with Running(create_app(url, TOKEN, limits=Limits(patience=0.3), schedule=False), TOKEN) as running:
        client = running.client
        assert send(client, records(1)[0], **{"Idempotency-Key": "a"}).status_code == 201
        server.stop()
        try:
            for _ in range(3):
                assert_refused(send(client, records(1)[0], **{"Idempotency-Key": "b"}), 503, "unavailable")
            assert_refused(client.get("/surveys/small/status"), 503, "unavailable")
            assert_refused(client.get("/health"), 503, "unavailable")
        finally:
            server.start()
        assert send(client, records(1)[0], **{"Idempotency-Key": "b"}).json() == {"accepted": 1, "repeated": 0}
        assert send(client, records(1)[0], **{"Idempotency-Key": "a"}).json() == {"accepted": 0, "repeated": 1}
        assert received(client) == 2


def test_answers_wait_for_a_database_server_that_comes_back_soon(server):
    url = server.new_database()
    Survey.create(url, small()).disconnect()
    with Running(create_app(url, TOKEN, limits=Limits(patience=60), schedule=False), TOKEN) as running:
        send(running.client, records(1)[0])
        server.stop()
        back = threading.Timer(0.5, server.start)
        back.start()
        response = send(running.client, {"answers": records(5)})
        back.join()
        assert response.json() == {"accepted": 5, "repeated": 0}
        assert received(running.client) == 6


def test_a_fault_is_told_and_logged_without_its_words(serve, monkeypatch, caplog):
    running = serve()
    client, desk = running.client, running.app.state.desks.open("small")

    def broken(*_):
        raise ValueError(f"cannot handle {SECRET}")

    monkeypatch.setattr(desk.survey.store, "add", broken)
    with caplog.at_level(logging.DEBUG):
        assert_refused(send(client, records(1)[0] | {"who": SECRET}), 500, "fault")
    assert "ValueError" in caplog.text
    assert SECRET not in caplog.text


def test_a_sender_who_leaves_in_the_middle_is_no_fault(serve, caplog):
    running = serve()
    with caplog.at_level(logging.INFO):
        for _ in range(3):
            with socket.create_connection(("127.0.0.1", running.port), timeout=30) as connection:
                head = f"POST /surveys/small/answers HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {TOKEN}\r\n"
                connection.sendall(f"{head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{{".encode())
        assert send(running.client, records(1)[0]).status_code == 201
        running.stop()
        running.join()
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


def test_nothing_that_was_sent_is_logged(client, caplog):
    with caplog.at_level(logging.DEBUG):
        send(client, records(1)[0] | {"who": SECRET}, **{"Idempotency-Key": SECRET})
        send(client, records(1)[0] | {"age": SECRET})
        client.post("/surveys/small/answers", content=SECRET, headers={"Content-Type": "application/json"})
    ours = [record.getMessage() for record in caplog.records if record.name.startswith(("microagg", "uvicorn"))]
    assert not [message for message in ours if SECRET in message]


@on_both_stores
def test_stopping_writes_what_waits(url, monkeypatch):
    """Who had sent before the service was told to stop gets a receipt, and the answer is there."""
    Survey.create(url, small()).disconnect()
    receipts, begun, go = [], threading.Event(), threading.Event()
    with Running(create_app(url, TOKEN, schedule=False), TOKEN) as running:
        desk = running.app.state.desks.open("small")
        add = desk.survey.store.add

        def slow(*arguments):
            begun.set()
            go.wait()
            return add(*arguments)

        monkeypatch.setattr(desk.survey.store, "add", slow)
        senders = [
            threading.Thread(target=lambda i=i: receipts.append(send(running.client, records(1, i)[0])))
            for i in range(8)
        ]
        for thread in senders:
            thread.start()
        assert begun.wait(30)
        while desk.intake.n_waiting < 8:
            time.sleep(0.001)
        running.stop()
        go.set()
        for thread in senders:
            thread.join()
    assert [receipt.status_code for receipt in receipts] == [201] * 8
    with Survey.open(url, "small") as survey:
        assert survey.status().received == 8


def test_health(serve, monkeypatch):
    running = serve()
    client, desks = running.client, running.app.state.desks
    response = client.get("/health", headers={"Authorization": ""})
    assert response.status_code == 200
    assert response.json()["status"] == "ok"

    def gone():
        raise StoreUnavailable("the store could not be reached.")

    with monkeypatch.context() as patch:
        patch.setattr(desks, "names", gone)
        assert_refused(client.get("/health"), 503, "unavailable")
    assert client.get("/health").status_code == 200


# ---- what the interface says of itself


def test_every_call_is_described_with_all_it_may_answer(serve):
    running = serve()
    client = running.client
    document = client.get("/openapi.json").json()
    described = {(path, method.upper()) for path, methods in document["paths"].items() for method in methods}
    routes = {
        (route.path, method)
        for route in running.app.routes
        if getattr(route, "include_in_schema", False)
        for method in route.methods
    }
    assert described == routes
    for methods in document["paths"].values():
        for operation in methods.values():
            assert operation["summary"]
            assert operation["description"]
            codes = set(operation["responses"])
            assert ("401" in codes) == ("security" in operation)
            assert all(response["description"] for response in operation["responses"].values())
    answers = document["paths"]["/surveys/{name}/answers"]["post"]
    assert set(answers["responses"]) == {
        *("201", "401", "404", "408", "409", "413", "415", "422", "429", "500", "503"),
    }
    references = json.dumps(document).split('"$ref": "#/components/schemas/')[1:]
    assert {reference.partition('"')[0] for reference in references} <= set(document["components"]["schemas"])
    assert "HTTPValidationError" not in json.dumps(document)


def test_the_interface_as_a_page(client):
    from html_page import Page

    response = client.get("/docs", headers={"Authorization": ""})
    page = Page(response.text)
    assert "script" not in page.tags
    links = {value for name, value in page.attributes if name in {"href", "src"}}
    assert {link for link in links if not link.startswith("#")} == {"openapi.json", "data:,"}
    assert {link[1:] for link in links if link.startswith("#")} <= set(page.ids)
    for path in client.get("/openapi.json").json()["paths"]:
        assert path in page.text


def test_headers_keep_browsers_careful(client):
    for path in ("/", "/docs", "/health", "/surveys", "/nowhere"):
        headers = client.get(path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        assert headers["referrer-policy"] == "no-referrer"
        policy = headers["content-security-policy"]
        assert policy.startswith("default-src 'none'")
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert "http" not in policy


def test_an_answer_is_set_aside_and_the_release_is_made_without_it(serve):
    """Also where the stages had come to their end: the service makes the release anew by itself."""
    client = serve(schedule=True).client
    assert send(client, {"answers": records(20), "keys": keys(20)}).status_code == 201

    def set_aside(content, **headers):
        return client.post("/surveys/small/set-aside", json=content, headers=headers)

    assert_refused(set_aside({"key": "nobody"}), 404, "unknown_answer")
    assert_refused(set_aside({"keys": ["key-1"]}), 422, "malformed")
    assert_refused(set_aside({"key": "key-1", "reason": 3}), 422, "malformed")
    assert_refused(set_aside({"key": "key-1"}, Authorization=f"Bearer {INTAKE_TOKEN}"), 403, "not_allowed")
    told = set_aside({"key": "key-1", "reason": "a test"})
    assert [(each["key"], each["reason"]) for each in told.json()["set_aside"]] == [("key-1", "a test")]

    def ready():
        while client.get("/surveys/small/status").json()["state"] != "closed":
            time.sleep(0.02)

    client.post("/surveys/small/close")
    ready()
    assert set_aside({"key": "key-2"}).status_code == 200
    ready()
    assert_released(client.get("/surveys/small/release").content, set(range(20)) - {1, 2})
    assert_refused(set_aside({"key": "key-3"}), 409, "released")


@on_both_stores
def test_a_deleted_survey_is_unknown_and_its_name_free_again(serve, url):
    """A service that has it open says so, and takes answers for another one of that name, by its own rules."""
    service = serve()
    path = "/surveys/small/answers"
    assert service.client.post(path, json={"answers": records(3)}).status_code == 201
    with Survey.open(url, "small") as survey:
        assert survey.delete().answers == 3
    late = service.client.post(path, json={"answers": records(2)})
    assert (late.status_code, late.json()["error"]) == (404, "unknown_survey")
    with Survey.create(url, small()) as fresh:
        assert service.client.post(path, json={"answers": records(2)}).status_code == 201
        assert fresh.status().received == 2
