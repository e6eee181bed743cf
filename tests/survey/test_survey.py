"""A survey from its first answer to its release, on every kind of store."""

from __future__ import annotations

import datetime
import hashlib
import importlib
import itertools
import json
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from answers import assert_released, keys, records, released, small

from microagg import io
from microagg.errors import (
    InfeasibleK,
    InvalidAnswers,
    InvalidOption,
    NotReady,
    SecondRelease,
    SurveyClosed,
    UnknownSurvey,
)
from microagg.survey import Definition, Field, Survey, surveys
from microagg.survey.store import open_store


def test_key_counts_once(url):
    with Survey.create(url, small()) as survey:
        assert survey.add(records(5), keys(5)).accepted == 5
        receipt = survey.add(records(4, 3), ["key-3", "key-5", "key-4", "key-5"])
        assert (receipt.accepted, receipt.repeated, receipt.repeats) == (1, 3, (0, 2, 3))
        assert survey.status().received == 6
        assert survey.add(records(2)).accepted == 2
        assert survey.add(records(2)).accepted == 2
        assert survey.add([]).accepted == 0
    with Survey.open(url, "small") as again:
        assert again.add(records(1), ["key-0"]).repeated == 1
        assert again.status().received == 10


def test_keys_of_surveys_do_not_meet(url):
    with Survey.create(url, small("a")) as a, Survey.create(url, small("b")) as b:
        assert a.add(records(3), keys(3)).accepted == b.add(records(3), keys(3)).accepted == 3
        a.close()
        a.run()
        assert_released(a.publication().content, range(3))
        assert (b.status().state, b.status().received) == ("open", 3)
    assert surveys(url) == ["a", "b"]


def test_bad_answers_leave_nothing(url):
    with Survey.create(url, small()) as survey:
        with pytest.raises(InvalidAnswers):
            survey.add([*records(3), {"age": "x"}])
        with pytest.raises(InvalidAnswers, match="key"):
            survey.add(records(1), ["\n"])
        with pytest.raises(InvalidOption):
            survey.add(records(2), ["a"])
        assert survey.status().received == 0


def test_closed_is_closed(url):
    with Survey.create(url, small()) as survey:
        survey.add(records(6))
        with pytest.raises(NotReady, match="still open"):
            survey.publication()
        survey.close()
        survey.close()
        with pytest.raises(SurveyClosed):
            survey.add(records(1))
        assert survey.status().state == "closing"
        with pytest.raises(NotReady, match="not done"):
            survey.publication()
        survey.run()
        assert survey.status().state == "closed"
        assert_released(survey.publication().content, range(6))
        assert survey.status().state == "released"


def test_release_is_the_same_forever(url, tmp_path):
    with Survey.create(url, small()) as survey:
        survey.add(records(50))
        survey.close()
        told = []
        first = survey.release(tmp_path / "a.csv", tmp_path / "a.html", progress=told.append)
        assert told[-1] == 1.0
    with Survey.open(url, "small") as again:
        second = again.release(tmp_path / "b.csv", tmp_path / "b.html")
        again.run()
        assert again.status().sha256 == first.sha256
    assert first == second
    for one, other in (("a.csv", "b.csv"), ("a.html", "b.html")):
        assert (tmp_path / one).read_bytes() == (tmp_path / other).read_bytes()
    assert io.sha256(tmp_path / "a.csv") == first.sha256
    assert "<html" in (tmp_path / "a.html").read_text()


def test_store_refuses_a_second_release(url):
    """Whatever asks for it: two different releases, compared, could give people away."""
    with Survey.create(url, small()) as survey:
        survey.add(records(10))
        survey.close()
        survey.run()
        store = survey.store
        made = store.publish(survey.kept.id, 0.0)
        store.run(lambda cursor: store.enter_release(cursor, survey.kept.id, made))
        other = replace(made, content=b"x", sha256=hashlib.sha256(b"x").hexdigest())
        with pytest.raises(SecondRelease):
            store.run(lambda cursor: store.enter_release(cursor, survey.kept.id, other))
        assert survey.publication().content == made.content


def test_order_of_rows_is_not_that_of_arrival(url):
    with Survey.create(url, small()) as survey:
        survey.add(records(200))
        survey.close()
        survey.run()
        numbers = [int(row["number"]) for row in released(survey.publication().content)]
        assert sorted(numbers) == list(range(200))
        assert sum(a < b for a, b in itertools.pairwise(numbers)) < 130
        # Who knows the seed of the report does not know the order.
        assert survey.kept.secret not in survey.publication().report.decode()


def test_fewer_than_k_answers(url, tmp_path):
    with Survey.create(url, small()) as survey:
        survey.add(records(2))
        survey.close()
        with pytest.raises(InfeasibleK, match="2 answers, fewer than k = 3"):
            survey.release(tmp_path / "released.csv")
        status = survey.status()
        assert (status.state, status.received) == ("failed", 2)
        assert "fewer than k" in status.message
        with pytest.raises(NotReady, match="fewer than k"):
            survey.publication()
    assert not (tmp_path / "released.csv").exists()


def test_nobody_answered(url):
    with Survey.create(url, small()) as survey:
        survey.close()
        with pytest.raises(InfeasibleK, match="0 answers"):
            survey.run()


def test_names_and_formats(url, tmp_path):
    with Survey.create(url, small()) as survey:
        with pytest.raises(InvalidOption, match="already"):
            Survey.create(url, small())
        with pytest.raises(UnknownSurvey, match="small"):
            Survey.open(url, "other")
        with pytest.raises(InvalidOption, match=r"\.csv"):
            survey.release(tmp_path / "released.parquet")


def test_unknown_stores(tmp_path):
    with pytest.raises(InvalidOption, match="none of them"):
        open_store("mysql://localhost/db")
    with pytest.raises(InvalidOption, match="path"):
        open_store("sqlite:surveys.db://")
    with pytest.raises(OSError, match="does not exist"):
        open_store(str(tmp_path / "none" / "surveys.db"))


@pytest.mark.parametrize("keep", [False, True])
def test_identifiers_go_nowhere_else(tmp_path, keep):
    path = tmp_path / "surveys.db"
    with Survey.create(str(path), small(keep_identifiers=keep)) as survey:
        survey.add(records(20), keys(20))
        survey.add(records(20), keys(20))
        survey.close()
        survey.run()
        publication = survey.publication()
        store = survey.store
        kept = store.run(lambda cursor: cursor.execute("SELECT key, row FROM identifier ORDER BY key").fetchall())
        rows = store.run(lambda cursor: cursor.execute("SELECT row FROM answer").fetchall())
    assert b"person-" not in publication.content + publication.report
    assert "person-" not in str(rows)
    assert len(kept) == (20 if keep else 0)
    if not keep:
        assert b"person-" not in b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert path.stat().st_mode & 0o077 == 0


def test_all_kinds_of_fields(url, tmp_path):
    fields = [
        Field("age", "integer", required=False),
        Field("sex", "category", choices=["1", "2", "x"]),
        Field("born", "date"),
        Field("works", "boolean", required=False),
        Field("unasked", "number", required=False),
        Field("illness", "category", "confidential", required=False),
        Field("remark", "text", "other", required=False),
    ]
    definition = Definition("kinds", 4, fields, format="parquet")
    with Survey.create(url, definition) as survey:
        survey.add(
            [
                {
                    "age": None if i % 9 == 0 else 20 + i,
                    "sex": "12x"[i % 3],
                    "born": f"19{50 + i}-0{1 + i % 9}-11",
                    "works": None if i % 7 == 0 else i % 2 == 0,
                    "illness": "flu" if i % 2 else None,
                    "remark": 'a "b",\n¿é' if i == 3 else None,
                }
                for i in range(40)
            ]
        )
        survey.close()
        publication = survey.release(tmp_path / "kinds.parquet")
    table = io.read(tmp_path / "kinds.parquet")
    assert table.names == ("age", "sex", "born", "works", "illness", "remark")
    assert [str(table.storage(name)) for name in table.names] == ["numeric", "text", "date", "boolean", "text", "text"]
    assert table.n_records == publication.summary["records"] == 40
    assert publication.summary["smallest"] >= 4
    assert publication.summary["kinds"]["sex"] == "nominal"
    assert 'a "b",\n¿é' in table.categories("remark").values
    assert any("Missing values are released as missing" in note for note in publication.summary["warnings"])


def test_threads_and_a_close_among_them(url):
    """What was acknowledged is in the release exactly once, whenever the survey is closed."""
    acknowledged, refused = set(), []
    with Survey.create(url, small()) as survey:
        survey.add(records(10), keys(10))
        halfway = threading.Event()

        def send(worker):
            # Two neighbours each send the same answers, one of them each batch from its end.
            first, way = 10 * (1 + worker // 2 * 10_000), 1 if worker % 2 else -1
            for start in itertools.count(first, 10):
                try:
                    receipt = survey.add(records(10, start)[::way], keys(10, start)[::way])
                except SurveyClosed:
                    refused.append(worker)
                    return
                assert receipt.accepted + receipt.repeated == 10
                acknowledged.update(range(start, start + 10))
                if len(acknowledged) > 300:
                    halfway.set()

        threads = [threading.Thread(target=send, args=(worker,)) for worker in range(4)]
        for thread in threads:
            thread.start()
        halfway.wait()
        survey.close()
        for thread in threads:
            thread.join()
        assert len(refused) == 4
        assert survey.status().received == len(acknowledged | set(range(10)))
        survey.run()
        assert_released(survey.publication().content, set(range(10)) | acknowledged)


def test_arrivals_add_up_and_are_few(url):
    clock = [1_000_000.0]
    with Survey.create(url, small(), clock=lambda: clock[0]) as survey:
        for i in range(150):
            # The clock jumps back now and then.
            clock[0] += 30.0 if i % 40 else -200.0
            survey.add(records(2, 2 * i))
        arrivals = survey.status().arrivals
        assert len(arrivals) <= 120
        counts = [count for _, count in arrivals]
        assert counts == sorted(counts)
        assert counts[-1] == survey.status().received == 300
        assert [moment for moment, _ in arrivals] == sorted(moment for moment, _ in arrivals)


def test_an_answer_after_the_hour_closes_the_survey(url):
    clock = [1_000_000.0]
    closes = datetime.datetime.fromtimestamp(1_000_100.0, datetime.UTC)
    with Survey.create(url, small(closes=closes), clock=lambda: clock[0]) as survey:
        survey.add(records(3))
        clock[0] += 100.0
        with pytest.raises(SurveyClosed, match="closed at"):
            survey.add(records(1))
        clock[0] -= 50.0
        with pytest.raises(SurveyClosed):
            survey.add(records(1))
        assert (survey.status().state, survey.status().received) == ("closing", 3)


def at(seconds):
    return datetime.datetime.fromtimestamp(1_000_000.0 + seconds, datetime.UTC)


@pytest.fixture
def hour(url):
    """A survey that closes after 100 seconds, twice: as two processes hold it, with a clock of our own."""
    clock = [1_000_000.0]

    def tell():
        return clock[0]

    with (
        Survey.create(url, small(closes=at(100)), clock=tell) as one,
        Survey.open(url, "small", clock=tell) as other,
    ):
        yield clock, one, other


def test_answers_are_taken_until_the_closing_that_was_moved(hour):
    clock, operator, intake = hour
    clock[0] += 99.0
    operator.reschedule(at(200))
    clock[0] += 51.0
    assert intake.add(records(3), keys(3)).accepted == 3
    intake.close_due()
    assert intake.status().state == "open"
    operator.reschedule(at(170))
    clock[0] += 20.0
    with pytest.raises(SurveyClosed, match="closed at 1970-01-12T13:49:30"):
        intake.add(records(1))
    status = operator.status()
    assert (status.state, status.received, status.closes) == ("closing", 3, at(170).isoformat())
    assert [move["closes"] for move in status.moves] == [at(200).isoformat(), at(170).isoformat()]
    assert [move["moved"][:19] for move in status.moves] == [at(99).isoformat()[:19], at(150).isoformat()[:19]]
    operator.run()
    assert_released(operator.publication().content, range(3))


def test_a_closed_survey_stays_closed(hour):
    clock, operator, intake = hour
    clock[0] += 100.0
    # Nobody has looked at the clock yet, but whoever came now would be refused.
    with pytest.raises(SurveyClosed, match="does not open again"):
        operator.reschedule(at(200))
    intake.close()
    clock[0] -= 50.0
    with pytest.raises(SurveyClosed, match="does not open again"):
        operator.reschedule(at(200))
    assert operator.status().moves == []


def test_closing_is_moved_to_a_moment_ahead(hour):
    _, operator, _ = hour
    with pytest.raises(InvalidOption, match="in the future"):
        operator.reschedule(at(0))
    with pytest.raises(InvalidOption, match="time zone"):
        operator.reschedule(datetime.datetime(2030, 1, 1))
    assert operator.status().closes == at(100).isoformat()


def test_a_survey_without_a_closing_gets_one(url):
    clock = [1_000_000.0]
    with Survey.create(url, small(), clock=lambda: clock[0]) as survey:
        survey.reschedule(at(10))
        clock[0] += 10.0
        with pytest.raises(SurveyClosed):
            survey.add(records(1))
        assert survey.status().closes == at(10).isoformat()


def test_tables_of_an_earlier_version_are_brought_up_to_date(url, monkeypatch):
    for kind in ("sqlite", "postgres"):
        module = importlib.import_module(f"microagg.survey.store.{kind}")
        with monkeypatch.context() as earlier:
            earlier.setattr(module, kind.upper(), getattr(module, kind.upper())[:1])
            if (kind == "postgres") == url.startswith("postgres"):
                store = open_store(url)
                # The earlier version knew of no deleted surveys.
                earlier.setattr(store, "number_anew", lambda cursor, name: None)
                store.create("small", json.dumps(small(closes=at(100)).to_dict()), 1_000_000.0, 10.0, "0a")
                store.close()
    with Survey.open(url, "small", clock=lambda: 1_000_050.0) as survey:
        assert survey.add(records(3)).accepted == 3
        survey.reschedule(at(200))
        assert survey.status().closes == at(200).isoformat()


def test_newer_tables_are_refused(url):
    store = open_store(url)
    raise_version = "PRAGMA user_version = 99" if Path(url).exists() else "INSERT INTO version VALUES (99)"
    store.run(lambda cursor: cursor.execute(raise_version))
    store.close()
    with pytest.raises(InvalidOption, match="newer"):
        open_store(url)


def test_answers_that_are_all_alike(url):
    """Nothing varies, so no loss can be told; what is said of it is valid JSON all the same."""
    with Survey.create(url, small()) as survey:
        survey.add([{"age": 40, "pay": 10.0, "who": "x", "number": i} for i in range(7)])
        survey.close()
        survey.run()
        publication = survey.publication()
        json.dumps(publication.summary, allow_nan=False)
        json.dumps(survey.status().to_dict(), allow_nan=False)
        assert_released(publication.content, range(7))
