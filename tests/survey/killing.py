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
SPARED = 1.3
"""How many times as long as it takes to play its role a victim lives at most: some come to their end."""


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


def create(url, name) -> None:
    Survey.create(url, small(name))


def next_batch(log: Path) -> int:
    text = log.read_text() if log.exists() else ""
    # The last line may be torn.
    whole = text[: text.rfind("\n") + 1].split()
    return max(map(int, whole)) + BATCH if whole else 0


def send(url, name, log: Path, batches=None) -> None:
    """Send batches for ever, or so many: the first is one that may have been taken before."""
    survey = Survey.open(url, name, patience=60.0)
    start = next_batch(log)
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    while batches is None or batches > 0:
        survey.add(records(BATCH, start), keys(BATCH, start))
        os.write(descriptor, b"\n%d\n" % start)
        os.fsync(descriptor)
        start += BATCH
        batches = None if batches is None else batches - 1


def base(url, name) -> None:
    work(url, name, BASE)


def close(url, name) -> None:
    Survey.open(url, name, patience=60.0).close()


def schedule(url, name) -> None:
    def start(url, name, stage, n_records):
        return Child(work, url, name, stage, n_records)

    Scheduler(url, name, start=start).run(threading.Event())


def finish(url, name, folder: Path) -> None:
    survey = Survey.open(url, name)
    survey.release(folder / "released.csv")
    (folder / "status.json").write_text(json.dumps(survey.status().to_dict()))


def rehearse(url, folder: Path) -> dict[str, float]:
    """Play every role once, undisturbed, and give the seconds that each takes here and now."""
    name, log = "rehearsal", folder / "rehearsed"
    assert Child(create, url, name).wait() == 0
    seconds = {}
    roles = {
        "send": (send, url, name, log, 20),
        "base": (base, url, name),
        "close": (close, url, name),
        "schedule": (schedule, url, name),
        "finish": (finish, url, name, folder),
    }
    for role, what in roles.items():
        begin = time.perf_counter()
        assert Child(*what).wait() == 0
        seconds[role] = time.perf_counter() - begin
    return seconds


def play(url, folder: Path, seed: int, kills: int) -> dict[str, int]:
    chance = random.Random(seed)  # noqa: S311
    name, log = "small", folder / "acknowledged"
    seconds = rehearse(url, folder)
    assert Child(create, url, name).wait() == 0
    assert Child(send, url, name, log, 20).wait() == 0
    killed = dict.fromkeys(seconds, 0)

    def live_and_die(role, play, *more) -> None:
        child = Child(play, url, name, *more)
        time.sleep(chance.uniform(0.0, SPARED * seconds[role]))
        killed[role] += child.kill()

    while sum(killed.values()) < kills * 2 // 3:
        # Somebody sends meanwhile, and dies too.
        sender = Child(send, url, name, log)
        live_and_die(*(("base", base) if chance.random() < 0.4 else ("send", send, log)))
        killed["send"] += sender.kill()
    assert Child(send, url, name, log, 3).wait() == 0
    for _ in range(3):
        live_and_die("close", close)
    assert Child(close, url, name).wait() == 0
    while sum(killed.values()) < kills:
        live_and_die(*(("schedule", schedule) if chance.random() < 0.7 else ("finish", finish, folder)))
    assert Child(schedule, url, name).wait() == 0
    assert Child(finish, url, name, folder).wait() == 0
    return killed


if __name__ == "__main__":
    json.dump(play(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])), sys.stdout)
