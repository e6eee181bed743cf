"""What two stages cost in loss: measured on a sample, for any share of the second stage."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from microagg.base.checks import check_records
from microagg.base.groups import squared_error
from microagg.errors import InvalidOption
from microagg.incremental.two_stage import check_stages, two_stage
from microagg.partition import partition

RATIOS = (0.05, 0.1, 0.2, 0.4, 0.6, 0.8)
"""The shares of the second stage that are tried."""

Price = Callable[[float], float]
"""From the share of the second stage to the expected increase of the information loss, in percent of one run's."""


@dataclass(frozen=True)
class MeasuredPrice:
    """How much more loss two stages have than one run: straight lines between measured points, from nothing at 0.

    Attributes
    ----------
    ratios : tuple of float
        Shares of the second stage, ascending, above 0.
    increases : tuple of float
        By how many percent the information loss of one run grows with them.
    """

    ratios: tuple[float, ...]
    increases: tuple[float, ...]

    def __call__(self, ratio: float) -> float:
        """Give the increase for a share; beyond the last point, that of the last.

        >>> MeasuredPrice((0.1, 0.2), (4.0, 6.0))(0.05)
        2.0
        """
        return float(np.interp(ratio, (0.0, *self.ratios), (0.0, *self.increases)))


def increase(before: float, after: float) -> float:
    """Give by how many percent a squared error has grown; infinite where there was none before.

    >>> increase(4.0, 5.0), increase(0.0, 0.0), increase(0.0, 1.0)
    (25.0, 0.0, inf)
    """
    if before > 0:
        return 100.0 * (after / before - 1.0)
    return math.inf if after > 0 else 0.0


def measure_price(
    X: npt.ArrayLike,
    k: int,
    *,
    base: str = "mdav",
    rest: str = "mdav",
    base_options: Mapping[str, Any] | None = None,
    rest_options: Mapping[str, Any] | None = None,
    refine: str | None = None,
    refine_options: Mapping[str, Any] | None = None,
    ratios: Sequence[float] = RATIOS,
    seed: int = 0,
    threads: int | None = None,
) -> MeasuredPrice:
    """Run two stages and one run on a sample, and compare their information loss.

    The increase depends on the share of the second stage much more than on the number of records, so that a sample
    of some thousand tells it for all.

    Parameters
    ----------
    X : array of shape (n, m)
        Records like those to come, in the order of their arrival.
    k, base, rest, base_options, rest_options, refine, refine_options, seed, threads
        As in `two_stage`. One run is `partition(X, k, method=base, refine=refine)`.
    ratios : sequence of float
        The shares to try, between 0 and 1; each stage has at least k records.

    Returns
    -------
    MeasuredPrice

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(2000, 15))
    >>> price = measure_price(X, k=10, ratios=[0.1, 0.3])
    >>> 3 < price(0.1) < price(0.2) < price(0.3) < 12
    True
    """
    X = check_records(X, k)
    check_stages(base, base_options, rest, rest_options, refine, refine_options)
    n = X.shape[0]
    shares = sorted(set(ratios))
    for ratio in shares:
        if not k <= round(n * ratio) <= n - k:
            raise InvalidOption(f"ratios must leave at least k={k} of {n} records to each stage; got {ratio!r}.")
    common: dict[str, Any] = {"refine": refine, "refine_options": refine_options, "seed": seed, "threads": threads}
    error = squared_error(X, partition(X, k, method=base, **common, **(base_options or {})))
    increases = []
    for ratio in shares:
        labels = two_stage(
            X,
            k,
            n - round(n * ratio),
            base=base,
            rest=rest,
            base_options=base_options,
            rest_options=rest_options,
            **common,
        )
        increases.append(increase(error, squared_error(X, labels)))
    return MeasuredPrice(tuple(shares), tuple(increases))
