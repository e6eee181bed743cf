"""What jobs of tests do: they run in processes of their own, which find this file by PYTHONPATH."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from microagg.errors import InvalidData


def add(task, one, other):
    task(0.5)
    task.tell_loss(12.5)
    return one + other


def refuse(task):
    raise InvalidData("column 'age' is empty.")


def fail(task):
    raise ValueError("record 7 holds 1954-02-03")


def last(task, mark):
    """Work until somebody ends it: with a temporary file, and a process of its own."""
    started = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    (task.scratch / "half").write_text("raw data")
    Path(mark).write_text(f"{os.getpid()} {started.pid} {task.scratch}")
    task(0.25)
    count = 0
    while True:
        count += 1
        task.note("count", count)
        time.sleep(0.01)


def take(task, size):
    return len(bytearray(size))
