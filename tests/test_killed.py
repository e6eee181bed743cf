"""kill -9 at any moment of a release: no raw data outside the private place, and the next start removes them there."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

KILLS = int(os.environ.get("MICROAGG_KILLS", "3"))
RAW = "nameofsomebody"


def written(path, encoding):
    rng = np.random.default_rng(0)
    with path.open("w", encoding=encoding) as file:
        file.write("näme,age,income\n")
        for row, (age, income) in enumerate(zip(rng.integers(18, 90, 6_000), rng.lognormal(8, 1, 6_000), strict=True)):
            file.write(f"{RAW}{row},{age},{income:.2f}\n")
    return path


def holders(folder):
    """The files below a folder that hold raw data."""
    return [path for path in folder.rglob("*") if path.is_file() and RAW.encode() in path.read_bytes()]


@pytest.mark.parametrize("memory", ["unlimited", "1MB"])
@pytest.mark.parametrize("where", ["tmpdir", "beside"])
def test_killed_at_random_moments(tmp_path, memory, where):
    """The name is in the input alone: whatever else holds it is a copy of raw data."""
    inputs, releases, temporary = (tmp_path / name for name in ("inputs", "releases", "tmp"))
    for folder in (inputs, releases, temporary):
        folder.mkdir()
    source = written(inputs / "people.csv", "cp1252")
    environment = {**os.environ, "PYTHONPATH": ":".join(sys.path)}
    environment.pop("TMPDIR", None)
    if where == "tmpdir":
        environment["TMPDIR"] = str(temporary)
    command = [sys.executable, "-m", "microagg", "anonymize", str(source), "-k", "10", "--quasi", "age,income"]
    command += ["--drop", "näme", "--memory", memory, "-o", str(releases / "out.csv"), "--json"]
    start = time.perf_counter()
    subprocess.run(command, env=environment, check=True, capture_output=True)
    takes = time.perf_counter() - start
    chance = random.Random(f"{memory}{where}")  # noqa: S311
    left = 0
    for _ in range(KILLS):
        process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(chance.uniform(0.3, 1.0) * takes)
        process.send_signal(signal.SIGKILL)
        process.wait()
        left += bool(holders(temporary) or holders(releases))
        places = [*temporary.glob("microagg-*"), *releases.glob(".microagg-*[0-9]")]
        assert all(place.stat().st_mode & 0o077 == 0 for place in places)
        assert all(any(path.is_relative_to(place) for place in places) for path in holders(tmp_path) if path != source)
    subprocess.run(command, env=environment, check=True, capture_output=True)
    assert [path.name for path in releases.iterdir()] == ["out.csv"]
    assert list(temporary.iterdir()) == []
    assert holders(tmp_path) == [source]
    if memory == "unlimited":
        assert left == 0, "nothing needs to be on the disk where the table fits into memory"
