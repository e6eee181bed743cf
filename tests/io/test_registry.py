"""The door: which file is what, and what is imported when."""

from __future__ import annotations

import hashlib
import subprocess
import sys

import pytest

from microagg import io
from microagg.errors import FileProblem, InvalidOption, MissingExtra


def test_suffixes_are_known_in_any_case():
    assert io.format_of("A.CSV").name == "CSV"
    assert io.format_of("a.b.tsv.gz").suffix == ".tsv.gz"
    assert all(suffix == known.suffix for suffix, known in io.FORMATS.items())


@pytest.mark.parametrize("name", ["a.json", "a", "csv", "a.gz", ".xls"])
def test_unknown_suffixes_list_the_known_ones(name, tmp_path):
    with pytest.raises(InvalidOption, match=r"must end in one of \.csv, .*\.parquet, .*\.xlsx; got"):
        io.read(tmp_path / name)


def test_options_that_a_format_cannot_honour_are_refused(tmp_path):
    with pytest.raises(InvalidOption, match="Parquet files cannot honour the option 'sheet'; they take no options"):
        io.read(tmp_path / "a.parquet", sheet="x")
    with pytest.raises(InvalidOption, match="'delimiter'; they take sheet"):
        io.read(tmp_path / "a.xlsx", delimiter=";")


@pytest.mark.parametrize("suffix", io.FORMATS)
def test_files_that_cannot_be_opened(tmp_path, suffix):
    path = tmp_path / f"none{suffix}"
    with pytest.raises(FileProblem, match=r"Cannot read .*none.*: No such file"):
        io.read(path)
    path.mkdir()
    with pytest.raises(FileProblem, match="is a folder"):
        io.read(path)


def test_a_file_that_may_not_be_read(as_ordinary_user):
    folder = as_ordinary_user.folder
    (folder / "secret.csv").write_text("a\n1\n")
    (folder / "secret.csv").chmod(0)
    assert "Permission denied" in as_ordinary_user("io.read(sys.argv[1] + '/secret.csv')")


@pytest.mark.parametrize(
    ("suffix", "missing"), [(".sav", "pandas"), (".sav", "pyreadstat"), (".xlsx", "pandas"), (".xlsx", "openpyxl")]
)
def test_a_missing_extra_is_named(tmp_path, monkeypatch, suffix, missing):
    for module in ("microagg.io.statistics", "microagg.io.excel"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.setitem(sys.modules, missing, None)
    path = tmp_path / f"a{suffix}"
    path.write_bytes(b"x")
    with pytest.raises(MissingExtra, match=r"need .*pip install 'microagg\[io\]'"):
        io.read(path)


def test_checksum(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"abc")
    assert io.sha256(path) == hashlib.sha256(b"abc").hexdigest()
    with pytest.raises(FileProblem, match="Cannot read"):
        io.sha256(tmp_path / "b")


HEAVY = ("pandas", "polars", "pyarrow", "pyreadstat", "openpyxl", "duckdb", "narwhals")
CSV_ALONE = """
import sys
for name in ("pandas", "polars", "pyarrow", "pyreadstat", "openpyxl"):
    sys.modules[name] = None
import numpy as np
from microagg import io
table = io.read(sys.argv[1] + "/in.csv").with_columns({"a": np.array([1.5, 2.5])})
io.write(table, sys.argv[1] + "/out.parquet")
io.write(io.read(sys.argv[1] + "/out.parquet"), sys.argv[1] + "/out.csv")
"""


def test_importing_the_room_imports_nothing_heavy():
    code = f"import sys, microagg.io; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_csv_and_parquet_need_duckdb_alone(tmp_path):
    (tmp_path / "in.csv").write_text("a,b\n1,x\n2,y\n")
    subprocess.run([sys.executable, "-c", CSV_ALONE, str(tmp_path)], check=True)
    assert (tmp_path / "out.csv").read_text() == "a,b\n1.5,x\n2.5,y\n"
