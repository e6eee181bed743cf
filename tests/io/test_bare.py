"""Only what the released values need leaves the house: a marker in every other slot of a frame or file is gone."""

from __future__ import annotations

import gzip
import io as std_io
import pickle
import zipfile

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest

import microagg as ma

MARK = "Zebedee"
"""Names somebody who is in no released record."""
N = 12
AGES = [20, 21, 22, 40, 41, 42, 60, 61, 62, 80, 81, 82]
CITIES = ["Oslo", "Lima"] * 6


def held(data: bytes) -> bool:
    """Say whether bytes hold the mark: plainly, in UTF-16, or in a packed part."""
    if MARK.encode() in data or MARK.encode("utf-16-le") in data:
        return True
    if data[:2] == b"\x1f\x8b":
        return held(gzip.decompress(data))
    if data[:2] == b"PK":
        with zipfile.ZipFile(std_io.BytesIO(data)) as parts:
            return any(held(parts.read(part)) for part in parts.namelist())
    return False


def pandas_frame() -> pd.DataFrame:
    levels = ["Oslo", "Lima", MARK]
    frame = pd.DataFrame(
        {
            "age": AGES,
            "city": pd.Categorical(CITIES, categories=levels),
            "home": pd.Categorical(CITIES, categories=levels, ordered=True),
            "born": pd.array(CITIES, dtype=pd.ArrowDtype(pa.string())),
            "work": pd.arrays.ArrowExtensionArray(arrow_dictionary()),
            "name": [f"{MARK}{i}" for i in range(N)],
        },
        index=pd.CategoricalIndex(CITIES, categories=levels),
    )
    frame.attrs = {"note": MARK, "rows": [MARK] * 3}
    return frame


def arrow_dictionary() -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array([2, 1] * 6, pa.int8()), pa.array([MARK, "Lima", "Oslo"]))


def polars_frame() -> pl.DataFrame:
    whole = pl.DataFrame(
        {
            "age": [*AGES, 5],
            "city": pl.Series([*CITIES, MARK], dtype=pl.Categorical),
            "home": pl.Series([*CITIES, MARK], dtype=pl.Enum(["Oslo", "Lima", MARK])),
            "born": [*CITIES, MARK],
            "work": pl.Series([*CITIES, MARK], dtype=pl.Categorical),
            "name": [f"{MARK}{i}" for i in range(N + 1)],
        }
    )
    return whole.head(N)


def arrow_table() -> pa.Table:
    fields = [
        pa.field("age", pa.int64(), metadata={"note": MARK}),
        pa.field("city", arrow_dictionary().type, metadata={"note": MARK}),
        pa.field("home", arrow_dictionary().type),
        pa.field("born", pa.string(), metadata={"note": MARK}),
        pa.field("work", arrow_dictionary().type),
        pa.field("name", pa.string()),
    ]
    columns = [
        AGES,
        arrow_dictionary(),
        arrow_dictionary(),
        CITIES,
        arrow_dictionary(),
        [f"{MARK}{i}" for i in range(N)],
    ]
    return pa.table(columns, schema=pa.schema(fields, metadata={"note": MARK, "pandas": "{" + MARK}))


FRAMES = {"pandas": pandas_frame, "polars": polars_frame, "pyarrow": arrow_table}
ROLES = {
    "as they are": {"quasi": ["age"]},
    "quasi": {"quasi": ["age", "city"]},
    "strata": {"quasi": ["age"], "by": ["city", "home"]},
}


def packed(frame) -> dict[str, bytes]:
    """Give a frame in the forms in which people pass it on."""
    forms = {}
    if isinstance(frame, pa.Table):
        sink, file = pa.BufferOutputStream(), std_io.BytesIO()
        with pa.ipc.new_file(sink, frame.schema) as writer:
            writer.write_table(frame)
        pq.write_table(frame, file)
        forms = {"arrow": sink.getvalue().to_pybytes(), "parquet": file.getvalue()}
    elif isinstance(frame, pl.DataFrame):
        arrow, parquet = std_io.BytesIO(), std_io.BytesIO()
        frame.write_ipc(arrow)
        frame.write_parquet(parquet)
        forms = {"arrow": arrow.getvalue(), "parquet": parquet.getvalue()}
    else:
        parquet = std_io.BytesIO()
        frame.to_parquet(parquet)
        forms = {"parquet": parquet.getvalue()}
    return {**forms, "pickle": pickle.dumps(frame), "shown": repr(frame).encode()}


@pytest.mark.parametrize("kind", FRAMES)
def test_the_mark_is_found_where_it_is(kind):
    """The search itself works: every form of the frame that comes in holds the mark."""
    frame = FRAMES[kind]()
    frame = frame.drop(["name"]) if kind == "pyarrow" else frame.drop(columns="name") if kind == "pandas" else frame
    assert all(held(data) for form, data in packed(frame).items() if form != "shown")


@pytest.mark.parametrize("roles", ROLES)
@pytest.mark.parametrize("kind", FRAMES)
def test_a_frame_leaves_with_its_values_alone(kind, roles):
    frame = FRAMES[kind]()
    released = ma.anonymize(frame, 3, identifiers=["name"], **ROLES[roles]).data
    assert type(released) is type(frame)
    for form, data in packed(released).items():
        assert not held(data), form


@pytest.mark.parametrize("kind", FRAMES)
def test_what_is_not_needed_goes_and_what_is_stays(kind):
    """Values, order of categories, and types of columns are as they were."""
    released = ma.anonymize(FRAMES[kind](), 3, quasi=["age"], identifiers=["name"]).data
    for name in ("city", "home", "work"):
        assert list(released[name].to_pylist() if kind == "pyarrow" else released[name]) == CITIES
    if kind == "pandas":
        assert released["home"].cat.categories.tolist() == ["Oslo", "Lima"]
        assert released["home"].cat.ordered
        assert released.attrs == {}
    elif kind == "polars":
        assert released["home"].dtype == pl.Enum(["Oslo", "Lima"])
        assert released["city"].dtype == pl.Categorical
    else:
        assert released.schema.field("work").type == arrow_dictionary().type
        assert released["work"].chunk(0).dictionary.to_pylist() == ["Lima", "Oslo"]


ARROW_NESTED = pa.field("a", pa.dictionary(pa.int8(), pa.string()), metadata={"note": MARK})
NESTED = {
    "struct": lambda: pa.table(
        {"age": AGES, "v": pa.array([{"a": city} for city in CITIES], pa.struct([ARROW_NESTED]))}
    ),
    "list": lambda: pa.table({"age": AGES, "v": pa.array([[city] for city in CITIES], pa.list_(ARROW_NESTED))}),
    "fixed list": lambda: pa.table(
        {"age": AGES, "v": pa.array([[city] for city in CITIES], pa.list_(ARROW_NESTED, 1))}
    ),
    "polars": lambda: pl.DataFrame(
        {"age": AGES, "v": pl.Series([[city] for city in CITIES], dtype=pl.List(pl.Enum(["Oslo", "Lima", MARK])))}
    ),
}


@pytest.mark.parametrize("kind", NESTED)
def test_values_inside_values_leave_alone_too(kind):
    frame = NESTED[kind]()
    assert any(held(data) for data in packed(frame).values())
    released = ma.anonymize(frame, 3, quasi=["age"]).data
    for form, data in packed(released).items():
        assert not held(data), form
    assert (released["v"].to_pylist() if kind != "polars" else released["v"].to_list()) == (
        frame["v"].to_pylist() if kind != "polars" else frame["v"].to_list()
    )


def test_the_frame_that_came_in_stays_as_it_was():
    frame = pandas_frame()
    ma.anonymize(frame, 3, quasi=["age", "city"], identifiers=["name"])
    assert frame.attrs["note"] == MARK
    assert frame["home"].cat.categories.tolist() == ["Oslo", "Lima", MARK]


def test_arrow_from_pandas_can_go_back_to_pandas():
    """What pandas noted in the table named columns and an index that the release has no more."""
    table = pa.Table.from_pandas(pd.DataFrame({"age": AGES, "name": CITIES}, index=pd.Index(CITIES, name="key")))
    released = ma.anonymize(table, 3, quasi=["age"], identifiers=["name", "key"]).data
    assert released.to_pandas().columns.tolist() == ["age"]


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".parquet", ".sav", ".zsav", ".dta", ".xpt", ".xlsx"])
@pytest.mark.parametrize("kind", FRAMES)
def test_files_of_frames_hold_the_values_alone(kind, suffix, tmp_path):
    release = ma.anonymize(FRAMES[kind](), 3, quasi=["age"], identifiers=["name"])
    release.write(tmp_path / f"out{suffix}")
    assert not held((tmp_path / f"out{suffix}").read_bytes())


@pytest.fixture
def spss(tmp_path):
    frame = pd.DataFrame(
        {
            "age": [float(age) for age in AGES],
            "city": [1.0, 2.0] * 6,
            "why": [1.0, 98.0] * 6,
            "name": [f"{MARK}{i}" for i in range(N)],
        }
    )
    path = tmp_path / "people.sav"
    pyreadstat.write_sav(
        frame,
        path,
        file_label=MARK,
        note=[MARK, f"of {MARK}"],
        column_labels={"age": "Age", "city": "City", "name": f"Name of {MARK}"},
        variable_value_labels={"city": {1: "Oslo", 2: "Lima", 3: MARK}, "age": {20: MARK}, "why": {98: "no", 99: MARK}},
        missing_ranges={"why": [98, 99], "age": [{"lo": 97, "hi": 99}]},
    )
    return path


def test_spss_files_hold_what_their_values_need(spss, tmp_path):
    assert held(spss.read_bytes())
    out = tmp_path / "out.sav"
    ma.anonymize_file(spss, out, 3, quasi=["age"], identifiers=["name"])
    assert not held(out.read_bytes())
    _, meta = pyreadstat.read_sav(out, user_missing=True)
    assert meta.column_names_to_labels == {"age": "Age", "city": "City", "why": None}
    assert meta.variable_value_labels == {"city": {1.0: "Oslo", 2.0: "Lima"}, "why": {98.0: "no"}}
    assert meta.missing_ranges == {"why": [{"lo": 98.0, "hi": 98.0}]}
    for suffix in (".dta", ".xpt", ".csv", ".parquet", ".xlsx"):
        ma.anonymize_file(spss, tmp_path / f"out{suffix}", 3, quasi=["age"], identifiers=["name"])
        assert not held((tmp_path / f"out{suffix}").read_bytes()), suffix


def test_stata_files_hold_what_their_values_need(tmp_path):
    source, out = tmp_path / "people.dta", tmp_path / "out.dta"
    frame = pd.DataFrame({"age": AGES, "why": np.array([1, "a"] * 6, dtype=object), "name": [MARK] * N})
    pyreadstat.write_dta(
        frame,
        source,
        file_label=MARK,
        column_labels={"name": MARK},
        variable_value_labels={"why": {1: "yes", 2: MARK}},
        missing_user_values={"why": ["a", "b"]},
    )
    assert held(source.read_bytes())
    ma.anonymize_file(source, out, 3, quasi=["age"], identifiers=["name"])
    assert not held(out.read_bytes())
    tagged, meta = pyreadstat.read_dta(out, user_missing=True)
    assert meta.missing_user_values == {"why": ["a"]}
    assert tagged["why"].tolist() == [1, "a"] * 6


def test_parquet_files_hold_nothing_of_what_was_replaced(tmp_path):
    """Their statistics (least and greatest values) and notes are those of the release."""
    source, out = tmp_path / "people.parquet", tmp_path / "out.parquet"
    table = pa.table(
        {"age": [*AGES, 977], "city": [*CITIES, MARK], "name": [MARK] * (N + 1)},
        schema=pa.schema(
            [pa.field("age", pa.int64(), metadata={"n": MARK}), ("city", pa.string()), ("name", pa.string())],
            {"note": MARK},
        ),
    )
    pq.write_table(table, source)
    assert held(source.read_bytes())
    ma.anonymize_file(source, out, 3, quasi=["age", "city"], identifiers=["name"], round=True)
    assert not held(out.read_bytes())
    written = pq.read_metadata(out)
    released = pq.read_table(out)["age"].to_numpy()
    statistics = written.row_group(0).column(0).statistics
    assert (statistics.min, statistics.max) == (released.min(), released.max())
    assert statistics.max < 977


def test_workbooks_are_made_anew(tmp_path):
    import openpyxl

    source, out = tmp_path / "people.xlsx", tmp_path / "out.xlsx"
    book = openpyxl.Workbook()
    book.properties.creator = book.properties.title = book.properties.description = MARK
    book.active.append(["age", "city", "name"])
    for age, city in zip(AGES, CITIES, strict=True):
        book.active.append([age, city, MARK])
    book.active["A1"].comment = openpyxl.comments.Comment(MARK, MARK)
    book.create_sheet(MARK).append([MARK])
    book.defined_names[MARK] = openpyxl.workbook.defined_name.DefinedName(MARK, attr_text="Sheet!$A$1")
    book.save(source)
    assert held(source.read_bytes())
    ma.anonymize_file(source, out, 3, quasi=["age"], identifiers=["name"])
    assert not held(out.read_bytes())
