"""The queue before the store: everything once, together where it can be, and bad news to all who wait."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

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


def hold(table, intake):
    """Keep the writer busy with one answer, so that what follows has to wait."""
    table.go.clear()
    table.begun.clear()
    first = intake.submit([("first",)], ["first"])
    assert table.begun.wait(10)
    return first


def test_what_waits_goes_into_one_transaction():
    table = Table()
    with Intake(table.write) as intake:
        first = hold(table, intake)
        waiting = [intake.submit([(i,)], [str(i)]) for i in range(100)]
        assert intake.n_waiting == 101
        assert not any(promise.done() for promise in waiting)
        table.go.set()
        assert [promise.result(10) for promise in (first, *waiting)] == [Receipt(1, 0)] * 101
    assert table.sizes == [1, 100]
    assert intake.n_waiting == 0


def test_each_sender_gets_its_own_receipt():
    table = Table()
    with Intake(table.write) as intake:
        first = hold(table, intake)
        promises = [
            intake.submit([(1,), (2,)], ["a", "b"]),
            intake.submit([(1,), (3,), (9,)], ["a", "c", "first"]),
            intake.submit([(3,)], ["c"]),
        ]
        table.go.set()
        assert [promise.result(10) for promise in (first, *promises)] == [
            Receipt(1, 0),
            Receipt(2, 0),
            Receipt(1, 2, (0, 2)),
            Receipt(0, 1, (0,)),
        ]
    assert table.kept == {"first": ("first",), "a": (1,), "b": (2,), "c": (3,)}


def test_a_transaction_has_a_most_size_but_a_batch_is_never_divided():
    table = Table()
    with Intake(table.write, most_at_once=10) as intake:
        hold(table, intake)
        promises = [intake.submit([(i,)] * 4, [f"{i}-{j}" for j in range(4)]) for i in range(5)]
        promises.append(intake.submit([(9,)] * 25, [f"9-{j}" for j in range(25)]))
        table.go.set()
        assert [promise.result(10).accepted for promise in promises] == [4] * 5 + [25]
    assert table.sizes == [1, 8, 8, 4, 25]


def test_bad_news_reach_everybody_who_waits_and_the_next_ones_are_taken():
    table = Table()
    with Intake(table.write) as intake:
        promises = [hold(table, intake), *[intake.submit([(i,)], [str(i)]) for i in range(3)]]
        table.problem = SurveyClosed("closed.")
        table.go.set()
        for promise in promises:
            with pytest.raises(SurveyClosed):
                promise.result(10)
        table.problem = None
        assert intake.submit([(0,)], ["0"]).result(10) == Receipt(1, 0)
    assert table.kept == {"0": (0,)}


def test_an_unforeseen_error_does_not_end_the_writer():
    table = Table()
    table.problem = ZeroDivisionError()
    with Intake(table.write) as intake:
        with pytest.raises(ZeroDivisionError):
            intake.submit([(0,)], ["0"]).result(10)
        table.problem = None
        assert intake.submit([(0,)], ["0"]).result(10) == Receipt(1, 0)


def test_the_queue_is_bounded():
    table = Table()
    with Intake(table.write, most_waiting=10) as intake:
        hold(table, intake)
        intake.submit([(1,)] * 9, [f"{j}" for j in range(9)])
        with pytest.raises(StoreUnavailable, match="queue holds"):
            intake.submit([(1,)], ["one too many"])
        table.go.set()
    with Intake(table.write, most_waiting=10) as intake:
        # A batch of more than the queue holds is taken when nobody else waits, or it could never be.
        assert intake.submit([(1,)] * 20, [f"large {j}" for j in range(20)]).result(10).accepted == 20
    assert "one too many" not in table.kept


def test_closing_writes_what_waits_and_takes_no_more():
    table = Table()
    intake = Intake(table.write)
    promises = [hold(table, intake), *[intake.submit([(i,)], [str(i)]) for i in range(50)]]
    closing = threading.Thread(target=intake.close)
    closing.start()
    table.go.set()
    closing.join(10)
    assert all(promise.result(0) == Receipt(1, 0) for promise in promises)
    with pytest.raises(StoreUnavailable, match="stopping"):
        intake.submit([(1,)], ["late"])
    intake.close()
    assert len(table.kept) == 51


def test_a_sender_who_gave_up_is_left_out():
    table = Table()
    with Intake(table.write) as intake:
        hold(table, intake)
        gone, stays = intake.submit([(1,)], ["gone"]), intake.submit([(2,)], ["stays"])
        assert gone.cancel()
        table.go.set()
        assert stays.result(10) == Receipt(1, 0)
    assert set(table.kept) == {"first", "stays"}


def test_many_threads_at_once():
    table = Table()
    with Intake(table.write) as intake, ThreadPoolExecutor(16) as pool:

        def send(number):
            # Every answer is sent twice, by different threads.
            return intake.submit([(number // 2,)], [str(number // 2)]).result(30)

        receipts = list(pool.map(send, range(2000)))
    assert sum(receipt.accepted for receipt in receipts) == 1000 == len(table.kept)
    assert sum(receipt.repeated for receipt in receipts) == 1000
    assert len(table.threads) == 1
