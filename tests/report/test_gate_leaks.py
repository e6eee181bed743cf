"""Generated releases in every form that tells of them, searched for what the release protects.

`MICROAGG_TABLES=300 pytest tests/report/test_gate_leaks.py` looks at more tables than a usual run does.
"""

from __future__ import annotations

import html
import json
import os
import re
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import microagg as ma
from microagg import io
from microagg.anonymize import make_plan
from microagg.cli import cli
from microagg.cli.anonymize import _print_release
from microagg.errors import MicroaggError
from microagg.flow import release_table
from microagg.gate import FEWEST
from microagg.report import CHARTS, to_json
from microagg.report.release import document_of

N_TABLES = int(os.environ.get("MICROAGG_TABLES", "24"))
METHODS = (
    "auto",
    "mdav",
    "vmdav",
    "mixed",
    "mondrian",
    "hm2",
    "individual",
    "cbfs",
    "k_modes",
    "mdav_generic",
    "blank",
)
LETTERS = np.array(list("BCDFGHJKLMNPQRSTVWXZ"))
DIGITS = 5
"""A number of so many significant digits that equals a rounded raw value is taken for it."""


def word(rng):
    return "q" + "".join(rng.choice(LETTERS, 9))


def table_of(rng, n, k):
    """Ordinary people, and a few with values that nobody else has."""
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 90, n).astype(float),
            "income": rng.lognormal(8, 0.4, n).round(2),
            "job": rng.choice([word(rng) for _ in range(4)], n),
            "born": pd.to_datetime("2001-01-01") + pd.to_timedelta(rng.integers(0, 3000, n), unit="D"),
            "region": rng.choice(["north", "south"], n),
            "weight": rng.integers(1, 5, n).astype(float),
            "illness": rng.choice(["none", "flu", "gout"], n, p=[0.8, 0.1, 0.1]),
            "pay": rng.normal(100, 10, n).round(3),
        }
    )
    for row in rng.choice(n, min(k - 1, 3), replace=False).tolist():
        frame.loc[row, "income"] = float(np.round(10.0 ** rng.uniform(5, 9), 3))
        frame.loc[row, "job"] = word(rng)
        frame.loc[row, "born"] = pd.Timestamp("1900-01-01") + pd.Timedelta(int(rng.integers(0, 15_000)), unit="D")
    return frame


def choices_of(rng, n):
    quasi = list(rng.choice(["age", "income", "job", "born"], int(rng.integers(1, 5)), replace=False))
    method = str(rng.choice(METHODS))
    if method in ("individual", "hm2", "cbfs", "vmdav", "mdav") and rng.random() < 0.7:
        quasi = [name for name in quasi if name != "job"] or ["income"]
    asked = {"quasi": quasi, "confidential": ["illness", "pay"], "method": method}
    if rng.random() < 0.3:
        asked["by"] = ["region"]
    if rng.random() < 0.3:
        asked["weights"] = "weight"
    if rng.random() < 0.3:
        asked["suppress"] = 0.05
    if rng.random() < 0.2:
        asked["shuffle"] = True
    if rng.random() < 0.2:
        asked["aggregate"] = "median"
    if rng.random() < 0.3:
        asked["missing"] = str(rng.choice(["drop", "impute", "value"]))
    return asked


def made_or_refused(frame, k, asked):
    """The release, or the words with which it is refused."""
    try:
        return ma.anonymize(frame, k=k, **asked), ""
    except MicroaggError as problem:
        return None, str(problem)


def told_of(release, tmp_path):
    """Everything that leaves the house, by where it stands."""
    release.report(tmp_path / "r.html", tmp_path / "r.json", title="t")
    told = {
        "page": (tmp_path / "r.html").read_text(encoding="utf-8"),
        "twin": (tmp_path / "r.json").read_text(encoding="utf-8"),
        "json": to_json(release.published),
        "card": release._repr_html_(),
        "repr": repr(release),
    }
    for name in (None, *CHARTS):
        if name != "records":
            drawn = release.plot(name)
            told[f"plot {name}"] = drawn.svg + drawn._repr_html_() + repr(drawn)
    return told


def texts(content):
    """What people read of a page or a drawing, and strings and numbers of data: no lengths of drawings."""
    content = re.sub(r"<style>.*?</style>", " ", content, flags=re.DOTALL)
    return html.unescape(re.sub(r"<[^>]*>", " ", content))


def numbers(content):
    """The numbers that stand in a text with enough digits to give somebody away."""
    content = texts(content).replace("−", "-").replace(",", "").replace("sha256", "")
    content = re.sub(r"\b[0-9a-f]{64}\b", " ", content)
    found = set()
    for token in re.findall(r"\d+\.?\d*(?:e[+-]?\d+)?", content):
        digits = token.split("e")[0].replace(".", "").strip("0")
        if len(digits) >= DIGITS:
            found.add((float(token), len(digits)))
    return found


def is_said(value, content, spoken):
    """Say whether a value stands in a text: as it is spelt, or rounded to some digits."""
    if isinstance(value, str):
        return value in texts(content)
    return any(float(f"{abs(value):.{digits - 1}e}") == number for number, digits in spoken)


def secrets(original, release, name, k):
    """The values of a column that fewer than k records share, and the release does not contain."""
    counts = original[name].value_counts()
    released = set(release[name])
    few = [value for value, count in counts.items() if count < k and value not in released]
    if name == "born":
        return [str(value.date()) for value in few if value.year < 1950]
    return [value for value in few if isinstance(value, str) or value > 90_000]


@pytest.mark.parametrize("seed", range(N_TABLES))
def test_nothing_is_told_that_few_share(seed, tmp_path):
    """Rare categories, extreme numbers and dates: in page, twin, JSON, card and drawings none of them stands."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(8, 200)), int(rng.integers(2, 6))
    frame, asked = table_of(rng, n, k), choices_of(rng, n)
    if asked.get("missing"):
        frame.loc[rng.choice(n, 2, replace=False), "age"] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        release, problem = made_or_refused(frame, k, asked)
    told = {"refusal": problem} if release is None else told_of(release, tmp_path)
    released = frame.iloc[:0] if release is None else release.data
    for where, content in told.items():
        spoken = numbers(content)
        for name in asked["quasi"]:
            for value in secrets(frame, released, name, k):
                assert not is_said(value, content, spoken), (where, name, value)


@pytest.mark.parametrize("seed", range(max(3, N_TABLES // 8)))
def test_commands_tell_nothing_that_few_share(seed, tmp_path):
    """The same of what anonymize, assess and compare print, on the terminal and as JSON, and of their pages."""
    rng = np.random.default_rng(1000 + seed)
    n, k = int(rng.integers(60, 150)), int(rng.integers(3, 6))
    frame = table_of(rng, n, k)
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    frame.to_csv(source, index=False)
    roles = ["--quasi", "age,income,job,born", "--confidential", "illness,pay"]
    anonymize = [
        "anonymize",
        str(source),
        "-k",
        str(k),
        *roles,
        "-o",
        str(target),
        "--report",
        str(tmp_path / "r.html"),
    ]
    assess = ["assess", str(source), "-k", str(k), *roles, "--report", str(tmp_path / "e.html")]
    compare = ["compare", str(source), "-k", str(k), "--methods", "mixed", *roles, "--plot", str(tmp_path / "c.html")]
    told = {}
    for command in (anonymize, assess, compare):
        for more in ([], ["--json"]):
            result = CliRunner().invoke(cli, [*command, *more])
            assert result.exit_code == 0, result.output
            told[" ".join([command[0], *more])] = result.output
    told |= {path.name: path.read_text(encoding="utf-8") for path in tmp_path.glob("*.html")}
    checksum = io.sha256(source)
    for where, content in told.items():
        assert checksum not in content, where
        assert checksum[:12] not in content, where
        spoken = numbers(content)
        for name in ("income", "job", "born"):
            released = pd.read_csv(target, parse_dates=["born"])
            for value in secrets(frame, released, name, k):
                assert not is_said(value, content, spoken), (where, name, value)


def alike(rng, n_groups, k):
    """Two originals with the same groups and the same released values: means of whole numbers, modes, dates."""
    centres = np.sort(rng.choice(np.arange(100, 10_000, 50), n_groups, replace=False)).astype(float)
    labels = np.repeat(np.arange(n_groups), k)
    frames = []
    for side in range(2):
        spread = rng.integers(1, 9, n_groups) * (1 + side)
        away = np.zeros((n_groups, k))
        away[:, 0], away[:, 1] = -spread, spread
        rng.permuted(away, axis=1, out=away)
        values = (centres[:, None] + away).ravel()
        job = np.where(np.arange(n_groups * k) % k == 0, [f"rare{side}{i}" for i in range(n_groups * k)], "baker")
        frames.append(
            pd.DataFrame(
                {
                    "income": values,
                    "height": (2 * centres[:, None] - away).ravel(),
                    "born": pd.to_datetime("2001-01-01") + pd.to_timedelta(values, unit="D"),
                    "job": job if k > 2 else "baker",
                    "illness": np.where(labels % 3 == 0, "flu", "none"),
                    "pay": np.arange(float(len(labels))),
                }
            )
        )
    return labels, frames


@pytest.mark.parametrize(("n_groups", "k"), [(1, 2), (2, 2), (2, 3), (5, 3), (12, 4), (16, 3)])
@pytest.mark.parametrize("seed", range(4))
def test_of_few_records_the_report_follows_from_the_release_alone(seed, n_groups, k, tmp_path, capsys):
    """Two different originals with the same release have the same report, byte by byte: so it tells neither apart."""
    assert n_groups * k < FEWEST
    labels, frames = alike(np.random.default_rng(seed), n_groups, k)
    quasi = ["income", "height", "born", "job"]
    plan = make_plan(k=k, quasi=quasi, confidential=["illness", "pay"], method="mixed")
    told, losses = [], []
    for frame in frames:
        made = release_table(io.wrap(frame), plan, group=lambda prepared: labels)
        release = replace(made, seconds={"all": 0.5})
        losses.append(release.information_loss)
        tables = told_of(release, tmp_path)
        _print_release(release, "out.csv", ())
        tables["terminal"] = "".join(capsys.readouterr())
        told.append((release.data.to_csv(), tables))
    (one, first), (other, second) = told
    assert one == other, "the releases are the same"
    assert not frames[0].equals(frames[1])
    assert n_groups == 1 or losses[0] != losses[1], "the originals differ in what they lost"
    for where in first:
        assert first[where] == second[where], where


def test_two_records_are_not_given_away_by_their_moments(tmp_path):
    """With n = k = 2, mean and standard deviation would be both values."""
    data = pd.DataFrame({"age": [31.0, 44.0], "pay": [1.0, 2.0]})
    release = ma.anonymize(data, k=2, quasi=["age"], keep=["pay"], exact_means=True)
    release.report(tmp_path / "r.json")
    twin = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    moments = twin["columns"][0]["moments"]
    assert (moments["mean_before"], moments["deviation_before"]) == (None, None)
    assert (moments["mean_after"], moments["deviation_after"]) == (37.5, 0.0)
    assert twin["losses"] == []
    assert twin["headline"]["information_loss"] is None
    assert twin["withheld"]
    assert release.information_loss == 100.0, "the holder of the data has it all"


@pytest.mark.parametrize("n", [30, 90])
def test_the_name_of_a_rare_category_makes_no_difference(n, tmp_path):
    """Renamed, it is in the original alone: nothing that is told changes, with few records or many."""
    rng = np.random.default_rng(5)
    told = []
    frame = pd.DataFrame(
        {"job": rng.choice(["baker", "nurse", "smith"], n), "age": rng.integers(20, 80, n), "pay": rng.normal(9, 1, n)}
    )
    for name in ("farrier", "falconer"):
        frame.loc[3, "job"] = name
        release = ma.anonymize(frame, k=4, quasi=["job", "age"], confidential=["pay"])
        assert name not in set(release.data["job"])
        told.append(told_of(replace(release, seconds={"all": 0.5}), tmp_path))
    assert told[0] == told[1]


def test_groups_are_numbered_as_the_released_rows_show_them():
    """Numbers from before a shuffle would tell of the order of the original rows."""
    numbers_told = set()
    for seed in range(8):
        frame = pd.DataFrame({"age": np.repeat([10.0, 30.0, 70.0], 20), "ill": ["a"] * 20 + ["b", "c"] * 20})
        release = ma.anonymize(frame, k=20, quasi=["age"], confidential=["ill"], shuffle=True, seed=seed)
        (caution,) = (c for c in document_of(release, None, False).warnings if c.kind == "homogeneous_groups")
        seen = release.data["age"].drop_duplicates().tolist()
        assert caution.groups == (seen.index(10.0),)
        assert f"group {seen.index(10.0)}." in caution.text
        numbers_told |= set(caution.groups)
    assert len(numbers_told) > 1


def test_the_search_finds_what_details_tell(tmp_path):
    """The tests above would see a leak: with details, the same search finds the extreme value."""
    rng = np.random.default_rng(0)
    frame = table_of(rng, 120, 4)
    release = ma.anonymize(frame, k=4, quasi=["income", "job"], confidential=["pay"], method="mixed")
    release.report(tmp_path / "d.json", details=True)
    content = (tmp_path / "d.json").read_text(encoding="utf-8")
    rare = [value for value in secrets(frame, release.data, "job", 4) if is_said(value, content, set())]
    assert rare
