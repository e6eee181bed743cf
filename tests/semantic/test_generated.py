"""Hierarchies made of values: each value below its bands, prefixes or parts of dates, and releases that use them."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import microagg as ma
from microagg.base.schema import Kind
from microagg.errors import InvalidData, InvalidOption
from microagg.semantic import Hierarchy, read_hierarchy, write_hierarchy


@given(st.lists(st.integers(-40, 120), min_size=1, max_size=30))
def test_a_number_lies_below_the_bands_that_hold_it(values):
    hierarchy = Hierarchy.from_bands(values, widths=[20, 5, 10])
    for value in values:
        *bands, root = hierarchy.ancestors(str(value))
        assert root == "*"
        for band, width in zip(bands, (5, 10, 20), strict=True):
            low, _, high = band.partition(" to ") if " to " in band else band.partition("-")
            assert (int(low), int(high)) == (value // width * width, value // width * width + width - 1)


def test_bands_of_other_numbers_are_half_open():
    assert Hierarchy.from_bands([0.3, 1.25], widths=[0.5, 1]).ancestors("0.3") == ("[0, 0.5)", "[0, 1)", "*")
    assert Hierarchy.from_bands([3], widths=[1, 2]).ancestors("3") == ("2-3", "*"), "a band of one number is the number"


@given(st.lists(st.text("0189", min_size=1, max_size=5), min_size=1, max_size=20))
def test_a_text_lies_below_its_prefixes(values):
    hierarchy = Hierarchy.from_prefixes(values, lengths=[1, 3, 2])
    for value in values:
        assert hierarchy.ancestors(value) == (*(f"{value[:n]}*" for n in (3, 2, 1) if len(value) > n), "*")


def test_years_lie_above_quarters_above_months():
    days = pd.to_datetime(["2019-08-29", "2019-12-31"]).date
    assert Hierarchy.from_dates(days, ["year", "quarter", "month"]).ancestors("2019-12-31") == (
        "2019-12",
        "2019-Q4",
        "2019",
        "*",
    )
    assert Hierarchy.from_dates(["29.8.2019"], ["year"]).ancestors("29.8.2019") == ("2019", "*")


@pytest.mark.parametrize("suffix", ["csv", "json"])
def test_what_was_generated_can_be_written_and_read(suffix, tmp_path):
    hierarchy = Hierarchy.from_prefixes(["02134", "98107", "98115"], lengths=[3, 1])
    write_hierarchy(hierarchy, tmp_path / f"zip.{suffix}")
    assert set(read_hierarchy(tmp_path / f"zip.{suffix}").edges) == set(hierarchy.edges)


def people(n=150, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 90, n),
            "zip": rng.choice(["02134", "02138", "98107", "98115"], n),
            "day": pd.Timestamp("2019-01-01") + pd.to_timedelta(rng.integers(0, 60, n), unit="D"),
        }
    )


KINDS = {"age": "bands:5,10,20", "zip": "prefix:3,1", "day": "parts:month,year"}


def test_a_release_with_generated_hierarchies():
    release = ma.anonymize(people(), k=5, kinds=KINDS)
    assert set(release.kinds.values()) == {Kind.HIERARCHY}
    data = release.data
    assert data.groupby(list(data.columns)).size().min() >= 5
    assert data["age"].str.fullmatch(r"\d\d(-\d\d)?|\*").all()
    assert data["day"].str.fullmatch(r"\d{4}(-\d\d(-\d\d)?)?|\*").all()
    coarse = ma.anonymize(people(), k=5, kinds=KINDS, centroid="subsumer").data
    assert set(coarse["zip"]) <= {"02134", "02138", "98107", "98115", "021*", "981*", "*"}
    assert any("*" in each for each in coarse["zip"])


def test_frames_and_cells_give_the_same(tmp_path):
    frame = people()
    frame.to_csv(tmp_path / "in.csv", index=False)
    for memory in ("unlimited", "300MB"):
        ma.anonymize_file(tmp_path / "in.csv", tmp_path / f"{memory}.csv", 5, memory=memory, kinds=KINDS)
    assert (tmp_path / "unlimited.csv").read_bytes() == (tmp_path / "300MB.csv").read_bytes()
    written = pd.read_csv(tmp_path / "unlimited.csv", dtype=str)
    polars = ma.anonymize(pl.from_pandas(frame), k=5, kinds=KINDS).data
    assert written.values.tolist() == [list(row) for row in polars.rows()]
    assert written.values.tolist() == ma.anonymize(frame, k=5, kinds=KINDS).data.values.tolist()


def test_a_plan_with_generated_hierarchies_can_be_saved(tmp_path):
    release = ma.anonymize(people(), k=5, kinds=KINDS)
    ma.save_plan(release, tmp_path / "plan.toml")
    assert ma.load_plan(tmp_path / "plan.toml").kinds == KINDS
    assert ma.repeat(people(), tmp_path / "plan.toml").data.equals(release.data)


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("bands:5,7", "each a multiple of the one before; got 5.0, 7.0"),
        ("bands:", "must be written like bands:5,10,20; got 'bands:'"),
        ("prefix:3,x", "must be written like prefix:3,2,1"),
        ("prefix:0", "at least 1 character"),
        ("parts:moth", "Did you mean 'month'"),
        ("band:5", "bands:5,10,20"),
    ],
)
def test_levels_that_are_none_say_what_is_allowed(kind, message):
    with pytest.raises(InvalidOption, match=message):
        ma.anonymize(people(), k=5, kinds={"age": kind})


@pytest.mark.parametrize(
    ("kinds", "message"),
    [
        ({"zip": "bands:5"}, "column 'zip': bands need numbers. Use prefix:3,2,1, or hierarchy:FILE"),
        ({"zip": "parts:year"}, "column 'zip': parts can be put above dates only"),
        ({"number": "prefix:1"}, "numbers of the same number of digits; zeros before the others may have been lost"),
    ],
)
def test_values_that_do_not_fit_say_what_to_do(kinds, message):
    frame = people().assign(number=np.arange(150) % 12)
    with pytest.raises(InvalidData, match=message):
        ma.anonymize(frame, k=5, quasi=list(kinds), others="drop", kinds=kinds)
