"""Releases that are killed at any moment: all of their files are in place or none, and no raw data are left lying."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

from fuzz.generators import chance_of, word
from fuzz.parts import Failure, Told

NAME = "kills"
SIGNALS = {"SIGKILL": 8, "SIGTERM": 4, "SIGINT": 4}
TARGETS = ("released.csv", "report.html", "report.json", "plan.toml")
OLD = b"what was here before\n"
RECORDS = 3000
PATIENCE = 300.0


def run(numbers: Iterable[int], folder: Path) -> Iterator[Told]:
    times: dict[bool, float] = {}
    for number in numbers:
        place = folder / str(number)
        place.mkdir(parents=True)
        yield number, *case(number, place, times)


def case(number: int, folder: Path, times: dict[bool, float]) -> tuple[str, list[Failure]]:
    chance = chance_of(NAME, number)
    cells = chance.random() < 0.4
    secret = word(chance, 14)
    source, work = folder / "input.csv", folder / "work"
    work.mkdir()
    lines = [f"{chance.gauss(50, 20):.9f},{chance.gauss(0, 1):.9f},{secret}{i}" for i in range(RECORDS)]
    # Text in another encoding is copied before it is read.
    encoding = chance.choice(["utf-8", "cp1252", "cp1252"])
    source.write_text("\n".join(["a,b,who", *lines[:-1], f"{lines[-1]}é"]) + "\n", encoding=encoding)
    if cells not in times:
        begin = time.perf_counter()
        start(folder, source, cells).wait(PATIENCE)
        times[cells] = time.perf_counter() - begin
    for name in TARGETS:
        (work / name).write_bytes(OLD)
    # The old plan is no plan; a run that reads it says so and goes on.
    (work / "plan.toml").write_bytes(b"# " + OLD)
    process = start(folder, source, cells)
    named = chance.choices(list(SIGNALS), list(SIGNALS.values()))[0]
    if chance.random() < 0.5:
        pause(process, chance.uniform(0.0, 1.2 * times[cells]))
    else:
        first_change(process, work)
        pause(process, chance.uniform(0.0, 0.05))
    process.send_signal(getattr(signal, named))
    out, err = process.communicate(timeout=PATIENCE)
    failures = [*whole_or_old(work, named, out, err)]
    # Python itself is interrupted where nothing of ours has begun.
    begun = b"KeyboardInterrupt" not in err or b"in main" in err
    if named != "SIGKILL" and b"Traceback" in err and begun:
        failures.append(Failure(f"traceback:{err.strip().splitlines()[-1].decode()[:60]}@{named}", err[-200:].decode()))
    raw = [line.split(",")[0] for line in lines[:400]]
    if named != "SIGKILL":
        failures += left(folder, work, secret, raw, f"after {named}")
    else:
        failures += private(folder, work)
    other = folder / "next"
    other.mkdir()
    start(folder, source, False, other).communicate(timeout=PATIENCE)
    failures += left(folder, work, secret, raw, "after the next start", besides=other)
    if named == "SIGKILL":
        start(folder, source, False).communicate(timeout=PATIENCE)
        failures += [Failure("set_aside", str(path)) for path in work.iterdir() if path.suffix == ".old"]
    return named, failures


def start(folder: Path, source: Path, cells: bool, work: Path | None = None) -> subprocess.Popen[bytes]:
    """Start a release that writes everything there is to write, with all temporary places inside the folder."""
    work = work or folder / "work"
    places = {name: folder / name for name in ("TMPDIR", "HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME")}
    for place in places.values():
        place.mkdir(exist_ok=True, mode=0o700)
    arguments = ["anonymize", str(source), "-k", "4", "--quasi", "a,b", "--drop", "who", "--json"]
    for flag, name in zip(("-o", "--report", "--report", "--save-plan"), TARGETS, strict=True):
        arguments += [flag, str(work / name)]
    return subprocess.Popen(
        [sys.executable, "-m", "microagg", *arguments, *(["--memory", "1MB"] if cells else [])],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **{name: str(place) for name, place in places.items()}},
    )


def pause(process: subprocess.Popen[bytes], seconds: float) -> None:
    end = time.perf_counter() + seconds
    while process.poll() is None and time.perf_counter() < end:
        time.sleep(0.0005)


def first_change(process: subprocess.Popen[bytes], work: Path) -> None:
    """Wait until the first of the targets is another file."""
    before = {name: (work / name).stat().st_ino for name in TARGETS}
    while process.poll() is None and all((work / name).stat().st_ino == before[name] for name in TARGETS):
        time.sleep(0.0005)


def whole_or_old(work: Path, named: str, out: bytes, err: bytes) -> Iterator[Failure]:
    """All targets are what they were, or all are new and whole."""
    new = []
    for name in TARGETS:
        content = (work / name).read_bytes()
        is_old = OLD in content and len(content) < 100
        if not is_old:
            new.append(name)
            if not is_whole(name, content):
                yield Failure(f"half:{name}", f"{named}, {len(content)} bytes")
    # A kill between two renames is the one thing that nobody can wait for: docs/promises.md says what it leaves.
    between = named == "SIGKILL" and any(set_aside(path) for path in work.iterdir())
    if 0 < len(new) < len(TARGETS) and not between:
        yield Failure(f"some_targets:{named}", f"{', '.join(new)} new, the others not")
    if new and b"nothing was written" in err.lower():
        yield Failure("misleading", f"{named}: {', '.join(new)} written, and it says {err[-120:]!r}")


def is_whole(name: str, content: bytes) -> bool:
    try:
        if name.endswith(".json"):
            json.loads(content)
            return True
        if name.endswith(".toml"):
            tomllib.loads(content.decode())
            return True
    except ValueError:
        return False
    return content.rstrip().endswith(b"</html>") if name.endswith(".html") else content.count(b"\n") == RECORDS + 1


def set_aside(path: Path) -> bool:
    """A second name of what lay at a target before; the next release into that folder removes it."""
    return path.suffix == ".old" and path.read_bytes().removeprefix(b"# ") == OLD


def others(folder: Path, work: Path) -> list[Path]:
    """Everything that was written beside the targets."""
    return [
        path for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink() and path != folder / "input.csv"
        and not (path.parent == work and (path.name in TARGETS or set_aside(path)))
    ]  # fmt: skip


def left(
    folder: Path, work: Path, secret: str, raw: list[str], when: str, besides: Path | None = None
) -> list[Failure]:
    """Raw data that lie somewhere."""
    found = []
    for path in others(folder, work):
        if besides is not None and besides in path.parents:
            continue
        content = path.read_bytes()
        # What was to become a target holds the release, the report or the plan.
        beside = path.parent == work and path.suffix == ".part"
        named = not beside and any(part in str(path.relative_to(folder)) for part in (".microagg", "spool", "cells"))
        if content and (named or secret.encode() in content or any(value.encode() in content for value in raw)):
            found.append(f"{path.relative_to(folder)} ({len(content)} bytes)")
    return [Failure(f"raw_left:{when}", ", ".join(found)[:300])] if found else []


def private(folder: Path, work: Path) -> list[Failure]:
    """What a killed process leaves must lie in one place that nobody else may look into."""
    found = []
    places = set()
    for path in others(folder, work):
        if not path.stat().st_size:
            continue
        inner = path.relative_to(folder).parts
        if path.parent != work:
            places.add(inner[:2])
        folders = [folder.joinpath(*inner[:i]) for i in range(2, len(inner) + 1)]
        if not any(place.stat().st_mode & 0o077 == 0 for place in folders):
            found.append("/".join(inner))
    failures = [Failure("not_private", f"{', '.join(found)[:200]} may be read by others")] if found else []
    if len(places) > 1:
        failures.append(Failure("several_places", ", ".join("/".join(place) for place in sorted(places))))
    return failures
