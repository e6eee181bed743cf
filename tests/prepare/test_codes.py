"""Codes are categories by default: they have no mean, keep their labels, and it is said aloud."""

import numpy as np
import pandas as pd
import polars as pl
import pyreadstat
import pytest

import microagg as ma
from microagg import io
from microagg.base.schema import Kind

N = 120


def people():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 90, N),
            "sex": rng.integers(1, 3, N),
            "zip": rng.choice([98101, 98107, 98109], N),
            "mood": rng.integers(1, 6, N),
            "children": rng.integers(0, 4, N),
        }
    )


@pytest.mark.parametrize("make", [pd.DataFrame, pl.from_pandas])
def test_codes_are_not_averaged(make):
    """Sex became 0.2 and a postcode 98107.4."""
    frame = people()
    release = ma.anonymize(make(frame), 4)
    assert dict(release.kinds) == {
        "age": Kind.NUMERIC,
        "sex": Kind.NOMINAL,
        "zip": Kind.NOMINAL,
        "mood": Kind.ORDINAL,
        "children": Kind.NUMERIC,
    }
    for name in ("sex", "zip", "mood"):
        assert set(release.data[name]) <= set(frame[name])
    (said,) = [note for note in release.warnings if "treated as codes" in note]
    assert "'sex' (nominal: its name is one of categories)" in said
    assert "'zip'" in said
    assert "--kind NAME=numeric" in said
    assert "98107" not in said


def test_whoever_says_numeric_is_believed():
    release = ma.anonymize(people(), 4, kinds=dict.fromkeys(["sex", "zip", "mood"], "numeric"))
    assert set(release.kinds.values()) == {Kind.NUMERIC}
    assert not any("codes" in note for note in release.warnings)


def test_codes_are_codes_in_files_larger_than_memory_too(tmp_path):
    source = tmp_path / "in.csv"
    people().to_csv(source, index=False)
    cells, whole = (ma.anonymize_file(source, None, 4, memory=memory) for memory in ("200MB", "unlimited"))
    assert cells.kinds == whole.kinds
    assert cells.kinds["sex"] is Kind.NOMINAL
    assert [note for note in cells.warnings if "treated as codes" in note]
    assert cells.warnings == whole.warnings


def test_text_with_leading_zeros_stays_text(tmp_path):
    """02134 became 2134 where it was to be grouped, wherever in the file the first zero stands."""
    frame = people().assign(zip=[f"{z:05d}" for z in np.random.default_rng(0).choice([2134, 2138, 98107], N)])
    for rows in (frame, frame.sort_values("zip", ascending=False)):
        repeated = pd.concat([rows.head(40)] * 30 + [rows]) if rows is not frame else rows
        repeated.to_csv(tmp_path / "in.csv", index=False)
        release = ma.anonymize_file(tmp_path / "in.csv", tmp_path / "out.csv", 4, quasi=["age", "zip"])
        assert release.kinds["zip"] is Kind.NOMINAL
        assert set(pd.read_csv(tmp_path / "out.csv", dtype=str)["zip"]) <= {"02134", "02138", "98107"}


def test_ordered_categories_are_ordinal_in_their_order():
    order = ["none", "school", "college"]
    values = pd.Categorical(np.random.default_rng(0).choice(order, N), order, ordered=True)
    release = ma.anonymize(people().assign(school=values), 4, quasi=["age", "school"])
    assert release.kinds["school"] is Kind.ORDINAL
    assert release.categories["school"] == tuple(order)
    assert release.data["school"].dtype == values.dtype


def test_a_saved_plan_finds_the_order_of_categories_again(tmp_path):
    """It says ordinal; in which order, the frame knows."""
    order = ["none", "school", "college"]
    frame = people().assign(school=pd.Categorical(np.random.default_rng(0).choice(order, N), order, ordered=True))
    release = ma.anonymize(frame, 4, quasi=["age", "school"])
    ma.save_plan(release, tmp_path / "plan.toml")
    assert ma.repeat(frame, tmp_path / "plan.toml").data.equals(release.data)


LABELS = {1.0: "man", 2.0: "woman"}
AREAS = {float(v): f"area {v}" for v in range(11, 26)}


@pytest.fixture(params=[".sav", ".dta"])
def labelled(request, tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 90, N),
            "s1": rng.integers(1, 3, N),
            "area": rng.integers(11, 26, N),
            "x": 1 + np.arange(N) % 3,
        }
    ).astype(float)
    path = tmp_path / f"in{request.param}"
    labels = {"s1": LABELS, "area": AREAS}
    if request.param == ".sav":
        measures = {"age": "scale", "s1": "nominal", "area": "nominal", "x": "scale"}
        pyreadstat.write_sav(frame, path, variable_value_labels=labels, variable_measure=measures)
    else:
        pyreadstat.write_dta(
            frame, path, variable_value_labels={n: {int(k): t for k, t in d.items()} for n, d in labels.items()}
        )
    return path


def test_value_labels_are_believed_and_survive(labelled, tmp_path):
    """They disappeared even with --kind sex=nominal, and without it the codes were averaged."""
    target = tmp_path / f"out{labelled.suffix}"
    release = ma.anonymize_file(labelled, target, 4, quasi=["age", "s1", "area"])
    assert (release.kinds["s1"], release.kinds["area"]) == (Kind.NOMINAL, Kind.NOMINAL)
    assert any("the file says what 15 of its values stand for" in note for note in release.warnings)
    frame, meta = (pyreadstat.read_sav if labelled.suffix == ".sav" else pyreadstat.read_dta)(target)
    assert set(frame["s1"]) <= {1, 2}
    kept = meta.variable_value_labels
    assert {k: v for k, v in LABELS.items() if k in set(frame["s1"])} == kept["s1"]
    assert set(kept["area"].values()) == {AREAS[v] for v in set(frame["area"])}


def test_a_measure_that_says_scale_is_believed_too(tmp_path):
    frame = pd.DataFrame({"age": np.arange(N) % 40, "rooms": 1 + np.arange(N) % 3}).astype(float)
    pyreadstat.write_sav(frame, tmp_path / "in.sav", variable_measure={"age": "scale", "rooms": "scale"})
    assert ma.anonymize_file(tmp_path / "in.sav", None, 4).kinds["rooms"] is Kind.NUMERIC
    pyreadstat.write_sav(frame, tmp_path / "in.sav", variable_measure={"age": "ordinal", "rooms": "nominal"})
    release = ma.anonymize_file(tmp_path / "in.sav", None, 4)
    assert (release.kinds["age"], release.kinds["rooms"]) == (Kind.ORDINAL, Kind.NOMINAL)


def test_means_of_labelled_codes_have_no_label(labelled):
    """Whoever averages them gets numbers; the mean of 1 and 2 is neither man nor woman."""
    table = io.read(labelled)
    averaged = table.with_columns({"s1": np.full(N, 1.5)})
    assert "s1" not in averaged.labels.values
    assert "area" in averaged.labels.values
