"""Finding, downloading and checking files, against a server on this machine: only the right values ever arrive."""

from __future__ import annotations

import gzip
import hashlib
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
from checks import data_folder

from microagg.datasets import benchmark
from microagg.datasets.benchmark import Original, digest, download, fetch, parse, read_original
from microagg.errors import FileProblem

COLUMNS = ("age", "town")
VALUES = {"age": np.array([41.0, 7.5, -3.0]), "town": np.array(["Reus", "Vic", "Olot"])}
CONTENT = b"age,town\n41,Reus\n7.5,Vic\n-3,Olot\n"


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")


@pytest.fixture
def serve() -> Iterator[Callable[..., str]]:
    """Start a server that gives every request the same answer: `serve(body, status=404, headers=...)` -> url."""
    servers = []

    def start(body: bytes, *, status: int = 200, headers: dict[str, str] | None = None, length: bool = True) -> str:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(status)
                for name, value in (headers or ({"Content-Length": str(len(body))} if length else {})).items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        servers.append((server, thread))
        return f"http://127.0.0.1:{server.server_address[1]}/people.csv"

    yield start
    for server, thread in servers:
        server.shutdown()
        thread.join()
        server.server_close()


def original(url: str = "https://example.org/people.csv", **changes: object) -> Original:
    base = Original(
        url=url,
        files=("people.csv", "people.csv.gz"),
        columns=COLUMNS,
        sha256=digest(VALUES),
        most_bytes=1000,
        text=frozenset({"town"}),
    )
    return replace(base, **changes)


def assert_right(values: object) -> None:
    assert isinstance(values, dict)
    assert values.keys() == VALUES.keys()
    for name, column in VALUES.items():
        assert np.array_equal(values[name], column)


@pytest.mark.parametrize(
    "content",
    [
        CONTENT,
        CONTENT.replace(b"\n", b"\r\n"),
        CONTENT.replace(b"\n", b"\r"),
        CONTENT.rstrip(b"\n"),
        CONTENT.partition(b"\n")[2],
        CONTENT.replace(b",", b", ") + b"\n",
        CONTENT.replace(b"41", b"41.0"),
        b'"age","town"\n41,"Reus"\n7.5,"Vic"\n-3,"Olot"\n',
    ],
    ids=["plain", "crlf", "cr", "no last line end", "no header", "blanks", "41.0", "quoted"],
)
def test_the_same_values_are_accepted_however_they_are_written(content: bytes) -> None:
    assert_right(parse(content, original()))


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (CONTENT.replace(b"41", b"42"), "not the published ones"),
        (CONTENT.replace(b"Vic", b"vic"), "not the published ones"),
        (b"age,town\n7.5,Vic\n41,Reus\n-3,Olot\n", "not the published ones"),
        (b"", "not the published ones"),
        (CONTENT[:-6], "2 values"),
        (CONTENT.replace(b"7.5", b"x"), "column age must hold numbers"),
        (b"\xff\xfe" + CONTENT, "utf-8"),
    ],
)
def test_other_values_are_refused(content: bytes, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        parse(content, original())


def test_digest_tells_apart_what_concatenation_would_not() -> None:
    one = {"a": np.array(["x", "y"]), "b": np.array(["z"])}
    other = {"a": np.array(["x"]), "b": np.array(["y", "z"])}
    assert digest(one) != digest(other)
    assert digest({"a": np.array([1.0, 2.0])}) != digest({"b": np.array([1.0, 2.0])})


def test_download_is_checked_then_kept(serve: Callable[..., str], tmp_path: Path) -> None:
    cache = tmp_path / "new" / "cache"
    assert_right(fetch(original(serve(CONTENT)), cache, http_on_loopback=True))
    assert [path.name for path in cache.iterdir()] == ["people.csv"]
    assert (cache / "people.csv").read_bytes() == CONTENT


def test_download_without_announced_length_is_fine_if_the_values_are(serve: Callable[..., str], tmp_path: Path) -> None:
    assert_right(fetch(original(serve(CONTENT, length=False)), tmp_path, http_on_loopback=True))


@pytest.mark.parametrize(
    ("answer", "changes", "why"),
    [
        ({"body": CONTENT.replace(b"41", b"14")}, {}, r"refused: its values .*SHA-256 .* Nothing was kept"),
        ({"body": CONTENT}, {"sha256": "0" * 64}, "expected 0000"),
        ({"body": CONTENT, "headers": {"Content-Length": "999"}}, {}, "broke off after 33 of 999 bytes"),
        ({"body": CONTENT[:-6], "length": False}, {}, "refused: not every row"),
        ({"body": b"no such file", "status": 404}, {}, "failed: HTTP Error 404"),
        ({"body": b"oops", "status": 500}, {}, "failed: HTTP Error 500"),
        ({"body": CONTENT}, {"most_bytes": 20}, "larger than 20 bytes"),
        ({"body": CONTENT, "length": False}, {"most_bytes": 20}, "larger than 20 bytes"),
        ({"body": CONTENT, "headers": {"Content-Length": "soon"}}, {}, "failed"),
    ],
    ids=["wrong values", "wrong hash", "broken off", "cut", "404", "500", "too large", "too large unannounced", "lie"],
)
def test_bad_download_is_an_error_and_leaves_no_file(
    serve: Callable[..., str], tmp_path: Path, answer: dict[str, object], changes: dict[str, object], why: str
) -> None:
    with pytest.raises(FileProblem, match=why):
        fetch(original(serve(**answer), **changes), tmp_path, http_on_loopback=True)
    assert list(tmp_path.iterdir()) == []


def test_slow_download_is_given_up(tmp_path: Path) -> None:
    """The server never answers; the socket gives up first, the deadline covers a drip of single bytes."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/people.csv"
        with pytest.raises(FileProblem, match="timed out"):
            fetch(original(url), tmp_path, timeout=0.05, http_on_loopback=True)
    assert list(tmp_path.iterdir()) == []


def test_dripping_download_is_given_up(serve: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = iter([0.0, 61.0])
    monkeypatch.setattr(benchmark.time, "monotonic", lambda: next(ticks, 61.0))
    with pytest.raises(FileProblem, match="longer than 60 seconds"):
        download(serve(CONTENT), 1000, 60.0, http_on_loopback=True)


@pytest.mark.parametrize("url", ["http://example.org/a.csv", "ftp://127.0.0.1/a.csv", "file:///etc/hostname"])
def test_only_https_even_when_loopback_may_be_plain(url: str) -> None:
    with pytest.raises(FileProblem, match="https only"):
        download(url, 1000, 1.0, http_on_loopback=True)


def test_plain_http_on_loopback_needs_to_be_allowed(serve: Callable[..., str]) -> None:
    with pytest.raises(FileProblem, match="https only"):
        download(serve(CONTENT), 1000, 1.0)


def test_redirect_away_from_https_is_refused(serve: Callable[..., str], tmp_path: Path) -> None:
    url = serve(b"", status=302, headers={"Location": "http://example.org/people.csv", "Content-Length": "0"})
    with pytest.raises(FileProblem, match=r"http://example\.org.* https only"):
        fetch(original(url), tmp_path, http_on_loopback=True)


def test_redirect_to_an_allowed_place_is_followed(serve: Callable[..., str], tmp_path: Path) -> None:
    target = serve(CONTENT)
    url = serve(b"", status=302, headers={"Location": target, "Content-Length": "0"})
    assert_right(fetch(original(url), tmp_path, http_on_loopback=True))


def test_unusable_cache_folder_is_a_clear_error(serve: Callable[..., str], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(FileProblem, match="MICROAGG_CACHE"):
        fetch(original(serve(CONTENT)), tmp_path / "file", http_on_loopback=True)
    assert (tmp_path / "file").read_text() == "not a folder"


def test_full_disk_leaves_no_half_file(
    serve: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(benchmark.os, "fsync", full)
    with pytest.raises(FileProblem, match="No space left"):
        fetch(original(serve(CONTENT)), tmp_path, http_on_loopback=True)
    assert list(tmp_path.iterdir()) == []


def test_data_folder_comes_before_cache_and_cache_before_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, cache = tmp_path / "data", tmp_path / "cache"
    monkeypatch.setenv("MICROAGG_DATA", str(data))
    monkeypatch.setenv("MICROAGG_CACHE", str(cache))
    cache.mkdir()
    (cache / "people.csv").write_bytes(CONTENT)
    assert_right(read_original(original(), True))
    data.mkdir()
    (data / "people.csv").write_bytes(b"damaged")
    with pytest.raises(FileProblem, match=r"data/people\.csv cannot be used: .* Delete it or replace it"):
        read_original(original(), True)


def test_compressed_file_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MICROAGG_DATA", str(tmp_path))
    (tmp_path / "people.csv.gz").write_bytes(gzip.compress(CONTENT))
    assert_right(read_original(original(), False))
    (tmp_path / "people.csv.gz").write_bytes(gzip.compress(CONTENT)[:-9])
    with pytest.raises(FileProblem, match="cannot be used"):
        read_original(original(), False)


def test_cache_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MICROAGG_CACHE", "/somewhere")
    assert benchmark.cache_folder() == Path("/somewhere")
    monkeypatch.delenv("MICROAGG_CACHE")
    monkeypatch.setattr(benchmark.sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", "/xdg")
    assert benchmark.cache_folder() == Path("/xdg/microagg")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert benchmark.cache_folder() == Path.home() / ".cache" / "microagg"
    monkeypatch.setattr(benchmark.sys, "platform", "darwin")
    assert benchmark.cache_folder() == Path.home() / "Library" / "Caches" / "microagg"


def test_adult_in_the_form_of_its_public_original() -> None:
    """Written the way the public file is (blank after each comma, an empty last line), Adult has its known SHA-256.

    So what the loader checks is the content of exactly that file.
    """
    folder = data_folder()
    rows = gzip.decompress((folder / "adult_full.csv.gz").read_bytes()).decode().splitlines()[1:]
    public = "".join(row.replace(",", ", ") + "\n" for row in rows) + "\n"
    known = "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d"
    assert hashlib.sha256(public.encode()).hexdigest() == known
    assert len(parse(public.encode(), benchmark.ADULT)["age"]) == 32561
