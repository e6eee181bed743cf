"""Limits on measures, such as average_risk<=5%, and the measures that can be limited or used as an axis."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from microagg import risk, utility
from microagg.errors import InvalidOption
from microagg.measures import Measure

LOSSES = utility.MEASURES
RISKS = risk.MEASURES


def lower_is_better(name: str) -> bool:
    """Whether less of a measure is better: of almost every one."""
    return _measure(name).lower_is_better


def unit_of(name: str) -> str:
    """Give the unit of a loss or risk."""
    return _measure(name).unit


def title_of(name: str) -> str:
    """Give the name of a loss or risk for people."""
    return _measure(name).title


def _measure(name: str) -> Measure:
    return RISKS.get(name) or LOSSES[name]


def read_amount(text: str, what: str) -> float:
    """Read a finite number.

    >>> read_amount("2.5", "the limit")
    2.5
    """
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InvalidOption(f"{what} must be a number; got {text!r}.")
    return value


@dataclass(frozen=True)
class Limit:
    """A bound that a release must keep, such as average_risk<=5.

    Attributes
    ----------
    name : str
        A loss or risk by its name: LOSSES, RISKS.
    at_most : bool
        True for <=, False for >=.
    value : float
        The bound, in the unit of the measure.
    """

    name: str
    at_most: bool
    value: float

    def __post_init__(self) -> None:
        if self.name not in LOSSES and self.name not in RISKS:
            raise InvalidOption(
                f"a limit must name a loss ({', '.join(LOSSES)}) or a risk ({', '.join(RISKS)}); got {self.name!r}."
            )

    @classmethod
    def parse(cls, text: str) -> Limit:
        """Read a limit as people write it.

        >>> Limit.parse("average_risk <= 5%"), str(Limit.parse("smallest_class>=5"))
        (Limit(name='average_risk', at_most=True, value=5.0), 'smallest_class >= 5')
        """
        parts = re.fullmatch(r"\s*(\w+)\s*(<=|>=)\s*([-+.\w]+?)\s*(%?)\s*", text)
        if parts is None:
            raise InvalidOption(
                f"a limit must be written NAME<=VALUE or NAME>=VALUE, such as average_risk<=5%; got {text!r}."
            )
        name, sign, number, percent = parts.groups()
        limit = cls(name, sign == "<=", read_amount(number, f"the limit of {name}"))
        if percent and unit_of(name) != "percent":
            raise InvalidOption(f"{name} is not measured in percent: write the limit without %; got {text!r}.")
        return limit

    def __str__(self) -> str:
        sign = "%" if unit_of(self.name) == "percent" else ""
        return f"{self.name} {'<=' if self.at_most else '>='} {self.value:g}{sign}"

    @property
    def words(self) -> str:
        """The limit as people say it.

        >>> Limit.parse("average_risk<=5%").words
        'average risk at most 5%'
        """
        sign = "%" if unit_of(self.name) == "percent" else ""
        return f"{title_of(self.name).lower()} at {'most' if self.at_most else 'least'} {self.value:g}{sign}"

    def keeps(self, values: Mapping[str, float]) -> bool:
        """Whether these values are within the limit; what is undefined is not."""
        value = values.get(self.name, math.nan)
        return value <= self.value if self.at_most else value >= self.value


def amount(name: str, value: float) -> str:
    """Write the value of a measure with its unit."""
    return f"{value:.4g}{' %' if unit_of(name) == 'percent' else ''}"
