"""What every kind of table must do, whether a frame or a file: one test body for all."""

from __future__ import annotations

import numpy as np
import pytest
from checks import value_in
from file_kinds import KINDS, PAIRS, table

from microagg import io
from microagg.base.schema import Storage
from microagg.errors import InvalidData, InvalidOption

INCOME = [1200.5, np.nan, 980.25, 1200.5]


@pytest.fixture(params=KINDS)
def people(request, tmp_path):
    return table(request.param, tmp_path)


def same(codes: np.ndarray) -> list[int]:
    """Codes renumbered by first appearance: all that their values mean."""
    seen: dict[int, int] = {}
    return [seen.setdefault(code, len(seen)) for code in codes.tolist()]


def assert_people(people, rows=(0, 1, 2, 3), income=INCOME):
    rows = list(rows)
    np.testing.assert_array_equal(people.numeric("income").values, np.array(income)[rows])
    np.testing.assert_array_equal(people.numeric("age").values, np.array([30, 41, 30, 57])[rows])
    assert [value_in(people, "city", row) for row in range(people.n_records)] == [
        ["Zürich", "東京", 'a, "b"', "Zürich"][row] for row in rows
    ]


def test_columns_are_told_apart(people):
    assert people.names == ("age", "income", "city", "member")
    assert people.n_records == 4
    assert [people.storage(name) for name in ("age", "income", "city")] == [
        Storage.NUMERIC,
        Storage.NUMERIC,
        Storage.TEXT,
    ]
    assert_people(people)


def test_numbers_are_floats_with_nan_where_missing(people):
    income = people.numeric("income")
    assert income.values.dtype == np.float64
    assert not income.is_integer


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != ".xpt"])
def test_whole_numbers_are_known_as_such(kind, tmp_path):
    """SAS transport files have neither whole numbers nor, here, formats that would tell."""
    assert table(kind, tmp_path).numeric("age").is_integer


def test_codes_are_equal_where_values_are(people):
    assert same(people.codes("age")) == [0, 1, 0, 2]
    assert same(people.codes("income")) == [0, 1, 2, 0]
    assert same(people.codes("city")) == [0, 1, 2, 0]
    assert people.codes("city").dtype == np.int64
    blanked = people.with_columns({"income": np.array([np.nan, np.nan, 1.0, np.nan])})
    assert same(blanked.codes("income")) == [0, 0, 1, 0]


def test_any_column_can_be_read_as_categories(people):
    assert value_in(people, "city", 1) == "東京"
    assert value_in(people, "income", 1) is None
    assert float(value_in(people, "income", 2)) == 980.25


def test_replaced_columns_stay_in_place_and_the_old_table_stays_as_it_was(people):
    new = [1.0, 2.5, np.nan, 1.0]
    replaced = people.with_columns({"income": np.array(new)})
    assert replaced.names == people.names
    assert_people(replaced, income=new)
    assert_people(people)
    assert value_in(replaced, "income", 2) is None
    again = replaced.with_columns({"income": np.array(INCOME)})
    assert_people(again)


def test_whole_numbers_replaced_by_whole_numbers_stay_whole(people):
    replaced = people.with_columns({"age": np.array([35, 35, 44, 44])})
    column = replaced.numeric("age")
    assert column.values.tolist() == [35, 35, 44, 44]
    assert column.is_integer


def test_dropped_columns_are_gone(people):
    fewer = people.without(["age", "member"])
    assert fewer.names == ("income", "city")
    with pytest.raises(InvalidOption, match="'age'"):
        fewer.numeric("age")
    assert people.names == ("age", "income", "city", "member")


def test_rows_are_taken_in_the_order_asked_for(people):
    assert_people(people.take(np.array([3, 1, 0])), rows=[3, 1, 0])
    assert_people(people.take(np.array([3, 1, 0])).take(np.array([2, 0])), rows=[0, 3])
    assert same(people.take(np.array([3, 2, 0])).codes("city")) == [0, 1, 0]


def test_taking_and_replacing_in_either_order(people):
    new = np.array([10.0, 20.0, 30.0, 40.0])
    rows = np.array([2, 0, 3])
    assert_people(people.with_columns({"income": new}).take(rows), rows=rows, income=new)
    assert_people(people.take(rows).with_columns({"income": new[rows]}), rows=rows, income=new)
    assert people.take(np.array([], dtype=np.int64)).n_records == 0


def test_text_is_no_number(people):
    with pytest.raises(InvalidData, match="'city' must hold numbers"):
        people.numeric("city")


def test_what_cannot_be_is_refused(people):
    for call in (people.storage, people.numeric, people.codes, people.categories):
        with pytest.raises(InvalidOption, match="no column 'salary'; the columns are 'age', 'income'"):
            call("salary")
    with pytest.raises(InvalidOption, match="no column 'salary'"):
        people.without(["salary"])
    with pytest.raises(InvalidOption, match="no column 'salary'"):
        people.with_columns({"salary": np.zeros(4)})
    with pytest.raises(InvalidData, match="one value for each of 4 records"):
        people.with_columns({"age": np.zeros(3)})
    with pytest.raises(InvalidData, match="numbers, dates or objects only"):
        people.with_columns({"age": np.array(["a"] * 4)})
    with pytest.raises(InvalidData, match="between 0 and 3"):
        people.take(np.array([4]))


@pytest.mark.parametrize(("kind", "suffix"), PAIRS)
def test_written_and_read_again(kind, suffix, tmp_path):
    """Names, order, numbers, missing values and unicode survive; so do replaced, dropped and permuted ones."""
    people = table(kind, tmp_path)
    out = tmp_path / f"out{suffix}"
    io.write(people, out)
    back = io.read(out)
    assert back.names == people.names
    assert_people(back)

    changed = people.without(["member"]).with_columns({"income": np.array([1.25, 2.5, np.nan, 1.25])})
    io.write(changed.take(np.array([3, 2, 0])), out)
    back = io.read(out)
    assert back.names == ("age", "income", "city")
    assert_people(back, rows=[3, 2, 0], income=[1.25, 2.5, np.nan, 1.25])

    assert [path for path in tmp_path.iterdir() if path.name.startswith(".microagg")] == []


@pytest.mark.parametrize(("kind", "suffix"), PAIRS)
def test_no_records_are_written_as_a_header(kind, suffix, tmp_path):
    people = table(kind, tmp_path)
    out = tmp_path / f"out{suffix}"
    io.write(people.take(np.array([], dtype=np.int64)), out)
    back = io.read(out)
    assert back.names == people.names
    assert back.n_records == 0
    assert back.codes("city").shape == (0,)


def test_no_columns_cannot_be_written(people, tmp_path):
    with pytest.raises(InvalidData, match="no columns left"):
        io.write(people.without(people.names), tmp_path / "out.csv")
    assert not (tmp_path / "out.csv").exists()


def test_categories_and_text_go_in_and_out(people) -> None:
    """What mixed data need of a table: distinct values with codes, and text that replaces text."""
    column = people.categories("city")
    shown = [None if code < 0 else column.values[code] for code in column.codes]
    assert shown == ["Zürich", "東京", 'a, "b"', "Zürich"]
    replaced = people.with_columns({"city": np.array(["x", "y", "x", "x"], dtype=object)})
    assert [value_in(replaced, "city", row) for row in range(4)] == ["x", "y", "x", "x"]
    assert replaced.storage("city") is Storage.TEXT
    assert people.take(np.array([2, 0])).categories("city").codes.tolist()[0] == 0
    with pytest.raises(InvalidData, match="must hold dates"):
        people.dates("age")
