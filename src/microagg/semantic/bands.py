"""Bands of numbers and their names: "30-39" of whole numbers, "[30, 40)" of others, "under 18" and "65 or more"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise

import numpy as np

from microagg.base.types import FloatArray
from microagg.errors import InvalidData

MOST_BANDS = 10_000
"""So many bands there can be between the lowest and the highest number."""


@dataclass(frozen=True)
class Bands:
    """Bands of one width, from 0 on in both directions, or between cut points, open at both ends.

    A number on the border of two bands is in the upper one.

    Attributes
    ----------
    width : float, optional
        How wide each band is; None where there are cut points.
    cuts : tuple of float
        The cut points, ascending.
    whole : bool
        Whether the numbers are whole, so that names may say the last one of a band.

    Examples
    --------
    >>> tens = Bands(width=10.0, whole=True)
    >>> tens.places(np.array([39.0, 40.0])).tolist(), tens.names(3, 4)
    ([3.0, 4.0], ('30-39', '40-49'))
    >>> Bands(cuts=(18.0, 65.0), whole=True).names(0, 2)
    ('under 18', '18-64', '65 or more')
    >>> Bands(width=0.1).names(2, 3)
    ('[0.2, 0.3)', '[0.3, 0.4)')
    """

    width: float | None = None
    cuts: tuple[float, ...] = ()
    whole: bool = False

    def places(self, values: FloatArray) -> FloatArray:
        """Give the number of the band of each value; NaN where it is missing."""
        if self.width is None:
            inside = np.searchsorted(np.array(self.cuts), values, side="right").astype(np.float64)
            return np.where(np.isnan(values), np.nan, inside)
        places = np.floor(values / self.width)
        # 0.3 / 0.1 is a little less than 3: the borders as they are named decide.
        places = np.where(values >= self._borders(places + 1), places + 1, places)
        below: FloatArray = np.where(values < self._borders(places), places - 1, places)
        return below

    def _borders(self, places: FloatArray) -> FloatArray:
        """Give the lower borders of bands, as decimal numbers name them."""
        width = self.width or 0.0
        decimals = max(0, -int(Decimal(repr(width)).as_tuple().exponent))
        borders: FloatArray = np.round(places * width, min(decimals, 300))
        return borders

    def names(self, first: int, last: int) -> tuple[str, ...]:
        """Give the names of the bands of these numbers, both included."""
        if self.width is not None:
            borders = self._borders(np.arange(first, last + 2, dtype=np.float64)).tolist()
            return _between(borders, self.whole)
        every = (
            f"under {plain_number(self.cuts[0])}",
            *_between(self.cuts, self.whole),
            f"{plain_number(self.cuts[-1])} or more",
        )
        return every[first : last + 1]


def check_bands(name: str, first: float, last: float) -> None:
    """Refuse more bands than anybody could read."""
    if last - first >= MOST_BANDS:
        raise InvalidData(
            f"column {name!r} would have more than {MOST_BANDS:,} bands between its lowest and its highest number. "
            "Choose wider bands, give cut points, or code the ends first (top:LIMIT, bottom:LIMIT)."
        )


def _between(borders: Sequence[float], whole: bool) -> tuple[str, ...]:
    pairs = list(pairwise(borders))
    if not whole:
        return tuple(f"[{plain_number(low)}, {plain_number(high)})" for low, high in pairs)
    to = " to " if borders[0] < 0 else "-"
    return tuple(
        plain_number(low) if high - low == 1 else f"{plain_number(low)}{to}{plain_number(high - 1)}"
        for low, high in pairs
    )


def plain_number(value: float) -> str:
    """Write a number without a point where it is whole.

    >>> plain_number(30.0), plain_number(0.5)
    ('30', '0.5')
    """
    return f"{value:.0f}" if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))
