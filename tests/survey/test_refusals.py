"""Every error that a survey can raise has its answer."""

from __future__ import annotations

import pytest

from microagg import errors
from microagg.errors import MicroaggError, Problem, StoreFull, StoreUnavailable
from microagg.survey.refusals import REFUSALS, TooFast, refuse

NEVER_RAISED = {"Problem", "NotKAnonymousWarning", "OnProcessorWarning"}


@pytest.mark.parametrize("name", [name for name in errors.__all__ if name not in NEVER_RAISED])
def test_every_error_of_the_package_is_answered(name):
    kind = getattr(errors, name)
    problem = kind([Problem(0, "age", "must be a number")]) if name == "InvalidAnswers" else kind("words.")
    status, body, _ = refuse(problem)
    assert 400 <= status < 600
    assert body["wrong"] == str(problem)
    assert {"error", "wrong", "allowed", "do"} <= set(body)


def test_a_full_store_is_told_apart_and_both_say_when_to_come_back():
    for kind, error in ((StoreUnavailable, "unavailable"), (StoreFull, "full")):
        status, body, headers = refuse(kind("words."))
        assert (status, body["error"]) == (503, error)
        assert int(headers["Retry-After"]) >= 1
    assert refuse(TooFast(7.2))[2] == {"Retry-After": "8"}


def test_words_for_programs_are_different():
    words = [refusal.error for refusal in REFUSALS.values()]
    assert len(set(words)) == len(words)
    assert all(issubclass(kind, MicroaggError) for kind in REFUSALS)
