"""Columns of Arrow tables as the engine takes them: numbers, codes, distinct values, words that stand for values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from microagg.base.schema import Storage
from microagg.base.types import FloatArray, IntArray
from microagg.engines.chance import Words, mixed, words_of

Values = dict[Any, tuple[int, int]]
"""Distinct values of a column: the first row of each, and how many records have it."""

AT_ONCE = 1 << 16
"""How many texts are turned into words at a time."""


def storage_of(kind: pa.DataType) -> Storage:
    """Say what an Arrow type holds.

    >>> storage_of(pa.decimal128(9, 2)), storage_of(pa.dictionary(pa.int8(), pa.string())), storage_of(pa.date32())
    (<Storage.NUMERIC: 'numeric'>, <Storage.TEXT: 'text'>, <Storage.DATE: 'date'>)
    """
    if pa.types.is_dictionary(kind):
        return storage_of(kind.value_type)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return Storage.NUMERIC
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return Storage.TEXT
    if pa.types.is_boolean(kind):
        return Storage.BOOLEAN
    return Storage.DATE if pa.types.is_date(kind) or pa.types.is_timestamp(kind) else Storage.OTHER


def is_integer(kind: pa.DataType) -> bool:
    """Say whether a type holds whole numbers alone."""
    return bool(pa.types.is_integer(kind) or (pa.types.is_decimal(kind) and kind.scale == 0))


def plain(column: pa.ChunkedArray) -> pa.Array:
    """Give a column in one piece, without a dictionary, and with one mark for what is missing."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if isinstance(whole, pa.ChunkedArray):  # of no chunk
        whole = pa.concat_arrays(whole.chunks) if whole.num_chunks else pa.array([], column.type)
    if pa.types.is_floating(whole.type):
        whole = pc.if_else(pc.is_nan(whole), pa.scalar(None, whole.type), whole)
    return whole


def floats(column: pa.ChunkedArray) -> FloatArray:
    """Give numbers, or dates as seconds since 1970; NaN where one is missing."""
    values = plain(column)
    if storage_of(values.type) is Storage.DATE:
        moments = values.cast(pa.timestamp("us", getattr(values.type, "tz", None)), safe=False).cast(pa.int64())
        return _filled(moments.cast(pa.float64(), safe=False)) / 1e6
    return _filled(values.cast(pa.float64(), safe=False))


def _filled(values: pa.Array) -> FloatArray:
    filled: FloatArray = np.array(pc.fill_null(values, np.nan).to_numpy(zero_copy_only=False), dtype=np.float64)
    return filled


def indices(column: pa.ChunkedArray) -> tuple[IntArray, list[Any]]:
    """Give the place of each record's value among the distinct ones, -1 where it is missing, and these values."""
    encoded = plain(column).dictionary_encode()
    places: IntArray = pc.fill_null(encoded.indices, -1).to_numpy(zero_copy_only=False).astype(np.int64)
    return places, encoded.dictionary.to_pylist()


def coded(column: pa.ChunkedArray, code_of: Mapping[Any, float]) -> FloatArray:
    """Give the code of each value; NaN where it is missing."""
    places, values = indices(column)
    codes: FloatArray = np.array([*(code_of[value] for value in values), np.nan], dtype=np.float64)[places]
    return codes


def distinct(column: pa.ChunkedArray, rows: IntArray, most: int) -> Values | None:
    """Give the distinct values that are not missing; None where there are more than `most`."""
    places, values = indices(column)
    if len(values) > most:
        return None
    there = places >= 0
    first = np.full(len(values), np.iinfo(np.int64).max)
    np.minimum.at(first, places[there], rows[there])
    counts = np.bincount(places[there], minlength=len(values))
    return dict(zip(values, zip(first.tolist(), counts.tolist(), strict=True), strict=True))


def both_distinct(one: Values | None, other: Values | None, most: int) -> Values | None:
    """Put the distinct values of two parts together."""
    if one is None or other is None:
        return None
    for value, (first, count) in other.items():
        known = one.get(value)
        one[value] = (first, count) if known is None else (min(first, known[0]), count + known[1])
    return one if len(one) <= most else None


def words(column: pa.ChunkedArray) -> list[Words]:
    """Give words of 64 bits for the values of a column that are equal where the values are, as they are written."""
    values = plain(column)
    gaps = np.asarray(pc.is_null(values).to_numpy(zero_copy_only=False), dtype=np.uint64)
    kind = values.type
    if pa.types.is_integer(kind):
        whole = pc.fill_null(values, 0).to_numpy(zero_copy_only=False)
        return [gaps, whole.astype(np.int64 if whole.dtype.kind == "i" else np.uint64).view(np.uint64)]
    if pa.types.is_floating(kind):
        return [gaps, words_of(_filled(values.cast(pa.float64())))]
    if pa.types.is_boolean(kind):
        return [gaps, pc.fill_null(values, False).to_numpy(zero_copy_only=False).astype(np.uint64)]
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        width = 32 if kind.bit_width == 32 else 64
        moments = values.cast(pa.int32() if width == 32 else pa.int64())
        return [gaps, pc.fill_null(moments, 0).to_numpy(zero_copy_only=False).astype(np.int64).view(np.uint64)]
    return [gaps, *_words_of_texts(texts(values))]


def texts(values: pa.Array) -> pa.Array:
    """Give values as text, however they are stored."""
    if storage_of(values.type) is Storage.TEXT:
        return values.cast(pa.large_string())
    try:
        return values.cast(pa.large_string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        written = [None if value is None else repr(value) for value in values.to_pylist()]
        return pa.array(written, pa.large_string())


def _words_of_texts(values: pa.Array) -> list[Words]:
    """Give two words for each text: sums of numbers that stand for its bytes, each times a power by its place."""
    parts: list[list[Words]] = []
    for start in range(0, max(1, len(values)), AT_ONCE):
        part = pc.fill_null(values.slice(start, AT_ONCE), "")
        part = pa.concat_arrays([part]) if part.offset == 0 else pa.array(part.to_pylist(), pa.large_string())
        offsets = np.frombuffer(part.buffers()[1], dtype=np.int64)[: len(part) + 1]
        data = part.buffers()[2]
        content = np.frombuffer(data, dtype=np.uint8)[: offsets[-1]] if data is not None else np.empty(0, np.uint8)
        lengths = np.diff(offsets)
        places = np.arange(len(content)) - np.repeat(offsets[:-1], lengths)
        sides: list[Words] = []
        for salt in (0xA4093822299F31D0, 0x082EFA98EC4E6C89):
            with np.errstate(over="ignore"):
                table = mixed(np.arange(256, dtype=np.uint64) + np.uint64(salt))
                powers = np.cumprod(np.full(int(lengths.max(initial=0)) + 1, salt | 1, dtype=np.uint64))
                sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(table[content] * powers[places])])
                sides.append(mixed(sums[offsets[1:]] - sums[offsets[:-1]] + lengths.astype(np.uint64)))
        parts.append(sides)
    return [np.concatenate([part[side] for part in parts]) for side in (0, 1)]


def keys(columns: Sequence[pa.ChunkedArray]) -> tuple[IntArray, list[tuple[Any, ...]]]:
    """Number the combinations of values of some columns; give that of each record, and the combinations."""
    combined = np.zeros(len(columns[0]), dtype=np.int64)
    named = []
    for column in columns:
        places, values = indices(column)
        combined, _ = _dense(combined * (len(values) + 1) + places + 1)
        named.append((places, values))
    numbers, first = _dense(combined)
    tuples = [
        tuple(None if places[row] < 0 else values[places[row]] for places, values in named) for row in first.tolist()
    ]
    return numbers, tuples


def _dense(codes: IntArray) -> tuple[IntArray, IntArray]:
    _, first, numbers = np.unique(codes, return_index=True, return_inverse=True)
    return numbers.astype(np.int64), first
