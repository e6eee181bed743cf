"""`microagg survey serve` as a process: where it listens, whom it lets in, how it stops, and what it holds."""

from __future__ import annotations

import http.client
import json
import signal
import socket
import stat
import subprocess
import sys
import threading

import pytest
from answers import records, small

from microagg.survey import Survey

pytest.importorskip("uvicorn", reason="FastAPI and uvicorn are not installed")
httpx = pytest.importorskip("httpx", reason="httpx is not installed")
psutil = pytest.importorskip("psutil", reason="psutil is not installed")

MEGABYTE = 1 << 20


def command(*arguments):
    return [sys.executable, "-m", "microagg", "survey", "serve", *map(str, arguments)]


class Process:
    """The command, started; its first lines are read."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen(
            command(*arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1
        )
        line = self.process.stdout.readline()
        if not line.startswith("page: "):
            raise AssertionError(self.process.communicate()[1])
        self.address = line.removeprefix("page: ").strip().rstrip("/")
        self.port = int(self.address.rpartition(":")[2])

    def client(self, token):
        # It listens already: what is sent before it is ready waits.
        return httpx.Client(
            base_url=self.address, headers={"Authorization": f"Bearer {token}"}, timeout=60, trust_env=False
        )

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        output, errors = self.process.communicate()
        return self.process.returncode, output, errors


@pytest.fixture
def store(tmp_path):
    url = str(tmp_path / "surveys.db")
    Survey.create(url, small()).disconnect()
    return url


def refused(*arguments):
    run = subprocess.run(command(*arguments), capture_output=True, text=True)
    assert run.returncode == 2
    assert run.stdout == ""
    assert run.stderr.startswith("microagg: ")
    assert len(run.stderr.splitlines()) == 1
    return run.stderr


def test_another_address_needs_a_token_file(store):
    assert "--token-file" in refused("--store", store, "--host", "192.0.2.1")


def test_a_token_that_others_may_read_is_refused(store, tmp_path):
    file = tmp_path / "token"
    file.write_text("x" * 40)
    file.chmod(0o644)
    assert "chmod 600" in refused("--store", store, "--port", 0, "--token-file", file)
    file.chmod(0o600)
    file.write_text("short")
    assert "at least 16 characters" in refused("--store", store, "--port", 0, "--token-file", file)


def test_a_port_that_is_taken(store):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert f"port {port}" in refused("--store", store, "--port", port)


def test_from_start_to_stop(store, tmp_path):
    """The token is made and kept for its owner; a stop in the middle acknowledges only what is in the store."""
    file = tmp_path / "token"
    process = Process("--store", store, "--port", 0, "--token-file", file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    token = file.read_text().strip()
    acknowledged, enough = [], threading.Event()

    def sender(number):
        with process.client(token) as client:
            for i, record in enumerate(records(100_000, number)):
                key = {"Idempotency-Key": f"{number}-{i}"}
                try:
                    response = client.post("/surveys/small/answers", json=record, headers=key)
                except httpx.TransportError:
                    return
                if response.status_code == 503:
                    return
                assert response.status_code == 201
                acknowledged.append(f"{number}-{i}")
                if len(acknowledged) > 100:
                    enough.set()

    senders = [threading.Thread(target=sender, args=(number,)) for number in range(4)]
    for thread in senders:
        thread.start()
    assert enough.wait(60)
    code, output, errors = process.stop()
    for thread in senders:
        thread.join()
    assert code in {0, -signal.SIGTERM}
    assert token not in output + errors
    assert "Traceback" not in errors
    with Survey.open(store, "small") as survey:
        kept = survey.status().received
    # A request whose response was lost in the stop may be there without its sender knowing; never the other way round.
    assert len(acknowledged) <= kept <= len(acknowledged) + 4


def test_a_token_is_made_and_shown_once(store):
    process = Process("--store", store, "--port", 0)
    token = process.process.stdout.readline().strip().rpartition(" ")[2]
    assert process.process.stdout.readline().strip().endswith(f"/#token={token}")
    with process.client(token) as client:
        assert client.get("/surveys").json() == {"surveys": [{"name": "small"}]}
    _, output, errors = process.stop()
    assert token not in output + errors


def flood(port, token, megabytes, *, chunked):
    """Send a large body; gives the status and the body of the response."""
    head = f"POST /surveys/small/answers HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"
    head += "Content-Type: application/json\r\n"
    head += "Transfer-Encoding: chunked\r\n\r\n" if chunked else f"Content-Length: {megabytes * MEGABYTE}\r\n\r\n"
    piece = b" " * MEGABYTE
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(head.encode())
        for _ in range(megabytes):
            connection.sendall(b"100000\r\n" + piece + b"\r\n" if chunked else piece)
        if chunked:
            connection.sendall(b"0\r\n\r\n")
        response = http.client.HTTPResponse(connection)
        response.begin()
        return response.status, json.loads(response.read())


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_of_100_megabytes_is_refused_and_never_held(store, tmp_path, chunked):
    process = Process("--store", store, "--port", 0, "--token-file", tmp_path / "token", "--no-schedule")
    try:
        token = (tmp_path / "token").read_text().strip()
        with process.client(token) as client:
            assert client.post("/surveys/small/answers", json=records(1)[0]).status_code == 201
            watch = psutil.Process(process.process.pid)
            before, most = watch.memory_info().rss, 0
            done = threading.Event()

            def look():
                nonlocal most
                while not done.wait(0.01):
                    most = max(most, watch.memory_info().rss)

            looking = threading.Thread(target=look)
            looking.start()
            status, body = flood(process.port, token, 100, chunked=chunked)
            done.set()
            looking.join()
            assert (status, body["error"]) == (413, "too_large")
            assert most - before < 30 * MEGABYTE
            assert client.post("/surveys/small/answers", json=records(1)[0]).status_code == 201
    finally:
        process.stop()


def test_who_asks_first_is_told_before_sending(store, tmp_path):
    process = Process("--store", store, "--port", 0, "--token-file", tmp_path / "token", "--no-schedule")
    try:
        token = (tmp_path / "token").read_text().strip()
        with socket.create_connection(("127.0.0.1", process.port), timeout=30) as connection:
            connection.sendall(
                f"POST /surveys/small/answers HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\nContent-Type: "
                f"application/json\r\nExpect: 100-continue\r\nContent-Length: {100 * MEGABYTE}\r\n\r\n".encode()
            )
            assert connection.recv(65536).startswith(b"HTTP/1.1 413 ")
    finally:
        process.stop()
