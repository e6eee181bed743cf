"""What becomes of missing values in a release: small made-up twins of files in which something went wrong."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import microagg as ma
from microagg import io
from microagg.cli import cli
from microagg.cli.words import in_flags
from microagg.errors import InvalidData, InvalidOption

K = 5


def patients(n=400, unknown=160, seed=0):
    """Most do not know their diabetes; a mode would turn all of those into one diagnosis."""
    rng = np.random.default_rng(seed)
    diabetes = np.array(["Type II diabetes", "none", "Type I diabetes"], dtype=object)[
        rng.choice(3, n, p=[0.6, 0.3, 0.1])
    ]
    diabetes[rng.permutation(n)[:unknown]] = None
    data = pd.DataFrame({"diabetes": diabetes, "age": rng.integers(20, 90, n).astype(float)})
    data["pressure"] = rng.normal(120, 15, n).round(1)
    data.loc[rng.permutation(n)[:60], "pressure"] = np.nan
    data.loc[3, "age"] = np.nan
    data["ill"] = rng.choice(["yes", "no"], n)
    return data


QUASI = ["diabetes", "age", "pressure"]


def released(data, **asked):
    return ma.anonymize(data, k=K, quasi=QUASI, confidential=["ill"], **asked)


def smallest(frame, names):
    return int(frame.groupby(names, dropna=False).size().min())


@pytest.mark.parametrize("method", ["auto", "mdav", "mixed", "fast", "vmdav", "sa_mdav", "hm2"])
def test_unknowns_stay_unknown(method):
    """Type II diabetes is the answer of those who gave it, and of nobody else."""
    data = patients()
    release = released(data, missing="value", method=method)
    out = release.data
    assert out.loc[data["diabetes"].isna(), "diabetes"].isna().all()
    assert out[QUASI].isna()[data[QUASI].isna()].all(axis=None, skipna=True)
    assert smallest(out, QUASI) >= K
    assert len(out) == len(data)


def test_numbers_are_grouped_within_the_same_pattern_and_groups_agree():
    data = patients()
    release = released(data, missing="value", method="mdav")
    lacks = release.data[QUASI].isna()
    assert (lacks.groupby(release.labels).nunique() == 1).all(axis=None)
    for name in ("age", "pressure"):
        known = data[name].groupby(release.labels)
        inside = release.data[name].between(known.transform("min"), known.transform("max"))
        assert (inside | release.data[name].isna()).all(), "a released number lies among those that its group knows"


def test_one_record_that_lacks_a_column_costs_few_values():
    release = released(patients(), missing="value")
    assert release.gaps.missing["age"] == 1
    assert 0 < release.gaps.blanked["age"] < 2 * K


@given(st.integers(0, 2**32 - 1), st.integers(10, 80), st.integers(2, 5), st.sampled_from([0.02, 0.2, 0.7]))
def test_whatever_is_missing_k_holds_and_nothing_is_invented(seed, n, k, share):
    rng = np.random.default_rng(seed)
    data = pd.DataFrame({
        "x": rng.normal(size=n).round(2),
        "day": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D"),
        "job": rng.choice(["a", "b", "c"], n).astype(object),
        "grade": rng.integers(1, 5, n).astype(float),
    })  # fmt: skip
    gaps = rng.random(data.shape) < share
    gaps[0] = False
    data = data.mask(gaps)
    asked = {"kinds": {"grade": "ordinal", "job": "nominal", "x": "numeric"}, "by": [] if n < 4 * k else ["half"]}
    if asked["by"]:
        data["half"] = np.arange(n) % 2
    release = ma.anonymize(data, k=k, quasi=["x", "day", "job", "grade"], missing="value", **asked)
    out, names = release.data, ["x", "day", "job", "grade"]
    assert smallest(out, [*names, *asked["by"]]) >= k
    lacks = data[names].isna()
    assert out[names].isna()[lacks].all(axis=None, skipna=True)
    blanked = (out[names].isna() & ~lacks).sum()
    assert {name: count for name, count in blanked.items() if count} == dict(release.gaps.blanked)
    assert {name: count for name, count in lacks.sum().items() if count} == dict(release.gaps.missing)
    for name in ("job", "grade"):
        assert set(out[name].dropna()) <= set(data[name].dropna())
    for name in ("x", "day"):
        known = data[name].groupby(release.labels)
        low, high = known.transform("min"), known.transform("max")
        slack = 0.01 if name == "x" else pd.Timedelta(days=1)
        assert ((out[name] >= low - slack) & (out[name] <= high + slack) | out[name].isna()).all()
    assert np.isfinite(release.information_loss)


def test_columns_grouped_alone_have_k_records_that_lack_them():
    data = patients()
    with pytest.warns(ma.errors.NotKAnonymousWarning):
        release = ma.anonymize(
            data, k=K, quasi=["age", "pressure"], confidential=["ill"], keep=["diabetes"], missing="value",
            method="individual",
        )  # fmt: skip
    for name in ("age", "pressure"):
        assert release.data[name].value_counts(dropna=False).min() >= K
        assert release.data[name].isna()[data[name].isna()].all()


def frames():
    data = patients()
    categories = data.assign(diabetes=data["diabetes"].astype("category"))
    return {
        "pandas": data,
        "categorical": categories,
        "nullable": data.convert_dtypes(),
        "arrow types": data.convert_dtypes(dtype_backend="pyarrow"),
        "polars": pl.from_pandas(data),
        "pyarrow": pa.Table.from_pandas(data),
    }


@pytest.mark.parametrize("kind", list(frames()))
def test_missing_is_missing_in_every_frame(kind):
    frame = frames()[kind]
    release = released(frame, missing="value", kinds={"age": "numeric", "diabetes": "nominal"})
    out = io.wrap(release.data)
    before = io.wrap(frame)
    for name in QUASI:
        assert out.storage(name) is before.storage(name)
        gaps = out.categories(name).codes < 0
        assert gaps[before.categories(name).codes < 0].all()
    assert np.unique(np.column_stack([out.codes(name) for name in QUASI]), axis=0, return_counts=True)[1].min() >= K


def test_coded_numbers_and_truth_values_are_missing_again():
    rng = np.random.default_rng(4)
    data = pd.DataFrame({
        "sex": pd.array(rng.choice([1, 2, None], 200), dtype="Int64"),
        "smokes": pd.Series(rng.choice([True, False, None], 200), dtype=object),
        "plain": rng.random(200) < 0.5,
    })  # fmt: skip
    release = ma.anonymize(data, k=4, missing="value", kinds={"sex": "nominal"})
    assert str(release.data["sex"].dtype) == "Int64"
    assert release.data["sex"].isna()[data["sex"].isna()].all()
    assert release.data["smokes"].isna()[data["smokes"].isna()].all()
    assert set(release.data["smokes"].dropna()) <= {True, False}
    assert release.data["plain"].dtype == bool


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".xlsx", ".parquet", ".sav", ".dta"])
def test_what_is_written_has_classes_of_k(suffix, tmp_path):
    """Read back as any reader does: an empty cell equals an empty cell."""
    data = patients().assign(grade=lambda d: d["age"].round(-1))
    release = ma.anonymize(
        data, k=K, quasi=[*QUASI, "grade"], missing="value", kinds={"grade": "nominal"}, keep=["ill"]
    )
    release.write(tmp_path / f"out{suffix}")
    table = io.read(tmp_path / f"out{suffix}")
    codes = np.column_stack([table.codes(name) for name in [*QUASI, "grade"]])
    assert np.unique(codes, axis=0, return_counts=True)[1].min() >= K
    # Text cannot be missing in Stata and SPSS files: nothing is written there, which is a value of its own too.
    for name in QUASI[1:]:
        assert np.isnan(table.numeric(name).values).sum() == release.data[name].isna().sum()


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_by_cells_the_same_bytes_where_one_cell_holds_all(suffix, tmp_path):
    source = tmp_path / f"in{suffix}"
    data = patients()
    data.to_csv(source, index=False) if suffix == ".csv" else data.to_parquet(source)
    asked = {"quasi": QUASI, "confidential": ["ill"], "missing": {"*": "value", "age": "drop"}, "method": "mdav"}
    for name, memory in (("whole", "unlimited"), ("cell", "1GB"), ("cells", "1MB")):
        ma.anonymize_file(source, tmp_path / f"{name}{suffix}", K, memory=memory, **asked)
    read = pd.read_csv if suffix == ".csv" else pd.read_parquet
    if suffix == ".csv":
        assert (tmp_path / "whole.csv").read_bytes() == (tmp_path / "cell.csv").read_bytes()
    pd.testing.assert_frame_equal(read(tmp_path / f"whole{suffix}"), read(tmp_path / f"cell{suffix}"))
    out = read(tmp_path / f"cells{suffix}")
    assert smallest(out, QUASI) >= K
    assert len(out) == len(data) - 1


def test_a_column_may_have_a_policy_of_its_own():
    data = patients()
    release = released(data, missing={"age": "drop", "pressure": "impute", "*": "value"})
    assert release.gaps.dropped == 1
    assert set(release.gaps.imputed) == {"pressure"}
    assert set(release.gaps.missing) == {"diabetes"}
    assert release.data["pressure"].notna().all()
    with pytest.raises(InvalidData, match=r"lack a value.*column 'diabetes'"):
        released(data, missing={"age": "drop", "pressure": "drop"})
    with pytest.raises(InvalidOption, match=r"missing must name quasi-identifiers.*got 'ill'"):
        released(data, missing={"ill": "drop", "*": "value"})


def test_impute_is_refused_above_a_fifth_unless_forced():
    with pytest.raises(InvalidData, match="'diabetes' lacks 40% of its values, and at most 20% are imputed"):
        released(patients(), missing="impute")
    release = released(patients(), missing="impute-any-share")
    assert release.gaps.imputed["diabetes"] == 160
    assert release.data["diabetes"].notna().all()


def test_counts_stand_on_the_terminal_in_warnings_and_in_the_summary_of_the_report(tmp_path):
    source, page = tmp_path / "in.csv", tmp_path / "report.json"
    patients().to_csv(source, index=False)
    typed = [
        str(source),
        "-k",
        "5",
        "--quasi",
        ",".join(QUASI),
        "--confidential",
        "ill",
        "-o",
        str(tmp_path / "out.csv"),
    ]
    policies = ["--missing", "drop", "--missing", "diabetes=value", "--missing", "pressure=impute"]
    result = CliRunner().invoke(cli, ["anonymize", *typed, *policies, "--report", str(page)])
    assert result.exit_code == 0, result.output
    told = " ".join((result.output + result.stderr).split())
    done = json.loads(page.read_text())["summary"]["What was done"]
    for sentence in ("left out: fewer than 5.", "most frequent value (pressure: 60)", "as missing (diabetes: 1"):
        assert sentence in told
        assert sentence in done
    assert any("pressure: 60" in warning for warning in released(patients(), missing={
        "age": "drop", "pressure": "impute", "*": "value"}).warnings)  # fmt: skip


def test_before_in_the_report_is_the_truth(tmp_path):
    """The median of the known stood in 60 places of the grey bars, and drew in means and deviations."""
    data = patients()
    release = released(data, missing="impute-any-share")
    release.report(tmp_path / "report.json")
    columns = {column["name"]: column for column in json.loads((tmp_path / "report.json").read_text())["columns"]}
    pressure = columns["pressure"]
    assert pressure["missing_before"] == 60
    assert pressure["missing_after"] == 0
    assert pressure["moments"]["mean_before"] == pytest.approx(data["pressure"].mean(), rel=1e-3)
    assert pressure["moments"]["deviation_before"] == pytest.approx(data["pressure"].std(), rel=1e-3)
    assert sum(pressure["histogram"]["before"]) <= 340
    unknown = {row["label"]: row["before"] for row in columns["diabetes"]["categories"]}
    assert unknown["missing"] == 160
    truth = data[QUASI].groupby(QUASI, dropna=False).size()
    assert release.risks_before["uniques"] == (truth == 1).sum()
    assert np.isnan(release.original).sum() == data[QUASI].isna().to_numpy().sum()


def test_a_blank_counts_as_if_the_mean_stood_there():
    """The loss of a release in which a column is blank is that of its mean in all places: 100 % of the column."""
    data = pd.DataFrame({"x": [1.0, 2.0, 4.0, np.nan, np.nan], "y": [1.0, 1.0, 2.0, 2.0, 3.0]})
    release = ma.anonymize(data, k=4, missing="value", exact_means=True)
    assert release.data["x"].isna().all()
    assert release.column_losses["information_loss"]["x"] == pytest.approx(100.0)


def test_a_column_of_numbers_that_all_records_lack():
    data = patients().assign(empty=np.nan)
    release = ma.anonymize(data, k=K, quasi=["age", "empty"], keep=["diabetes", "pressure", "ill"], missing="value")
    assert release.data["empty"].isna().all()
    assert smallest(release.data, ["age", "empty"]) >= K


def test_many_columns_with_random_gaps_end_soon_and_the_advice_says_what_to_do():
    rng = np.random.default_rng(0)
    data = pd.DataFrame(rng.normal(size=(300, 200)).round(2), columns=[f"c{j}" for j in range(200)])
    data = data.mask(rng.random(data.shape) < 0.05)
    release = ma.anonymize(data, k=5, quasi=list(data.columns), missing="value", method="mdav")
    assert smallest(release.data, list(data.columns)) >= 5
    assert any("of all values are blanked for that. Leave out columns" in warning for warning in release.warnings)
    assert all(len(warning) < 700 for warning in release.warnings), "200 columns are not named one by one"


def test_outliers_are_not_looked_for_among_numbers_that_stay_missing():
    with pytest.raises(InvalidOption, match=r"missing='value' cannot be combined.*Choose missing='drop'"):
        released(patients(), missing="value", suppress=0.05)


def test_compare_and_assess_take_missing_values(tmp_path):
    data = patients()
    found = ma.compare(data, k=5, methods=["mdav"], quasi=QUASI, confidential=["ill"], missing="value")
    assert (
        all(candidate.release is not None for candidate in found.candidates) if hasattr(found, "candidates") else True
    )
    source = tmp_path / "in.csv"
    data.to_csv(source, index=False)
    typed = [
        "compare",
        str(source),
        "-k",
        "5",
        "--methods",
        "mdav",
        "--quasi",
        ",".join(QUASI),
        "--keep",
        "ill",
        "--json",
    ]
    result = CliRunner().invoke(cli, [*typed, "--missing", "value", "--missing", "age=drop"])
    assert result.exit_code == 0, result.output
    assert CliRunner().invoke(cli, ["assess", str(source), "-k", "5", "--quasi", ",".join(QUASI)]).exit_code in (0, 1)


def test_plans_hold_policies_of_columns(tmp_path):
    plan = ma.Plan(k=5, quasi=tuple(QUASI), missing={"age": "drop", "*": "value"})
    path = tmp_path / "plan.toml"
    ma.save_plan(plan, path)
    assert '[release.missing]\n"age" = "drop"\n"*" = "value"' in path.read_text()
    assert ma.load_plan(path) == plan
    assert plan.changed(quasi=["diabetes"]).missing == "value"
    assert "--missing age=drop --missing value" in ma.plan.command_of(plan)


def test_the_error_speaks_of_flags_on_the_command_line(tmp_path):
    source = tmp_path / "in.csv"
    patients().to_csv(source, index=False)
    typed = ["anonymize", str(source), "-k", "5", "--quasi", ",".join(QUASI), "--keep", "ill"]
    result = CliRunner().invoke(cli, [*typed, "--missing", "impute", "-o", str(tmp_path / "out.csv")])
    assert "--missing value to release them as they are, --missing drop" in in_flags(str(result.exception))
    assert not (tmp_path / "out.csv").exists()
