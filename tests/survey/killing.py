"""Kills whoever works on a survey, at random moments: python killing.py URL FOLDER SEED KILLS.

This process touches no store itself, so that it can be forked at any moment; each role is played by a child. Batches
are logged when they are acknowledged, and the log is on the disk before the next one is sent.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import threading
import time
import traceback
from pathlib import Path

from answers import keys, records, small

from microagg.survey import Survey
from microagg.survey.scheduler import Scheduler
from microagg.survey.store import BASE
from microagg.survey.worker import work

BATCH = 20
LONGEST = 0.06
"""Seconds that a victim lives at most."""


class Child:
    """A process that plays one role; looks like a subprocess."""

    def __init__(self, play, *arguments) -> None:
        self.code: int | None = None
        self.pid = os.fork()
        if self.pid == 0:
            try:
                play(*arguments)
            except BaseException:  # noqa: BLE001 - a child must never return into its parent's code
                traceback.print_exc()
                os._exit(1)
            os._exit(0)

    def poll(self) -> int | None:
        if self.code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self.code = os.waitstatus_to_exitcode(status) if pid else None
        return self.code

    def wait(self) -> int:
        if self.code is None:
            self.code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self.code

    def kill(self) -> bool:
        """Kill it; False where it had come to its end."""
        if self.poll() is not None:
            return False
        os.kill(self.pid, signal.SIGKILL)
        return self.wait() == -signal.SIGKILL


def create(url) -> None:
    Survey.create(url, small())


def next_batch(log: Path) -> int:
    text = log.read_text() if log.exists() else ""
    # The last line may be torn.
    whole = text[: text.rfind("\n") + 1].split()
    return int(whole[-1]) + BATCH if whole else 0


def send(url, log: Path, batches=None) -> None:
    """Send batches for ever, or so many: the first is one that may have been taken before."""
    survey = Survey.open(url, "small", patience=60.0)
    start = next_batch(log)
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    while batches is None or batches > 0:
        survey.add(records(BATCH, start), keys(BATCH, start))
        os.write(descriptor, b"\n%d\n" % start)
        os.fsync(descriptor)
        start += BATCH
        batches = None if batches is None else batches - 1


def base(url) -> None:
    work(url, "small", BASE)


def close(url) -> None:
    Survey.open(url, "small", patience=60.0).close()


def schedule(url) -> None:
    def start(url, name, stage, n_records):
        return Child(work, url, name, stage, n_records)

    Scheduler(url, "small", start=start).run(threading.Event())


def finish(url, folder: Path) -> None:
    survey = Survey.open(url, "small")
    survey.release(folder / "released.csv")
    (folder / "status.json").write_text(json.dumps(survey.status().to_dict()))


def play(url, folder: Path, seed: int, kills: int) -> dict[str, int]:
    chance = random.Random(seed)  # noqa: S311
    log = folder / "acknowledged"
    assert Child(create, url).wait() == 0
    assert Child(send, url, log, 20).wait() == 0
    killed = {"send": 0, "base": 0, "close": 0, "schedule": 0, "finish": 0}

    def live_and_die(name, *role) -> None:
        child = Child(*role)
        time.sleep(chance.uniform(0.0, LONGEST))
        killed[name] += child.kill()

    while sum(killed.values()) < kills * 2 // 3:
        # A worker and a sender at a time; either may die first.
        worker = Child(base, url) if chance.random() < 0.4 else None
        live_and_die("send", send, url, log)
        killed["base"] += worker is not None and worker.kill()
    assert Child(send, url, log, 3).wait() == 0
    for _ in range(3):
        live_and_die("close", close, url)
    assert Child(close, url).wait() == 0
    while sum(killed.values()) < kills:
        if chance.random() < 0.7:
            live_and_die("schedule", schedule, url)
        else:
            live_and_die("finish", finish, url, folder)
    assert Child(schedule, url).wait() == 0
    assert Child(finish, url, folder).wait() == 0
    return killed


if __name__ == "__main__":
    json.dump(play(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])), sys.stdout)
