"""What Linux and macOS offer for locks, owners, processes and places; `microagg.files.system` chooses."""

from __future__ import annotations

import os
import signal
import stat
import sys
import time
from contextlib import suppress
from pathlib import Path

if sys.platform == "win32":
    raise ImportError("microagg.files.posix is not for Windows: use microagg.files.system.")

import fcntl
import resource

CLOSED = os.O_CLOEXEC
"""Flags for files that other programs shall not inherit."""
GUARDED = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
"""Flags for files that a stranger may have laid there: no links, and no pipe to wait for."""
MOMENT = 0.05
"""Seconds after which a signal has arrived."""
WRITERS_HOLD_LOCKS = True
"""Whether a file can be open and locked while others write, rename or remove it."""


def try_lock(descriptor: int) -> bool:
    """Take the lock of an open file if nobody holds it; False where somebody does, or where files have no locks."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def wait_for_lock(descriptor: int) -> None:
    """Take the lock of an open file; go without where the file system has none."""
    with suppress(OSError):
        fcntl.flock(descriptor, fcntl.LOCK_EX)


def user_mark() -> str:
    """Give what tells this user from others, in names of files."""
    return str(os.geteuid())


def is_mine(status: os.stat_result) -> bool:
    """Say whether a file belongs to this user."""
    return status.st_uid == os.geteuid()


def is_closed_to_others(status: os.stat_result) -> bool:
    """Say whether nobody but its owner may read or change a file."""
    return not stat.S_IMODE(status.st_mode) & 0o077


def is_running(pid: int) -> bool:
    """Say whether a process of this machine is there, and not a dead one that nobody has asked after."""
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    try:
        state = Path("/proc", str(pid), "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return True
    return state not in {"Z", "X"}


def end_all(leader: int) -> None:
    """End a process that leads a group (`start_new_session`), and all that it started."""
    _signal_all(leader, signal.SIGKILL)


def pause_all(leader: int) -> None:
    """Let a child that leads a group, and all that it started, stand still; it does when this returns.

    Were this process killed before, the system would not wake and end those who stand still without a parent.
    """
    _signal_all(leader, signal.SIGSTOP)
    if sys.platform == "darwin":  # waitid came to Python there with 3.13, and waitpid would take the exit code away
        time.sleep(MOMENT)
    else:
        with suppress(ChildProcessError):
            os.waitid(os.P_PID, leader, os.WSTOPPED | os.WEXITED | os.WNOWAIT)


def resume_all(leader: int) -> None:
    """Let a process that leads a group, and all that it started, go on."""
    _signal_all(leader, signal.SIGCONT)


def _signal_all(leader: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, number)


def limit_memory(n_bytes: int) -> None:
    """Let this process, and each that it starts, have so many bytes of addresses at most."""
    resource.setrlimit(resource.RLIMIT_AS, (n_bytes, n_bytes))


def synchronise(path: Path) -> None:
    """Wait until the file or folder is on the disk, so that a power cut leaves the old or the new file, whole."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def allow_files(count: int) -> None:
    """Let this process open so many files, connections among them, as far as the system allows it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count if hard == resource.RLIM_INFINITY else min(count, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


class Place:
    """A folder that is open and locked: names in it are looked up in it, whatever its path may lead to meanwhile.

    Parameters
    ----------
    path : Path
        A folder; no link to one.
    """

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)

    def status(self) -> os.stat_result:
        """Give whose it is and who may look into it."""
        return os.fstat(self._descriptor)

    def lock(self) -> None:
        """Wait until nobody else has the place."""
        wait_for_lock(self._descriptor)

    def names(self) -> list[str]:
        """Give the names of what it holds."""
        return os.listdir(self._descriptor)

    def make_folder(self, name: str) -> None:
        """Make a folder in it, for the owner alone."""
        os.mkdir(name, 0o700, dir_fd=self._descriptor)

    def open(self, name: str, flags: int) -> int:
        """Open a file in it, which is for the owner alone if it is made."""
        return os.open(name, flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=self._descriptor)

    def close(self) -> None:
        """Give the lock back."""
        os.close(self._descriptor)
