"""Records made up from a seed, of any size: for benchmarks, tests and examples."""

from __future__ import annotations

import numpy as np

from microagg.base.checks import check_count, generator
from microagg.base.types import FloatArray
from microagg.errors import InvalidOption


def gaussian(n: int, m: int, *, seed: int) -> FloatArray:
    """Make n records of m independent standard normal columns.

    >>> gaussian(4, 2, seed=0).shape
    (4, 2)
    """
    generator = checked_generator(seed, n=n, m=m)
    return generator.standard_normal((n, m))


def uniform(n: int, m: int, *, seed: int) -> FloatArray:
    """Make n records of m independent columns, uniform between 0 and 1.

    >>> X = uniform(100, 2, seed=0)
    >>> bool(X.min() >= 0 and X.max() < 1)
    True
    """
    generator = checked_generator(seed, n=n, m=m)
    return generator.random((n, m))


def clustered(n: int, m: int, clusters: int, *, seed: int, spread: float = 0.05) -> FloatArray:
    """Make n records around centres that are uniform between 0 and 1.

    Parameters
    ----------
    n, m : int
        Records and columns.
    clusters : int
        How many centres; each record belongs to one, drawn at random.
    seed : int
        Everything follows from it.
    spread : float
        Standard deviation of each column around the centre; 0 puts every record on its centre, so that there are
        many equal records.

    Returns
    -------
    array of shape (n, m)

    Examples
    --------
    >>> len(np.unique(clustered(50, 2, 3, seed=0, spread=0.0), axis=0))
    3
    """
    generator = checked_generator(seed, n=n, m=m, clusters=clusters)
    if not (np.isfinite(spread) and spread >= 0):
        raise InvalidOption(f"spread must be a number of at least 0; got {spread!r}.")
    centres = generator.random((clusters, m))
    members = generator.integers(clusters, size=n)
    records: FloatArray = centres[members] + spread * generator.standard_normal((n, m))
    return records


def census_like(n: int, *, seed: int) -> FloatArray:
    """Make n records with exactly the mean and the covariance of Census, up to rounding.

    The papers' "Large Census" of 149,642 records is such data: synthetic, with the covariance of the 1080 real
    records, made by a generator [1]_ whose sample has the wanted covariance itself and not only in expectation.
    Here normal noise is centred and made uncorrelated as a sample, then given the covariance. So the 13 columns
    depend on each other as those of Census do (one is the sum of two others), but each is normal: there are negative
    amounts, and no outliers. No data are needed: the sums and cross products of Census are part of the package.

    Parameters
    ----------
    n : int
        How many records, at least 14: fewer cannot have such a covariance.
    seed : int
        Everything follows from it.

    Returns
    -------
    array of shape (n, 13)
        The columns of Census in their order.

    References
    ----------
    .. [1] J. M. Mateo-Sanz, A. Martinez-Balleste, J. Domingo-Ferrer. Fast generation of accurate synthetic
       microdata. Privacy in Statistical Databases 2004, 298-306.

    Examples
    --------
    >>> X = census_like(1000, seed=0)
    >>> bool(np.allclose(X.mean(axis=0), census_mean()) and np.allclose(np.cov(X.T), census_covariance()))
    True
    """
    m = len(CENSUS_SUMS)
    generator = checked_generator(seed, n=n)
    if n <= m:
        raise InvalidOption(f"n must be at least {m + 1} to have the covariance of {m} columns; got n={n}.")
    noise = generator.standard_normal((n, m))
    noise -= noise.mean(axis=0)
    covariance = census_covariance()
    deviation = np.sqrt(np.diag(covariance))
    correlation = covariance / np.outer(deviation, deviation)
    # Symmetric roots, because they are unique: the records do not depend on the signs an eigenvalue routine chose.
    shape = symmetric_power(np.cov(noise.T), -0.5) @ symmetric_power(correlation, 0.5)
    records: FloatArray = noise @ (shape * deviation) + census_mean()
    return records


def symmetric_power(matrix: FloatArray, exponent: float) -> FloatArray:
    """Raise a symmetric matrix without negative eigenvalues to a power; those that rounding made negative are 0."""
    values, vectors = np.linalg.eigh(matrix)
    power: FloatArray = (vectors * np.maximum(values, 0.0) ** exponent) @ vectors.T
    return power


def census_mean() -> FloatArray:
    """Give the means of the 13 columns of Census."""
    return np.array([total / CENSUS_RECORDS for total in CENSUS_SUMS])


def census_covariance() -> FloatArray:
    """Give the covariance matrix (ddof=1) of the 13 columns of Census, from whole numbers, so without cancellation."""
    n = CENSUS_RECORDS
    covariance = np.empty((len(CENSUS_SUMS), len(CENSUS_SUMS)))
    for i, row in enumerate(CENSUS_CROSS_PRODUCTS):
        for j, product in enumerate(row):
            centred = n * product - CENSUS_SUMS[i] * CENSUS_SUMS[j]
            covariance[i, j] = covariance[j, i] = centred / (n * (n - 1))
    return covariance


def checked_generator(seed: int, **sizes: int) -> np.random.Generator:
    """Give the random generator of a seed; every size must be a whole number of at least 1."""
    for name, size in sizes.items():
        check_count(name, size)
    return generator(seed)


# Computed from Census, whose values are whole numbers: records, column sums, and the lower triangle of X'X.
CENSUS_RECORDS = 1080
# fmt: off
CENSUS_SUMS: tuple[int, ...] = (
    211722997, 60720579, 3426986, 8148229, 48849306, 2804959, 42889989, 5575208, 1535124, 43274098, 3199657, 42685245,
    41520121,
)
CENSUS_CROSS_PRODUCTS: tuple[tuple[int, ...], ...] = (
    (52567882108907,),
    (11931028871496, 4070825324279),
    (679327228573, 210998686821, 12994668376),
    (1595460348812, 581539428756, 28692400032, 87437392051),
    (9618821487045, 3185689160629, 170976519181, 458578712388, 2700105987460),
    (530015922946, 195595996316, 9700101809, 28800408268, 153450643211, 10884397065),
    (8417051991613, 2965420622113, 150090810818, 433578711066, 2319464004400, 144356070058, 2189339830935),
    (1064577412134, 348280130432, 16040867184, 52069694335, 311883116261, 16900654605, 257717159132, 125130554020),
    (291281168099, 106283191492, 4544543371, 17184255189, 92882424750, 5615315788, 81045219254, 25293607681,
     17362702228),
    (8554244074911, 2837409030197, 154935651997, 406509018053, 2388222871199, 136549988606, 2061746845268,
     186752562241, 67588817069, 2201470308958),
    (632308618650, 206827668148, 11333538643, 29337448903, 172600282865, 9912301956, 149830196822, 13771913250,
     4902739388, 158828369615, 11677367421),
    (8454993440189, 2792673554686, 152876085773, 399276973157, 2347436585086, 134097255720, 2028017031376,
     183969795493, 66514278738, 2163466789593, 155332912581, 2145006068143),
    (8221369352195, 2720235410943, 148946075363, 389011525175, 2286665826356, 130791243506, 1975240030748,
     178263359894, 65303271345, 2108402466462, 151487231170, 2088222506937, 2057562100561),
)
# fmt: on
