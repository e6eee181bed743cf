"""Two stages of a survey: every answer is in the release once, and nothing runs twice."""

from __future__ import annotations

import json
import os
import socket

import numpy as np
import pandas as pd
import pytest
from answers import K, assert_released, keys, records, small
from checks import groups

import microagg as ma
from microagg.base.groups import in_order
from microagg.errors import InfeasibleK, StoreUnavailable
from microagg.incremental import second_stage
from microagg.prepare.scale import standardise
from microagg.survey import Survey, stages
from microagg.survey.stages import run_base, run_rest
from microagg.survey.store import BASE, REST, owner_name
from microagg.survey.worker import main, work


def matrix(answers) -> np.ndarray:
    return np.array([[answer["age"], answer["pay"]] for answer in answers], dtype=np.float64)


def labels_of(survey, stage) -> tuple[np.ndarray, np.ndarray]:
    return survey.store.labels(survey.kept.id, stage)


def test_one_run_is_what_anonymize_does(url):
    answers = records(300)
    with Survey.create(url, small(refine=None)) as survey:
        survey.add(answers)
        survey.close()
        survey.run()
        _, labels = labels_of(survey, REST)
        summary = survey.publication().summary
    direct = ma.anonymize(pd.DataFrame(answers)[["age", "pay"]], K, method="mdav")
    assert groups(labels) == groups(direct.labels)
    assert summary["information_loss"] == direct.gate.figure(direct.information_loss), (
        "published is what passes the gate"
    )
    assert summary["sha256"] == {}
    assert "seconds_by_step" not in summary


@pytest.mark.parametrize("rest", ["nearest", "nearest_moving", "mdav"])
def test_two_stages(url, rest):
    answers = records(400)
    with Survey.create(url, small(rest=rest)) as survey:
        survey.add(answers[:330], keys(330))
        assert work(url, "small", BASE, 300)
        survey.add(answers[330:], keys(70, 330))
        seqs, base = labels_of(survey, BASE)
        assert len(seqs) == 300
        assert groups(base) == groups(ma.partition(standardise(matrix(answers[:300])), K, refine="local"))
        survey.close()
        assert work(url, "small", REST)
        expected = second_stage(standardise(matrix(answers)), base, K, rest=rest, refine="local")
        assert groups(labels_of(survey, REST)[1]) == groups(expected)
        publication, status = survey.publication(), survey.status()
    assert_released(publication.content, range(400))
    assert [stage["n_records"] for stage in status.stages] == [300, 100]
    assert [stage["state"] for stage in status.stages] == ["done", "done"]
    assert "two stages: 300 answers" in publication.summary["warnings"][0]
    loss = ma.information_loss(standardise(matrix(answers)), expected)
    assert loss < publication.summary["information_loss"] < 1.02 * loss, "rounding costs a little"
    assert status.stages[1]["loss"] == publication.summary["information_loss"]


def test_late_commits_are_not_lost(server):
    """An answer may get a lower number than those of the base stage and be committed after it: it counts later."""
    url = server.new_database()
    with Survey.create(url, small()) as survey:
        survey.add(records(1), keys(1))
        late = survey.store.connect()
        with late.transaction():
            late.execute(
                "INSERT INTO answer (survey, key, received_at, row) VALUES (%s, 'late', 0, %s)",
                (survey.kept.id, json.dumps([50, 1000.0, 20])),
            )
            survey.add(records(19, 1), keys(19, 1))
            assert work(url, "small", BASE)
        late.close()
        seqs, _ = labels_of(survey, BASE)
        assert len(seqs) == 20
        survey.close()
        survey.run()
        every, _ = labels_of(survey, REST)
        assert len(every) == 21
        assert every[20] < seqs.max()
        assert_released(survey.publication().content, range(21))


def test_stages_are_due_in_order(url):
    with Survey.create(url, small()) as survey:
        survey.add(records(30))
        assert not work(url, "small", REST)
        assert work(url, "small", BASE)
        assert not work(url, "small", BASE)
        survey.close()
        assert not work(url, "small", BASE)
        assert work(url, "small", REST)
        assert not work(url, "small", REST)
        assert_released(survey.publication().content, range(30))


def test_a_claim_is_for_one_alone_until_its_owner_is_dead(url):
    with Survey.create(url, small()) as survey:
        survey.add(records(30))
        claim, survey_id = survey.store.claim, survey.kept.id
        elsewhere = f"another-host:{os.getpid()}:1"
        assert claim(survey_id, BASE, elsewhere)
        assert not claim(survey_id, BASE, owner_name())
        survey.close()
        # The base stage is running, so the rest must wait.
        assert not claim(survey_id, REST, owner_name())
        # No sign of life for longer than the lease.
        assert claim(survey_id, REST, owner_name(), lease=-1.0)
        assert survey.status().stages[0]["state"] == "skipped"
        # Who comes back from the dead finds that it is no longer theirs.
        assert not survey.store.beat(survey_id, BASE, elsewhere, 0.5)
        seqs = np.arange(1, 31)
        assert not survey.store.finish_base(survey_id, elsewhere, seqs, seqs // 3, 0.0)


def test_a_dead_process_is_known_at_once(url):
    with Survey.create(url, small()) as survey:
        survey.add(records(30))
        dead = f"{socket.gethostname()}:{2**22 + 1}:1"
        assert survey.store.claim(survey.kept.id, BASE, dead)
        assert work(url, "small", BASE)
        assert survey.status().stages[0]["state"] == "done"


def test_signs_of_life_from_the_future_are_none(url, monkeypatch):
    with Survey.create(url, small()) as survey:
        survey.add(records(30))
        now = survey.store.now()
        monkeypatch.setattr(survey.store, "now", lambda: now + 10_000.0)
        assert survey.store.claim(survey.kept.id, BASE, "another-host:1:1")
        monkeypatch.setattr(survey.store, "now", lambda: now)
        assert survey.store.claim(survey.kept.id, BASE, owner_name())


def test_two_who_finish_publish_one_release(url):
    """A worker that was taken for dead, but was only slow, changes nothing."""
    with Survey.create(url, small()) as survey:
        survey.add(records(60))
        survey.close()
        slow, quick = owner_name(), owner_name()
        assert survey.store.claim(survey.kept.id, REST, slow)
        assert survey.store.claim(survey.kept.id, REST, quick, lease=-1.0)
        run_rest(survey.store, survey.kept, survey.definition, quick)
        before = survey.publication()
        run_rest(survey.store, survey.kept, survey.definition, slow)
        assert survey.publication() == before


def test_a_base_stage_that_fails_does_no_harm(url):
    with Survey.create(url, small()) as survey:
        survey.add(records(2), keys(2))
        with pytest.raises(InfeasibleK):
            work(url, "small", BASE)
        assert survey.status().stages[0]["state"] == "failed"
        assert "fewer than k" in survey.status().message
        survey.add(records(8, 2), keys(8, 2))
        survey.close()
        survey.run()
        assert_released(survey.publication().content, range(10))


def test_signs_of_life_while_at_work(url):
    with Survey.create(url, small()) as survey:
        survey.add(records(2000))
        owner = owner_name()
        assert survey.store.claim(survey.kept.id, BASE, owner)
        seen = []
        beat = survey.store.beat

        def watched(*told):
            seen.append(told)
            if len(seen) == 1:
                raise StoreUnavailable("gone for a moment")
            return beat(*told)

        survey.store.beat = watched
        run_base(survey.store, survey.kept, survey.definition, owner, lease=0.01)
        assert len(seen) > 1
        assert survey.status().stages[0]["state"] == "done"
        assert all(told[:3] == (survey.kept.id, BASE, owner) for told in seen)


def test_worker_reads_its_command_line(url, capsys, monkeypatch):
    with Survey.create(url, small()) as survey:
        survey.add(records(20))
        assert main([url, "small", BASE, "12"]) == 0
        assert len(labels_of(survey, BASE)[0]) == 12
        survey.close()
        monkeypatch.setenv("MICROAGG_STORE", url)
        assert main(["-", "small", REST]) == 0
        assert survey.status().state == "closed"
        assert main([url, "none", REST]) == 0
        assert "no survey 'none'" in capsys.readouterr().err


def test_when_an_answer_came_is_kept_coarsely(url):
    """Down to the moment, it would tell people apart for whoever sees the store and a log of a network."""
    with Survey.create(url, small(), clock=lambda: 1234.567) as survey:
        survey.add(records(3), keys(3))
        sql = "SELECT DISTINCT received_at FROM answer"
        found = survey.store.run(lambda cursor: survey.store.execute(cursor, sql).fetchall(), write=False)
    assert [tuple(row) for row in found] == [(1230.0,)]


def test_groups_are_numbered_by_the_secret_order(tmp_path, monkeypatch):
    """A number of a group in the report must not tell when its first answer came."""
    seen = []
    real = stages._reported
    monkeypatch.setattr(
        stages, "_reported", lambda release, *more: (seen.append(release.labels), real(release, *more))[1]
    )
    with Survey.create(str(tmp_path / "surveys.db"), small()) as survey:
        survey.add(records(40))
        survey.close()
        survey.run()
    assert seen[0].tolist() == in_order(seen[0]).tolist()
