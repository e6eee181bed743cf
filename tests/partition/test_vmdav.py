"""V-MDAV's options: gamma and seeds."""

from __future__ import annotations

from typing import Any

import numpy as np
import oracles
import pytest

from microagg.errors import InvalidOption
from microagg.partition import mdav, vmdav


def clustered(n: int, seed: int = 0) -> np.ndarray:
    """Tight clusters of various sizes, so that groups grow."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n // 5, 3))[rng.integers(0, n // 5, n)] + rng.normal(scale=0.02, size=(n, 3))


@pytest.mark.parametrize("seeds", vmdav.SEEDS)
@pytest.mark.parametrize("gamma", [0.0, 0.2, 0.7, 1.1, 2.0])
@pytest.mark.parametrize("k", [2, 3, 6])
def test_equals_oracle(k: int, gamma: float, seeds: str) -> None:
    grid = np.random.default_rng(k).integers(0, 4, size=(160, 3)).astype(float)
    for X in (clustered(200, seed=k), grid):
        np.testing.assert_array_equal(
            vmdav.partition(X, k, gamma=gamma, seeds=seeds), oracles.vmdav(X, k, gamma, seeds)
        )


@pytest.mark.parametrize("gamma", [0.2, 1.1])
def test_groups_have_at_most_2k_minus_1_unless_left_over_records_join(gamma: float) -> None:
    sizes = np.bincount(vmdav.partition(clustered(1000), 4, gamma=gamma))
    assert sizes.min() >= 4
    assert sizes.max() > 4
    assert (sizes > 7).sum() <= 3


def test_pairs_without_growth_are_mdav() -> None:
    X = clustered(400)
    np.testing.assert_array_equal(vmdav.partition(X, 3, gamma=0, seeds="pairs"), mdav.partition(X, 3))


@pytest.mark.parametrize("seeds", [None, *vmdav.SEEDS])
def test_auto_is_at_least_as_good_as_what_it_tries(seeds: str | None) -> None:
    X = clustered(150)
    tried = [
        oracles.sse(X, vmdav.partition(X, 3, gamma=gamma, seeds=s))
        for gamma in vmdav.GAMMAS
        for s in ([seeds] if seeds else vmdav.SEEDS)
    ]
    best = oracles.sse(X, vmdav.partition(X, 3, gamma="auto", seeds=seeds))
    assert best <= min(tried) * (1 + 1e-12)
    assert best < max(tried)


@pytest.mark.parametrize("seeds", [None, *vmdav.SEEDS])
def test_tenths_is_the_best_of_the_published_steps(seeds: str | None) -> None:
    """Published are single seeds and steps of 0.1: what we added for "auto" must not slip in."""
    X = clustered(150, seed=3)
    runs = [vmdav.partition(X, 3, gamma=gamma, seeds=seeds or "single") for gamma in vmdav.GAMMAS]
    lowest = min(runs, key=lambda labels: oracles.sse(X, labels))
    assert oracles.sse(X, vmdav.partition(X, 3, gamma="tenths", seeds=seeds)) == oracles.sse(X, lowest)


@pytest.mark.parametrize("gamma", [-0.1, 2.1, np.nan, "automatic", None, True])
def test_gamma_that_cannot_be(gamma: Any) -> None:
    with pytest.raises(InvalidOption, match="gamma must be a number from 0 to 2"):
        vmdav.partition(clustered(50), 3, gamma=gamma)


def test_seeds_that_cannot_be() -> None:
    with pytest.raises(InvalidOption, match="seeds must be one of single, moving, pairs"):
        vmdav.partition(clustered(50), 3, seeds="triples")
