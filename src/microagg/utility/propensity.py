"""Propensity scores: how well a model tells released records from original ones."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from microagg.base.types import FloatArray
from microagg.measures import Case, Finding, Measure
from microagg.models import Design, design_of, logistic
from microagg.models.linear import independent

MOST_COLUMNS = 100
"""How many columns the model takes; a sample that follows from the seed beyond."""


@dataclass(frozen=True)
class Propensity:
    """How well records can be told apart.

    Attributes
    ----------
    pmse : float
        The mean squared gap between the fitted chances of having been released and a half: 0 where nothing can be told,
        0.25 where everything can.
    ratio : float
        The same in units of what it is expected to be where the release is drawn anew, with replacement, from the
        originals; two independent samples of one population give about 2.
    chances : array of 2 n float
        The fitted chances, of the original and then of the released records.
    """

    pmse: float
    ratio: float
    chances: FloatArray


def propensity(made: Design, *, interactions: bool = False) -> Propensity:
    """Fit the chance that a record is a released one by logistic regression on both sides together [1]_.

    The model has each column, the squares of numbers and, if asked for, the products of pairs of columns.

    Parameters
    ----------
    made : Design
        The columns of both sides.
    interactions : bool
        Whether to add the products of pairs of columns.

    Returns
    -------
    Propensity

    References
    ----------
    .. [1] M.-J. Woo, J. P. Reiter, A. Oganian, A. F. Karr. Global measures of data utility for microdata masked for
       disclosure limitation. Journal of Privacy and Confidentiality 1 (2009) 111-124.
    .. [2] J. Snoke, G. M. Raab, B. Nowok, C. Dibben, A. Slavkovic. General and specific utility measures for synthetic
       data. Journal of the Royal Statistical Society A 181 (2018) 663-688: the expectation (k - 1) (1 - c)^2 c / N of k
       coefficients, where c, here a half, is the share of released ones among N records.

    Examples
    --------
    >>> from microagg.semantic.attribute import numeric
    >>> X = np.arange(10.0)[:, None]
    >>> scores = propensity(design_of(X, np.full((10, 1), 4.5), [numeric()], ["x"]))
    >>> 0.05 < scores.pmse < 0.25, propensity(design_of(X, X, [numeric()], ["x"])).pmse < 1e-12
    (True, True)
    """
    linear = np.vstack([made.original, made.released])
    terms = [linear, linear[:, made.is_number] ** 2]
    if interactions:
        pairs = combinations(range(linear.shape[1]), 2)
        terms.append(np.column_stack([linear[:, a] * linear[:, b] for a, b in pairs] or [np.zeros((len(linear), 0))]))
    columns = np.hstack(terms)
    columns -= columns.mean(axis=0)
    lengths = np.sqrt((columns**2).mean(axis=0))
    columns /= np.where(lengths > 0, lengths, 1.0)
    kept = independent(columns.T @ columns / len(columns))
    columns = columns[:, kept]
    n = len(made.original)
    if not kept.any():
        return Propensity(0.0, 0.0, np.full(2 * n, 0.5))
    chances = logistic(columns, np.repeat([0.0, 1.0], n)).chances
    pmse = float(((chances - 0.5) ** 2).mean())
    expected = columns.shape[1] * 0.125 / (2 * n)
    return Propensity(pmse, pmse / expected, chances)


@dataclass(frozen=True)
class _Scores:
    """The error, its ratio and a note; not the chances, which are as long as the data."""

    pmse: float
    ratio: float
    note: str


def _measured(case: Case) -> _Scores:
    places, note = np.arange(len(case.names)), ""
    if len(places) > MOST_COLUMNS:
        places = np.random.default_rng(case.seed).choice(len(places), MOST_COLUMNS, replace=False, shuffle=False)
        places.sort()
        note = f"of a sample of {MOST_COLUMNS} of {len(case.names):,} columns"
    described = [case.attributes[j] for j in places.tolist()], [case.names[j] for j in places.tolist()]
    scores = propensity(design_of(case.original[:, places], case.released[:, places], *described))
    return _Scores(scores.pmse, scores.ratio, note)


def _error(case: Case) -> Finding:
    scores = case.once(_measured)
    return Finding(scores.pmse, note=scores.note)


def _ratio(case: Case) -> Finding:
    scores = case.once(_measured)
    return Finding(scores.ratio, note=scores.note)


PROPENSITY_MSE = Measure(
    name="propensity_mse",
    function=_error,
    title="Propensity score error",
    summary="how well a logistic model tells released from original records: 0 not at all, 0.25 always",
    reference="Woo, Reiter, Oganian and Karr 2009",
    highest=0.25,
    at_most=20_000,
)
PROPENSITY_RATIO = Measure(
    name="propensity_ratio",
    function=_ratio,
    title="Propensity score ratio",
    summary="the same in units of what records drawn anew from the originals would give; grows with their number",
    reference="Snoke, Raab, Nowok, Dibben and Slavkovic 2018",
    at_most=20_000,
)
