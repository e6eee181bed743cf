"""MST partitioning, TFRP and DBA: their options against the oracles, and what each step is for."""

from __future__ import annotations

from typing import Any

import numpy as np
import oracles
import pytest
from checks import assert_partition, groups

import microagg as ma
from microagg.errors import InvalidOption
from microagg.partition import dba, mst, partition, tfrp


def clumps(n: int, seed: int = 0) -> np.ndarray:
    """Tight clumps of various sizes."""
    random = np.random.default_rng(seed)
    return random.normal(size=(n // 8, 2))[random.integers(0, n // 8, n)] + random.normal(scale=0.01, size=(n, 2))


def cases(n: int) -> list[np.ndarray]:
    return [clumps(n, seed=1), np.random.default_rng(2).integers(0, 4, size=(n, 2)).astype(float)]


@pytest.mark.parametrize("large", mst.LARGE)
@pytest.mark.parametrize("k", [2, 3, 5])
def test_mst_equals_its_oracle(k: int, large: str) -> None:
    for X in cases(60):
        np.testing.assert_array_equal(mst.partition(X, k, large=large), oracles.mst(X, k, large))


@pytest.mark.parametrize("second_stage", [False, True])
@pytest.mark.parametrize("method", ["tfrp", "dba"])
@pytest.mark.parametrize("k", [2, 3, 5])
def test_stages_equal_their_oracles(k: int, method: str, second_stage: bool) -> None:
    oracle = {"tfrp": oracles.tfrp, "dba": oracles.dba}[method]
    for X in cases(80):
        labels = partition(X, k, method=method, second_stage=second_stage)
        np.testing.assert_array_equal(labels, oracle(X, k, second_stage))


def test_mst_finds_clumps() -> None:
    """What it is for: clumps of 3 to 5 records far from each other are its groups, which groups of k are not."""
    sizes = [3, 4, 5, 3, 5, 4]
    random = np.random.default_rng(0)
    clump = np.repeat(np.arange(6), sizes)
    X = 10.0 * clump[:, None] + random.normal(scale=0.1, size=(len(clump), 2))
    order = random.permutation(len(clump))
    assert groups(mst.partition(X[order], 3)) == groups(clump[order])
    assert ma.sse(X, mst.partition(X, 3)) < 0.1 * ma.sse(X, ma.partition(X, 3, method="mdav"))


def test_mst_splits_what_is_large() -> None:
    X = np.random.default_rng(0).normal(size=(300, 3))
    kept = mst.partition(X, 3, large="keep")
    assert np.bincount(kept).max() > 5
    for large in ("cbfs", "md"):
        labels = mst.partition(X, 3, large=large)
        assert_partition(labels, 300, 3)
        assert ma.sse(X, labels) < ma.sse(X, kept)


@pytest.mark.parametrize("method", ["tfrp", "dba"])
@pytest.mark.parametrize("k", [3, 5, 10])
def test_the_second_stage_pays(method: str, k: int) -> None:
    X = np.random.default_rng(k).normal(size=(400, 3))
    first, second = (partition(X, k, method=method, second_stage=stage) for stage in (False, True))
    assert np.bincount(first).max() < 2 * k
    assert ma.sse(X, second) < ma.sse(X, first)


def test_dba_has_no_group_of_2k() -> None:
    """Groups that took in the records of dissolved ones are split."""
    for seed in range(5):
        assert np.bincount(dba.partition(clumps(200, seed), 3)).max() < 6


def test_tfrp_begins_at_the_greatest_values() -> None:
    """The record farthest from the least values comes first, then the one farthest from the greatest."""
    X = np.array([[0.0], [1.0], [2.0], [7.0], [8.0], [9.5]])
    assert tfrp.partition(X, 3, second_stage=False).tolist() == [1, 1, 1, 0, 0, 0]


@pytest.mark.parametrize(
    ("method", "options", "message"),
    [
        ("mst", {"large": "mdav"}, "large must be one of keep, cbfs, md; got 'mdav'"),
        ("tfrp", {"second_stage": 1}, "second_stage must be True or False; got 1"),
        ("dba", {"second_stage": "no"}, "second_stage must be True or False; got 'no'"),
    ],
)
def test_options_that_cannot_be(method: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidOption, match=message):
        partition(np.zeros((9, 2)), 3, method=method, **options)
