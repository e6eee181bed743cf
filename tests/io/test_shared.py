"""A shared table gives every thread what the table behind it gives, and reads each column once."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from checks import value_in

from microagg import io
from microagg.io.shared import SharedTable


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text(
        "age,city,born\n" + "".join(f"{i % 7},{'OL'[i % 2]},2000-01-{i % 28 + 1:02d}\n" for i in range(400))
    )
    return io.read(path)


def everything(table):
    found = [table.numeric("age").values, table.codes("city"), table.dates("born"), table.categories("city").codes]
    part = table.take(np.arange(10, 50)).without(["born"]).with_columns({"age": np.arange(40.0)})
    more = [part.numeric("age").values, part.codes("city")]
    words = (
        table.names,
        table.n_records,
        table.storage("born"),
        value_in(table, "city", 3),
        part.names,
        part.n_records,
    )
    return [array.tolist() for array in (*found, *more)], words


def test_many_threads_read_what_one_reads(table):
    alone = everything(table)
    shared = SharedTable(table)
    with ThreadPoolExecutor(8) as pool:
        for found in pool.map(lambda _: everything(shared), range(40)):
            assert found == alone


def test_each_column_is_read_once(table):
    shared = SharedTable(table)
    assert shared.codes("city") is shared.codes("city")
    assert shared.native().fetchall() == table.native().fetchall()
