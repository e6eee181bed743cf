"""Fixtures that every room's tests may use."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from checks import data_folder
from hypothesis import settings

# A slow machine is no reason to fail.
settings.register_profile("microagg", deadline=None)
settings.load_profile("microagg")


@pytest.fixture(scope="session")
def benchmark_data():
    """Load a benchmark file, standardised: `benchmark_data("census")`."""

    def load(name: str) -> np.ndarray:
        with (data_folder() / f"{name}.csv").open(newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file))[1:]
        X = np.array(rows, dtype=np.float64)
        return (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)

    return load


@pytest.fixture
def named_data(monkeypatch):
    """Name the benchmark data in MICROAGG_DATA, where loaders look first. Skips where the data are not at hand."""
    monkeypatch.setenv("MICROAGG_DATA", str(data_folder()))
