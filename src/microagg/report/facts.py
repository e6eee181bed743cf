"""`Facts`: everything that a report is made of, already measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from microagg.base.types import FloatArray, IntArray
from microagg.errors import InvalidData
from microagg.gate import SUMMARY, Gate
from microagg.measures import Result
from microagg.report.moments import Moments

if TYPE_CHECKING:
    from microagg.report.certificate import Certificate


@dataclass(frozen=True)
class WholeFacts:
    """What is known of all records, of which the arrays may hold a sample, in whole groups.

    Attributes
    ----------
    n_records : int
        How many there are.
    sizes : mapping of int to int
        How many groups there are of each size.
    before, after : Moments
        Means, deviations and correlations of all records.
    """

    n_records: int
    sizes: Mapping[int, int]
    before: Moments
    after: Moments


@dataclass(frozen=True)
class Source:
    """Where data came from or went to: its name (without folders), size and SHA-256; of a frame, that of its values.

    Size and SHA-256 of an input are for the holder of the data alone: they are None in a report. Of a workbook, `sheet`
    and `header_row` say what was read, where that was asked for.
    """

    name: str
    size: int | None = None
    sha256: str | None = None
    sheet: str | None = None
    header_row: int | None = None


@dataclass(frozen=True)
class Caution:
    """Something the reader must not overlook: what kind of thing it is, in words, and what it is about."""

    kind: str
    text: str
    column: str | None = None
    groups: tuple[int, ...] = ()


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
        and lower_bound (in percent), k, method and seconds; others are shown as they come.
    names : tuple of str
        The quasi-identifiers.
    original, released : array of shape (n, q)
        Their values before and after, in the units of the data; NaN where one is missing.
    labels : array of n int, or of shape (n, q)
        The group of each record; for methods that group each column alone, one column of groups for each.
    losses, risks : tuple of Result
        Measures of the whole release.
    column_losses : mapping of str to mapping of str to float
        Measure, then column, then value.
    roles : mapping of str to str
        The role of each column of the file.
    kinds : mapping of str to str
        What each quasi-identifier was treated as.
    warnings : tuple of Caution
        What the reader must not overlook.
    reproduce : mapping of str to str
        How to get this release again, e.g. "Command line" and "Python".
    sources : mapping of str to Source
        The input and the output, where they are known.
    categories : mapping of str to sequence of str
        For columns that hold categories: what each code in `original` and `released` stands for.
    dates : set of str
        Columns of numbers that are dates: days since 1970.
    version : str
        The version of the program.
    details : bool
        Whether single records may be drawn and counted. Without, nothing is told of the original that fewer than k
        records share.
    sealed : bool
        Whether nothing is told that was measured on the original, as differential privacy wants it.
    whole : WholeFacts, optional
        What is known of all records, where `original`, `released` and `labels` hold a sample of them.
    masked : tuple of str
        The columns that were changed at random.
    promises : tuple of str
        What every group keeps of confidential columns, in words.
    value_labels : mapping of str to mapping of str to str
        For columns of categories: what some of them stand for, as the file says.
    untouched : mapping of str to float
        The columns that are released as they are, each with the share of records that are alone with their value.
    untouched_together : float
        The share of records that are alone with their values in all of these columns together.
    gaps : tuple of str
        What became of missing values, in sentences that may be told.
    certificate : Certificate, optional
        What is certified of the release; it holds nothing that the report does not print.
    """

    title: str
    settings: Mapping[str, str]
    headline: Mapping[str, float | int | str | None]
    names: tuple[str, ...]
    original: FloatArray
    released: FloatArray
    labels: IntArray
    losses: tuple[Result, ...]
    column_losses: Mapping[str, Mapping[str, float]]
    risks: tuple[Result, ...]
    roles: Mapping[str, str]
    warnings: tuple[Caution, ...]
    reproduce: Mapping[str, str]
    kinds: Mapping[str, str] = field(default_factory=dict)
    sources: Mapping[str, Source] = field(default_factory=dict)
    categories: Mapping[str, Sequence[str]] = field(default_factory=dict)
    dates: frozenset[str] = frozenset()
    version: str = ""
    details: bool = False
    sealed: bool = False
    whole: WholeFacts | None = None
    masked: tuple[str, ...] = ()
    promises: tuple[str, ...] = ()
    value_labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    untouched: Mapping[str, float] = field(default_factory=dict)
    untouched_together: float = 0.0
    gaps: tuple[str, ...] = ()
    certificate: Certificate | None = None

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
            if np.isinf(values).any():
                raise InvalidData(f"{name} must hold finite numbers only, or NaN where one is missing.")

    @property
    def n_records(self) -> int:
        """How many records there are in all."""
        if self.whole is None:
            return len(self.original)
        return self.whole.n_records

    @property
    def per_column(self) -> bool:
        """Whether each column was grouped on its own."""
        return self.labels.ndim == 2

    @property
    def numbers(self) -> list[int]:
        """The places of the columns that hold numbers."""
        return [j for j, name in enumerate(self.names) if name not in self.categories]

    @property
    def gate(self) -> Gate:
        """What may be told of these records."""
        k = self.headline.get("k")
        return Gate(self.n_records, k if isinstance(k, int) else 2, self.details, self.sealed)

    @property
    def least(self) -> int:
        """How many records must share what is told of the original: k, or 1 where details are asked for."""
        return self.gate.least

    def gated(self) -> Facts:
        """Give what may be told: names, measures and key figures as they pass the gate.

        Of few records, the released values stand in the place of the original ones: whatever is worked out of these
        facts, it can be worked out from the release.
        """
        gate = self.gate
        named = {name: self._named(name, gate) for name in self.categories}
        known = {*self.names, *self.roles}
        passed: dict[str, Any] = {
            "headline": {key: _headline(gate, key, value) for key, value in self.headline.items()},
            "losses": gate.results(self.losses, known, named),
            "risks": gate.results(self.risks, known, named),
            "column_losses": {
                metric: {name: part for name, value in values.items() if (part := gate.figure(value)) is not None}
                for metric, values in self.column_losses.items()
            },
            "sources": {
                what: replace(source, size=None, sha256=None) if what == "input" else source
                for what, source in self.sources.items()
            },
        }
        if not gate.details:
            passed["categories"] = {
                name: [label if label in named[name] else WITHHELD for label in labels]
                for name, labels in self.categories.items()
            }
        if not gate.tells_original:
            passed["original"] = self.released
            if self.whole is not None:
                passed["whole"] = replace(self.whole, before=self.whole.after)
        return replace(self, **passed)

    def _named(self, name: str, gate: Gate) -> set[str]:
        """The categories of a column that may be named."""
        labels, place = self.categories[name], self.names.index(name)
        counts = (
            np.bincount(known_of(side[:, place]).astype(np.int64), minlength=len(labels))
            for side in (self.original, self.released)
        )
        told = gate.names(*counts)
        return {label for label, is_told in zip(labels, told.tolist(), strict=True) if is_told}


def known_of(values: FloatArray) -> FloatArray:
    """Give the values that are not missing.

    >>> known_of(np.array([1.0, np.nan])).tolist()
    [1.0]
    """
    known: FloatArray = values[~np.isnan(values)]
    return known


WITHHELD = "(withheld)"
"""What stands in the place of a category that too few hold to be named."""


def _headline(gate: Gate, key: str, value: float | int | str | None) -> float | int | str | None:
    """Pass a key figure: by its rule, and a figure that has none as one of the original."""
    if key in SUMMARY:
        passed: float | int | str | None = gate.summary({key: value})[key]
        return passed
    return gate.figure(value) if isinstance(value, float) else value
