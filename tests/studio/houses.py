"""Studios for tests: in this process with a client at the door, or as a program of its own."""

from __future__ import annotations

import asyncio
import csv
import os
import signal
import subprocess
import sys
import time

import httpx
import numpy as np

from microagg.studio.app import create_app
from microagg.studio.guard import Keys, rules_of
from microagg.studio.house import Settings, Studio

PORT = 8765
ORIGIN = f"http://127.0.0.1:{PORT}"
TOKEN = "token-" + "x" * 30
OWN = {"origin": ORIGIN, "x-studio": "1", "sec-fetch-site": "same-origin"}
"""What our own pages send with everything that they change."""


def write_people(path, n_records=120, more=()):
    """Write a file of people: an identifier, numbers, categories, something confidential."""
    rng = np.random.default_rng(0)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["person_id", "age", "height", "region", "diagnosis", *more])
        for i in range(n_records):
            row = [f"A{1000 + i}", rng.integers(18, 90), rng.integers(150, 200), "NSEW"[i % 4], ["flu", "gout"][i % 2]]
            writer.writerow([*row, *(rng.integers(0, 9) for _ in more)])
    return path


class Browser:
    """Asks an app as a browser does, without a network; keeps its cookies."""

    def __init__(self, app):
        self._app = app
        self.cookies = httpx.Cookies()

    def get(self, path, **asked):
        return asyncio.run(self._ask("GET", path, **asked))

    def post(self, path, **asked):
        return asyncio.run(self._ask("POST", path, **asked))

    async def _ask(self, method, path, content=None, **asked):
        transport = httpx.ASGITransport(self._app, raise_app_exceptions=False)
        if content is not None and not isinstance(content, bytes):
            content = _in_pieces(content)
        async with httpx.AsyncClient(transport=transport, base_url=ORIGIN, cookies=self.cookies) as client:
            answer = await client.request(method, path, content=content, **asked)
            self.cookies = client.cookies
        return answer


async def _in_pieces(pieces):
    for piece in pieces:
        yield piece


class InProcess:
    """A studio in this process, and a browser that has entered."""

    def __init__(self, folder, projects, **settings):
        self.studio = Studio(Settings(folders=[folder], projects=projects, **settings))
        self.keys = Keys(TOKEN, "studio-test")
        self.app = create_app(self.studio, self.keys, rules_of(PORT))
        self.client = self.new_client()
        assert self.client.post("/door", json={"token": TOKEN}, headers=OWN).status_code == 200

    def new_client(self):
        """Give a browser that has no key."""
        return Browser(self.app)

    def post(self, path, content, **headers):
        """Post as our own pages do."""
        return self.client.post(path, json=content, headers={**OWN, **headers})

    def open(self, path, wait=True):
        """Open a file by its path; gives the project."""
        answer = self.post("/open", {"path": str(path)})
        assert answer.status_code == 200, answer.text
        project = self.studio.project("", answer.json()["go"].split("/")[2])
        if wait:
            self.wait(project)
        return project

    def wait(self, project):
        """Wait until nothing runs for a project."""
        wait_for(lambda: all(job.is_over for job in self.studio.jobs.of(project.id)))

    def close(self):
        self.studio.close()


def wait_for(condition, seconds=60):
    """Wait until something holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never came about"
        time.sleep(0.02)


def is_alive(process_id):
    """Say whether a process runs; one that is dead and not yet fetched does not."""
    try:
        with open(f"/proc/{process_id}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class Program:
    """A studio as a program of its own."""

    def __init__(self, *arguments, projects, folder):
        command = [sys.executable, "-m", "microagg", "studio", *map(str, arguments), "--no-browser", "--port", "0"]
        command += ["--projects", str(projects), "--folder", str(folder)]
        self.process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        self.address = self.process.stdout.readline().split()[1]

    def kill(self):
        """End it without a word."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self._close_pipes()

    def stop(self):
        """End it as Ctrl-C does; gives the exit code and what it said."""
        self.process.send_signal(signal.SIGINT)
        self.process.wait(20)
        said = self.process.stderr.read()
        self._close_pipes()
        return self.process.returncode, said

    def _close_pipes(self):
        self.process.stdout.close()
        self.process.stderr.close()


def arrive(page, selector, state="visible"):
    """Wait for a page by what it shows, and until its scripts listen: what is pressed earlier is lost."""
    page.locator(selector).first.wait_for(state=state, timeout=60_000)
    page.wait_for_load_state()
