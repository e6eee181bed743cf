"""Dates as files have them: read in common forms, averaged as dates, written as they came."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner

import microagg as ma
from microagg import io
from microagg.base.schema import Kind, Storage
from microagg.cli import cli
from microagg.errors import InvalidData, InvalidOption

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


FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame}


@pytest.mark.parametrize("form", FORMATS[:-1])
@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_text_in_frames_is_read_and_written_as_dates(form, make, tmp_path):
    """As in text files: a mean of dates is a date, in the form of the column."""
    texts = [moment.strftime(form) for moment in moments()]
    release = ma.anonymize(make({"day": [*texts, None], "x": list(range(N + 1))}), 4, quasi=["day"], missing="drop",
                           keep=["x"])  # fmt: skip
    assert release.kinds["day"] is Kind.NUMERIC
    assert release.dates == {"day"}
    out = list(release.data["day"])
    assert all(datetime.datetime.strptime(t, form.replace("%-", "%")).strftime(form) == t for t in out)
    assert min(out.count(text) for text in out) >= 4
    release.report(tmp_path / "report.html")


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_eight_digits_in_a_frame_are_dates_by_name(make):
    """The mean of 20190829 and 20190901 as numbers is no date: as dates it is one."""
    days = [int(moment.strftime("%Y%m%d")) for moment in moments()]
    release = ma.anonymize(make({"visit_date": days}), 4)
    assert release.kinds["visit_date"] is Kind.NUMERIC
    out = list(release.data["visit_date"])
    for day in out:
        assert int(datetime.datetime.strptime(str(day), "%Y%m%d").strftime("%Y%m%d")) == day
    assert min(days) <= min(out) <= max(out) <= max(days)


def test_excel_cells_of_text(tmp_path):
    source = tmp_path / "in.xlsx"
    pd.DataFrame({"day": [moment.strftime("%d.%m.%Y") for moment in moments()]}).to_excel(source, index=False)
    release = ma.anonymize_file(source, tmp_path / "out.xlsx", 4)
    assert release.dates == {"day"}
    out = pd.read_excel(tmp_path / "out.xlsx", dtype=str)["day"]
    assert out.value_counts().min() >= 4
    assert all(datetime.datetime.strptime(text, "%d.%m.%Y") for text in out)


@pytest.mark.parametrize("form", ["%d.%m.%y", "%d/%m/%Y", "%y%m%d", "%b %d, %Y"])
def test_a_format_that_is_given_is_read_and_written(form, tmp_path):
    """Years of two digits, either order of day and month, months by name: whoever knows says so."""
    texts = [moment.strftime(form) for moment in moments()]
    source = tmp_path / "in.csv"
    pd.DataFrame({"day": texts}).to_csv(source, index=False)
    asked = {"quasi": ["day"], "kinds": {"day": f"date:{form}"}}
    for memory in ("unlimited", "200MB"):
        release = ma.anonymize_file(source, tmp_path / "out.csv", 4, memory=memory, **asked)
        assert release.dates == {"day"}
        out = pd.read_csv(tmp_path / "out.csv", dtype=str)["day"].tolist()
        assert min(out.count(text) for text in out) >= 4
        assert all(datetime.datetime.strptime(text, form).strftime(form) == text for text in out)
    assert ma.anonymize(pd.DataFrame({"day": texts}), 4, **asked).data["day"].tolist() == out


def test_the_format_can_be_typed_and_stands_in_the_plan(tmp_path):
    source, target, plan = written(tmp_path, "%d.%m.%y", "day"), tmp_path / "out.csv", tmp_path / "plan.toml"
    typed = ["anonymize", str(source), "-k", "4", "--quasi", "day", "--kind", "day=date:%d.%m.%y", "--keep", "ward"]
    result = CliRunner().invoke(cli, [*typed, "-o", str(target), "--save-plan", str(plan)])
    assert result.exit_code == 0, result.output
    assert '"day" = "date:%d.%m.%y"' in plan.read_text()
    first = target.read_bytes()
    assert CliRunner().invoke(cli, ["anonymize", str(source), "--plan", str(plan), "-o", str(target)]).exit_code == 0
    assert target.read_bytes() == first


def test_either_order_is_said_aloud_and_stays_a_category():
    frame = pd.DataFrame({"day": ["08/07/2019", "09/07/2019"] * 20})
    release = ma.anonymize(frame, 4)
    assert release.kinds["day"] is Kind.NOMINAL
    assert any("day and month in an unknown order" in w and "--kind NAME=date:%d/%m/%Y" in w for w in release.warnings)
    with pytest.raises(InvalidData, match=r"day and month could stand in either order.*date:%m/%d/%Y"):
        ma.anonymize(frame, 4, kinds={"day": "date"})
    with pytest.raises(InvalidData, match=r"no dates in a form that is known.*two-digit years \(%y\)"):
        ma.anonymize(pd.DataFrame({"day": ["08.07.19"] * 20}), 4, kinds={"day": "date"})


@pytest.mark.parametrize("kind", ["date:%d.%m", "date:soon", "date:%Q%Y"])
def test_formats_that_cannot_be_read_back_are_refused(kind):
    with pytest.raises(InvalidOption, match="a format of dates must say the year"):
        ma.Plan(k=3, kinds={"day": kind})


def test_what_does_not_fit_the_format_is_told_by_its_record(tmp_path):
    frame = pd.DataFrame({"day": ["29.08.2019"] * 19 + ["soon"]})
    frame.to_csv(tmp_path / "in.csv", index=False)
    asked = {"k": 4, "quasi": ["day"], "kinds": {"day": "date:%d.%m.%Y"}}
    with pytest.raises(InvalidData, match=r"must hold dates.*record 20 "):
        ma.anonymize(frame, **asked)
    with pytest.raises(InvalidData, match=r"must hold dates.*record 20 \(line 21\)"):
        ma.anonymize_file(tmp_path / "in.csv", tmp_path / "out.csv", **asked)


def test_suggestions_read_text_as_dates():
    frame = pd.DataFrame({"day": [moment.strftime("%d.%m.%Y") for moment in moments()] * 2, "x": np.arange(2 * N) % 9})
    suggestion = ma.suggest(frame)
    assert suggestion.kinds["day"] == "date"
    release = ma.repeat(frame, suggestion.plan(k=3))
    assert release.k_anonymous
    assert release.dates == {"day"}


def test_missing_text_dates_are_missing_again():
    texts = [moment.strftime("%d.%m.%Y") for moment in moments()]
    frame = pd.DataFrame({"day": [None if i % 7 == 0 else text for i, text in enumerate(texts)]})
    out = ma.anonymize(frame, 4, missing="value").data["day"]
    assert out.isna()[frame["day"].isna()].all()
    assert out.value_counts(dropna=False).min() >= 4
