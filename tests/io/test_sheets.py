"""Workbooks as people keep them: several sheets, and a title above the names of the columns."""

import json

import openpyxl
import pandas as pd
import pytest

import microagg as ma
from microagg import io
from microagg.errors import InvalidData, InvalidOption
from microagg.plan import read_plan_file

N = 40


@pytest.fixture
def book(tmp_path):
    """A cover sheet, and the data on another one, from row 3 on."""
    path = tmp_path / "people.xlsx"
    workbook = openpyxl.Workbook()
    workbook.active.title = "Cover"
    workbook.active.append(["See the other sheet"])
    sheet = workbook.create_sheet("Survey 2019")
    sheet.append(["Answers of the survey"])
    sheet.append([])
    sheet.append(["age", "pay", "ill"])
    for i in range(N):
        sheet.append([20 + i % 9, 1000 + 10 * i, ["no", "yes"][i % 2]])
    workbook.save(path)
    return path


SHEET = {"sheet": "Survey 2019", "header_row": 3}
FLAGS = ("--sheet", "Survey 2019", "--header-row", 3)
ROLES = ("--quasi", "age,pay", "--confidential", "ill")


def test_sheet_and_header_row(book):
    table = io.read(book, **SHEET)
    assert (table.names, table.n_records) == (("age", "pay", "ill"), N)
    assert io.read(book).names == ("See the other sheet",)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"sheet": "survey2019"}, InvalidOption, "no sheet 'survey2019'. Did you mean 'Survey 2019'? Its sheets"),
        ({"sheet": "zzz"}, InvalidOption, "no sheet 'zzz'. Its sheets are Cover, Survey 2019."),
        ({**SHEET, "header_row": 1}, InvalidData, "column B has no name in row 1. Say which row names the columns"),
        ({**SHEET, "header_row": 99}, InvalidOption, "header_row must be between 1 and 43, the last row of"),
        ({**SHEET, "header_row": 0}, InvalidOption, "header_row must be"),
    ],
)  # fmt: skip
def test_what_is_not_there_is_said(book, options, error, message):
    with pytest.raises(error) as caught:
        io.read(book, **options)
    assert message in str(caught.value)


def test_other_files_have_no_sheets(tmp_path):
    (tmp_path / "a.csv").write_text("age\n1\n")
    with pytest.raises(InvalidOption, match="CSV files cannot honour the option 'header_row'"):
        io.read(tmp_path / "a.csv", header_row=2)


def test_in_python(book, tmp_path):
    roles = {"quasi": ["age", "pay"], "confidential": ["ill"]}
    release = ma.anonymize_file(book, tmp_path / "out.csv", 4, report=tmp_path / "r.html", **SHEET, **roles)
    assert release.n_records == N
    assert "--sheet &#39;Survey 2019&#39; --header-row 3" in (tmp_path / "r.html").read_text()
    assert ma.assess_file(book, **SHEET, **roles).summary["records"] == N


def test_every_command_takes_them(book, tmp_path, run):
    """And plans remember them: a proposal, and a choice of compare, run by themselves."""
    assert run("assess", book, *ROLES, *FLAGS, "--json")[0] == 0
    code, _, err = run("anonymize", book, "-k", 4, *ROLES, "--sheet", "Survey2019")
    assert code == 2
    assert "Did you mean 'Survey 2019'?" in err
    plan, chosen, again = (tmp_path / f"{name}.toml" for name in ("plan", "chosen", "again"))
    assert run("start", book, "-o", plan, *FLAGS)[0] == 0
    more = ("--max-risk", "90%", "--save-plan", chosen, "--json")
    code, out, _ = run("compare", book, "-k", 4, "--methods", "mdav", *ROLES, *FLAGS, *more)
    assert code == 0
    assert "--sheet 'Survey 2019' --header-row 3" in json.loads(out)["chosen"]["command"]
    for each in (plan, chosen):
        assert read_plan_file(each).input.reading == SHEET
        code, out, err = run("anonymize", "--plan", each, "-o", tmp_path / "out.csv", "--save-plan", again, "--json")
        assert code == 0, err
        assert json.loads(out)["records"] == N
        assert read_plan_file(again).input.reading == SHEET
        again.unlink()
    # Another file in the place of the one that the plan names has no sheets.
    io.read(book, **SHEET).native().to_csv(tmp_path / "people.csv", index=False)
    assert run("anonymize", tmp_path / "people.csv", "--plan", chosen, "-o", tmp_path / "out.csv")[0] == 0
    assert len(pd.read_csv(tmp_path / "out.csv")) == N
