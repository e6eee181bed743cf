"""What a report is made of: everything is counted and measured before it comes here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from microagg.arrays import FloatArray, IntArray
from microagg.errors import InvalidData
from microagg.report.figures import Moments


@dataclass(frozen=True)
class WholeFacts:
    """What is known of all records where the arrays hold a sample of them, in whole groups.

    Attributes
    ----------
    sizes : mapping of int to int
        How many groups there are of each size.
    before, after : Moments
        Means, deviations and correlations of all records.
    """

    sizes: Mapping[int, int]
    before: Moments
    after: Moments


@dataclass(frozen=True)
class Facts:
    """A release as the report tells it.

    Parameters
    ----------
    title : str
        What the page is about, e.g. "people.csv, k = 5".
    settings : mapping of str to str
        What was asked for, in plain words: method, k, columns, weights, strata, missing values, seed, version.
    headline : mapping of str to number or str
        The key figures. Those that the page knows by name are records, groups, smallest, largest, information_loss
        (in percent), k, method and seconds; others are shown as they come.
    names : tuple of str
        The quasi-identifiers.
    original, released : array of shape (n, q)
        Their values before and after, in the units of the data and without missing values.
    labels : array of n int, or of shape (n, q)
        The group of each record; for methods that group each column alone, one column of groups for each.
    losses, risks : mapping of str to float
        Measures of the whole release.
    column_losses : mapping of str to mapping of str to float
        Measure, then column, then value.
    loss_notes, risk_notes : mapping of str to str
        One line on a measure, "Title: explanation" or the explanation alone.
    roles : mapping of str to str
        The role of each column of the file.
    warnings : tuple of str
        What the reader must not overlook.
    categories : mapping of str to sequence of str
        For columns that hold categories: what each code in `original` and `released` stands for.
    reproduce : mapping of str to str
        How to get this release again, e.g. "Command line" and "Python".
    risks_before : mapping of str to float
        The risks of the original, where they are known.
    units : mapping of str to str
        The unit of a measure, where it has one; "percent" is written as a sign.
    whole : WholeFacts, optional
        What is known of all records, where `original`, `released` and `labels` hold a sample of them.
    """

    title: str
    settings: Mapping[str, str]
    headline: Mapping[str, float | int | str]
    names: tuple[str, ...]
    original: FloatArray
    released: FloatArray
    labels: IntArray
    losses: Mapping[str, float]
    column_losses: Mapping[str, Mapping[str, float]]
    loss_notes: Mapping[str, str]
    risks: Mapping[str, float]
    risk_notes: Mapping[str, str]
    roles: Mapping[str, str]
    warnings: tuple[str, ...]
    reproduce: Mapping[str, str]
    risks_before: Mapping[str, float] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=lambda: {"information_loss": "percent"})
    categories: Mapping[str, Sequence[str]] = field(default_factory=dict)
    whole: WholeFacts | None = None

    def __post_init__(self) -> None:
        n_columns = len(self.names)
        if self.original.ndim != 2 or self.original.shape[0] == 0 or n_columns == 0:
            raise InvalidData(f"original must hold records x columns, at least 1 x 1; got {self.original.shape}.")
        if self.original.shape[1] != n_columns:
            raise InvalidData(f"original must have a column for each of {n_columns} names; got {self.original.shape}.")
        if self.released.shape != self.original.shape:
            raise InvalidData(
                f"released must have the shape of original, {self.original.shape}; got {self.released.shape}."
            )
        if self.labels.shape not in (self.original.shape[:1], self.original.shape):
            raise InvalidData(
                f"labels must hold one group for each of {self.original.shape[0]} records, or for each of their "
                f"{n_columns} values; got shape {self.labels.shape}."
            )
        for name, values in (("original", self.original), ("released", self.released)):
            if not np.isfinite(values).all():
                raise InvalidData(f"{name} must hold finite numbers only; drop or impute missing values first.")

    @property
    def per_column(self) -> bool:
        """Whether each column was grouped on its own."""
        return self.labels.ndim == 2

    @property
    def numbers(self) -> list[int]:
        """The places of the columns that hold numbers."""
        return [j for j, name in enumerate(self.names) if name not in self.categories]
