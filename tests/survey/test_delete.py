"""A survey is removed with all that belongs to it, at once or not at all, and never mixed up with another one."""

from __future__ import annotations

import sqlite3

import pytest
from answers import records

from microagg.cli import main
from microagg.errors import UnknownSurvey
from microagg.survey import Definition, Field, Removed, Survey, surveys
from microagg.survey.store.surveys import PARTS

FIELDS = [
    Field("age", "integer"),
    Field("pay", "number"),
    Field("number", "integer", "other"),
    Field("who", "text", "identifier", required=False),
]


def begin(url, name="wellbeing"):
    return Survey.create(url, Definition(name, k=3, fields=FIELDS, keep_identifiers=True))


def filled(url, name="wellbeing", count=12):
    survey = begin(url, name)
    survey.add([{**record, "who": f"person {place}"} for place, record in enumerate(records(count))],
               [f"{name}-{i}" for i in range(count)])  # fmt: skip
    return survey


def rows_of(survey):
    """How many rows each table holds of a survey."""
    store = survey.store

    def count(cursor):
        sql = "SELECT count(*) FROM {} WHERE survey = ?"
        return {name: store.execute(cursor, sql.format(name), (survey.kept.id,)).fetchone()[0] for name in PARTS}

    return store.run(count, write=False)


def test_all_of_it_is_gone_and_nothing_of_others(url, tmp_path):
    with filled(url) as survey, filled(url, "other") as other:
        survey.set_aside("wellbeing-3", "a test")
        survey.close()
        survey.release(tmp_path / "out.csv")
        before = rows_of(other)
        assert all(count for table, count in rows_of(survey).items() if table != "closing_move")
        assert survey.delete() == Removed(answers=12, identifiers=12, set_aside=1, released=True)
        assert not any(rows_of(survey).values())
        assert rows_of(other) == before
        assert surveys(url) == ["other"]
        with pytest.raises(UnknownSurvey, match="there is no survey 'wellbeing'"):
            Survey.open(url, "wellbeing")


def test_whoever_has_it_open_hears_of_it(url):
    """A number is not given a second time: what is sent late must not end up in another survey."""
    with filled(url) as survey, Survey.open(url, "wellbeing") as late:
        survey.delete()
        with begin(url) as fresh:
            assert fresh.kept.id != survey.kept.id
            for call in (late.status, lambda: late.add(records(1)), late.delete, late.close_due):
                with pytest.raises(UnknownSurvey, match="deleted it"):
                    call()
            assert not late.store.claim(late.kept.id, "base", "host:1:x")
            assert not late.store.beat(late.kept.id, "base", "host:1:x", 0.5)
            assert fresh.status().received == 0


def test_never_half(url, monkeypatch):
    """Where one table cannot be emptied, all stay as they were."""
    with filled(url) as survey:
        before, execute = rows_of(survey), survey.store.execute

        def refuse(cursor, sql, values=()):
            if sql.startswith("DELETE FROM stage"):
                raise RuntimeError("no")
            return execute(cursor, sql, values)

        monkeypatch.setattr(survey.store, "execute", refuse)
        with pytest.raises(RuntimeError):
            survey.delete()
        monkeypatch.undo()
        assert rows_of(survey) == before
        assert survey.status().received == 12


def test_nothing_can_be_read_from_the_file_afterwards(tmp_path):
    """SQLite leaves deleted rows in free pages unless it is told not to."""
    path = tmp_path / "surveys.db"
    with filled(str(path)) as survey:
        survey.delete()
    for file in tmp_path.glob("surveys.db*"):
        assert b"person 7" not in file.read_bytes()
    assert sqlite3.connect(path).execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_store_of_an_earlier_version_can_be_used(tmp_path):
    """The table of deleted surveys is added when the store is opened."""
    path = tmp_path / "surveys.db"
    filled(str(path)).disconnect()
    connection = sqlite3.connect(path)
    connection.executescript("DROP TABLE deleted_survey; PRAGMA user_version = 3;")
    connection.close()
    with Survey.open(str(path), "wellbeing") as survey:
        assert survey.delete().answers == 12


def test_from_the_command_line(url, capsys):
    def run(*arguments):
        with pytest.raises(SystemExit) as stopped:
            main(["survey", "delete", *arguments, "--store", url])
        captured = capsys.readouterr()
        return stopped.value.code, captured.out, captured.err

    filled(url).disconnect()
    code, _, err = run("wellbeing")
    assert code == 2
    assert "has 12 answers and is NOT released: say that it shall be deleted (--yes)" in err
    assert surveys(url) == ["wellbeing"]
    assert run("wellbeingg", "--yes")[0] == 2
    code, out, _ = run("wellbeing", "--yes")
    assert (code, out) == (
        0,
        "survey wellbeing: deleted, with 12 answers, its definition and stages, 12 identifiers\n",
    )
    assert surveys(url) == []
