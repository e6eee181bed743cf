"""Fixtures that every room's tests may use."""

from __future__ import annotations

import csv
import os
import shutil
import tempfile
from pathlib import Path

import numpy as np
import pytest
from checks import data_folder
from hypothesis import settings
from ordinary_user import OrdinaryUser
from spark_session import session

from microagg.cli import main

# A slow machine is no reason to fail. The same cases at every run, so that a change is judged by what it changes;
# MICROAGG_CASES=new looks for new ones, as `make fuzz` does.
settings.register_profile("same", deadline=None, derandomize=True, max_examples=50)
settings.register_profile("new", deadline=None)
settings.load_profile(os.environ.get("MICROAGG_CASES", "same"))

collect_ignore = ["guided.py"]
"""`make fuzz-guided` runs it, with a package that tests do without."""


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


def write_people(path, n_records):
    """Write a file of people."""
    rng = np.random.default_rng(0)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["name", "age", "income", "region", "code"])
        for i in range(n_records):
            writer.writerow(
                [f"person {i}", rng.integers(18, 90), f"{rng.lognormal(8):.2f}", "NS"[i % 2], f"{i % 10:03d}"]
            )
    return path


@pytest.fixture
def people(tmp_path):
    """A file of 30 people, for commands to work on."""
    return write_people(tmp_path / "people.csv", 30)


@pytest.fixture
def crowd(tmp_path):
    """A file of 60 people, enough for figures of theirs to be told."""
    return write_people(tmp_path / "people.csv", 60)


@pytest.fixture
def run(capsys):
    """Run a command: exit code, standard output, standard error."""

    def call(*arguments):
        with pytest.raises(SystemExit) as stopped:
            main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return stopped.value.code, captured.out, captured.err

    return call


@pytest.fixture(scope="session")
def spark():
    """One session of Spark for all tests that need one."""
    pytest.importorskip("pyspark", reason="pyspark is not installed: pip install 'microagg[spark]'")
    with session() as started:
        yield started


@pytest.fixture(scope="module")
def browser():
    """Chromium; for a module only, as whoever speaks to it runs an event loop meanwhile."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    chromium = os.environ.get("MICROAGG_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("no chromium found: install it, or name it in MICROAGG_CHROMIUM")
    options = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=options)
        yield browser
        browser.close()


@pytest.fixture
def as_ordinary_user():
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield OrdinaryUser(folder)
    folder.chmod(0o755)
    shutil.rmtree(folder)
