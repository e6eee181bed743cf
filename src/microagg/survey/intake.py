"""Answers of many senders, written together: one thread, one transaction, everybody told when it is durable.

A disk makes a few hundred transactions durable in a second, and a service has to take thousands of answers. So what
arrives while one transaction is on its way waits for the next one and goes into it together, however many there are:

    submit: put the answers on the queue, give back a promise
    writer: give those who were just told a moment to send again, and take all that waits, up to `most_at_once` answers
            write them in one transaction
            keep the promises, or break all of them with what went wrong

The moment matters where few senders wait for each receipt before they send again: without it they fall into two halves,
each waiting for the transaction of the other, and twice as many transactions are made. It ends when all of them are
back, and a single sender is never kept waiting.

A store that cannot be reached for a while is tried again by the store itself, with the same keys; what arrives
meanwhile waits here.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from microagg.errors import StoreUnavailable
from microagg.survey.definition import Row
from microagg.survey.survey import Receipt

Write: TypeAlias = Callable[[Sequence[Row], Sequence[str]], Receipt]
"""Makes rows durable under their keys; the receipt says which keys were there before."""

MOMENT = 0.002
"""Seconds that senders who were just told are waited for at most."""


@dataclass(frozen=True, slots=True)
class _Submission:
    rows: Sequence[Row]
    keys: Sequence[str]
    promise: asyncio.Future[Receipt]


class Intake:
    """A queue before a store, filled from an event loop, emptied by one thread in as few transactions as it can.

    Parameters
    ----------
    write : callable
        Makes rows durable under their keys in one transaction, such as `Survey.add_rows`.
    loop : event loop
        Where those who submit wait.
    most_at_once : int
        Answers in one transaction; one submission is never divided.
    most_waiting : int
        Answers on the queue; more are refused, so that memory stays bounded when the store is slow.

    Examples
    --------
    >>> table = {}
    >>> def write(rows, keys):
    ...     repeats = tuple(place for place, key in enumerate(keys) if key in table)
    ...     table.update(zip(keys, rows))
    ...     return Receipt(len(keys) - len(repeats), len(repeats), repeats)
    >>> async def send():
    ...     intake = Intake(write, asyncio.get_running_loop())
    ...     print(await intake.submit([(31, 1200.0), (45, 2500.0)], ["a", "b"]))
    ...     print(await intake.submit([(31, 1200.0)], ["a"]))
    ...     intake.close()
    >>> asyncio.run(send())
    Receipt(accepted=2, repeated=0, repeats=())
    Receipt(accepted=0, repeated=1, repeats=(0,))
    """

    def __init__(
        self,
        write: Write,
        loop: asyncio.AbstractEventLoop,
        *,
        most_at_once: int = 10_000,
        most_waiting: int = 200_000,
    ) -> None:
        self._write = write
        self._loop = loop
        self._most_at_once = most_at_once
        self._most_waiting = most_waiting
        self._queue: deque[_Submission] = deque()
        self._n_waiting = 0
        self._n_expected = 1
        self._closed = False
        self._changed = threading.Condition()
        self._writer = threading.Thread(target=self._run, name="intake", daemon=True)
        self._writer.start()

    @property
    def n_waiting(self) -> int:
        """Answers that are on the queue or being written."""
        return self._n_waiting

    def submit(self, rows: Sequence[Row], keys: Sequence[str]) -> asyncio.Future[Receipt]:
        """Queue checked answers, from the loop; the future gives their receipt once they are durable.

        Raises
        ------
        StoreUnavailable
            The queue is full, or closed.
        """
        promise: asyncio.Future[Receipt] = self._loop.create_future()
        with self._changed:
            if self._closed:
                raise StoreUnavailable("the service is stopping and takes no more answers; send them again later.")
            if self._n_waiting and self._n_waiting + len(rows) > self._most_waiting:
                raise StoreUnavailable(
                    f"more answers are waiting to be written than the queue holds ({self._most_waiting:,}); "
                    "send them again in a moment."
                )
            self._n_waiting += len(rows)
            self._queue.append(_Submission(rows, keys, promise))
            if len(self._queue) >= self._n_expected:
                self._changed.notify()
        return promise

    def close(self) -> None:
        """Write what waits, then stop; nothing is taken any more."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._writer.join()

    def _run(self) -> None:
        while taken := self._take():
            # What was given up while it waited is left out: nobody has been told that it was taken.
            wanted = [submission for submission in taken if not submission.promise.cancelled()]
            outcomes: Sequence[Receipt | Exception]
            try:
                outcomes = self._keep(wanted)
            except Exception as problem:  # noqa: BLE001 - whatever it is, those who wait must hear of it
                outcomes = [problem] * len(wanted)
            with self._changed:
                self._n_waiting -= sum(len(submission.rows) for submission in taken)
                self._n_expected = len(self._queue) + len(taken)
            # All of them at once: every call wakes the loop up.
            self._loop.call_soon_threadsafe(_tell, wanted, outcomes)

    def _take(self) -> list[_Submission]:
        """Wait for answers; nothing at all means that the intake is closed and everything is written."""
        with self._changed:
            if self._n_expected > 1:
                self._changed.wait_for(lambda: self._closed or len(self._queue) >= self._n_expected, MOMENT)
                self._n_expected = 1
            self._changed.wait_for(lambda: self._closed or self._queue)
            taken: list[_Submission] = []
            size = 0
            while self._queue and (not taken or size + len(self._queue[0].rows) <= self._most_at_once):
                taken.append(self._queue.popleft())
                size += len(taken[-1].rows)
            return taken

    def _keep(self, submissions: Sequence[_Submission]) -> list[Receipt]:
        """Write all answers together, and give each sender its part of the receipt."""
        rows = [row for submission in submissions for row in submission.rows]
        keys = [key for submission in submissions for key in submission.keys]
        repeats = iter(self._write(rows, keys).repeats if rows else ())
        repeat = next(repeats, len(rows))
        receipts = []
        begin = 0
        for submission in submissions:
            end, own = begin + len(submission.rows), []
            while repeat < end:
                own.append(repeat - begin)
                repeat = next(repeats, len(rows))
            receipts.append(Receipt(end - begin - len(own), len(own), tuple(own)))
            begin = end
        return receipts


def _tell(submissions: Sequence[_Submission], outcomes: Sequence[Receipt | Exception]) -> None:
    for submission, outcome in zip(submissions, outcomes, strict=True):
        if submission.promise.done():
            continue
        if isinstance(outcome, Exception):
            submission.promise.set_exception(outcome)
        else:
            submission.promise.set_result(outcome)
