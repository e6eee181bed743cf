"""Additive noise: normal random numbers added to numbers."""

from __future__ import annotations

import numpy as np

from microagg.base.types import FloatArray
from microagg.errors import InvalidData
from microagg.mask.mask import Mask


def add_noise(
    values: FloatArray,
    share: float,
    random: np.random.Generator,
    *,
    correlated: bool = False,
    corrected: bool = False,
) -> FloatArray:
    """Add normal noise whose variance is a share of that of each column.

    Means stay in expectation, and variances grow by the factor 1 + share. Uncorrelated noise leaves covariances as they
    are, so correlations shrink; correlated noise has a covariance proportional to that of the data, so all covariances
    grow by the same factor and correlations stay [1]_. Corrected values are drawn back to the mean by 1 / sqrt(1 +
    share): variances stay too; with correlated noise, so do all covariances [1]_ [2]_.

    Parameters
    ----------
    values : array of shape (n, q)
        Numbers, NaN where missing.
    share : float
        The variance of the noise, as a share of that of the column.
    random : Generator
        Where the noise comes from.
    correlated : bool
        Whether the noise of the columns is correlated as they are.
    corrected : bool
        Whether variances are kept.

    Returns
    -------
    array of shape (n, q)

    References
    ----------
    .. [1] J. J. Kim. A method for limiting disclosure in microdata based on random noise and transformation.
       Proceedings of the Section on Survey Research Methods, American Statistical Association (1986) 370-374.
    .. [2] P. Tendick, N. Matloff. A modified random perturbation method for database security. ACM Transactions on
       Database Systems 19 (1994) 47-63.

    Examples
    --------
    >>> add_noise(np.array([[1.0], [1.0], [np.nan]]), 0.1, np.random.default_rng(0)).tolist()
    [[1.0], [1.0], [nan]]
    """
    with np.errstate(invalid="ignore"):
        mean = np.nanmean(np.where(np.isnan(values).all(axis=0), 0.0, values), axis=0)
    drawn = random.standard_normal(values.shape)
    if correlated:
        complete = values[~np.isnan(values).any(axis=1)]
        if len(complete) < 2:
            raise InvalidData("correlated noise needs at least two records that lack none of its columns.")
        noise = drawn @ _root(np.atleast_2d(np.cov(complete, rowvar=False))).T
    else:
        noise = drawn * _deviations(values)
    masked: FloatArray = values + np.sqrt(share) * noise
    return mean + (masked - mean) / np.sqrt(1.0 + share) if corrected else masked


def _deviations(values: FloatArray) -> FloatArray:
    """Give the standard deviation of each column (ddof=1); 0 where fewer than two values are known."""
    known = [column[~np.isnan(column)] for column in values.T]
    return np.array([column.std(ddof=1) if len(column) > 1 else 0.0 for column in known])


def _root(covariance: FloatArray) -> FloatArray:
    """Give a matrix whose product with its transpose is the covariance, also where that is singular."""
    eigenvalues, vectors = np.linalg.eigh(covariance)
    root: FloatArray = vectors * np.sqrt(np.maximum(eigenvalues, 0.0))
    return root


MASK = Mask(
    name="noise",
    function=add_noise,
    title="Additive noise",
    summary="adds normal random numbers; their variance is a share of that of the column",
    reference="Kim 1986; Tendick and Matloff 1994",
    amount="share",
    least=0.0,
    most=100.0,
    words={
        "correlated": "the noise of all columns with this mask is correlated as they are",
        "corrected": "variances are kept",
    },
)
