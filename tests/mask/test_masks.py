"""Each mask does what its paper says: moments of noise, ranks of swapped values, frequencies under PRAM."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from microagg.errors import InvalidData, InvalidOption
from microagg.mask import MASKS, read_mask
from microagg.mask.noise import add_noise
from microagg.mask.pram import change_codes, invariant, transitions
from microagg.mask.swap import swap_ranks


class Fixed(np.random.Generator):
    """Gives the same numbers in place of normal ones, so that sums can be worked out by hand."""

    def __init__(self, numbers: np.ndarray) -> None:
        super().__init__(np.random.PCG64(0))
        self.numbers = numbers

    def standard_normal(self, *args: object, **kwargs: object) -> np.ndarray:
        return self.numbers


def orthonormal(n: int, q: int) -> np.ndarray:
    """Columns of mean 0 and variance 1 that are uncorrelated: with these for noise, moments are exact."""
    drawn = np.random.default_rng(0).normal(size=(n, q))
    centred = drawn - drawn.mean(axis=0)
    return np.linalg.qr(centred)[0] * np.sqrt(n - 1)


def records(n: int = 200) -> np.ndarray:
    drawn = np.random.default_rng(1).normal(size=(n, 3))
    return drawn @ np.array([[3.0, 1.0, 0.0], [0.0, 2.0, 0.5], [0.0, 0.0, 1.0]]) + [10.0, -5.0, 100.0]


def away_from(X: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """The noise without what it has in common with the columns of X, so that no product of both is left."""
    basis = np.linalg.qr(np.column_stack([np.ones(len(X)), X]))[0]
    clean = noise - basis @ (basis.T @ noise)
    return np.linalg.qr(clean)[0] * np.sqrt(len(X) - 1)


@pytest.mark.parametrize("share", [0.1, 0.5, 2.0])
def test_moments_of_noise(share: float) -> None:
    """With noise of exact moments: means stay, variances grow by 1 + share, covariances by the same if correlated."""
    X = records()
    random = Fixed(away_from(X, orthonormal(len(X), 3)))
    before = np.cov(X, rowvar=False)
    plain = np.cov(masked := add_noise(X, share, random), rowvar=False)
    np.testing.assert_allclose(masked.mean(axis=0), X.mean(axis=0))
    np.testing.assert_allclose(np.diag(plain), (1 + share) * np.diag(before))
    np.testing.assert_allclose(plain - np.diag(np.diag(plain)), before - np.diag(np.diag(before)), atol=1e-9)
    correlated = add_noise(X, share, random, correlated=True)
    np.testing.assert_allclose(np.cov(correlated, rowvar=False), (1 + share) * before)
    kept = add_noise(X, share, random, correlated=True, corrected=True)
    np.testing.assert_allclose(np.cov(kept, rowvar=False), before)
    np.testing.assert_allclose(kept.mean(axis=0), X.mean(axis=0))
    alone = add_noise(X, share, random, corrected=True)
    np.testing.assert_allclose(alone.var(axis=0), X.var(axis=0))


def test_noise_of_real_random_numbers() -> None:
    """The moments hold in expectation: far off they are never, with a hundred thousand records."""
    X = np.random.default_rng(0).normal(size=(100_000, 2)) @ np.array([[1.0, 0.8], [0.0, 0.6]])
    Y = add_noise(X, 0.5, np.random.default_rng(1), correlated=True)
    np.testing.assert_allclose(np.cov(Y, rowvar=False), 1.5 * np.cov(X, rowvar=False), rtol=0.05)


def test_noise_keeps_gaps_and_constants() -> None:
    X = np.array([[1.0, 5.0], [np.nan, 5.0], [3.0, 5.0], [4.0, np.nan]])
    for words in ({}, {"correlated": True}, {"corrected": True}):
        Y = add_noise(X, 0.3, np.random.default_rng(0), **words)
        np.testing.assert_array_equal(np.isnan(Y), np.isnan(X))
        np.testing.assert_array_equal(Y[:3, 1], 5.0)
    with pytest.raises(InvalidData, match="at least two records"):
        add_noise(np.array([[1.0, np.nan], [np.nan, 2.0]]), 0.1, np.random.default_rng(0), correlated=True)


@settings(max_examples=60, deadline=None)
@given(n=st.integers(2, 80), percent=st.floats(0.5, 100), distinct=st.booleans(), seed=st.integers(0, 2**32 - 1))
def test_ranks_move_little_and_values_stay(n: int, percent: float, distinct: bool, seed: int) -> None:
    """Every column has the values that it had, gaps where they were, and no rank is farther away than it may be."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.permutation(n) if distinct else rng.integers(0, 4, n), rng.normal(size=n)]).astype(float)
    X[rng.random(n) < 0.1, 1] = np.nan
    known = ~np.isnan(X[:, 1])
    reach = int(percent * n / 100)
    if not int(percent * known.sum() / 100):
        with pytest.raises(InvalidOption, match="nothing would move"):
            swap_ranks(X, percent, rng)
        return
    Y = swap_ranks(X, percent, rng)
    np.testing.assert_array_equal(np.isnan(Y[:, 1]), ~known)
    for column in (0, 1):
        rows = np.flatnonzero(~np.isnan(X[:, column]))
        before, after = X[rows, column], Y[rows, column]
        ordered = np.sort(before)
        np.testing.assert_array_equal(np.sort(after), ordered)
        # With ties a value has several ranks: the nearest ones of both count.
        low, high = np.searchsorted(ordered, after), np.searchsorted(ordered, after, side="right") - 1
        own_low, own_high = np.searchsorted(ordered, before), np.searchsorted(ordered, before, side="right") - 1
        assert (low - own_high <= reach).all()
        assert (own_low - high <= reach).all()


def test_most_values_are_swapped() -> None:
    """A mask that leaves everything where it was would pass all of the above."""
    X = np.arange(1000.0)[:, None]
    Y = swap_ranks(X, 5, np.random.default_rng(0))
    assert (X != Y).mean() > 0.9
    assert np.abs(X - Y).mean() > 10


@settings(max_examples=60, deadline=None)
@given(counts=st.lists(st.integers(1, 50), min_size=1, max_size=8), kept=st.floats(0, 1))
def test_invariant_pram_keeps_frequencies(counts: list[int], kept: float) -> None:
    """Rows are probabilities, and f R = f: of each category as many are expected as there were: a matrix identity."""
    frequencies = np.array(counts) / sum(counts)
    plain = transitions(frequencies, kept)
    matrix = invariant(plain, frequencies)
    for each in (plain, matrix):
        assert (each >= 0).all()
        np.testing.assert_allclose(each.sum(axis=1), 1.0)
    np.testing.assert_allclose(frequencies @ matrix, frequencies, atol=1e-12)
    if len(counts) > 1:
        np.testing.assert_allclose(np.diag(plain), kept)


def test_pram_draws_with_its_probabilities() -> None:
    """How often each category became each other one is what the matrix says, and frequencies stay."""
    rng = np.random.default_rng(0)
    codes = rng.choice(3, 200_000, p=[0.6, 0.3, 0.1]).astype(float)[:, None]
    codes[:10] = np.nan
    known = codes[10:, 0].astype(int)
    frequencies = np.bincount(known) / len(known)
    for words, matrix in (
        ({"plain": True}, transitions(frequencies, 0.8)),
        ({}, invariant(transitions(frequencies, 0.8), frequencies)),
    ):
        changed = change_codes(codes, 0.8, np.random.default_rng(1), **words)
        assert np.isnan(changed[:10]).all()
        after = changed[10:, 0].astype(int)
        for code in range(3):
            became = np.bincount(after[known == code], minlength=3) / (known == code).sum()
            np.testing.assert_allclose(became, matrix[code], atol=0.01)
        expected = frequencies @ matrix
        np.testing.assert_allclose(np.bincount(after) / len(after), expected, atol=0.005)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("noize:0.1", "Did you mean 'noise'"),
        ("noise", "the share must be a number from 0 to 100"),
        ("swap:500", "the percent must be a number from 0 to 100"),
        ("pram:nan", "the kept must be a number from 0 to 1"),
        ("swap:5:correlated", "takes no words after its percent; got 'correlated'"),
        ("noise:0.1:correlated:correlated", "given twice"),
        (3, "must be written noise:SHARE"),
    ],
)
def test_masks_that_are_none(text: object, message: str) -> None:
    with pytest.raises(InvalidOption, match=message):
        read_mask(text)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", MASKS)
def test_every_mask_has_words_for_people(name: str) -> None:
    mask = MASKS[name]
    assert mask.title
    assert mask.summary
    assert mask.reference
    assert read_mask(":".join([name, "0.5", *mask.words])).title.startswith(mask.title)
