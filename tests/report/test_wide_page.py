"""The report of a file of hundreds of columns: a small page that shows what lost most, and says so."""

import json

import numpy as np
import pandas as pd
import pytest

import microagg as ma
from microagg import risk, utility
from microagg.measures import Measure
from microagg.report.document import MOST_COLUMNS


@pytest.fixture(scope="module")
def release():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3)) @ rng.normal(size=(3, 300)) + np.geomspace(0.1, 10, 300) * rng.normal(size=(120, 300))
    data = pd.DataFrame({f"x{j}": X[:, j].round(2) for j in range(300)})
    data["ill"] = rng.choice(["no", "yes"], 120)
    return ma.anonymize(data, 4, quasi=[f"x{j}" for j in range(300)], confidential=["ill"])


@pytest.fixture(scope="module")
def written(release, tmp_path_factory):
    folder = tmp_path_factory.mktemp("wide")
    release.report(folder / "r.html", folder / "r.json")
    return (folder / "r.html").read_text("utf-8"), json.loads((folder / "r.json").read_text("utf-8"))


def test_the_page_stays_small(written):
    """700 columns made a twin of 14 megabytes, most of it pairs of columns."""
    page, twin = written
    assert len(page) < 1_500_000
    assert len(json.dumps(twin)) < 1_000_000


def test_the_columns_that_lost_most_are_drawn(release, written):
    page, twin = written
    losses = release.column_losses["information_loss"]
    worst = set(sorted(losses, key=lambda name: -losses[name])[:MOST_COLUMNS])
    assert {column["name"] for column in twin["columns"] if column["histogram"] is not None} == worst
    assert set(twin["correlation"]["columns"]) == worst
    assert f"Of 300 columns the {MOST_COLUMNS} that lost most are drawn" in page


def test_samples_of_columns_are_told_on_the_page(written):
    page, _ = written
    assert "of a sample of 1,000 of 45,150 pairs of columns" in page
    assert "of a sample of 100 of 300 columns" in page
    assert "each model took the 100 of 300 terms that tell most" in page


def test_each_measure_is_taken_once_for_page_and_twin(monkeypatch, release, tmp_path):
    """The measures of the assessment, the page and its twin are the same numbers; those of one side, of each side."""
    calls = []
    taken = Measure.__call__
    monkeypatch.setattr(Measure, "__call__", lambda self, case: calls.append(self.name) or taken(self, case))
    vars(release).pop("assessment", None)
    release.report(tmp_path / "r.html", tmp_path / "r.json")
    _ = release.assessment
    every = [*risk.MEASURES.values(), *utility.MEASURES.values()]
    for measure in every:
        assert calls.count(measure.name) <= (2 if measure.of_release else 1), measure.name
    assert len(set(calls)) > 20
