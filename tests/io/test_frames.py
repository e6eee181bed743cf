"""What is particular to frames: the kind that came in goes out, types and index included."""

from __future__ import annotations

import datetime
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from checks import value_in
from file_kinds import FRAMES

from microagg import io
from microagg.base.schema import Storage
from microagg.errors import InvalidData

D = decimal.Decimal


@pytest.mark.parametrize("kind", FRAMES)
def test_the_same_kind_comes_out(kind):
    frame = FRAMES[kind]()
    out = io.wrap(frame).with_columns({"income": np.array([1.0, 2.0, np.nan, 1.0])}).native()
    assert type(out) is type(frame)
    untouched = io.wrap(frame, keep_index=True).take(np.arange(4)).native()
    assert untouched.equals(frame)


@pytest.mark.parametrize(
    ("dtype", "values", "expected"),
    [
        ("float32", [1.5, 2.5], "float32"),
        ("float64", [1.5, 2.5], "float64"),
        ("int8", np.array([1, 2]), "int8"),
        ("int8", np.array([1, 200]), "int64"),
        ("uint16", np.array([1, 2]), "uint16"),
        ("int32", [1.5, 2.5], "float64"),
        ("Int32", np.array([1, 2]), "Int32"),
        ("Int32", [1.5, np.nan], "Float64"),
        ("Float32", [1.5, np.nan], "Float32"),
        ("int64[pyarrow]", np.array([1, 2]), "int64[pyarrow]"),
        ("int64[pyarrow]", [1.5, np.nan], "double[pyarrow]"),
        ("float[pyarrow]", [1.5, np.nan], "float[pyarrow]"),
    ],
)
def test_pandas_types_are_kept(dtype, values, expected):
    frame = pd.DataFrame({"x": pd.Series([1, 2], dtype=dtype, index=[7, 7])})
    out = io.wrap(frame, keep_index=True).with_columns({"x": np.array(values)}).native()
    assert str(out["x"].dtype) == expected
    assert out.index.tolist() == [7, 7]
    assert io.wrap(frame).with_columns({"x": np.array(values)}).native().index.tolist() == [0, 1]
    np.testing.assert_array_equal(io.wrap(out).numeric("x").values, np.asarray(values, dtype=float))
    if np.isnan(np.asarray(values, dtype=float)).any():
        assert out["x"].isna().tolist() == [False, True]


@pytest.mark.parametrize(
    ("dtype", "values", "expected"),
    [
        (pl.Float32, [1.5, np.nan], pl.Float32),
        (pl.Int16, np.array([1, 2]), pl.Int16),
        (pl.Int16, [1.5, np.nan], pl.Float64),
        (pl.UInt8, np.array([1, 300]), pl.Int64),
        (pl.Decimal(10, 2), [1.5, 2.5], pl.Float64),
    ],
)
def test_polars_types_are_kept(dtype, values, expected):
    out = io.wrap(pl.DataFrame({"x": [1, 2]}, schema={"x": dtype})).with_columns({"x": np.array(values)}).native()
    assert out["x"].dtype == expected
    assert out["x"].null_count() == np.isnan(np.asarray(values, dtype=float)).sum()


def test_arrow_types_are_kept():
    frame = pa.table({"x": pa.array([1, 2], pa.float32()), "n": pa.array([1, 2], pa.int8())})
    out = io.wrap(frame).with_columns({"x": np.array([1.5, np.nan]), "n": np.array([3, 4])}).native()
    assert out.schema.types == [pa.float32(), pa.int8()]
    assert out["x"].to_pylist() == [1.5, None]


def test_equal_values_stay_equal_in_single_precision():
    """A mean repeated over a group must stay one value when it is rounded to float32."""
    means = np.repeat([1 / 3, 2 / 3], 3)
    frame = pl.DataFrame({"x": np.zeros(6, dtype=np.float32)})
    assert len(set(io.wrap(frame).with_columns({"x": means}).codes("x").tolist())) == 2


def test_the_index_goes_with_its_rows():
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0], "s": list("abc")}, index=pd.Index(["p", "q", "p"], name="key"))
    out = io.wrap(frame, keep_index=True).take(np.array([2, 0])).with_columns({"x": np.array([9.0, 8.0])}).native()
    assert out.index.tolist() == ["p", "p"]
    assert out.index.name == "key"
    assert out["s"].tolist() == ["c", "a"]
    assert out["x"].tolist() == [9.0, 8.0]


MISSING = {
    "numbers": ([1.5, None, float("nan")], Storage.NUMERIC),
    "whole": ([1, None, 1], Storage.NUMERIC),
    "words": (["a", None, "a"], Storage.TEXT),
    "flags": ([True, None, False], Storage.BOOLEAN),
    "days": ([datetime.date(2020, 1, 1), None, datetime.date(2020, 1, 2)], Storage.DATE),
    "moments": ([datetime.datetime(2020, 1, 1, 10), None, datetime.datetime(2020, 1, 1, 11)], Storage.DATE),
    "exact": ([D("1.10"), None, D("2.20")], Storage.NUMERIC),
    "lists": ([[1], None, [2]], Storage.OTHER),
}


@pytest.mark.parametrize("column", MISSING)
@pytest.mark.parametrize(
    "make", [pd.DataFrame, lambda data: pd.DataFrame(data).convert_dtypes(), pl.DataFrame, pa.table]
)
def test_every_kind_of_missing_is_missing(column, make, tmp_path):
    values, kind = MISSING[column]
    table = io.wrap(make({column: values}))
    assert table.storage(column) is kind
    assert value_in(table, column, 1) is None
    assert table.codes(column)[1] not in table.codes(column)[[0]]
    if kind is Storage.NUMERIC:
        assert np.isnan(table.numeric(column).values[1])
    else:
        with pytest.raises(InvalidData, match=f"'{column}' must hold numbers"):
            table.numeric(column)
    io.write(table, tmp_path / "out.parquet")
    back = io.read(tmp_path / "out.parquet")
    assert back.storage(column) is kind
    assert value_in(back, column, 1) is None


def test_categories_are_text():
    for frame in (
        pd.DataFrame({"c": pd.Categorical(["a", None, "a"])}),
        pl.DataFrame({"c": pl.Series(["a", None, "a"], dtype=pl.Categorical)}),
        pa.table({"c": pa.array(["a", None, "a"]).dictionary_encode()}),
    ):
        table = io.wrap(frame)
        assert table.storage("c") is Storage.TEXT
        assert table.codes("c").tolist() == [0, 1, 0]


def test_text_of_digits_is_text():
    table = io.wrap(pl.DataFrame({"zip": ["01234", "56789"]}))
    with pytest.raises(InvalidData, match=r"'zip' must hold numbers; it holds text values.*Convert"):
        table.numeric("zip")


def test_mixed_objects_name_the_first_that_is_no_number():
    table = io.wrap(pd.DataFrame({"x": [1, None, "three"]}, dtype=object))
    assert table.storage("x") is Storage.OTHER
    with pytest.raises(InvalidData, match="record 3 holds str"):
        table.numeric("x")


def test_long_whole_numbers_are_told_apart():
    for frame in (
        pl.DataFrame({"id": [2**53, 2**53 + 1, None]}),
        pd.DataFrame({"id": pd.array([2**53, 2**53 + 1, None], dtype="Int64")}),
        pa.table({"id": [2**53, 2**53 + 1, None]}),
    ):
        assert len(set(io.wrap(frame).codes("id").tolist())) == 3


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pl.LazyFrame({"a": [1]}), r"lazy LazyFrame. Call its collect\(\)"),
        (pd.DataFrame([[1, 2]]), "names must be text; the name of column 1 is 0"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "name of its own"),
        (pa.table([[1], [2]], names=["a", "a"]), "name of its own"),
        (np.zeros((2, 2)), "must be a data frame .*; got ndarray"),
        (pd.Series([1]), "must be a data frame .*; got Series"),
        ({"a": [1]}, "must be a data frame .*; got dict"),
        (None, "must be a data frame"),
    ],
)
def test_what_is_no_frame_is_refused(frame, message):
    with pytest.raises(InvalidData, match=message):
        io.wrap(frame)


@pytest.mark.parametrize(
    ("module", "call"),
    [
        ("pyspark.sql.classic.dataframe", "frame of Spark. Call microagg.spark.anonymize"),
        ("dask.dataframe.dask_expr._collection", "frame of Dask. Call microagg.dask.anonymize"),
    ],
)
def test_frames_of_a_cluster_are_sent_to_their_own_call(module, call):
    """Known by the name of their package: neither package is imported for that."""
    frame = type("DataFrame", (), {"__module__": module})()
    with pytest.raises(InvalidData, match=call):
        io.wrap(frame)


def test_columns_that_nobody_asks_for_are_not_touched():
    marker = object()
    frame = pd.DataFrame({"x": [1.0, 2.0], "odd": [marker, marker]})
    out = io.wrap(frame).with_columns({"x": np.array([3.0, 4.0])}).take(np.array([1])).native()
    assert out["odd"].iloc[0] is marker
