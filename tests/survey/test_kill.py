"""Whoever is killed at whatever moment: every acknowledged answer is in the release, exactly once."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from answers import assert_released, released
from killing import BATCH

KILLS = {"sqlite": 50, "postgres": 20}


@pytest.mark.parametrize("kind", KILLS)
def test_kill_nine(kind, tmp_path, request):
    url = str(tmp_path / "surveys.db") if kind == "sqlite" else request.getfixturevalue("server").new_database()
    script = Path(__file__).with_name("killing.py")
    done = subprocess.run(
        [sys.executable, script, url, tmp_path, "7", str(KILLS[kind])], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    killed = json.loads(done.stdout)
    assert sum(killed.values()) >= KILLS[kind]
    assert killed["send"] > 0
    assert killed["schedule"] + killed["finish"] > 0
    acknowledged = {
        number
        for start in (tmp_path / "acknowledged").read_text().split()
        for number in range(int(start), int(start) + BATCH)
    }
    content = (tmp_path / "released.csv").read_bytes()
    numbers = {int(row["number"]) for row in released(content)}
    # Batches are taken whole. One whose sender was killed before it heard of it was sent again.
    assert numbers == acknowledged
    assert_released(content, acknowledged)
    status = json.loads((tmp_path / "status.json").read_text())
    assert status["state"] == "released"
    assert status["received"] == len(acknowledged)
