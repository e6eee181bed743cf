"""Records that are spread: the same release as cell by cell on one machine, whoever works and however they lie."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import microagg as ma
from microagg import errors
from microagg.anonymize import choices
from microagg.cli import main
from microagg.engines.spread import files
from microagg.semantic import Hierarchy

SMALL = "60KB"
"""Cells of some dozens of records."""
ROLES = {"quasi": ["age", "income"], "identifiers": ["name"], "confidential": ["illness"], "memory": SMALL}
REGIONS = Hierarchy.from_edges([("north", "land"), ("south", "land")])


def people(n: int = 1200, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame({
        "name": [f'person "{i}", esq.' for i in range(n)],
        "age": rng.integers(18, 90, n),
        "income": rng.lognormal(8, 1, n).round(2),
        "born": pd.Timestamp("1950-01-01") + pd.to_timedelta(rng.integers(0, 20_000, n), "D"),
        "region": [["north", "south", None][i % 3] for i in range(n)],
        "weight": rng.uniform(0.5, 2.0, n).round(1),
        "gaps": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n).round(3)),
        "smokes": rng.random(n) < 0.3,
        "postcode": [f"{10_000 + 100 * i}" for i in rng.integers(0, 40, n)],
        "illness": [f"{i:03d}" for i in rng.integers(0, 7, n)],
    })  # fmt: skip


def written(path, data, rows=200):
    data.to_parquet(path, row_group_size=rows)
    return path


def same(one: pa.Table, other: pa.Table) -> bool:
    """The same columns and values; text is text, whatever its offsets are stored in."""
    plain = [
        pa.schema([pa.field(f.name, pa.string() if pa.types.is_large_string(f.type) else f.type) for f in table.schema])
        for table in (one, other)
    ]
    return plain[0].equals(plain[1]) and one.cast(plain[0]).to_pydict() == other.cast(plain[1]).to_pydict()


def facts(release) -> dict:
    left_out = ("seconds", "seconds_by_step", "sha256")
    return {name: value for name, value in release.summary.items() if name not in left_out}


@pytest.fixture
def in_parts(monkeypatch):
    """Let every row group be a part."""
    monkeypatch.setattr(files, "PART_RECORDS", 1)


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"by": "region"},
        {"by": ["region", "postcode"], "k": 3},
        {"weights": "weight", "round": True},
        {"quasi": ["age", "born"], "round": {"age": -1}, "column_weights": {"age": 3.0}},
        {"aggregate": "median", "method": "fast"},
        {"standardise": False, "refine": "local", "method": "vmdav", "gamma": 0.5},
        {"quasi": ["age", "region"], "missing": "impute-any-share"},
        {"quasi": ["age", "region", "born"], "missing": "drop", "method": "mdav"},
        {"quasi": ["gaps", "region"], "missing": "impute-any-share", "method": "mdav", "aggregate": "median"},
        {"kinds": {"age": "ordinal", "income": "nominal"}, "column_weights": {"age": 2.0}},
        {"quasi": ["region", "postcode"], "missing": "impute-any-share", "kinds": {"region": REGIONS}},
        {"quasi": ["gaps", "region", "born"], "missing": "value"},
        {"quasi": ["gaps", "age"], "missing": "value", "by": "region", "method": "mdav"},
        {"quasi": ["gaps", "age"], "missing": {"gaps": "value", "*": "drop"}, "weights": "weight"},
        {"quasi": ["smokes", "age"], "by": "region", "method": "sa_mondrian"},
        {"l": {"illness": 2}, "t": {"illness": 0.5}, "memory": "200KB"},
        {"p": {"weight": 2}, "confidential": ["illness", "weight"], "memory": "200KB"},
        {
            "recode": {
                "income": ["top:95%", "round:10"],
                "age": "bands:10",
                "postcode": "prefix:2",
                "born": "date:month",
            }
        },
        {"recode": {"postcode": "rare:40"}, "quasi": ["postcode", "age"]},
    ],
    ids=str,
)
def test_the_same_release_as_cell_by_cell(tmp_path, in_parts, asked):
    """Values, types, losses, risks, warnings, and what is drawn in a report: seven parts, against one machine."""
    source = written(tmp_path / "people.parquet", people())
    asked = {"k": 5, **ROLES, **asked}
    cells = ma.anonymize_file(source, tmp_path / "cells.parquet", **asked)
    spread = ma.anonymize_file(source, tmp_path / "spread", engine="serial", **asked)
    one, other = parquet.read_table(tmp_path / "cells.parquet"), parquet.read_table(tmp_path / "spread")
    assert len(list((tmp_path / "spread").iterdir())) == 6
    assert same(one, other)
    assert facts(spread) == facts(cells)
    for name in ("labels", "original", "released"):
        assert np.array_equal(getattr(spread, name), getattr(cells, name), equal_nan=name != "labels"), name
    assert spread.homogeneous == cells.homogeneous
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cells.parquet", "people.parquet", "spread"]


@pytest.fixture(scope="module")
def dask_client():
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit=0
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def ray_here():
    ray = pytest.importorskip("ray")
    ray.init(num_cpus=2, include_dashboard=False, object_store_memory=100 << 20, logging_level="ERROR")
    yield "ray"
    ray.shutdown()


FAST = {**ROLES, "k": 5, "method": "mdav", "by": "region", "weights": "weight"}


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """The source, and its release by one process."""
    folder = tmp_path_factory.mktemp("expected")
    source = written(folder / "people.parquet", people(), rows=600)
    ma.anonymize_file(source, folder / "cells.parquet", **FAST)
    return source, parquet.read_table(folder / "cells.parquet")


@pytest.mark.parametrize("engine", ["serial", "processes", "dask_client", "ray_here"])
def test_whoever_works_the_release_is_the_same(request, tmp_path, in_parts, expected, engine):
    source, released = expected
    worker = request.getfixturevalue(engine) if "_" in engine else engine
    ma.anonymize_file(source, tmp_path / "out", engine=worker, threads=2, **FAST)
    assert same(parquet.read_table(tmp_path / "out"), released)


def test_however_records_lie_the_release_is_the_same(tmp_path, in_parts, expected):
    """In one file of two parts, in five files of other sizes, found by their pattern or by their folder."""
    source, released = expected
    whole = parquet.read_table(source)
    (tmp_path / "many").mkdir()
    for number, (start, end) in enumerate([(0, 10), (10, 700), (700, 701), (701, 1000), (1000, 1200)]):
        parquet.write_table(whole.slice(start, end - start), tmp_path / "many" / f"{number}.parquet", row_group_size=97)
    for name, given in {"one": source, "pattern": tmp_path / "many" / "*.parquet", "folder": tmp_path / "many"}.items():
        ma.anonymize_file(given, tmp_path / name, engine="serial", **FAST)
        assert same(parquet.read_table(tmp_path / name), released), name


def test_from_the_command_line_a_pattern_becomes_a_folder(tmp_path, expected, capsys):
    source, _ = expected
    for number in (0, 1):
        (tmp_path / f"{number}.parquet").write_bytes(source.read_bytes())
    asked = ["-k", "5", "--quasi", "age,income", "--drop", "name", "--confidential", "illness", "--engine", "processes"]
    command = ["anonymize", str(tmp_path / "?.parquet"), *asked, "--threads", "2", "-o", str(tmp_path / "out")]
    with pytest.raises(SystemExit, match="0"):
        main(command)
    assert "2,400" in capsys.readouterr().out
    out = parquet.read_table(tmp_path / "out").to_pandas()
    assert "name" not in out
    assert out.groupby(["age", "income"]).size().min() >= 5
    with pytest.raises(SystemExit, match="2"):
        main(command)
    assert "is a directory" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"engine": "procesess"}, "engine must be one of serial, processes, .* Did you mean 'processes'"),
        ({"engine": "serial", "memory": "unlimited"}, "not 'unlimited'"),
        ({"engine": "serial", "bound": 1.0}, "bound needs all records"),
        ({"engine": "serial", "suppress": 0.1}, "suppress needs all records"),
        ({"engine": "serial", "method": "exact"}, "method 'exact' needs all records"),
        ({"engine": "serial", "sheet": "one"}, "workbooks"),
        (
            {"engine": "serial", "quasi": ["born"], "kinds": {"born": "date:%Y"}, "recode": {"born": "prefix:2"}},
            "prefix",
        ),
    ],
)
def test_what_cannot_be_is_refused_and_leaves_nothing(tmp_path, expected, asked, message):
    source, _ = expected
    with pytest.raises(errors.MicroaggError, match=message):
        ma.anonymize_file(source, tmp_path / "out", **{**FAST, **asked})
    assert list(tmp_path.iterdir()) == []
    assert not list(source.parent.glob(".microagg*"))


def test_a_folder_that_is_there_is_not_written_over(tmp_path, expected):
    source, _ = expected
    (tmp_path / "out").mkdir()
    with pytest.raises(errors.FileProblem, match="is there already"):
        ma.anonymize_file(source, tmp_path / "out", engine="serial", **FAST)


def test_files_of_other_columns_are_refused(tmp_path):
    people(60).to_parquet(tmp_path / "a.parquet")
    people(60).drop(columns="smokes").to_parquet(tmp_path / "b.parquet")
    with pytest.raises(errors.InvalidData, match="other columns"):
        ma.anonymize_file(tmp_path / "*.parquet", tmp_path / "out", engine="serial", **FAST)


def test_nothing_of_the_file_but_its_columns_is_released(tmp_path):
    """What a file says of itself may name columns that are left out, or hold values of the index."""
    data = people(60).set_index("name")
    table = pa.Table.from_pandas(data).replace_schema_metadata({"secret": "person 0", "pandas": "{}"})
    parquet.write_table(table, tmp_path / "people.parquet")
    asked = {**ROLES, "quasi": ["age", "income"]}
    ma.anonymize_file(tmp_path / "people.parquet", tmp_path / "out", 5, engine="serial", **asked)
    schema = parquet.read_schema(tmp_path / "out" / "part-00000.parquet")
    assert not schema.metadata
    assert all(not field.metadata for field in schema)
    assert "name" not in schema.names


@pytest.mark.parametrize("shape", ["most are equal", "one huge stratum", "many tiny strata"])
def test_skew(tmp_path, in_parts, shape):
    """Cells stay within what memory allows, and the release is that of one machine."""
    rng = np.random.default_rng(3)
    n = 2400
    data = pd.DataFrame({"x": rng.normal(size=n), "y": rng.integers(0, 50, n), "s": 0})
    if shape == "most are equal":
        data.loc[rng.random(n) < 0.9, ["x", "y"]] = 7
    else:
        data["s"] = np.where(rng.random(n) < 0.97, 0, rng.integers(1, 6, n)) if "huge" in shape else np.arange(n) % 600
    source = written(tmp_path / "in.parquet", data, rows=500)
    asked = {"k": 3, "quasi": ["x", "y"], "by": "s", "memory": "100KB", "method": "mdav", "kinds": {"y": "numeric"}}
    cells = ma.anonymize_file(source, tmp_path / "cells.parquet", **asked)
    spread = ma.anonymize_file(source, tmp_path / "out", engine="serial", **asked)
    out = parquet.read_table(tmp_path / "out")
    assert same(out, parquet.read_table(tmp_path / "cells.parquet"))
    assert facts(spread) == facts(cells)
    assert out.to_pandas().groupby(["x", "y", "s"]).size().min() >= 3


def test_shuffled_rows_are_all_there_in_an_order_of_their_own(tmp_path, in_parts, expected):
    source, released = expected
    orders = []
    for name in ("one", "other"):
        ma.anonymize_file(source, tmp_path / name, engine="serial", shuffle=True, **FAST)
        out = parquet.read_table(tmp_path / name).to_pandas()
        columns = list(out.columns)
        ordered = out.sort_values(columns).reset_index(drop=True)
        assert ordered.equals(released.to_pandas().sort_values(columns).reset_index(drop=True))
        orders.append(out["born"].tolist())
    assert orders[0] != orders[1]
    assert orders[0] != released["born"].to_pylist()


def households(n_units=400, seed=1):
    """Persons of households: income and region are those of the household, age is a person's own."""
    rng = np.random.default_rng(seed)
    home = np.repeat(np.arange(n_units), rng.integers(1, 5, n_units))
    order = rng.permutation(len(home))
    return pd.DataFrame({
        "home": [f"h{i}" for i in home],
        "income": rng.lognormal(8, 1, n_units).round(1)[home],
        "region": np.array(["north", "south"])[rng.integers(0, 2, n_units)[home]],
        "age": rng.integers(0, 90, len(home)),
        "gaps": np.where(rng.random(len(home)) < 0.05, np.nan, rng.normal(size=len(home)).round(2)),
    }).iloc[order].reset_index(drop=True)  # fmt: skip


@pytest.mark.parametrize(
    "asked",
    [
        {"quasi": ["income", "age"]},
        {"quasi": ["income"], "by": "region"},
        {"quasi": ["age", "gaps"], "missing": "drop"},
        {"quasi": ["income", "gaps"], "missing": "impute-any-share"},
    ],
    ids=str,
)
def test_units_stay_whole(tmp_path, asked):
    """k counts households. In one cell it is the release of one machine; in many, every class has k households."""
    data = households()
    source = written(tmp_path / "in.parquet", data)
    asked = {"k": 4, "unit": "home", "method": "mdav", "keep": ["age", "gaps", "region", "income"], **asked}
    asked["keep"] = [name for name in asked["keep"] if name not in (*asked["quasi"], asked.get("by"))]
    whole = ma.anonymize_file(source, tmp_path / "whole.parquet", memory="unlimited", **asked)
    one = ma.anonymize_file(source, tmp_path / "one", engine="serial", **asked)
    assert same(parquet.read_table(tmp_path / "one"), parquet.read_table(tmp_path / "whole.parquet"))
    for name in ("risks", "risks_before", "groups"):
        assert dict(getattr(one, name)) == pytest.approx(dict(getattr(whole, name))), name
    assert one.warnings == whole.warnings
    orders = []
    for rows in (100, 333):
        written(source, data, rows=rows)
        ma.anonymize_file(source, tmp_path / f"many{rows}", engine="serial", memory="60KB", **asked)
        orders.append(parquet.read_table(tmp_path / f"many{rows}"))
    assert same(*orders)
    out = orders[0].to_pandas()
    kept = data[~data["home"].isin(data["home"][data["gaps"].isna()])] if asked.get("missing") == "drop" else data
    assert len(out) == len(kept)
    classes = out[[*asked["quasi"], *([asked["by"]] if "by" in asked else [])]].astype(str).agg("|".join, axis=1)
    assert pd.Series(kept["home"].to_numpy()).groupby(classes.to_numpy()).nunique().min() >= 4


def test_strata_that_divide_units_are_refused(tmp_path):
    data = households(60)
    data["region"] = ["north", "south"] * (len(data) // 2) + ["north"] * (len(data) % 2)
    source = written(tmp_path / "in.parquet", data)
    asked = {"quasi": ["income"], "by": "region", "unit": "home", "keep": ["age", "gaps"]}
    with pytest.raises(errors.InvalidData, match="divide units"):
        ma.anonymize_file(source, tmp_path / "out", 3, engine="serial", **asked)


@pytest.mark.parametrize("n_files", [1, 3])
def test_text_files_have_the_types_of_the_whole(tmp_path, in_parts, n_files):
    """A column that looks like whole numbers in one file, and holds text in another, is text in all."""
    data = people(300).drop(columns=["gaps"])
    data["code"] = [f"{i % 9}" for i in range(299)] + ["x"]
    for number, part in enumerate(np.array_split(np.arange(300), n_files)):
        data.iloc[part].to_csv(tmp_path / f"{number}.csv", index=False)
    data.to_csv(tmp_path / "whole.csv", index=False)
    asked = {**FAST, "by": (), "confidential": ["illness", "code"]}
    ma.anonymize_file(tmp_path / "whole.csv", tmp_path / "cells.parquet", **asked)
    ma.anonymize_file(tmp_path / "[0-9].csv", tmp_path / "out", engine="serial", **asked)
    assert same(parquet.read_table(tmp_path / "out"), parquet.read_table(tmp_path / "cells.parquet"))
    with pytest.raises(errors.InvalidOption, match="an engine writes Parquet"):
        ma.anonymize_file(tmp_path / "whole.csv", tmp_path / "out.csv", engine="serial", **asked)


def test_reports_and_plans_go_with_the_folder(tmp_path, expected):
    source, released = expected
    paths = {"report": [tmp_path / "r.html", tmp_path / "r.json"], "save_plan": tmp_path / "plan.toml"}
    release = ma.anonymize_file(source, tmp_path / "out", engine="serial", **paths, **FAST)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "plan.toml", "r.html", "r.json"]
    assert release.sources["output"].sha256 in (tmp_path / "plan.toml").read_text()
    assert release.sources["input"].sha256 not in (tmp_path / "r.json").read_text()
    plan = ma.load_plan(tmp_path / "plan.toml")
    again = {name: value for name, value in choices(plan).items() if name != "k"}
    ma.anonymize_file(source, tmp_path / "again.parquet", plan.k, engine="serial", memory=SMALL, **again)
    assert same(parquet.read_table(tmp_path / "again.parquet"), released)


def test_many_columns_are_counted_a_few_at_a_time(tmp_path, in_parts):
    rng = np.random.default_rng(0)
    data = pd.DataFrame(rng.integers(0, 300, (400, 20)), columns=[f"c{j}" for j in range(20)])
    data["c3"] = rng.normal(size=400)
    source = written(tmp_path / "in.parquet", data.assign(x=rng.normal(size=400)), rows=150)
    asked = {"k": 4, "quasi": ["x"], "keep": ["c3"]}
    cells = ma.anonymize_file(source, tmp_path / "cells.parquet", memory="1GB", **asked)
    spread = ma.anonymize_file(source, tmp_path / "out", engine="serial", **asked)
    assert facts(spread) == facts(cells)
    assert 0 < spread.untouched["c0"] < 1
