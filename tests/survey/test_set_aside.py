"""Setting an answer aside: it is kept and reported, never released, and nothing that was made of it stays."""

from __future__ import annotations

import json

import pytest
from answers import K, assert_released, keys, records, small

from microagg.cli import main
from microagg.errors import InvalidAnswers, InvalidData, InvalidOption, SecondRelease, UnknownAnswer
from microagg.survey import Survey
from microagg.survey.stages import run_base, run_rest
from microagg.survey.store import BASE, DONE, REST, SKIPPED, WAITING


@pytest.fixture
def survey(url):
    with Survey.create(url, small()) as survey:
        survey.add(records(20), keys(20))
        yield survey


def base(survey, owner="here:1:x"):
    assert survey.store.claim(survey.kept.id, BASE, owner)
    run_base(survey.store, survey.kept, survey.definition, owner)


def stage(survey, name):
    return survey.store.facts(survey.kept.id).stages[name]


def release(survey, tmp_path):
    return survey.release(tmp_path / "released.csv", tmp_path / "report.html")


def test_it_is_left_out_kept_and_reported(survey, tmp_path):
    assert survey.set_aside("key-3", "sent by a test")
    assert not survey.set_aside("key-3", "again")
    [aside] = survey.status().set_aside
    assert (aside["key"], aside["reason"], survey.status().received) == ("key-3", "sent by a test", 20)
    # The key is still taken: who sends the answer again does not bring it back.
    assert survey.add(records(1, 3), ["key-3"]).repeated == 1
    survey.close()
    publication = release(survey, tmp_path)
    assert_released(publication.content, set(range(20)) - {3})
    assert any("1 answer was set aside" in note for note in publication.summary["warnings"])
    assert "1 answer was set aside" in (tmp_path / "report.html").read_text()
    assert "sent by a test" not in (tmp_path / "report.html").read_text()
    assert "key-3" not in (tmp_path / "report.html").read_text()


def test_a_base_stage_that_holds_it_is_done_anew(survey, tmp_path):
    """Its group would be left with fewer than k."""
    base(survey)
    survey.add(records(10, 20), keys(10, 20))
    survey.set_aside("key-25")
    assert stage(survey, BASE).state == DONE, "it came after the base stage"
    survey.set_aside("key-3")
    assert stage(survey, BASE).state == WAITING
    base(survey)
    survey.set_aside("key-4")
    base(survey)
    survey.close()
    survey.set_aside("key-5")
    assert stage(survey, BASE).state == SKIPPED
    assert_released(release(survey, tmp_path).content, set(range(30)) - {3, 4, 5, 25})


def test_a_worker_that_has_read_it_already_keeps_nothing(survey, tmp_path, monkeypatch):
    """Set aside while a stage is on its way: what the worker brings home is not taken."""
    seen = []
    finish_base, finish_rest = survey.store.finish_base, survey.store.finish_rest

    def late_base(*arguments):
        survey.set_aside("key-3")
        assert stage(survey, BASE).state == WAITING
        seen.append(finish_base(*arguments))

    def late_rest(*arguments):
        if len(seen) == 1:
            survey.set_aside("key-4")
        seen.append(finish_rest(*arguments))
        return seen[-1]

    monkeypatch.setattr(survey.store, "finish_base", late_base)
    monkeypatch.setattr(survey.store, "finish_rest", late_rest)
    base(survey)
    survey.close()
    publication = release(survey, tmp_path)
    assert seen == [False, False, True]
    assert_released(publication.content, set(range(20)) - {3, 4})


def test_a_release_that_nobody_has_seen_is_made_anew_and_no_other(survey, tmp_path):
    survey.close()
    survey.run()
    assert survey.status().state == "closed"
    survey.set_aside("key-3")
    assert survey.status().state == "closing"
    assert survey.status().sha256 is None
    publication = release(survey, tmp_path)
    assert_released(publication.content, set(range(20)) - {3})
    with pytest.raises(SecondRelease, match="released"):
        survey.set_aside("key-4")
    assert release(survey, tmp_path).content == publication.content
    assert len(survey.status().set_aside) == 1


def test_groups_that_lost_a_record_never_count(survey, tmp_path):
    """The last line: labels of a base stage whose records are not all there are not used."""
    base(survey)
    labels = survey.store.labels(survey.kept.id, BASE)
    survey.set_aside("key-3")
    survey.close()
    owner = "here:1:y"
    assert survey.store.claim(survey.kept.id, REST, owner)
    survey.store.run(
        lambda cursor: survey.store.execute(cursor, "UPDATE stage SET state = ? WHERE name = 'base'", (DONE,))
    )
    survey.store.labels = lambda *_: labels
    run_rest(survey.store, survey.kept, survey.definition, owner)
    assert_released(survey.publication().content, set(range(20)) - {3})


def test_too_few_are_left(url):
    with Survey.create(url, small()) as survey:
        survey.add(records(K), keys(K))
        survey.set_aside("key-0")
        survey.close()
        with pytest.raises(InvalidOption, match="fewer than k"):
            survey.run()
        assert survey.status().state == "failed"


def test_wrong_keys_and_reasons(survey):
    with pytest.raises(UnknownAnswer, match="no answer of this key"):
        survey.set_aside("nobody")
    with pytest.raises(InvalidAnswers):
        survey.set_aside("key\n")
    with pytest.raises(InvalidOption, match="reason"):
        survey.set_aside("key-1", "two\nlines")
    assert survey.status().set_aside == []


def insert(survey, key, row):
    """Enter an answer as an earlier version might have taken it."""
    store = survey.store
    store.run(lambda cursor: store.insert(cursor, survey.kept.id, [key], [json.dumps(row)], 0.0))


def test_a_stage_that_fails_names_the_answers_that_are_in_the_way(survey, tmp_path):
    """Taken by an earlier version, no release could be made of it: the operator learns its key, and nothing else."""
    insert(survey, "old-one", ["not a number", 1.0, 20])
    survey.close()
    with pytest.raises(InvalidData) as problem:
        survey.run()
    assert "not a number" not in str(problem.value)
    message = survey.status().message
    assert "old-one" in message
    assert "set-aside small --key" in message
    assert "not a number" not in message, "no value of an answer"
    assert "key-1" not in message
    assert survey.status().state == "failed"
    survey.set_aside("old-one", "broken")
    assert survey.status().state == "closing"
    assert_released(release(survey, tmp_path).content, range(20))


def test_from_the_command_line(url, capsys):
    with Survey.create(url, small()) as survey:
        survey.add(records(5), keys(5))

    def run(*arguments):
        with pytest.raises(SystemExit) as stopped:
            main(["survey", *arguments, "--store", url])
        return stopped.value.code, capsys.readouterr().out

    arguments = ["set-aside", "small", "--key", "key-1", "--reason", "a test"]
    assert run(*arguments) == (0, "survey small: the answer was set aside; 1 of 5 answers are\n")
    assert "before" in run(*arguments)[1]
    assert [each["key"] for each in json.loads(run(*arguments, "--json")[1])["set_aside"]] == ["key-1"]
    shown = run("status", "small")[1]
    assert "answer key-1 set aside" in shown
    assert "a test" in shown
