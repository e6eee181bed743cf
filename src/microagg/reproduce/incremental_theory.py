"""Figures 8 to 10, 12 and 13 of the paper on incremental microaggregation: what the planner's closed forms say."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from microagg.base.types import FloatArray
from microagg.incremental import planner
from microagg.reproduce.charts import Series, curves

ZETAS = 5.0 * np.linspace(0.0, 1.0, 101) ** 2
"""How slowly records arrive, from at once to five times the time of one run; most points where curves are steep."""
RATIOS = np.linspace(0.0, 1.0, 101)
SOME_ZETAS = (0.0, 0.1, planner.CRITICAL_ZETA, 1.0, 2.0, 5.0)
"""Those for which Figure 10 shows the gain."""
ZETA = "time in which all records arrive (zeta), relative to one run"
SHARE = "share of the second stage (nu), percent"


def discriminant(zeta: FloatArray) -> FloatArray:
    """Give (2 + zeta)^2 - 8 (1 - tau_end), tau_end being the earliest deadline: 0 up to zeta_-, as Figure 13 shows.

    >>> discriminant(np.array([0.0, 0.2, 1.0])).round(3).tolist()
    [0.0, 0.0, 2.167]
    """
    # Up to zeta_- it is 0, give or take a rounding.
    return np.maximum((2.0 + zeta) ** 2 - 8.0 * (1.0 - planner.earliest_deadline(zeta)), 0.0)


def draw_theory() -> dict[str, str]:
    """Draw the figures, SVG by file name."""
    shares = [
        _over_zeta("critical share nu_-", lambda zeta: 100 * planner.critical_ratio(zeta)),
        _over_zeta("1 / (2 + zeta)", lambda zeta: 100 * planner.critical_ratio_slow(zeta), dashed=True),
    ]
    optimal = [
        _over_zeta("optimal share nu*", lambda zeta: 100 * planner.optimal_ratio(zeta)),
        _over_zeta("critical share nu_-", lambda zeta: 100 * planner.critical_ratio(zeta), dashed=True),
        Series("zeta_-", ((planner.CRITICAL_ZETA, 100 * float(planner.optimal_ratio(planner.CRITICAL_ZETA))),)),
    ]
    gains = []
    for zeta in SOME_ZETAS:
        heights = planner.gain(RATIOS, zeta)
        name = "zeta_- = 0.309" if zeta == planner.CRITICAL_ZETA else f"zeta = {zeta:g}"
        gains.append(Series(name, _points(100 * RATIOS, heights), marks=False))
    best = _points(100 * planner.optimal_ratio(ZETAS), planner.optimal_gain(ZETAS))
    gains.append(Series("optimal share", best, dashed=True))
    return {
        "incremental-08-theory.svg": curves("Critical share and its approximation", ZETA, SHARE, shares),
        "incremental-09-theory.svg": curves("Optimal share", ZETA, SHARE, optimal),
        "incremental-10-theory.svg": curves(
            "Time gained by share, for arrivals of several speeds", SHARE, "time gained, relative to one run", gains
        ),
        "incremental-12-theory.svg": curves(
            "Earliest deadline",
            ZETA,
            "time after closing (tau_end), relative to one run",
            [_over_zeta("earliest deadline", planner.earliest_deadline)],
        ),
        "incremental-13-theory.svg": curves(
            "Discriminant of the share for the earliest deadline",
            ZETA,
            "(2 + zeta)^2 - 8 (1 - tau_end)",
            [_over_zeta("discriminant", discriminant)],
        ),
    }


def _over_zeta(name: str, height: Callable[[FloatArray], FloatArray], *, dashed: bool = False) -> Series:
    return Series(name, _points(ZETAS, height(ZETAS)), dashed=dashed, marks=False)


def _points(across: FloatArray, up: FloatArray) -> tuple[tuple[float, float], ...]:
    return tuple((float(x), float(y)) for x, y in zip(across, up, strict=True))
