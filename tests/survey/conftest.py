"""Stores for the tests of surveys: the same tests run on each kind."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session")
def server():
    """A PostgreSQL server of our own; skips with a reason where there is none."""
    pytest.importorskip("psycopg")
    from servers import Server

    server = Server()
    yield server
    server.remove()


@pytest.fixture(params=["sqlite", "postgres"])
def url(request, tmp_path):
    """An empty store of each kind."""
    if request.param == "sqlite":
        return str(tmp_path / "surveys.db")
    return request.getfixturevalue("server").new_database()
