"""Columns of any kinds as the columns of a model: standardised numbers, and a 0/1 column for each category."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from microagg.base.schema import Kind
from microagg.base.types import BoolArray, FloatArray, IntArray
from microagg.semantic.attribute import Attribute

MOST_LEVELS = 20
"""Categories of one column that have a 0/1 column of their own; rarer ones share one."""

OTHER = "other"
"""What the rarer categories are called together."""


class Sides(Protocol):
    """Records before and after, as a `Case` holds them."""

    @property
    def original(self) -> FloatArray:
        """Before."""

    @property
    def released(self) -> FloatArray:
        """After."""

    @property
    def attributes(self) -> Sequence[Attribute]:
        """What the columns mean."""

    @property
    def names(self) -> Sequence[str]:
        """Their names."""


def design_of_all(sides: Sides) -> Design:
    """Make the columns of a model of all quasi-identifiers, for several measures: `case.once(design_of_all)`."""
    return design_of(sides.original, sides.released, sides.attributes, sides.names)


@dataclass(frozen=True)
class Design:
    """The columns of a model for both sides, the same for both.

    Attributes
    ----------
    names : tuple of str
        Of the columns: "age", and "sex=m" for categories.
    column_of : array of int
        The attribute that each column comes from.
    is_number : array of bool
        Whether a column holds numbers (or ranks), and not 0 and 1.
    original, released : array of shape (n, p)
        The columns before and after.
    """

    names: tuple[str, ...]
    column_of: IntArray
    is_number: BoolArray
    original: FloatArray
    released: FloatArray


def design_of(
    original: FloatArray, released: FloatArray, attributes: Sequence[Attribute], names: Sequence[str]
) -> Design:
    """Make the columns of a model.

    Numbers, and the ranks of ordinal values, are standardised by the mean and standard deviation of the original. The
    most frequent category of a column is where all its 0/1 columns are 0. Columns that are constant on both sides
    together are left out.

    >>> from microagg.semantic.attribute import nominal, numeric
    >>> X = np.array([[0, 1.0], [1, 2.0], [1, 3.0]])
    >>> made = design_of(X, X, [nominal(["f", "m"]), numeric()], ["sex", "age"])
    >>> made.names, made.original.tolist()
    (('sex=f', 'age'), [[1.0, -1.0], [0.0, 0.0], [0.0, 1.0]])
    """
    titles: list[str] = []
    column_of: list[int] = []
    is_number: list[bool] = []
    sides: tuple[list[FloatArray], list[FloatArray]] = ([], [])
    for j, (attribute, name) in enumerate(zip(attributes, names, strict=True)):
        before, after = original[:, j], released[:, j]
        low, high = min(before.min(), after.min()), max(before.max(), after.max())
        if low == high:
            continue
        if attribute.kind in {Kind.NUMERIC, Kind.ORDINAL}:
            deviation = float(before.std(ddof=1)) if len(before) > 1 and before.max() > before.min() else 0.0
            middle, unit = float(before.mean()), deviation if deviation > 0 else 1.0
            sides[0].append((before - middle) / unit)
            sides[1].append((after - middle) / unit)
            titles.append(name)
            column_of.append(j)
            is_number.append(True)
            continue
        for label, *both in _levels(before, after, attribute):
            sides[0].append(both[0])
            sides[1].append(both[1])
            titles.append(f"{name}={label}")
            column_of.append(j)
            is_number.append(False)
    n = len(original)
    return Design(
        names=tuple(titles),
        column_of=np.array(column_of, dtype=np.int64),
        is_number=np.array(is_number, dtype=np.bool_),
        original=np.column_stack(sides[0]) if titles else np.zeros((n, 0)),
        released=np.column_stack(sides[1]) if titles else np.zeros((n, 0)),
    )


def _levels(before: FloatArray, after: FloatArray, attribute: Attribute) -> list[tuple[str, FloatArray, FloatArray]]:
    """A 0/1 column on both sides for each category but the most frequent one."""
    codes = before.astype(np.int64), after.astype(np.int64)
    width = len(attribute.names)
    counts = np.bincount(codes[0], minlength=width)
    present = np.flatnonzero(counts + np.bincount(codes[1], minlength=width))
    ordered = present[np.lexsort((present, -counts[present]))]
    # The place of each category among the 0/1 columns; -1 is the most frequent one, the last place is shared.
    place = np.full(width, -1)
    place[ordered] = np.minimum(np.arange(len(ordered)), MOST_LEVELS) - 1
    labels = [attribute.names[code] for code in ordered[1:MOST_LEVELS].tolist()]
    if len(ordered) > MOST_LEVELS:
        labels.append(OTHER)
    places = place[codes[0]], place[codes[1]]
    return [
        (label, (places[0] == i).astype(np.float64), (places[1] == i).astype(np.float64))
        for i, label in enumerate(labels)
    ]
