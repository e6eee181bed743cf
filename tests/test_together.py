"""Options together: whatever is combined is refused in one line, or keeps every promise at once."""

import warnings

import numpy as np
import pandas as pd
import pytest

import microagg as ma
from microagg.errors import InfeasibleK, InfeasiblePromise
from microagg.partition import METHODS

SLOW = ("exact", "best", "individual")
"""Not tried here: they search for long, or promise nothing of whole records."""


def table(rng):
    """A few persons with several records each, numbers, dates and categories, some of them missing."""
    n = int(rng.integers(12, 160))
    data = pd.DataFrame(
        {
            "id": rng.integers(0, max(3, n // 3), n),
            "age": rng.integers(18, 90, n),
            "income": rng.lognormal(8, 0.6, n).round(int(rng.integers(0, 3))),
            "job": rng.choice(["baker", "clerk", "nurse", "smith", "spy"], n, p=[0.4, 0.3, 0.2, 0.08, 0.02]),
            "day": pd.Timestamp("2019-01-01") + pd.to_timedelta(rng.integers(0, 700, n), unit="D"),
            "region": rng.choice(["north", "south"], n),
            "ill": rng.choice(["no", "flu", "gout"], n, p=[0.6, 0.3, 0.1]),
            "pay": rng.integers(10, 99, n),
        }
    )
    if rng.random() < 0.5:
        for name in ("age", "income", "job", "day"):
            if rng.random() < 0.5:
                data.loc[rng.random(n) < rng.choice([0.02, 0.2]), name] = None
    return data


def options(rng):
    """Any choices that do not exclude each other by what they are."""
    quasi = rng.choice(["age", "income", "job", "day"], int(rng.integers(1, 5)), replace=False).tolist()
    asked = {"quasi": quasi, "confidential": ["ill"], "others": "drop", "keep": ["ill"]}
    asked["missing"] = str(rng.choice(["value", "drop", "impute-any-share", "value"]))
    if rng.random() < 0.3:
        asked |= {"unit": "id", "unit_alias": bool(rng.random() < 0.5)}
    if rng.random() < 0.3:
        asked["l"] = {"ill": int(rng.integers(2, 4))}
    if rng.random() < 0.2:
        asked["t"] = {"pay": float(rng.choice([0.1, 0.3, 0.5]))}
    elif rng.random() < 0.2:
        asked |= {"mask": {"pay": "noise:0.1"}, "confidential": ["ill", "pay"]}
    if rng.random() < 0.3:
        asked["by"] = ["region"]
    asked["shuffle"] = bool(rng.random() < 0.3)
    if rng.random() < 0.5:
        asked["method"] = str(rng.choice([name for name in METHODS if name not in SLOW]))
    steps = {}
    if rng.random() < 0.3 and "income" in quasi:
        steps["income"] = rng.choice(["top:95%", "bottom:5%", "round:100"], 2, replace=False).tolist()
    if rng.random() < 0.2 and "age" in quasi:
        steps["age"] = "bands:10"
    return {**asked, "recode": steps}


@pytest.mark.parametrize("seed", range(120))
def test_every_promise_is_kept_at_once(seed, tmp_path):
    """k, units, l, strata and missing values hold in what is released, however they are combined."""
    rng = np.random.default_rng(seed)
    data, k, asked = table(rng), int(rng.integers(2, 7)), options(rng)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            release = ma.anonymize(data.copy(), k, **asked)
    except (InfeasibleK, InfeasiblePromise):
        return  # nothing was released
    released, keys = release.data, [*asked["quasi"], *asked.get("by", [])]
    classes = released.groupby(keys, dropna=False, observed=True)
    assert classes.size().min() >= k
    if "l" in asked:
        assert classes["ill"].nunique(dropna=False).min() >= asked["l"]["ill"]
    if asked.get("unit_alias"):
        assert classes["id"].nunique().min() >= k
    in_order = not asked["shuffle"] and len(released) == len(data)
    if in_order and "unit" in asked:
        units = released.assign(person=data["id"].to_numpy())
        assert units.groupby(keys, dropna=False, observed=True)["person"].nunique().min() >= k
    if in_order and asked["missing"] == "value":
        for name in asked["quasi"]:
            assert not (data[name].isna().to_numpy() & released[name].notna().to_numpy()).any(), "invented"
    if seed % 10 == 0:
        release.report(tmp_path / "report.html", tmp_path / "report.json")
