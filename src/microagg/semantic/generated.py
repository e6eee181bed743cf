"""Hierarchies that follow from the values themselves: nested bands of numbers, prefixes of texts, parts of dates."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from microagg.base.options import hint
from microagg.errors import InvalidData, InvalidOption
from microagg.semantic.bands import Bands, plain_number
from microagg.semantic.days import PARTS, moment_of, name_of, numbers_of
from microagg.semantic.hierarchy import Hierarchy

ROOT = "*"
"""The most general name: anything."""

EPOCH = datetime.datetime(1970, 1, 1)


def from_bands(values: Iterable[float], widths: Sequence[float]) -> Hierarchy:
    """Put bands above numbers, wider ones above narrower ones, and `*` above all.

    Parameters
    ----------
    values : iterable of float
        The numbers, which become the leaves: 30, 31.5.
    widths : sequence of float
        How wide the bands of each level are; each a multiple of the one before.

    Returns
    -------
    Hierarchy

    Examples
    --------
    >>> print(from_bands([31, 38, 45], widths=[5, 10]).draw())
    *
    ├── 30-39
    │   ├── 30-34
    │   │   └── 31
    │   └── 35-39
    │       └── 38
    └── 40-49
        └── 45-49
            └── 45
    """
    numbers = np.array(list(dict.fromkeys(float(value) for value in values)))
    if not len(numbers) or not np.isfinite(numbers).all():
        raise InvalidData("bands can be put above finite numbers only, at least one.")
    given = [float(width) for width in sorted(set(widths))]
    if not given or not 0 < given[0] <= given[-1] < math.inf or any(_do_not_nest(*pair) for pair in pairwise(given)):
        told = ", ".join(map(str, widths))
        raise InvalidOption(f"the widths of bands must be above 0, each a multiple of the one before; got {told}.")
    whole = all(number.is_integer() for number in [*numbers.tolist(), *given])
    levels = []
    for width in given:
        bands = Bands(width=width, whole=whole)
        places = bands.places(numbers).astype(np.int64).tolist()
        # All bands of a level are written alike.
        to = " to " if min(places) < 0 else "-"
        levels.append([bands.names(place, place)[0] if place < 0 else _named(bands, place, to) for place in places])
    return _above([plain_number(number) for number in numbers.tolist()], levels)


def _do_not_nest(narrow: float, wide: float) -> bool:
    return (Fraction(str(wide)) / Fraction(str(narrow))).denominator > 1


def _named(bands: Bands, place: int, to: str) -> str:
    (name,) = bands.names(place, place)
    return name.replace("-", to) if bands.whole else name


def from_prefixes(values: Iterable[str], lengths: Sequence[int]) -> Hierarchy:
    """Put prefixes above texts, shorter ones above longer ones, and `*` above all.

    Parameters
    ----------
    values : iterable of str
        The texts, such as postcodes.
    lengths : sequence of int
        How many characters the prefixes of each level have.

    Returns
    -------
    Hierarchy

    Examples
    --------
    >>> print(from_prefixes(["98107", "98115", "02134"], lengths=[3, 1]).draw())
    *
    ├── 9*
    │   └── 981*
    │       ├── 98107
    │       └── 98115
    └── 0*
        └── 021*
            └── 02134
    """
    texts = list(dict.fromkeys(values))
    given = sorted(set(lengths), reverse=True)
    if not given or given[-1] < 1 or not all(isinstance(length, int) for length in given):
        raise InvalidOption(f"prefixes must have at least 1 character each; got {', '.join(map(str, lengths))}.")
    return _above(texts, [[f"{text[:n]}*" if len(text) > n else text for text in texts] for n in given])


def from_dates(values: Iterable[Any], parts: Sequence[str] = PARTS) -> Hierarchy:
    """Put months above days, quarters above months, years above quarters, and `*` above all.

    Parameters
    ----------
    values : iterable of date, datetime or str
        The dates; texts are read as `microagg` reads dates in text files. The leaves are their texts.
    parts : sequence of str
        Which of month, quarter and year; all by default.

    Returns
    -------
    Hierarchy

    Examples
    --------
    >>> print(from_dates(["2019-08-29", "2019-09-01", "2020-01-07"], parts=["month", "year"]).draw())
    *
    ├── 2019
    │   ├── 2019-08
    │   │   └── 2019-08-29
    │   └── 2019-09
    │       └── 2019-09-01
    └── 2020
        └── 2020-01
            └── 2020-01-07
    """
    texts = list(dict.fromkeys(str(value) for value in values))
    for part in parts:
        if part not in PARTS:
            raise InvalidOption(f"parts of dates are {', '.join(PARTS)}; got {part!r}.{hint(part, PARTS)}")
    if not parts:
        raise InvalidOption(f"name at least one part of dates: {', '.join(PARTS)}.")
    moments = moment_of(texts, "date")
    if not texts or moments is None:
        raise InvalidData("parts can be put above dates only, all of them written in one known form.")
    seconds = np.array([(moment - EPOCH).total_seconds() for moment in moments])
    chosen = [part for part in PARTS if part in parts]
    return _above(texts, [[name_of(n, part) for n in numbers_of(seconds, part).tolist()] for part in chosen])


def _above(leaves: Sequence[str], levels: Sequence[Sequence[str]]) -> Hierarchy:
    """Build the hierarchy in which each leaf has its names of all levels above it, the nearest first."""
    edges: dict[tuple[str, str], None] = {}
    for names in zip(leaves, *levels, strict=True):
        chain = list(dict.fromkeys([*names, ROOT]))
        edges.update(dict.fromkeys(pairwise(chain)))
    return Hierarchy.from_edges(edges) if edges else Hierarchy((ROOT,), ((),))


@dataclass(frozen=True)
class Generated:
    """A hierarchy that will be made of the values of a column, once they are known.

    Attributes
    ----------
    word : str
        "bands", "prefix" or "parts".
    levels : tuple
        Widths, lengths or parts.
    """

    word: str
    levels: tuple[Any, ...]

    def hierarchy(self, name: str, texts: Sequence[str], *, numbers: bool) -> Hierarchy:
        """Give the hierarchy of the values of a column, as texts; `numbers`: they are stored as such."""
        try:
            if self.word == "bands":
                if not numbers:
                    raise InvalidData("bands need numbers. Use prefix:3,2,1, or hierarchy:FILE.")
                return from_bands(map(float, texts), self.levels)
            if self.word == "parts":
                return from_dates(texts, self.levels)
            if numbers and len({len(text) for text in texts}) > 1:
                raise InvalidData(
                    "prefixes need text, or numbers of the same number of digits; zeros before the others may have "
                    "been lost. Read the column as text, or use bands."
                )
            return from_prefixes(texts, self.levels)
        except InvalidData as error:
            raise InvalidData(f"column {name!r}: {error}") from error


def _whole_number(text: str) -> int:
    if not text.isdecimal():
        raise ValueError(text)
    return int(text)


_READ: dict[str, tuple[Callable[[str], Any], Callable[..., Hierarchy], list[Any], str]] = {
    "bands": (float, from_bands, [0.0], "bands:5,10,20"),
    "prefix": (_whole_number, from_prefixes, ["a"], "prefix:3,2,1"),
    "parts": (str.lower, from_dates, ["2019-08-29"], "parts:month,quarter,year"),
}
"""How levels are read, what makes a hierarchy of them, values on which that is tried, and how it is written."""
GENERATED = tuple(example for *_, example in _READ.values())
"""How generated hierarchies are asked for."""


def read_generated(text: str) -> Generated | None:
    """Read what asks for a generated hierarchy; None where the text is about something else.

    >>> read_generated("bands:5,10")
    Generated(word='bands', levels=(5.0, 10.0))
    >>> read_generated("nominal") is None
    True
    """
    word, _, rest = text.partition(":")
    if word not in _READ:
        return None
    read, make, value_of_it, example = _READ[word]
    try:
        levels = tuple(read(part.strip()) for part in rest.split(","))
        # What is wrong with the levels themselves is said by those who use them.
        make(value_of_it, levels)
    except ValueError as error:
        said = f" {error}" if isinstance(error, InvalidOption) else ""
        raise InvalidOption(f"a generated hierarchy must be written like {example}; got {text!r}.{said}") from error
    return Generated(word, levels)
