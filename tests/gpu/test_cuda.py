"""Kernels on a device (`make test-gpu`); skipped where there is none. Small cases of all kinds run on any processor."""

import warnings

import numpy as np
import pytest

import microagg as ma
from microagg.base.groups import in_order, squared_error
from microagg.errors import OnProcessorWarning

rng = np.random.default_rng(7)
CASES = {
    "rounded": (np.round(rng.standard_normal((5000, 13)), 1), 3),
    "grid": (np.round(rng.standard_normal((4000, 4)) * 2) / 2, 3),
    "twice": (np.repeat(rng.standard_normal((3000, 13)), 2, axis=0), 3),
    "lognormal": (np.exp(rng.standard_normal((20_000, 13)) * 1.5), 5),
    "sorted": (np.sort(rng.standard_normal((20_000, 13)), axis=0), 10),
    "far from zero": (rng.standard_normal((20_000, 13)) + 1e6, 3),
    "large k": (rng.standard_normal((20_000, 16)), 50),
    "one column": (rng.standard_normal((5000, 1)), 4),
    "many": (rng.standard_normal((200_000, 15)), 10),
}
HARD = {
    "many equal": (np.round(rng.standard_normal((20_000, 2))), 5, "equally near or far"),
    "constant": (np.ones((20_000, 3)), 3, "equally near or far"),
    "tiny": (rng.standard_normal((3000, 3)) * 2.0**-120, 3, "2\\^-107"),
    "wide": (rng.standard_normal((3000, 17)), 3, "at most 16 columns"),
    "large k": (rng.standard_normal((3000, 2)), 200, "k below"),
}


@pytest.mark.parametrize("name", CASES)
def test_mdav_gives_the_labels_of_the_processor(cuda, name):
    X, k = CASES[name]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        labels = ma.partition(X, k, method="mdav", device="cuda")
    assert (labels == ma.partition(X, k, method="mdav")).all()


@pytest.mark.parametrize("name", HARD)
def test_mdav_on_what_the_kernel_cannot_take(cuda, name):
    X, k, message = HARD[name]
    with pytest.warns(OnProcessorWarning, match=message):
        labels = ma.partition(X, k, method="mdav", device="cuda")
    assert (labels == ma.partition(X, k, method="mdav")).all()


@pytest.mark.parametrize(("m", "k"), [(1, 2), (13, 3), (5, 5), (13, 10), (50, 20), (13, 60)])
def test_fast_keeps_sizes_and_repeats_itself(cuda, m, k):
    """For every layout of a pair in the memory of a block."""
    X = np.random.default_rng(m).standard_normal((30_011, m))
    labels, again = (ma.partition(X, k, method="fast", effort="quick", seed=3, device="cuda") for _ in range(2))
    assert (labels == again).all()
    assert (labels == in_order(labels)).all()
    assert np.bincount(labels).min() >= k
    assert np.bincount(labels).max() <= 2 * k - 1


@pytest.mark.parametrize("k", [3, 10])
@pytest.mark.parametrize("kind", ["gaussian", "clustered", "integers"])
def test_fast_and_local_are_better_than_mdav(cuda, kind, k):
    X = np.random.default_rng(k).standard_normal((20_000, 6))
    if kind == "clustered":
        X = X * 0.2 + np.random.default_rng(0).standard_normal((40, 6))[np.arange(20_000) % 40] * 5
    if kind == "integers":
        X = np.round(X * 3)
    start = ma.partition(X, k, method="mdav")
    before = squared_error(X, start)
    assert squared_error(X, ma.partition(X, k, method="fast", device="cuda")) < 0.95 * before
    local = ma.REFINEMENTS["local"](X, start, k, device="cuda")
    assert squared_error(X, local) < 0.95 * before
    assert np.bincount(local).min() >= k
    assert (local == ma.partition(X, k, method="mdav", refine="local", device="cuda")).all()


def test_progress_is_told(cuda):
    told = []
    ma.partition(rng.standard_normal((5000, 3)), 3, method="fast", device="cuda", progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 1.0
    assert len(told) > 10
