"""What systems differ in lies in one place, and what Windows lacks has something in its place."""

from __future__ import annotations

import ast
import ctypes
import errno
import fcntl
import gzip
import os
import subprocess
import sys
import types
from pathlib import Path

import pytest

from microagg import io
from microagg.errors import InvalidData
from microagg.files import posix, scratch, system, windows
from microagg.files.atomic import _prefix, atomic_path

SOURCE = Path(system.__file__).parents[1]
DEAD = 2**22 + 1
"""A process that cannot be there: Linux counts to 2**22."""

POSIX_ONLY = {
    *("fork", "forkpty", "mkfifo", "geteuid", "getuid", "getegid", "getgid", "getpgid", "setsid", "killpg", "kill"),
    *("fchmod", "fchown", "chown", "lchown", "chroot", "getloadavg", "nice", "wait", "wait3", "wait4", "statvfs"),
    *("O_CLOEXEC", "O_NOFOLLOW", "O_NONBLOCK", "O_DIRECTORY", "O_SYNC", "uname", "sysconf", "sched_getaffinity"),
    *("pread", "pwrite", "memfd_create", "openpty", "posix_fallocate", "posix_fadvise", "fdatasync", "sync"),
    *("SIGHUP", "SIGKILL", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGQUIT", "SIGCHLD", "SIGPIPE", "alarm", "setitimer"),
    *("pthread_sigmask", "sigwait", "poll", "epoll", "kqueue", "AF_UNIX", "add_signal_handler", "tzset"),
}
"""Names of os, signal, select, socket, asyncio and time that Windows lacks, or, as `kill`, has for something else."""
MODULES = {"fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "syslog", "posix"}
THERE = {"files/posix.py", "io/pipe.py"}


class FakeMsvcrt(types.ModuleType):
    """Locks as those of Windows: held by an open file, to the exclusion of all others."""

    LK_NBLCK = 2

    def locking(self, descriptor: int, mode: int, size: int) -> None:
        assert (mode, size) == (self.LK_NBLCK, 1)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise PermissionError(errno.EACCES, "Permission denied") from error


class FakeKernel:
    """The processes of Windows, of which one is there, one has ended, and one is somebody else's."""

    running, ended, foreign = 11, 12, 13

    def __init__(self) -> None:
        self.open: set[int] = set()

    def OpenProcess(self, access: int, inherit: bool, pid: int) -> int:  # noqa: N802
        assert access == windows.QUERY
        assert not inherit
        if pid in (self.running, self.ended, os.getpid()):
            self.open.add(pid)
            return pid
        self.error = windows.ACCESS_DENIED if pid == self.foreign else 87
        return 0

    def GetLastError(self) -> int:  # noqa: N802
        return self.error

    def GetExitCodeProcess(self, handle: int, code) -> int:  # noqa: N802
        code._obj.value = 0 if handle == self.ended else windows.STILL_ACTIVE
        return 1

    def CloseHandle(self, handle: int) -> None:  # noqa: N802
        self.open.remove(handle)


@pytest.fixture
def on_windows(monkeypatch):
    """Let everything ask Windows, as far as that can be played here: an open file cannot be renamed or removed."""
    monkeypatch.setitem(sys.modules, "msvcrt", FakeMsvcrt("msvcrt"))
    kernel = FakeKernel()
    monkeypatch.setattr(ctypes, "windll", types.SimpleNamespace(kernel32=kernel), raising=False)
    for name in set(system.__all__) - {"HAS_PIPES", "plain_name"}:
        monkeypatch.setattr(system, name, getattr(windows, name))
    monkeypatch.setattr(system, "HAS_PIPES", False)
    for module in (os, Path):
        for name in ("replace", "unlink"):
            monkeypatch.setattr(module, name, refusing_open_files(getattr(module, name)))
    monkeypatch.setattr(Path, "symlink_to", refusing)
    monkeypatch.setattr("os.symlink", refusing)
    return kernel


def refusing(*_: object, **__: object) -> None:
    raise OSError(1314, "A required privilege is not held by the client")


def refusing_open_files(call):
    """Refuse as Windows does where this process has the file open."""

    def checked(path, *rest, **named):
        for name in os.listdir("/proc/self/fd"):
            try:
                place = os.readlink(f"/proc/self/fd/{name}")
            except OSError:
                continue
            if place == os.path.realpath(path):
                raise PermissionError(13, "The process cannot access the file because it is being used", str(path))
        return call(path, *rest, **named)

    return checked


def test_both_systems_offer_the_same():
    offered = set(system.__all__) - {"HAS_PIPES", "plain_name"}
    assert offered <= set(vars(posix))
    assert offered <= set(vars(windows))
    members = {name for name in vars(posix.Place) if not name.startswith("_")}
    assert members == {name for name in vars(windows.Place) if not name.startswith("_")}


def uses_of_posix(path: Path) -> list[str]:
    """Give what a module asks for that Windows does not have. `getattr(os, name, None)` is how to ask politely."""
    asked = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.value.id in {"os", "signal", "select", "socket", "time", "loop"} and node.attr in POSIX_ONLY:
                asked.append(f"{node.value.id}.{node.attr}")
        elif isinstance(node, ast.Import):
            asked += [alias.name for alias in node.names if alias.name in MODULES]
        elif isinstance(node, ast.ImportFrom) and node.module in MODULES:
            asked.append(node.module)
    return asked


def test_nothing_else_asks_for_what_windows_lacks():
    """A new use belongs into files/posix.py, with its counterpart in files/windows.py."""
    uses = {path.relative_to(SOURCE).as_posix(): uses_of_posix(path) for path in SOURCE.rglob("*.py")}
    assert {"os.geteuid", "fcntl"} <= set(uses["files/posix.py"])
    assert {name: asked for name, asked in uses.items() if asked and name not in THERE} == {}


@pytest.mark.usefixtures("on_windows")
def test_files_are_replaced_whole(tmp_path):
    target = tmp_path / "release.csv"
    target.write_text("old")
    with atomic_path(target) as temporary:
        temporary.write_text("new")
        assert target.read_text() == "old"
    assert target.read_text() == "new"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.usefixtures("on_windows")
def test_an_interruption_leaves_the_old_file_there_too(tmp_path):
    target = tmp_path / "release.csv"
    target.write_text("old")

    def write() -> None:
        with atomic_path(target) as temporary:
            temporary.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write()
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_what_a_dead_process_left_is_removed_by_its_name(tmp_path, on_windows):
    """There are no locks on files that are being written: the number of the process in the name decides."""
    dead, living = (tmp_path / f"{_prefix()}{pid}-00.part" for pid in (on_windows.ended, on_windows.running))
    for left in (dead, living):
        left.write_text("raw")
    with atomic_path(tmp_path / "release.csv") as temporary:
        temporary.write_text("new")
    assert not dead.exists()
    assert living.exists()


def test_processes_are_asked_after_without_being_ended(on_windows):
    running = {pid: windows.is_running(pid) for pid in (on_windows.running, on_windows.ended, on_windows.foreign, DEAD)}
    assert list(running.values()) == [True, False, True, False]
    assert on_windows.open == set()


@pytest.mark.usefixtures("on_windows")
def test_private_folders_come_and_go(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    first, second = scratch.Folder(), scratch.Folder()
    assert first.path.is_dir()
    assert second.path.is_dir()
    (first.path / "raw").write_text("1")
    first.close()
    second.close()
    assert not first.path.exists()
    assert not second.path.exists()


LEAVE = """
import os, sys
from microagg.files import scratch
folder = scratch.Folder()
(folder.path / "raw").write_text("secret")
print(folder.path, flush=True)
os._exit(9)
"""


@pytest.mark.usefixtures("on_windows")
def test_the_folder_of_a_killed_process_is_removed_by_the_next(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    monkeypatch.setattr(windows, "user_mark", posix.user_mark)
    monkeypatch.setattr(system, "user_mark", posix.user_mark)
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", LEAVE], env=environment, capture_output=True, text=True, check=False)
    left = Path(done.stdout.strip())
    assert (left / "raw").exists()
    scratch.Folder().close()
    assert not left.exists()


@pytest.mark.usefixtures("on_windows")
def test_a_lock_is_waited_for_and_then_gone_without(tmp_path, monkeypatch):
    monkeypatch.setattr(windows, "PATIENCE", 0.2)
    with (tmp_path / "lock").open("w") as held, (tmp_path / "lock").open("r+") as waiting:
        assert windows.try_lock(held.fileno())
        assert not windows.try_lock(waiting.fileno())
        windows.wait_for_lock(waiting.fileno())


@pytest.mark.usefixtures("on_windows")
@pytest.mark.parametrize("name", ["people.csv.gz", "utf16.csv", "people[1].csv"])
def test_text_is_read_without_pipes_and_links(tmp_path, name):
    """Packed text and other encodings reach DuckDB through a file in the private folder, odd names by a second name."""
    text = "age,town\n21,Köln\n22,Köln\n60,Bonn\n61,Bonn\n"
    path = tmp_path / name
    if name.endswith(".gz"):
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text, encoding="utf-16" if name.startswith("utf16") else "utf-8")
    table = io.read(path)
    assert table.names == ("age", "town")
    assert table.n_records == 4
    assert set(table.categories("town").values) == {"Köln", "Bonn"}


@pytest.mark.usefixtures("on_windows")
def test_a_broken_packed_file_is_refused_without_pipes(tmp_path):
    path = tmp_path / "people.csv.gz"
    path.write_bytes(gzip.compress(b"age,town\n" + b"21,a\n" * 10_000)[:-20])
    with pytest.raises(InvalidData, match="not a whole gzip file"):
        io.read(path)


@pytest.mark.parametrize("can_link", [True, False])
def test_a_name_with_a_pattern_in_it_gets_a_second_name_or_a_copy(tmp_path, monkeypatch, can_link):
    monkeypatch.setattr(Path, "symlink_to", refusing)
    if not can_link:
        monkeypatch.setattr(os, "link", refusing)
    odd, plain, place = tmp_path / "a*.csv", tmp_path / "a.csv", tmp_path / "input"
    odd.write_text("1")
    plain.write_text("2")
    assert system.plain_name(odd, place).read_text() == "1"
    assert place.samefile(odd) == can_link
    assert system.plain_name(plain, place) == plain
    assert not place.exists()


def test_a_closed_file_is_known_by_its_mode(tmp_path):
    path = tmp_path / "token"
    path.write_text("1")
    path.chmod(0o644)
    assert not posix.is_closed_to_others(path.stat())
    assert windows.is_closed_to_others(path.stat())
    path.chmod(0o600)
    assert posix.is_closed_to_others(path.stat())
    assert posix.is_mine(path.stat())


def test_a_dead_process_that_nobody_asked_after_does_not_run():
    child = subprocess.Popen([sys.executable, "-c", ""])
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert not posix.is_running(child.pid)
    child.wait()
    assert posix.is_running(os.getpid())
    assert not posix.is_running(10**30)
