"""Releases of recoded columns: the promises hold, in memory and cell by cell, in Python and on the command line."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import microagg as ma
from microagg import io
from microagg.base.schema import Kind, Storage
from microagg.errors import InvalidOption, LikelyIdentifier
from microagg.io.shared import SharedTable
from microagg.recode import recode_table

STEPS = {
    "age": ["bottom:18", "top:90", "bands:10"],
    "income": ["bottom:5%", "top:99%", "round:1000"],
    "zip": ["prefix:3"],
    "job": ["rare:20"],
    "day": ["date:quarter"],
    "pay": ["top:99%"],
}
ROLES = {"quasi": ["age", "income", "zip", "job", "day"], "confidential": ["pay"]}


def patients(n=300, seed=0, gaps=False):
    """A made-up twin of a register: ages, incomes, postcodes, jobs of which some are rare, days, a confidential pay."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(15, 100, n),
            "income": rng.lognormal(10, 0.6, n).round(2),
            "zip": rng.choice(["02134", "02138", "98107", "98115"], n),
            "job": rng.choice(["baker", "clerk", "spy", "diver"], n, p=[0.5, 0.44, 0.03, 0.03]),
            "day": pd.Timestamp("2019-01-01") + pd.to_timedelta(rng.integers(0, 900, n), unit="D"),
            "pay": rng.normal(100, 20, n).round(1),
        }
    )
    if gaps:
        frame["age"] = frame["age"].astype("Int64")
        for place, name in enumerate(frame.columns):
            frame.loc[place, name] = None
    return frame


def test_recoded_columns_are_what_is_released():
    release = ma.anonymize(patients(), k=5, recode=STEPS, **ROLES)
    data = release.data
    assert set(data["job"]) <= {"baker", "clerk", "other"}
    assert set(data["zip"]) <= {"021", "981"}
    assert set(data["day"]) <= {f"{year}-Q{quarter}" for year in (2019, 2020, 2021) for quarter in (1, 2, 3, 4)}
    assert data["age"].str.fullmatch(r"\d0-\d9").all()
    assert release.kinds["age"] is release.kinds["day"] is Kind.ORDINAL
    assert release.kinds["zip"] is Kind.NOMINAL
    assert data.groupby(["age", "income", "zip", "job", "day"]).size().min() >= 5


def test_means_are_no_finer_than_the_base_that_was_rounded_to():
    release = ma.anonymize(patients(), k=5, recode=STEPS, **ROLES)
    assert (release.data["income"] % 1000 == 0).all()
    exact = ma.anonymize(patients(), k=5, recode=STEPS, exact_means=True, **ROLES)
    assert (exact.data["income"] % 1000 != 0).any()


def test_a_confidential_column_is_recoded_and_a_limit_by_quantile_is_shared():
    frame = patients()
    released = ma.anonymize(frame, k=5, recode=STEPS, **ROLES).data["pay"]
    assert (released == released.max()).sum() >= 5
    assert released.max() not in set(frame["pay"][frame["pay"] < released.max()])
    below = frame["pay"] < released.max()
    assert (released[below] == frame["pay"][below]).all()


def test_each_step_says_what_it_did():
    release = ma.anonymize(patients(), k=5, recode=STEPS, **ROLES)
    told = " | ".join(release.recoded)
    assert release.summary["recoded"] == release.published["recoded"] == list(release.recoded)
    assert "age: put into bands of 10" in release.recoded
    assert "of the values top coded at 90 (" in told
    assert "of the values rounded to multiples of 1,000 (" in told
    assert "% of its variance lost)" in told
    assert "became 'other'" in told
    assert "zip: the first 3 characters of each value kept" in release.recoded
    assert "day: the quarter of each date kept" in release.recoded


def test_counts_of_a_few_are_withheld():
    """Two ages above 97 are two persons: how many changed is not told; nor is a limit by quantile of few records."""
    frame = pd.DataFrame({"age": [*np.tile(np.arange(20, 60), 3).tolist(), 98, 99]})
    (told,) = ma.anonymize(frame, k=5, quasi=["age"], recode={"age": "top:97"}).recoded
    assert told == "age: fewer than 5 of the values top coded at 97"
    (told,) = ma.anonymize(frame, k=5, quasi=["age"], recode={"age": "top:120"}).recoded
    assert told == "age: none of the values top coded at 120"
    (told,) = ma.anonymize(frame[:30], k=5, quasi=["age"], recode={"age": "top:90%"}).recoded
    assert told == "age: some of the values top coded at a limit by quantile (90%)"


def test_a_saved_plan_repeats_the_release(tmp_path):
    """Bands are written down as ordinal: their order comes from the steps again."""
    frame = patients()
    release = ma.anonymize(frame, k=5, recode=STEPS, **ROLES)
    ma.save_plan(release, tmp_path / "plan.toml")
    assert ma.load_plan(tmp_path / "plan.toml").recode["income"] == ("bottom:5%", "top:99%", "round:1000")
    pd.testing.assert_frame_equal(ma.repeat(frame, tmp_path / "plan.toml").data, release.data)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_memory_and_cells_release_the_same(suffix, tmp_path):
    """Quantiles and frequencies are those of all records, wherever they lie."""
    frame = patients(gaps=True)
    source = tmp_path / f"in.{suffix}"
    frame.to_csv(source, index=False) if suffix == "csv" else frame.to_parquet(source)
    asked = {"missing": "drop", "recode": STEPS, **ROLES}
    made = [
        ma.anonymize_file(source, tmp_path / f"{memory}.{suffix}", 5, memory=memory, **asked)
        for memory in ("unlimited", "300MB")
    ]
    assert made[0].recoded == made[1].recoded
    assert made[0].kinds == made[1].kinds
    one, other = (io.read(tmp_path / f"{memory}.{suffix}").native().df() for memory in ("unlimited", "300MB"))
    pd.testing.assert_frame_equal(one, other)
    if suffix == "csv":
        assert (tmp_path / "unlimited.csv").read_bytes() == (tmp_path / "300MB.csv").read_bytes()
        assert ma.anonymize(frame, k=5, **asked).data["age"].tolist() == one["age"].tolist()


NUMBERS = st.lists(st.sampled_from(["top:70", "bottom:30%", "top:80%", "round:7"]), max_size=3)
LAST = st.sampled_from([[], ["bands:13"], ["bands:20,50"], ["rare:6"], ["bands:13", "rare:6"]])


@settings(max_examples=15)
@given(NUMBERS, LAST, st.sampled_from(["prefix:2", "rare:9", "rare:10%"]), st.integers(2, 6), st.integers(0, 3))
def test_k_holds_after_any_recoding_and_memory_equals_cells(tmp_path_factory, first, last, text, k, seed):
    frame = patients(60, seed)[["age", "zip", "job"]]
    folder = tmp_path_factory.mktemp("recoded")
    frame.to_csv(folder / "in.csv", index=False)
    steps = {name: given for name, given in (("age", [*first, *last]), ("zip", [text]), ("job", [text])) if given}
    for memory in ("unlimited", "300MB"):
        ma.anonymize_file(
            folder / "in.csv", folder / f"{memory}.csv", k, memory=memory, quasi=list(frame.columns), recode=steps
        )
    assert (folder / "unlimited.csv").read_bytes() == (folder / "300MB.csv").read_bytes()
    released = pd.read_csv(folder / "unlimited.csv", dtype=str)
    assert len(released) == len(frame)
    assert released.groupby(list(frame.columns)).size().min() >= k


def test_spooled_numbers_pass_chunk_by_chunk(tmp_path, monkeypatch):
    """Chunks far smaller than the column must give what one chunk gives."""
    from microagg.io import numbers
    from microagg.recode import run

    frame = patients(200, gaps=True)
    frame.to_csv(tmp_path / "in.csv", index=False)
    whole = ma.anonymize_file(
        tmp_path / "in.csv", tmp_path / "a.csv", 5, memory="300MB", missing="drop", recode=STEPS, **ROLES
    )
    narrow = [
        (lambda made: lambda table, name, chunk, *more: made(table, name, 7, *more))(each)
        for each in (numbers.spooled_numbers, numbers.spooled_codes)
    ]
    monkeypatch.setattr(run, "spooled_numbers", narrow[0])
    monkeypatch.setattr(run, "spooled_codes", narrow[1])
    parts = ma.anonymize_file(
        tmp_path / "in.csv", tmp_path / "b.csv", 5, memory="300MB", missing="drop", recode=STEPS, **ROLES
    )
    assert whole.recoded == parts.recoded
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


@pytest.mark.parametrize("kind", ["pandas", "nullable", "polars", "arrow"])
def test_frames_of_any_kind_keep_whole_numbers_and_gaps(kind):
    frame = pd.DataFrame({"age": pd.array([17, 40, None, 95], dtype="Int64"), "zip": ["02134", None, "98107", "98115"]})
    frame["day"] = pd.to_datetime(["2019-08-29", "2019-08-30", None, "2020-01-01"])
    given = {
        "pandas": lambda: frame.assign(age=frame["age"].astype("float64")),
        "nullable": lambda: frame,
        "polars": lambda: pl.from_pandas(frame),
        "arrow": lambda: pa.Table.from_pandas(frame),
    }[kind]()
    steps = {"age": ["top:90"], "zip": ["prefix:3"], "day": ["date:year"]}
    table, _ = recode_table(io.wrap(given), steps, 2)
    assert [table.storage(name) for name in ("age", "zip", "day")] == [Storage.NUMERIC, Storage.TEXT, Storage.NUMERIC]
    assert np.array_equal(table.numeric("age").values, [17, 40, np.nan, 90], equal_nan=True)
    assert table.numeric("age").is_integer == (kind != "pandas")
    assert table.numeric("day").is_integer
    assert table.peek(["zip"], np.arange(4))["zip"] == ["021", None, "981", "981"]
    assert type(table.native()) is type(given)


def test_labels_of_a_statistics_file_survive_where_values_do(tmp_path):
    import pyreadstat

    frame = pd.DataFrame({"rooms": [1.0, 2, 3, 9] * 20, "sex": [1.0, 2.0] * 40})
    pyreadstat.write_sav(
        frame,
        tmp_path / "in.sav",
        column_labels={"rooms": "Rooms", "sex": "Sex"},
        variable_value_labels={"sex": {1.0: "m", 2.0: "f"}},
    )
    ma.anonymize_file(
        tmp_path / "in.sav",
        tmp_path / "out.sav",
        5,
        quasi=["rooms", "sex"],
        recode={"rooms": "bands:2", "sex": "top:2"},
    )
    released, meta = pyreadstat.read_sav(tmp_path / "out.sav")
    assert set(released["rooms"]) <= {"[0, 2)", "[2, 4)", "[8, 10)"}
    assert meta.column_names_to_labels["rooms"] == "Rooms"
    assert meta.variable_value_labels == {"sex": {1.0: "m", 2.0: "f"}}


def test_a_column_that_names_persons_is_looked_at_as_recoded():
    """A number of each patient is refused; its first two characters, which many share, are not."""
    frame = patients()
    frame["patient"] = [f"P{7 * i:05d}" for i in range(len(frame))]
    with pytest.raises(LikelyIdentifier, match="patient"):
        ma.anonymize(frame, k=5, **ROLES)
    release = ma.anonymize(frame, k=5, recode={"patient": "prefix:2"}, **ROLES)
    assert set(release.data["patient"]) == {"P0"}


def test_strata_and_weights_may_be_recoded():
    frame = patients().assign(w=np.random.default_rng(0).uniform(10, 99, 300))
    release = ma.anonymize(
        frame,
        k=5,
        quasi=["age", "income"],
        confidential=["pay"],
        by="zip",
        weights="w",
        others="drop",
        recode={"zip": "prefix:2", "w": "round:50"},
    )
    assert set(release.data["zip"]) == {"02", "98"}
    assert set(release.data["w"]) == {0, 50, 100}
    assert release.data.groupby(["age", "income", "zip"]).size().min() >= 5


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"recode": {"agee": "top:90"}}, "recode: there is no column 'agee'; did you mean 'age'?"),
        ({"recode": {"job": "prefix:1"}, "identifiers": ["job"]}, "is an identifier and is left out"),
        ({"recode": ["age"]}, "recode must map names"),
        ({"recode": {"age": "bands:10"}, "kinds": {"age": "numeric"}}, "give text, and its kind is said to be numeric"),
    ],
)
def test_what_cannot_be_recoded(asked, message):
    with pytest.raises(InvalidOption, match=message):
        ma.anonymize(patients(), k=5, quasi=["age"], others="drop", **asked)


def test_assess_and_compare_look_at_recoded_columns():
    frame = patients()
    as_it_is = ma.assess(frame, quasi=["age", "zip"])
    coarse = ma.assess(frame, quasi=["age", "zip"], recode={"age": "bands:20", "zip": "prefix:2"})
    assert coarse.risks["average_risk"] < as_it_is.risks["average_risk"] / 3
    comparison = ma.compare(
        frame, k=[3, 5], methods=["mdav", "mixed"], others="drop", recode={"age": "bands:20"}, quasi=["age", "income"]
    )
    assert not comparison.failures
    assert all(row.plan.recode == {"age": ("bands:20",)} for row in comparison.rows)


def test_a_shared_table_is_recoded_once():
    table = SharedTable(io.wrap(patients()))
    one = recode_table(table, {"age": ("top:90",)}, 3)
    assert recode_table(table, {"age": ("top:90",)}, 3)[0] is one[0]
    assert recode_table(table, {"age": ("top:80",)}, 3)[0] is not one[0]


def test_the_command_line_takes_steps_in_their_order(tmp_path, run):
    patients().to_csv(tmp_path / "in.csv", index=False)
    words = ["anonymize", tmp_path / "in.csv", "-k", 5, "--quasi", "age,income", "--confidential", "pay"]
    words += ["--drop", "zip,job,day", "--recode", "age=top:90", "--recode", "income=round:1000", "--recode"]
    words += ["age=bands:10", "-o", tmp_path / "out.csv"]
    code, out, _ = run(*words)
    assert code == 0
    assert "age: put into bands of 10" in out
    told = json.loads(run(*words, "--json")[1])["recoded"]
    assert [line.split(":")[0] for line in told] == ["age", "age", "income"]
    assert set(pd.read_csv(tmp_path / "out.csv")["age"]) <= {f"{ten}0-{ten}9" for ten in range(1, 10)}
    code, _, err = run(*words, "--recode", "age")
    assert code != 0
    assert "--recode must be written NAME=STEP, such as age=top:90; got 'age'" in err


def test_the_report_lists_the_steps_and_what_they_did(tmp_path):
    release = ma.anonymize(patients(), k=5, recode=STEPS, **ROLES)
    release.report(tmp_path / "report.html", tmp_path / "report.json")
    told = json.loads((tmp_path / "report.json").read_text())["settings"]
    assert "age: bottom:18, top:90, bands:10" in str(told)
    assert "age: put into bands of 10" in str(told)
    assert "put into bands of 10" in (tmp_path / "report.html").read_text()


@pytest.mark.parametrize("memory", ["unlimited", "1MB"])
def test_whole_numbers_beyond_64_bits_are_recoded_as_numbers(tmp_path, memory):
    """Floats that large are all whole, and no type of whole numbers holds them."""
    values = np.arange(-10, 10) * 1e153
    pd.DataFrame({"far": values, "age": range(20)}).to_csv(tmp_path / "far.csv", index=False)
    asked = {"quasi": ["far", "age"], "recode": {"far": "round:5"}, "memory": memory}
    ma.anonymize_file(tmp_path / "far.csv", tmp_path / "out.csv", k=3, **asked)
    assert pd.read_csv(tmp_path / "out.csv")["far"].mean() == pytest.approx(values.mean())
