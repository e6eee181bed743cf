"""What goes wrong around a survey: a clear answer, and nothing lost."""

from __future__ import annotations

import sqlite3
import sys
import threading

import pytest
from answers import assert_released, keys, records, small

from microagg.errors import MissingExtra, StoreFull, StoreUnavailable
from microagg.survey import Survey
from microagg.survey.store import open_store


@pytest.fixture(scope="module")
def own_server():
    """A server that nobody else uses, to be stopped and started."""
    pytest.importorskip("psycopg")
    from servers import Server

    server = Server()
    yield server
    server.remove()


def test_a_full_disk(tmp_path):
    path = str(tmp_path / "surveys.db")
    with Survey.create(path, small()) as survey:
        connect = survey.store.connect

        def tight():
            connection = connect()
            connection.execute("PRAGMA max_page_count = 30")
            return connection

        survey.store.close()
        survey.store.connect = tight
        taken = 0
        for start in range(0, 100_000, 10):
            try:
                survey.add(records(10, start), keys(10, start))
            except StoreFull:
                break
            taken += 10
        assert 0 < taken < 100_000
        with pytest.raises(StoreFull, match="no room left"):
            survey.add(records(10, taken), keys(10, taken))
        assert survey.status().received == taken
        # There is room again.
        survey.store.close()
        survey.store.connect = connect
        assert survey.add(records(10, taken), keys(10, taken)).accepted == 10
        survey.close()
        survey.run()
        assert_released(survey.publication().content, range(taken + 10))


def test_a_file_that_somebody_else_holds(tmp_path):
    path = str(tmp_path / "surveys.db")
    with Survey.create(path, small(), patience=0.2) as survey:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailable, match="could not be reached for"):
            survey.add(records(3), keys(3))
        other.execute("ROLLBACK")
        other.close()
        assert survey.add(records(3), keys(3)).accepted == 3


def test_a_file_that_is_no_database(tmp_path):
    path = tmp_path / "surveys.db"
    path.write_bytes(b"this is no database, and long enough to tell" * 100)
    with pytest.raises(StoreUnavailable, match="no SQLite database"):
        open_store(str(path))


def test_without_psycopg(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    monkeypatch.delitem(sys.modules, "microagg.survey.store.postgres", raising=False)
    with pytest.raises(MissingExtra, match=r"microagg\[survey\]"):
        open_store("postgresql://localhost/db")


def test_a_server_that_is_not_there(tmp_path):
    pytest.importorskip("psycopg")
    with pytest.raises(StoreUnavailable, match="cannot be reached") as caught:
        open_store(f"postgresql://microagg:secret@/db?host={tmp_path}")
    assert "secret" not in str(caught.value)


def test_a_server_without_room(server, monkeypatch):
    from psycopg import errors

    with Survey.create(server.new_database(), small()) as survey:
        survey.add(records(5), keys(5))
        insert = survey.store.insert

        def full(*given):
            insert(*given)
            raise errors.DiskFull("could not extend file")

        monkeypatch.setattr(survey.store, "insert", full)
        with pytest.raises(StoreFull, match="no room left"):
            survey.add(records(5, 5), keys(5, 5))
        monkeypatch.undo()
        assert survey.status().received == 5
        assert survey.add(records(5, 5), keys(5, 5)).accepted == 5


def test_a_server_that_goes_away_and_comes_back(own_server):
    """Answers that are sent meanwhile wait, and count once; so does what the server forgot to confirm."""
    url = own_server.new_database()
    with Survey.create(url, small()) as survey:
        survey.add(records(50), keys(50))
        own_server.stop(crash=True)
        sent = threading.Event()
        receipts = []

        def send(start):
            sent.set()
            receipts.append(survey.add(records(10, start), keys(10, start)))

        threads = [threading.Thread(target=send, args=(start,)) for start in (50, 60)]
        for thread in threads:
            thread.start()
        sent.wait()
        own_server.start()
        for thread in threads:
            thread.join()
        assert [receipt.accepted for receipt in receipts] == [10, 10]
        assert survey.status().received == 70
        survey.close()
        survey.run()
        assert_released(survey.publication().content, range(70))


def test_a_server_that_stays_away(own_server):
    url = own_server.new_database()
    with Survey.create(url, small(), patience=0.3) as survey:
        survey.add(records(50), keys(50))
        own_server.stop()
        with pytest.raises(StoreUnavailable, match="nothing was acknowledged"):
            survey.add(records(10, 50), keys(10, 50))
        own_server.start()
        assert survey.add(records(10, 50), keys(10, 50)).accepted == 10
        assert survey.status().received == 60
