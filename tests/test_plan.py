"""Roles: what each column is for, and names that cannot be."""

import pytest

from microagg.errors import InvalidData, InvalidOption
from microagg.plan import Plan

NAMES = ["name", "age", "income", "region", "weight", "illness"]


def test_columns_without_a_role_are_quasi_identifiers_unless_some_are_named():
    plan = Plan(k=3, identifiers=("name",), confidential=("illness",), by=("region",), weights="weight")
    assert [n for n, role in plan.roles(NAMES).items() if role == "quasi"] == ["age", "income"]
    named = Plan(k=3, quasi=("age",)).roles(NAMES)
    assert [n for n, role in named.items() if role == "other"] == ["name", "income", "region", "weight", "illness"]


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        (Plan(k=3, quasi=("agee",)), r"quasi: there is no column 'agee'; did you mean 'age'\?"),
        (Plan(k=3, quasi=("zzz",)), "the columns are 'name', 'age'"),
        (Plan(k=3, identifiers=("nme",)), "identifiers: there is no column"),
        (Plan(k=3, by=("regin",)), "by: there is no column"),
        (Plan(k=3, weights="w"), "weights: there is no column"),
        (Plan(k=3, round=("a",)), "round: there is no column"),
        (Plan(k=3, quasi=("age",), identifiers=("age",)), "named as identifier and as quasi"),
        (Plan(k=3, quasi=("age", "age")), "named twice"),
        (Plan(k=3, quasi=("age",), by=("age",)), "in quasi and in by"),
        (Plan(k=3, quasi=("weight",), weights="weight"), "in quasi and in weights"),
        (Plan(k=3, quasi=("age",), identifiers=("region",), by=("region",)), "cannot serve as by"),
    ],
)
def test_wrong_names_are_explained(plan, message):
    with pytest.raises(InvalidOption, match=message):
        plan.roles(NAMES)


def test_no_quasi_identifier_left():
    with pytest.raises(InvalidData, match="no quasi-identifier"):
        Plan(k=3, identifiers=tuple(NAMES)).roles(NAMES)
