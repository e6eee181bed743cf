"""The column check looks at a table once for each release, however many questions it answers."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest

import microagg as ma
from microagg import io
from microagg.io.frames import FrameTable
from microagg.prepare import kinds
from microagg.prepare.check import TableLook, table_look
from microagg.prepare.dates import LOOKED_AT


@pytest.fixture
def people():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "age": rng.integers(20, 80, 300),
            "sex": rng.integers(1, 3, 300),
            "income": rng.normal(3000, 500, 300).round(2),
            "town": rng.choice(["Ulm", "Trier", "Jena"], 300),
            "ill": rng.choice(["no", "yes"], 300),
        }
    )


@pytest.mark.parametrize("quasi", [["age", "sex", "income"], "*"])
def test_each_column_is_looked_at_and_judged_once(monkeypatch, people, quasi):
    """It was read up to four times: for identifiers, for what they tell, for what is confidential, and for codes."""
    read, judged = Counter(), Counter()
    peek, judge = FrameTable.peek, table_look.judge

    def spy(self, names, rows):
        read.update(names if len(rows) > LOOKED_AT else ())  # a few values of text are looked at for dates
        return peek(self, names, rows)

    monkeypatch.setattr(FrameTable, "peek", spy)
    monkeypatch.setattr(table_look, "judge", lambda look: judged.update([look.name]) or judge(look))
    release = ma.anonymize(people, 5, quasi=quasi, confidential=["ill"])
    assert release.kinds["sex"] == "nominal"
    assert read == dict.fromkeys(people.columns, 1)
    assert set(judged.values()) == {1}


def test_nothing_is_read_where_nobody_asks(monkeypatch, people):
    """All kinds are given, and nothing else leaves: there is no question to answer."""
    monkeypatch.setattr(FrameTable, "peek", None)
    kinds_given = {"age": "numeric", "income": "numeric"}
    assert ma.anonymize(people[["age", "income"]], 5, kinds=kinds_given, quasi=["age", "income"]).k_anonymous


def test_a_look_at_another_table_is_not_believed(people):
    """Columns may have been changed since: a table is judged by what it holds itself."""
    before = io.wrap(people)
    look = TableLook(before, before.names)
    assert set(kinds.guessed_codes(before, ["age", "sex"], look)) == {"sex"}
    after = before.with_columns({"sex": np.linspace(0.5, 9.5, 300)})
    assert kinds.guessed_codes(after, ["age", "sex"], look) == {}
