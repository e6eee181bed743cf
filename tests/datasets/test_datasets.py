"""The registry: every entry says truly what it holds, and loading never surprises."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from checks import data_folder

from microagg.datasets import DATASETS, Dataset, load
from microagg.datasets.benchmark import ADULT, CENSUS, ENTRIES, read_original
from microagg.errors import FileProblem, InvalidOption

EMBEDDED = sorted(set(DATASETS) - {entry.name for entry in ENTRIES})


def loaded(name: str, monkeypatch: pytest.MonkeyPatch) -> Dataset:
    """Load without the network; skip where a benchmark file is not at hand."""
    if name not in EMBEDDED:
        monkeypatch.setenv("MICROAGG_DATA", str(data_folder()))
    return load(name, download=False)


@pytest.mark.parametrize("name", DATASETS)
def test_entries_say_what_they_hold(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    entry, dataset = DATASETS[name], loaded(name, monkeypatch)
    assert entry.name == dataset.name == name
    assert dataset.columns == entry.columns
    assert {len(column) for column in dataset.values.values()} == {entry.n_records}
    assert dataset.X.shape == (entry.n_records, len(dataset.numeric))
    assert dataset.X.dtype == np.float64
    assert np.isfinite(dataset.X).all()
    assert "\n" not in entry.description
    assert all((entry.title, entry.source, entry.licence))


@pytest.mark.parametrize("name", DATASETS)
def test_frames_take_the_values_as_they_are(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = loaded(name, monkeypatch)
    assert tuple(pd.DataFrame(dataset.values).columns) == dataset.columns
    assert tuple(pl.DataFrame(dict(dataset.values)).columns) == dataset.columns


def test_a_reader_cannot_change_what_the_next_one_gets() -> None:
    with pytest.raises(ValueError, match="read-only"):
        load("companies").values["surface"][0] = 0.0
    changed = load("companies").X
    changed[0, 0] = -1.0
    assert load("companies").X[0, 0] == 790.0


def test_adult_keeps_its_categories_and_its_gaps(monkeypatch: pytest.MonkeyPatch) -> None:
    adult = loaded("adult", monkeypatch)
    assert adult.numeric == ("age", "fnlwgt", "education_num", "capital_gain", "capital_loss", "hours_per_week")
    # 30162 records without a gap is the published count, and no value kept the blank that follows its comma.
    texts = np.stack([adult.values[name] for name in sorted(ADULT.text)])
    assert int((texts != "?").all(axis=0).sum()) == 30162
    assert not np.char.startswith(texts, " ").any()


def test_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(InvalidOption, match=r"companies, patients, census, .*; got 'nothing'"):
        load("nothing")


def test_missing_data_says_where_it_looked_and_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MICROAGG_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("MICROAGG_CACHE", str(tmp_path / "cache"))
    with pytest.raises(FileProblem) as caught:
        load("census", download=False)
    message = str(caught.value)
    for part in ("census.csv", str(tmp_path / "data"), str(tmp_path / "cache"), CENSUS.url, "MICROAGG_DATA"):
        assert part in message
    assert list(tmp_path.iterdir()) == []


def test_failed_download_says_where_it_looked_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Port 1 of this machine answers nobody, as the network does where there is none."""
    monkeypatch.delenv("MICROAGG_DATA", raising=False)
    monkeypatch.setenv("MICROAGG_CACHE", str(tmp_path))
    monkeypatch.setenv("no_proxy", "*")
    unreachable = replace(CENSUS, url="https://127.0.0.1:1/census.csv")
    with pytest.raises(
        FileProblem, match=r"census\.csv .* is not in .*, and the download of .* failed: .*MICROAGG_DATA"
    ):
        read_original(unreachable, True)
    assert list(tmp_path.iterdir()) == []


def test_import_reads_no_file_and_loads_no_network_code() -> None:
    code = "import sys, microagg.datasets as d; print(len(d.DATASETS), *{'ssl', 'http.client'} & set(sys.modules))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.split() == [str(len(DATASETS))]
