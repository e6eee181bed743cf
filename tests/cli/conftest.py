"""A file to work on, and a way to run commands."""

import csv

import numpy as np
import pytest

from microagg.cli import main


@pytest.fixture
def people(tmp_path):
    """A file of 30 people."""
    rng = np.random.default_rng(0)
    path = tmp_path / "people.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["name", "age", "income", "region", "code"])
        for i in range(30):
            writer.writerow([f"person {i}", rng.integers(18, 90), f"{rng.lognormal(8):.2f}", "NS"[i % 2], f"{i:03d}"])
    return path


@pytest.fixture
def run(capsys):
    """Run a command: exit code, standard output, standard error."""

    def call(*arguments):
        with pytest.raises(SystemExit) as stopped:
            main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return stopped.value.code, captured.out, captured.err

    return call
