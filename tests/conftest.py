"""Fixtures that every room's tests may use."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import numpy as np
import pytest


def data_folder() -> Path | None:
    """The benchmark data: MICROAGG_DATA, else ../shared/data beside the checkout, else none."""
    named = os.environ.get("MICROAGG_DATA")
    folder = Path(named) if named else Path(__file__).resolve().parents[2] / "shared" / "data"
    return folder if folder.is_dir() else None


@pytest.fixture(scope="session")
def benchmark_data():
    """Load a benchmark file, standardised: `benchmark_data("census")`. Skips where the data are not at hand."""

    def load(name: str) -> np.ndarray:
        folder = data_folder()
        if folder is None:
            pytest.skip("benchmark data not found: set MICROAGG_DATA to the folder that holds census.csv")
        with (folder / f"{name}.csv").open(newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file))[1:]
        X = np.array(rows, dtype=np.float64)
        return (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)

    return load
