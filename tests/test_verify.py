"""A released file against its certificate: what was changed is noticed, what is kept is counted from the file alone."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import microagg as ma
from microagg import errors

N = 240


def people(n: int = N) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    return pd.DataFrame({
        "name": [f"person {i}" for i in range(n)],
        "age": rng.integers(18, 90, n),
        "income": rng.lognormal(8, 1, n).round(2),
        "region": [["north", "south"][i % 2] for i in range(n)],
        "illness": rng.choice(["flu", "cold", "cough", "none"], n),
        "seen": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 300, n), "D"),
        "pay": rng.integers(1, 20, n),
    })  # fmt: skip


ASKED = {
    "k": 4,
    "quasi": ["age", "income"],
    "identifiers": ["name"],
    "by": ["region"],
    "keep": ["seen"],
    "l": {"illness": 2},
    "p": {"pay": 3},
    "t": {"pay": 0.4},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A source, its release, report and plan."""
    folder = tmp_path_factory.mktemp("verify")
    people().to_csv(folder / "people.csv", index=False)
    files = {"report": folder / "report.json", "save_plan": folder / "plan.toml"}
    ma.anonymize_file(folder / "people.csv", folder / "out.csv", **files, **ASKED)
    return folder


def judged(verification):
    return {check.title: check.holds for check in verification.checks}


def test_an_untouched_file_keeps_every_promise(folder):
    verification = ma.verify(folder / "out.csv", folder / "report.json", plan=folder / "plan.toml")
    assert judged(verification) == dict.fromkeys(
        ["file", "plan", "source", "columns", "records", "k", "l of illness", "p of pay", "t of pay"], True
    )
    assert verification.holds
    assert "holds" in repr(verification)


def test_what_is_counted_is_what_an_oracle_counts(folder):
    """The worst class of each promise, by pandas."""
    released = pd.read_csv(folder / "out.csv")
    classes = released.groupby(["age", "income", "region"])
    counted = {check.title: check.counted for check in ma.verify(folder / "out.csv", folder / "report.json").checks}
    assert counted["k"] == str(classes.size().min())
    assert counted["l of illness"] == str(classes["illness"].nunique().min())
    assert counted["p of pay"] == str(classes["pay"].nunique().min())
    values = np.sort(released["pay"].unique())
    everybody = np.array([(released["pay"] <= value).mean() for value in values])
    distances = [
        np.abs(np.array([(pay <= value).mean() for value in values]) - everybody).sum() / (len(values) - 1)
        for _, pay in classes["pay"]
    ]
    assert float(counted["t of pay"]) == pytest.approx(max(distances), rel=1e-5)


@pytest.mark.parametrize(
    ("change", "broken"),
    [
        (lambda table: table.assign(age=table["age"].where(table.index != 7, 99)), {"file", "k", "l of illness"}),
        (lambda table: table.drop(index=3), {"file", "records"}),
        (lambda table: table.drop(columns="income"), {"file", "columns", "k"}),
        (lambda table: table.assign(illness="flu"), {"file", "l of illness"}),
        (lambda table: table.assign(pay=np.where(table["age"] > 60, 40, table["pay"])), {"file", "t of pay"}),
        (lambda table: table.assign(phone=range(N)), {"file", "columns"}),
        (lambda table: table[table.columns[::-1]], {"file"}),
        (lambda table: table.sample(frac=1.0, random_state=1), {"file"}),
        (lambda table: table, {"file"}),
    ],
    ids=["value", "record", "column", "illness", "pay", "added", "order", "rows", "saved again"],
)
def test_a_change_breaks_what_it_breaks_and_nothing_else(folder, tmp_path, change, broken):
    """Opened and saved by pandas: other bytes each time (numbers are written otherwise), the promises on their own."""
    changed = change(pd.read_csv(folder / "out.csv").astype({"income": "float64"}))
    changed.to_csv(tmp_path / "again.csv", index=False, lineterminator="\r\n")
    verification = ma.verify(tmp_path / "again.csv", folder / "report.json")
    told = {check.title for check in verification.broken}
    assert broken <= told
    assert not verification.same_file
    assert not verification.holds
    assert verification.promises_hold is (broken == {"file"})


def test_a_spelling_that_a_reader_sees_makes_a_class_of_its_own(folder, tmp_path):
    """Equal as a number, and still one of its kind to whoever opens the file."""
    lines = (folder / "out.csv").read_text().splitlines()
    age, comma, rest = lines[5].partition(",")
    lines[5] = f"{age}.0{comma}{rest}"
    (tmp_path / "spelt.csv").write_text("\n".join(lines) + "\n")
    assert judged(ma.verify(tmp_path / "spelt.csv", folder / "report.json"))["k"] is False


@pytest.fixture(scope="module")
def release():
    return ma.anonymize(people(), **ASKED)


@pytest.mark.parametrize("suffix", [".tsv.gz", ".parquet", ".zsav", ".dta", ".xpt", ".xlsx"])
def test_every_format_that_is_written_is_counted_alike(folder, release, tmp_path, suffix):
    release.write(tmp_path / f"out{suffix}")
    verification = ma.verify(tmp_path / f"out{suffix}", folder / "report.json")
    assert verification.promises_hold, verification.summary
    for check in verification.checks:
        if check.what in "klpt":
            assert f"(reached {check.counted})" in check.certified


def test_files_that_were_made_cell_by_cell(folder, tmp_path):
    out, report = tmp_path / "out.parquet", tmp_path / "report.json"
    ma.anonymize_file(folder / "people.csv", out, report=report, memory="1KB", **ASKED)
    assert ma.verify(out, report).holds


def test_files_larger_than_memory_are_read_from_disk(folder):
    assert ma.verify(folder / "out.csv", folder / "report.json", memory="64MB").holds


def test_what_a_file_cannot_show_is_said_and_breaks_nothing(tmp_path):
    """Units that are left out, and noise: promises of how it was made. With an alias, units are counted."""
    table = people().assign(house=np.arange(N) // 3)
    table.to_csv(tmp_path / "people.csv", index=False)
    out, report = tmp_path / "out.csv", tmp_path / "report.json"
    asked = {"k": 3, "quasi": ["age"], "identifiers": ["name"], "unit": "house", "others": "drop"}
    ma.anonymize_file(tmp_path / "people.csv", out, report=report, **asked)
    verification = ma.verify(out, report)
    assert judged(verification)["unit of house"] is None
    assert verification.holds
    ma.anonymize_file(tmp_path / "people.csv", out, report=report, unit_alias=True, **asked)
    assert judged(ma.verify(out, report))["unit of house"] is True
    told = pd.read_csv(out)
    told.assign(house=1).to_csv(out, index=False)
    assert judged(ma.verify(out, report))["unit of house"] is False
    noisy = {"k": 20, "quasi": ["age"], "identifiers": ["name"], "epsilon": 1.0, "limits": {"age": (0, 120)}}
    ma.anonymize_file(tmp_path / "people.csv", out, report=report, **noisy)
    verification = ma.verify(out, report)
    assert judged(verification)["epsilon"] is None
    assert verification.holds


def test_each_column_alone_is_certified_as_that(folder, tmp_path):
    out, report = tmp_path / "out.csv", tmp_path / "report.json"
    asked = {"quasi": ["age", "income"], "identifiers": ["name"], "keep": ["seen"], "method": "individual"}
    ma.anonymize_file(folder / "people.csv", out, k=4, report=report, accept_not_k_anonymous=True, **asked)
    assert json.loads(report.read_text())["certificate"]["each"] is True
    assert ma.verify(out, report).holds


def test_a_report_without_a_file_certifies_promises_alone(tmp_path):
    release = ma.anonymize(people(), k=4, quasi=["age"], identifiers=["name"], keep=["seen"])
    release.report(tmp_path / "report.json")
    release.write(tmp_path / "out.csv")
    verification = ma.verify(tmp_path / "out.csv", tmp_path / "report.json")
    assert (verification.same_file, verification.promises_hold, verification.holds) == (False, True, False)


def test_the_certificate_tells_nothing_that_tests_a_guess_of_the_source(folder):
    """Neither the checksum of the source nor its size; versions, plan and the checksum of the release it does."""
    certificate = json.loads((folder / "report.json").read_text())["certificate"]
    source = (folder / "people.csv").read_bytes()
    text = json.dumps(certificate)
    assert ma.io.sha256(folder / "people.csv") not in text
    assert str(len(source)) not in text
    assert certificate["made_by"].keys() == {"microagg", "python", "numpy"}
    assert certificate["file"]["sha256"] == ma.io.sha256(folder / "out.csv")
    assert certificate["plan"]["l"] == {"illness": 2}
    assert "private plan" in certificate["source"]["sha256_withheld"]


def test_neither_report_nor_certificate_tells_where_files_lie(folder, tmp_path):
    """A path may hold the name of a person or a project: files are told by their names alone."""
    (tmp_path / "regions.csv").write_text("child,parent\nnorth,land\nsouth,land\n")
    asked = {"k": 4, "quasi": ["age", "region"], "identifiers": ["name"], "others": "drop"}
    kinds = {"region": f"hierarchy:{tmp_path / 'regions.csv'}"}
    ma.anonymize_file(
        folder / "people.csv", tmp_path / "out.csv", report=tmp_path / "report.json", kinds=kinds, **asked
    )
    text = (tmp_path / "report.json").read_text()
    assert "hierarchy:regions.csv" in text
    assert str(tmp_path) not in text
    assert str(folder) not in text
    assert ma.verify(tmp_path / "out.csv", tmp_path / "report.json").holds


def test_a_plan_of_another_release_or_a_changed_source_is_noticed(folder, tmp_path):
    for name in ("people.csv", "out.csv", "report.json"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    plan = (folder / "plan.toml").read_text().replace(str(folder), str(tmp_path))
    (tmp_path / "plan.toml").write_text(plan)
    (tmp_path / "people.csv").write_text((folder / "people.csv").read_text() + "x,1,1,north,flu,2020-01-01,3\n")
    verification = ma.verify(tmp_path / "out.csv", tmp_path / "report.json", plan=tmp_path / "plan.toml")
    assert [check.what for check in verification.broken] == ["source"]
    assert verification.promises_hold
    (tmp_path / "people.csv").unlink()
    assert (
        judged(ma.verify(tmp_path / "out.csv", tmp_path / "report.json", plan=tmp_path / "plan.toml"))["source"] is None
    )


def _without(name):
    def change(content):
        del content["certificate"][name]

    return change


def _with(**changes):
    return lambda content: content["certificate"].update(changes)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda content: content.pop("certificate"), "earlier microagg"),
        (lambda content: content.update(schema="arx"), "no report of microagg"),
        (lambda content: content.update(kind="exposure"), "another thing than a release"),
        (_with(version=9), "newer microagg"),
        (_with(promises=[]), "changed or damaged"),
        (_with(promises=[{"promise": "k", "column": None, "asked": "no", "reached": 1, "words": ""}]), "damaged"),
        (_with(promises=[{"promise": "l", "column": "x", "asked": "0", "reached": 1, "words": ""}]), "damaged"),
        (_with(records=True), "'records'"),
        (_with(quasi=[]), "'quasi'"),
        (_with(file={"name": "x"}), "'file'"),
        (_without("columns"), "'columns'"),
    ],
)
def test_a_foreign_older_or_damaged_report_is_refused_in_one_line(folder, tmp_path, change, message):
    content = json.loads((folder / "report.json").read_text())
    change(content)
    (tmp_path / "report.json").write_text(json.dumps(content))
    with pytest.raises(errors.MicroaggError, match=message) as refused:
        ma.verify(folder / "out.csv", tmp_path / "report.json")
    assert "\n" not in str(refused.value)


def test_the_command_line(folder, tmp_path, run):
    code, out, _ = run("verify", folder / "out.csv", "--report", folder / "report.json")
    assert code == 0
    assert "This is the file that was certified" in out
    again = tmp_path / "again.csv"
    pd.read_csv(folder / "out.csv").to_csv(again, index=False, lineterminator="\r\n")
    assert run("verify", again, "--report", folder / "report.json")[0] == 1
    code, out, _ = run("verify", again, "--report", folder / "report.json", "--promises-only", "--json")
    assert (code, json.loads(out)["same_file"], json.loads(out)["promises_hold"]) == (0, False, True)
    again.write_text("age,income\n1,2\n")
    code, out, _ = run("verify", again, "--report", folder / "report.json", "--promises-only")
    assert code == 1
    assert "do not rely on it" in out
    (tmp_path / "other.json").write_text("{}")
    code, _, err = run("verify", again, "--report", tmp_path / "other.json")
    assert (code, err.count("\n")) == (2, 1)


def test_the_folder_that_an_engine_wrote(tmp_path, run):
    """A folder is its Parquet files in order: one that is added or changed is noticed, and so is any other file."""
    people().to_parquet(tmp_path / "people.parquet", index=False)
    out, report, plan = tmp_path / "out", tmp_path / "report.json", tmp_path / "plan.toml"
    asked = {"report": report, "save_plan": plan, "engine": "serial", "memory": "1MB"}
    ma.anonymize_file(tmp_path / "people.parquet", out, **asked, **ASKED)
    verification = ma.verify(out, report, plan=plan)
    assert verification.holds, verification.summary
    assert run("verify", out, "--report", report)[0] == 0
    counted = {check.title: check.counted for check in verification.checks}
    released = pd.concat(pd.read_parquet(part) for part in sorted(out.iterdir()))
    assert counted["k"] == str(released.groupby(["age", "income", "region"]).size().min())
    last = sorted(out.iterdir())[-1]
    again = last.with_name("part-99999.parquet")
    again.write_bytes(last.read_bytes())
    assert {"file", "records"} <= {check.what for check in ma.verify(out, report).broken}
    again.unlink()
    (out / "notes.pdf").write_text("x")
    (broken,) = ma.verify(out, report).broken
    assert broken.what == "file"
    assert "not certified: notes.pdf" in broken.counted
    (out / "notes.pdf").unlink()
    pd.read_parquet(last).drop(columns="age").to_parquet(again)
    with pytest.raises(errors.InvalidData, match=r"part-99999.parquet has other columns"):
        ma.verify(out, report)
    for part in out.iterdir():
        part.unlink()
    people().to_csv(out / "people.csv")
    with pytest.raises(errors.InvalidData, match="not Parquet"):
        ma.verify(out, report)
