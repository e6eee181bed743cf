"""Files that are damaged, lie about themselves, or do not fit onto the disk: one line that says so."""

from __future__ import annotations

import datetime
import gzip
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
import warnings
import zipfile
from pathlib import Path

import mutating
import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from checks import value_in

import microagg as ma
from microagg import io
from microagg.errors import FileProblem, InvalidData, InvalidOption
from microagg.io import excel, feed
from microagg.plan import load_plan
from microagg.survey.definition import Definition

MUTATIONS = int(os.environ.get("MICROAGG_MUTATIONS", "30"))
SHEET = (
    '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">{}<sheetData>'
    '<row r="1"><c r="A1" t="inlineStr"><is><t>a</t></is></c></row>{}</sheetData></worksheet>'
)


@pytest.mark.parametrize("kind", [*mutating.TABLES, *mutating.TEXTS])
def test_a_damaged_file_is_read_or_refused_in_one_line(kind):
    """In a process of its own, with 4 GiB: neither a traceback, nor a crash of a reader, nor a hunger for memory."""
    command = [sys.executable, mutating.__file__, kind, "0", str(MUTATIONS)]
    environment = {**os.environ, "PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    counts = json.loads(done.stdout)
    assert counts["read"] + counts["refused"] == MUTATIONS
    assert counts["refused"] > 0


def test_damage_depends_on_the_seed_alone():
    content = bytes(range(200))
    assert mutating.damaged(content, random.Random(1)) == mutating.damaged(content, random.Random(1))  # noqa: S311
    assert mutating.damaged(content, random.Random(1)) != content  # noqa: S311


def workbook(path, rows, dimension=""):
    """Make a workbook whose sheet has these rows of XML after the header."""
    plain = path.with_name("plain.xlsx")
    openpyxl.Workbook().save(plain)
    with zipfile.ZipFile(plain) as parts, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name in parts.namelist():
            content = SHEET.format(dimension, rows) if name == "xl/worksheets/sheet1.xml" else parts.read(name)
            made.writestr(name, content)
    return path


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ('<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>', "spans 16384 columns and 1048576 rows"),
        ("<row><c><v>1</v></c></row>" * 1_000_000, "expands to more than 200 times its size"),
        ('<row r="99999999"><c r="A99999999"><v>1</v></c></row>', "more rows than the 1048576"),
    ],
    ids=["a far cell", "millions of rows", "a row beyond the last"],
)
def test_workbooks_made_to_fill_the_memory_are_refused(rows, message, tmp_path):
    path = workbook(tmp_path / "bomb.xlsx", rows)
    assert path.stat().st_size < 200_000
    with pytest.raises(InvalidData, match=message):
        io.read(path)


def test_what_a_sheet_says_of_its_size_is_not_believed(tmp_path):
    path = workbook(tmp_path / "a.xlsx", '<row r="2"><c r="A2"><v>1</v></c></row>', '<dimension ref="A1:XFD1048576"/>')
    assert io.read(path).numeric("a").values.tolist() == [1]


def test_the_unpacked_size_of_a_workbook_is_limited(tmp_path, monkeypatch):
    monkeypatch.setattr(excel, "MOST_BYTES", 1000)
    with pytest.raises(InvalidData, match="GiB, unpacked"):
        io.read(workbook(tmp_path / "a.xlsx", ""))


def test_time_zones_go_into_workbooks_as_text(tmp_path):
    moments = [datetime.datetime(2024, 1, 1 + i, 12, tzinfo=datetime.UTC) for i in range(6)]
    io.write(io.wrap(pl.DataFrame({"x": range(6), "at": moments})), tmp_path / "out.xlsx")
    back = io.read(tmp_path / "out.xlsx")
    assert value_in(back, "at", 0).startswith("2024-01-01 12:00:00+00")


def gzipped_bomb(path, n_bytes):
    line = b"1\n" * 500_000
    with gzip.open(path, "wb") as file:
        file.write(b"a\n")
        for _ in range(n_bytes // len(line)):
            file.write(line)
    return path


@pytest.mark.parametrize("encoding", [None, "cp1252"])
def test_gzipped_text_made_to_fill_the_disk_is_refused(tmp_path, monkeypatch, encoding):
    monkeypatch.setattr(feed, "FREE_EXPANSION", 1 << 20)
    path = gzipped_bomb(tmp_path / "bomb.csv.gz", 20 << 20)
    with pytest.raises(InvalidData, match=r"bomb\.csv\.gz expands to more than 200 times its size.*gunzip"):
        io.read(path, encoding=encoding)


def test_gzipped_text_of_people_is_read_through_the_pipe(tmp_path, monkeypatch):
    """The same numbers as without counting."""
    values = np.random.default_rng(0).integers(0, 10**6, 50_000)
    path = tmp_path / "people.csv.gz"
    path.write_bytes(gzip.compress(("a\n" + "\n".join(map(str, values)) + "\n").encode()))
    plainly = io.read(path).numeric("a").values
    monkeypatch.setattr(feed, "FREE_EXPANSION", 1000)
    assert feed.may_expand(path)
    np.testing.assert_array_equal(io.read(path).numeric("a").values, plainly)
    path.write_bytes(path.read_bytes()[:-2000])
    with pytest.raises(InvalidData, match="not a whole gzip file"):
        io.read(path)
    assert threading.active_count() == 1 or not any(t.name == "microagg-feeder" for t in threading.enumerate())


def test_wide_tables_are_written_in_seconds_whatever_their_way_in(tmp_path):
    """The time of DuckDB's optimizer grew with the square of the columns: 3,000 of them took a minute."""
    names = [f"q{i}" for i in range(3000)]
    frame = pd.DataFrame(np.random.default_rng(0).integers(0, 9, (12, 3000)), columns=names)
    frame.to_csv(tmp_path / "in.csv", index=False)
    ma.anonymize_file(tmp_path / "in.csv", tmp_path / "out.csv", 3, quasi=names[:2])
    back = pd.read_csv(tmp_path / "out.csv")
    pd.testing.assert_frame_equal(back[names[2:]], frame[names[2:]])
    ma.anonymize(frame, 3, quasi=names[:2]).write(tmp_path / "frame.csv")
    assert (tmp_path / "frame.csv").read_bytes() == (tmp_path / "out.csv").read_bytes()


FULL = """
import resource, sys
import microagg as ma
from microagg import io
from microagg.errors import MicroaggError
io.FORMATS[".csv"].load()
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
try:
    ma.anonymize_file(sys.argv[1], None, 5, quasi=["b"], keep=["a"], memory="130MB")
except MicroaggError as problem:
    print(problem)
"""


@pytest.mark.parametrize("room", [20_000, 2_000_000], ids=["no room for the database", "no room for the cells"])
def test_a_full_temporary_disk_is_named(room, tmp_path):
    """It was "this cannot be read as delimited text"."""
    np.savetxt(
        tmp_path / "in.csv", np.arange(200_000).reshape(-1, 2), fmt="%d", delimiter=",", header="a,b", comments=""
    )
    place = tmp_path / "tmp"
    place.mkdir()
    environment = {**os.environ, "TMPDIR": str(place), "PYTHONPATH": ":".join(sys.path)}
    command = [sys.executable, "-c", FULL, str(tmp_path / "in.csv"), str(room)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.startswith(f"The disk is full: there is no room for temporary files in {place}. Make room")
    assert list(place.iterdir()) == []


@pytest.mark.parametrize(("error", "message"), [("Out of Memory Error: no", "does not fit into the memory")])
def test_too_little_memory_is_said_where_a_table_is_read_whole(tmp_path, monkeypatch, error, message):
    import duckdb

    from microagg.io.connection import DuckConnection

    class Full:
        def execute(self, sql):
            raise duckdb.OutOfMemoryException(error)

    with pytest.raises(InvalidOption, match=message):
        DuckConnection(Full(), tmp_path).execute("SELECT 1")


@pytest.mark.parametrize("how", ["signal", "interrupt"])
def test_a_signal_inside_duckdb_is_an_interrupt(how):
    """DuckDB swallows what the handler raises, and says RuntimeError or an error of its own."""
    database = io.from_arrays({"a": np.arange(10)}).source.database

    def interrupt():
        time.sleep(0.3)
        if how == "signal":
            os.kill(os.getpid(), signal.SIGINT)
        else:
            database.connection._connection.interrupt()

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        _work_until_interrupted(database)
    thread.join()


def _work_until_interrupted(database):
    while True:
        database.value("SELECT sum(hash(range)) FROM range(20000000)")


BERLIN = ["2021-03-28 01:59", "2021-03-28 03:01"] * 3
ZONES = {
    "pandas": lambda: pd.DataFrame({"at": pd.to_datetime(BERLIN).tz_localize("Europe/Berlin")}),
    "pandas arrow": lambda: pd.DataFrame(
        {"at": pd.Series(pd.to_datetime(BERLIN).tz_localize("Europe/Berlin")).convert_dtypes(dtype_backend="pyarrow")}
    ),
    "polars": lambda: pl.DataFrame({"at": pl.Series(BERLIN).str.to_datetime().dt.replace_time_zone("Europe/Berlin")}),
    "pyarrow": lambda: pa.table(
        {"at": pa.array(pd.to_datetime(BERLIN).tz_localize("Europe/Berlin"), pa.timestamp("us", "Europe/Berlin"))}
    ),
}


@pytest.mark.parametrize("kind", ZONES)
def test_a_mean_in_the_hour_that_clocks_skip_is_a_moment_all_the_same(kind):
    """Half past two does not exist in Berlin on that night: the clock shows half past three."""
    released = ma.anonymize(ZONES[kind](), 6).data
    shown = {str(moment) for moment in (released["at"].to_pylist() if kind == "pyarrow" else released["at"].to_list())}
    assert shown == {"2021-03-28 03:30:00+02:00"}


@pytest.mark.parametrize("zone", ["+02:00", "UTC"])
def test_fixed_time_zones_stay(zone):
    table = pa.table(
        {"at": pa.array([datetime.datetime(2020, 1, i, 6) for i in range(1, 7)], pa.timestamp("us", zone))}
    )
    released = ma.anonymize(table, 3).data
    assert released.schema.field("at").type == pa.timestamp("us", zone)


@pytest.mark.parametrize("make", [pa.table, pl.DataFrame, lambda d: pa.table(d).to_pandas(types_mapper=pd.ArrowDtype)])
@pytest.mark.parametrize("start", [2**53 + 1, 2**63 + 5], ids=["int64", "uint64"])
def test_whole_numbers_beyond_floats_are_numbers(make, start):
    """pyarrow refuses to cast them."""
    values = np.array([start + 10**6 * (i // 3) for i in range(6)])
    released = ma.anonymize(make({"a": values}), 3).data
    assert len(set(released["a"].to_pylist() if isinstance(released, pa.Table) else released["a"].to_list())) == 2


@pytest.mark.parametrize(
    "values",
    [[1, "a"], [datetime.date(2020, 1, 1), 1], [True, 1], [[1], [2]], [{"a": 1}, {"b": 2}], [float("inf"), "x"]],
    ids=["text", "dates", "truth", "lists", "objects", "infinite"],
)
@pytest.mark.parametrize("roles", [{"quasi": ["x"]}, {"quasi": ["x"], "by": "v"}, {"quasi": ["x", "v"]}])
@pytest.mark.parametrize("kind", ["guessed", "nominal", "ordinal"])
def test_mixed_objects_are_released_or_refused_in_one_line(values, roles, kind, tmp_path):
    frame = pd.DataFrame({"x": range(6), "v": pd.Series(values * 3, dtype=object)})
    kinds = {"v": kind} if kind != "guessed" and "v" in roles["quasi"] else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            release = ma.anonymize(frame, 3, kinds=kinds, **roles)
            release.write(tmp_path / "out.csv")
        except (InvalidData, InvalidOption) as problem:
            message = str(problem)
        else:
            message = ""
            assert len(release.data) == 6
    assert "\n" not in message


def test_text_that_is_no_unicode_is_refused(tmp_path):
    frame = pd.DataFrame({"x": range(6), "v": pd.Series(["\ud800"] * 6, dtype=object)})
    with pytest.raises(InvalidData, match=r"A column of 'v' holds values that no file can hold"):
        ma.anonymize(frame, 3, quasi=["x"]).write(tmp_path / "out.csv")


@pytest.mark.parametrize("read", [load_plan, Definition.read])
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = " + "[" * 5000 + "]" * 5000, "nested too deeply"),
        ("#" + "x" * (4 << 20), "more than 4 MiB"),
        ("a = 2020-99-99", "no TOML"),
        ("a = " + "9" * 5000, "no TOML"),
    ],
)
def test_plans_and_definitions_that_cannot_be_read_are_one_line(read, text, message, tmp_path):
    path = Path(tmp_path, "a.toml")
    path.write_text(text)
    with pytest.raises((InvalidOption, FileProblem), match=message):
        read(path)
