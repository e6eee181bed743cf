"""Excel workbooks: values of one sheet, and never a formula."""

from __future__ import annotations

import datetime

import numpy as np
import openpyxl
import polars as pl
import pytest

from microagg import io
from microagg.base.schema import Storage
from microagg.errors import InvalidData, InvalidOption


@pytest.fixture
def book(tmp_path):
    def make(rows, title="Sheet", more=()):
        path = tmp_path / "in.xlsx"
        workbook = openpyxl.Workbook()
        workbook.active.title = title
        for row in rows:
            workbook.active.append(row)
        for name, extra in more:
            sheet = workbook.create_sheet(name)
            for row in extra:
                sheet.append(row)
        workbook.save(path)
        return path

    return make


def test_cells_keep_their_types(book, tmp_path):
    day = datetime.datetime(2020, 1, 31)
    rows = [["n", "x", "s", "flag", "day", "mixed"], [1, 1.5, "a", True, day, "7"], [None, None, None, None, None, 7]]
    table = io.read(book(rows))
    assert [table.storage(name) for name in table.names] == [
        Storage.NUMERIC,
        Storage.NUMERIC,
        Storage.TEXT,
        Storage.BOOLEAN,
        Storage.DATE,
        Storage.OTHER,
    ]
    out = tmp_path / "out.xlsx"
    io.write(table.without(["mixed"]), out)
    cells = list(openpyxl.load_workbook(out).active.iter_rows(values_only=True))
    assert cells == [tuple(rows[0][:5]), (1, 1.5, "a", True, day)]  # an empty last row is no record


def test_text_never_becomes_a_formula(tmp_path):
    texts = ['=HYPERLINK("http://x","y")', "+1", "-1", "@SUM(A1)", "=1+1"]
    out = tmp_path / "out.xlsx"
    io.write(io.wrap(pl.DataFrame({"=name()": texts, "x": [1, 2, 3, 4, 5]})), out)
    sheet = openpyxl.load_workbook(out).active
    cells = [cell for column in sheet.iter_cols(max_col=1) for cell in column]
    assert [cell.data_type for cell in cells] == ["s"] * 6
    assert [cell.value for cell in cells] == ["=name()", *texts]


def test_formulas_are_read_as_their_values(book):
    """openpyxl computes nothing, so a formula that no program ever evaluated has no value."""
    table = io.read(book([["a", "b"], [1, "=A2+1"], [2, 5]]))
    assert np.isnan(table.numeric("b").values[0])


def test_cells_with_errors_are_missing(book):
    table = io.read(book([["a"], [1], ["#N/A"], [3]]))
    np.testing.assert_array_equal(table.numeric("a").values, [1, np.nan, 3])


def test_a_sheet_can_be_chosen(book):
    path = book([["a"], [1]], "First", [("Second", [["b"], [2]])])
    assert io.read(path).names == ("a",)
    assert io.read(path, sheet="Second").names == ("b",)
    with pytest.raises(InvalidOption, match=r"in\.xlsx has no sheet 'Third'\. Its sheets are First, Second\."):
        io.read(path, sheet="Third")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "is empty"),
        ([[None, None]], "is empty"),
        ([["a", None, "c"], [1, 2, 3]], "column B has no name"),
        ([["a", "a"], [1, 2]], "columns 1 and 2 are both named 'a'"),
    ],
)
def test_bad_sheets_are_refused(book, rows, message):
    with pytest.raises(InvalidData, match=message):
        io.read(book(rows))


def test_text_among_numbers_names_the_record(book):
    with pytest.raises(InvalidData, match="'a' must hold numbers; record 2 holds str"):
        io.read(book([["a"], [1], ["two"]])).numeric("a")


def test_what_excel_cannot_hold_is_refused(tmp_path):
    with pytest.raises(InvalidData, match="cannot be written to Excel"):
        io.write(io.wrap(pl.DataFrame({"s": ["bell \x07"]})), tmp_path / "out.xlsx")
    with pytest.raises(InvalidData, match="1048575 records at most"):
        io.write(io.wrap(pl.DataFrame({"s": np.zeros(1_048_576)})), tmp_path / "out.xlsx")
    assert list(tmp_path.iterdir()) == []
