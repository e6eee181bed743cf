"""Files that do not fit into memory: the same promises as in memory, whatever the budget."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import microagg as ma
from microagg import errors, io
from microagg.cli import main
from microagg.engines.gathered import Gathered
from microagg.release import FileRelease
from microagg.semantic import Hierarchy

TINY = "1KB"
"""So little that cells are as small as they can be: eight groups."""
ROLES = {"quasi": ["age", "income"], "identifiers": ["name"], "confidential": ["illness"]}


REGIONS = Hierarchy.from_edges([("north", "land"), ("south", "land")])


def people(n: int = 400, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame({
        "name": [f'person "{i}", esq.' for i in range(n)],
        "age": rng.integers(18, 90, n),
        "income": rng.lognormal(8, 1, n).round(2),
        "born": pd.Timestamp("1950-01-01") + pd.to_timedelta(rng.integers(0, 20_000, n), "D"),
        "region": [["north", "south", None][i % 3] for i in range(n)],
        "weight": rng.uniform(0.5, 2.0, n),
        "gaps": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n).round(3)),
        "smokes": rng.random(n) < 0.3,
        "illness": [f"{i % 7:03d}" for i in range(n)],
    })  # fmt: skip


def written(path: Path, data: pd.DataFrame) -> Path:
    if path.suffix == ".parquet":
        data.to_parquet(path)
    else:
        data.to_csv(path, index=False)
    return path


def text(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def smallest_class(rows: pd.DataFrame, columns: list[str]) -> int:
    return int(rows.groupby(columns, dropna=False).size().min())


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"by": "region"},
        {"weights": "weight", "round": True},
        {"quasi": ["age", "born"], "round": {"age": -1}, "column_weights": {"age": 3.0}},
        {"aggregate": "median", "method": "fast"},
        {"standardise": False, "refine": "local", "method": "vmdav", "gamma": 0.5},
        {"quasi": ["age", "region"], "missing": "impute-any-share"},
        {"quasi": ["age", "region", "born"], "missing": "drop", "method": "mdav"},
        {"quasi": ["gaps", "region"], "missing": "impute-any-share", "method": "mdav", "aggregate": "median"},
        {"kinds": {"age": "ordinal", "income": "nominal"}, "column_weights": {"age": 2.0}},
        {
            "quasi": ["region", "illness"],
            "missing": "impute-any-share",
            "kinds": {"region": REGIONS},
            "confidential": [],
        },
        {"quasi": ["gaps", "region", "born"], "missing": "value"},
        {"quasi": ["gaps", "age"], "missing": "value", "by": "region", "method": "mdav"},
        {"quasi": ["gaps", "age"], "missing": {"gaps": "value", "*": "drop"}, "weights": "weight"},
        {"quasi": ["smokes", "age"], "by": "region", "method": "sa_mondrian"},
    ],
    ids=str,
)
def test_where_one_cell_holds_all_the_file_is_the_same(tmp_path, suffix, asked):
    """To the byte; a Parquet file of text may be packed in another way, and hold the same types and values."""
    source = written(tmp_path / f"people{suffix}", people())
    asked = {**ROLES, **asked}
    whole = ma.anonymize_file(source, tmp_path / f"whole{suffix}", 5, memory="unlimited", **asked)
    cells = ma.anonymize_file(source, tmp_path / f"cells{suffix}", 5, memory="1GB", **asked)
    if suffix == ".csv":
        assert (tmp_path / "cells.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()
    else:
        tables = [parquet.read_table(tmp_path / f"{name}.parquet") for name in ("cells", "whole")]
        assert tables[0].schema.types == tables[1].schema.types
        assert tables[0].to_pydict() == tables[1].to_pydict()
    for name in ("losses", "risks", "risks_before"):
        assert getattr(cells, name) == pytest.approx(getattr(whole, name)), name
    for metric, values in whole.column_losses.items():
        assert cells.column_losses[metric] == pytest.approx(values), metric
    same = ("records", "groups", "smallest", "largest", "k_anonymous", "roles", "kinds", "warnings", "method")
    assert {name: cells.summary[name] for name in same} == {name: whole.summary[name] for name in same}


@settings(max_examples=15)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(4, 500),
    k=st.integers(2, 4),
    shape=st.sampled_from(["spread", "few values", "all equal", "one tie block", "just above k"]),
    method=st.sampled_from(["mdav", "fast", "univariate", "hm2"]),
    by=st.booleans(),
)
def test_every_release_keeps_its_promises(tmp_path_factory, seed, n, k, shape, method, by):
    folder = tmp_path_factory.mktemp("folder")
    rng = np.random.default_rng(seed)
    if shape == "just above k":
        n = k + seed % 3
    values = {
        "few values": lambda: rng.integers(0, 3, (n, 2)),
        "all equal": lambda: np.full((n, 2), 7),
        "one tie block": lambda: np.where(rng.random((n, 1)) < 0.1, rng.integers(0, 99, (n, 2)), 50),
    }.get(shape, lambda: rng.normal(size=(n, 2)))()
    data = pd.DataFrame({"a": values[:, 0], "b": values[:, 1], "row": np.arange(n), "s": rng.integers(0, 2, n)})
    if np.bincount(data["s"], minlength=2).min() < k:
        data["s"] = 0
    source, target = written(folder / "in.csv", data), folder / "out.csv"
    strata = {"by": "s"} if by else {}
    release = ma.anonymize_file(
        source,
        target,
        k,
        quasi=["a", "b"],
        method=method,
        memory=TINY,
        confidential=["row"],
        exact_means=True,
        **strata,
    )
    out = pd.read_csv(target)
    assert out["row"].tolist() == list(range(n)), "the order of the rows"
    assert out["s"].tolist() == data["s"].tolist()
    assert smallest_class(out, ["a", "b", *strata.values()]) >= k
    X, Y = data[["a", "b"]].to_numpy(float), out[["a", "b"]].to_numpy(float)
    assert Y.mean(axis=0) == pytest.approx(X.mean(axis=0)), "group means keep the mean"
    spread = X.std(axis=0, ddof=1)
    spread[spread == 0] = np.inf
    sst = (((X - X.mean(axis=0)) / spread) ** 2).sum()
    sse = (((X - Y) / spread) ** 2).sum()
    assert release.losses["sse"] == pytest.approx(sse, abs=1e-9)
    assert release.information_loss == pytest.approx(100 * sse / sst if sst else 0.0, abs=1e-9)
    assert release.summary["records"] == n
    assert release.risks["smallest_class"] == smallest_class(out, ["a", "b", *strata.values()])
    assert release.risks_before["smallest_class"] == smallest_class(data, ["a", "b", *strata.values()])
    assert sorted(path.name for path in folder.iterdir()) == ["in.csv", "out.csv"]
    if shape == "all equal":
        assert release.information_loss == 0


@settings(max_examples=10)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(12, 400),
    k=st.integers(2, 4),
    method=st.sampled_from(["mixed", "mdav", "sa_mdav"]),
    missing=st.sampled_from(["impute-any-share", "drop", "value"]),
    by=st.booleans(),
)
def test_categories_keep_their_promises_in_small_cells(tmp_path_factory, seed, n, k, method, missing, by):
    folder = tmp_path_factory.mktemp("folder")
    rng = np.random.default_rng(seed)
    colours = np.where(rng.random(n) < 0.05, None, rng.choice(["red", "green", "blue", "O'Neil; DROP"], n))
    data = pd.DataFrame({"c": colours, "x": rng.normal(size=n).round(2), "row": np.arange(n), "s": np.arange(n) % 2})
    data.loc[rng.random(n) < 0.05, "x"] = np.nan
    source, target = written(folder / "in.csv", data), folder / "out.csv"
    asked = {"quasi": ["c", "x"], "method": method, "missing": missing, "confidential": ["row"], "memory": TINY}
    kept = data.dropna() if missing == "drop" else data
    if kept.groupby("s").size().min() < k or len(kept) < k:
        return
    release = ma.anonymize_file(source, target, k, **asked, **({"by": "s"} if by else {}))
    out = pd.read_csv(target)
    assert out["row"].tolist() == kept["row"].tolist()
    assert smallest_class(out, ["c", "x", *(["s"] if by else [])]) >= k
    assert set(out["c"].dropna()) <= set(data["c"].dropna())
    if missing == "value":
        lacks = data[["c", "x"]].isna()
        assert out[["c", "x"]].isna()[lacks].all(axis=None, skipna=True), "what is missing stays missing"
    else:
        assert out["c"].notna().all()
    whole = ma.anonymize_file(source, None, k, **{**asked, "memory": "unlimited"}, **({"by": "s"} if by else {}))
    assert release.risks_before == whole.risks_before
    assert release.losses["sst"] == pytest.approx(whole.losses["sst"])


def test_kept_columns_leave_as_they_are_written_and_identifiers_do_not(tmp_path):
    source = written(tmp_path / "people.csv", people())
    ma.anonymize_file(source, tmp_path / "out.csv", 4, memory=TINY, **ROLES)
    before, after = text(source), text(tmp_path / "out.csv")
    assert list(after[0]) == ["age", "income", "born", "region", "weight", "gaps", "smokes", "illness"]
    for name in ("born", "region", "weight", "illness"):
        assert [row[name] for row in after] == [row[name] for row in before]


def test_survey_weights_keep_weighted_totals(tmp_path):
    source = written(tmp_path / "people.csv", people())
    ma.anonymize_file(source, tmp_path / "out.csv", 4, memory=TINY, weights="weight", **ROLES)
    before, after = pd.read_csv(source), pd.read_csv(tmp_path / "out.csv")
    assert (after["income"] * after["weight"]).sum() == pytest.approx((before["income"] * before["weight"]).sum())
    bad = before.assign(weight=before["weight"].where(before.index != 17, -1.0))
    with pytest.raises(errors.InvalidData, match="weights must be finite and at least 0; record 18"):
        ma.anonymize_file(
            written(tmp_path / "bad.csv", bad), tmp_path / "no.csv", 4, memory=TINY, weights="weight", **ROLES
        )


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_missing_values_are_refused_or_left_out(tmp_path, suffix):
    data = people()
    data["income"] = data["income"].where(data.index % 10 != 3)
    source, target = written(tmp_path / f"people{suffix}", data), tmp_path / f"out{suffix}"
    with pytest.raises(errors.InvalidData, match=r"40 of 400 records lack a value .* record 4 in column 'income'"):
        ma.anonymize_file(source, target, 4, memory=TINY, **ROLES)
    assert not target.exists()
    release = ma.anonymize_file(source, target, 4, memory=TINY, missing="drop", **ROLES)
    out = pd.read_csv(target, dtype={"illness": str}) if suffix == ".csv" else pd.read_parquet(target)
    assert out["illness"].tolist() == data["illness"][data["income"].notna()].tolist()
    assert release.summary["records"] == 360
    assert smallest_class(out, ["age", "income"]) >= 4
    whole = ma.anonymize_file(source, tmp_path / f"whole{suffix}", 4, missing="drop", **ROLES)
    one_cell = ma.anonymize_file(source, target, 4, memory="1GB", missing="drop", **ROLES)
    read = pd.read_csv if suffix == ".csv" else pd.read_parquet
    pd.testing.assert_frame_equal(read(target), read(tmp_path / f"whole{suffix}"), check_exact=True)
    assert one_cell.losses == pytest.approx(whole.losses)


def test_marks_for_missing_numbers_and_a_comma_for_a_point(tmp_path):
    source = tmp_path / "people.csv"
    rows = [f"{i % 9},5;{'NA' if i == 5 else i};x{i}" for i in range(60)]
    source.write_text("\n".join(["a;b;c", *rows]) + "\n")
    asked = {"quasi": ["a", "b"], "missing": "drop", "k": 3, "keep": ["c"]}
    ma.anonymize_file(source, tmp_path / "whole.csv", **asked)
    ma.anonymize_file(source, tmp_path / "cells.csv", memory="1GB", **asked)
    assert (tmp_path / "cells.csv").read_text() == (tmp_path / "whole.csv").read_text()
    assert "x5\n" not in (tmp_path / "cells.csv").read_text()


def test_whole_numbers_keep_their_type_where_it_can_hold_them(tmp_path):
    data = pd.DataFrame({
        "small": (np.arange(300) % 200).astype(np.uint8),
        "single": np.linspace(0, 1, 300).astype(np.float32),
    })  # fmt: skip
    source, target = written(tmp_path / "in.parquet", data), tmp_path / "out.parquet"
    ma.anonymize_file(source, target, 3, memory=TINY, round={"small": 0})
    assert [str(kind) for kind in pd.read_parquet(target).dtypes] == ["uint8", "float32"]
    ma.anonymize_file(source, target, 3, memory=TINY, exact_means=True)
    assert [str(kind) for kind in pd.read_parquet(target).dtypes] == ["float64", "float32"]


def test_infinite_values_and_empty_files_are_refused(tmp_path):
    data = people()
    data.loc[7, "income"] = np.inf
    with pytest.raises(errors.InvalidData, match="'income' holds an infinite value in record 8"):
        ma.anonymize_file(written(tmp_path / "a.parquet", data), None, 4, memory=TINY, **ROLES)
    with pytest.raises(errors.InvalidData, match="no records"):
        ma.anonymize_file(written(tmp_path / "b.parquet", people()[:0]), None, 4, memory=TINY, **ROLES)
    with pytest.raises(errors.InfeasibleK, match="number of records"):
        ma.anonymize_file(written(tmp_path / "c.csv", people(3)), None, 4, memory=TINY, **ROLES)


def test_a_small_stratum_is_told_by_its_first_record(tmp_path):
    data = people().assign(region=["west" if i == 9 else "east" for i in range(400)])
    with pytest.raises(errors.InfeasibleK, match=r"the stratum of record 10 \(region\) has fewer than k = 4"):
        ma.anonymize_file(written(tmp_path / "a.csv", data), None, 4, memory=TINY, by="region", **ROLES)


def test_shuffled_rows_are_the_same_rows(tmp_path):
    source = written(tmp_path / "people.csv", people())
    outputs = []
    for name, asked in (("plain", {}), ("one", {"shuffle": True}), ("two", {"shuffle": True})):
        ma.anonymize_file(source, tmp_path / f"{name}.csv", 4, memory=TINY, **ROLES, **asked)
        outputs.append((tmp_path / f"{name}.csv").read_text().splitlines()[1:])
    assert sorted(outputs[0]) == sorted(outputs[1])
    assert outputs[0] != outputs[1] != outputs[2]


def test_equal_on_any_number_of_threads(tmp_path):
    source = written(tmp_path / "people.csv", people())
    for threads in (1, 2):
        ma.anonymize_file(source, tmp_path / f"{threads}.csv", 4, memory="100KB", threads=threads, **ROLES)
    assert (tmp_path / "1.csv").read_bytes() == (tmp_path / "2.csv").read_bytes()


@pytest.mark.parametrize(
    ("asked", "what"),
    [
        ({"suppress": 0.1}, "suppress"),
        ({"bound": 1.0}, "bound"),
        ({"method": "individual"}, "method 'individual'"),
        ({"outliers": "join"}, "outliers='join'"),
    ],
)
def test_what_needs_all_records_at_once_is_refused(tmp_path, asked, what):
    source, target = written(tmp_path / "people.csv", people()), tmp_path / "out.csv"
    with pytest.raises(errors.InvalidOption, match=rf"{what} needs all records in memory at once.*memory='unlimited'"):
        ma.anonymize_file(source, target, 4, memory=TINY, **{**ROLES, **asked})
    assert not target.exists()


def test_other_formats_and_too_many_categories_are_refused(tmp_path, monkeypatch):
    source = written(tmp_path / "people.csv", people())
    monkeypatch.setattr("microagg.engines.cells.MOST_CATEGORIES", 100)
    with pytest.raises(errors.InvalidData, match=r"column 'name' holds more than 100 distinct categories"):
        ma.anonymize_file(source, tmp_path / "out.csv", 4, memory=TINY, quasi=["age", "name"])
    with pytest.raises(errors.InvalidOption, match=r"Excel files must fit into memory; larger ones may be \.csv"):
        ma.anonymize_file(source, tmp_path / "out.xlsx", 4, memory=TINY, **ROLES)
    assert [path.name for path in tmp_path.iterdir()] == ["people.csv"]


def test_a_release_that_is_not_k_anonymous_is_refused(tmp_path, monkeypatch):
    """Somebody's released values get lost on the way back: the check finds it, and no file is left."""
    honest = Gathered.in_order

    def spoilt(self):
        for strata, values in honest(self):
            values[0] += 0.5
            yield strata, values

    monkeypatch.setattr(Gathered, "in_order", spoilt)
    source = written(tmp_path / "people.csv", people())
    with pytest.raises(errors.NotKAnonymous, match=r"of 400 records share .* nothing was written"):
        ma.anonymize_file(source, tmp_path / "out.csv", 4, memory=TINY, **ROLES)
    assert [path.name for path in tmp_path.iterdir()] == ["people.csv"]


def test_what_progress_raises_stops_the_work_and_leaves_nothing(tmp_path):
    source = written(tmp_path / "people.csv", people())
    told = []

    def stop(fraction):
        told.append(fraction)
        if fraction > 0.5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ma.anonymize_file(source, tmp_path / "out.csv", 4, memory=TINY, progress=stop, **ROLES)
    assert told == sorted(told)
    assert [path.name for path in tmp_path.iterdir()] == ["people.csv"]


def test_the_release_has_its_numbers_and_report_but_not_its_rows(tmp_path):
    source = written(tmp_path / "people.csv", people())
    release = ma.anonymize_file(source, tmp_path / "out.csv", 4, memory=TINY, report=tmp_path / "report.html", **ROLES)
    page = (tmp_path / "report.html").read_text()
    assert "400 records were put into" in page
    assert "--memory 1024B" in page
    assert "microagg.anonymize_file(source, target, k=4" in page
    with pytest.raises(errors.InvalidOption, match="read the file that was written"):
        _ = release.data
    assert release.summary["groups"] == sum(release.groups.values())
    json.dumps(release.summary)


def test_a_report_of_a_sample_says_so_and_has_the_numbers_of_all(tmp_path, monkeypatch):
    monkeypatch.setattr("microagg.engines.gathered.SAMPLE_RECORDS", 60)
    data = people(1000)
    source = written(tmp_path / "people.csv", data)
    release = ma.anonymize_file(
        source, tmp_path / "out.csv", 4, memory="100KB", report=tmp_path / "report.html", **ROLES
    )
    assert 20 < len(release.labels) < 150
    assert np.bincount(release.labels).min() >= 4, "whole groups"
    page = (tmp_path / "report.html").read_text()
    assert "1,000 records were put into" in page
    assert f"a sample of {len(release.labels)} records" in page
    after = pd.read_csv(tmp_path / "out.csv")["age"]
    found = release.change.numbers
    assert data["age"].mean() + found.means[1][0] * data["age"].std() == pytest.approx(after.mean())
    assert np.sqrt(found.covariance(1)[0, 0]) * data["age"].std() == pytest.approx(after.std())
    # The table of columns: means and deviations before and after.
    for value in (data["age"].std(), after.std()):
        assert f"{value:.1f}" in page


def test_the_command_line(tmp_path, capsys):
    source, target = written(tmp_path / "people.csv", people()), tmp_path / "out.csv"
    words = ["anonymize", str(source), "-k", "4", "--quasi", "age,income", "--drop", "name", "-o", str(target)]
    with pytest.raises(SystemExit) as stopped:
        main([*words, "--memory", "1MB", "--json"])
    assert stopped.value.code == 0
    assert json.loads(capsys.readouterr().out)["smallest"] >= 4
    assert target.exists()
    with pytest.raises(SystemExit) as stopped:
        main([*words, "--memory", "plenty"])
    assert stopped.value.code == 2
    assert "memory must be a size" in capsys.readouterr().err


def test_auto_goes_by_cells_where_the_file_does_not_fit(tmp_path, monkeypatch):
    source = written(tmp_path / "people.csv", people())
    assert isinstance(ma.anonymize_file(source, None, 4, **ROLES), ma.Release)
    monkeypatch.setattr("microagg.engines.budget.free_memory", lambda: 10_000)
    assert isinstance(ma.anonymize_file(source, None, 4, **ROLES), FileRelease)
    assert isinstance(ma.anonymize_file(source, None, 4, memory="unlimited", **ROLES), ma.Release)


def test_a_terminated_process_leaves_nothing_behind(tmp_path):
    """Also when it is asked to end by a signal that Python does not turn into an exception by itself."""
    source = written(tmp_path / "people.csv", people(3000))
    command = [
        sys.executable,
        "-m",
        "microagg",
        "anonymize",
        str(source),
        "-k",
        "4",
        "--quasi",
        "age,income",
        "--drop",
        "name",
    ]
    command += ["--method", "best", "--option", "time_limit=60", "--memory", "1KB", "-o", str(tmp_path / "out.csv")]
    environment = {**os.environ, "PYTHONPATH": ":".join(sys.path)}
    environment.pop("TMPDIR", None)
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while not list(tmp_path.glob(".microagg-*/*/cells")):
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    process.communicate()
    assert process.returncode not in (0, None)
    assert [path.name for path in tmp_path.iterdir()] == ["people.csv"]


def test_duckdb_without_enough_memory_says_so(tmp_path):
    import duckdb

    with pytest.raises(errors.InvalidOption, match="memory that was allowed is too little"), io.within_limits():
        raise duckdb.OutOfMemoryException("Out of Memory Error: failed to allocate")
    with pytest.raises(errors.FileProblem, match="Cannot spool the file to disk: No space left"), io.within_limits():
        raise OSError(28, "No space left on device")
