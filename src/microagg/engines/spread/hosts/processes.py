"""Processes of this machine: nothing to start, and all processors."""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import connection
from types import ModuleType
from typing import Any

from microagg.base.checks import check_threads
from microagg.errors import FileProblem

TRIES = 4
"""So often in a row workers may die before anything is done; more is no accident."""
AHEAD = 2
"""How many items wait for each worker: the others stay with the driver."""


class ProcessHost:
    """Runs everything in processes of its own; see `Host`.

    Parameters
    ----------
    workers : int, optional
        How many; all processors by default.
    """

    threads = 1

    def __init__(self, workers: int | None = None) -> None:
        self.workers = check_threads(workers)
        self._pool: ProcessPoolExecutor | None = None

    def map(self, function: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        """Run a function on each item; those of workers that died are run again."""
        waiting = list(range(len(items)))[::-1]
        running: dict[Future[Any], int] = {}
        deaths = 0
        try:
            while waiting or running:
                try:
                    while waiting and len(running) < AHEAD * self.workers:
                        running[self._submit(function, items[waiting[-1]])] = waiting[-1]
                        waiting.pop()
                    done, _ = wait(running, return_when=FIRST_COMPLETED)
                    for future in sorted(done, key=lambda each: running[each]):
                        result = future.result()
                        deaths = 0
                        yield running.pop(future), result
                except BrokenProcessPool as error:
                    self.close()
                    waiting = sorted({*waiting, *running.values()}, reverse=True)
                    running = {}
                    deaths += 1
                    if deaths == TRIES:
                        raise FileProblem(
                            f"workers died {TRIES} times in a row, for want of memory most likely: give less to each "
                            "cell (memory='500MB', --memory 500MB), or use fewer workers (threads=1, --threads 1)."
                        ) from error
        finally:
            for future in running:
                future.cancel()

    def _submit(self, function: Callable[[Any], Any], item: Any) -> Future[Any]:
        if self._pool is None:
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(self.workers, mp_context=context, initializer=_begin)
        with _without_main():  # a process may be started by any of them
            return self._pool.submit(function, item)

    def close(self) -> None:
        """End the processes."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None


def _begin() -> None:
    """Let a worker use one thread, as there are as many workers as processors, and end with the driver."""
    import pyarrow as pa

    pa.set_cpu_count(1)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Wait for the end of the driver: one that was killed cannot tell."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)


@contextmanager
def _without_main() -> Iterator[None]:
    """Start processes that do not run the user's script again: they need our modules alone."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main
