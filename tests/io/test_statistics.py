"""Files of SPSS, Stata and SAS: what they say about columns and values that are released survives."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import pyreadstat
import pytest
from checks import value_in

from microagg import io
from microagg.base.schema import Storage
from microagg.errors import InvalidData, InvalidOption

PEOPLE = pd.DataFrame(
    {
        "age": [30.0, 41.0, 99.0, np.nan],
        "sex": [1.0, 2.0, 1.0, 2.0],
        "name": ["Ada", "Bob", "Éva", "Dan"],
        "born": [datetime.date(1990, 1, 1), None, datetime.date(1980, 1, 2), datetime.date(1970, 1, 1)],
    }
)
LABELS = {"age": "Age in years", "sex": "Sex"}
SEXES = {"sex": {1: "male", 2: "female"}}


@pytest.fixture
def spss(tmp_path):
    path = tmp_path / "people.sav"
    pyreadstat.write_sav(
        PEOPLE,
        path,
        file_label="A survey",
        note="Second wave",
        column_labels=LABELS,
        variable_value_labels=SEXES,
        missing_ranges={"age": [{"lo": 98, "hi": 99}], "name": ["Dan"]},
        variable_format={"age": "F3.0", "born": "EDATE10"},
        variable_measure={"sex": "nominal"},
        variable_display_width={"age": 12},
    )
    return path


@pytest.fixture
def stata(tmp_path):
    """Whole numbers with a system-missing value, and one that is missing for a reason (.a)."""
    frame = PEOPLE.assign(age=np.array([30, 41, "a", None], dtype=object))
    path = tmp_path / "people.dta"
    pyreadstat.write_dta(
        frame,
        path,
        file_label="A survey",
        column_labels=LABELS,
        variable_value_labels=SEXES,
        missing_user_values={"age": ["a"]},
        variable_format={"born": "%tdD_m_Y"},
    )
    return path


def test_spss_says_all_it_said(spss, tmp_path):
    out = tmp_path / "out.sav"
    io.write(io.read(spss).take(np.array([3, 2, 1, 0])), out)
    frame, meta = pyreadstat.read_sav(out, user_missing=True)
    _, before = pyreadstat.read_sav(spss, user_missing=True)
    for said in (
        "column_names_to_labels",
        "variable_value_labels",
        "original_variable_types",
        "variable_measure",
        "variable_display_width",
    ):
        assert getattr(meta, said) == getattr(before, said), said
    assert (meta.file_label, meta.notes) == (None, []), "nothing of these is needed to read the values"
    assert meta.missing_ranges == {"age": [{"lo": 99, "hi": 99}], "name": [{"lo": "Dan", "hi": "Dan"}]}
    assert frame["age"].tolist()[1:] == [99, 41, 30]
    assert frame["born"].tolist()[3] == datetime.date(1990, 1, 1)


def test_declared_missing_values_are_missing(spss, tmp_path):
    table = io.read(spss)
    np.testing.assert_array_equal(table.numeric("age").values, [30, 41, np.nan, np.nan])
    assert table.numeric("age").is_integer
    assert value_in(table, "age", 2) is value_in(table, "name", 3) is None
    assert table.codes("age")[2] == table.codes("age")[3]
    assert table.storage("born") is Storage.DATE
    for suffix in (".csv", ".dta", ".xlsx"):
        io.write(table, tmp_path / f"out{suffix}")
        back = io.read(tmp_path / f"out{suffix}")
        np.testing.assert_array_equal(back.numeric("age").values, [30, 41, np.nan, np.nan])


def test_a_mean_has_no_label(spss, tmp_path):
    """Replaced columns keep their label; value labels, missing codes and a format that hides decimals go."""
    table = io.read(spss).with_columns({"age": np.array([35.5, 35.5, 98.5, 98.5]), "sex": np.array([1.5] * 4)})
    assert table.numeric("age").values[2] == 98.5
    io.write(table.without(["name"]), tmp_path / "out.sav")
    frame, meta = pyreadstat.read_sav(tmp_path / "out.sav")
    assert frame["age"].tolist() == [35.5, 35.5, 98.5, 98.5]
    assert meta.column_names_to_labels["age"] == "Age in years"
    assert meta.variable_value_labels == {}
    assert meta.missing_ranges == {}
    assert meta.original_variable_types["age"].endswith(".2")
    assert meta.original_variable_types["born"] == "EDATE10"


def test_stata_says_all_it_said(stata, tmp_path):
    table = io.read(stata)
    np.testing.assert_array_equal(table.numeric("age").values, [30, 41, np.nan, np.nan])
    assert table.numeric("age").is_integer
    out = tmp_path / "out.dta"
    io.write(table, out)
    tagged, meta = pyreadstat.read_dta(out, user_missing=True)
    frame, _ = pyreadstat.read_dta(out)
    _, before = pyreadstat.read_dta(stata, user_missing=True)
    for said in ("column_names_to_labels", "variable_value_labels", "original_variable_types", "missing_user_values"):
        assert getattr(meta, said) == getattr(before, said), said
    assert meta.file_label is None
    assert tagged["age"].tolist()[2] == "a"
    assert frame["age"].isna().tolist() == [False, False, True, True]


def test_labels_cross_from_spss_to_stata_and_back(spss, tmp_path):
    io.write(io.read(spss), tmp_path / "out.dta")
    io.write(io.read(tmp_path / "out.dta"), tmp_path / "again.sav")
    _, meta = pyreadstat.read_sav(tmp_path / "again.sav")
    assert meta.column_names_to_labels["age"] == "Age in years"
    assert meta.variable_value_labels == SEXES


def test_sas_transport_keeps_labels_and_formats(tmp_path):
    source, out = tmp_path / "people.xpt", tmp_path / "out.xpt"
    pyreadstat.write_xport(
        PEOPLE, source, file_label="Wave", table_name="PEOPLE", column_labels=LABELS, variable_format={"born": "DATE9"}
    )
    io.write(io.read(source), out)
    frame, meta = pyreadstat.read_xport(out)
    _, before = pyreadstat.read_xport(source)
    for said in ("column_names_to_labels", "original_variable_types"):
        assert getattr(meta, said) == getattr(before, said), said
    assert meta.file_label is None
    assert meta.table_name != before.table_name
    assert frame["born"][0] == datetime.date(1990, 1, 1)


def test_sas_data_files_cannot_be_written(tmp_path, spss):
    with pytest.raises(InvalidOption, match=r"can be read but not written; write \.xpt"):
        io.write(io.read(spss), tmp_path / "out.sas7bdat")
    assert not (tmp_path / "out.sas7bdat").exists()


@pytest.mark.parametrize("suffix", [".sav", ".zsav", ".dta", ".sas7bdat", ".xpt", ".xlsx", ".parquet"])
@pytest.mark.parametrize("content", [b"", b"this is no such file", b"$FL2@(#)" + b"\0" * 50])
def test_damaged_files_are_refused(tmp_path, suffix, content):
    path = tmp_path / f"bad{suffix}"
    path.write_bytes(content)
    with pytest.raises(InvalidData, match=f"bad{suffix} cannot be read"):
        io.read(path)


@pytest.mark.parametrize("suffix", [".sav", ".dta", ".xpt"])
def test_names_that_the_format_refuses_are_explained(tmp_path, suffix):
    table = io.wrap(pd.DataFrame({"a b": [1, 2]}))
    with pytest.raises(InvalidData, match=r"'a b' contains a space.*Rename"):
        io.write(table, tmp_path / f"out{suffix}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", [".sav", ".zsav", ".dta", ".xpt"])
@pytest.mark.parametrize("number", [1e80, 1e-90, -1.7976931348623157e308, 1.7e308])
def test_a_number_that_the_format_cannot_hold_is_refused(suffix, number, tmp_path):
    """SAS wrote infinity for 1e80 and 0 for 1e-90, SPSS a missing value for the least number that there is."""
    target = tmp_path / f"out{suffix}"
    table = io.wrap(pd.DataFrame({"x": [1.0, number, 2.0]}))
    held = {".sav": [1e80, 1e-90, 1.7e308], ".zsav": [1e80, 1e-90, 1.7e308], ".dta": [1e80, 1e-90], ".xpt": []}
    if number in held[suffix]:
        io.write(table, target)
        assert io.read(target).numeric("x").values.tolist() == [1.0, number, 2.0]
    else:
        with pytest.raises(InvalidData, match="cannot hold a number"):
            io.write(table, target)
        assert not target.exists()
