"""Strata as a reader sees them: what is written is counted, not what it means.

`1.5` and `1.50` are one stratum for whoever groups by values, and two for whoever reads the file. Every test here reads
what was released with another library than wrote it, as text or with its types, and counts classes by itself.
"""

from __future__ import annotations

import csv
import datetime
import decimal
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import microagg as ma
from microagg.errors import InfeasibleK

K = 3
SPELLINGS = [
    ["1.5", "1.50"],
    ["1", "1.0", "+1"],
    ["0", "-0"],
    ["0.0", "-0.0", "0"],
    ["true", "TRUE", "True"],
    ["1000", "1e3", "1000."],
    ["2020-01-02", " 2020-01-02", "2020-01-02 "],
    ["2020-01-02 03:04", "2020-01-02T03:04", "2020-01-02 03:04:00"],
    ["7", "NA", "?", ".", "", "NULL"],
    [" 7", "7"],
]
ENGINES = ["unlimited", "200MB"]


def write_csv(path, strata, delimiter=","):
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow(["s", "x"])
        writer.writerows([spelled, i] for i, spelled in enumerate(strata))


def smallest_class_of_text(path, delimiter=","):
    with path.open(newline="", encoding="utf-8") as file:
        return min(Counter(tuple(row) for row in list(csv.reader(file, delimiter=delimiter))[1:]).values())


def smallest_class(rows):
    return min(Counter(tuple((type(value), repr(value)) for value in row) for row in rows).values())


@pytest.mark.parametrize("memory", ENGINES)
@pytest.mark.parametrize("spelled", SPELLINGS, ids=" ".join)
def test_strata_are_written_in_one_way_each(spelled, memory, tmp_path):
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    write_csv(source, [spelled[i % len(spelled)] for i in range(len(spelled) * 4)])
    release = ma.anonymize_file(source, target, K, quasi=["x"], by=["s"], memory=memory)
    assert smallest_class_of_text(target) >= K
    assert release.risks["smallest_class"] >= K
    typed = tmp_path / "out.parquet"
    ma.anonymize_file(source, typed, K, quasi=["x"], by=["s"], memory=memory)
    assert smallest_class([row.values() for row in pq.read_table(typed).to_pylist()]) >= K


@pytest.mark.parametrize("memory", ENGINES)
def test_the_decimal_mark_stays(memory, tmp_path):
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    write_csv(source, ["1,5", "1,50"] * 6, delimiter=";")
    ma.anonymize_file(source, target, K, quasi=["x"], by=["s"], memory=memory)
    assert smallest_class_of_text(target, ";") >= K
    assert {row.split(";")[0] for row in target.read_text().splitlines()[1:]} == {"1,5"}


@pytest.mark.parametrize("memory", ENGINES)
def test_strata_in_one_spelling_leave_as_they_came(memory, tmp_path):
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    strata = ["007", "1.50", "NA", "x "] * 4
    write_csv(source, strata)
    ma.anonymize_file(source, target, K, quasi=["x"], by=["s"], memory=memory)
    assert [row.split(",")[0] for row in target.read_text().splitlines()[1:]] == strata


@pytest.mark.parametrize("memory", ENGINES)
def test_text_that_differs_is_counted_apart(memory, tmp_path):
    """A space, a case or another way to write an accent makes another stratum, and a small one is refused."""
    source = tmp_path / "in.csv"
    for one, other in [("a", "a "), ("a", "A"), ("caf\u00e9", "cafe\u0301")]:
        write_csv(source, [one] * 6 + [other] * 2)
        with pytest.raises(InfeasibleK, match=r"the stratum of record 7 .* has fewer than k"):
            ma.anonymize_file(source, tmp_path / "out.csv", K, quasi=["x"], by=["s"], memory=memory)
        assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize("memory", ENGINES)
@pytest.mark.parametrize("column", [[0.0, -0.0], np.array([0.0, -0.0], dtype="f4"), [None, np.nan, 1.0]])
def test_numbers_with_types(column, memory, tmp_path):
    """Parquet keeps the sign of nothing."""
    source, target = tmp_path / "in.parquet", tmp_path / "out.parquet"
    values = pa.array([column[i % len(column)] for i in range(12)], type=pa.float32() if len(column) == 2 else None)
    pq.write_table(pa.table({"s": values, "x": range(12)}), source)
    ma.anonymize_file(source, target, K, quasi=["x"], by=["s"], memory=memory)
    written = pq.read_table(target)
    assert smallest_class([row.values() for row in written.to_pylist()]) >= K
    assert written.schema.field("s").type == values.type


@pytest.mark.parametrize("memory", ENGINES)
def test_values_that_look_alike_as_text_are_counted_apart(memory, tmp_path):
    source = tmp_path / "in.parquet"
    lists = [["a, b"]] * 6 + [["a", "b"]] * 2
    pq.write_table(pa.table({"s": lists, "x": range(8)}), source)
    with pytest.raises(InfeasibleK, match=r"the stratum of record 7 .* has fewer than k"):
        ma.anonymize_file(source, tmp_path / "out.parquet", K, quasi=["x"], by=["s"], memory=memory)


FRAMES = {
    "zeros": [0.0, -0.0],
    "gaps": [None, float("nan"), 1.0],
    "numbers": [1, 1.0, decimal.Decimal(1), np.float64(1)],
    "truth": [True, np.True_],
    "days": [datetime.datetime(2020, 1, 2), pd.Timestamp("2020-01-02")],
    "moments": [pd.Timestamp("2020-01-02 12:00", tz="UTC"), pd.Timestamp("2020-01-02 13:00", tz="Europe/Vienna")],
}


@pytest.mark.parametrize("values", FRAMES.values(), ids=FRAMES)
@pytest.mark.parametrize("dtype", [None, object])
def test_pandas(values, dtype):
    frame = pd.DataFrame({"s": pd.Series([values[i % len(values)] for i in range(24)], dtype=dtype), "x": range(24)})
    released = ma.anonymize(frame, K, quasi=["x"], by=["s"]).data
    assert smallest_class(zip(released["s"].tolist(), released["x"].tolist(), strict=True)) >= K
    assert released["s"].dtype == frame["s"].dtype


@pytest.mark.parametrize("values", [[0.0, -0.0], [None, float("nan"), 1.0]])
def test_polars_and_arrow(values):
    columns = {"s": [values[i % len(values)] for i in range(24)], "x": list(range(24))}
    released = ma.anonymize(pl.DataFrame(columns, strict=False), K, quasi=["x"], by=["s"]).data
    assert smallest_class(released.rows()) >= K
    arrow = ma.anonymize(pa.table(columns), K, quasi=["x"], by=["s"]).data
    assert smallest_class(row.values() for row in arrow.to_pylist()) >= K


@pytest.mark.parametrize("kind", ["moment", "span", "time"])
@pytest.mark.parametrize("make", [pa.table, lambda columns: pl.from_arrow(pa.table(columns)), None])
def test_nanoseconds_are_counted(kind, make):
    """Python's own times end at microseconds: two moments within one would be one stratum."""
    types = {"moment": pa.timestamp("ns"), "span": pa.duration("ns"), "time": pa.time64("ns")}
    columns = {"s": pa.array([3, 4] * 6, type=types[kind]), "x": pa.array(range(12))}
    mapper = pd.ArrowDtype if kind == "time" else None
    frame = pa.table(columns).to_pandas(types_mapper=mapper) if make is None else make(columns)
    released = ma.anonymize(frame, K, quasi=["x"], by=["s"]).data
    values = pa.table(released) if not isinstance(released, pd.DataFrame) else pa.Table.from_pandas(released)
    shown = values["s"].cast(pa.int64()).to_pylist()
    assert min(Counter(zip(shown, values["x"].to_pylist(), strict=True)).values()) >= K


def test_declared_missing_values_of_spss(tmp_path):
    """98 and 99 are both missing: one stratum, in which a reader could tell the refusals from the rest."""
    source, target = tmp_path / "in.sav", tmp_path / "out.sav"
    frame = pd.DataFrame({"s": [1.0, 98.0, 99.0, np.nan] * 6, "x": np.arange(24.0)})
    pyreadstat.write_sav(frame, str(source), missing_ranges={"s": [98.0, 99.0]})
    ma.anonymize_file(source, target, K, quasi=["x"], by=["s"])
    written, _ = pyreadstat.read_sav(str(target), user_missing=True)
    assert smallest_class(zip(written["s"].tolist(), written["x"].tolist(), strict=True)) >= K
    assert set(written["s"].dropna()) == {1.0}


def test_one_declared_missing_value_stays(tmp_path):
    source, target = tmp_path / "in.sav", tmp_path / "out.sav"
    pyreadstat.write_sav(
        pd.DataFrame({"s": [1.0, 98.0] * 6, "x": np.arange(12.0)}), str(source), missing_ranges={"s": [98.0]}
    )
    ma.anonymize_file(source, target, K, quasi=["x"], by=["s"])
    assert pyreadstat.read_sav(str(target), user_missing=True)[0]["s"].tolist() == [1.0, 98.0] * 6


def test_tagged_missing_values_of_stata(tmp_path):
    source, target = tmp_path / "in.dta", tmp_path / "out.dta"
    frame = pd.DataFrame({"s": [1, "a", "b", "a"] * 6, "x": np.arange(24.0)})
    pyreadstat.write_dta(frame, str(source), missing_user_values={"s": ["a", "b"]})
    ma.anonymize_file(source, target, K, quasi=["x"], by=["s"])
    written, _ = pyreadstat.read_dta(str(target), user_missing=True)
    assert smallest_class(zip(written["s"].tolist(), written["x"].tolist(), strict=True)) >= K


@settings(max_examples=25)
@given(
    strata=st.lists(st.sampled_from([text for spelled in SPELLINGS for text in spelled]), min_size=8, max_size=60),
    second=st.sampled_from(["1", "1.0", "", "NA"]),
)
def test_any_mixture_is_refused_or_counted_as_written(strata, second, tmp_path_factory):
    folder = tmp_path_factory.mktemp("mixture")
    source = folder / "in.csv"
    with source.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["s", "t", "x"])
        writer.writerows([s, second if i % 2 else "1", i] for i, s in enumerate(strata))
    for memory in ENGINES:
        target = folder / f"{memory}.csv"
        try:
            ma.anonymize_file(source, target, K, quasi=["x"], by=["s", "t"], memory=memory)
        except InfeasibleK:
            assert not target.exists()
        else:
            assert smallest_class_of_text(target) >= K
