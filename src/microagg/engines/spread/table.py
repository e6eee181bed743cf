"""Spread records as the column check sees them: some values of some records, and counts of all."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from microagg.base.schema import Storage
from microagg.base.table import Described
from microagg.base.types import IntArray
from microagg.engines.spread.arrow import is_integer, plain, storage_of, texts
from microagg.engines.spread.coding import Coding, RecodedView, Viewed
from microagg.engines.spread.counts import count_values
from microagg.engines.spread.parts import ROW, Parts
from microagg.io.columns import check_known

Seen = tuple[IntArray, list[list[Any]]]
"""Rows, and the values of some columns there."""


class SpreadTable:
    """The part of `microagg.base.table.Table` that can be asked of spread records.

    Parameters
    ----------
    parts : Parts
        The records.
    view : RecodedView
        What was recoded.
    described : mapping of str to Described
        What is known of recoded columns.
    """

    def __init__(self, parts: Parts, view: RecodedView) -> None:
        self._parts, self.view = parts, view
        recoded = {name: each.stored for name, each in view.recodings.items()}
        self.types = {field.name: recoded.get(field.name) or field.type for field in parts.schema}

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, in order."""
        return tuple(self.types)

    @property
    def n_records(self) -> int:
        """How many records there are."""
        return self._parts.n_records

    def storage(self, name: str) -> Storage:
        """Say what a column holds."""
        check_known(name, self.names)
        return storage_of(self.types[name])

    def is_integer(self, name: str) -> bool:
        """Say whether a column is stored as whole numbers."""
        return is_integer(self.types[name])

    def described(self, name: str) -> Described:
        """Say what is said of a column beside its values: nothing, unless it was recoded to text."""
        check_known(name, self.names)
        recoding = self.view.recodings.get(name)
        if recoding is None or storage_of(self.types[name]) is not Storage.TEXT:
            return Described()
        holds = recoding.holds
        return Described(order=holds.texts) if holds.ordered else Described(measure="nominal")

    def read_dates(self, name: str, form: str) -> bool:
        """Tables with types hold text as text."""
        return False

    def peek(self, names: Collection[str], rows: IntArray) -> dict[str, list[Any]]:
        """Give values of some records as Python objects, None where one is missing."""
        asked = list(names)
        seen: Seen = self.fold(partial(_peek, rows=np.sort(rows)), _both_seen, asked)
        place_of = np.argsort(seen[0], kind="stable")
        places = place_of[np.searchsorted(seen[0][place_of], rows)].tolist()
        return {name: [values[place] for place in places] for name, values in zip(asked, seen[1], strict=True)}

    def n_distinct(self, names: Collection[str]) -> dict[str, int]:
        """Say how many different values each of these columns has."""
        asked = list(names)
        counted = count_values(self._parts, self.view, Coding({}), asked, k=1, with_missing=False)
        return {name: counted[place].n_different for place, name in enumerate(asked)}

    def fold(
        self, function: Callable[[pa.Table], Any], merge: Callable[[Any, Any], Any], columns: Sequence[str]
    ) -> Any:
        """Run a function on the parts, after recoding."""
        return self._parts.fold(Viewed(self.view, function), merge, columns)


def _peek(table: pa.Table, *, rows: IntArray) -> Seen:
    here = table.column(ROW).to_numpy()
    places = np.flatnonzero(np.isin(here, rows))
    chosen = table.take(pa.array(places))
    return here[places], [_objects(chosen.column(place)) for place in range(chosen.num_columns - 1)]


def _objects(column: pa.ChunkedArray) -> list[Any]:
    values = plain(column)
    zoned = pa.types.is_timestamp(values.type) and values.type.tz is not None
    if storage_of(values.type) is Storage.OTHER or zoned:
        values = texts(values)
    elif pa.types.is_timestamp(values.type) and values.type.unit == "ns":
        values = values.cast(pa.timestamp("us"), safe=False)
    objects: list[Any] = values.to_pylist()
    return objects


def _both_seen(one: Seen, other: Seen) -> Seen:
    values = [[*mine, *theirs] for mine, theirs in zip(one[1], other[1], strict=True)]
    return np.concatenate([one[0], other[0]]), values
