"""Probabilistic linkage against every pair of records, and the chances of agreement against what made them."""

from collections import Counter

import numpy as np
import pytest
import risk_oracles
from hypothesis import given, settings
from hypothesis import strategies as st

from microagg.errors import InvalidData, InvalidOption
from microagg.risk import estimate_agreement, probabilistic, probabilistic_linkage
from microagg.risk.probabilistic import MOST_ATTRIBUTES
from microagg.semantic.attribute import nominal, numeric


def tables(seed: int) -> tuple[np.ndarray, np.ndarray, list, list[bool]]:
    """Originals and releases of numbers and categories, with ties."""
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(1, 30)), int(rng.integers(1, 5))
    is_number = (rng.random(m) < 0.6).tolist()
    original = np.where(is_number, rng.normal(size=(n, m)).round(int(rng.integers(0, 3))), rng.integers(0, 3, (n, m)))
    noise = np.where(is_number, original + rng.normal(size=(n, m)) * 0.3, rng.integers(0, 3, (n, m)))
    released = np.where(rng.random((n, m)) < 0.5, original, noise)
    attributes = [numeric() if number else nominal(["a", "b", "c"]) for number in is_number]
    return original, released, attributes, is_number


def estimate(counts: Counter, m: int, n: int) -> tuple[list[float], list[float]]:
    """The chances of agreement, which a test of their own compares with the definition."""
    totals = np.zeros(2**m, dtype=np.int64)
    for pattern, count in counts.items():
        totals[sum(2**j for j in range(m) if pattern[j])] = count
    found = estimate_agreement(totals, m, n)
    return found.matches.tolist(), found.others.tolist()


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.integers(1, 2), st.sampled_from([0.0, 0.1, 0.3]))
def test_linkage_equals_the_definition(seed, threads, width):
    original, released, attributes, is_number = tables(seed)
    found = probabilistic_linkage(original, released, attributes, width=width, threads=threads)
    assert found.tolist() == risk_oracles.probabilistic_linkage(original, released, is_number, width, estimate)


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1))
def test_shuffled_rows_give_shuffled_chances(seed):
    original, released, attributes, _ = tables(seed)
    order = np.random.default_rng(seed).permutation(len(original))
    found = probabilistic_linkage(original, released, attributes)
    assert probabilistic_linkage(original[order], released[order], attributes).tolist() == found[order].tolist()


@given(st.integers(0, 2**32 - 1))
def test_em_equals_the_definition(seed):
    rng = np.random.default_rng(seed)
    m, n = int(rng.integers(1, 4)), int(rng.integers(2, 50))
    totals = rng.integers(0, 40, 2**m)
    totals[0] += 1
    counts = Counter({tuple(bool(p >> j & 1) for j in range(m)): int(c) for p, c in enumerate(totals) if c})
    # Few steps: where totals have no structure, rounding decides in the long run which way they lead.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(probabilistic, "_STEPS", 12)
        found = estimate_agreement(totals, m, n)
    expected = risk_oracles.agreement(counts, m, n, steps=12)
    assert found.matches == pytest.approx(expected[0], abs=1e-6)
    assert found.others == pytest.approx(expected[1], abs=1e-6)


def test_em_finds_the_chances_that_made_the_patterns():
    """With one match in 100 pairs and attributes that agree independently, EM has nothing to be misled by."""
    m, u = np.array([0.95, 0.8, 0.9]), np.array([0.05, 0.2, 0.1])
    bits = np.arange(8)[:, None] >> np.arange(3) & 1
    chances = 0.01 * np.where(bits, m, 1 - m).prod(axis=1) + 0.99 * np.where(bits, u, 1 - u).prod(axis=1)
    found = estimate_agreement((1e12 * chances).round().astype(np.int64), 3, 100)
    assert found.matches == pytest.approx(m, abs=0.01)
    assert found.others == pytest.approx(u, abs=0.001)


def test_distinct_categories_released_as_they_are_link_everybody():
    codes = np.array([[a, b, c] for a in range(4) for b in range(4) for c in range(4)], dtype=float)
    attributes = [nominal(list("wxyz"))] * 3
    assert probabilistic_linkage(codes, codes, attributes).mean() == pytest.approx(1)
    everybody = np.zeros_like(codes)
    assert probabilistic_linkage(codes, everybody, attributes).mean() == pytest.approx(1 / 64)


def test_what_cannot_be_done_is_said():
    wide = np.zeros((3, MOST_ATTRIBUTES + 1))
    with pytest.raises(InvalidData, match="at most 16 attributes; got 17"):
        probabilistic_linkage(wide, wide)
    with pytest.raises(InvalidOption, match="width must be between 0 and 1"):
        probabilistic_linkage([[1.0]], [[1.0]], width=2.0)
