"""The benchmark runs, and the numbers it prints are those of the method it names."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import oracles
import pytest

from microagg.datasets import gaussian
from microagg.partition import partition

BENCH = Path(__file__).resolve().parents[1] / "benchmarks" / "bench.py"
SCALE = BENCH.with_name("scale.py")


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(BENCH), *arguments], capture_output=True, text=True, check=False)


def test_json_is_one_object_with_the_true_loss() -> None:
    done = bench("--sizes", "2,90", "--k", "3", "--methods", "univariate", "--columns", "2", "--no-peers", "--json")
    report = json.loads(done.stdout)
    assert report["skipped"] == ["univariate, 2 x 2, k=3: fewer records than k"]
    (measured,) = report["measured"]
    X = gaussian(90, 2, seed=0)
    Z = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    loss = 100 * oracles.sse(Z, partition(Z, 3, method="univariate")) / (Z**2).sum()
    assert measured["information_loss"] == pytest.approx(loss)
    assert measured["records_per_second"] == pytest.approx(90 / measured["seconds"])
    # The interpreter with NumPy alone takes more than the data: less would mean that another process was measured.
    assert measured["peak_bytes"] >= measured["before_bytes"] > 2**23
    assert np.isfinite(measured["seconds"])


def test_what_takes_too_long_is_stopped_and_larger_sizes_are_not_tried() -> None:
    """No process starts within a millisecond, so every first size is stopped."""
    done = bench("--sizes", "50,60", "--k", "3", "--methods", "univariate", "--no-peers", "--json", "--budget", "1e-4")
    report = json.loads(done.stdout)
    assert report["measured"] == []
    assert report["skipped"] == [
        "univariate, 50 x 13, k=3: stopped after 0.0004 s",
        "univariate, 60 x 13, k=3: fewer records took too long already",
    ]


def test_unknown_method_is_one_clear_line() -> None:
    done = bench("--methods", "nothing")
    assert done.returncode == 2
    assert "got 'nothing'" in done.stderr
    assert "Traceback" not in done.stderr


def test_scale_sets_cells_beside_memory() -> None:
    asked = ["--outofcore", "--records", "2000", "--memory", "100KB", "--method", "univariate", "--json"]
    done = subprocess.run([sys.executable, str(SCALE), *asked], capture_output=True, text=True, check=True)
    whole, cells = json.loads(done.stdout)
    X = gaussian(2000, 8, seed=0)
    Z = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    assert whole["loss"] == pytest.approx(100 * oracles.sse(Z, partition(Z, 10, method="univariate")) / (Z**2).sum())
    assert cells["more_than_in_memory"] == pytest.approx(100 * (cells["loss"] / whole["loss"] - 1))
    assert cells["loss"] != pytest.approx(whole["loss"]), "several cells"
    assert min(cells["peak_bytes"], whole["peak_bytes"]) > 2**23
