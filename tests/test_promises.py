"""Promises on confidential columns, from the plan to what is written."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import microagg as ma
from microagg import io, risk
from microagg.base.schema import Role
from microagg.errors import InfeasiblePromise, InvalidOption
from microagg.flow import release_table
from microagg.plan import Plan

QUASI = ["age", "pay"]
TINY = "1MB"
"""So little that some hundred records make a cell."""
WHAT = [
    {"l": {"ill": 3}},
    {"l": {"ill": "entropy:2"}},
    {"l": {"ill": "recursive:3,2"}, "p": {"ill": 2}},
    {"t": {"debt": 0.2}},
    {"t": {"ill": 0.3}, "l": {"debt": 4}},
]


def people(n: int = 300, seed: int = 0) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    ill = random.choice(["no", "flu", "cold", "cancer"], n, p=[0.6, 0.2, 0.15, 0.05])
    return pd.DataFrame(
        {
            "age": random.integers(18, 90, n),
            "pay": random.normal(3000, 500, n).round(),
            "sex": random.choice(["f", "m"], n),
            "region": random.choice(["north", "south"], n),
            "ill": pd.Series(ill).where(np.arange(n) % 50 > 0, None),
            "debt": random.normal(0, 10, n).round(),
        }
    )


def worst(data: pd.DataFrame, keys: list[str], promise: str, column: str, asked: str) -> float:
    """Measure a promise on what is released, as somebody would who has nothing else."""
    classes = data.groupby(keys, sort=False).ngroup().to_numpy()
    values = data[column] if data[column].dtype.kind == "f" else data[column].fillna("missing").astype(str)
    if promise == "t":
        distance = "ordered" if data[column].dtype.kind in "if" else "equal"
        return float(risk.t_closeness(classes, values, distance=distance).max())
    if str(asked).startswith("entropy"):
        return float(risk.entropy_diversity(classes, values).min())
    if str(asked).startswith("recursive"):
        return float(risk.recursive_diversity(classes, values, c=float(asked.split(":")[1].split(",")[0])).min())
    return float(risk.distinct_diversity(classes, values).min())


def assert_promised(data: pd.DataFrame, keys: list[str], release: ma.Release) -> None:
    assert release.promises
    for kept in release.promises:
        reached = worst(data, keys, kept.promise, kept.column, kept.asked)
        assert reached == pytest.approx(kept.reached, abs=1e-9)
        level = float(str(kept.asked).rpartition(":")[2].rpartition(",")[2])
        assert reached <= level + 1e-9 if kept.promise == "t" else reached >= level - 1e-9


@pytest.mark.parametrize("asked", WHAT, ids=str)
@pytest.mark.parametrize("by", [(), ("region",)])
@pytest.mark.parametrize("more", [{}, {"quasi": [*QUASI, "sex"]}, {"method": "hm2"}, {"round": {"age": -1, "pay": -3}}])
def test_what_is_released_keeps_what_is_promised(asked, by, more):
    """On the classes that a reader sees: equal values, by stratum, after rounding, categories or not."""
    chosen = {"quasi": QUASI, **more}
    drop = [name for name in ("sex", "region") if name not in by and name not in chosen["quasi"]]
    release = ma.anonymize(people(), k=4, by=list(by), identifiers=drop, **asked, **chosen)
    assert_promised(release.data, [*chosen["quasi"], *by], release)
    assert release.roles["ill" if "ill" in str(asked) else "debt"] is Role.CONFIDENTIAL


def test_a_column_that_something_is_promised_of_is_confidential():
    assert Plan(k=3, quasi=("age",), confidential=("debt",), l={"ill": 2}).confidential == ("debt", "ill")


def test_before_and_after_are_told():
    release = ma.anonymize(people(), k=4, quasi=QUASI, others="drop", l={"ill": 3}, t={"debt": 0.3})
    (l, t) = release.promises  # noqa: E741
    assert (l.before, l.asked) == (1.0, "3")
    assert l.reached >= 3
    assert t.before > 0.3 >= t.reached
    told = release.published["promises"]
    assert [each["promise"] for each in told] == ["l", "t"]
    few = ma.anonymize(people(30), k=4, quasi=QUASI, others="drop", l={"ill": 2}).published["promises"]
    assert few[0]["before"] is None, "of few records, nothing of the original is told"


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"l": {"ill": 9}}, r"l = 9 of column 'ill' cannot be kept: all records as one group reach 5.*l of at most 5"),
        ({"p": {"ill": 6}}, "p of at most 5"),
        ({"l": {"ill": "entropy:4.9"}}, "choose l='entropy:"),
        ({"l": {"ill": "recursive:0.1,2"}}, "choose"),
        ({"t": {"debt": 0.0}, "by": "region"}, r"the stratum of record \d+ \(region\).*choose t of at least"),
    ],
)
def test_what_cannot_be_kept_is_refused_with_the_best_there_is(asked, message):
    with pytest.raises(InfeasiblePromise, match=message):
        ma.anonymize(people(), k=4, quasi=QUASI, others="keep", keep=["sex"], **asked)


def test_what_the_refusal_names_can_be_had():
    data = people()
    for by in ((), ("region",)):
        try:
            ma.anonymize(data, k=4, quasi=QUASI, keep=["sex"], by=list(by), t={"debt": 0.0})
        except InfeasiblePromise as error:
            t = float(str(error).rpartition("at least ")[2].rstrip("."))
            assert (
                ma.anonymize(data, k=4, quasi=QUASI, keep=["sex"], by=list(by), t={"debt": t}).promises[0].reached <= t
            )


def test_groups_of_others_are_repaired():
    """A survey labels records in its own way; what is promised holds all the same."""
    plan = Plan(k=4, quasi=tuple(QUASI), identifiers=("sex", "region"), l={"ill": 3})
    release = release_table(io.wrap(people()), plan, group=lambda points: np.arange(len(points)) // 4)
    assert release.promises[0].reached >= 3


def test_a_constant_column_has_t_and_no_l():
    data = people().assign(debt=1)
    assert ma.anonymize(data, k=4, quasi=QUASI, others="drop", t={"debt": 0.0}).promises[0].reached == 0.0
    with pytest.raises(InfeasiblePromise, match="l of at most 1"):
        ma.anonymize(data, k=4, quasi=QUASI, others="drop", l={"debt": 2})


@pytest.mark.parametrize("asked", WHAT, ids=str)
@pytest.mark.parametrize("by", [(), ("region",)])
def test_cell_by_cell_keeps_the_same(tmp_path: Path, asked, by):
    """Against the distribution of the whole table, and with gaps as a value of their own."""
    data = people(2_000)
    data["pay"] += np.random.default_rng(1).normal(size=len(data))
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    data.to_csv(source, index=False)
    drop = [name for name in ("sex", "region") if name not in by]
    release = ma.anonymize_file(
        source,
        target,
        k=4,
        quasi=QUASI,
        by=list(by),
        identifiers=drop,
        method="fast",
        effort="quick",
        memory=TINY,
        **asked,
    )
    assert type(release).__name__ == "FileRelease"
    assert_promised(pd.read_csv(target, dtype={"debt": float}), [*QUASI, *by], release)
    whole = ma.anonymize_file(
        source, tmp_path / "whole.csv", k=4, quasi=QUASI, by=list(by), identifiers=drop, method="fast", effort="quick",
        memory="unlimited", **asked,
    )  # fmt: skip
    assert [kept.before for kept in whole.promises] == pytest.approx([kept.before for kept in release.promises])


def test_a_cell_that_cannot_keep_it_says_so(tmp_path: Path):
    """Values that lie apart: each cell holds one of them only."""
    n = 2_000
    data = pd.DataFrame({"age": np.arange(n) / n, "ill": np.where(np.arange(n) < n // 2, "flu", "cold")})
    source = tmp_path / "in.csv"
    data.to_csv(source, index=False)
    with pytest.raises(InfeasiblePromise, match=r"cell by cell.*--memory unlimited"):
        ma.anonymize_file(source, tmp_path / "out.csv", k=4, quasi=["age"], l={"ill": 2}, memory=TINY)
    assert not (tmp_path / "out.csv").exists()


def test_command_line_and_plan_file(tmp_path: Path, run):
    source, target, plan = tmp_path / "in.csv", tmp_path / "out.csv", tmp_path / "plan.toml"
    people().to_csv(source, index=False)
    typed = ["anonymize", str(source), "-k", "4", "--quasi", "age,pay", "--drop", "sex,region", "-o", str(target)]
    code, out, err = run(*typed, "--l", "ill=recursive:3,2", "--t", "debt=0.3", "--save-plan", str(plan), "--json")
    assert code == 0, err
    told = json.loads(out)["promises"]
    assert [(each["column"], each["asked"]) for each in told] == [("ill", "recursive:3,2"), ("debt", "0.3")]
    assert ma.load_plan(plan).t == {"debt": 0.3}
    code, _, err = run(*typed[:-1], str(tmp_path / "no.csv"), "--p", "ill=99")
    assert code == 2
    assert "choose p of at most 5" in err
    assert not (tmp_path / "no.csv").exists()


def test_a_report_says_what_is_promised(tmp_path: Path):
    """In words, in place of the caution that a whole group may share a value; and in the settings."""
    release = ma.anonymize(people(), k=4, quasi=QUASI, others="drop", l={"ill": 2}, t={"debt": 0.3})
    release.report(tmp_path / "report.json", tmp_path / "report.html")
    told = (tmp_path / "report.json").read_text(encoding="utf-8")
    assert "at least 2 different values of ill and values of debt at most 0.3 away from those of all records" in told
    assert "This does not hide what a whole group has in common" not in told
    assert "ill = 2" in told


def test_candidates_are_compared_under_a_promise(tmp_path: Path, run):
    source = tmp_path / "in.csv"
    people().to_csv(source, index=False)
    told = {}
    for promised in ((), ("--l", "ill=3")):
        typed = ["compare", source, "-k", "4", "--methods", "mdav,t_merge", "--quasi", "age,pay"]
        code, out, err = run(*typed, "--drop", "sex,region", "--confidential", "ill,debt", *promised, "--json")
        assert code == 0, err
        told[promised] = {each["method"]: each["information_loss"] for each in json.loads(out)["releases"]}
    plain, kept = told.values()
    assert all(kept[method] > plain[method] for method in ("mdav", "t_merge")), "a promise has its price"


def test_outliers_that_join_are_refused_with_promises():
    with pytest.raises(InvalidOption, match="may break what is promised"):
        ma.anonymize(people(), k=4, quasi=QUASI, outliers="join", l={"ill": 2})


@pytest.mark.parametrize("promised", [{"l": {"ill": 2}}, {"p": {"ill": 2}}, {"t": {"ill": 0.4}}])
def test_what_is_promised_of_a_column_is_not_masked_away(promised):
    """A mask changes values after they were grouped: classes of the release would not keep what was checked."""
    with pytest.raises(InvalidOption, match="has a mask, and something is promised of it"):
        ma.Plan(k=3, quasi=("age",), mask={"ill": "pram:0.5"}, **promised)
