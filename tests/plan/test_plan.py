"""Roles: what each column is for, and names that cannot be."""

import pandas as pd
import pytest

import microagg as ma
from microagg.errors import InvalidData, InvalidOption
from microagg.plan import Plan

NAMES = ["name", "age", "income", "region", "weight", "illness"]


def test_columns_without_a_role_are_quasi_identifiers_unless_some_are_named():
    plan = Plan(k=3, identifiers=("name",), confidential=("illness",), by=("region",), weights="weight")
    assert [n for n, role in plan.roles(NAMES).items() if role == "quasi"] == ["age", "income"]
    named = Plan(k=3, quasi=("age",)).roles(NAMES)
    assert [n for n, role in named.items() if role == "other"] == ["name", "income", "region", "weight", "illness"]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"quasi": ("agee",)}, r"quasi: there is no column 'agee'; did you mean 'age'\?"),
        ({"quasi": ("zzz",)}, "the columns are 'name', 'age'"),
        ({"identifiers": ("nme",)}, "identifiers: there is no column"),
        ({"by": ("regin",)}, "by: there is no column"),
        ({"weights": "w"}, "weights: there is no column"),
        ({"round": ("a",)}, "round: there is no column"),
        ({"quasi": ("age",), "identifiers": ("age",)}, "named as identifier and as quasi"),
        ({"quasi": ("age", "age")}, "named twice"),
        ({"quasi": ("age",), "by": ("age",)}, "in quasi and in by"),
        ({"quasi": ("weight",), "weights": "weight"}, "in quasi and in weights"),
        ({"quasi": ("age",), "identifiers": ("region",), "by": ("region",)}, "cannot serve as by"),
    ],
)
def test_wrong_names_are_explained(asked, message):
    with pytest.raises(InvalidOption, match=message):
        Plan(k=3, **asked).roles(NAMES)


def test_no_quasi_identifier_left():
    with pytest.raises(InvalidData, match="no quasi-identifier"):
        Plan(k=3, identifiers=tuple(NAMES)).roles(NAMES)


def test_columns_without_a_role_can_be_dropped_or_refused():
    """Whoever forgets a column must be able to have it left out, or to be told; strata and weights have a use."""
    asked = {"quasi": ("age",), "by": ("region",), "weights": "weight", "confidential": ("illness",)}
    roles = Plan(k=3, others="drop", **asked).roles(NAMES)
    assert [name for name, role in roles.items() if role == "identifier"] == ["name", "income"]
    with pytest.raises(InvalidOption, match="no role is given to 'name', 'income'"):
        Plan(k=3, others="refuse", **asked).roles(NAMES)
    assert Plan(k=3, others="refuse").roles(NAMES)["name"] == "quasi"
    frame = pd.DataFrame({"age": [1, 2, 3, 4], "name": list("abcd")})
    assert list(ma.anonymize(frame, k=2, quasi=["age"], others="drop").data.columns) == ["age"]
