"""A survey from its first answer to its release, on every kind of store."""

from __future__ import annotations

import pytest

from microagg.errors import InvalidAnswers, InvalidOption, NotReady, SurveyClosed, UnknownSurvey
from microagg.survey import Definition, Field, Survey, surveys


def small(name="small", **more):
    fields = [Field("age", "integer"), Field("pay", "number"), Field("who", "text", "identifier")]
    return Definition(name, 3, fields, **more)


def records(n, start=0):
    return [{"age": 20 + i % 50, "pay": 100.0 + (i * 37) % 1000, "who": f"p{i}"} for i in range(start, start + n)]


@pytest.fixture
def url(tmp_path):
    return str(tmp_path / "surveys.db")


def test_key_counts_once(url):
    with Survey.create(url, small()) as survey:
        assert survey.add(records(5), [f"k{i}" for i in range(5)]).accepted == 5
        receipt = survey.add(records(4, 3), ["k3", "k5", "k4", "k5"])
        assert (receipt.accepted, receipt.repeated, receipt.repeats) == (1, 3, (0, 2, 3))
        assert survey.status().received == 6
        assert survey.add(records(2)).accepted == 2
        assert survey.add(records(2)).accepted == 2
    with Survey.open(url, "small") as again:
        assert again.add(records(1), ["k0"]).repeated == 1
        assert again.status().received == 10


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
        survey.publication()
        assert survey.status().state == "released"


def test_names(url):
    Survey.create(url, small()).disconnect()
    with pytest.raises(InvalidOption, match="already"):
        Survey.create(url, small())
    with pytest.raises(UnknownSurvey, match="small"):
        Survey.open(url, "other")
    assert surveys(url) == ["small"]
