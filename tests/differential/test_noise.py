"""Noise on whole numbers: exactly of the distribution that the proof is about."""

import math
from collections import Counter
from fractions import Fraction
from random import Random

import numpy as np
import pytest
from scipy import stats

from microagg.differential import discrete_laplace


@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(1), Fraction(7, 2), Fraction(40)])
def test_probabilities(scale):
    """Each whole number comes as often as exp(-abs(z) / scale) says; a chi-square test of seeded draws."""
    below, n = Random(7).randrange, 20_000  # noqa: S311
    counts = Counter(discrete_laplace(scale, below) for _ in range(n))
    ratio = math.exp(-1 / float(scale))
    spread = max(1, math.ceil(3 * float(scale)))
    inside = range(-spread, spread + 1)
    chances = np.array([(1 - ratio) / (1 + ratio) * ratio ** abs(z) for z in inside])
    expected = np.append(chances, 1 - chances.sum()) * n
    observed = np.array([counts[z] for z in inside] + [n - sum(counts[z] for z in inside)])
    enough = expected > 5
    expected, observed = (np.append(part[enough], part[~enough].sum()) for part in (expected, observed.astype(float)))
    keep = expected > 0
    assert stats.chisquare(observed[keep], expected[keep]).pvalue > 1e-4


def test_a_wrong_distribution_is_seen():
    """The test above would see a zero that is twice as likely: the mistake that the sampler must avoid."""
    ratio, n = math.exp(-1.0), 20_000
    right = (1 - ratio) / (1 + ratio) * n
    below = Random(3).randrange  # noqa: S311
    zeros = sum(discrete_laplace(Fraction(1), below) == 0 for _ in range(n))
    assert abs(zeros - right) < 5 * math.sqrt(right)
    assert abs(zeros - 2 * right / (1 + right / n)) > 5 * math.sqrt(right)


def test_large_scales_are_exact():
    """Whole numbers of any size: nothing overflows."""
    draw = discrete_laplace(Fraction(10**30, 7), Random(1).randrange)  # noqa: S311
    assert isinstance(draw, int)
