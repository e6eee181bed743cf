"""What must hold of every partition and every release: validators that tests of all rooms share."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from microagg.base.table import Table


def data_folder() -> Path:
    """The benchmark data: MICROAGG_DATA, else ../shared/data beside the checkout; skips where they are not at hand."""
    named = os.environ.get("MICROAGG_DATA")
    folder = Path(named) if named else Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("benchmark data not found: set MICROAGG_DATA to the folder that holds census.csv")
    return folder


def assert_partition(labels: np.ndarray, n_records: int, k: int) -> None:
    """Labels 0..G-1 without gaps, one for each record, every group at least k."""
    assert labels.shape == (n_records,)
    assert labels.dtype == np.int64
    sizes = np.bincount(labels)
    assert labels.min() == 0
    assert sizes.min() >= k, f"smallest group has {sizes.min()} records, k is {k}"


def value_in(table: Table, name: str, row: int) -> Any:
    """One value of a table, as a category; None where it is missing."""
    column = table.categories(name)
    return None if column.codes[row] < 0 else column.values[column.codes[row]]


class Fractions(list[float]):
    """A progress that writes down what it is told, each time that a kernel looks up, however short the work is."""

    every = 0.0

    def __call__(self, fraction: float) -> None:
        self.append(fraction)

    def assert_rises(self) -> None:
        """Something was told on the way, never less than before."""
        assert any(0 < fraction < 1 for fraction in self)
        assert self == sorted(self)
        assert 0 <= self[0] <= self[-1] <= 1


def groups(labels: np.ndarray) -> set[frozenset[int]]:
    """The partition as a set of sets of rows: what is left of labels when group numbers do not matter."""
    order = np.argsort(labels, kind="stable")
    cuts = np.flatnonzero(np.diff(labels[order])) + 1
    return {frozenset(part.tolist()) for part in np.split(order, cuts)}
