"""The queue before the store: everything once, together where it can be, and bad news to all who wait."""

from __future__ import annotations

import asyncio
import functools
import threading
from contextlib import asynccontextmanager

import pytest

from microagg.errors import StoreUnavailable, SurveyClosed
from microagg.survey.intake import Intake
from microagg.survey.survey import Receipt


class Table:
    """A store in memory that counts its transactions and can be held up."""

    def __init__(self):
        self.kept = {}
        self.sizes = []
        self.threads = set()
        self.begun = threading.Event()
        self.go = threading.Event()
        self.go.set()
        self.problem = None

    def write(self, rows, keys):
        self.begun.set()
        self.go.wait()
        if self.problem:
            raise self.problem
        self.threads.add(threading.get_ident())
        self.sizes.append(len(rows))
        repeats = []
        for place, (row, key) in enumerate(zip(rows, keys, strict=True)):
            if key in self.kept:
                repeats.append(place)
            self.kept.setdefault(key, row)
        return Receipt(len(rows) - len(repeats), len(repeats), tuple(repeats))


def in_loop(scenario):
    """Run a test in an event loop, where senders of the service are."""

    @functools.wraps(scenario)
    def run():
        asyncio.run(asyncio.wait_for(scenario(), 60))

    return run


@asynccontextmanager
async def open_intake(table, **options):
    intake = Intake(table.write, asyncio.get_running_loop(), **options)
    try:
        yield intake
    finally:
        await asyncio.to_thread(intake.close)


def hold(table, intake):
    """Keep the writer busy with one answer, so that what follows has to wait."""
    table.go.clear()
    table.begun.clear()
    first = intake.submit([("first",)], ["first"])
    assert table.begun.wait(10)
    return first


@in_loop
async def test_what_waits_goes_into_one_transaction():
    table = Table()
    async with open_intake(table) as intake:
        first = hold(table, intake)
        waiting = [intake.submit([(i,)], [str(i)]) for i in range(100)]
        assert intake.n_waiting == 101
        assert not any(promise.done() for promise in waiting)
        table.go.set()
        assert await asyncio.gather(first, *waiting) == [Receipt(1, 0)] * 101
    assert table.sizes == [1, 100]
    assert intake.n_waiting == 0


@in_loop
async def test_each_sender_gets_its_own_receipt():
    table = Table()
    async with open_intake(table) as intake:
        first = hold(table, intake)
        promises = [
            intake.submit([(1,), (2,)], ["a", "b"]),
            intake.submit([(1,), (3,), (9,)], ["a", "c", "first"]),
            intake.submit([(3,)], ["c"]),
        ]
        table.go.set()
        assert await asyncio.gather(first, *promises) == [
            Receipt(1, 0),
            Receipt(2, 0),
            Receipt(1, 2, (0, 2)),
            Receipt(0, 1, (0,)),
        ]
    assert table.kept == {"first": ("first",), "a": (1,), "b": (2,), "c": (3,)}


@in_loop
async def test_a_transaction_has_a_most_size_but_a_batch_is_never_divided():
    table = Table()
    async with open_intake(table, most_at_once=10) as intake:
        hold(table, intake)
        promises = [intake.submit([(i,)] * 4, [f"{i}-{j}" for j in range(4)]) for i in range(5)]
        promises.append(intake.submit([(9,)] * 25, [f"9-{j}" for j in range(25)]))
        table.go.set()
        assert [receipt.accepted for receipt in await asyncio.gather(*promises)] == [4] * 5 + [25]
    assert table.sizes == [1, 8, 8, 4, 25]


@in_loop
async def test_bad_news_reach_everybody_who_waits_and_the_next_ones_are_taken():
    table = Table()
    async with open_intake(table) as intake:
        promises = [hold(table, intake), *[intake.submit([(i,)], [str(i)]) for i in range(3)]]
        table.problem = SurveyClosed("closed.")
        table.go.set()
        for promise in promises:
            with pytest.raises(SurveyClosed):
                await promise
        table.problem = None
        assert await intake.submit([(0,)], ["0"]) == Receipt(1, 0)
    assert table.kept == {"0": (0,)}


@in_loop
async def test_an_unforeseen_error_does_not_end_the_writer():
    table = Table()
    table.problem = ZeroDivisionError()
    async with open_intake(table) as intake:
        with pytest.raises(ZeroDivisionError):
            await intake.submit([(0,)], ["0"])
        table.problem = None
        assert await intake.submit([(0,)], ["0"]) == Receipt(1, 0)


@in_loop
async def test_the_queue_is_bounded():
    table = Table()
    async with open_intake(table, most_waiting=10) as intake:
        hold(table, intake)
        intake.submit([(1,)] * 9, [f"{j}" for j in range(9)])
        with pytest.raises(StoreUnavailable, match="queue holds"):
            intake.submit([(1,)], ["one too many"])
        table.go.set()
    async with open_intake(table, most_waiting=10) as intake:
        # A batch of more than the queue holds is taken when nobody else waits, or it could never be.
        assert (await intake.submit([(1,)] * 20, [f"large {j}" for j in range(20)])).accepted == 20
    assert "one too many" not in table.kept


@in_loop
async def test_closing_writes_what_waits_and_takes_no_more():
    table = Table()
    async with open_intake(table) as intake:
        promises = [hold(table, intake), *[intake.submit([(i,)], [str(i)]) for i in range(50)]]
        closing = asyncio.create_task(asyncio.to_thread(intake.close))
        await asyncio.sleep(0.01)
        with pytest.raises(StoreUnavailable, match="stopping"):
            intake.submit([(1,)], ["late"])
        assert not any(promise.done() for promise in promises)
        table.go.set()
        assert await asyncio.gather(*promises) == [Receipt(1, 0)] * 51
        await closing
    assert len(table.kept) == 51


@in_loop
async def test_a_sender_who_gave_up_is_left_out():
    table = Table()
    async with open_intake(table) as intake:
        hold(table, intake)
        gone, stays = intake.submit([(1,)], ["gone"]), intake.submit([(2,)], ["stays"])
        assert gone.cancel()
        table.go.set()
        assert await stays == Receipt(1, 0)
    assert set(table.kept) == {"first", "stays"}


@in_loop
async def test_many_senders_at_once():
    table = Table()
    async with open_intake(table) as intake:

        async def send(sender):
            receipts = []
            for number in range(100):
                # Every answer is sent by two senders.
                receipts.append(await intake.submit([(sender // 2, number)], [f"{sender // 2}-{number}"]))
            return receipts

        gathered = [receipt for some in await asyncio.gather(*map(send, range(20))) for receipt in some]
    assert sum(receipt.accepted for receipt in gathered) == 1000 == len(table.kept)
    assert sum(receipt.repeated for receipt in gathered) == 1000
    assert len(table.threads) == 1
    assert len(table.sizes) < 400, "they went together"


@in_loop
async def test_a_single_sender_is_not_kept_waiting():
    table = Table()
    async with open_intake(table) as intake:
        for number in range(20):
            await intake.submit([(number,)], [str(number)])
            assert intake._n_expected == 1
