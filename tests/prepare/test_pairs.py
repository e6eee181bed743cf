"""Two columns that together give another one away: found where they do, and not by chance."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from microagg import io
from microagg.prepare.check.look import look_at
from microagg.prepare.check.pairs import MOST_PAIRED, MOST_TOLD, find_pairs, verified_pairs


@pytest.fixture
def rng():
    return np.random.default_rng(1)


def pairs(frame, columns=None, others=None):
    looks = look_at(io.wrap(frame))
    names = list(frame.columns)
    found = find_pairs(looks, columns or names, others or names)
    return {(frozenset(tie.columns), tie.other) for tie in found}


def oracle(frame):
    """Every pair and every third column, counted as slowly as one can."""
    told = set()
    for a, b in combinations(frame.columns, 2):
        for c in set(frame.columns) - {a, b}:
            shared = frame.groupby([a, b])[c]
            alone = any((frame.groupby(one)[c].nunique() == 1).all() for one in (a, b))
            repeated = (shared.size() > 1).mean() > 0.9
            if (shared.nunique() == 1).all() and not alone and repeated:
                told.add((frozenset((a, b)), c))
    return told


@pytest.mark.parametrize("seed", range(4))
def test_pairs_equal_a_slow_and_obvious_count(seed):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.integers(0, 5, (900, 5)), columns=list("abcde"))
    frame["sum"] = frame["a"] + 10 * frame["b"]
    frame["xor"] = (frame["c"] + frame["d"]) % 5
    told = pairs(frame)
    assert told == oracle(frame)
    assert (frozenset("cd"), "xor") in told


def test_what_one_column_tells_alone_is_not_told_of_pairs(rng):
    a = rng.integers(0, 9, 500)
    frame = pd.DataFrame({"a": a, "b": rng.integers(0, 4, 500), "c": a // 3})
    assert pairs(frame, others=["c"]) == set()


def test_columns_that_are_nearly_unique_together_prove_nothing(rng):
    """Month, day, hour: together they point to a flight, and so to all of it. That is another warning."""
    n = 800
    frame = pd.DataFrame({"a": rng.integers(0, 40, n), "b": rng.integers(0, 40, n), "c": rng.integers(0, 3, n)})
    assert pairs(frame) == set()
    twice = pd.concat([frame, frame], ignore_index=True)
    assert pairs(twice) == set()


def test_a_rare_value_is_no_proof(rng):
    """A column that is nearly constant follows from anything."""
    frame = pd.DataFrame({"a": rng.integers(0, 5, 300), "b": rng.integers(0, 5, 300), "c": np.arange(300) == 7})
    assert pairs(frame, columns=["a", "b"], others=["c"]) == set()


def test_missing_values_are_no_values(rng):
    frame = pd.DataFrame({"a": rng.integers(0, 5, 600).astype(float), "b": rng.integers(0, 5, 600)})
    frame["c"] = [f"{a}/{b}" for a, b in zip(frame["a"], frame["b"], strict=True)]
    frame.loc[:99, "a"] = np.nan
    looks = look_at(io.wrap(frame))
    (tie,) = find_pairs(looks, ["a", "b"], ["c"])
    assert (tie.n_seen, tie.n_records) == (500, 600)


def test_a_pair_is_verified_in_more_records_than_were_looked_at(rng):
    n = 60_000
    frame = pd.DataFrame({"a": rng.integers(0, 5, n), "b": rng.integers(0, 5, n)})
    frame["c"] = frame["a"] + 5 * frame["b"]
    table = io.wrap(frame)
    (tie,) = verified_pairs(table, look_at(table), ["a", "b"], ["c"])
    assert (tie.n_seen, tie.n_records) == (n, n)
    seen = set(np.random.default_rng(0).choice(n, 10_000, replace=False, shuffle=False).tolist())
    frame.loc[next(row for row in range(n) if row not in seen), "c"] = 99
    table = io.wrap(frame)
    assert verified_pairs(table, look_at(table), ["a", "b"], ["c"]) == []


def test_many_columns_are_bounded(rng):
    frame = pd.DataFrame(rng.integers(0, 3, (300, MOST_PAIRED + 40))).rename(columns=str)
    frame["c"] = frame["0"] + 3 * frame["1"]
    copies = pd.DataFrame({f"x{i}": frame["c"] for i in range(60)})
    assert len(pairs(pd.concat([frame, copies], axis=1), columns=["0", "1"])) == MOST_TOLD
