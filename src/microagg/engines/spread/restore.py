"""Released numbers and codes as columns of the types that they came in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from microagg.base.schema import Kind, Storage
from microagg.base.types import FloatArray
from microagg.engines.spread.coding import RecodedView
from microagg.engines.spread.parts import ROW
from microagg.io.columns import fit
from microagg.prepare.kinds import QuasiColumn


@dataclass(frozen=True, eq=False)
class Restore:
    """Makes released records of records and what was made of them.

    Attributes
    ----------
    view : RecodedView
        What was recoded.
    columns : tuple of QuasiColumn
        The quasi-identifiers.
    types : mapping of str to pa.DataType
        The type that each of these has in the release.
    by : tuple of str
        Columns in which what is equal must be written alike.
    """

    view: RecodedView
    columns: tuple[QuasiColumn, ...]
    types: Mapping[str, pa.DataType]
    by: tuple[str, ...]

    def __call__(self, source: pa.Table, made: pa.Table) -> pa.Table:
        """Make them."""
        table = self.view.take(source)
        for j, column in enumerate(self.columns):
            values = made.column(f"y{j}").to_numpy().astype(np.float64)
            place = table.schema.get_field_index(column.name)
            table = table.set_column(place, column.name, restored(column, values, self.types[column.name]))
        for name in self.by:
            place = table.schema.get_field_index(name)
            if pa.types.is_floating(table.schema.field(place).type):
                plain = table.column(place)
                zero = pa.scalar(0.0, plain.type)
                table = table.set_column(place, name, pa.compute.if_else(pa.compute.equal(plain, zero), zero, plain))
        # What a file says of itself names columns that are left out, and may tell of their values.
        bare = [field.remove_metadata() for field in table.schema]
        return table.cast(pa.schema(bare)).drop_columns([ROW])


def type_of(column: QuasiColumn, before: pa.DataType, whole: bool, ends: tuple[float, float]) -> pa.DataType:
    """Give the type of a released column: that of the column, where it can hold what is released.

    Parameters
    ----------
    column : QuasiColumn
        A quasi-identifier.
    before : pa.DataType
        Its type.
    whole : bool
        Whether it holds whole numbers again.
    ends : pair of float
        The least and the greatest number of all records.
    """
    if column.objects:
        return _objects(column, before).type
    if column.storage is Storage.DATE:
        finest = pa.types.is_timestamp(before) and before.unit in ("us", "ns")
        return before if finest or before == pa.date32() else pa.timestamp("us", getattr(before, "tz", None))
    for kind in (before, pa.int64()) if whole else ():
        if pa.types.is_integer(kind):
            limits = np.iinfo(np.dtype(kind.to_pandas_dtype()))
            if ends[0] > ends[1] or (limits.min <= ends[0] and ends[1] < limits.max):
                return kind
    return pa.float32() if pa.types.is_float32(before) else pa.float64()


def restored(column: QuasiColumn, values: FloatArray, stored: pa.DataType) -> pa.Array:
    """Give released numbers or codes as a column of a type."""
    gaps = np.isnan(values)
    known = np.where(gaps, 0.0, values)
    if column.objects:
        codes = pa.array(known.astype(np.int64), mask=gaps)
        return _objects(column, stored).take(codes)
    if column.kind is Kind.NUMERIC and column.storage is Storage.DATE:
        micros = np.rint(known * 1e6).astype(np.int64)
        if stored == pa.date32():
            days = np.floor_divide(micros, 86_400_000_000).astype(np.int32)
            return pa.array(days, mask=gaps).cast(stored)
        return pa.array(micros, mask=gaps).cast(pa.timestamp("us", stored.tz)).cast(stored)
    numbers: Any = known.astype(np.int64) if pa.types.is_integer(stored) else known
    return pa.array(numbers, mask=gaps).cast(stored, safe=False)


def _objects(column: QuasiColumn, before: pa.DataType) -> pa.Array:
    """Give what the codes of a column stand for."""
    if column.storage is Storage.NUMERIC and all(isinstance(value, int | float) for value in column.objects):
        kind = np.dtype(before.to_pandas_dtype()) if not pa.types.is_decimal(before) else np.dtype(np.float64)
        return pa.array(fit(np.array(column.objects), kind))
    if column.storage is Storage.TEXT or any(isinstance(value, str) for value in column.objects):
        return pa.array([str(value) for value in column.objects], pa.string())
    return pa.array(list(column.objects), before)
