"""A release that breaks a promise is refused at the end, whatever the method says of itself."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import microagg as ma
from microagg import cell
from microagg.constraints import Promises
from microagg.errors import BrokenPromise, InfeasiblePromise, NotKAnonymous

PEOPLE = pl.DataFrame({"age": [20, 21, 22, 60, 61, 62], "ill": ["flu", "flu", "flu", "gout", "flu", "gout"]})


@pytest.mark.parametrize("promise", [{"l": {"ill": 2}}, {"p": {"ill": 2}}, {"t": {"ill": 0.1}}])
def test_groups_that_tell_are_refused_before_anything_is_released(monkeypatch, promise):
    """The first three all have the flu. Grouping and repair would not leave it so; the check does not rely on them."""
    monkeypatch.setattr(cell, "group_records", lambda X, k, **_: np.array([0, 0, 0, 1, 1, 1]))
    with pytest.raises(InfeasiblePromise):  # the look at the groups
        ma.anonymize(PEOPLE, k=3, quasi=["age"], **promise)
    monkeypatch.setattr(Promises, "kept", lambda self, labels: True)
    with pytest.raises(BrokenPromise):  # the look at what would be written
        ma.anonymize(PEOPLE, k=3, quasi=["age"], **promise)


def test_the_same_groups_are_released_where_nothing_is_promised_of_them(monkeypatch):
    """What is refused above is refused for its promise alone."""
    monkeypatch.setattr(cell, "group_records", lambda X, k, **_: np.array([0, 0, 0, 1, 1, 1]))
    assert ma.anonymize(PEOPLE, k=3, quasi=["age"]).sizes.tolist() == [3, 3]


def test_what_is_looked_at_is_the_release_and_not_the_original():
    """Every age occurs once before, which keeps nothing; the release does, and both are told."""
    mixed = pl.DataFrame({"age": [20, 21, 22, 60, 61, 62], "ill": ["flu", "gout", "flu", "gout", "flu", "gout"]})
    release = ma.anonymize(mixed, k=3, quasi=["age"], l={"ill": 2})
    (kept,) = release.promises
    assert (kept.before, kept.reached) == (1.0, 2.0)


@pytest.mark.filterwarnings("ignore::microagg.errors.NotKAnonymousWarning")
def test_each_column_is_looked_at_where_each_is_grouped_by_itself(monkeypatch):
    """Individual ranking promises k of every column alone: one of two that does not keep it is enough."""
    people = pl.DataFrame({"age": [20, 21, 22, 60, 61, 62], "pay": [1, 2, 3, 4, 5, 6]})
    good, bad = np.array([0, 0, 0, 1, 1, 1]), np.array([0, 0, 1, 1, 2, 2])
    for columns in ([good, bad], [bad, good]):
        monkeypatch.setattr(cell, "group_records", lambda X, k, columns=columns, **_: np.column_stack(columns))
        with pytest.raises(NotKAnonymous, match="6 of 6 records share"):
            ma.anonymize(people, k=3, method="individual")
    monkeypatch.setattr(cell, "group_records", lambda X, k, **_: np.column_stack([good, good]))
    assert ma.anonymize(people, k=3, method="individual").data["pay"].n_unique() == 2
