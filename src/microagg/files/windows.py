"""What Windows has in place of what `microagg.files.posix` uses; `microagg.files.system` chooses.

A file there that is open can be neither renamed nor removed, a lock keeps others from writing, modes say nothing, and
folders cannot be held open. So whoever writes a file holds no lock on it: whether the process in its name still runs
tells whether it was left behind. The folder for temporary files is each user's own (%TEMP%), and what is made elsewhere
is as private as the folder that it is in; Python 3.11.10, 3.12.4 and newer close new folders to other users.
"""

from __future__ import annotations

import ctypes
import getpass
import hashlib
import os
import subprocess
import time
from importlib import import_module
from pathlib import Path
from typing import Any

CLOSED: int = getattr(os, "O_BINARY", 0) | getattr(os, "O_NOINHERIT", 0)
GUARDED = CLOSED
WRITERS_HOLD_LOCKS = False
PAUSE, PATIENCE = 0.05, 30.0
"""Seconds between two tries to take a lock, and in all."""
QUERY, STILL_ACTIVE, ACCESS_DENIED = 0x1000, 259, 5
SUSPEND_OR_RESUME = 0x0800
PLACE_LOCK = "place.lock"


def try_lock(descriptor: int) -> bool:
    """Take the lock of an open file if nobody holds it; False where somebody does, or where files have no locks."""
    system: Any = import_module("msvcrt")
    os.lseek(descriptor, 0, os.SEEK_SET)
    try:
        system.locking(descriptor, system.LK_NBLCK, 1)
    except OSError:
        return False
    return True


def wait_for_lock(descriptor: int) -> None:
    """Take the lock of an open file; go without where it is not to be had."""
    end = time.monotonic() + PATIENCE
    while not try_lock(descriptor) and time.monotonic() < end:
        time.sleep(PAUSE)


def user_mark() -> str:
    """Give what tells this user from others, in names of files."""
    return hashlib.sha256(getpass.getuser().encode()).hexdigest()[:8]


def is_mine(status: os.stat_result) -> bool:
    """Say whether a file belongs to this user: Python does not tell, and %TEMP% is the user's own."""
    return True


def is_closed_to_others(status: os.stat_result) -> bool:
    """Say whether nobody but its owner may read or change a file: the modes that Python shows do not tell."""
    return True


def is_running(pid: int) -> bool:
    """Say whether a process of this machine is there. (`os.kill` would end it.)"""
    kernel: Any = getattr(ctypes, "windll").kernel32  # noqa: B009  where there is no Windows, it has no such name
    handle = kernel.OpenProcess(QUERY, False, pid)
    if not handle:
        return bool(kernel.GetLastError() == ACCESS_DENIED)
    try:
        code = ctypes.c_ulong()
        return bool(kernel.GetExitCodeProcess(handle, ctypes.byref(code))) and code.value == STILL_ACTIVE
    finally:
        kernel.CloseHandle(handle)


def end_all(leader: int) -> None:
    """End a process and all that it started."""
    command = ["taskkill", "/T", "/F", "/PID", str(leader)]
    subprocess.run(command, capture_output=True, check=False)  # noqa: S603  a program of the system, and a number


def pause_all(leader: int) -> None:
    """Let a process stand still; what it started goes on."""
    _tell(leader, "NtSuspendProcess")


def resume_all(leader: int) -> None:
    """Let a process go on."""
    _tell(leader, "NtResumeProcess")


def _tell(pid: int, what: str) -> None:
    libraries: Any = getattr(ctypes, "windll")  # noqa: B009  where there is no Windows, it has no such name
    handle = libraries.kernel32.OpenProcess(SUSPEND_OR_RESUME, False, pid)
    if handle:
        getattr(libraries.ntdll, what)(handle)
        libraries.kernel32.CloseHandle(handle)


def limit_memory(n_bytes: int) -> None:
    """Let this process have so many bytes at most: there is no such limit for one that runs already."""


def synchronise(path: Path) -> None:
    """Wait until a file is on the disk; folders cannot be waited for, NTFS keeps a journal of them."""
    if path.is_dir():
        return
    descriptor = os.open(path, os.O_RDWR | CLOSED)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def allow_files(count: int) -> None:
    """Let this process open so many files: Windows sets no limit on connections that could be raised."""


class Place:
    """A folder and the lock of a file in it.

    Parameters
    ----------
    path : Path
        A folder; no link to one.
    """

    def __init__(self, path: Path) -> None:
        if path.is_symlink():
            raise NotADirectoryError(path)
        self._path = path
        self._descriptor = os.open(path / PLACE_LOCK, os.O_RDWR | os.O_CREAT | CLOSED)

    def status(self) -> os.stat_result:
        """Give whose it is and who may look into it."""
        return self._path.stat()

    def lock(self) -> None:
        """Wait until nobody else has the place."""
        wait_for_lock(self._descriptor)

    def names(self) -> list[str]:
        """Give the names of what it holds."""
        return [name for name in os.listdir(self._path) if name != PLACE_LOCK]

    def make_folder(self, name: str) -> None:
        """Make a folder in it, for the owner alone."""
        os.mkdir(self._path / name, 0o700)

    def open(self, name: str, flags: int) -> int:
        """Open a file in it."""
        return os.open(self._path / name, flags | CLOSED, 0o600)

    def close(self) -> None:
        """Give the lock back."""
        os.close(self._descriptor)
