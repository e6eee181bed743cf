"""Quasi-identifiers of every kind, from frames and files: guessed, overruled, grouped, released and measured."""

from __future__ import annotations

import csv
import datetime
import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hierarchies import ANIMALS, random_hierarchy

import microagg as ma
from microagg import errors
from microagg.semantic import hierarchical, nominal, ordinal, write_hierarchy
from microagg.semantic.embedding import scaling
from microagg.semantic.outliers import find_outliers

N = 90
LEVELS = ["low", "middle", "high"]
KINDS = {"pet": ANIMALS, "level": LEVELS}


def columns(seed: int = 0) -> dict[str, list]:
    rng = np.random.default_rng(seed)
    return {
        "age": rng.integers(18, 90, N).tolist(),
        "sex": rng.choice(["f", "m"], N).tolist(),
        "member": (rng.random(N) < 0.4).tolist(),
        "born": [datetime.date(1990, 1, 1) + datetime.timedelta(days=int(d)) for d in rng.integers(0, 9000, N)],
        "pet": rng.choice(["wolf", "dog", "tabby", "cat"], N).tolist(),
        "level": rng.choice(LEVELS, N).tolist(),
    }


FRAMES = {
    "pandas": lambda data: pd.DataFrame(data).assign(born=pd.to_datetime(pd.Series(data["born"]))),
    "pandas category": lambda data: pd.DataFrame(data).astype({"pet": "category", "sex": "category"}),
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
}


def records(frame) -> list[dict]:
    if isinstance(frame, pd.DataFrame):
        return frame.to_dict("records")
    return frame.to_dicts() if isinstance(frame, pl.DataFrame) else frame.to_pylist()


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
@pytest.mark.parametrize("method", ["auto", "mdav", "fast", "sa_mdav", "sa_mondrian"])
def test_a_frame_of_all_kinds_just_works(make, method: str) -> None:
    frame = make(columns())
    release = ma.anonymize(frame, k=5, kinds=KINDS, method=method)
    assert type(release.data) is type(frame)
    assert release.plan.method == ("mixed" if method == "auto" else method)
    assert {name: str(kind) for name, kind in release.kinds.items()} == {
        "age": "numeric",
        "sex": "nominal",
        "member": "nominal",
        "born": "numeric",
        "pet": "hierarchy",
        "level": "ordinal",
    }
    rows = [tuple(row.values()) for row in records(release.data)]
    assert min(rows.count(row) for row in set(rows)) >= 5
    assert {row["sex"] for row in records(release.data)} <= {"f", "m"}
    assert {row["member"] for row in records(release.data)} <= {True, False}
    assert {row["level"] for row in records(release.data)} <= set(LEVELS)
    assert {row["pet"] for row in records(release.data)} <= set(ANIMALS.names)
    assert isinstance(records(release.data)[0]["born"], datetime.date)


def test_losses_are_recomputed_from_the_two_frames() -> None:
    frame = pd.DataFrame(columns()).drop(columns="born")
    release = ma.anonymize(frame, k=4, kinds=KINDS)
    after = release.data

    def squares(old, new, apart) -> float:
        return sum(apart(a, b) ** 2 for a, b in zip(old, new, strict=True))

    measures = {
        "age": lambda a, b: a - b,
        "sex": lambda a, b: a != b,
        "member": lambda a, b: a != b,
        "pet": lambda a, b: 1 - ma.semantic.similarity(ANIMALS, a, b),
        "level": lambda a, b: (LEVELS.index(a) - LEVELS.index(b)) / 2,
    }
    middles = {
        "age": frame["age"].mean(),
        "sex": sorted(frame["sex"].mode())[0],
        "member": sorted(frame["member"].mode())[0],
        "pet": min(ANIMALS.names, key=lambda node: sum(measures["pet"](value, node) for value in frame["pet"])),
        "level": LEVELS[sorted(map(LEVELS.index, frame["level"]))[(N - 1) // 2]],
    }
    expected = {
        name: 100 * squares(frame[name], after[name], apart) / squares(frame[name], [middles[name]] * N, apart)
        for name, apart in measures.items()
    }
    assert release.column_losses["information_loss"] == pytest.approx(expected, rel=1e-6)
    assert release.information_loss == pytest.approx(np.mean(list(expected.values())), rel=1e-6)


def test_subsumers_stand_above_their_group() -> None:
    frame = pd.DataFrame(columns())[["pet"]]
    release = ma.anonymize(frame, k=40, kinds={"pet": ANIMALS}, centroid="subsumer", method="simple_mondrian")
    for before, after in zip(frame["pet"], release.data["pet"], strict=True):
        assert after == before or after in ANIMALS.ancestors(before)


def test_weights_make_a_column_count_more() -> None:
    frame = pd.DataFrame(columns())
    plain = ma.anonymize(frame, k=5, kinds=KINDS).column_losses["information_loss"]["pet"]
    careful = ma.anonymize(frame, k=5, kinds=KINDS, column_weights={"pet": 50.0})
    assert careful.column_losses["information_loss"]["pet"] < plain


def test_missing_categories() -> None:
    frame = pd.DataFrame(columns())
    frame.loc[[3, 5], "sex"] = None
    with pytest.raises(errors.InvalidData, match="2 of 90 records lack a value"):
        ma.anonymize(frame, k=5, kinds=KINDS)
    assert len(ma.anonymize(frame, k=5, kinds=KINDS, missing="drop").data) == 88
    filled = ma.anonymize(frame, k=5, kinds=KINDS, missing="impute")
    assert filled.data["sex"].notna().all()
    assert "sex: fewer than 5" in filled.warnings[0]


def test_strata_and_survey_weights() -> None:
    frame = pd.DataFrame({**columns(), "region": ["n", "s", "w"] * 30, "weight": np.linspace(1, 2, N)})
    release = ma.anonymize(frame, k=5, kinds=KINDS, by="region", weights="weight")
    assert (frame.groupby(release.labels)["region"].nunique() == 1).all()


@pytest.mark.parametrize(
    ("data", "kinds", "error", "message"),
    [
        ({"x": ["dog", "bird"] * 5}, {"x": ANIMALS}, errors.InvalidData, "column 'x'.*lacks 1 of 2 values.*record 2"),
        (
            {"x": ["dog", ""] * 5},
            {"x": ANIMALS},
            errors.InvalidData,
            "lacks 1 of 2 values, the first is that of record 2",
        ),
        ({"x": ["a", "b"] * 5}, {"x": "ordinal"}, errors.InvalidOption, "the order of the values of column 'x'"),
        (
            {"x": ["a", "b"] * 5},
            {"x": "ordinal:a,c"},
            errors.InvalidData,
            "the order of values lacks 1 of 2 values, the first is that of record 2",
        ),
        ({"x": ["a", "b"] * 5}, {"x": "numeric"}, errors.InvalidData, "must hold numbers"),
        ({"x": ["a", "b"] * 5}, {"x": "hierarchy"}, errors.InvalidOption, "needs a file"),
        ({"x": ["a", "b"] * 5}, {"x": "hierarchy:no.csv"}, errors.FileProblem, "cannot be read"),
        ({"x": ["a", "b"] * 5}, {"x": "nominal:a"}, errors.InvalidOption, "must be numeric, nominal"),
        ({"x": ["1", 1] * 5}, {"x": "nominal"}, errors.InvalidData, "both as text and as a number"),
        ({"x": ["1", 1] * 5}, {}, errors.InvalidData, "neither numbers, text"),
        ({"x": ["1", "2", "3", "4", "five"] * 2}, {}, errors.InvalidData, "record 5 holds text"),
        ({"x": [None, None, None]}, {"x": "nominal"}, errors.InvalidData, "no value at all"),
    ],
)
def test_categories_that_cannot_be(data, kinds, error, message: str) -> None:
    with pytest.raises(error, match=message):
        ma.anonymize(pd.DataFrame(data, dtype=object), k=2, kinds=kinds)


def test_an_empty_category_is_a_category() -> None:
    release = ma.anonymize(pd.DataFrame({"x": ["", "a"] * 6}), k=3)
    assert sorted(release.data["x"].unique()) == ["", "a"]
    assert release.information_loss == 0


def test_too_many_categories_for_points_but_not_for_mixed() -> None:
    frame = pd.DataFrame({"x": [f"n{i}" for i in range(3000)], "y": np.arange(3000.0)})
    with pytest.raises(errors.InvalidData, match="3000 distinct categories is too many"):
        ma.anonymize(frame, k=3, quasi=["x", "y"], method="mdav")
    assert ma.anonymize(frame, k=3, quasi=["x", "y"], rounds=1).sizes.min() >= 3
    assert ma.anonymize(frame.iloc[:2100], k=25, quasi=["x", "y"], rounds=1).sizes.min() >= 25


def test_what_points_cannot_show_is_said() -> None:
    given = random_hierarchy(0, 14, extra=4)
    names = sorted(given.names)
    frame = pd.DataFrame({"x": names * 3, "y": np.arange(42.0)})
    share = scaling(hierarchical(given, names).distance[:, :14])[1]
    assert share > 0.05
    warned = ma.anonymize(frame, k=3, quasi=["x", "y"], method="mdav", kinds={"x": given}).warnings
    assert warned[0] == (
        f"Categories were grouped as points, which cannot show all distances (x: {100 * share:.0f}% are lost). "
        "Method mixed uses the distances themselves."
    )
    quiet = ma.anonymize(frame, k=3, quasi=["x", "y"], kinds={"x": given}).warnings
    assert not any("as points" in warning for warning in quiet)


def test_ordinal_numbers_stay_numbers() -> None:
    frame = pd.DataFrame({"x": [1, 5, 2, 4, 3, 1] * 5, "y": ["a", "b", "c"] * 10})
    release = ma.anonymize(frame, k=4, kinds={"x": "ordinal"})
    assert release.data["x"].dtype == frame["x"].dtype
    assert set(release.data["x"]) <= {1, 2, 3, 4, 5}


def test_outliers_are_suppressed_up_to_a_limit() -> None:
    frame = pd.DataFrame({"x": ["a"] * 20 + ["b"] * 20 + ["c", "d"], "y": ["p"] * 40 + ["q", "p"]})
    assert ma.anonymize(frame, k=5).suppressed == 0
    release = ma.anonymize(frame, k=5, suppress=0.1, beyond=0.6)
    assert (release.suppressed, len(release.data)) == (1, 41)
    assert release.warnings[0] == "Some records resemble nobody and were suppressed."
    assert ma.anonymize(frame, k=5, suppress=0.1, beyond=0.2).suppressed == 2
    assert ma.anonymize(frame, k=5, suppress=0.03, beyond=0.2).suppressed == 1
    assert release.information_loss < ma.anonymize(frame, k=5).information_loss


def test_outliers_join_the_most_similar_group() -> None:
    frame = pd.DataFrame({"x": ["a"] * 20 + ["b"] * 20 + ["c", "d"], "y": ["p"] * 40 + ["q", "p"]})
    release = ma.anonymize(frame, k=5, outliers="join", beyond=0.6)
    assert release.suppressed == 0
    assert release.labels[40] == release.labels[0]  # "c, q" is as far from both, and the first one wins
    assert release.warnings[0] == "Some records resemble nobody and joined the most similar group."
    both = ma.anonymize(frame, k=5, suppress=0.03, outliers="join", beyond=0.2, shuffle=True)
    assert both.suppressed == 1
    assert sorted(both.sizes) == [20, 21]
    assert both.risks["smallest_class"] >= 5
    with pytest.raises(errors.InvalidOption, match="outliers must be one of group, join"):
        ma.anonymize(frame, k=5, outliers="leave")
    with pytest.raises(errors.InvalidOption, match="cannot be combined with by"):
        ma.anonymize(frame, k=5, quasi=["x"], outliers="join", by="y")


@pytest.mark.parametrize("seed", range(5))
def test_outliers_equal_an_oracle(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.integers(0, 5, 60) ** 2 % 5, rng.integers(0, 4, 60)]).astype(float)
    attributes = [nominal([*"abcde"]), ordinal([*"abcd"])]
    found = find_outliers(X, 4, attributes, beyond=0.15, limit=0.1)
    rows = [tuple(row) for row in X]
    frequent = sorted({row for row in rows if rows.count(row) >= 4})

    def distance(a, b) -> float:
        return ((a[0] != b[0]) + abs(a[1] - b[1]) / 3) / 2

    far = {row: min(distance(row, other) for other in frequent) for row in rows if row not in frequent}
    left, gone = 6, set()
    for row in sorted((row for row in far if far[row] > 0.15), key=lambda row: (-far[row], row)):
        left -= rows.count(row)
        if left < 0:
            break
        gone.add(row)
    assert [row in gone for row in rows] == found.suppressed.tolist()
    kept = [row for row in rows if row not in gone]
    for place, (row, host) in enumerate(zip(kept, found.hosts, strict=True)):
        if far.get(row, 0) > 0.15:
            assert kept[host] == min(frequent, key=lambda other: distance(row, other))
        else:
            assert host == place


@pytest.mark.parametrize(
    ("asked", "message"),
    [({"suppress": 1.0}, "suppress must be"), ({"suppress": 0.1, "beyond": 2}, "beyond must be")],
)
def test_suppression_that_cannot_be(asked, message: str) -> None:
    with pytest.raises(errors.InvalidOption, match=message):
        ma.anonymize(pd.DataFrame(columns())[["sex"]], k=5, **asked)
    with pytest.raises(errors.InvalidOption, match="there are none"):
        ma.anonymize(pd.DataFrame(columns())[["age", "born"]], k=5, suppress=0.1)


def test_files_and_the_command_line(tmp_path, capsys) -> None:
    from microagg.cli import main

    source, target, tree = tmp_path / "people.csv", tmp_path / "out.csv", tmp_path / "pet.csv"
    pd.DataFrame(columns()).to_csv(source, index=False)
    write_hierarchy(ANIMALS, tree)
    words = ["anonymize", str(source), "-k", "5", "--kind", f"pet=hierarchy:{tree}"]
    words += ["--kind", "level=ordinal:low,middle,high", "-o", str(target)]
    with pytest.raises(SystemExit) as done:
        main([*words, "--json"])
    assert done.value.code == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["method"], found["kinds"]["pet"], found["kinds"]["born"]) == ("mixed", "hierarchy", "numeric")
    with target.open(newline="") as file:
        rows = [tuple(row) for row in csv.reader(file)][1:]
    assert len(rows) == N
    assert min(rows.count(row) for row in set(rows)) >= 5
    datetime.date.fromisoformat(rows[0][3])
    with pytest.raises(SystemExit) as done:
        main([*words, "--report", str(tmp_path / "report.html")])
    shown = capsys.readouterr().out
    assert done.value.code == 0
    assert "hierarchy quasi-identifiers" in shown
    with pytest.raises(SystemExit) as done:
        main([*words, "--kind", "pet"])
    assert done.value.code == 2
    assert "NAME=KIND" in capsys.readouterr().err


def test_reproduce_needs_its_data(tmp_path, capsys, monkeypatch) -> None:
    from microagg.cli import main

    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as done:
        main(["reproduce", "categorical", "--data", str(tmp_path)])
    assert done.value.code == 2
    assert "MICROAGG_DATA" in capsys.readouterr().err


@pytest.mark.parametrize("quasi", [["age", "sex"], ["sex", "town"], ["sex"]])
def test_the_report_tells_categories_by_name(quasi, tmp_path):
    """Also where no column is a number; and a town that one person lives in is not named."""
    data = pd.DataFrame({"age": range(12), "sex": ["<f>", "m"] * 6, "town": ["Oslo"] * 6 + ["Lima"] * 5 + ["Hamlet"]})
    ma.anonymize(data, k=3, quasi=quasi).report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "&lt;f&gt;" in page
    assert "<f>" not in page
    assert "Hamlet" not in page


def test_an_infinite_number_is_no_category():
    """Infinite numbers are refused in every kind of column."""
    frame = pd.DataFrame({"age": np.array([1.0, 2.0, np.inf, 1.0, 2.0, np.inf])})
    with pytest.raises(errors.InvalidData, match="column 'age' holds an infinite value in record 3"):
        ma.anonymize(frame, k=2, quasi=["age"], kinds={"age": "ordinal"})
