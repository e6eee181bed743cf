"""What is accepted can be released, always: no sender can keep a survey from its release."""

from __future__ import annotations

import io
import tempfile
from collections import Counter
from contextlib import suppress

import pytest
from generated import K, answers_of, definitions
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from microagg.base.schema import Role
from microagg.errors import InvalidAnswers, InvalidOption, MicroaggError
from microagg.io.formulas import escaped
from microagg.release import Release
from microagg.survey import Definition, Field, Survey
from microagg.survey.categories import OTHER
from microagg.survey.definition import LARGEST
from microagg.survey.stages import NOT_MEASURED, run_base
from microagg.survey.store import BASE

pandas = pytest.importorskip("pandas", reason="pandas is not installed")


def read(content: bytes, form: str):
    """What another library sees in a release; text files as they are written."""
    if form == "parquet":
        return pandas.read_parquet(io.BytesIO(content))
    return pandas.read_csv(io.BytesIO(content), dtype=str, keep_default_na=False, encoding="utf-8")


def released(definition, answers, n_base: int):
    """Take answers, with a base stage on the first of them where there are enough, and give the release."""
    with tempfile.TemporaryDirectory() as folder, Survey.create(f"{folder}/surveys.db", definition) as survey:
        if n_base:
            survey.add(answers[:n_base])
            assert survey.store.claim(survey.kept.id, BASE, "here:1:x")
            # A base stage may fail, such as where nobody has answered a quasi-identifier yet: all is grouped later.
            with suppress(MicroaggError):
                run_base(survey.store, survey.kept, definition, "here:1:x")
        survey.add(answers[n_base:])
        survey.close()
        return survey.release(f"{folder}/released.{definition.format}")


@given(st.data())
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_what_is_accepted_can_be_released(data):
    """Whatever the definition and the answers are, as long as the door took them: a release, every record among k."""
    definition = data.draw(definitions())
    answers = data.draw(answers_of(definition))
    quasi = definition.named(Role.QUASI)
    assume(any(answer[name] is not None for answer in answers for name in quasi))
    n_base = data.draw(st.sampled_from([0, *range(K, len(answers) + 1)]))
    publication = released(definition, answers, n_base)
    frame = read(publication.content, definition.format)
    assert len(frame) == len(answers)
    assert NOT_MEASURED not in publication.summary["warnings"]
    kept = [column for column in frame.columns if column in {*quasi, *map(escaped, quasi)}]
    assert min(Counter(map(tuple, frame[kept].astype(str).to_numpy().tolist())).values()) >= K


def test_more_texts_than_can_be_grouped_apart(tmp_path):
    """2,501 different texts in an open category kept every later release from being made; now the rarest are one."""
    definition = Definition("open", K, [Field("city", "category"), Field("age", "integer")])
    answers = [{"city": f"place {i}", "age": i % 90} for i in range(2501)]
    answers += [{"city": "Turin", "age": i % 90} for i in range(300)]
    publication = released(definition, answers, 1000)
    frame = read(publication.content, "csv")
    assert len(frame) == len(answers)
    assert frame.groupby(["city", "age"]).size().min() >= K
    cities = Counter(frame["city"])
    assert cities["Turin"] >= 200, "frequent values stay what they are"
    assert cities[OTHER] > 0
    assert any(OTHER in note for note in publication.summary["warnings"])


def test_one_huge_number_spoils_nothing_but_its_own_group():
    """The largest number that is taken: all others keep values of their own size, and no arithmetic overflows."""
    definition = Definition("huge", K, [Field("pay", "number"), Field("age", "integer")])
    answers = [{"pay": 100.0 + i, "age": i} for i in range(60)] + [{"pay": LARGEST, "age": 1}]
    pays = sorted(map(float, read(released(definition, answers, 0).content, "csv")["pay"]))
    assert sum(pay > 1000 for pay in pays) < 2 * K


@pytest.mark.parametrize("value", [1e51, -1e155, 1e308, 10**60])
def test_numbers_beyond_the_default_range_are_refused(value):
    definition = Definition("huge", K, [Field("pay", "number")])
    with pytest.raises(InvalidAnswers, match="between"):
        definition.check([{"pay": value}])


def test_what_a_method_cannot_group_is_grouped_all_the_same(tmp_path):
    """A method may refuse some answers, as `exact` does many: one run of MDAV follows, and the report says so."""
    definition = Definition("many", K, [Field("pay", "number"), Field("age", "number")], method="exact")
    answers = [{"pay": float(i * i % 101), "age": float(i)} for i in range(300)]
    publication = released(definition, answers, 0)
    assert len(read(publication.content, "csv")) == 300
    assert any("could not be grouped as the survey says" in note for note in publication.summary["warnings"])


def test_a_field_that_nobody_answered_does_not_hinder():
    fields = [Field("age", "integer"), Field("ill", "category", "confidential", required=False)]
    definition = Definition("blank", K, fields)
    frame = read(released(definition, [{"age": i} for i in range(9)], 0).content, "csv")
    assert frame["ill"].tolist() == [""] * 9


def test_a_report_that_cannot_be_made_does_not_keep_the_release_back(monkeypatch):
    def fail(*_, **__):
        raise ValueError("math domain error of 4711")

    monkeypatch.setattr(Release, "report", fail)
    publication = released(Definition("plain", K, [Field("age", "integer")]), [{"age": i} for i in range(9)], 0)
    assert publication.summary["warnings"][0] == NOT_MEASURED
    assert NOT_MEASURED.encode() in publication.report
    assert b"4711" not in publication.report


def test_formulas_of_respondents_are_text_unless_somebody_wants_them(tmp_path):
    """A cell that begins with = is run by whoever opens the file; a number that begins with - is a number."""
    fields = [Field("gain", "integer"), Field("city", "category"), Field("said", "text", "other")]
    answers = [{"gain": -5, "city": "+39", "said": "=HYPERLINK(1)"} for _ in range(K)]
    answers += [{"gain": 5, "city": "Turin", "said": "fine"} for _ in range(K)]
    publication = released(Definition("safe", K, fields), answers, 0)
    frame = read(publication.content, "csv")
    assert sorted(set(frame["said"])) == ["'=HYPERLINK(1)", "fine"]
    assert sorted(set(frame["city"])) == ["'+39", "Turin"]
    assert sorted(set(map(float, frame["gain"]))) == [-5.0, 5.0]
    assert any(note.startswith("6 cells of text begin with an apostrophe") for note in publication.summary["warnings"])
    kept = read(released(Definition("kept", K, fields, formulas="keep"), answers, 0).content, "csv")
    assert sorted(set(kept["said"])) == ["=HYPERLINK(1)", "fine"]
    typed = read(released(Definition("typed", K, fields, format="parquet"), answers, 0).content, "parquet")
    assert sorted(set(typed["said"])) == ["=HYPERLINK(1)", "fine"], "a column of text is text there"
    with pytest.raises(InvalidOption, match="formulas must be one of escape, keep"):
        Definition("wrong", K, fields, formulas="drop")
