"""Generated records: from the seed alone, and of the distribution that the name promises."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from checks import data_folder

from microagg.base.types import FloatArray
from microagg.datasets import census_like, clustered, gaussian, load, uniform
from microagg.datasets.generators import census_covariance, census_mean
from microagg.errors import InvalidOption

GENERATORS: dict[str, Callable[[int, int], FloatArray]] = {
    "gaussian": lambda n, seed: gaussian(n, 4, seed=seed),
    "uniform": lambda n, seed: uniform(n, 4, seed=seed),
    "clustered": lambda n, seed: clustered(n, 4, 5, seed=seed),
    "census_like": lambda n, seed: census_like(n, seed=seed),
}


@pytest.mark.parametrize("make", GENERATORS.values(), ids=GENERATORS)
def test_the_seed_decides_everything(make: Callable[[int, int], FloatArray]) -> None:
    X = make(50, 1)
    assert X.shape[0] == 50
    assert X.dtype == np.float64
    assert X.flags.c_contiguous
    assert np.array_equal(X, make(50, 1))
    assert not np.array_equal(X, make(50, 2))


@pytest.mark.parametrize("make", GENERATORS.values(), ids=GENERATORS)
@pytest.mark.parametrize(("n", "seed"), [(0, 1), (-3, 1), (2.5, 1), (True, 1), (50, -1), (50, None)])
def test_bad_sizes_and_seeds(make: Callable[[int, int], FloatArray], n: int, seed: int) -> None:
    with pytest.raises(InvalidOption, match="whole number"):
        make(n, seed)


def test_gaussian_and_uniform_moments() -> None:
    """Bounds of five standard errors of the mean and of the variance."""
    n = 20_000
    X, U = gaussian(n, 3, seed=0), uniform(n, 3, seed=0)
    assert np.abs(X.mean(axis=0)).max() < 5 / np.sqrt(n)
    assert np.abs(X.var(axis=0) - 1).max() < 5 * np.sqrt(2 / n)
    assert np.abs(U.mean(axis=0) - 0.5).max() < 5 * np.sqrt(1 / 12 / n)
    assert U.min() >= 0
    assert U.max() < 1


def test_clustered_lies_around_its_centres() -> None:
    on_centre = clustered(500, 2, 4, seed=3, spread=0.0)
    around = clustered(500, 2, 4, seed=3, spread=0.01)
    assert len(np.unique(on_centre, axis=0)) == 4
    assert np.std(around - on_centre) == pytest.approx(0.01, rel=0.1)
    with pytest.raises(InvalidOption, match="spread"):
        clustered(5, 2, 2, seed=0, spread=-1.0)


@pytest.mark.parametrize("n", [14, 100, 5000])
def test_census_like_has_mean_and_covariance_of_census(n: int) -> None:
    X = census_like(n, seed=n)
    deviation = np.sqrt(np.diag(census_covariance()))
    assert X.mean(axis=0) == pytest.approx(census_mean(), rel=1e-9)
    scaled = (np.cov(X.T) - census_covariance()) / np.outer(deviation, deviation)
    assert np.abs(scaled).max() < 1e-9


def test_census_like_keeps_the_identity_of_census() -> None:
    """PTOTVAL is POTHVAL plus PEARNVAL in every record, so its covariance is singular, and so is ours."""
    X = census_like(200, seed=0)
    assert X[:, 4] == pytest.approx(X[:, 7] + X[:, 9], rel=1e-6, abs=1.0)


def test_census_like_needs_more_records_than_columns() -> None:
    with pytest.raises(InvalidOption, match="at least 14"):
        census_like(13, seed=0)


def test_embedded_moments_are_those_of_census(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = data_folder()
    monkeypatch.setenv("MICROAGG_DATA", str(folder))
    X = load("census", download=False).X
    assert census_mean() == pytest.approx(X.mean(axis=0), rel=1e-12)
    assert census_covariance() == pytest.approx(np.cov(X.T), rel=1e-10)
