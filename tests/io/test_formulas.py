"""Text of strangers that spreadsheet programs take for formulas: written as text where that is asked for."""

from __future__ import annotations

import csv

import openpyxl
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microagg import anonymize_file, io
from microagg.cli import main
from microagg.io.formulas import MARK, escaped

FORMULAS = [
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "\t=1",
    "\rx",
    "\nx",
    "＝1",
    "＋1",
    "－1",
    "＠x",
    " =1",
    "\ufeff=1",
    "=",
    '=HYPERLINK("x";"y")',
]
TEXTS = ["a", "a=b", "1-2", "x@y.org", "'=1", "", "(=1)", "é"]


def rows(path, delimiter=","):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file, delimiter=delimiter))


def table(texts):
    return io.wrap(pl.DataFrame({"=n": [-5.5 - i for i in range(len(texts))], "text": texts}))


@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
def test_an_apostrophe_is_put_before_them_and_nothing_else_changes(tmp_path, suffix):
    path, texts = tmp_path / f"x{suffix}", FORMULAS + TEXTS
    io.write(table(texts), path, escape_formulas=True)
    found = rows(path, "\t" if suffix == ".tsv" else ",")
    assert found[0] == ["'=n", "text"]
    assert [row[1] for row in found[1:]] == [MARK + text for text in FORMULAS] + TEXTS
    assert [float(row[0]) for row in found[1:]] == [-5.5 - i for i in range(len(texts))]
    io.write(table(texts), path)
    assert [row[1] for row in rows(path, "\t" if suffix == ".tsv" else ",")[1:]] == texts


def test_they_are_counted():
    assert table(FORMULAS + TEXTS).to_duck().count_formulas() == len(FORMULAS) + 1
    assert io.wrap(pl.DataFrame({"n": [-1, -2]})).to_duck().count_formulas() == 0
    gaps = pl.DataFrame({"nothing": [None, None], "text": ["=1", None]}, schema_overrides={"nothing": pl.String})
    assert io.wrap(gaps).to_duck().count_formulas() == 1


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1))
def test_names_and_cells_are_told_alike(text):
    """Names are looked at in Python, cells by the database: never is one of them less careful in what matters."""
    stripped = text.lstrip(" \t\r\n")
    is_plain = stripped[:1] not in set("=+-@＝＋－＠") and text[:1] not in set("\t\r\n")
    cells = io.wrap(pl.DataFrame({"x": [text]})).to_duck().count_formulas()
    if not is_plain:
        assert escaped(text) == MARK + text
        assert cells == 1


def test_numbers_of_text_files_stay_as_they_are_written(tmp_path):
    """Columns of a CSV file are text until asked: those that hold numbers are no text, +5 and -5 stay."""
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    lines = [f"{20 + i},-{i}.50,+{i},=A{i}" for i in range(6)]
    source.write_text("age,loss,gain,said\n" + "\n".join(lines) + "\n")
    for memory in ("unlimited", "400MB"):
        anonymize_file(source, target, 3, quasi=["age"], memory=memory, escape_formulas=True)
        found = rows(target)[1:]
        assert [row[1:] for row in found] == [[f"-{i}.50", f"+{i}", f"'=A{i}"] for i in range(6)]


def test_released_categories_too(tmp_path, capsys):
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text("age,@city\n" + "\n".join(f"{i},=x" for i in range(6)) + "\n")
    with pytest.raises(SystemExit) as stopped:
        main(
            ["anonymize", str(source), "-k", "3", "--quasi", "@city", "-o", str(target), "--escape-formulas", "--json"]
        )
    assert stopped.value.code == 0, capsys.readouterr().err
    assert {row[1] for row in rows(target)} == {"'@city", "'=x"}


def test_excel_holds_them_as_text(tmp_path):
    """No option needed: a cell says that it is text."""
    path = tmp_path / "x.xlsx"
    texts = [text for text in FORMULAS if text.isprintable()]
    io.write(io.wrap(pl.DataFrame({"=n": texts})), path)
    cells = [row[0] for row in openpyxl.load_workbook(path)["data"].iter_rows()]
    assert [(cell.value, cell.data_type) for cell in cells] == [(text, "s") for text in ["=n", *texts]]
