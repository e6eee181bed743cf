"""Fixtures that every room's tests may use."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The benchmark data: MICROAGG_DATA, else ../shared/data beside the checkout; skips where they are not at hand."""
    named = os.environ.get("MICROAGG_DATA")
    folder = Path(named) if named else Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("benchmark data not found: set MICROAGG_DATA to the folder that holds census.csv")
    return folder


@pytest.fixture(scope="session")
def benchmark_data(data_folder):
    """Load a benchmark file, standardised: `benchmark_data("census")`."""

    def load(name: str) -> np.ndarray:
        with (data_folder / f"{name}.csv").open(newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file))[1:]
        X = np.array(rows, dtype=np.float64)
        return (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)

    return load
