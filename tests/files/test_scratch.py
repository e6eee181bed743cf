"""Temporary files lie in one private place, and what a killed process leaves there goes at the next start."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from microagg.errors import FileProblem
from microagg.files import scratch
from microagg.files.atomic import atomic_path

HOLD = """
import sys, time
from pathlib import Path
from microagg.files.scratch import Folder
folder = Folder(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
(folder.path / "records").write_text("secret")
print(folder.path, flush=True)
time.sleep(600)
"""
WRITE = """
import sys, time
from microagg.files.atomic import atomic_path
with atomic_path(sys.argv[1]) as temporary:
    temporary.write_text("half a release")
    print(temporary, flush=True)
    time.sleep(600)
"""


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """A folder for temporary files that only this test uses."""
    place = tmp_path / "tmp"
    place.mkdir()
    monkeypatch.setenv("TMPDIR", str(place))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return place


def started(code, *arguments):
    """Start a process that makes something and waits; give it, and what it made."""
    process = subprocess.Popen([sys.executable, "-c", code, *map(str, arguments)], stdout=subprocess.PIPE, text=True)
    return process, Path(process.stdout.readline().strip())


def end(process, how=signal.SIGKILL):
    process.send_signal(how)
    process.wait()
    process.stdout.close()


def files(folder):
    return sorted(path for path in folder.rglob("*") if not path.is_dir())


def test_nobody_else_may_look_into_it_and_it_goes_with_its_owner(temporary):
    with scratch.private_folder() as folder:
        assert folder.parent.parent == temporary
        assert {stat.S_IMODE(path.stat().st_mode) for path in (folder, folder.parent)} == {0o700}
    assert list(temporary.iterdir()) == []
    kept = scratch.Folder()
    del kept
    assert list(temporary.iterdir()) == []


def test_the_next_one_removes_what_a_killed_process_left(temporary):
    process, left = started(HOLD)
    end(process)
    assert (left / "records").exists()
    with scratch.private_folder() as folder:
        assert not left.exists()
        assert [path.name for path in folder.parent.iterdir()] == [folder.name]


def test_what_a_living_process_uses_stays(temporary):
    process, used = started(HOLD)
    try:
        with scratch.private_folder() as folder:
            assert (used / "records").exists()
            assert used.parent == folder.parent
        assert (used / "records").exists()
    finally:
        end(process)


def test_what_was_left_beside_a_release_is_found_from_elsewhere(tmp_path, temporary):
    """A process that writes to another folder knows of the first by a note in the system's folder."""
    beside = tmp_path / "releases"
    beside.mkdir()
    process, left = started(HOLD, beside)
    end(process)
    assert left.parent.parent == beside
    with scratch.private_folder():
        assert list(beside.iterdir()) == []


def test_a_folder_killed_before_it_had_a_lock_is_removed(temporary):
    with scratch.private_folder() as folder:
        torn = folder.parent / "1-2"
        torn.mkdir()
        with scratch.private_folder():
            assert not torn.exists()


def test_a_forked_child_leaves_its_parents_folder_alone(temporary):
    folder = scratch.Folder()
    child = os.fork()
    if child == 0:
        folder.close()
        os._exit(0)
    os.waitpid(child, 0)
    assert folder.path.exists()
    folder.close()


@pytest.mark.parametrize("trap", ["open to others", "a link", "a file"])
def test_a_place_that_others_could_have_laid_is_refused(tmp_path, temporary, trap):
    place = temporary / f"microagg-{os.geteuid()}"
    mine = tmp_path / "mine"
    mine.mkdir(mode=0o700)
    if trap == "open to others":
        place.mkdir(mode=0o755)
    elif trap == "a link":
        place.symlink_to(mine)
    else:
        place.write_text("")
    with pytest.raises(FileProblem, match=r"must be a folder of your own that is closed to others.*TMPDIR"):
        scratch.Folder()
    assert list(mine.iterdir()) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_place_of_somebody_else_is_refused(temporary):
    place = temporary / "microagg-0"
    place.mkdir(mode=0o700)
    os.chown(place, 65534, 65534)
    with pytest.raises(FileProblem, match="must be a folder of your own"):
        scratch.Folder()


def test_half_a_release_of_a_killed_process_goes_with_the_next_one(tmp_path):
    process, left = started(WRITE, tmp_path / "out.txt")
    end(process)
    assert left.exists()
    (tmp_path / ".microagg-of-somebody.part").write_text("not ours")
    with atomic_path(tmp_path / "other.txt") as temporary:
        temporary.write_text("new")
    assert not left.exists()
    assert [path.name for path in files(tmp_path)] == [".microagg-of-somebody.part", "other.txt"]


def test_half_a_release_of_a_living_process_stays(tmp_path):
    process, used = started(WRITE, tmp_path / "out.txt")
    try:
        with atomic_path(tmp_path / "other.txt") as temporary:
            temporary.write_text("new")
        assert used.exists()
    finally:
        end(process)
