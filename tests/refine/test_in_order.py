"""Tasks on threads: what is taken, and when, hangs on numbers alone."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from microagg.refine.in_order import NumberedTask, Stopped, do_in_order


def history(threads: int, n_tasks: int, seed: int) -> list[object]:
    """What tasks with work of random length see and give, where some are due much later than others."""
    lengths, seen, state = np.random.default_rng(seed), [], [0]

    def next_task(number: int) -> NumberedTask:
        start, nap = state[0], lengths.random() / 500

        def work() -> int:
            time.sleep(nap)
            return start + number

        def take(result: int) -> None:
            state[0] = (31 * state[0] + result) % 1_000_003

        seen.append(state[0])
        return NumberedTask(work, take, number + (40 if number % 7 == 3 else 5))

    do_in_order(next_task, n_tasks=n_tasks, seconds=600.0, threads=threads, stop=lambda: None)
    return [*seen, state[0]]


def test_threads_and_the_length_of_work_change_nothing() -> None:
    assert history(1, 60, seed=0) == history(4, 60, seed=1)


def test_fewer_tasks_are_the_beginning_of_more() -> None:
    more = history(3, 80, seed=0)
    for n_tasks in (1, 6, 50):
        assert history(3, n_tasks, seed=2) == more[: n_tasks + 1]


def test_all_threads_work_at_the_same_time() -> None:
    """A task waits for three others, so it would never end if they were done one by one."""
    together = threading.Barrier(4, timeout=60)
    numbers: list[int] = []
    do_in_order(
        lambda number: NumberedTask(lambda: together.wait() and number, lambda _: numbers.append(number), number + 4),
        n_tasks=11,
        seconds=60.0,
        threads=4,
        stop=lambda: None,
    )
    assert numbers == list(range(8))  # the others are due later than the end


def test_what_is_not_done_in_time_is_dropped_with_all_that_comes_after_it() -> None:
    ended = threading.Event()
    taken: list[int] = []

    def next_task(number: int) -> NumberedTask:
        def work() -> None:
            if number == 3:
                ended.wait(60)
                raise Stopped

        return NumberedTask(work, lambda _: taken.append(number), number + 3)

    do_in_order(next_task, n_tasks=None, seconds=0.3, threads=2, stop=ended.set)
    assert taken == [0, 1, 2]


@pytest.mark.parametrize("where", ["work", "take", "progress"])
def test_errors_pass_through_and_end_the_others(where: str) -> None:
    ended = threading.Event()

    def fail(*_: object) -> None:
        raise RuntimeError("no")

    def next_task(number: int) -> NumberedTask:
        work = fail if where == "work" and number == 2 else lambda: None
        return NumberedTask(work, fail if where == "take" else lambda _: None, number + 1)

    with pytest.raises(RuntimeError, match="no"):
        do_in_order(
            next_task,
            n_tasks=None,
            seconds=600.0,
            threads=2,
            stop=ended.set,
            progress=fail if where == "progress" else None,
        )
    assert ended.is_set()
