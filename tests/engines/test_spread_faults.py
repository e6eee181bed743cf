"""Spread releases when something dies: the whole release appears, the same one, or nothing does."""

from __future__ import annotations

import logging
import os
import resource
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import psutil
import pyarrow.parquet as parquet
import pytest

import microagg as ma
from microagg import errors
from microagg.files.staging import staging_folder

ASKED = {"k": 5, "quasi": ["a", "b", "c"], "method": "mdav", "memory": "150KB", "exact_means": True}
RAW = "nameofsomebody"


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    path = tmp_path_factory.mktemp("source") / "in.parquet"
    rng = np.random.default_rng(0)
    data = pd.DataFrame(rng.normal(size=(3000, 3)), columns=["a", "b", "c"])
    data["who"] = [f"{RAW}{row % 30}" for row in range(3000)]
    data.to_parquet(path, row_group_size=1000)
    return path


@pytest.fixture(scope="module")
def released(source, tmp_path_factory):
    out = tmp_path_factory.mktemp("released") / "out"
    ma.anonymize_file(source, out, engine="serial", **ASKED)
    return parquet.read_table(out)


class Killer:
    """Kills a worker once the first cell is done."""

    def __init__(self, find):
        self._find = find
        self.killed = None

    def __call__(self, fraction):
        if self.killed is None and 0 < fraction < 1:
            self.killed = self._find()
            os.kill(self.killed, signal.SIGKILL)


def pool_worker():
    children = psutil.Process().children()
    return next(child.pid for child in children if "spawn_main" in " ".join(child.cmdline()))


def test_a_killed_process_does_not_matter(tmp_path, source, released):
    killer = Killer(pool_worker)
    ma.anonymize_file(source, tmp_path / "out", engine="processes", threads=2, progress=killer, **ASKED)
    assert killer.killed is not None
    assert parquet.read_table(tmp_path / "out").equals(released)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_killed_dask_worker_does_not_matter(tmp_path, source, released):
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit=0, silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        pids = client.run(os.getpid)
        killer = Killer(lambda: next(iter(pids.values())))
        ma.anonymize_file(source, tmp_path / "out", engine=client, progress=killer, **ASKED)
        assert killer.killed is not None
    assert parquet.read_table(tmp_path / "out").equals(released)


DRIVER = """
import os, signal, sys
import microagg as ma
def die(fraction):
    if fraction > 0.3:
        os.kill(os.getpid(), signal.SIGKILL)
ma.anonymize_file(sys.argv[1], sys.argv[2], engine=sys.argv[3], threads=2, progress=die, **{asked!r})
"""


def killed_driver(source, target, engine):
    command = [sys.executable, "-c", DRIVER.format(asked=ASKED), str(source), str(target), engine]
    environment = {**os.environ, "PYTHONPATH": ":".join(sys.path)}
    assert subprocess.run(command, env=environment, capture_output=True).returncode == -signal.SIGKILL


def test_a_killed_driver_leaves_nothing_visible_and_its_successor_goes_on(tmp_path, source, released, caplog):
    killed_driver(source, tmp_path / "out", "serial")
    assert not (tmp_path / "out").exists()
    (staging,) = tmp_path.iterdir()
    assert staging.name.startswith(".microagg-spread-")
    assert staging.stat().st_mode & 0o077 == 0, "nobody else may look"
    with caplog.at_level(logging.INFO, "microagg.spread"):
        ma.anonymize_file(source, tmp_path / "out", engine="serial", **ASKED)
    assert "buckets were done already" in caplog.text
    assert parquet.read_table(tmp_path / "out").equals(released)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_what_a_killed_driver_left_is_removed_by_the_next_that_does_something_else(tmp_path, source):
    killed_driver(source, tmp_path / "out", "processes")
    holders = [path for path in tmp_path.rglob("*") if path.is_file() and RAW.encode() in path.read_bytes()]
    assert not holders, "columns that are not grouped stay in the source until the end"
    ma.anonymize_file(source, tmp_path / "other", engine="serial", **{**ASKED, "k": 6})
    assert [path.name for path in tmp_path.iterdir()] == ["other"]
    deadline = time.monotonic() + 30
    while any(str(tmp_path) in " ".join(p.info["cmdline"] or []) for p in psutil.process_iter(["cmdline"])):
        assert time.monotonic() < deadline, "workers end with their driver"
        time.sleep(0.1)


def test_a_full_disk_is_one_clear_error(tmp_path, source):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, hard))
    try:
        with pytest.raises(errors.FileProblem, match="The disk is full"):
            ma.anonymize_file(source, tmp_path / "out", engine="serial", **ASKED)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert list(tmp_path.iterdir()) == []


def test_two_drivers_do_not_make_the_same_release_at_once(tmp_path):
    with staging_folder(tmp_path, "a plan"), pytest.raises(errors.FileProblem, match="Another process"):  # noqa: SIM117
        with staging_folder(tmp_path, "a plan"):
            raise AssertionError


def test_a_folder_that_others_can_open_is_not_worked_in(tmp_path):
    (tmp_path / f".microagg-spread-{os.geteuid()}").mkdir(mode=0o755)
    with pytest.raises(errors.FileProblem, match="closed to others"), staging_folder(tmp_path, "a plan"):
        raise AssertionError
