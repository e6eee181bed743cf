"""Rank swapping: values change places with others of nearly the same rank."""

from __future__ import annotations

import numpy as np

from microagg.base.types import FloatArray
from microagg.errors import InvalidOption
from microagg.mask.mask import Mask

TRIES = 16
"""How often a partner is drawn before all that are left in the window are looked through."""


def swap_ranks(values: FloatArray, percent: float, random: np.random.Generator) -> FloatArray:
    """Let every value change places with one whose rank is at most so many percent of the records away [1]_.

    Each column on its own: values in ascending order, ties in random order, each that has not changed places yet with
    one drawn from those after it that have not, at most percent * n / 100 ranks away. The values of a column stay the
    same ones, so that all that can be said of one column alone stays true. What is missing stays missing; a value
    without a partner stays where it is.

    Parameters
    ----------
    values : array of shape (n, q)
        Numbers, NaN where missing.
    percent : float
        How far ranks may be apart, in percent of the records that have a value.
    random : Generator
        What partners are drawn from.

    Returns
    -------
    array of shape (n, q)

    References
    ----------
    .. [1] R. A. Moore. Controlled data-swapping techniques for masking public use microdata sets. Statistical Research
       Division Report RR 96-04, U.S. Bureau of the Census (1996).

    Examples
    --------
    >>> swapped = swap_ranks(np.arange(10.0)[:, None], 20, np.random.default_rng(0))
    >>> sorted(swapped.ravel().tolist()) == list(range(10)), float(abs(swapped.ravel() - np.arange(10)).max()) <= 2
    (True, True)
    """
    swapped = values.copy()
    for column in range(values.shape[1]):
        rows = np.flatnonzero(~np.isnan(values[:, column]))
        rows = random.permutation(rows)
        rows = rows[np.argsort(values[rows, column], kind="stable")]
        reach = int(percent * len(rows) / 100)
        if not reach:
            raise InvalidOption(
                f"swap: {percent:g} percent of {len(rows):,} values is less than one rank, so that nothing would move; "
                f"choose at least {100 / max(1, len(rows)):.3g}."
            )
        partners = _partners(len(rows), reach, random)
        swapped[rows, column] = values[rows[partners], column]
    return swapped


def _partners(n: int, reach: int, random: np.random.Generator) -> list[int]:
    """Give the rank with which each rank changes places: itself where there is none left."""
    partner = list(range(n))
    free = [True] * n
    for rank in range(n - 1):
        if not free[rank]:
            continue
        width = min(reach, n - 1 - rank)
        drawn = (rank + 1 + int(random.random() * width) for _ in range(TRIES))
        chosen = next((other for other in drawn if free[other]), None)
        if chosen is None:
            left = [other for other in range(rank + 1, rank + 1 + width) if free[other]]
            chosen = left[int(random.random() * len(left))] if left else rank
        partner[rank], partner[chosen] = chosen, rank
        free[rank] = free[chosen] = False
    return partner


MASK = Mask(
    name="swap",
    function=swap_ranks,
    title="Rank swapping",
    summary="values change places with others of nearly the same rank",
    reference="Moore 1996",
    amount="percent",
    least=0.0,
    most=100.0,
)
