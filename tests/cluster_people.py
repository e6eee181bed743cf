"""People in Parquet files, with every type that frames of clusters have: what the tests of each engine share."""

from __future__ import annotations

import datetime
import decimal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

N = 1200
START = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)

PLAN = {
    "k": 4,
    "quasi": ["age", "a.visits", "height", "tax", "town", "born"],
    "kinds": {"age": "numeric", "a.visits": "numeric"},
    "by": ["region"],
    "weights": "weight",
    "confidential": ["illness"],
    "identifiers": ["name", "home"],
    "keep": ["id", "seen", "well"],
    "l": {"illness": 2},
    "missing": "impute",
    "method": "mdav",
    "memory": "600KB",
}
"""As much as can be asked for together; some five cells."""
LIGHT = {
    "k": 4,
    "quasi": ["age", "height"],
    "identifiers": ["name", "a.visits", "tax", "born", "illness", "weight"],
    "keep": ["id", "town", "region", "seen", "well"],
    "unit": "home",
    "method": "mdav",
    "memory": "300KB",
}
"""Little, where it is about other things than the plan, with units; a few cells."""


def write_people(folder):
    """Write people into three files of a folder; give them as a table."""
    rng = np.random.default_rng(0)
    visits = rng.integers(0, 10**10, N)
    table = pa.table(
        {
            "id": pa.array(np.arange(N)),
            "name": pa.array([f"person {i}" for i in range(N)]),
            "home": pa.array(rng.permutation(N) // 3),
            "age": pa.array(rng.integers(18, 90, N), pa.int32()),
            "a.visits": pa.array(visits, mask=rng.random(N) < 0.02),
            "height": pa.array(rng.normal(170, 9, N), pa.float32()),
            "tax": pa.array([decimal.Decimal(int(i)) / 100 for i in rng.integers(0, 99999, N)], pa.decimal128(10, 2)),
            "town": pa.array(
                [("Oslo", "Lima", "Rome", "Lima", "Oslo", "Rome", None)[i] for i in rng.integers(0, 7, N)]
            ),
            "born": pa.array([START.date() - datetime.timedelta(int(i)) for i in rng.integers(0, 9000, N)]),
            "region": pa.array([("N", "S")[i] for i in rng.integers(0, 2, N)]),
            "weight": pa.array(rng.integers(1, 9, N) * 1.0),
            "illness": pa.array([("flu", "cold", "none")[i] for i in rng.integers(0, 3, N)]),
            "seen": pa.array([START + datetime.timedelta(seconds=int(i)) for i in rng.integers(0, 9**6, N)]),
            "well": pa.array([(True, False, None)[i] for i in rng.integers(0, 3, N)]),
        }
    )
    for number, start in enumerate(range(0, N, 500)):
        pq.write_table(table.slice(start, 500), folder / f"part-{number}.parquet")
    return table


def assert_same(released, expected):
    """Compare two released tables, value by value, by the ids of both; decimals are rounded again."""
    released, expected = released.sort_by("id"), expected.sort_by("id")
    assert released.column_names == expected.column_names
    for name in expected.column_names:
        wanted = expected[name].to_pylist()
        if pa.types.is_decimal(released[name].type) and not pa.types.is_decimal(expected[name].type):
            half = 0.5 * 10.0 ** -released[name].type.scale
            rounded = [float(each) for each in released[name].to_pylist()]
            np.testing.assert_allclose(rounded, wanted, rtol=1e-12, atol=half)
            continue
        assert released[name].to_pylist() == wanted, name


def assert_same_facts(release, expected):
    """Compare all that releases tell, save for how long they took and of which files they are."""
    for of in (release, expected):
        assert of.k_anonymous
    told, wanted = release.summary, expected.summary
    for key in ("seconds", "seconds_by_step", "sha256"):
        told.pop(key), wanted.pop(key)
    assert told == wanted
    assert release.groups == expected.groups
