"""What all parts share: failures, and how an error is told apart from a refusal."""

from __future__ import annotations

import contextlib
import io
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from microagg.errors import MicroaggError

PACKAGE = "microagg"


@dataclass(frozen=True)
class Failure:
    """What a case found: a class of failures, and words."""

    kind: str
    words: str

    @classmethod
    def of(cls, text: str) -> Failure:
        kind, _, words = text.partition(": ")
        return cls(kind, words)


Told = tuple[int, str, list[Failure]]
"""The number of a case, how it ended in a word, and what it found."""


@dataclass
class Outcome:
    """How a call ended: with a result, refused in one line, or in failures."""

    result: Any = None
    refused: str | None = None
    failures: list[Failure] | None = None


def place_of(error: BaseException) -> str:
    """Where in the package an error came up: file and function, without line numbers that change."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f"/{PACKAGE}/" in f.filename]
    if not frames:
        return "outside"
    last = frames[-1]
    return f"{last.filename.split(f'/{PACKAGE}/')[-1]}:{last.name}"


def attempt(call: Callable[[], Any]) -> Outcome:
    """Call something of microagg: only results and MicroaggErrors of one line are fine."""
    failures: list[Failure] = []
    outcome = Outcome(failures=failures)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            outcome.result = call()
        except MicroaggError as error:
            outcome.refused = str(error)
            if len(str(error).splitlines()) != 1:
                failures.append(Failure("message_lines", f"{str(error)!r:.200}"))
        except MemoryError:
            failures.append(Failure("memory", "the memory that is allowed did not suffice"))
        except BaseException as error:  # noqa: BLE001 - this is what is looked for
            failures.append(Failure(f"traceback:{type(error).__name__}@{place_of(error)}", f"{error!s:.200}"))
    for warning in caught:
        if issubclass(warning.category, RuntimeWarning) and f"/{PACKAGE}/" in warning.filename:
            where = warning.filename.split(f"/{PACKAGE}/")[-1]
            failures.append(Failure(f"warning:{where}", str(warning.message)))
    return outcome


@dataclass(frozen=True)
class Printed:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str


def command(*arguments: str) -> Printed:
    """Run a command in this process."""
    from microagg.cli import main

    out, err = io.StringIO(), io.StringIO()
    code = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(list(arguments))
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    return Printed(code, out.getvalue(), err.getvalue())


def files_in(*folders: Path) -> set[Path]:
    return {path for folder in folders if folder.exists() for path in folder.rglob("*")}


@contextlib.contextmanager
def temporary_place(folder: Path) -> Iterator[Path]:
    """Let everything that is temporary lie in a folder of the case."""
    import os
    import tempfile

    place = folder / "tmp"
    place.mkdir(exist_ok=True)
    before, old = tempfile.tempdir, os.environ.get("TMPDIR")
    tempfile.tempdir = str(place)
    os.environ["TMPDIR"] = str(place)
    try:
        yield place
    finally:
        tempfile.tempdir = before
        if old is None:
            os.environ.pop("TMPDIR", None)
        else:
            os.environ["TMPDIR"] = old
