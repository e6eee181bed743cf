"""Frames without what is not needed for their values: categories that no record holds, and what others noted in them.

A category that nobody holds any more names somebody who was left out or changed. What programs note in a frame (the
attributes of pandas, the metadata of Arrow) may hold anything: names of columns that were dropped, whole records.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import narwhals as nw


def bare(frame: nw.DataFrame[Any]) -> nw.DataFrame[Any]:
    """Give a frame of the same kind, values and types, in which nothing is left but these.

    >>> import pandas as pd
    >>> import narwhals as nw
    >>> people = pd.DataFrame({"city": pd.Categorical(["Oslo"], categories=["Oslo", "Lima"])})
    >>> bare(nw.from_native(people)).to_native()["city"].cat.categories.to_list()
    ['Oslo']
    """
    import narwhals as nw

    native = frame.to_native()
    if frame.implementation.is_pandas_like():
        native = _bare_pandas(native)
    elif frame.implementation.is_polars():
        native = _bare_polars(native)
    elif frame.implementation.is_pyarrow():
        native = _bare_arrow(native)
    return nw.from_native(native, eager_only=True)


def _bare_pandas(frame: Any) -> Any:
    # Arrays may be shared with the frame that came in: only what is replaced is new.
    frame = frame.copy(deep=False)
    frame.attrs = {}
    for position, dtype in enumerate(frame.dtypes):
        column = frame.iloc[:, position]
        if hasattr(column, "cat") and hasattr(dtype, "categories"):
            frame.isetitem(position, column.cat.remove_unused_categories())
        elif hasattr(dtype, "pyarrow_dtype"):
            frame.isetitem(position, type(column.array)(_bare_chunks(column.array.__arrow_array__())))
    index = frame.index
    if hasattr(index, "remove_unused_categories"):
        frame.index = index.remove_unused_categories()
    elif hasattr(index, "remove_unused_levels"):
        frame.index = index.remove_unused_levels()
    return frame


def _bare_polars(frame: Any) -> Any:
    import polars as pl

    columns = []
    for name, dtype in frame.schema.items():
        if isinstance(dtype, pl.Enum):
            held = set(frame[name].unique().drop_nulls().to_list())
            kept = pl.Enum([category for category in dtype.categories if category in held])
            columns.append(frame[name].cast(pl.String).cast(kept))
        elif isinstance(dtype, pl.Categorical):
            columns.append(frame[name].cast(pl.String).cast(pl.Categorical()))
        elif dtype.is_nested() and (plain := _as_text(dtype)) != dtype:
            columns.append(frame[name].cast(plain))
    return frame.with_columns(columns) if columns else frame


def _as_text(dtype: Any) -> Any:
    """Give a nested type of polars with text in place of categories: those deep inside are not counted."""
    import polars as pl

    if isinstance(dtype, pl.Enum | pl.Categorical):
        return pl.String()
    if isinstance(dtype, pl.List):
        return pl.List(_as_text(dtype.inner))
    if isinstance(dtype, pl.Array):
        return pl.Array(_as_text(dtype.inner), dtype.size)
    if isinstance(dtype, pl.Struct):
        return pl.Struct([pl.Field(field.name, _as_text(field.dtype)) for field in dtype.fields])
    return dtype


def _bare_arrow(table: Any) -> Any:
    import pyarrow as pa

    columns = [_bare_chunks(column) for column in table.columns]
    fields = [
        pa.field(field.name, column.type, nullable=field.nullable)
        for field, column in zip(table.schema, columns, strict=True)
    ]
    return pa.table(columns, schema=pa.schema(fields))


def _bare_chunks(column: Any) -> Any:
    """Give a column of Arrow whose dictionary, if it has one, holds the values that occur, in their old order."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_nested(column.type):
        if not _notes(column.type):
            return column
        again = pa.array(column.to_pylist(), _bare_type(column.type))
        return pa.chunked_array([again]) if isinstance(column, pa.ChunkedArray) else again
    if not pa.types.is_dictionary(column.type):
        return column
    chunked = column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])
    values = chunked.cast(column.type.value_type)
    order = pa.concat_arrays([chunk.dictionary for chunk in chunked.chunks]) if chunked.num_chunks else values
    kept = pc.unique(order.filter(pc.is_in(order, value_set=pc.unique(values).drop_null())))
    codes = pc.index_in(values.combine_chunks(), value_set=kept).cast(column.type.index_type)
    bare = pa.DictionaryArray.from_arrays(codes, kept, ordered=column.type.ordered)
    return pa.chunked_array([bare]) if isinstance(column, pa.ChunkedArray) else bare


def _inside(dtype: Any) -> list[Any]:
    """Give the fields of a nested type of Arrow."""
    return [dtype.field(position) for position in range(dtype.num_fields)]


def _notes(dtype: Any) -> bool:
    """Say whether a nested type of Arrow has dictionaries or notes somewhere inside."""
    import pyarrow as pa

    return any(f.metadata or pa.types.is_dictionary(f.type) or _notes(f.type) for f in _inside(dtype))


def _bare_type(dtype: Any) -> Any:
    """Give a nested type of Arrow without notes; its dictionaries are made anew from the values."""
    import pyarrow as pa

    fields = [pa.field(f.name, _bare_type(f.type), nullable=f.nullable) for f in _inside(dtype)]
    if pa.types.is_struct(dtype):
        return pa.struct(fields)
    if pa.types.is_map(dtype):
        return pa.map_(_bare_type(dtype.key_type), _bare_type(dtype.item_type))
    if pa.types.is_fixed_size_list(dtype):
        return pa.list_(fields[0], dtype.list_size)
    if pa.types.is_large_list(dtype):
        return pa.large_list(fields[0])
    return pa.list_(fields[0]) if pa.types.is_list(dtype) else dtype
