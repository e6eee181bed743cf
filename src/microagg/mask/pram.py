"""PRAM: categories change at random, with known probabilities."""

from __future__ import annotations

import numpy as np

from microagg.base.types import FloatArray
from microagg.mask.mask import Mask


def transitions(frequencies: FloatArray, kept: float) -> FloatArray:
    """Give the probabilities with which a category (row) becomes each other one (column): PRAM [1]_.

    A value is kept with probability `kept`; else it becomes another one, in proportion to their frequencies.

    References
    ----------
    .. [1] J. M. Gouweleeuw, P. Kooiman, L. C. R. J. Willenborg, P.-P. de Wolf. Post randomisation for statistical
       disclosure control: theory and implementation. Journal of Official Statistics 14 (1998) 463-478.

    Examples
    --------
    >>> transitions(np.array([0.5, 0.25, 0.25]), 0.8).round(3).tolist()
    [[0.8, 0.1, 0.1], [0.133, 0.8, 0.067], [0.133, 0.067, 0.8]]
    """
    n_values = len(frequencies)
    if n_values == 1:
        return np.ones((1, 1))
    others = np.where(np.eye(n_values, dtype=np.bool_), 0.0, frequencies)
    matrix: FloatArray = (1.0 - kept) * others / others.sum(axis=1, keepdims=True)
    np.fill_diagonal(matrix, kept)
    return matrix


def invariant(matrix: FloatArray, frequencies: FloatArray) -> FloatArray:
    """Give a matrix that leaves the expected frequencies as they are: the two-stage form of Gouweleeuw et al. 1998.

    After P, a value k comes from l with probability Q[k, l] = P[l, k] f[l] / sum_j P[j, k] f[j]. R = P Q then keeps the
    frequencies: f R = f.

    >>> f = np.array([0.5, 0.3, 0.2])
    >>> bool(np.allclose(f @ invariant(transitions(f, 0.7), f), f))
    True
    """
    arrived = matrix.T * frequencies
    totals = arrived.sum(axis=1, keepdims=True)
    back = np.divide(arrived, totals, out=np.eye(len(frequencies)), where=totals > 0)
    kept: FloatArray = matrix @ back
    return kept


def change_codes(values: FloatArray, kept: float, random: np.random.Generator, *, plain: bool = False) -> FloatArray:
    """Change categories at random, each column on its own; expected frequencies stay as they are unless `plain`.

    Parameters
    ----------
    values : array of shape (n, q)
        Codes from 0, NaN where missing.
    kept : float
        With which probability a value is kept: the diagonal of P in `transitions`. In the invariant form, two steps are
        made with it, so fewer values are kept.
    random : Generator
        What values are drawn from.
    plain : bool
        Draw with P itself: frequent values become rarer in expectation, and rare ones more frequent.

    Returns
    -------
    array of shape (n, q)

    Examples
    --------
    >>> change_codes(np.array([[0.0], [1.0], [np.nan]]), 1.0, np.random.default_rng(0)).tolist()
    [[0.0], [1.0], [nan]]
    """
    changed = values.copy()
    for column in range(values.shape[1]):
        known = np.flatnonzero(~np.isnan(values[:, column]))
        if not len(known):
            continue
        present, codes, counts = np.unique(values[known, column], return_inverse=True, return_counts=True)
        frequencies = counts / len(known)
        matrix = transitions(frequencies, kept)
        if not plain:
            matrix = invariant(matrix, frequencies)
        drawn = random.random(len(known))
        for code in range(len(present)):
            here = codes == code
            bounds = np.cumsum(matrix[code])
            places = np.searchsorted(bounds[:-1], drawn[here], side="right")
            changed[known[here], column] = present[places]
    return changed


MASK = Mask(
    name="pram",
    function=change_codes,
    title="PRAM",
    summary="categories change at random, in proportion to their frequencies, which stay the same in expectation",
    reference="Gouweleeuw, Kooiman, Willenborg and de Wolf 1998",
    amount="kept",
    least=0.0,
    most=1.0,
    takes="categories",
    words={"plain": "with the probabilities as they are, so that expected frequencies change"},
)
