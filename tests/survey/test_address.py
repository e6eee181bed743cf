"""No part of a password is ever shown, however an address is written: in no error, no traceback, no file name."""

from __future__ import annotations

import itertools
import logging
import os
import socket
import traceback
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from microagg.cli import main
from microagg.errors import InvalidOption, MicroaggError
from microagg.survey import address
from microagg.survey.address import CAUSES, read_address
from microagg.survey.store import open_store

pytest.importorskip("psycopg")

KNOWN = " ".join([address.ALLOWED, address.MARKS, address.UNREADABLE, *itertools.chain(*CAUSES)])
"""What is said anyway, whatever the password is."""

SPELLINGS = [
    "postgresql://me:{}@127.0.0.1:1/surveys",
    "postgres://me:{}@127.0.0.1:1/surveys",
    "POSTGRESQL://me:{}@127.0.0.1:1/surveys",
    "postgresql://me:{}@[::1]:1/surveys",
    "postgresql://me:{}@/surveys?host=/nowhere",
    "postgresql://me:{}@",
    "postgresql://{}@127.0.0.1:1",
    "postgresql://{}",
    "postgresql://me@127.0.0.1:1/surveys?password={}",
    "postgresql://me@127.0.0.1:1/surveys?pasword={}",
    "postgresql:/me:{}@127.0.0.1:1/surveys",
    "postgresql:me:{}@127.0.0.1",
    "postgresqll://me:{}@127.0.0.1:1/surveys",
    "sqlite://me:{}@host/surveys",
    "{}://me@host",
    "me:{}@127.0.0.1:1/surveys",
    "host=127.0.0.1 port=1 password={}",
    "host=127.0.0.1 port=1 password='{}'",
    "password={} host=127.0.0.1 port=1",
    "dbname=surveys pasword={}",
    "PGPASSWORD={} postgresql://me@127.0.0.1:1/surveys",
]

passwords = st.text("XQZJ" * 4 + "@:/?#%[]&='\"\\ +", min_size=3, max_size=14)


def pieces(password):
    """Every three characters in a row, as typed and as an address is written; what is said anyway is no secret."""
    for text in {password, quote(password, safe="")}:
        for start in range(len(text) - 2):
            piece = text[start : start + 3]
            if piece not in KNOWN and sum(letter in "XQZJ" for letter in piece) >= 2:
                yield piece


@pytest.fixture
def nobody_answers(monkeypatch):
    """Names of hosts are not looked up: a mangled address must not travel."""
    real = socket.getaddrinfo

    def look_up(host, *arguments, **more):
        try:
            return real(host, *arguments, **{**more, "flags": socket.AI_NUMERICHOST})
        except TypeError:
            raise socket.gaierror(f"failed to resolve host {host!r}") from None

    monkeypatch.setattr(socket, "getaddrinfo", look_up)


@given(password=passwords, spelling=st.sampled_from(SPELLINGS), is_quoted=st.booleans())
@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_piece_of_a_password_is_shown(password, spelling, is_quoted, nobody_answers, tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    url = spelling.format(quote(password, safe="") if is_quoted else password)
    before = os.getcwd()
    os.chdir(tmp_path)
    try:
        with pytest.raises(MicroaggError) as problem:
            open_store(url, patience=0.01)
        files = os.listdir(tmp_path)
    finally:
        os.chdir(before)
    told = [str(problem.value), repr(problem.value), caplog.text, *files]
    told += ["".join(traceback.format_exception(problem.value))]
    for piece in pieces(password):
        assert not any(piece in text for text in told), "a piece of the password was shown"
    assert files == [], "no store is made of what is no path"


def test_a_password_that_holds_an_at_sign(nobody_answers, capsys):
    """The case that was reported: its second half was taken for the host, and printed."""
    with pytest.raises(SystemExit) as stopped:
        main(["survey", "status", "--store", "postgresql://me:first@second@127.0.0.1:1/surveys"])
    said = capsys.readouterr()
    assert stopped.value.code == 2
    assert "second" not in said.err + said.out
    assert "%40" in said.err, "it says how such a password is written"


@pytest.mark.parametrize("path", ["surveys.db", "/data/me@work/surveys.db", "a=b.db", "C:\\surveys.db", "x y.db"])
def test_paths_are_still_paths(path):
    assert read_address(path).place == path


@pytest.mark.parametrize("url", ["", "sqlite:", "sqlite://", "sqlite:///", "mysql://host/x"])
def test_what_is_no_store(url):
    with pytest.raises(InvalidOption, match="a store is a path"):
        read_address(url)


def test_an_address_shows_nothing_of_itself():
    assert "secret" not in repr(read_address("postgresql://me:secret@host/surveys"))
    assert "secret" not in f"{read_address('host=x password=secret')}"


def test_keywords_of_a_connection_are_an_address(server):
    server.new_database()
    store = open_store(f"host={server.folder} user=microagg dbname=test{server.databases}")
    assert store.names() == []
    store.close()
