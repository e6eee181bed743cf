"""Many tasks, done by several threads, whose results are taken in an order that no thread changes."""

from __future__ import annotations

import heapq
import itertools
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

from microagg.base.progress import Progress


class Stopped(Exception):
    """Raised by the work of a task that was told to stop before its end."""


@dataclass(frozen=True)
class NumberedTask:
    """Work for any thread, and what becomes of its result.

    Attributes
    ----------
    work : callable
        Done on one of the threads; it may use nothing that a result changes.
    take : callable
        Told the result, on the calling thread.
    due : int
        The number of the task before which the result is taken: larger than that of this one.
    """

    work: Callable[[], Any]
    take: Callable[[Any], None]
    due: int


def do_in_order(
    next_task: Callable[[int], NumberedTask],
    *,
    n_tasks: int | None,
    seconds: float,
    threads: int,
    stop: Callable[[], None],
    progress: Progress | None = None,
) -> None:
    """Do tasks 0, 1, 2, ... until the time is over or all are done.

    A task is made when everything that is due before it has been taken. Results are taken in the order of (due,
    number). So each task, and each result, is the same on any number of threads and however long they take; and what
    fewer tasks or less time give is what more of it went through on its way. No thread waits for another one as long as
    tasks leave time until they are due.

    Parameters
    ----------
    next_task : callable
        Gives the task of a number.
    n_tasks : int, optional
        End before the task of this number: what is due later is not done. Without it, only the time ends it.
    seconds : float
        Then all are told to stop. What is done by then is taken, up to the first in the order that is not.
    threads : int
        How many tasks to do at the same time.
    stop : callable
        Makes the work of all tasks end soon; called once at the end, too.
    progress : callable, optional
        Told the fraction done, from the first result on, about ten times a second. What it raises ends everything.

    Examples
    --------
    >>> taken = []
    >>> def next_task(number):
    ...     return NumberedTask(lambda: number**2, taken.append, due=number + 1)
    >>> do_in_order(next_task, n_tasks=4, seconds=60.0, threads=2, stop=lambda: None)
    >>> taken
    [0, 1, 4, 9]
    """
    began = time.monotonic()
    every, told_at, n_taken = getattr(progress, "every", 0.1), began, 0
    under_way: list[tuple[int, int, Future[Any], NumberedTask]] = []

    def left() -> float:
        return began + seconds - time.monotonic()

    def tell() -> None:
        nonlocal told_at
        if progress is None or n_taken == 0 or time.monotonic() - told_at < every:
            return
        told_at = time.monotonic()
        progress(min(number / n_tasks if n_tasks else (told_at - began) / seconds, 1.0))

    def take_first() -> None:
        nonlocal n_taken
        _, _, future, task = heapq.heappop(under_way)
        task.take(future.result())
        n_taken += 1

    executor = ThreadPoolExecutor(threads, thread_name_prefix="microagg-search")
    try:
        for number in itertools.count():
            while under_way and under_way[0][0] <= number and left() > 0.0:
                if wait([under_way[0][2]], timeout=min(every or 0.1, left())).done:
                    take_first()
                tell()
            if number == n_tasks or not left() > 0.0:
                break
            task = next_task(number)
            if n_tasks is None or task.due <= n_tasks:
                heapq.heappush(under_way, (task.due, number, executor.submit(task.work), task))
        stop()
        while n_tasks is None and under_way and under_way[0][2].done() and under_way[0][2].exception() is None:
            take_first()
    except Stopped:
        pass
    finally:
        stop()
        executor.shutdown(cancel_futures=True)
