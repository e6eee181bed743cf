"""From Arrow tables to records: columns recoded, values as numbers and codes, strata and confidential values numbered.

All of it was found in all records by the driver; what is here is a pure value that goes to whoever has a part.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from microagg.base.types import BoolArray, FloatArray, IntArray
from microagg.cell import Records
from microagg.engines.spread.arrow import coded, floats, indices, keys
from microagg.engines.spread.parts import ROW
from microagg.engines.spread.recoding import ColumnRecoding
from microagg.prepare.patterns import Patterns


@dataclass(frozen=True, eq=False)
class RecodedView:
    """A table after the steps of recoding."""

    recodings: Mapping[str, ColumnRecoding] = field(default_factory=dict)

    def take(self, table: pa.Table) -> pa.Table:
        """Put what was recoded in the place of columns."""
        for place, name in enumerate(table.column_names):
            if name in self.recodings:
                table = table.set_column(place, name, self.recodings[name].column(table.column(name)))
        return table


@dataclass(frozen=True, eq=False)
class Viewed:
    """A function on tables after the steps of recoding."""

    view: RecodedView
    function: Callable[[pa.Table], Any]

    def __call__(self, table: pa.Table) -> Any:
        """Run it on a table as it came."""
        return self.function(self.view.take(table))


@dataclass(frozen=True, eq=False)
class SecretColumn:
    """A confidential column: its values in their order, each a code; a missing one is the last."""

    name: str
    ordered: FloatArray | None
    """The values where they are numbers or dates."""
    code_of: Mapping[Any, int]
    """The code of each value, where they are not."""

    def codes(self, column: pa.ChunkedArray) -> IntArray:
        """Give the code of each record."""
        if self.ordered is not None:
            values = floats(column)
            codes: IntArray = np.searchsorted(self.ordered, values).astype(np.int64)
            return np.where(np.isnan(values), len(self.ordered), codes)
        places, values_here = indices(column)
        return np.array([*(self.code_of[value] for value in values_here), len(self.code_of)], dtype=np.int64)[places]


@dataclass(frozen=True, eq=False)
class Coding:
    """How the records of a table are read.

    Attributes
    ----------
    columns : mapping of str to mapping or None
        The quasi-identifiers: the code of each category, or None for numbers and dates.
    by : tuple of str
        What names the strata.
    strata : mapping of tuple to int
        The number of each stratum; empty where there is one.
    weights : str, optional
        The column of weights.
    secrets : tuple of SecretColumn
        What something is promised of.
    dropped : tuple of int
        The places of the quasi-identifiers that a record must have.
    patterns : Patterns, optional
        What divides strata.
    unit : str, optional
        The column that says which records belong together.
    left_out : set
        The units of which no record is kept.
    """

    columns: Mapping[str, Mapping[Any, float] | None]
    by: tuple[str, ...] = ()
    strata: Mapping[tuple[Any, ...], int] = field(default_factory=dict)
    weights: str | None = None
    secrets: tuple[SecretColumn, ...] = ()
    dropped: tuple[int, ...] = ()
    patterns: Patterns | None = None
    unit: str | None = None
    left_out: frozenset[Any] = frozenset()

    @property
    def needs(self) -> list[str]:
        """The columns that are read."""
        secret = [each.name for each in self.secrets]
        weights = [self.weights] if self.weights is not None else []
        return list(dict.fromkeys([*self.columns, *self.by, *weights, *secret, *self._units]))

    @property
    def _units(self) -> list[str]:
        return [] if self.unit is None else [self.unit]

    @property
    def needed_to_drop(self) -> list[str]:
        """The columns by which records are left out."""
        if self.unit is not None:
            return self._units if self.left_out else []
        return [list(self.columns)[place] for place in self.dropped]

    def kept(self, table: pa.Table) -> BoolArray:
        """Say which records are not left out."""
        kept = np.ones(len(table), dtype=np.bool_)
        if self.unit is not None and self.left_out:
            places, units = indices(table.column(self.unit))
            return np.array([unit not in self.left_out for unit in units], dtype=np.bool_)[places]
        for name in self.needed_to_drop:
            kept &= ~np.isnan(self._values(table, name))
        return kept

    def _values(self, table: pa.Table, name: str) -> FloatArray:
        codes = self.columns[name]
        return floats(table.column(name)) if codes is None else coded(table.column(name), codes)

    def records(self, table: pa.Table) -> Records:
        """Give the records of a table that are not left out, in the order of their rows."""
        rows = table.column(ROW).to_numpy().astype(np.int64)
        values = np.column_stack([self._values(table, name) for name in self.columns])
        kept = np.arange(len(rows))
        if self.left_out:
            kept = np.flatnonzero(self.kept(table))
        elif self.dropped:
            kept = np.flatnonzero(~np.isnan(values[:, list(self.dropped)]).any(axis=1))
        if (np.diff(rows) < 0).any():
            kept = kept[np.argsort(rows[kept], kind="stable")]
        rows, values = rows[kept], np.ascontiguousarray(values[kept])
        strata = self.parents(table)[kept]
        if self.patterns is not None and len(rows):
            strata = self.patterns.divide(rows, strata, values)
        weights = None if self.weights is None else floats(table.column(self.weights))[kept]
        secrets = [secret.codes(table.column(secret.name))[kept] for secret in self.secrets]
        return Records(rows, values, strata, weights, np.column_stack(secrets) if secrets else None)

    def parents(self, table: pa.Table) -> IntArray:
        """Give the stratum of each record of a table, before patterns divide them."""
        if not self.strata:
            return np.zeros(len(table), dtype=np.int64)
        numbers, named = keys([table.column(name) for name in self.by])
        return np.array([self.strata[key] for key in named], dtype=np.int64)[numbers]
