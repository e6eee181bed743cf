"""What the column check asks of a table: the same answers of frames and files, whole, cut and replaced."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from microagg import io
from microagg.io import duck
from microagg.io.shared import SharedTable

FRAME = pd.DataFrame(
    {
        "n": [1.0, 1.0, None, 2.0, 3.0, 3.0, 0.0],
        "t": ["a", "b", "b", "d", "a", "a", "c"],
        "w": [5, 5, 5, 6, 6, 7, 8],
    }
)


@pytest.fixture(params=["pandas", "polars", "csv", "parquet", "shared", "sav"])
def table(request, tmp_path):
    if request.param == "pandas":
        return io.wrap(FRAME)
    if request.param == "shared":
        return SharedTable(io.wrap(FRAME))
    if request.param == "polars":
        return io.wrap(pl.from_pandas(FRAME))
    path = tmp_path / f"in.{request.param}"
    io.write(io.wrap(FRAME), path)
    return io.read(path)


def oracle(frame, names):
    """How many rows have a combination of their own; gaps are equal."""
    rows = [tuple(None if pd.isna(v) else v for v in row) for row in frame[names].itertuples(index=False)]
    return sum(rows.count(row) == 1 for row in rows)


@pytest.mark.parametrize("many", [20_000, 0])
def test_counts_equal_a_slow_count(table, monkeypatch, many):
    monkeypatch.setattr(duck, "MANY", many)
    for rows in (np.arange(7), np.array([0, 2, 3, 5, 6]), np.array([4, 1])):
        part, frame = table.take(rows), FRAME.iloc[rows]
        assert part.n_distinct(["n", "t", "w"]) == frame.nunique().to_dict()
        for names in (["n"], ["n", "t"], ["t", "w"], ["n", "t", "w"]):
            assert part.n_alone_together(names) == oracle(frame, names)
    assert table.n_alone_together([]) == 0
    assert table.n_distinct([]) == {}


def test_peek_gives_values_in_the_order_asked_for(table):
    seen = table.take(np.array([6, 5, 4, 3, 2])).peek(["t", "n"], np.array([3, 1]))
    assert seen["t"] == ["d", "a"]
    assert [float(value) for value in seen["n"]] == [2.0, 3.0]
    assert table.peek(["n"], np.array([2]))["n"] == [None]
    assert table.peek([], np.array([2])) == {}


def test_replaced_columns_are_seen_as_they_are_now(table):
    changed = table.with_columns({"w": np.array([1, 1, 1, 2, 2, 2, 2])})
    assert changed.n_distinct(["w"]) == {"w": 2}
    assert changed.peek(["w"], np.array([0, 3]))["w"] == [1, 2]
    assert changed.n_alone_together(["w", "n"]) == oracle(FRAME.assign(w=[1, 1, 1, 2, 2, 2, 2]), ["w", "n"])


def test_text_is_seen_as_it_is_written(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text("zip,x\n007,1\n08,2\n")
    assert io.read(path).peek(["zip"], np.array([0, 1]))["zip"] == ["007", "08"]


def test_what_is_said_beside_the_values(table):
    assert table.described("n").order is None
    grades = pd.Categorical(["b", "a"], ["b", "a"], ordered=True)
    assert io.wrap(pd.DataFrame({"g": grades})).described("g").order == ("b", "a")
    assert io.wrap(pd.DataFrame({"g": pd.Categorical(["b", "a"])})).described("g").order is None
