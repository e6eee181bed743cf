"""The share of the standard deviation that each column kept."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import microagg as ma


def release_of(n: int) -> ma.Release:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.normal(40, 10, n), "pay": rng.normal(0, 3, n), "flat": np.ones(n)})
    return ma.anonymize(frame, k=5, quasi=["age", "pay", "flat"])


def twin_of(release: ma.Release, path) -> dict:
    release.report(path)
    return json.loads(path.read_text(encoding="utf-8"))


def test_share_is_that_of_the_deviations_that_are_told(tmp_path):
    """It follows from what the twin tells anyway: nothing finer gets out; a column that does not vary has none."""
    twin = twin_of(release_of(300), tmp_path / "report.json")
    moments = {column["name"]: column["moments"] for column in twin["columns"]}
    assert list(twin["spread"]) == ["age", "pay"]
    for name, share in twin["spread"].items():
        told = 100 * moments[name]["deviation_after"] / moments[name]["deviation_before"]
        assert share == pytest.approx(told, rel=1e-3)
        assert len(f"{share:.15g}".replace(".", "")) <= 4
        assert 50 < share < 100


def test_nothing_is_drawn_of_few_records(tmp_path):
    """With fewer than 50 records the deviation of the original is not told, and its share would give it away."""
    release = release_of(30)
    assert twin_of(release, tmp_path / "report.json")["spread"] == {}
    assert release.plot("spread").charts == ()


def test_page_and_plot_show_it(tmp_path):
    release = release_of(300)
    release.report(tmp_path / "report.html")
    assert "Standard deviation kept by column" in (tmp_path / "report.html").read_text(encoding="utf-8")
    (chart,) = release.plot("spread").charts
    assert [name for name, _ in chart.rows] == ["age", "pay"]
