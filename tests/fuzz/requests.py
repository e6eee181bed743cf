"""Requests of all sorts to the survey service: it refuses, goes on, and writes nothing of them into its log."""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fuzz.generators import chance_of, word
from fuzz.parts import Failure, Told

NAME = "requests"
PATIENCE = 60.0
"""Seconds after which a request counts as hanging: the service promises an answer, or an end, well before."""
GRACE = 1.0
"""Seconds to wait for the answer to a request that may not be whole, before leaving."""
TOKEN = "a-token-for-operators-only"  # noqa: S105 - of a service that lives as long as the case
INTAKE = "a-token-for-senders-alone"
DEFINITION = """name = "small"
k = 3
[[fields]]
name = "age"
type = "integer"
[[fields]]
name = "pay"
type = "number"
[[fields]]
name = "city"
type = "category"
"""
PATHS = (
    "/surveys/small/status", "/surveys/small/release", "/surveys", "/surveys/small/report", "/surveys/nobody/answers",
    "/surveys/SECRET/answers", "/surveys/%00/answers", "/surveys/..%2f..%2fetc/answers", "//", "/docs", "/openapi.json",
    "/surveys/small%0d%0aX/answers", "/" + "a" * 70_000, "/health?x=SECRET", "/surveys/" + "%f0%9f%98%80" * 50, "*",
    "http://other/surveys", "/surveys/%ff/status", "/surveys/small", "/health",
)  # fmt: skip
HEADERS = (
    ["X: " + "y" * 70_000], ["X: y"] * 500, ["Expect: 100-continue"], [": empty"], ["Content-Encoding: gzip"],
    ["bad header"], ["Upgrade: websocket", "Connection: upgrade"], ["X-SECRET: 1"], ["Host: SECRET"],
)  # fmt: skip


@dataclass
class Service:
    """The service as it is started by its command, and its log."""

    process: subprocess.Popen[bytes]
    port: int
    log: Path


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[Service]:
    definition, store, log = folder / "survey.toml", folder / "surveys.db", folder / "log"
    definition.write_text(DEFINITION, encoding="utf-8")
    for name, token in (("token", TOKEN), ("intake", INTAKE)):
        (folder / name).write_text(token)
        (folder / name).chmod(0o600)
    python = [sys.executable, "-m", "microagg", "survey"]
    subprocess.run([*python, "create", str(definition), "--store", str(store)], check=True, capture_output=True)
    tokens = ["--token-file", str(folder / "token"), "--intake-token-file", str(folder / "intake")]
    with log.open("wb") as file:
        process = subprocess.Popen(
            [*python, "serve", "--store", str(store), "--port", "0", "--no-schedule", *tokens],
            stdout=file,
            stderr=file,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
    try:
        port = None
        while port is None:
            found = re.search(rb"http://127\.0\.0\.1:(\d+)", log.read_bytes())
            port = int(found[1]) if found else None
            if process.poll() is not None:
                raise RuntimeError(log.read_text())
            time.sleep(0.02)
        while not is_alive(port):
            time.sleep(0.02)
        yield Service(process, port, log)
    finally:
        process.kill()
        process.wait()


def run(numbers: Iterable[int], folder: Path) -> Iterator[Told]:
    place = folder / "service"
    place.mkdir()
    with serving(place) as service:
        for number in numbers:
            yield number, *case(number, service)


def case(number: int, service: Service) -> tuple[str, list[Failure]]:
    chance = chance_of(NAME, number)
    secret = word(chance, 16)
    content = request(chance, secret)
    at = service.log.stat().st_size
    failures = []
    status = exchange(chance, service.port, content)
    if status == "hang":
        failures.append(Failure("hang", f"no answer and no end after {PATIENCE:.0f} s: {content[:120]!r}"))
    elif status.startswith("5") and status != "503":
        failures.append(Failure(f"status:{status}", f"{content[:300]!r}"))
    if not is_alive(service.port):
        failures.append(Failure("dead", f"the service does not answer after {content[:200]!r}"))
    log = service.log.read_bytes()[at:]
    if secret.encode() in log or TOKEN.encode() in log:
        failures.append(Failure("log", f"{log[-200:]!r}"))
    if b"Traceback" in log:
        failures.append(Failure("log_traceback", f"{log[-300:]!r}"))
    return status, failures


def is_alive(port: int) -> bool:
    get = b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    return _talk(port, [get]).startswith("200")


def exchange(chance: Any, port: int, content: bytes) -> str:
    """Send a request, in one piece or several, and give the status; "closed" where the connection was ended."""
    if chance.random() < 0.3 and len(content) > 4:
        cut = chance.randrange(1, len(content))
        return _talk(port, [content[:cut], content[cut:]])
    return _talk(port, [content])


def _talk(port: int, pieces: list[bytes]) -> str:
    answer = b""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
            for piece in pieces:
                connection.sendall(piece)
                time.sleep(0.001)
            # A request that is not whole is waited for; whoever leaves then must be let go.
            connection.settimeout(GRACE)
            with contextlib.suppress(TimeoutError):
                while b"\r\n" not in answer and (some := connection.recv(65536)):
                    answer += some
            if not answer:
                connection.shutdown(socket.SHUT_WR)
                connection.settimeout(PATIENCE)
                while connection.recv(65536):
                    pass
    except TimeoutError:
        return "hang"
    except OSError:
        return "closed"
    found = re.match(rb"HTTP/1\.[01] (\d{3})", answer)
    return found[1].decode() if found else "closed"


def request(chance: Any, secret: str) -> bytes:
    """A request that is nearly one the service knows."""

    def some(good: str, *odd: str) -> str:
        return chance.choice(odd) if chance.random() < 0.08 else good

    body = payload(chance, secret)
    path = chance.choice(PATHS).replace("SECRET", secret) if chance.random() < 0.2 else "/surveys/small/answers"
    method = some(
        "POST" if path.endswith("answers") else "GET", "PUT", "DELETE", "HEAD", "OPTIONS", "TRACE", "X" * 99, ""
    )
    token = some(chance.choice([TOKEN, INTAKE]), "", secret, "x" * 9_000, "\u00e9" * 20, TOKEN + "\x00")
    lines = [f"{method} {path} {some('HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/9', '')}", "Host: x"]
    lines.append(f"Authorization: {some('Bearer', 'bearer', 'Basic', '', 'Bearer Bearer')} {token}")
    lines.append(f"Content-Type: {some('application/json', 'text/plain', 'application/json; charset=utf-16', '')}")
    if chance.random() < 0.3:
        lines.append(f"Idempotency-Key: {some(secret, '', 'k' * 5_000, 'é', 'a' + chr(9) + 'b', chr(34))}")
    length = some(str(len(body)), "-1", "0", str(len(body) + 5), "99999999999999999999", "abc", "1e3", "+5")
    if chance.random() < 0.1:
        lines.append("Transfer-Encoding: chunked")
        whole = b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)
        body = chance.choice([whole, whole, b"ffffffffffffffffff\r\nx", b"-1\r\n\r\n", secret.encode() + b"\r\n"])
    if "Transfer-Encoding: chunked" not in lines or chance.random() < 0.3:
        lines.append(f"Content-Length: {length}")
    if chance.random() < 0.15:
        lines += [line.replace("SECRET", secret) for line in chance.choice(HEADERS)]
    head = "\r\n".join([*lines, "Connection: close", "", ""]).encode("utf-8", "surrogatepass")
    data = bytearray(head + body)
    if chance.random() < 0.15:
        for _ in range(chance.choice([1, 3, 10])):
            data[chance.randrange(len(data))] = chance.randrange(256)
    if chance.random() < 0.05:
        del data[chance.randrange(len(data)) :]
    return bytes(data)


def payload(chance: Any, secret: str) -> bytes:
    """A body: answers that fit, nearly fit, or are no answers at all."""
    odd: list[Any] = [31, -1, 1e308, 1e155, 10**400, float("nan"), float("inf"), None, True, "31", "", [], {}, secret,
                      "x" * 100_000, "\ud800", "a\x00b", 2**63, 1.5, "=1+1", {"a": secret}, -0.0, 1e-320]  # fmt: skip
    answer: Any = {"age": 31, "pay": 1200.5, "city": "Oslo"}
    sort = chance.choice(["good", "odd", "odd", "odd", "batch", "deep", "text", "many", "keys", "twice"])
    if sort == "odd":
        answer[chance.choice(["age", "pay", "city", secret, ""])] = chance.choice(odd)
    if chance.random() < 0.1:
        del answer[chance.choice(list(answer))]
    if sort == "batch":
        rows = [dict(answer, age=chance.choice(odd)) for _ in range(chance.choice([0, 1, 3]))]
        answer = {
            "answers": chance.choice([rows, answer, None, secret]),
            "keys": chance.choice([None, [], [secret], secret, [1]]),
        }
    elif sort == "keys":
        answer = {
            "answers": [answer] * 2,
            "keys": chance.choice([["a", "a"], [secret, None], ["", "b"], ["x" * 9999, "b"], 5]),
        }
    elif sort == "many":
        answer = {"answers": [answer] * chance.choice([500, 21_000])}
    if sort == "deep":
        return b"[" * chance.choice([500, 200_000]) + secret.encode()
    if sort == "twice":
        return b'{"age":1,"age":2,"pay":3,"city":"' + secret.encode() + b'"}'
    if sort == "text":
        return chance.choice([b"", b"null", b"\xff\xfe[\x00]\x00", secret.encode(), b'"' + secret.encode(), b"1" * 5000,
                              b"-", b"\xef\xbb\xbf{}", b"{}", b"[]", b"NaN", b'{"age":1e999}'])  # fmt: skip
    return json.dumps(answer).encode("utf-8", "surrogatepass")
