"""Run the parts: `make fuzz CASES=2000`, or `PYTHONPATH=tests python -m fuzz --only releases --seed 17 --cases 1`.

Cases are numbered; everything in a case follows from its part and its number. Each runs in a process of its own with
bounded memory, which is ended where a case takes too long: whoever hangs or crashes is found too.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import resource
import selectors
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from fuzz.known import KNOWN
from fuzz.parts import Failure, Told

PARTS = {"releases": 60, "reports": 10, "files": 20, "requests": 9, "kills": 1}
"""The parts, and their shares of the cases in percent."""
MEMORY = 6 << 30
"""Bytes that a case may address."""
PATIENCE = 300.0
"""Seconds without a word after which a process is ended: far beyond what any case needs."""
SHARD = 100
"""Cases that one process takes."""


@dataclass(frozen=True)
class Found:
    """A failure, and the case that found it."""

    part: str
    number: int
    failure: Failure

    @property
    def command(self) -> str:
        return f"PYTHONPATH=tests .venv/bin/python -m fuzz --only {self.part} --seed {self.number} --cases 1"


def known(kind: str) -> str | None:
    """Say why a class of failures is known, or None."""
    return next((why for begin, why in KNOWN.items() if kind.startswith(begin)), None)


def work(part: str, numbers: Sequence[int]) -> None:
    """Run cases in this process, and print a line of JSON for each, flushed: what the parent process reads."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    module = importlib.import_module(f"fuzz.{part}")
    told = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever else is printed must not be taken for results
    for number, ended, failures in module.run(numbers, Path.cwd()):
        told.write(json.dumps([number, ended, [asdict(failure) for failure in failures]]) + "\n")
        told.flush()
        shutil.rmtree(Path.cwd() / str(number), ignore_errors=True)


def supervise(part: str, numbers: Sequence[int], patience: float = PATIENCE) -> Iterator[Told]:
    """Have cases run in processes; where one ends early or takes too long, its case failed and the next ones go on."""
    waiting = list(numbers)
    while waiting:
        with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
            call = f"from fuzz.run import work; work({part!r}, {waiting!r})"
            errors = Path(folder, "stderr")
            with errors.open("wb") as stderr:
                process = subprocess.Popen(
                    [sys.executable, "-c", call],
                    stdout=subprocess.PIPE,
                    stderr=stderr,
                    cwd=folder,
                    env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
                )
            assert process.stdout is not None
            try:
                for line in lines(process, patience):
                    number, ended, found = json.loads(line)
                    waiting.remove(number)
                    yield number, ended, [Failure(**failure) for failure in found]
                late = process.poll() is None
            finally:
                process.kill()
                code = process.wait()
                process.stdout.close()
            if waiting and (late or code):
                last = errors.read_text(errors="replace").strip().splitlines()[-1:]
                kind = "hang" if late else f"crash:{last[0][:80] if last and code > 0 else code}"
                words = f"{patience:.0f} s without a result" if late else " ".join(last)
                yield waiting.pop(0), kind.partition(":")[0], [Failure(kind, words)]


def lines(process: subprocess.Popen[bytes], patience: float) -> Iterator[bytes]:
    """Give the lines that a process prints, until it ends or is silent for too long."""
    assert process.stdout is not None
    buffer = b""
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while selector.select(patience):
            some = os.read(process.stdout.fileno(), 1 << 16)
            if not some:
                process.wait()
                return
            *whole, buffer = (buffer + some).split(b"\n")
            yield from whole


def fuzz(
    parts: dict[str, Sequence[int]],
    jobs: int = 1,
    patience: float = PATIENCE,
    tell: Callable[[str], object] = lambda _: None,
) -> tuple[dict[str, Counter[str]], list[Found]]:
    """Run cases of some parts; gives how many ended how, and what they found."""
    shards = [(part, numbers[i : i + SHARD]) for part, numbers in parts.items() for i in range(0, len(numbers), SHARD)]
    ran: dict[str, Counter[str]] = {part: Counter() for part in parts}
    found: list[Found] = []

    def take(shard: tuple[str, Sequence[int]]) -> None:
        part, numbers = shard
        for number, ended, failures in supervise(part, numbers, patience):
            ran[part][ended] += 1
            found.extend(Found(part, number, failure) for failure in failures)
        tell(f"{part}: {ran[part].total()} of {len(parts[part])} cases, {len(found)} failures in all\n")

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(take, shards))
    return ran, sorted(found, key=lambda item: (item.part, item.number))


def shares(cases: int, seed: int, only: Sequence[str]) -> dict[str, Sequence[int]]:
    """Divide cases among parts; one part alone gets all of them."""
    chosen = {part: share for part, share in PARTS.items() if not only or part in only}
    counts = {part: max(1, round(cases * share / sum(chosen.values()))) for part, share in chosen.items()}
    return {part: range(seed, seed + count) for part, count in counts.items()}


def main() -> None:
    parser = argparse.ArgumentParser(prog="fuzz", description="Generated cases against what microagg promises.")
    parser.add_argument("--cases", type=int, default=2000, help="how many, of all parts together")
    parser.add_argument("--seed", type=int, default=0, help="the number of the first case of each part")
    parser.add_argument("--only", choices=list(PARTS), action="append", help="this part alone; repeatable")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="processes at a time")
    asked = parser.parse_args()
    start = time.perf_counter()
    ran, found = fuzz(shares(asked.cases, asked.seed, asked.only or ()), asked.jobs, tell=sys.stderr.write)
    say = sys.stdout.write
    for part, ended in ran.items():
        say(f"{part}: {ended.total()} cases ({', '.join(f'{count} {word}' for word, count in ended.most_common())})\n")
    say(f"{sum(ended.total() for ended in ran.values())} cases in {time.perf_counter() - start:.0f} s\n")
    by_kind: dict[str, list[Found]] = {}
    for item in found:
        by_kind.setdefault(item.failure.kind, []).append(item)
    for kind, items in sorted(by_kind.items(), key=lambda pair: (known(pair[0]) is not None, pair[0])):
        why = known(kind)
        say(f"\n{'known' if why else 'NEW'}: {kind}, {len(items)} cases{f' ({why})' if why else ''}\n")
        say(f"  {items[0].failure.words}\n  {items[0].command}\n")
    sys.exit(1 if any(known(kind) is None for kind in by_kind) else 0)
