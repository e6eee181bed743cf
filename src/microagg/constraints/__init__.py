"""Constraints: what groups must be like; one file each, listed in CONSTRAINTS (see `constraint.py` for the idea)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from microagg.constraints import k, l, p, t, unit
from microagg.constraints.constraint import Constraint, ConstraintKind, Sensitive
from microagg.constraints.promises import KeptPromise, Promise, Promises, Terms, check_promises, code_values, terms_of
from microagg.constraints.unit import with_units

CONSTRAINTS: dict[str, ConstraintKind] = {kind.name: kind for kind in (k.KIND, unit.KIND, l.KIND, p.KIND, t.KIND)}
"""Every constraint, by the field of the plan that asks for it."""

OF_COLUMNS = tuple(name for name in CONSTRAINTS if name not in ("k", "unit"))
"""Those that are promised of confidential columns."""


def promise(asked: Mapping[str, Mapping[str, Any]], columns: Mapping[str, Any]) -> Promises:
    """Make promises on confidential values, for `partition(X, k, promises=...)`.

    Parameters
    ----------
    asked : mapping
        What is promised of which column: {"l": {"illness": 3}, "t": {"income": 0.15}}; see CONSTRAINTS.
    columns : mapping of str to array of n
        The confidential values; numbers have an order, for t. Missing ones (NaN, None) are a value of their own.

    Examples
    --------
    >>> promises = promise({"t": {"pay": 0.2}}, {"pay": [1, 2, 3, 4, 5, 6]})
    >>> promises.kept(np.array([0, 1, 1, 0, 0, 1])), promises.kept(np.array([0, 0, 0, 1, 1, 1]))
    (True, False)
    """
    read = {
        field: {name: CONSTRAINTS[field].read(name, said) for name, said in of.items()} for field, of in asked.items()
    }
    names = list(dict.fromkeys(name for of in read.values() for name in of))
    codes, described = [], []
    for name in names:
        coded, sizes, is_number = code_values(columns[name])
        codes.append(coded)
        described.append(Sensitive(name, is_number, sizes))
    return terms_of(read, described).over(np.column_stack(codes))


__all__ = [
    "CONSTRAINTS",
    "OF_COLUMNS",
    "Constraint",
    "ConstraintKind",
    "KeptPromise",
    "Promise",
    "Promises",
    "Sensitive",
    "Terms",
    "check_promises",
    "promise",
    "terms_of",
    "with_units",
]
