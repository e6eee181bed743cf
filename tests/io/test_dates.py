"""Dates as files have them: read in common forms, averaged as dates, written as they came."""

import datetime

import numpy as np
import pandas as pd
import pytest

import microagg as ma
from microagg import io
from microagg.base.schema import Kind, Storage

N = 80
FORMATS = [
    "%d.%m.%Y",
    "%-d.%-m.%Y",
    "%m/%d/%Y",
    "%d/%m/%Y",
    "%Y/%m/%d %H:%M:%S",
    "%Y-%m",
    "%Y-%m-%dT%H:%M:%SZ",
    "%Y%m%d",
]


def moments():
    rng = np.random.default_rng(0)
    start = datetime.datetime(2019, 1, 1)
    return [start + datetime.timedelta(days=int(d), seconds=int(s)) for d, s in rng.integers(0, 600, (N, 2))]


def written(tmp_path, form, name="visit_date"):
    path = tmp_path / "in.csv"
    pd.DataFrame({name: [moment.strftime(form) for moment in moments()], "ward": ["n", "s"] * (N // 2)}).to_csv(
        path, index=False
    )
    return path


@pytest.mark.parametrize("form", FORMATS)
def test_common_forms_are_read_and_written_as_they_came(form, tmp_path):
    """29.08.2019 was a category; the mean of some dates is a date, in the form of the file and to its precision."""
    source = written(tmp_path, form)
    table = io.read(source)
    assert table.storage("visit_date") is Storage.DATE
    plain = form.replace("%-", "%")
    for seconds, moment in zip(table.dates("visit_date"), moments(), strict=True):
        expected = datetime.datetime.strptime(moment.strftime(plain), plain).replace(tzinfo=datetime.UTC)
        assert seconds == expected.timestamp()
    for memory in ("unlimited", "200MB"):
        release = ma.anonymize_file(source, tmp_path / "out.csv", 4, quasi=["visit_date"], memory=memory)
        assert release.kinds["visit_date"] is Kind.NUMERIC
        out = pd.read_csv(tmp_path / "out.csv", dtype=str)["visit_date"]
        assert out.value_counts().min() >= 4
        for text in out:
            assert datetime.datetime.strptime(text, plain).strftime(form) == text


def test_untouched_dates_leave_as_they_were_written(tmp_path):
    source = written(tmp_path, "%d.%m.%Y")
    ma.anonymize_file(source, tmp_path / "out.csv", 4, quasi=["ward"], keep=["visit_date"])
    assert pd.read_csv(tmp_path / "out.csv")["visit_date"].tolist() == pd.read_csv(source)["visit_date"].tolist()


def test_day_and_month_that_could_be_either_are_no_dates(tmp_path):
    """08/07/2019 is in August, or in July: nobody guesses."""
    path = tmp_path / "in.csv"
    path.write_text("day\n" + "08/07/2019\n09/07/2019\n" * 10)
    assert io.read(path).storage("day") is Storage.TEXT


def test_what_is_a_date_only_at_the_beginning_is_none(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text("day\n" + "29.08.2019\n" * 2000 + "soon\n")
    assert io.read(path).storage("day") is Storage.TEXT


def test_eight_digits_are_a_date_by_name_only(tmp_path):
    for name, storage in (("visit_date", Storage.DATE), ("amount", Storage.NUMERIC)):
        assert io.read(written(tmp_path, "%Y%m%d", name)).storage(name) is storage


def test_missing_dates(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text("day,x\n" + "29.08.2019,1\nNA,2\n,3\n" * 10)
    table = io.read(path)
    assert table.storage("day") is Storage.DATE
    assert np.isnan(table.dates("day")).sum() == 20


def test_other_formats_get_dates(tmp_path):
    ma.anonymize_file(written(tmp_path, "%d.%m.%Y"), tmp_path / "out.parquet", 4, quasi=["visit_date"])
    assert str(pd.read_parquet(tmp_path / "out.parquet")["visit_date"].dtype).startswith(("datetime64", "object"))


def test_eight_digits_in_a_frame_keep_to_dates_that_occur():
    """The mean of 20190829 and 20190901 is no date: the middle one of a group is."""
    days = [int(moment.strftime("%Y%m%d")) for moment in moments()]
    release = ma.anonymize(pd.DataFrame({"visit_date": days}), 4)
    assert release.kinds["visit_date"] is Kind.ORDINAL
    assert set(release.data["visit_date"]) <= set(days)


def test_suggestions_can_be_run_where_dates_are_text():
    frame = pd.DataFrame({"day": [moment.strftime("%d.%m.%Y") for moment in moments()] * 2, "x": np.arange(2 * N) % 9})
    suggestion = ma.suggest(frame)
    assert suggestion.kinds["day"] == "nominal"
    assert ma.repeat(frame, suggestion.plan(k=3)).k_anonymous
