"""The process of a job: reads what to do from its input, tells of it on its output, ends with its studio.

>>> from microagg.studio.worker import JobTask
>>> JobTask(print, None)(0.5)
progress 0.5
"""

from __future__ import annotations

import importlib
import os
import pickle
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from microagg.errors import MicroaggError
from microagg.files import system

FAULT = "Something went wrong in microagg itself ({kind} at {where}). Please report it."


class JobTask:
    """What a function that does a job is given, beside its arguments; flows take it as their `progress`.

    Attributes
    ----------
    scratch : Path or None
        A folder for temporary files, which goes with the job.
    """

    def __init__(self, tell: Callable[[str, Any], object], scratch: Path | None) -> None:
        self._tell = tell
        self.scratch = scratch

    def __call__(self, fraction: float) -> None:
        """Say how much is done, 0 to 1."""
        self._tell("progress", float(fraction))

    def tell_loss(self, loss: float) -> None:
        """Say what loss has been reached, in percent."""
        self._tell("loss", float(loss))

    def note(self, name: str, value: Any) -> None:
        """Say something of the work on the way."""
        self._tell("note", (name, value))


def main() -> None:
    """Do one job."""
    pipe_in, pipe_out = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    # What a library may print must not get between the messages.
    sys.stdout = sys.stderr
    os.dup2(2, 1)
    try:
        import microagg.studio.work.candidates
        import microagg.studio.work.looks  # noqa: F401 - what most jobs need is there before they come

        work, arguments, scratch, memory = pickle.load(pipe_in)  # noqa: S301 - from the studio
    except EOFError:
        return  # the studio ended without a job for this process
    os.environ["TMPDIR"] = scratch
    threading.Thread(target=_end_with_studio, args=(pipe_in,), daemon=True).start()
    if memory is not None:
        system.limit_memory(memory)
    lock = threading.Lock()

    def tell(what: str, value: Any) -> None:
        with lock:
            try:
                pickle.dump((what, value), pipe_out)
                pipe_out.flush()
            except BrokenPipeError:  # the studio was killed: nobody else ends what this process started
                system.end_all(os.getpid())

    try:
        module, _, name = work.partition(":")
        result = getattr(importlib.import_module(module), name)(JobTask(tell, Path(scratch)), **arguments)
        tell("done", result)
    except MicroaggError as problem:
        tell("failed", str(problem))
    except MemoryError:
        tell("failed", "There is not enough memory for this. Use fewer columns or records, or another method.")
    except Exception as problem:  # noqa: BLE001 - the words of an unforeseen error may hold data: they stay here
        trace = problem.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        where = "nowhere" if trace is None else f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"
        tell("failed", FAULT.format(kind=type(problem).__name__, where=where))


def _end_with_studio(pipe: IO[bytes]) -> None:
    """Wait for the end of the studio, then end this process and all that it started."""
    pipe.read()
    system.end_all(os.getpid())


if __name__ == "__main__":
    main()
