"""How errors that nobody foresaw are logged by what serves others."""

from __future__ import annotations

import logging
import traceback
from pathlib import Path


def log_fault(log: logging.Logger, problem: BaseException, what: str) -> None:
    """Log where an error arose and its kind, never its words, which may hold values of records.

    Parameters
    ----------
    log : Logger
        Where to.
    problem : exception
        The error.
    what : str
        What failed, for people.
    """
    places = [
        f"{Path(frame.filename).name}:{frame.lineno} {frame.name}"
        for frame in traceback.extract_tb(problem.__traceback__)
    ]
    log.error("%s failed: %s at %s", what, type(problem).__name__, " < ".join(reversed(places)))
