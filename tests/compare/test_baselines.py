"""Baselines of a comparison: shown with what they lose and risk, marked, never chosen, never a plan."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import microagg as ma
from microagg.cli import main
from microagg.errors import InvalidOption

BASELINES = ("noise:0.1", "swap:5", "noise:0.1:correlated:corrected")


def people(n: int = 200) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    age = rng.normal(45, 12, n).round()
    return pd.DataFrame(
        {"age": age, "income": (900 * age + rng.normal(0, 9000, n)).round(), "sex": rng.choice(["f", "m"], n)}
    )


def test_baselines_stand_beside_candidates_and_are_never_chosen() -> None:
    """However low their loss, and whatever the limit: they promise no k."""
    comparison = ma.compare(
        people()[["age", "income"]],
        k=3,
        methods="mdav",
        baselines=BASELINES,
        risk="record_linkage",
        limits="information_loss<=50%",
    )
    rows = {row.label: row for row in comparison.rows}
    assert set(BASELINES) < set(rows)
    for text in BASELINES:
        row = rows[text]
        assert row.rank is None
        assert comparison.remark(row) == "promises no k"
        assert row.command == ""
        assert row not in comparison.frontier
        assert 0 < row.information_loss < 40
        assert 0 < row.values["record_linkage"] <= 100
    assert comparison.chosen is not None
    assert not comparison.chosen.baseline
    assert "never chosen" in " ".join(comparison.notes)
    assert [row["baseline"] for row in comparison.summary["releases"] if "baseline" in row]
    assert not any("method" in row for row in comparison.summary["releases"] if row.get("baseline"))
    page = comparison.page()
    assert page.count('class="cross"') == 3 * len(BASELINES)  # on the maps for screens and telephones, and in their key
    assert "(promises no k)" in page
    assert json.dumps(comparison.published)


def test_losses_of_noise_are_those_that_its_variance_gives() -> None:
    """Noise of a tenth of the variance loses ten percent in expectation: SSE is the sum of its squares."""
    row = ma.compare(people(2000)[["income"]], k=3, methods="mdav", baselines="noise:0.1").rows[-1]
    assert row.baseline
    assert row.information_loss == pytest.approx(10, rel=0.15)


def test_nothing_of_a_baseline_is_public() -> None:
    """A mask that changes nothing shows the original: counts of few records are withheld, figures are rounded."""
    frame = pd.DataFrame({"age": [30] * 100 + [40] * 98 + [50, 60]})
    comparison = ma.compare(frame, k=3, methods="mdav", baselines="noise:0", risk="uniques")
    row = next(row for row in comparison.rows if row.baseline)
    assert row.values["uniques"] == 2
    assert np.isnan(row.told["uniques"])
    assert row.published["uniques"] is None
    assert not {"groups", "smallest", "largest"} & set(row.published)
    assert comparison.page()


def test_the_same_comparison_comes_out_again() -> None:
    """Nothing of a baseline is released, so its random numbers may follow from the seed."""
    one, two = (ma.compare(people(), k=3, methods="mixed", baselines=("swap:5", "pram:0.7")) for _ in range(2))
    assert [row.values for row in one.rows] == [row.values for row in two.rows]


def test_a_mask_takes_the_columns_that_it_can() -> None:
    """What stays as it is is said; where nothing can be masked, why."""
    comparison = ma.compare(people(), k=3, methods="mixed", baselines=("swap:5", "pram:0.7"))
    assert any("swap:5 leaves sex as they are" in note for note in comparison.notes)
    numbers = ma.compare(people()[["age", "income"]], k=3, methods="mdav", baselines="pram:0.7")
    assert "no quasi-identifier holds such" in numbers.failures["pram:0.7"]
    with pytest.raises(InvalidOption, match="a mask must be written"):
        ma.compare(people(), k=3, methods="mixed", baselines="nois:0.1")


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--baseline: a row without k, marked; --wide prints no command for it."""
    people().to_csv(tmp_path / "in.csv", index=False)
    words = [
        "compare",
        str(tmp_path / "in.csv"),
        "-k",
        "3",
        "--methods",
        "mdav",
        "--quasi",
        "age,income",
        "--drop",
        "sex",
    ]
    words += ["--baseline", "noise:0.1", "--baseline", "swap:5", "--plot", str(tmp_path / "map.html"), "--wide"]
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 0
    printed = capsys.readouterr().out
    line = next(line for line in printed.splitlines() if line.startswith("noise:0.1"))
    assert "none" in line
    assert "promises no" in line
    assert "noise:0.1:\n" not in printed
    assert "Crosses are baselines" in (tmp_path / "map.html").read_text()
