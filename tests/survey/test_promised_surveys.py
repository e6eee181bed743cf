"""Promises on confidential answers: kept in one stage and in two, and nothing published where they cannot be."""

import io

import numpy as np
import pandas as pd
import pytest

from microagg.errors import InfeasiblePromise, InvalidOption
from microagg.survey import Definition, Field, Survey
from microagg.survey.stages import run_base
from microagg.survey.store import BASE

FIELDS = [Field("age", "integer"), Field("pay", "number"), Field("ill", "category", "confidential", required=False)]


def answers(n, seed, ill=("no", "flu", "gout")):
    rng = np.random.default_rng(seed)
    return [
        {"age": int(rng.integers(18, 90)), "pay": float(rng.integers(1000, 9000)), "ill": str(rng.choice(ill))}
        for _ in range(n)
    ]


def survey_with(tmp_path, **promised):
    return Survey.create(str(tmp_path / "surveys.db"), Definition("health", k=4, fields=FIELDS, **promised))


@pytest.mark.parametrize("stages", [1, 2])
@pytest.mark.parametrize("promised", [{"l": {"ill": 3}}, {"p": {"ill": 2}}, {"t": {"ill": 0.4}}])
def test_every_class_keeps_what_the_definition_promises(tmp_path, promised, stages):
    with survey_with(tmp_path, **promised) as survey:
        survey.add(answers(60, 1))
        if stages == 2:
            assert survey.store.claim(survey.kept.id, BASE, "here:1:x")
            run_base(survey.store, survey.kept, survey.definition, "here:1:x")
            survey.add(answers(30, 2))
        survey.close()
        released = pd.read_csv(io.BytesIO(survey.release(tmp_path / "released.csv").content))
    classes = released.groupby(["age", "pay"])["ill"]
    assert classes.size().min() >= 4
    if "l" in promised or "p" in promised:
        assert classes.nunique().min() >= next(iter(promised.values()))["ill"]
    else:
        shares = released["ill"].value_counts(normalize=True)
        away = classes.apply(
            lambda ill: (ill.value_counts(normalize=True).reindex(shares.index).fillna(0) - shares).abs().sum() / 2
        )
        assert away.max() <= 0.4 + 1e-9


def test_answers_that_make_it_impossible_are_kept(tmp_path):
    """Everybody has the same: nothing is published, and the error says what could be had."""
    with survey_with(tmp_path, l={"ill": 2}) as survey:
        survey.add(answers(20, 3, ill=("no",)))
        survey.close()
        with pytest.raises(InfeasiblePromise, match="reach 1"):
            survey.release(tmp_path / "released.csv")
        assert not (tmp_path / "released.csv").exists()
        assert survey.status().received == 20


def test_promises_of_a_definition_are_read_and_refused():
    """As in a file, and with the field and the rule where they are wrong."""
    plain = Definition("health", k=4, fields=FIELDS, l={"ill": 2}).to_dict()
    assert Definition.from_dict(plain).l == {"ill": 2}
    for wrong, says in (({"l": {"age": 2}}, "confidential fields"), ({"t": {"ill": 7}}, "t"), ({"p": 3}, "table")):
        with pytest.raises(InvalidOption, match=says):
            Definition("health", k=4, fields=FIELDS, **wrong)
