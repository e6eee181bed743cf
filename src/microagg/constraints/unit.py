"""Units: every class has records of at least k persons, households or firms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from microagg.base.checks import check_count
from microagg.base.types import IntArray
from microagg.constraints.constraint import ConstraintKind, Sensitive
from microagg.constraints.p import Distinct
from microagg.constraints.promises import Promise, Terms


@dataclass(frozen=True)
class AtLeastKUnits(Distinct):
    """Every class has records of at least k different units."""

    name: ClassVar[str] = "unit"

    def words(self, column: str) -> str:
        """Say what is promised."""
        return f"records of at least {self.count} different values of {column}"


def with_units(terms: Terms | None, units: IntArray, k: int, name: str) -> Terms:
    """Give terms that count units too, as their last column.

    >>> with_units(None, np.array([0, 0, 1]), 2, "house").promises
    (Promise(column=0, constraint=AtLeastKUnits(count=2)),)
    """
    columns, promises = ((), ()) if terms is None else (terms.columns, terms.promises)
    own = Promise(len(columns), AtLeastKUnits(k))
    return Terms((*columns, Sensitive(name, False, np.bincount(units))), (*promises, own))


KIND = ConstraintKind(
    name="unit",
    title="Units",
    summary="every record shares its quasi-identifiers with records of at least k - 1 other units",
    reference="Templ, Kowarik and Meindl 2015",
    read=lambda column, said: AtLeastKUnits(check_count("k", said, 2)),
    stops="linkage, where a person or household has several records: k records that are equal may be one person's",
)
