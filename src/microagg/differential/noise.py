"""Noise on whole numbers, drawn exactly: no floating point, whose gaps would tell what was added to what."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from fractions import Fraction

RandomBelow = Callable[[int], int]
"""Gives a whole number from 0 to n - 1, each as likely as any other, that nobody can foresee."""


def discrete_laplace(scale: Fraction, below: RandomBelow = secrets.randbelow) -> int:
    """Draw a whole number z with a probability proportional to exp(-abs(z) / scale).

    The discrete Laplace distribution, also called two-sided geometric: exact for any fraction [1]_, with the random
    numbers of the operating system.

    Parameters
    ----------
    scale : Fraction
        The sensitivity of a sum over epsilon; greater than 0.
    below : callable
        Where random numbers come from.

    References
    ----------
    .. [1] C. L. Canonne, G. Kamath, T. Steinke. The discrete Gaussian for differential privacy. NeurIPS 2020,
       algorithm 2.

    Examples
    --------
    >>> import random
    >>> draws = [discrete_laplace(Fraction(5, 2), random.Random(1).randrange) for _ in range(3)]
    >>> all(isinstance(draw, int) for draw in draws)
    True
    """
    t, s = scale.numerator, scale.denominator
    while True:
        remainder = below(t)
        if not _bernoulli_exp(remainder, t, below):
            continue
        whole = 0
        while _bernoulli_exp(1, 1, below):
            whole += 1
        size = (remainder + t * whole) // s
        negative = below(2) == 1
        if negative and size == 0:
            continue  # else zero would be twice as likely as it should
        return -size if negative else size


def _bernoulli_exp(numerator: int, denominator: int, below: RandomBelow) -> bool:
    """Give True with probability exp(-numerator / denominator), of a fraction from 0 to 1."""
    trials = 1
    while below(denominator * trials) < numerator:
        trials += 1
    return trials % 2 == 1
