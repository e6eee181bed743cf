"""A private PostgreSQL server for tests, from what is installed on this machine."""

from __future__ import annotations

import glob
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import psycopg
import pytest


def binaries() -> Path:
    """The folder with postgres and initdb; skips where there is none."""
    found = shutil.which("postgres")
    named = [Path(found).resolve().parent] if found else []
    for folder in [*named, *sorted(map(Path, glob.glob("/usr/lib/postgresql/*/bin")), reverse=True)]:
        if (folder / "postgres").exists() and (folder / "initdb").exists():
            return folder
    pytest.skip("PostgreSQL is not installed: no postgres on the PATH or in /usr/lib/postgresql/*/bin")


def other_user() -> dict:
    """How to run the server, which refuses to be root: as postgres or nobody."""
    if os.geteuid() != 0:
        return {}
    known = {entry.pw_name: entry for entry in pwd.getpwall()}
    entry = known.get("postgres") or known.get("nobody")
    if entry is None:
        pytest.skip("PostgreSQL refuses to run as root, and there is neither a user postgres nor nobody")
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


def roomy_memory() -> str | None:
    """A folder in memory where there is one with room, which spares the disk; a killed process loses nothing there."""
    memory = Path("/dev/shm")  # noqa: S108
    if memory.is_dir() and os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > 2**31:
        return str(memory)
    return None


class Server:
    """A server that listens on a socket in a private folder; commits wait for the disk, as always."""

    def __init__(self) -> None:
        self.binaries, self.user = binaries(), other_user()
        # Not below pytest's folder: another user may not look into that, and names of sockets are short.
        self.folder = Path(tempfile.mkdtemp(prefix="mapg-", dir=roomy_memory()))
        if self.user:
            os.chown(self.folder, self.user["user"], self.user["group"])
        command = [self.binaries / "initdb", "-D", self.folder / "data", "-U", "microagg", "-A", "trust", "-N"]
        subprocess.run(
            [*command, "-E", "UTF8", "--no-locale"], check=True, capture_output=True, cwd=self.folder, **self.user
        )
        self.databases = 0
        self.start()

    def start(self) -> None:
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [self.binaries / "postgres", "-D", self.folder / "data", "-k", self.folder, "-h", ""],
                stdout=log,
                stderr=log,
                cwd=self.folder,
                **self.user,
            )
        for _ in range(600):
            try:
                psycopg.connect(self.url("postgres")).close()
            except psycopg.OperationalError:
                assert self.process.poll() is None, (self.folder / "log").read_text()
                time.sleep(0.05)
            else:
                return
        raise AssertionError("the server did not come up")

    def stop(self, *, crash: bool = False) -> None:
        """End it; a crash leaves everything as it lies."""
        self.process.send_signal(signal.SIGQUIT if crash else signal.SIGINT)
        self.process.wait()

    def url(self, database: str) -> str:
        return f"postgresql://microagg@/{database}?host={self.folder}"

    def new_database(self) -> str:
        self.databases += 1
        name = f"test{self.databases}"
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return self.url(name)

    def remove(self) -> None:
        self.stop(crash=True)
        shutil.rmtree(self.folder, ignore_errors=True)
