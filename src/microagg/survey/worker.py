"""One stage of a survey in a process of its own: python -m microagg.survey.worker URL NAME STAGE [RECORDS]."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence

from microagg.errors import MicroaggError, StoreUnavailable
from microagg.survey.stages import run_base, run_rest
from microagg.survey.store import BASE, REST, owner_name
from microagg.survey.survey import Survey

STORE = "MICROAGG_STORE"
"""The environment variable that names the store where URL is -: an address may hold a password, and everybody on the
machine can see the arguments of a process."""
TRY_AGAIN = 75
"""The exit code of a worker whose store went away."""


def work(url: str, name: str, stage: str, n_records: int | None = None) -> bool:
    """Do a stage, if it is due and nobody else is at it.

    Parameters
    ----------
    url, name : str
        The store and the survey.
    stage : {"base", "rest"}
        What to do.
    n_records : int, optional
        How many answers the base stage takes, the first ones; all that are there by default.

    Returns
    -------
    bool
        False where it was not due, or somebody else is at it.
    """
    with Survey.open(url, name) as survey:
        owner = owner_name()
        if not survey.store.claim(survey.kept.id, stage, owner):
            return False
        if stage == BASE:
            run_base(survey.store, survey.kept, survey.definition, owner, n_records)
        else:
            run_rest(survey.store, survey.kept, survey.definition, owner)
        return True


def start(url: str, name: str, stage: str, n_records: int | None = None) -> subprocess.Popen[bytes]:
    """Start a worker that goes on when this process ends."""
    command = [sys.executable, "-m", "microagg.survey.worker", "-", name, stage]
    if n_records is not None:
        command.append(str(n_records))
    return subprocess.Popen(  # noqa: S603 - our own program
        command,
        env={**os.environ, STORE: url},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )


def main(arguments: Sequence[str]) -> int:
    """Do what the command line says; a stage that cannot be done has said so in the store."""
    url, name, stage, *records = arguments
    try:
        work(os.environ[STORE] if url == "-" else url, name, stage, int(records[0]) if records else None)
    except StoreUnavailable as problem:
        sys.stderr.write(f"microagg: {problem}\n")
        return TRY_AGAIN
    except (MicroaggError, MemoryError) as problem:
        sys.stderr.write(f"microagg: {problem}\n")
    return 0


if __name__ == "__main__":
    if len(sys.argv) not in {4, 5} or sys.argv[3] not in {BASE, REST}:
        sys.exit("usage: python -m microagg.survey.worker URL NAME base|rest [RECORDS]")
    sys.exit(main(sys.argv[1:]))
