"""What answers must look like: every rule is named, no value is."""

from __future__ import annotations

import dataclasses
import datetime
import json
import math

import numpy as np
import pytest

from microagg.errors import InvalidAnswers, InvalidOption
from microagg.survey import Definition, Field

FIELDS = [
    Field("age", "integer", least=0, most=120),
    Field("pay", "number", least=0),
    Field("sex", "category", choices=["f", "m"]),
    Field("born", "date", least="1900-01-01"),
    Field("works", "boolean"),
    Field("remark", "text", "other", required=False),
]
GOOD = {"age": 30, "pay": 1000.5, "sex": "f", "born": "1990-05-01", "works": True, "remark": "x"}


@pytest.fixture
def definition():
    return Definition("wellbeing", 3, FIELDS)


def test_normalises(definition):
    given = GOOD | {"age": np.int64(30), "pay": 7, "born": datetime.date(1990, 5, 1), "remark": None}
    assert definition.check([given]) == [(30, 7.0, "f", "1990-05-01", True, None)]
    assert type(definition.check([given])[0][0]) is int
    without = {name: value for name, value in GOOD.items() if name != "remark"}
    assert definition.check([without])[0][-1] is None


@pytest.mark.parametrize(
    ("field", "value", "rule"),
    [
        ("age", "30", "must be a whole number"),
        ("age", 30.5, "must be a whole number"),
        ("age", True, "must be a whole number"),
        ("age", 10**400, "must be between"),
        ("age", math.nan, "must be a whole number"),
        ("age", 121, "must be at most 120"),
        ("age", -1, "must be at least 0"),
        ("age", None, "is required"),
        ("pay", "7", "must be a number"),
        ("pay", math.nan, "must be a finite number"),
        ("pay", math.inf, "must be a finite number"),
        ("pay", 10**400, "must be a finite number"),
        ("pay", [1], "must be a number"),
        ("sex", "x", "must be one of the choices of this field"),
        ("sex", 1, "must be text"),
        ("sex", "", "must not be empty"),
        ("sex", "f" * 300, "must have at most 200 characters"),
        ("born", "19900501", "must be a date such as 2026-09-01"),
        ("born", "1990-02-30", "must be a date such as 2026-09-01"),
        ("born", datetime.datetime(1990, 5, 1, tzinfo=datetime.UTC), "must be a date such as 2026-09-01"),
        ("born", "1899-12-31", "must be at least 1900-01-01"),
        ("works", 2, "must be true or false, or 1 or 0"),
        ("works", "yes", "must be true or false, or 1 or 0"),
        ("remark", "a\0b", "must be text without zero bytes and unpaired surrogates"),
        ("remark", "\ud800", "must be text without zero bytes and unpaired surrogates"),
        ("colour", "red", "is not a field of this survey"),
    ],
)
def test_names_the_rule_and_never_the_value(definition, field, value, rule):
    with pytest.raises(InvalidAnswers) as caught:
        definition.check([GOOD, GOOD | {field: value}])
    problem = caught.value.problems[0]
    assert (problem.index, problem.field) == (1, field)
    assert rule in problem.rule
    if isinstance(value, str) and len(value) > 3:
        assert value not in str(caught.value)


def test_what_is_no_object_is_refused(definition):
    with pytest.raises(InvalidAnswers) as caught:
        definition.check([GOOD, [1, 2], None])
    assert [problem.index for problem in caught.value.problems] == [1, 2]


def test_problems_are_limited(definition):
    with pytest.raises(InvalidAnswers) as caught:
        definition.check([{}] * 10_000)
    assert len(caught.value.problems) == 100


def test_goes_through_json(definition):
    closes = datetime.datetime(2026, 9, 1, 20, tzinfo=datetime.timezone(datetime.timedelta(hours=2)))
    whole = Definition("a", 3, FIELDS, closes=closes, expected=100, deadline=60, refine=None, keep_identifiers=True)
    assert Definition.from_dict(json.loads(json.dumps(whole.to_dict()))) == whole


def test_reads_toml(tmp_path, definition):
    path = tmp_path / "survey.toml"
    path.write_text(
        """
        name = "wellbeing"
        k = 5
        closes = 2026-09-01T20:00:00+02:00
        refine = "none"
        [[fields]]
        name = "age"
        type = "integer"
        least = 0
        [[fields]]
        name = "name"
        type = "text"
        role = "identifier"
        """
    )
    read = Definition.read(path)
    assert (read.k, read.refine, read.names) == (5, None, ("age", "name"))
    assert read.closes == datetime.datetime(2026, 9, 1, 18, tzinfo=datetime.UTC)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": "Well being"}, "small letters"),
        ({"k": 1}, "k must be"),
        ({"fields": []}, "at least one field"),
        ({"fields": [{"name": "id", "type": "text", "role": "identifier"}]}, "role is quasi"),
        ({"fields": [{"name": "a", "type": "text"}]}, "free text"),
        ({"fields": [{"name": "a", "type": "colour"}]}, "type must be one of"),
        ({"fields": [{"name": "a", "type": "number", "least": 3, "most": 2}]}, "above most"),
        ({"fields": [{"name": "a", "type": "number", "size": 3}]}, "no attribute 'size'"),
        ({"fields": [{"name": "a", "type": "number"}, {"name": "A", "type": "number"}]}, "name of its own"),
        ({"closes": "2026-09-01T20:00:00"}, "time zone"),
        ({"closes": "soon"}, "cannot be read"),
        ({"expected": 2}, "expected must be"),
        ({"deadline": -1}, "deadline must be"),
        ({"method": "individual"}, "base must be one of"),
        ({"rest": "nobody"}, "rest must be one of"),
        ({"format": "xlsx"}, "format must be"),
        ({"colour": "red"}, "no attribute 'colour'"),
    ],
)
def test_refuses_definitions(change, message):
    plain = {"name": "a", "k": 3, "fields": [{"name": "age", "type": "integer"}]}
    with pytest.raises(InvalidOption, match=message):
        Definition.from_dict(plain | change)


@pytest.mark.parametrize(("sent", "taken"), [(1, True), (0, False), (1.0, True), (True, True), (np.int64(0), False)])
def test_truth_values_may_be_ones_and_noughts(definition, sent, taken):
    """Statistics programs know no truth values: yes is 1, no is 0, and nothing else is either."""
    (row,) = definition.check([GOOD | {"works": sent}])
    assert row[definition.names.index("works")] is taken


def test_what_is_no_field_may_be_ignored(definition):
    """On request alone; what is left aside is nowhere in the rows."""
    asked = dataclasses.replace(definition, surplus="ignore")
    assert asked.check([GOOD | {"colour": "red", "browser": {"name": "x"}}]) == definition.check([GOOD])
    assert Definition.from_dict(asked.to_dict()) == asked
    earlier = {name: value for name, value in definition.to_dict().items() if name != "surplus"}
    assert Definition.from_dict(earlier).surplus == "refuse"
    with pytest.raises(InvalidOption, match="surplus must be one of refuse, ignore; got 'drop'"):
        dataclasses.replace(definition, surplus="drop")
