"""Columns of parts: numbers, codes and words are those of the values, however these are stored and cut."""

from __future__ import annotations

import datetime
import decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from microagg.engines.chance import SAMPLE, TIES, chances, fingerprints
from microagg.engines.spread.arrow import both_distinct, distinct, floats, keys, words
from microagg.engines.spread.order import at_place

VALUES = {
    "text": (st.text(max_size=8), pa.string()),
    "large text": (st.text(alphabet="ab", max_size=4), pa.large_string()),
    "whole": (st.integers(-(2**63), 2**63 - 1), pa.int64()),
    "small": (st.integers(0, 5), pa.uint8()),
    "number": (st.floats(allow_nan=False), pa.float64()),
    "truth": (st.booleans(), pa.bool_()),
    "date": (st.dates(), pa.date32()),
    "decimal": (st.decimals(-99, 99, places=2), pa.decimal128(9, 2)),
    "list": (st.lists(st.integers(0, 2), max_size=2), pa.list_(pa.int64())),
}


@pytest.mark.parametrize("kind", VALUES)
@settings(max_examples=25)
@given(data=st.data())
def test_words_are_equal_where_values_are(kind, data):
    values, stored = VALUES[kind]
    drawn = data.draw(st.lists(st.none() | values, min_size=1, max_size=30))
    column = pa.chunked_array([pa.array(drawn[:7], stored), pa.array(drawn[7:], stored)])
    marks = [tuple(mark) for mark in fingerprints(words(column)).tolist()]
    for one, mark in zip(drawn, marks, strict=True):
        for other, second in zip(drawn, marks, strict=True):
            assert (mark == second) == (one == other)


@given(st.lists(st.floats(allow_infinity=True, allow_nan=True), min_size=1, max_size=40), st.integers(1, 5))
def test_the_number_at_a_place_is_that_of_all_numbers(values, n_parts):
    known = sorted(value + 0.0 for value in values if value == value)
    parts = np.array_split(np.array(values), n_parts)

    def total(task, merge):
        whole = task(parts[0])
        for part in parts[1:]:
            whole = merge(whole, task(part))
        return whole

    assert [at_place(total, place) for place in range(len(known))] == known


@given(st.lists(st.tuples(st.sampled_from(["a", "b", None]), st.sampled_from([0.0, -0.0, 1.5, None])), min_size=1))
def test_combinations_are_numbered(records):
    texts, floating = (list(side) for side in zip(*records, strict=True))
    columns = [pa.chunked_array([pa.array(texts, pa.string())]), pa.chunked_array([pa.array(floating, pa.float64())])]
    numbers, named = keys(columns)
    assert [named[number] for number in numbers.tolist()] == records


@given(st.lists(st.sampled_from("abc") | st.none(), min_size=1, max_size=30), st.integers(0, 30))
def test_distinct_values_of_parts_are_those_of_all(values, cut):
    sides = [(values[:cut], 0), (values[cut:], len(values[:cut]))]
    one, other = (
        distinct(pa.chunked_array([pa.array(side, pa.string())]), np.arange(first, first + len(side)), 99)
        for side, first in sides
    )
    expected = {value: (values.index(value), values.count(value)) for value in values if value is not None}
    assert both_distinct(one, other, 99) == expected
    assert both_distinct(distinct(pa.chunked_array([pa.array(["x", "y"])]), np.arange(2), 1), {}, 1) is None


def test_numbers_and_dates_as_floats():
    moments = [datetime.datetime(1970, 1, 2), None]
    assert floats(pa.chunked_array([pa.array(moments, pa.timestamp("ns"))]))[0] == 86_400
    assert floats(pa.chunked_array([pa.array([datetime.date(1969, 12, 31)])])).tolist() == [-86_400]
    assert floats(pa.chunked_array([pa.array([decimal.Decimal("1.25"), None])]))[0] == 1.25
    coded = pa.chunked_array([pa.array([3, None, 3]).dictionary_encode()])
    assert np.array_equal(floats(coded), [3.0, np.nan, 3.0], equal_nan=True)
    assert floats(pa.chunked_array([], pa.int64())).tolist() == []


def test_chances_are_uniform_and_independent():
    """Records that one number drew must not all have low numbers for ties: that made one cell of most records."""
    rows = np.arange(100_000)
    drawn, ties = chances(rows, 0, SAMPLE), chances(rows, 0, TIES)
    for each in (drawn, ties, ties[drawn < 0.05]):
        counts = np.histogram(each, bins=20, range=(0, 1))[0] / len(each)
        assert np.abs(counts - 0.05).max() < 0.01
    assert not np.array_equal(drawn, chances(rows, 1, SAMPLE))
