"""Where records lie: the points by which they are grouped, of their values and of what is known of all records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from microagg.base.ranges import within_range
from microagg.base.schema import Kind
from microagg.base.types import FloatArray, IntArray
from microagg.prepare.scale import Scale, scale_of, weigh, weights_of
from microagg.semantic.attribute import Attribute
from microagg.semantic.embedding import places
from microagg.semantic.loss import total_of_counts


@dataclass(frozen=True)
class Space:
    """A pure value: the same points for the same records, wherever they are.

    Attributes
    ----------
    names : tuple of str
        The quasi-identifiers.
    attributes : tuple of Attribute
        What they mean.
    scale : Scale
        The means and standard deviations of all records; of categories, those of their codes.
    spreads : tuple of float
        The spread of each column of categories (see `semantic.loss.spread`), over all records; nan for numbers.
    column_weights : mapping of str to float
        How much columns count, where that is not 1.
    standardize : bool
        Whether numbers are standardised.
    as_codes : bool
        Whether the method takes numbers and codes as they are, and has its own distances.
    fills : array of float, optional
        What stands for missing values of each column, NaN where they stay missing (see `prepare.missing`); None where
        no value is missing.
    """

    names: tuple[str, ...]
    attributes: tuple[Attribute, ...]
    scale: Scale
    spreads: tuple[float, ...]
    column_weights: Mapping[str, float] = field(default_factory=dict)
    standardize: bool = True
    as_codes: bool = False
    fills: FloatArray | None = None

    def filled(self, values: FloatArray) -> FloatArray:
        """Give records with what stands for missing values; NaN where one stays missing."""
        return values if self.fills is None else np.where(np.isnan(values), self.fills, values)

    def placed(self, values: FloatArray) -> FloatArray:
        """Give records in which no value is missing: one that stays missing is where it counts nothing.

        Of numbers that is the mean; records that lack the same values do not differ by any other code either.
        """
        if self.fills is None:
            return values
        is_number = np.array([attribute.kind is Kind.NUMERIC for attribute in self.attributes])
        filled = self.filled(values)
        return np.where(np.isnan(filled), np.where(is_number, self.scale.mean, 0.0), filled)

    @property
    def numbers(self) -> list[int]:
        """The places of the columns of numbers."""
        return [j for j, attribute in enumerate(self.attributes) if attribute.kind is Kind.NUMERIC]

    @property
    def weighted_attributes(self) -> list[Attribute]:
        """The attributes, each with the weight of its column."""
        weights = weights_of(self.names, self.column_weights)
        return [attribute.weighing(float(w)) for attribute, w in zip(self.attributes, weights, strict=True)]

    def only(self, columns: Sequence[int]) -> Space:
        """Give the space of some of the columns."""
        return replace(
            self,
            names=tuple(self.names[j] for j in columns),
            attributes=tuple(self.attributes[j] for j in columns),
            scale=self.scale.only(columns),
            spreads=tuple(self.spreads[j] for j in columns),
            fills=None if self.fills is None else self.fills[list(columns)],
            column_weights={n: w for n, w in self.column_weights.items() if n in {self.names[j] for j in columns}},
        )

    def route(self, values: FloatArray) -> FloatArray:
        """Give one number for each column, by which records that lie together can be told: codes in their order."""
        values = self.placed(values)
        return weigh(self.scale.apply(values) if self.standardize else values, self.names, self.column_weights)

    def points(self, values: FloatArray) -> FloatArray:
        """Give what the method groups: numbers standardised, categories as points; or all as it is.

        Ordinal values lie on a line, nominal ones at the corners of a simplex, values of a hierarchy where classical
        multidimensional scaling of their distances puts them: negative eigenvalues, which no points can show, are left
        out. Each column is divided by its spread and multiplied by its weight, so that with equal weights every column
        counts the same.
        """
        values = self.placed(values)
        if self.as_codes:
            return values
        if len(self.numbers) == len(self.names):
            return self.route(values)
        weights = weights_of(self.names, self.column_weights)
        factors = within_range(np.sqrt(weights))
        standardised = self.scale.apply(values)
        blocks = []
        for j, (attribute, unit) in enumerate(zip(self.attributes, self.spreads, strict=True)):
            if attribute.kind is Kind.NUMERIC:
                blocks.append(standardised[:, [j]] * factors[j])
            else:
                factor = factors[j] / np.sqrt(unit) if unit > 0 else 0.0
                blocks.append(places(attribute)[values[:, j].astype(np.int64)] * factor)
        return np.ascontiguousarray(np.hstack(blocks))


def count_codes(values: FloatArray, attributes: Sequence[Attribute]) -> tuple[IntArray, ...]:
    """Count how many records have each code, for columns of categories, without blanks; nothing for numbers.

    >>> from microagg.semantic.attribute import nominal, numeric
    >>> [counts.tolist() for counts in count_codes(np.array([[0, 1.5], [1, 2.5]]), [nominal(["f", "m"]), numeric()])]
    [[1, 1], []]
    """
    return tuple(
        np.bincount(column[~np.isnan(column)].astype(np.int64), minlength=attribute.n_values)
        if attribute.kind is not Kind.NUMERIC
        else np.empty(0, dtype=np.int64)
        for column, attribute in zip(values.T, attributes, strict=True)
    )


def spreads_of(counts: Sequence[IntArray], attributes: Sequence[Attribute]) -> tuple[float, ...]:
    """Give the spread of each column of categories, of how many records have each code; nan for numbers."""
    return tuple(
        total_of_counts(each, attribute) / max(1, int(each.sum()) - 1) if attribute.kind is not Kind.NUMERIC else np.nan
        for each, attribute in zip(counts, attributes, strict=True)
    )


def embed(X: FloatArray, attributes: Sequence[Attribute]) -> FloatArray:
    """Give records as points whose squared distances are those of their attributes, added up: see `Space.points`.

    >>> from microagg.semantic.attribute import nominal, numeric
    >>> embed(np.array([[0, 1.0], [1, 1.0], [1, 2.0]]), [nominal(["f", "m"]), numeric()]).shape
    (3, 3)
    """
    names = tuple(str(j) for j in range(len(attributes)))
    spreads = spreads_of(count_codes(X, attributes), attributes)
    weights = {name: attribute.weight for name, attribute in zip(names, attributes, strict=True)}
    return Space(names, tuple(attributes), scale_of(X), spreads, weights).points(X)
