"""Delimited text: what is found in a file, what is kept of it, what is refused."""

from __future__ import annotations

import codecs
import csv
import gzip
import io as text_io
import stat

import numpy as np
import pytest
from checks import value_in
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from microagg import io
from microagg.base.schema import Storage
from microagg.errors import InvalidData, InvalidOption


@pytest.fixture
def file(tmp_path):
    """Write a file and give its path."""

    def make(content: str | bytes, name: str = "in.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return make


def released(path, **options) -> str:
    """What comes out when nothing is changed."""
    out = path.with_name("out.csv")
    io.write(io.read(path, **options), out)
    return out.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "content",
    [
        "id,code,amount,day\n1,007,1.50,01.02.2020\n2,010,2.00,3/4/20\n",
        "a;b\n1,50;x\n2,00;y\n",
        "a\tb\n1\t 2 \n",
        "a|b\nNA|?\n.|N/A\n",
        'a,b\n"x, y","say ""hi"""\n"two\nlines",-\n',
        "Age,age,AGE\n1,2,3\n",
        '"a ""quoted"" name","two\nlines"," leading"," ",größe,\n1,2,3,4,5,6\n',
        "a,b\n,\n,x\n",
        "a,b\n",
        "value\n1\n2\n",
    ],
)
def test_untouched_files_leave_as_they_came(file, content):
    """Leading zeros, trailing zeros, dates, missing marks, spaces, names that differ in case: nothing is altered."""
    assert released(file(content)) == content


def test_untouched_columns_stay_beside_replaced_ones(file, tmp_path):
    table = io.read(file("id;amount;day\n007;1,50;1.2.20\n008;;x\n009;3,50;y\n"), numeric=["amount"])
    out = tmp_path / "out.csv"
    io.write(table.with_columns({"amount": np.array([2.25, np.nan, 1e20])}), out)
    assert out.read_text() == "id;amount;day\n007;2,25;1.2.20\n008;;x\n009;1e+20;y\n"


@pytest.mark.parametrize(
    ("content", "delimiter", "decimal"),
    [
        ("a,b\n1.5,2\n", ",", "."),
        ("a;b\n1,5;2\n", ";", ","),
        ("a;b\n1.5;2\n", ";", "."),
        ("a\tb\n1,5\t2\n", "\t", ","),
        ("name|x\nfoo, bar|1\nbaz, bar|2\n", "|", "."),
        ('a,b\n"1;2",3\n"4;5",6\n', ",", "."),
        ("Income, gross;age\n1,5;3\n2,5;4\n", ";", ","),
        ("only\n1\n", ",", "."),
    ],
)
def test_marks_are_found(file, content, delimiter, decimal):
    dialect = io.read(file(content)).dialect
    assert (dialect.delimiter, dialect.decimal) == (delimiter, decimal)


def test_single_quotes_are_marks_where_they_must_be(file):
    table = io.read(file("a,b\n'x, y',1\nz,2\n"))
    assert value_in(table, "a", 0) == "x, y"
    table = io.read(file("a,b\nit's,1\n'z',2\n"))
    assert [value_in(table, "a", row) for row in (0, 1)] == ["it's", "'z'"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252", "utf-16-be"])
@pytest.mark.parametrize("name", ["in.csv", "in.csv.gz"])
def test_encodings_are_found(file, encoding, name):
    content = '"größe",b\n"€ ñ",1\nÉva,2\n'.encode(encoding)
    content = codecs.BOM_UTF16_BE + content if encoding == "utf-16-be" else content
    path = file(gzip.compress(content) if name.endswith("gz") else content, name)
    assert released(path) == "größe,b\n€ ñ,1\nÉva,2\n"


def test_encoding_may_show_late(file):
    """Plain letters for a megabyte, then one byte that is no UTF-8."""
    content = b"a,b\n" + b"plain,1\n" * 200_000 + b"caf\xe9,2\n"
    table = io.read(file(content), numeric=["b"])
    assert value_in(table, "a", 200_000) == "café"
    with pytest.raises(InvalidData, match="not text in the encoding utf-8"):
        io.read(file(content), encoding="utf-8")


def test_every_byte_has_a_meaning_in_the_end(file):
    assert released(file(b"a,b\n\x81\xe9,1\n")) == "a,b\n\x81é,1\n"


def test_a_given_encoding_is_believed(file):
    assert released(file("a\nŁódź\n".encode("cp1250")), encoding="cp1250") == "a\nŁódź\n"
    with pytest.raises(InvalidOption, match="encoding must be"):
        io.read(file("a\n1\n"), encoding="klingon")


def test_another_encoding_needs_no_copy_on_disk_and_the_folder_goes_with_the_table(file):
    """The text goes to the database through a pipe: a killed process leaves none of it behind."""
    table = io.read(file("é\n1\n".encode("cp1252")))
    folder = table.source.database.folder
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert [path.name for path in folder.iterdir()] == ["lock"]
    del table
    assert not folder.exists()


def test_types_are_those_of_all_values(file):
    content = "n,f,code,flag,day,time,word,none\n"
    content += "1,1,01,true,2020-01-31,2020-01-31 10:00,x,\nNA,2.5,12,FALSE,,2020-01-31T10:00:01,2,\n"
    table = io.read(file(content))
    kinds = [table.storage(name) for name in table.names]
    assert kinds == [
        Storage.NUMERIC,
        Storage.NUMERIC,
        Storage.TEXT,
        Storage.BOOLEAN,
        Storage.DATE,
        Storage.DATE,
        Storage.TEXT,
        Storage.TEXT,
    ]
    assert table.numeric("n").is_integer
    assert table.numeric("code").values.tolist() == [1, 12]
    assert np.isnan(table.numeric("none").values).all()


def test_types_may_show_late(file):
    table = io.read(file("a,b\n" + ",1\n" * 2000 + "1.5,2\n"))
    assert table.storage("a") is Storage.NUMERIC
    assert table.numeric("a").values[2000] == 1.5


def test_types_are_found_for_parquet(file, tmp_path):
    path = file("n,f,code,flag,day\n1,1.5,01,true,2020-01-31\n,NA,12,false,\n")
    io.write(io.read(path), tmp_path / "out.parquet")
    back = io.read(tmp_path / "out.parquet")
    assert list(back.source.types.values()) == ["BIGINT", "DOUBLE", "VARCHAR", "BOOLEAN", "DATE"]
    assert value_in(back, "n", 1) is value_in(back, "f", 1) is value_in(back, "day", 1) is None


@pytest.mark.parametrize("numeric", [(), ["x"], "*"])
def test_text_among_numbers_names_column_and_line(file, numeric):
    content = '\n"a\nb",x\n"two\nlines",1\nu,2\nv,three\n'
    with pytest.raises(InvalidData, match=r"Column 'x' must hold numbers; record 3 \(line 7\)"):
        io.read(file(content), numeric=numeric).numeric("x")


def test_error_messages_do_not_quote_values(file):
    with pytest.raises(InvalidData) as caught:
        io.read(file("x,y\n1,2\nsecret\n"))
    assert "secret" not in str(caught.value)
    with pytest.raises(InvalidData) as caught:
        io.read(file("x,y\n1,2\nsecret,3\n")).numeric("x")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("numeric", [(), "*"])
def test_reading_numbers_at_once_gives_the_same_numbers(file, numeric):
    table = io.read(file("a;b;c\n1;1,5;x\n-2;;y\n+3;2e3;z\n"), numeric=numeric)
    assert table.numeric("a").values.tolist() == [1, -2, 3]
    assert table.numeric("a").is_integer
    np.testing.assert_array_equal(table.numeric("b").values, [1.5, np.nan, 2000])
    assert not table.numeric("b").is_integer
    assert table.storage("a") is table.storage("b") is Storage.NUMERIC


@pytest.mark.parametrize("numeric", [(), "*"])
def test_fractions_are_never_rounded_away(file, numeric):
    """The first rows look whole; one far below is not."""
    table = io.read(file("a\n" + "1\n" * 5000 + "2.5\n"), numeric=numeric)
    assert table.numeric("a").values[-1] == 2.5
    assert not table.numeric("a").is_integer


@pytest.mark.parametrize("numeric", [(), "*"])
def test_long_numbers_are_told_apart(file, numeric):
    """As floats these two are equal, and would pass for two people with the same value."""
    table = io.read(file("id,x\n9007199254740993,1\n9007199254740992,1\n"), numeric=numeric)
    assert len(set(table.codes("id").tolist())) == 2
    assert len(set(table.codes("x").tolist())) == 1


def test_equal_numbers_are_equal_however_written(file):
    table = io.read(file("x,code\n1.50,01\n1.5,1\n"))
    assert len(set(table.codes("x").tolist())) == 1
    assert len(set(table.codes("code").tolist())) == 2


def test_a_point_is_no_decimal_mark_beside_a_comma(file):
    with pytest.raises(InvalidData, match="record 2"):
        io.read(file("a;b\n1,5;x\n1.234,5;y\n")).numeric("a")


def test_missing_marks(file):
    table = io.read(file("x\n1\n-9\n?\n"), missing_marks=["-9"])
    with pytest.raises(InvalidData, match="record 3"):
        table.numeric("x")
    table = io.read(file("x\n1\n-9\n\n"), missing_marks=["-9"])
    np.testing.assert_array_equal(table.numeric("x").values, [1, np.nan, np.nan])


@pytest.mark.parametrize("marks", ["?\n?\n?", "NA\n \n.", '?\n""\nNULL'])
def test_a_column_of_missing_marks_alone_holds_missing_numbers(file, tmp_path, marks):
    """As text, a mark would be a category that all records share, and be released as if it said something."""
    rows = "\n".join(f"{mark},{i}" for i, mark in enumerate(marks.split("\n")))
    table = io.read(file(f"x,n\n{rows}\n"))
    assert table.storage("x") is Storage.NUMERIC
    assert np.isnan(table.numeric("x").values).all()
    assert table.categories("x").values == ()
    io.write(table, tmp_path / "out.csv")
    written = (tmp_path / "out.csv").read_text(encoding="utf-8")
    assert [line.rpartition(",")[0].strip('" ') for line in written.splitlines()[1:]] == [
        mark.strip('" ') for mark in marks.split("\n")
    ]


def test_a_mark_among_words_is_a_word(file):
    """Namibia is NA: where other texts stand beside it, it is one of them."""
    assert value_in(io.read(file("x,n\nNA,1\nBW,2\n")), "x", 0) == "NA"
    empty = io.read(file("x,n\n,1\n,2\n"))
    assert empty.storage("x") is Storage.TEXT
    assert value_in(empty, "x", 0) is None


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        ("\n\n\n", "is empty"),
        (b"\xef\xbb\xbf", "is empty"),
        ("a,b\n1,2\n3\n", "line 3: there must be 2 values, as in the first line; there are 1"),
        ("a,b\n1,2\n3,4,5\n", "line 3: there must be 2 values, as in the first line; there are 3"),
        ("a,b,a\n1,2,3\n", "columns 1 and 3 are both named 'a'"),
        (",b,\n1,2,3\n", "columns 1 and 3 both have no name"),
        ("1,2\n3,4\n", "first line must name the columns"),
        ('a,b\n1,"x\n', "a quoted value does not end"),
        (b"PK\x03\x04\x00\x00\x01", "is no text"),
    ],
)
def test_bad_files_are_refused(file, content, message):
    with pytest.raises(InvalidData, match=message):
        io.read(file(content))


@pytest.mark.parametrize("content", ["a,b", "a,b\n", "a,b\r\n"])
def test_a_header_alone_has_no_records(file, content):
    table = io.read(file(content), numeric="*")
    assert (table.names, table.n_records) == (("a", "b"), 0)
    assert table.numeric("a").values.shape == (0,)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("inside", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("numeric", [(), ["b"]])
def test_lines_may_break_inside_names_and_values(file, end, inside, numeric):
    """DuckDB alone takes the break inside the name for the end of lines, and gives no records at all."""
    content = f'"a{inside}x",b{end}"u{inside}v",1{end}w,2{end}'
    table = io.read(file(content), numeric=numeric)
    assert table.names == (f"a{inside}x", "b")
    assert table.n_records == 2
    assert value_in(table, table.names[0], 0) == f"u{inside}v"
    assert table.numeric("b").values.tolist() == [1, 2]


@pytest.mark.parametrize(
    "content",
    ["a,b\n1,2\r\n3,4\r\n", "a,b\r\n1,2\n3,4\n", "a,b\n1,2\r3,4\n", "a,b\n" + "1,2\n" * 300_000 + "3,4\r\n5,6\n"],
)
@pytest.mark.parametrize("numeric", [(), "*"])
def test_mixed_ends_of_lines_never_lose_records(file, content, numeric):
    with pytest.raises(InvalidData, match="lines end in different ways"):
        io.read(file(content), numeric=numeric)


def test_one_row(file):
    table = io.read(file("a,b\n1,x"))
    assert (table.n_records, value_in(table, "b", 0)) == (1, "x")


def test_a_file_without_names_is_released_without_names(file):
    path = file("1,2\n3,4\n")
    assert io.read(path, header=False).names == ("column_1", "column_2")
    assert released(path, header=False) == "1,2\n3,4\n"


def test_a_damaged_gzip_file_is_refused(file):
    whole = gzip.compress(b"a,b\n1,2\n" * 1000)
    for content in (whole[:-20], b"a,b\n1,2\n", b""):
        with pytest.raises(InvalidData):
            io.read(file(content, "in.csv.gz"))


@pytest.mark.parametrize("name", ["a*b.csv", "a?.csv", "x[1].csv", "it's.csv", "http:x.csv", "{a,b}.csv", "ü \n.csv"])
def test_names_of_files_are_names_and_nothing_else(file, name, tmp_path):
    """DuckDB would take some of these for patterns and read the neighbour as well."""
    for neighbour in ("axb.csv", "ab.csv", "x1.csv", "a.csv", "b.csv"):
        (tmp_path / neighbour).write_text("a\n666\n")
    path = file("a\n1\n", name)
    table = io.read(path)
    assert table.numeric("a").values.tolist() == [1]
    io.write(table, path)
    assert path.read_text() == "a\n1\n"


@pytest.mark.parametrize("name", ['x"; DROP TABLE base; --', "'", "c0", "base", "rowid", "new.v0", "a" * 5000])
def test_names_of_columns_are_names_and_nothing_else(file, name, tmp_path):
    header = '"' + name.replace('"', '""') + '"'
    table = io.read(file(f"{header},other\n1,x\n2,y\n"))
    assert table.names == (name, "other")
    for suffix in (".csv", ".parquet"):
        out = tmp_path / f"out{suffix}"
        io.write(table.with_columns({name: np.array([5, 6])}).take(np.array([1, 0])), out)
        back = io.read(out)
        assert back.names == (name, "other")
        assert back.numeric(name).values.tolist() == [6, 5]


def test_parquet_needs_names(file, tmp_path):
    for content, message in ((",b\n1,2\n", "column 1 has none"), ("Age,age\n1,2\n", "'Age', 'age'")):
        with pytest.raises(InvalidData, match=message):
            io.write(io.read(file(content)), tmp_path / "out.parquet")
    assert not (tmp_path / "out.parquet").exists()


def test_options_are_checked(file):
    path = file("a,b\n1,2\n")
    for options in ({"delimiter": ""}, {"delimiter": "::"}, {"decimal": "x"}, {"delimiter": ",", "decimal": ","}):
        with pytest.raises(InvalidOption):
            io.read(path, **options)
    with pytest.raises(InvalidOption, match="'z'"):
        io.read(path, numeric=["z"])
    assert io.read(file("a b\n1 2\n"), delimiter=" ").names == ("a", "b")


cells = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    names=st.lists(cells.map(lambda text: "n" + text), min_size=2, max_size=4, unique=True),
    data=st.data(),
    delimiter=st.sampled_from(",;\t|"),
)
def test_any_text_survives(tmp_path, names, data, delimiter):
    """Whatever Python's writer writes, its reader finds again in the release."""
    row = st.lists(cells, min_size=len(names), max_size=len(names))
    rows = data.draw(st.lists(row, max_size=5))
    path = tmp_path / "in.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerows([names, *rows])
    out = tmp_path / "out.csv"
    io.write(io.read(path, delimiter=delimiter), out)
    content = out.read_bytes().decode("utf-8")
    assert list(csv.reader(text_io.StringIO(content, newline=""), delimiter=delimiter)) == [names, *rows]


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(values=st.lists(st.floats(allow_infinity=False), min_size=1, max_size=8), numeric=st.booleans())
def test_any_number_survives(tmp_path, values, numeric):
    """Numbers are written so that reading them gives the same number, to the last bit."""
    path = tmp_path / "in.csv"
    path.write_text("x;y\n" + "0;0\n" * len(values))
    table = io.read(path, decimal=",")
    io.write(table.with_columns({"x": np.array(values)}), tmp_path / "out.csv")
    back = io.read(tmp_path / "out.csv", numeric=["x"] if numeric else (), decimal=",")
    np.testing.assert_array_equal(back.numeric("x").values, values)


def test_a_first_line_without_end_is_refused(tmp_path):
    """A name of a million letters left the header unread, and the error was Python's own."""
    path = tmp_path / "long.csv"
    path.write_text("name" * 400_000 + ",b\n1,2\n3,4\n")
    with pytest.raises(InvalidData, match=r"long\.csv: the first line|long\.csv, line|long\.csv: "):
        io.read(path)


def test_an_apostrophe_at_the_beginning_of_a_name_is_no_quote(tmp_path):
    """The Hague is 's-Gravenhage; a file of Dutch towns was refused, or two lines of it were read as one."""
    path = tmp_path / "towns.csv"
    path.write_text("town,people\n's-Gravenhage,548320\n's-Hertogenbosch,155113\nUtrecht,361966\n", encoding="utf-8")
    table = io.read(path)
    assert table.n_records == 3
    assert table.categories("town").values == ("'s-Gravenhage", "'s-Hertogenbosch", "Utrecht")
    path.write_text("town,people\n'The Hague, or so',548320\n'Utrecht',361966\n", encoding="utf-8")
    assert io.read(path).categories("town").values == ("The Hague, or so", "Utrecht")
