"""Silent, slow and many: none of them keeps a sender with a token from being heard. Real sockets, real server."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import time

import pytest
from answers import records, small

from microagg.errors import InvalidOption
from microagg.survey import Survey
from microagg.survey.limits import MEGABYTE, Held, Limits, client_of

pytest.importorskip("uvicorn", reason="FastAPI and uvicorn are not installed")
httpx = pytest.importorskip("httpx", reason="httpx is not installed")

from microagg.survey.body import LARGE  # noqa: E402
from microagg.survey.door import Door, RequestPhase  # noqa: E402

TOKEN = "a-token-that-is-long-enough"  # noqa: S105 - of this test alone
PATIENT = 600.0
"""Seconds that no test takes: what ends in a test that allows them was not ended by a time-out."""
SHORT = 0.2


@pytest.fixture
def serve(tmp_path):
    """Start the service with some limits; everything that a test opens is closed at the end."""
    from running import Running

    from microagg.survey.service import create_app

    url = str(tmp_path / "surveys.db")
    Survey.create(url, small()).disconnect()
    with contextlib.ExitStack() as stack:

        def start(**limits):
            app = create_app(url, TOKEN, limits=Limits(**limits), schedule=False)
            running = stack.enter_context(Running(app, TOKEN))
            running.stack = stack
            return running

        yield start


def connect(running):
    connection = socket.create_connection(("127.0.0.1", running.port), timeout=60)
    return running.stack.enter_context(connection)


def head(length, token=TOKEN):
    return (
        f"POST /surveys/small/answers HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    ).encode()


def send(running, n_answers=1):
    """Send answers over a connection of their own, and give the status."""
    with httpx.Client(base_url=running.address, timeout=60, trust_env=False) as client:
        body = {"answers": records(n_answers)}
        return client.post(
            "/surveys/small/answers", json=body, headers={"Authorization": f"Bearer {TOKEN}"}
        ).status_code


def response(connection):
    with contextlib.closing(http.client.HTTPResponse(connection)) as found:
        found.begin()
        return found.status, found.read()


def is_open(connection):
    """Whether a connection that nothing was said on is still open."""
    connection.setblocking(False)
    try:
        return connection.recv(1) != b""
    except BlockingIOError:
        return True
    except ConnectionError:
        return False
    finally:
        connection.settimeout(60)


def wait_for_end(connection, drip=b""):
    """Send a little now and then until the other side closes the connection; gives what it said."""
    said = b""
    connection.settimeout(0.02)
    while True:
        try:
            if drip:
                connection.sendall(drip)
            if not (piece := connection.recv(65536)):
                return said
            said += piece
        except TimeoutError:
            continue
        except ConnectionError:
            return said


LARGE_BATCH = LARGE // 50
"""Answers that make a large body."""


def test_many_idle_connections_do_not_lock_out_a_token(serve):
    """1,000 of them got every client a 503."""
    running = serve(connections=40, connections_per_client=30, kept_for_tokens=10, head_seconds=PATIENT)
    assert running.client.get("/surveys").status_code == 200
    idle = [connect(running) for _ in range(120)]
    assert send(running) == 201
    assert running.client.get("/surveys").status_code == 200, "who was in with a token stays in"
    # The newest connections are still there, waiting as long as they may: no time-out has helped.
    assert is_open(idle[-1])
    assert not is_open(idle[0])


def test_all_places_taken_by_tokens_are_not_taken_away(serve):
    running = serve(connections=6, connections_per_client=6, kept_for_tokens=3, head_seconds=PATIENT)
    inside, door = [], running.app.state.door
    for number in range(6):
        inside.append(connect(running))
        inside[-1].sendall(head(2))
        # The head is known before the next one comes.
        while len(door) <= number or door.n_strangers:
            time.sleep(0.001)
    status, body = response(connect(running))
    assert (status, json.loads(body)["error"]) == (503, "crowded")
    for connection in inside:
        connection.sendall(b"{}")
        assert response(connection)[0] == 422


@pytest.mark.parametrize("drip", [b"", b"x"])
def test_a_head_must_come_in_time(serve, drip):
    running = serve(head_seconds=SHORT)
    connection = connect(running)
    connection.sendall(b"POST /surveys/small/ans")
    assert wait_for_end(connection, drip) == b""
    assert send(running) == 201


def test_so_must_the_next_one_of_the_same_connection(serve):
    """A byte ends the server's own time-out for idle connections; the head's must hold then."""
    running = serve(head_seconds=SHORT)
    connection = connect(running)
    connection.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
    assert response(connection)[0] == 200
    assert wait_for_end(connection, b"G") == b""


def test_the_rest_of_a_refused_body_is_not_waited_for(serve):
    running = serve(body_seconds=SHORT, head_seconds=SHORT)
    connection = connect(running)
    connection.sendall(head(1_000_000, "a-token-of-somebody-else"))
    assert b"401" in wait_for_end(connection, b" ")


def test_slow_bodies_keep_nobody_waiting(serve):
    """12 of them made a batch wait for 89 s: here they hang for ever, and the batch is taken."""
    running = serve(head_seconds=PATIENT, body_seconds=PATIENT)
    slow = [connect(running) for _ in range(12)]
    for connection in slow:
        connection.sendall(head(4 * LARGE) + b"{")
    assert send(running, LARGE_BATCH) == 201
    assert all(map(is_open, slow))


def test_a_body_must_keep_up_a_rate(serve):
    running = serve(head_seconds=SHORT, body_seconds=PATIENT, body_rate=1_000_000.0)
    connection = connect(running)
    connection.sendall(head(4 * LARGE) + b"{")
    status, body = response(connection)
    assert (status, json.loads(body)["error"]) == (408, "too_slow")


def test_bodies_on_their_way_are_bounded(serve):
    """Of one client no more than half, so that there is room for another; what was refused can be sent again."""
    running = serve(body=MEGABYTE, held=2 * MEGABYTE, head_seconds=PATIENT, body_seconds=PATIENT)
    first, second = connect(running), connect(running)
    first.sendall(head(MEGABYTE) + b" " * (MEGABYTE - 1))
    # Until it is held.
    held = running.app.state.held
    while held.n_bytes < MEGABYTE - 1:
        time.sleep(0.001)
    second.sendall(head(MEGABYTE) + b" " * 100)
    status, body = response(second)
    assert (status, json.loads(body)["error"]) == (503, "busy")
    first.sendall(b"{")
    assert response(first)[0] == 422
    assert held.n_bytes == 0
    assert send(running) == 201


def test_who_does_not_read_is_not_waited_for(serve):
    """Answers that nobody takes must not fill the service."""
    running = serve(head_seconds=SHORT, body_seconds=SHORT)
    connection = connect(running)
    connection.setblocking(False)
    door = running.app.state.door
    request = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" * 200
    with contextlib.suppress(BlockingIOError, ConnectionError):
        while True:
            connection.sendall(request)
    while len(door):
        time.sleep(0.01)
    assert send(running) == 201


class Loop:
    """A loop whose time is set by hand."""

    def __init__(self):
        self.now, self.due = 0.0, []

    def time(self):
        return self.now

    def call_later(self, pause, call, *arguments):
        self.due.append((self.now + pause, call, arguments))

    def advance(self, seconds):
        end = self.now + seconds
        while self.due and self.due[0][0] <= end:
            self.now, call, arguments = self.due.pop(0)
            call(*arguments)
        self.now = end


class Guest:
    def __init__(self, host, name=""):
        self.host, self.name, self.dropped = host, name, False
        self.at, self.waiting = (RequestPhase.HEAD, None), 0

    def phase(self):
        return self.at

    def unsent(self):
        return self.waiting

    def drop(self):
        self.dropped = True


def test_who_holds_most_without_a_token_gives_way():
    """Others who have not shown one yet are not pushed out by a flood from one address."""
    door, loop = Door(Limits(connections=10, kept_for_tokens=4), lambda headers: True), Loop()
    quiet, flood = Guest("192.0.2.1"), [Guest("198.51.100.9") for _ in range(50)]
    assert door.enter(quiet, loop)
    for guest in flood:
        assert door.enter(guest, loop)
    assert not quiet.dropped
    assert len(door) == 6
    assert [guest.dropped for guest in flood] == [True] * 45 + [False] * 5


def test_one_network_is_one_client():
    """Who has an IPv6 network has more addresses than anybody can count."""
    door, loop = Door(Limits(connections_per_client=3), lambda headers: True), Loop()
    guests = [Guest(f"2001:db8::{i:x}") for i in range(1, 9)]
    for guest in guests:
        assert door.enter(guest, loop)
    assert len(door) == 3
    assert client_of("not an address:") == "not an address:"


def test_only_silence_ends_a_connection():
    """Requests that follow each other, and answers that are being taken, keep it open however long they go on."""
    limits = Limits(head_seconds=10.0, body_seconds=30.0)
    door, loop, guest = Door(limits, lambda headers: True), Loop(), Guest("192.0.2.1")
    door.enter(guest, loop)
    for number in range(100):
        guest.at = (RequestPhase.HEAD, number)
        loop.advance(9.0)
    guest.at, guest.waiting = (RequestPhase.HEAD, 100), 10_000
    for _ in range(100):
        guest.waiting -= 10
        loop.advance(20.0)
    guest.at = (RequestPhase.WORK, 101)
    guest.waiting = 0
    loop.advance(10_000.0)
    assert not guest.dropped
    guest.at = (RequestPhase.HEAD, 102)
    loop.advance(12.0)
    assert guest.dropped
    assert not len(door)


def test_limits_leave_room():
    with pytest.raises(InvalidOption, match="kept_for_tokens must be less"):
        Limits(connections=10, kept_for_tokens=10)
    with pytest.raises(InvalidOption, match="held must be at least twice"):
        Limits(body=100, held=199)
    held = Held(100)
    assert held.take("a", 50)
    assert not held.take("a", 1)
    assert held.take("b", 50)
    assert not held.take("c", 1)
    held.give("b", 50)
    assert held.n_bytes == 50
