"""Releases with blanks: in every kind of frame and file, counted as values of their own, told in report and summary."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyreadstat
import pytest

import microagg as ma
from microagg.base.schema import Kind
from microagg.measures.change import Change, ChangeSums
from microagg.semantic.attribute import nominal, numeric

QUASI = ["sex", "job", "code", "insured", "age", "day", "size"]
ROLES: dict[str, Any] = {"quasi": QUASI, "confidential": ["ill"], "kinds": {"code": "nominal", "age": "numeric"}}
FRAMES = {
    "pandas": lambda frame: frame,
    "nullable": lambda frame: frame.convert_dtypes(),
    "polars": pl.from_pandas,
    "pyarrow": pa.Table.from_pandas,
}


def people(n: int = 150) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    return pd.DataFrame(
        {
            "sex": rng.choice(["f", "m"], n),
            "job": rng.choice([*"abcdefgh"], n),
            "code": rng.integers(1, 5, n),
            "insured": rng.random(n) < 0.3,
            "age": rng.integers(20, 24, n),
            "day": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 3, n), "D"),
            "size": pd.Categorical(rng.choice(["S", "M", "L"], n), ["S", "M", "L"], ordered=True),
            "ill": rng.choice(["no", "yes"], n),
        }
    )


def as_pandas(frame: Any) -> pd.DataFrame:
    return frame.to_pandas() if hasattr(frame, "to_pandas") else frame


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_every_kind_of_frame_holds_blanks(make: Any) -> None:
    """Blanks are missing values of the frame; what is not blank is as it was, and k are equal, blanks included."""
    before = people()
    release = ma.anonymize(make(before), 3, method="blank", **ROLES)
    after = as_pandas(release.data)
    blank = after[QUASI].isna()
    assert {name: int(count) for name, count in blank.sum().items() if count} == dict(release.blanks)
    assert blank.to_numpy().sum() > 0
    for name in QUASI:
        kept = ~blank[name].to_numpy()
        assert after[name][kept].tolist() == before[name][kept].tolist()
    sizes = after[QUASI].astype(object).where(~blank, "blank").groupby(QUASI).size()
    assert sizes.min() >= 3
    assert sizes.min() == release.risks["smallest_class"]


def test_whole_numbers_stay_whole_beside_blanks(tmp_path: Path) -> None:
    """Frames that know missing whole numbers hold them; text files have no `3.0`."""
    assert ma.anonymize(pl.from_pandas(people()), 3, method="blank", **ROLES).data.schema["code"] == pl.Int64
    people().to_csv(tmp_path / "in.csv", index=False)
    for memory in ("unlimited", "200MB"):
        out = tmp_path / f"{memory}.csv"
        report = tmp_path / f"{memory}.html"
        ma.anonymize_file(tmp_path / "in.csv", out, 3, method="blank", memory=memory, report=report, **ROLES)
        assert "(blank)" in report.read_text()
        assert set(pd.read_csv(out, dtype=str)["code"].dropna()) == {"1", "2", "3", "4"}
    assert (tmp_path / "unlimited.csv").read_text() == (tmp_path / "200MB.csv").read_text()


@pytest.mark.parametrize("suffix", [".sav", ".dta"])
def test_statistics_files_keep_their_value_labels(tmp_path: Path, suffix: str) -> None:
    """A blank is a missing value there too, and what codes stand for is still written."""
    frame = people()[["sex", "code", "age", "ill"]]
    write = {".sav": pyreadstat.write_sav, ".dta": pyreadstat.write_dta}[suffix]
    read = {".sav": pyreadstat.read_sav, ".dta": pyreadstat.read_dta}[suffix]
    write(frame, tmp_path / f"in{suffix}", variable_value_labels={"code": {1: "one", 2: "two", 3: "three", 4: "four"}})
    roles = {"quasi": ["sex", "code", "age"], "confidential": ["ill"], "kinds": {"code": "nominal"}}
    release = ma.anonymize_file(tmp_path / f"in{suffix}", tmp_path / f"out{suffix}", 9, method="blank", **roles)
    after, meta = read(tmp_path / f"out{suffix}")
    assert release.blanks["code"] == after["code"].isna().sum() > 0
    words = {1: "one", 2: "two", 3: "three", 4: "four"}
    assert {words[code] for code in after["code"].dropna()} == set(meta.variable_value_labels["code"].values())


def test_excel_files_hold_blanks(tmp_path: Path) -> None:
    people().to_csv(tmp_path / "in.csv", index=False)
    release = ma.anonymize_file(tmp_path / "in.csv", tmp_path / "out.xlsx", 3, method="blank", **ROLES)
    assert pd.read_excel(tmp_path / "out.xlsx")["job"].isna().sum() == release.blanks["job"]


def test_blanks_are_told(tmp_path: Path) -> None:
    """How many there are, by column, in warnings, summary and report; charts of categories have a bar for them."""
    release = ma.anonymize(people(), 3, method="blank", **ROLES)
    total = sum(release.blanks.values())
    assert any(f"{total:,} of {150 * len(QUASI):,} values" in text for text in release.warnings)
    assert release.published["blanks"] == release.summary["blanks"] == dict(release.blanks)
    release.report(tmp_path / "report.html", tmp_path / "report.json")
    assert "Left blank" in (tmp_path / "report.html").read_text()
    columns = {column["name"]: column for column in json.loads((tmp_path / "report.json").read_text())["columns"]}
    bars = columns["job"]["categories"]
    assert any(bar["label"] == "missing" and bar["after"] for bar in bars)
    assert not ma.anonymize(people(), 3, **ROLES).blanks


def test_values_that_are_blank_are_not_kept() -> None:
    """A reader may guess the value that most records have, and be right: the release does not have it all the same."""
    release = ma.anonymize(people(), 3, method="blank", **ROLES)
    kept = next(result for result in release.assessment.losses if result.name == "values_kept")
    assert kept.value == pytest.approx(100 - 100 * sum(release.blanks.values()) / (150 * len(QUASI)))


def test_importance_of_columns() -> None:
    """A column that counts more keeps more of its values."""
    counts = [
        ma.anonymize(people(), 3, method="blank", column_weights={"job": weight}, **ROLES).blanks.get("job", 0)
        for weight in (0.1, 1.0, 20.0)
    ]
    assert counts[0] >= counts[1] > counts[2]


def test_nothing_is_blank_where_all_combinations_are_frequent() -> None:
    frame = pd.DataFrame({"sex": ["f", "m"] * 20, "town": ["A", "A", "B", "B"] * 10})
    release = ma.anonymize(frame, 5, method="blank")
    assert release.data.equals(frame)
    assert release.information_loss == 0
    assert not release.blanks


def test_a_blank_counts_as_the_mean_of_its_column() -> None:
    """A column that is blank throughout loses 100 percent, numbers and categories alike; parts can be merged."""
    X = np.array([[1.0, 0], [2.0, 1], [3.0, 1], [6.0, 1]])
    attributes = [numeric(), nominal(["f", "m"])]
    Z = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)

    def standardise(values: np.ndarray) -> np.ndarray:
        return np.nan_to_num((values - X.mean(axis=0)) / X.std(axis=0, ddof=1))

    for blank in (np.ones(4, dtype=bool), np.array([True, False, False, True])):
        Y = X.copy()
        Y[blank] = np.nan
        parts = [ChangeSums.of(X[rows], Y[rows], attributes, standardise) for rows in (slice(0, 3), slice(3, 4))]
        sums = parts[0].merge(parts[1])
        change = Change.of_sums(sums, attributes, [np.nan, 1 / 3], ["x", "y"])
        assert sums.blanked.tolist() == [blank.sum()]
        assert change.squares[0] == pytest.approx((Z[blank, 0] ** 2).sum())
        assert change.squares[1] == pytest.approx(blank.sum() * 3 / 4)
        assert change.spread.tolist() == pytest.approx([3.0, 3.0])
        assert not blank.all() or change.squares.tolist() == pytest.approx([3.0, 3.0])


def test_kinds_are_told_of_values_not_of_blanks() -> None:
    assert ma.anonymize(people(), 3, method="blank", **ROLES).kinds["size"] is Kind.ORDINAL
