"""A survey that tests share, its answers, and what must hold of its release."""

from __future__ import annotations

import csv
import io
from collections import Counter

import numpy as np

from microagg.survey import Definition, Field

K = 3


def small(name="small", **more) -> Definition:
    """Two quasi-identifiers, an identifier, and a number that says which answer a released row was."""
    fields = [
        Field("age", "integer"),
        Field("pay", "number"),
        Field("who", "text", "identifier"),
        Field("number", "integer", "other"),
    ]
    return Definition(name, K, fields, **more)


def records(n, start=0) -> list[dict]:
    rng = np.random.default_rng(start)
    ages, pays = rng.integers(18, 90, n).tolist(), rng.lognormal(8, 0.5, n).tolist()
    return [{"age": ages[i], "pay": pays[i], "who": f"person-{start + i}", "number": start + i} for i in range(n)]


def keys(n, start=0) -> list[str]:
    return [f"key-{i}" for i in range(start, start + n)]


def released(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode())))


def assert_released(content: bytes, numbers) -> None:
    """Each of these answers exactly once, and every group of at least K."""
    rows = released(content)
    assert sorted(int(row["number"]) for row in rows) == sorted(numbers)
    groups = Counter((row["age"], row["pay"]) for row in rows)
    assert min(groups.values()) >= K
    assert "who" not in rows[0]
