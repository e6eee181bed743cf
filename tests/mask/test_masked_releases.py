"""Masks in releases: which columns may have one, what leaves, and that nobody can take them away with the seed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import microagg as ma
from microagg.cli import main
from microagg.errors import InvalidOption, LikelyIdentifier
from microagg.io import wrap
from microagg.mask import mask_columns
from microagg.plan import load_plan

MASKS = {"income": "noise:0.1", "hours": "swap:10", "job": "pram:0.7", "since": "noise:0.1", "score": "pram:0.7"}
ROLES = {"quasi": ["age", "sex"], "confidential": list(MASKS)}


def people(n: int = 200) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    income = rng.lognormal(8, 0.5, n).round(2)
    income[::20] = np.nan
    return pd.DataFrame(
        {
            "age": rng.integers(20, 60, n),
            "sex": rng.choice(["f", "m"], n),
            "income": income,
            "hours": rng.integers(10, 60, n),
            "job": rng.choice(["cook", "clerk", "nurse"], n),
            "since": pd.Timestamp("2010-01-01") + pd.to_timedelta(rng.integers(0, 3000, n), "D"),
            "score": rng.integers(1, 4, n),
        }
    )


@pytest.mark.parametrize("make", [lambda frame: frame, pl.from_pandas], ids=["pandas", "polars"])
def test_columns_leave_masked_and_as_fine_as_they_came(make) -> None:
    """Types and decimals stay, gaps stay, values change; all else is as without masks."""
    before = people()
    release = ma.anonymize(make(before), 5, mask=MASKS, **ROLES)
    after = release.data if isinstance(release.data, pd.DataFrame) else release.data.to_pandas()
    plain = ma.anonymize(before, 5, **ROLES).data
    for name in ("age", "sex"):
        assert after[name].tolist() == plain[name].tolist()
    assert after.dtypes["hours"] == before.dtypes["hours"]
    np.testing.assert_array_equal(after["income"].isna(), before["income"].isna())
    cents = 100 * after["income"].dropna()
    np.testing.assert_allclose(cents, cents.round(), atol=1e-6)
    assert sorted(after["hours"]) == sorted(before["hours"])
    assert set(after["job"]) == set(before["job"])
    assert set(after["score"]) == set(before["score"])
    assert (pd.to_datetime(after["since"]).dt.normalize() == pd.to_datetime(after["since"])).all()
    for name in MASKS:
        assert (after[name] != before[name]).mean() > 0.1
    assert any("promises no k" in text and "income (Additive noise" in text for text in release.warnings)


def test_the_report_tells_of_masks(tmp_path: Path) -> None:
    """No page says of a column that was changed that it was left as it is."""
    ma.anonymize(people(), 5, mask=MASKS, **ROLES).report(tmp_path / "masked.html")
    ma.anonymize(people(), 5, **ROLES).report(tmp_path / "plain.html")
    masked, plain = ((tmp_path / name).read_text() for name in ("masked.html", "plain.html"))
    assert "changed at random, which promises no k" in masked
    assert "noise:0.1" in masked
    assert "kept as they are" not in masked
    assert "left as they are" not in masked
    assert "changed at random" not in plain
    assert "kept as they are" in plain


def test_masks_do_not_follow_from_the_seed() -> None:
    """Whoever has plan, seed and release makes other random numbers: two runs of the same plan differ."""
    one, two = (ma.anonymize(people(), 5, mask={"income": "noise:0.1"}, seed=7, **ROLES).data for _ in range(2))
    assert (one["income"] != two["income"]).mean() > 0.9
    assert one["age"].tolist() == two["age"].tolist()


def test_the_same_generator_gives_the_same_values() -> None:
    table = wrap(people())
    one, two = (mask_columns(table, MASKS, np.random.default_rng(5)) for _ in range(2))
    for name in MASKS:
        assert pd.Series(one[name]).equals(pd.Series(two[name]))


def test_columns_with_the_same_mask_are_correlated_together() -> None:
    """The noise of two columns that rise together rises together."""
    n = 4000
    x = np.random.default_rng(0).normal(size=n)
    frame = pd.DataFrame({"a": x, "b": x * 2 + 0.1 * np.random.default_rng(1).normal(size=n)})
    masked = mask_columns(wrap(frame), dict.fromkeys("ab", "noise:1:correlated"), np.random.default_rng(2))
    noise = [masked[name] - frame[name] for name in "ab"]
    assert np.corrcoef(noise)[0, 1] > 0.95
    apart = mask_columns(wrap(frame), dict.fromkeys("ab", "noise:1"), np.random.default_rng(2))
    assert abs(np.corrcoef([apart[name] - frame[name] for name in "ab"])[0, 1]) < 0.1


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"mask": {"age": "noise:0.1"}}, "a mask promises no k, which is reached by grouping"),
        ({"mask": {"incom": "noise:0.1"}}, "mask: .*did you mean 'income'"),
        ({"mask": {"job": "noise:0.1"}}, "'job' holds text values; noise takes numbers and dates"),
        ({"mask": {"income": "noise"}}, "column 'income': mask noise: the share must be a number"),
        ({"mask": {"hours": "swap:0.1"}}, "nothing would move"),
    ],
)
def test_masks_that_cannot_be(asked: dict, message: str) -> None:
    with pytest.raises(InvalidOption, match=message):
        ma.anonymize(people(), 5, **ROLES, **asked)


@pytest.mark.parametrize("role", ["by", "weights", "identifiers"])
def test_columns_that_others_need_take_no_mask(role: str) -> None:
    value = "hours" if role == "weights" else ["hours"]
    with pytest.raises(InvalidOption, match="cannot have a mask"):
        ma.Plan(k=3, quasi=("age",), mask={"hours": "swap:10"}, **{role: value if role == "weights" else tuple(value)})


def test_a_mask_is_no_protection_for_the_column_check() -> None:
    """A column that gives a quasi-identifier away is refused with a mask too, until it is said that it may stay."""
    frame = people().assign(birth=lambda frame: 2020 - frame["age"])
    with pytest.raises(LikelyIdentifier, match="birth"):
        ma.anonymize(frame, 5, quasi=["age", "sex"], confidential=list(MASKS), mask={"birth": "noise:0.1"})
    release = ma.anonymize(
        frame, 5, quasi=["age", "sex"], confidential=list(MASKS), mask={"birth": "noise:0.1"}, keep=["birth"]
    )
    assert "birth" not in release.untouched


def test_columns_with_a_mask_are_no_quasi_identifiers_where_none_are_named() -> None:
    release = ma.anonymize(people().drop(columns="since"), 5, mask={"income": "noise:0.5"})
    assert str(release.roles["income"]) == "other"


def test_command_line_and_plan(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """--mask, the plan file and the printed command say the same."""
    people().to_csv(tmp_path / "in.csv", index=False)
    words = ["anonymize", str(tmp_path / "in.csv"), "-o", str(tmp_path / "out.csv"), "-k", "5", "--quasi", "age,sex"]
    words += ["--confidential", "income,hours,job,since,score", "--mask", "income=noise:0.1", "--mask", "job=pram:0.8"]

    def code_of(arguments: list[str]) -> object:
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        return ended.value.code

    assert code_of([*words, "--save-plan", str(tmp_path / "plan.toml")]) == 0
    assert load_plan(tmp_path / "plan.toml").mask == {"income": "noise:0.1", "job": "pram:0.8"}
    assert "promises no k" in "".join(capfd.readouterr())
    before, after = pd.read_csv(tmp_path / "in.csv"), pd.read_csv(tmp_path / "out.csv")
    assert (before["income"] != after["income"]).mean() > 0.5
    assert code_of([*words, "--memory", "200MB"]) == 2
    assert "all records in memory at once" in "".join(capfd.readouterr())
