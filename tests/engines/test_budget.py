"""How much memory there is, and a folder that leaves nothing behind."""

from __future__ import annotations

import stat
import subprocess
import sys
from pathlib import Path

import pytest

from microagg.engines import budget
from microagg.engines.budget import Budget, parse_memory, private_folder
from microagg.errors import FileProblem, InvalidOption


@pytest.mark.parametrize(
    ("asked", "found"), [("500MB", 500 << 20), ("2gb", 2 << 30), (" 1.5 KB ", 1536), (10**9, 10**9), ("64B", 64)]
)
def test_sizes(asked, found):
    assert parse_memory(asked, Path("people.csv")) == found


@pytest.mark.parametrize("asked", ["much", "", "-1GB", "0MB", 0, -5, True, "5 PB"])
def test_what_is_no_size_is_refused(asked):
    with pytest.raises(InvalidOption, match="memory must be a size such as 500MB"):
        parse_memory(asked, Path("people.csv"))


def test_auto_compares_the_file_with_what_is_free(tmp_path, monkeypatch):
    path = tmp_path / "people.csv"
    path.write_bytes(b"x" * 1000)
    monkeypatch.setattr(budget, "free_memory", lambda: 13_000)
    assert parse_memory("auto", path) is None, "6000 bytes of 13000 are comfortable"
    monkeypatch.setattr(budget, "free_memory", lambda: 11_000)
    assert parse_memory("auto", path) == 5500
    assert parse_memory("unlimited", path) is None
    assert parse_memory("auto", path.rename(tmp_path / "people.sav")) is None, "which cannot be read in parts"
    (tmp_path / "people.sav").rename(path)
    monkeypatch.setattr(budget, "free_memory", lambda: None)
    assert parse_memory("auto", path) is None, "where nobody says how much there is, all goes on as always"


def test_free_memory_is_less_than_the_machine_has():
    free = budget.free_memory()
    assert free is None or 0 < free < 1 << 50


@pytest.mark.parametrize("size", [1, 10**6, 10**9, 10**12])
def test_a_cell_has_room_for_several_groups_and_more_memory_for_more_records(size):
    small, large = Budget.of(size, 10, 7), Budget.of(2 * size, 10, 7)
    assert small.cell >= 8 * 7
    assert large.cell >= small.cell
    assert large.database >= small.database >= 128 << 20


def test_the_folder_is_private_and_gone_afterwards(tmp_path, monkeypatch):
    monkeypatch.delenv("TMPDIR", raising=False)

    def interrupted() -> None:
        with private_folder(tmp_path / "released.csv") as folder:
            assert folder.parent.parent == tmp_path
            assert stat.S_IMODE(folder.parent.stat().st_mode) == 0o700
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700
            (folder / "records").write_text("secret")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert list(tmp_path.iterdir()) == []


def test_the_folder_lies_where_tmpdir_says(tmp_path):
    code = (
        "from microagg.engines.budget import private_folder\nfrom pathlib import Path\n"
        "with private_folder(Path('/elsewhere/released.csv')) as folder: print(folder.parent.parent)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env={"TMPDIR": str(tmp_path), "PYTHONPATH": ":".join(sys.path)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == str(tmp_path)


def test_no_folder_no_work(tmp_path, monkeypatch):
    monkeypatch.delenv("TMPDIR", raising=False)
    with (
        pytest.raises(FileProblem, match="Cannot create a temporary folder"),
        private_folder(tmp_path / "no" / "r.csv"),
    ):
        pass
