"""A file is written whole or not at all."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys

import polars as pl
import pytest
from file_kinds import WRITABLE

from microagg import io
from microagg.errors import FileProblem
from microagg.io import PRIVATE, atomic_path, atomic_paths


def test_the_file_appears_at_the_end(tmp_path):
    target = tmp_path / "out.txt"
    with atomic_path(target) as temporary:
        temporary.write_text("new")
        assert not target.exists()
        assert temporary.parent == tmp_path
    assert target.read_text() == "new"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit, FileProblem])
def test_an_interruption_leaves_the_old_file(tmp_path, error):
    target = tmp_path / "out.txt"
    target.write_text("old")

    def write() -> None:
        with atomic_path(target) as temporary:
            temporary.write_text("half")
            raise error

    with pytest.raises(error):
        write()
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_an_error_of_the_system_is_explained(tmp_path):
    expected = pytest.raises(FileProblem, match=r"out\.txt: No space left on device\. Nothing was left behind")
    with expected, atomic_path(tmp_path / "out.txt"):
        raise OSError(28, os.strerror(28))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_permissions_follow_the_users_mask(tmp_path, mask):
    old = os.umask(mask)
    try:
        io.write(io.wrap(pl.DataFrame({"a": [1]})), tmp_path / "out.csv")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "out.csv").stat().st_mode) == 0o666 & ~mask


def test_a_link_is_followed(tmp_path):
    (tmp_path / "real").mkdir()
    link = tmp_path / "link.txt"
    link.symlink_to(tmp_path / "real" / "out.txt")
    with atomic_path(link) as temporary:
        temporary.write_text("new")
    assert link.is_symlink()
    assert (tmp_path / "real" / "out.txt").read_text() == "new"


def test_impossible_targets_are_refused(tmp_path):
    with pytest.raises(FileProblem, match="is a folder"), atomic_path(tmp_path):
        pass
    with pytest.raises(FileProblem, match="does not exist"), atomic_path(tmp_path / "no" / "out.txt"):
        pass
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileProblem, match="device or a pipe"), atomic_path(tmp_path / "pipe"):
        pass


def test_a_read_only_folder_is_refused(as_ordinary_user):
    folder = as_ordinary_user.folder
    folder.chmod(0o555)
    write = "io.write(io.from_arrays({'a': np.zeros(2)}), sys.argv[1] + '/out.csv')"
    assert "no file can be created" in as_ordinary_user(write)
    assert list(folder.iterdir()) == []


WRITE_WITH_LITTLE_ROOM = """
import resource, sys
import numpy as np, polars as pl
from microagg import io
from microagg.errors import FileProblem
table = io.wrap(pl.DataFrame({"x": np.random.default_rng(0).normal(size=20_000), "s": ["text"] * 20_000}))
if sys.argv[2] == "duck":
    table = table.to_duck()
io.FORMATS[sys.argv[3]].load()
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
try:
    io.write(table, sys.argv[1])
except FileProblem as problem:
    print("refused", problem)
"""


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".parquet", ".sav", ".zsav", ".dta", ".xpt", ".xlsx"])
def test_a_full_disk_leaves_the_old_file(tmp_path, suffix):
    """No file may grow beyond 20 kB: for whoever writes that is a disk that fills up on the way."""
    assert suffix in WRITABLE
    target = tmp_path / f"out{suffix}"
    target.write_bytes(b"old")
    command = [sys.executable, "-c", WRITE_WITH_LITTLE_ROOM, str(target), "duck", suffix]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.startswith("refused"), done.stdout + done.stderr
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


def test_files_that_belong_together_appear_together_or_not_at_all(tmp_path):
    old, new = tmp_path / "old.txt", tmp_path / "new.txt"
    old.write_text("old")

    def write(error: type[BaseException] | None) -> None:
        with atomic_paths([old, new]) as (first, second):
            first.write_text("1")
            second.write_text("2")
            if error is not None:
                raise error

    with pytest.raises(KeyboardInterrupt):
        write(KeyboardInterrupt)
    assert old.read_text() == "old"
    assert list(tmp_path.iterdir()) == [old]
    write(None)
    assert (old.read_text(), new.read_text()) == ("1", "2")
    assert sorted(tmp_path.iterdir()) == [new, old]


@pytest.mark.parametrize("failing", [0, 1, 2])
def test_a_rename_that_fails_brings_back_what_was_there(tmp_path, monkeypatch, failing):
    """The disk may refuse the second of three renames: nobody may find a new release beside an old report."""
    targets = [tmp_path / name for name in ("a", "b", "c")]
    targets[0].write_text("old a")
    targets[2].write_text("old c")
    replace, calls = os.replace, []

    def refusing(source, target):
        calls.append(source)
        if len(calls) == failing + 1:
            raise OSError(28, os.strerror(28))
        replace(source, target)

    def write() -> None:
        with atomic_paths(targets) as temporaries:
            for temporary in temporaries:
                temporary.write_text("new")
            monkeypatch.setattr(os, "replace", refusing)

    with pytest.raises(FileProblem, match="No space left"):
        write()
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a": "old a", "c": "old c"}


def test_signals_wait_while_files_are_put_in_place(tmp_path, monkeypatch):
    targets = [tmp_path / "a", tmp_path / "b"]
    replace = os.replace

    def interrupting(source, target):
        signal.raise_signal(signal.SIGINT)
        replace(source, target)

    def write() -> None:
        with atomic_paths(targets):
            monkeypatch.setattr(os, "replace", interrupting)

    with pytest.raises(KeyboardInterrupt):
        write()
    assert sorted(tmp_path.iterdir()) == targets


@pytest.mark.parametrize("make_twin", [os.symlink, os.link, None])
def test_two_targets_must_not_be_one_file(tmp_path, make_twin):
    """By another spelling, a link or a second name: whatever is written last would be all that is left."""
    target = tmp_path / "out.csv"
    twin = tmp_path / "." / "folder" / ".." / "out.csv"
    (tmp_path / "folder").mkdir()
    if make_twin is not None:
        target.write_text("old")
        twin = tmp_path / "twin.csv"
        make_twin(target, twin)
    with pytest.raises(FileProblem, match="are the same file"), atomic_paths([target, twin]):
        pass
    assert not target.exists() or target.read_text() == "old"


def test_private_files_are_for_their_owner_alone(tmp_path):
    with atomic_path(tmp_path / "plan.toml", mode=PRIVATE) as temporary:
        assert stat.S_IMODE(temporary.stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "plan.toml").stat().st_mode) == 0o600
