"""Confidential columns of a table: as measures see them, and as codes for what is promised of them."""

from __future__ import annotations

import numpy as np

from microagg.base.schema import Storage
from microagg.base.table import Table
from microagg.base.types import FloatArray, IntArray
from microagg.measures import Confidential
from microagg.prepare.kinds import text_of
from microagg.semantic.attribute import nominal, numeric


def confidential_columns(table: Table, names: list[str]) -> dict[str, Confidential]:
    """Read confidential columns: numbers where every value is one, else categories.

    >>> import pandas as pd
    >>> from microagg import io
    >>> columns = confidential_columns(io.wrap(pd.DataFrame({"pay": [1, 2], "ill": ["no", "yes"]})), ["pay", "ill"])
    >>> columns["pay"].is_number, columns["ill"].attribute.names
    (True, ('no', 'yes'))
    """
    return {name: _confidential(table, name) for name in names}


def _confidential(table: Table, name: str) -> Confidential:
    storage = table.storage(name)
    if storage is Storage.NUMERIC:
        return Confidential(table.numeric(name).values, numeric())
    if storage is Storage.DATE:
        return Confidential(table.dates(name), numeric())
    column = table.categories(name)
    as_numbers = _numbers([text_of(value) for value in column.values])
    if as_numbers is not None:
        return Confidential(np.append(as_numbers, np.nan)[column.codes], numeric())
    return Confidential(column.codes, nominal([text_of(value) for value in column.values]))


def _numbers(texts: list[str]) -> FloatArray | None:
    """Give texts as numbers, None where one is not."""
    try:
        found = np.array([float(text) for text in texts], dtype=np.float64)
    except ValueError:
        return None
    return found if len(found) and np.isfinite(found).all() else None


def codes_of(column: Confidential) -> tuple[IntArray, IntArray]:
    """Give the values of a column as codes in their order, and how many records have each; a missing value is one too.

    >>> [part.tolist() for part in codes_of(Confidential(np.array([3.0, np.nan, 1.0, 3.0]), numeric()))]
    [[1, 2, 0, 1], [1, 2, 1]]
    """
    _, codes, sizes = np.unique(column.values, return_inverse=True, return_counts=True)
    return codes.astype(np.int64), sizes.astype(np.int64)
