"""Kicks: what is no better is taken back, wherever it began, and promises are kept."""

from __future__ import annotations

import itertools

import numpy as np
import oracles
import pytest
from checks import assert_partition

from microagg import _core
from microagg.constraints import promise
from microagg.refine import local


def in_rows(n: int, k: int) -> np.ndarray:
    return np.minimum(np.arange(n) // k, n // k - 1)


@pytest.mark.parametrize(("n", "k"), [(300, 2), (301, 3), (500, 7)])
@pytest.mark.parametrize("with_ties", [False, True])
def test_each_kick_lowers_the_error_or_leaves_no_trace(n: int, k: int, with_ties: bool) -> None:
    """The first kicks are those of a longer search, so the errors of one kick, two, three and so on never rise."""
    X = np.random.default_rng(n).normal(size=(n, 3))
    X = np.round(X) if with_ties else X
    start = local(X, in_rows(n, k), k)
    annealer = _core.Annealer(X, k, start, 1, 1)
    errors = []
    for count in (0, 1, 2, 3, 50, 51, 3000):
        kicked, _, n_steps = annealer.kick(start, np.arange(n), count, 0, 5)
        assert_partition(kicked, n, k)
        assert n_steps == 0
        errors.append(oracles.sse(X, kicked))
    assert errors[0] == pytest.approx(oracles.sse(X, start), rel=1e-12)
    assert all(later <= earlier * (1 + 1e-12) for earlier, later in itertools.pairwise(errors))
    assert errors[-1] < errors[0]


def test_kicks_change_groups_near_the_records_that_are_kicked() -> None:
    """Two clusters far apart: kicks in one leave the other as it is."""
    rng = np.random.default_rng(1)
    X = np.concatenate([rng.normal(size=(200, 3)), rng.normal(size=(200, 3)) + 1000.0])
    start = in_rows(400, 4)
    annealer = _core.Annealer(X, 4, start, 1, 1)
    kicked, *_ = annealer.kick(start, np.arange(200), 500, 0, 1)
    assert np.array_equal(kicked[200:] - kicked[200:].min(), start[200:] - start[200:].min())
    assert oracles.sse(X[:200], kicked[:200]) < 0.8 * oracles.sse(X[:200], start[:200])


def test_records_that_are_not_named_stay_where_they_are() -> None:
    """Parts that are kicked at the same time may lie beside each other: all that either changes can be kept."""
    X, start = np.random.default_rng(1).normal(size=(400, 3)), in_rows(400, 4)
    annealer = _core.Annealer(X, 4, start, 1, 1)
    (first, *_), (second, *_) = (annealer.kick(start, rows, 500, 6, 1) for rows in np.array_split(np.arange(400), 2))
    assert np.array_equal(np.unique(first[200:]), np.arange(first[200], first.max() + 1))
    assert len(np.intersect1d(first[:200], first[200:])) == 0
    both, _ = annealer.combine(annealer.combine(start, first)[0], second)
    gains = [oracles.sse(X, start) - oracles.sse(X, labels) for labels in (first, second, both)]
    assert gains[2] == pytest.approx(gains[0] + gains[1], rel=1e-9)
    with pytest.raises(ValueError, match="all rows of each of its groups"):
        annealer.kick(start, np.arange(201), 1, 0, 1)
    with pytest.raises(ValueError, match="each row once"):
        annealer.kick(start, np.zeros(2, dtype=np.int64), 1, 0, 1)


def test_kicks_keep_promises() -> None:
    X = np.random.default_rng(7).normal(size=(900, 3))
    ill = np.where(np.arange(900) % 3 == 0, "flu", "cold")
    promises = promise({"l": {"ill": 2}}, {"ill": ill.tolist()})
    start = in_rows(900, 6)
    annealer = _core.Annealer(X, 6, start, 1, 1, promises.kernel)
    kicked, *_ = annealer.kick(start, np.arange(900), 3000, 6, 1)
    assert promises.kept(kicked)
    assert oracles.sse(X, kicked) < 0.8 * oracles.sse(X, start)
